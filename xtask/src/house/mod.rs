//! `cargo xtask house [DIR]`: figures of a source tree, to compare two states of it.
//!
//! Reads files only, so that an old checkout is measured by the same program. A report, not a gate: `tidy` has the gates.

mod lines;
mod public;
mod repeats;

use crate::functions;
use crate::source::{Source, load};
use crate::tidy::folders;
use std::path::{Path, PathBuf};

/// A folder with more files is listed.
const MANY_FILES: usize = 12;
/// Most rows of a list.
const MOST_LISTED: usize = 10;

/// Which tree, and what to print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HouseOptions {
    root: PathBuf,
    /// The list of public items that no other crate uses, instead of the figures.
    public: bool,
}

impl HouseOptions {
    /// Reads `[DIR] [--public]`; the error is the argument that is not known.
    pub(crate) fn parse(root: &Path, words: &[&str]) -> Result<Self, String> {
        let mut options = Self { root: root.to_path_buf(), public: false };
        for &word in words {
            match word {
                "--public" => options.public = true,
                unknown if unknown.starts_with('-') => return Err(unknown.to_owned()),
                folder => options.root = PathBuf::from(folder),
            }
        }
        Ok(options)
    }
}

/// Prints the figures of a tree.
pub(crate) fn run(HouseOptions { root, public }: &HouseOptions) -> Result<(), String> {
    let sources = load(root).map_err(|e| format!("cannot read {}: {e}", root.display()))?;
    let code: Vec<Source> = sources.into_iter().filter(Source::is_code).collect();
    if code.is_empty() {
        return Err(format!("{} has no source files", root.display()));
    }
    if *public {
        print!("{}", public::list(&code)?);
        return Ok(());
    }
    let sections =
        [lines::text(&code)?, public::text(&code)?, repeats::text(&code), functions_text(&code)?, folders_text(&code)];
    println!("{}", sections.join("\n"));
    Ok(())
}

fn functions_text(sources: &[Source]) -> Result<String, String> {
    let (mut all, mut long, mut wide, mut hot) = (0, 0, 0, 0);
    let mut longest = Vec::new();
    for source in sources {
        for function in functions::of(source).map_err(|e| format!("{}: {e}", source.path))? {
            all += 1;
            if function.is_long() || function.is_wide() {
                hot += usize::from(function.is_hot);
                long += usize::from(function.is_long());
                wide += usize::from(function.is_wide());
                longest.push((function.lines, format!("{}:{} {}", source.path, function.line, function.name)));
            }
        }
    }
    longest.sort_by(|a, b| b.cmp(a));
    let mut text = format!(
        "functions: {all}; {long} over {} lines, {wide} over {} arguments; {hot} of these are marked as hot\n",
        functions::MOST_LINES,
        functions::MOST_ARGUMENTS
    );
    text += &longest.iter().take(MOST_LISTED).map(|(lines, name)| format!("{lines:>6}  {name}\n")).collect::<String>();
    Ok(text)
}

fn folders_text(sources: &[Source]) -> String {
    let sizes = folders::sizes(sources);
    let full: Vec<_> = sizes.iter().filter(|(_, files)| **files > MANY_FILES).collect();
    let rows = full.iter().map(|(folder, files)| format!("{files:>6}  {folder}\n"));
    format!(
        "folders: {}; {} with over {MANY_FILES} source files\n{}",
        sizes.len(),
        full.len(),
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    #[test]
    fn a_tree_and_the_list_of_public_items_can_be_asked_for() {
        let parse = |words: &[&str]| HouseOptions::parse(Path::new("here"), words);
        assert_eq!(parse(&[]), Ok(HouseOptions { root: "here".into(), public: false }));
        assert_eq!(parse(&["there", "--public"]), Ok(HouseOptions { root: "there".into(), public: true }));
        assert_eq!(parse(&["--all"]), Err("--all".to_owned()));
    }

    #[test]
    fn long_functions_and_full_folders_are_counted() {
        let long = format!("// HOT: inner loop\nfn a() {{\n{}}}\nfn b() {{}}\n", "    x();\n".repeat(60));
        let text = functions_text(&tree(&[("a.rs", &long)])).unwrap();
        assert!(text.starts_with("functions: 2; 1 over 60 lines, 0 over 6 arguments; 1 of these"), "{text}");
        assert!(text.contains("a.rs:2 a"), "{text}");
        let paths: Vec<String> = (0..13).map(|at| format!("a/{at}.rs")).collect();
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        assert_eq!(folders_text(&tree(&files)), "folders: 1; 1 with over 12 source files\n    13  a\n");
    }
}
