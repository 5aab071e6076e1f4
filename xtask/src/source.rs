//! The text files of a tree and the names of its other files, as the rules of `tidy` read them.
//!
//! Knows nothing of rules. A [`Source`] is a path and a text, so that tests are small made-up trees.

use std::path::Path;

/// A text file of the repository.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path from the root, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Kinds of files that a rule looks at.
const KINDS: [&str; 9] = ["rs", "toml", "md", "py", "pyi", "js", "css", "html", "txt"];
/// Folders that hold what tools and the demo make, or data.
const LEFT_OUT: [&str; 8] =
    ["target", "testdata", "einsicht-demo", "__pycache__", "corpus", "artifacts", "seeds", "node_modules"];

/// All files below the root, in order of path.
pub(crate) fn load(root: &Path) -> std::io::Result<Vec<Source>> {
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
            } else {
                // Without a text: links to it can be checked.
                sources.push(Source { path: relative.join("/"), text: String::new() });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

impl Source {
    /// What follows the last dot of the name.
    pub(crate) fn kind(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.kind() == "rs"
    }

    /// Whether the file is Rust or Python.
    pub(crate) fn is_code(&self) -> bool {
        ["rs", "py"].contains(&self.kind())
    }

    /// Whether the whole file is a test.
    pub(crate) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// The folder of the file, from the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Numbered lines without their `//` comment. Good enough for house rules: a `//` in a string hides the rest.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
    }
}

pub(crate) fn identifiers(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// A made-up tree for tests: pairs of path and text.
#[cfg(test)]
pub(crate) fn tree(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|&(path, text)| Source { path: path.into(), text: text.into() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_folders_but_not_in_those_of_tools() {
        let sources = load(&xtask::root()).unwrap();
        assert!(sources.iter().any(|source| source.path == "xtask/src/tidy/mod.rs"));
        assert!(sources.iter().all(|source| !source.path.starts_with("target/") && !source.path.starts_with('.')));
    }

    #[test]
    fn comments_are_no_code() {
        let sources = tree(&[("a.rs", "let x = 1; // f64\n/// f64\nf64")]);
        let lines: Vec<_> = sources[0].code_lines().filter(|(_, line)| line.contains("f64")).collect();
        assert_eq!(lines, [(3, "f64")]);
    }

    #[test]
    fn a_file_knows_its_folder() {
        let sources = tree(&[("crates/graph/src/mine/a.rs", ""), ("README.md", "")]);
        assert_eq!(sources.iter().map(Source::folder).collect::<Vec<_>>(), ["crates/graph/src/mine", ""]);
    }
}
