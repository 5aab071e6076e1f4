//! The house rules, as a test.
//!
//! Each rule is a function from the files of the repository to findings; it knows nothing of the disk,
//! so that its tests are small made-up trees. A rule without a test that breaks it does not count.

mod arrows;
mod headers;
mod links;
mod notation;
mod purity;
mod sizes;
mod supply;
mod words;

use std::path::Path;

/// A text file of the repository.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path from the root, with `/` between the parts.
    path: String,
    text: String,
}

/// A place where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// From 1; 0 for the whole file.
    line: usize,
    what: String,
}

type Rule = fn(&[Source]) -> Vec<Finding>;

const RULES: [(&str, Rule); 8] = [
    ("file sizes", sizes::check),
    ("crate arrows", arrows::check),
    ("purity of the graph crate", purity::check),
    ("module headers", headers::check),
    ("words", words::check),
    ("notation", notation::check),
    ("links", links::check),
    ("supply chain", supply::check),
];

/// Checks the repository and prints what it finds.
pub(crate) fn run(root: &Path) -> bool {
    let sources = match load(root) {
        Ok(sources) => sources,
        Err(problem) => {
            eprintln!("cannot read the repository: {problem}");
            return false;
        }
    };
    let mut total = 0;
    for (name, rule) in RULES {
        let mut findings = rule(&sources);
        findings.sort();
        total += findings.len();
        for Finding { path, line, what } in findings {
            eprintln!("{path}:{line}: {name}: {what}");
        }
    }
    println!("{} rules, {} files, {total} findings", RULES.len(), sources.len());
    total == 0
}

/// Kinds of files that a rule looks at.
const KINDS: [&str; 8] = ["rs", "toml", "md", "py", "pyi", "js", "css", "txt"];
/// Folders that hold what tools make, or data.
const LEFT_OUT: [&str; 7] = ["target", "testdata", "__pycache__", "corpus", "artifacts", "seeds", "node_modules"];

/// All text files below the root, in order of path.
fn load(root: &Path) -> std::io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') || LEFT_OUT.contains(&name.as_str()) {
                continue;
            }
            let relative: Vec<_> =
                path.strip_prefix(root).into_iter().flatten().map(|part| part.to_string_lossy()).collect();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| KINDS.iter().any(|&known| kind == known)) {
                sources.push(Source { path: relative.join("/"), text: std::fs::read_to_string(&path)? });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

impl Source {
    /// What follows the last dot of the name.
    fn kind(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    fn is_rust(&self) -> bool {
        self.kind() == "rs"
    }

    /// Numbered lines without their `//` comment. Good enough for house rules: a `//` in a string hides the rest.
    fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
    }
}

/// The identifiers of a line.
fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up tree: pairs of path and text.
    pub(super) fn tree(files: &[(&str, &str)]) -> Vec<Source> {
        files.iter().map(|&(path, text)| Source { path: path.into(), text: text.into() }).collect()
    }

    /// Where a rule finds something: pairs of path and line.
    pub(super) fn places(findings: &[Finding]) -> Vec<(&str, usize)> {
        findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect()
    }

    #[test]
    fn files_are_found_in_folders_but_not_in_those_of_tools() {
        let sources = load(&crate::root()).unwrap();
        assert!(sources.iter().any(|source| source.path == "xtask/src/tidy/mod.rs"));
        assert!(sources.iter().all(|source| !source.path.starts_with("target/") && !source.path.starts_with('.')));
    }

    #[test]
    fn comments_are_no_code() {
        let sources = tree(&[("a.rs", "let x = 1; // f64\n/// f64\nf64")]);
        let lines: Vec<_> = sources[0].code_lines().filter(|(_, line)| line.contains("f64")).collect();
        assert_eq!(lines, [(3, "f64")]);
    }
}
