//! Words that we no longer use, with what to say instead: `xtask/retired-words.txt`.
//!
//! A line is `word TEXT: instead` (a word of an identifier or of prose, or several words in a row, in any case), `type NAME:
//! instead` (an identifier of the code, case by case), `file NAME: instead` (a file or folder, without its ending) or
//! `allow WORD in PATH: reason` (a legitimate use; a folder ends with `/`). Prose is followed over line ends and comment
//! marks; punctuation ends a run of words.

use super::allowed::rows;
use super::{Finding, Source};
use crate::source::{identifiers, words};
use std::collections::BTreeMap;

const LIST: &str = "xtask/retired-words.txt";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut list = List::read(sources);
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.path != LIST) {
        let uses = list.phrases(source).into_iter().chain(list.types(source)).chain(list.files(source));
        let uses: Vec<(usize, Retired<'_>)> = uses.collect();
        for (line, Retired { word, instead }) in uses {
            if !list.allows(word, &source.path) {
                let what = format!("`{word}` is retired: say {instead}");
                findings.push(Finding { path: source.path.clone(), line, what });
            }
        }
    }
    findings.extend(list.findings());
    findings
}

/// A word and what to say instead.
#[derive(Clone, Copy)]
struct Retired<'a> {
    word: &'a str,
    instead: &'a str,
}

/// The list, by what is matched.
#[derive(Default)]
struct List<'a> {
    /// By the first word: the words of each phrase, and the phrase.
    phrases: BTreeMap<String, Vec<(Vec<String>, Retired<'a>)>>,
    /// Types and files by kind and name.
    names: BTreeMap<(&'a str, &'a str), Retired<'a>>,
    /// Word, path, line, and whether something needed it.
    allowed: Vec<(&'a str, &'a str, usize, bool)>,
    bad: Vec<usize>,
}

impl<'a> List<'a> {
    fn read(sources: &'a [Source]) -> Self {
        let mut list = Self::default();
        for (line, entry, instead) in rows(sources, LIST) {
            let parts = entry.split_once(' ').filter(|_| !instead.is_empty());
            match parts {
                Some(("word", word)) => {
                    let all: Vec<String> = word.split(' ').map(str::to_lowercase).collect();
                    list.phrases.entry(all[0].clone()).or_default().push((all, Retired { word, instead }));
                }
                Some((kind @ ("type" | "file"), word)) => {
                    list.names.insert((kind, word), Retired { word, instead });
                }
                Some(("allow", text)) if text.contains(" in ") => {
                    let (word, path) = text.split_once(" in ").unwrap_or_default();
                    list.allowed.push((word, path, line, false));
                }
                _ => list.bad.push(line),
            }
        }
        list
    }

    /// Retired words and phrases in identifiers and prose, with their lines.
    fn phrases(&self, source: &Source) -> Vec<(usize, Retired<'a>)> {
        let tokens = tokens(source);
        let mut found = Vec::new();
        for (at, (line, word)) in tokens.iter().enumerate() {
            for (phrase, retired) in self.phrases.get(word).into_iter().flatten() {
                let run = tokens[at..].iter().map(|(_, word)| word).take(phrase.len());
                if run.eq(phrase) {
                    found.push((*line, *retired));
                }
            }
        }
        found
    }

    /// Retired identifiers in the code.
    fn types(&self, source: &Source) -> Vec<(usize, Retired<'a>)> {
        if !source.is_code() {
            return Vec::new();
        }
        let in_line = |(line, code): (usize, &str)| {
            let known = identifiers(code).filter_map(|name| self.names.get(&("type", name)));
            known.map(move |name| (line, *name)).collect::<Vec<_>>()
        };
        source.code_lines().flat_map(in_line).collect()
    }

    /// Retired names of files and folders.
    fn files(&self, source: &Source) -> Vec<(usize, Retired<'a>)> {
        let parts = source.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        let parts = parts.filter(|_| source.is_code());
        parts.filter_map(|part| self.names.get(&("file", part))).map(|name| (0, *name)).collect()
    }

    fn allows(&mut self, word: &str, path: &str) -> bool {
        let fits = |folder: &str| if folder.ends_with('/') { path.starts_with(folder) } else { path == folder };
        let allowed = self.allowed.iter_mut().find(|(allowed, folder, _, _)| *allowed == word && fits(folder));
        allowed.map(|(_, _, _, is_needed)| *is_needed = true).is_some()
    }

    fn findings(self) -> Vec<Finding> {
        let at = |line: usize, what: &str| Finding { path: LIST.to_owned(), line, what: what.to_owned() };
        let form = "a line must be `word TEXT: instead`, `type NAME: instead`, `file NAME: instead` or \
            `allow WORD in PATH: reason`";
        let bad = self.bad.iter().map(|line| at(*line, form));
        let unused = self.allowed.iter().filter(|(_, _, _, is_needed)| !is_needed);
        bad.chain(unused.map(|(_, _, line, _)| at(*line, "the word is not used there: remove the line"))).collect()
    }
}

/// The words of identifiers and prose in lower case, each with its line; punctuation is an empty word.
fn tokens(source: &Source) -> Vec<(usize, String)> {
    let mut tokens = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        let text = line.trim_start();
        let text = ["//!", "///", "//", "#", ">", "*"].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
        for piece in text.split_whitespace() {
            let mut rest = piece;
            while !rest.is_empty() {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                tokens.extend(words(&rest[..end]).into_iter().map(|word| (at + 1, word)));
                let next = rest[end..].find(is_word).map_or(rest.len(), |next| end + next);
                if end < next {
                    tokens.push((at + 1, String::new()));
                }
                rest = &rest[next..];
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    fn found(list: &str, path: &str, text: &str) -> Vec<usize> {
        let files = tree(&[(path, text), (LIST, list)]);
        check(&files).iter().filter(|finding| finding.path == path).map(|finding| finding.line).collect()
    }

    #[test]
    fn a_word_is_found_in_identifiers_and_in_prose() {
        let text = "// Alike rows.\nlet alike_rows = AlikeRows::new();\nlet likewise = 1;\n";
        assert_eq!(found("word alike: equal\n", "a.rs", text), [1, 2, 2]);
        assert_eq!(found("word alike: equal\n", "a.md", "Not alike."), [1]);
    }

    #[test]
    fn a_phrase_is_followed_over_a_line_end_but_not_over_a_full_stop() {
        let list = "word one a core: one per core\n";
        assert_eq!(found(list, "a.rs", "//! Threads: one\n//! a core.\n// one. A core\n"), [1]);
    }

    #[test]
    fn a_type_is_found_in_code_only_and_a_file_by_its_name() {
        let list = "type Many: Resampler\nfile pace: save_interval\n";
        assert_eq!(found(list, "a/b.rs", "// Many rows.\nstruct Many;\nlet many = 1;\n"), [2]);
        assert_eq!(found(list, "a/pace.rs", ""), [0]);
        assert_eq!(found(list, "pace/a.rs", ""), [0]);
    }

    #[test]
    fn a_use_can_be_allowed_and_an_allowance_that_is_not_needed_is_found() {
        let list = "word alike: equal\nallow alike in docs/: history\n";
        assert_eq!(found(list, "docs/a.md", "alike"), Vec::<usize>::new());
        assert_eq!(found(list, "a.md", "alike"), [1]);
        let files = tree(&[(LIST, "word alike: equal\nallow alike in docs/: history\nword alone\n")]);
        assert_eq!(places(&check(&files)), [(LIST, 3), (LIST, 2)]);
    }
}
