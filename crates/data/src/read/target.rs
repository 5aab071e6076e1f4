//! From the words of a target column to classes or numbers.
//!
//! The rule of [`Task::Auto`], also in `docs/formats.md`. A format may know better ([`TargetKind::Classes`] for the
//! graph labels of TU sets, [`TargetKind::Numbers`] for graph attributes); otherwise, over the values that are there:
//! a column that holds any word that is no number is classes; whole numbers are classes if there are at most 20
//! different ones, each of them twice on average (or just one or two different ones); all else is numbers.
//! Empty cells and the words of [`MISSING_WORDS`] are missing values. Whole numbers written as `1.0` or `+1` become the class
//! `1`. A column of numbers with an infinite one is refused with its line: it is neither a number to learn nor a class.

use super::error::{Place, ReadError};
use super::options::Task;
use crate::dataset::interner::Interner;
use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Origin, Target, TargetValues};
use std::collections::BTreeMap;
use std::path::Path;

/// What a format declares about a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Nothing: the values decide ([`Task::Auto`]).
    Guess,
    /// Classes, whatever the values are.
    Classes,
    /// These classes, even if no graph has them; their names are kept as they are.
    Declared(Vec<String>),
    /// Numbers.
    Numbers,
}

/// Most different whole numbers that are taken for classes.
const MOST_CLASSES: usize = 20;
/// A column of words with more distinct values than this, most of them unique, is not a target.
const MOST_WORDS: usize = 100;
pub(crate) const MISSING: u32 = u32::MAX;
/// Words for a missing value: those that pandas reads so.
const MISSING_WORDS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// A target while its file is read: words by number, one cell per graph.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: TargetKind,
    /// Names of classes, by class.
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) words: Interner,
    pub(crate) cells: Vec<u32>,
    declared: usize,
}

impl Column {
    pub(crate) fn new(name: &str, kind: TargetKind) -> Self {
        let mut words = Interner::default();
        let declared = if let TargetKind::Declared(classes) = &kind { words.intern_all(classes) } else { 0 };
        Self { name: name.to_owned(), kind, names: BTreeMap::new(), words, cells: Vec::new(), declared }
    }

    /// The same target without any cell.
    pub(crate) fn emptied(&self) -> Self {
        Self { names: self.names.clone(), ..Self::new(&self.name, self.kind.clone()) }
    }

    /// How many classes were declared, if they were.
    pub(crate) fn declared(&self) -> Option<usize> {
        matches!(self.kind, TargetKind::Declared(_)).then_some(self.declared)
    }

    /// The number of a cell's word.
    pub(crate) fn cell(&mut self, word: &str) -> u32 {
        if matches!(self.kind, TargetKind::Declared(_)) {
            return self.words.intern(word);
        }
        let word = word.trim();
        let is_missing = MISSING_WORDS.contains(&word) || word.eq_ignore_ascii_case("nan");
        if is_missing { MISSING } else { self.words.intern(word) }
    }

    /// Decides what the column is and converts it. `origins` say where each cell stood.
    pub(crate) fn finish(self, path: &Path, task: Task, origins: &[Origin]) -> Result<Target, ReadError> {
        let name = self.name.clone();
        let values = if self.is_classes(path, task, origins)? { self.classes() } else { self.numbers(path, origins)? };
        Ok(Target { name, values })
    }

    fn is_classes(&self, path: &Path, task: Task, origins: &[Origin]) -> Result<bool, ReadError> {
        match (task, &self.kind) {
            (Task::Classify, _) | (Task::Auto, TargetKind::Classes | TargetKind::Declared(_)) => return Ok(true),
            (Task::Regress, _) | (Task::Auto, TargetKind::Numbers) => return Ok(false),
            (Task::Auto, TargetKind::Guess) => {}
        }
        // Words of graphs that were left out do not count.
        let mut used = vec![false; self.words.words().len()];
        let mut rows = 0;
        for &cell in self.cells.iter().filter(|&&cell| cell != MISSING) {
            used[cell as usize] = true;
            rows += 1;
        }
        let words: Vec<&str> = self.used_words(&used);
        if words.iter().any(|word| is_infinite(word)) && words.iter().all(|word| word.parse::<f64>().is_ok()) {
            // Refused with its line.
            self.numbers(path, origins)?;
        }
        if let Some(word) = words.iter().find(|word| number(word).is_none()) {
            if words.len() > MOST_WORDS && 2 * words.len() > rows {
                return Err(ReadError::NotATarget {
                    path: path.to_owned(),
                    target: self.name.clone(),
                    rows,
                    distinct: words.len(),
                    example: (*word).to_owned(),
                });
            }
            return Ok(true);
        }
        let distinct = Vocabulary::from_tokens(words.iter().map(|word| class_token(word))).len();
        let whole = words.iter().all(|word| whole(word).is_some());
        Ok(whole && 0 < distinct && distinct <= MOST_CLASSES && (distinct <= 2 || 2 * distinct <= rows))
    }

    fn used_words(&self, used: &[bool]) -> Vec<&str> {
        self.words.words().iter().zip(used).filter(|(_, used)| **used).map(|(word, _)| &**word).collect()
    }

    fn classes(self) -> TargetValues {
        let plain = !matches!(self.kind, TargetKind::Declared(_));
        let tokens: Vec<String> = self.words.words().iter().map(|word| token(word, plain)).collect();
        let mut used = vec![false; tokens.len()];
        used[..self.declared].fill(true);
        for &cell in self.cells.iter().filter(|&&cell| cell != MISSING) {
            used[cell as usize] = true;
        }
        let occurring = tokens.iter().zip(&used).filter(|(_, used)| **used).map(|(token, _)| token.clone());
        let mut classes = Vocabulary::from_tokens(occurring);
        let rank: Vec<Option<u32>> = tokens.iter().map(|token| classes.label(token).map(|label| label.0)).collect();
        let values = self.cells.iter().map(|&cell| if cell == MISSING { None } else { rank[cell as usize] }).collect();
        classes.set_names(self.names);
        TargetValues::Classes { classes, values }
    }

    fn numbers(&self, path: &Path, origins: &[Origin]) -> Result<TargetValues, ReadError> {
        let parsed: Vec<Option<f64>> = self.words.words().iter().map(|word| number(word)).collect();
        let mut values = Vec::with_capacity(self.cells.len());
        for (&cell, origin) in self.cells.iter().zip(origins) {
            values.push(match (cell, parsed.get(cell as usize)) {
                (MISSING, _) => None,
                (_, Some(&Some(value))) => Some(value),
                _ => {
                    return Err(ReadError::NotANumber {
                        place: Place::new(path, origin.line),
                        what: "the target of a regression",
                        kind: "finite number",
                        found: self.words.words()[cell as usize].to_string(),
                    });
                }
            });
        }
        Ok(TargetValues::Numbers { values })
    }
}

fn token(word: &str, plain: bool) -> String {
    if plain { class_token(word) } else { word.to_owned() }
}

/// A number that is infinite or too large.
fn is_infinite(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(|value| !value.is_finite())
}

/// A finite number.
fn number(word: &str) -> Option<f64> {
    word.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// A whole number, also if it is written like a real one.
fn whole(word: &str) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    word.parse::<i64>().ok().or_else(|| {
        let value = number(word)?;
        (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64)
    })
}

fn class_token(word: &str) -> String {
    whole(word).map_or_else(|| word.to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::Label;

    fn finish(words: &[&str], task: Task, kind: TargetKind) -> Result<TargetValues, ReadError> {
        let mut column = Column::new("y", kind);
        for word in words {
            let cell = column.cell(word);
            column.cells.push(cell);
        }
        let origins: Vec<Origin> = (0..words.len() as u32).map(|row| Origin { row, line: row as u64 + 1 }).collect();
        column.finish(Path::new("x"), task, &origins).map(|target| target.values)
    }

    fn classes(values: &TargetValues) -> Vec<&str> {
        match values {
            TargetValues::Classes { classes, .. } => classes.tokens().iter().map(String::as_str).collect(),
            TargetValues::Numbers { .. } => vec!["numbers"],
        }
    }

    #[test]
    fn the_values_decide_between_classes_and_numbers() {
        let many: Vec<String> = (0..50).map(|i| (i / 2).to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let cases: [(&[&str], &[&str]); 8] = [
            (&["1", "-1", "1"], &["-1", "1"]),
            (&["1.0", "0.0", "", "1"], &["0", "1"]),
            (&["+1", "-1"], &["-1", "1"]),
            (&["no", "yes", "7"], &["7", "no", "yes"]),
            (&["1", "2", "3", "3", "2", "1"], &["1", "2", "3"]),
            (&["40", "150", "345"], &["numbers"]),
            (&["0.5", "1.5", "0.5", "1.5"], &["numbers"]),
            (&many, &["numbers"]),
        ];
        for (words, wanted) in cases {
            assert_eq!(classes(&finish(words, Task::Auto, TargetKind::Guess).unwrap()), wanted, "{words:?}");
        }
    }

    #[test]
    fn a_format_or_an_option_decides_before_the_values() {
        assert_eq!(
            classes(&finish(&["40", "150", "345"], Task::Auto, TargetKind::Classes).unwrap()),
            ["40", "150", "345"]
        );
        assert_eq!(classes(&finish(&["0", "1"], Task::Auto, TargetKind::Numbers).unwrap()), ["numbers"]);
        assert_eq!(classes(&finish(&["0", "1"], Task::Regress, TargetKind::Classes).unwrap()), ["numbers"]);
        assert_eq!(classes(&finish(&["0.5", "1.5"], Task::Classify, TargetKind::Numbers).unwrap()), ["0.5", "1.5"]);
    }

    #[test]
    fn a_word_is_no_number() {
        let error = finish(&["1", "high"], Task::Regress, TargetKind::Guess).unwrap_err().to_string();
        assert_eq!(error, "x:2: the target of a regression must be a finite number, but is \"high\"");
    }

    #[test]
    fn an_infinite_number_is_refused_with_its_line_and_is_no_class() {
        for word in ["inf", "-Infinity", "1e999"] {
            for task in [Task::Auto, Task::Regress] {
                let error = finish(&["1.5", "", word, "2.5"], task, TargetKind::Guess).unwrap_err().to_string();
                let wanted = format!("x:3: the target of a regression must be a finite number, but is \"{word}\"");
                assert_eq!(error, wanted);
            }
        }
        // A word among words is a class.
        assert_eq!(classes(&finish(&["low", "inf"], Task::Auto, TargetKind::Guess).unwrap()), ["inf", "low"]);
    }

    #[test]
    fn names_of_all_rows_are_no_target() {
        let words: Vec<String> = (0..150).map(|i| format!("molecule {i}")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(matches!(
            finish(&words, Task::Auto, TargetKind::Guess),
            Err(ReadError::NotATarget { rows: 150, distinct: 150, .. })
        ));
        assert_eq!(classes(&finish(&words, Task::Classify, TargetKind::Guess).unwrap()).len(), 150);
    }

    #[test]
    fn missing_values_stay_missing() {
        let values = finish(&["", "b", "NaN", "a"], Task::Auto, TargetKind::Guess).unwrap();
        let TargetValues::Classes { classes, values } = values else { panic!("classes") };
        assert_eq!(values, [None, Some(1), None, Some(0)]);
        assert_eq!(classes.token(Label(0)), "a");
        for word in MISSING_WORDS {
            let values = finish(&["0", word, "1", "1"], Task::Auto, TargetKind::Guess).unwrap();
            let TargetValues::Classes { classes, values } = values else { panic!("classes") };
            assert_eq!((classes.len(), values[1]), (2, None), "{word}");
            let numbers = finish(&["0.5", word, "1.5"], Task::Auto, TargetKind::Guess).unwrap();
            assert_eq!(numbers, TargetValues::Numbers { values: vec![Some(0.5), None, Some(1.5)] }, "{word}");
        }
    }
}
