//! From the words of a target column to classes or numbers.
//!
//! The rule of [`Task::Auto`], also in `docs/formats.md`. A format may know better ([`TargetKind::Classes`] for the
//! graph labels of TU sets, [`TargetKind::Numbers`] for graph attributes); otherwise, over the values that are there: a
//! column that holds any word that is no number is classes; whole numbers are classes if there are at most 20 different
//! ones, each of them twice on average (or just one or two different ones); all else is numbers. Words in a column of
//! numbers are refused, and numbers in another writing too: per cent, dates, decimal commas. [`WholeNumbers`] says what
//! was decided where it is a close call. Empty cells and the words of [`MISSING_WORDS`] are missing values. Whole
//! numbers written as `1.0` or `+1` become the class `1`. Values of a program ([`target_of_values`]) are no cells of a
//! file: what is missing is none, and words stay as they are. A column of numbers with an infinite one is refused with
//! its line: it is neither a number to learn nor a class.

use super::error::{Place, ReadError};
use super::options::Task;
use crate::dataset::interner::Interner;
use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Origin, Target, TargetValues};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
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
    /// Whether words are what they are, as those of a program: `NA` and `01` too.
    verbatim: bool,
}

impl Column {
    pub(crate) fn new(name: &str, kind: TargetKind) -> Self {
        let mut words = Interner::default();
        let declared = if let TargetKind::Declared(classes) = &kind { words.intern_all(classes) } else { 0 };
        Self {
            name: name.to_owned(),
            kind,
            names: BTreeMap::new(),
            words,
            cells: Vec::new(),
            declared,
            verbatim: false,
        }
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
        if self.keeps_words() {
            return self.words.intern(word);
        }
        let word = word.trim();
        let is_missing = MISSING_WORDS.contains(&word) || word.eq_ignore_ascii_case("nan");
        if is_missing { MISSING } else { self.words.intern(word) }
    }

    /// Whether words are classes as they stand.
    fn keeps_words(&self) -> bool {
        self.verbatim || matches!(self.kind, TargetKind::Declared(_))
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
        let numbers = words.iter().filter(|word| number(word).is_some()).count();
        let written_otherwise = words.iter().filter(|word| is_number_written_otherwise(word)).count();
        let looks_like_numbers =
            numbers + written_otherwise == words.len() || (numbers > MOST_CLASSES && 2 * numbers > words.len());
        if let Some(word) = words.iter().find(|word| number(word).is_none()).filter(|_| looks_like_numbers) {
            let at =
                self.cells.iter().position(|&cell| cell != MISSING && &*self.words.words()[cell as usize] == *word);
            return Err(ReadError::WordAmongNumbers {
                place: Place::new(path, at.map_or(0, |at| origins[at].line)),
                target: self.name.clone(),
                found: (*word).to_owned(),
            });
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
        let plain = !self.keeps_words();
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

/// A target from values of a program, one per graph, by the rule of files but for what only files need: nothing is
/// missing but what is `None`, and `1.0`, `1` and `01` are three classes. Errors have the name in the place of a file.
pub fn target_of_values(name: &str, values: &[Option<String>], task: Task) -> Result<Target, ReadError> {
    let mut column = Column { verbatim: true, ..Column::new(name, TargetKind::Guess) };
    for value in values {
        let cell = value.as_ref().map_or(MISSING, |word| column.cell(word));
        column.cells.push(cell);
    }
    column.finish(Path::new(name), task, &vec![Origin { row: 0, line: 0 }; values.len()])
}

/// What was decided about a column of three to twenty different whole numbers, which may be classes or a scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeNumbers {
    /// Name of the target.
    pub target: String,
    /// Whether they were taken for classes, else for numbers.
    pub as_classes: bool,
    /// How many values there are.
    pub values: usize,
    /// How many different ones.
    pub distinct: usize,
    /// The smallest and the largest of them.
    pub range: (i64, i64),
}

impl WholeNumbers {
    /// What holds of a target; nothing if its values leave no doubt.
    pub fn of(target: &Target) -> Option<Self> {
        let (as_classes, values, distinct) = match &target.values {
            TargetValues::Classes { classes, values } => {
                let numbers = classes.tokens().iter().map(|token| whole(token));
                (true, values.iter().flatten().count(), numbers.collect::<Option<BTreeSet<i64>>>()?)
            }
            TargetValues::Numbers { values } => {
                let is_whole = |value: &f64| (value.fract() == 0.0 && value.abs() < 1e15).then_some(*value as i64);
                let numbers = values.iter().flatten().map(is_whole).collect::<Option<BTreeSet<i64>>>()?;
                (false, values.iter().flatten().count(), numbers)
            }
        };
        let range = (*distinct.first()?, *distinct.last()?);
        let (target, distinct) = (target.name.clone(), distinct.len());
        (3..=MOST_CLASSES).contains(&distinct).then_some(Self { target, as_classes, values, distinct, range })
    }
}

impl fmt::Display for WholeNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, as_classes, values, distinct, range: (least, most) } = self;
        let (taken, why) = if *as_classes { ("classes", "") } else { ("numbers", ", too few of each for classes") };
        write!(
            f,
            "target {target} is taken as {taken}, since its {values} values are {distinct} different whole numbers \
             from {least} to {most}{why}"
        )
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

/// Per cent, a decimal comma, or a date: what a reader takes for a number, and a program for a word.
fn is_number_written_otherwise(word: &str) -> bool {
    let is_percent = word.strip_suffix('%').is_some_and(|rest| number(&rest.trim().replace(',', ".")).is_some());
    let has_comma = word.matches(',').count() == 1 && number(&word.replace(',', ".")).is_some();
    is_percent || has_comma || is_date(word)
}

/// A date such as `2024-01-31`, `31.1.2024` or `1/31/24`, with or without a time.
fn is_date(word: &str) -> bool {
    let day = word.split(['T', ' ']).next().unwrap_or(word);
    ['-', '.', '/'].into_iter().any(|separator| {
        let parts: Vec<&str> = day.split(separator).collect();
        let small = |part: &str, most: u32| {
            part.len() < 3 && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
        };
        let is_year =
            |part: &str| (part.len() == 4 || (separator == '/' && part.len() == 2)) && part.parse::<u32>().is_ok();
        match parts[..] {
            [year, month, day] if is_year(year) && year.len() == 4 => small(month, 12) && small(day, 31),
            [first, second, year] => is_year(year) && small(first, 31) && small(second, 31),
            _ => false,
        }
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
    fn a_word_in_a_column_of_numbers_is_refused_with_its_line() {
        let reals: Vec<String> = (0..60).map(|i| format!("{i}.5")).collect();
        let mut with_word: Vec<&str> = reals.iter().map(String::as_str).collect();
        with_word.insert(3, "n.d.");
        let cases: [(&[&str], &str, usize); 9] = [
            (&with_word, "n.d.", 4),
            (&["10%", "20 %", "30%"], "10%", 1),
            (&["10", "", "20,5%"], "20,5%", 3),
            (&["1,5", "2,5"], "1,5", 1),
            (&["2024-01-31", "2024-02-01"], "2024-01-31", 1),
            (&["31.1.2024", "1.2.2024"], "31.1.2024", 1),
            (&["1/31/24", "2/1/24"], "1/31/24", 1),
            (&["31/01/2024 10:00", "01/02/2024 11:00"], "31/01/2024 10:00", 1),
            (&["2024-01-31T10:00:00", "2024-02-01T10:00:00"], "2024-01-31T10:00:00", 1),
        ];
        for (words, word, line) in cases {
            let error = finish(words, Task::Auto, TargetKind::Guess).unwrap_err().to_string();
            let wanted = "target \"y\" looks like numbers, so each value must be a number or empty, but this one is";
            assert_eq!(error, format!("x:{line}: {wanted} \"{word}\""));
            assert_ne!(classes(&finish(words, Task::Classify, TargetKind::Guess).unwrap()), ["numbers"], "{words:?}");
        }
        // Names of classes that begin with digits, EC and CAS numbers, intervals.
        for words in [
            ["1A", "2B"],
            ["1.1.1", "2.7.11"],
            ["50-00-0", "7732-18-5"],
            ["0-10", "10-20"],
            [">10", "<=10"],
            ["7", "low"],
        ] {
            assert_eq!(classes(&finish(&words, Task::Auto, TargetKind::Guess).unwrap()).len(), 2, "{words:?}");
        }
    }

    #[test]
    fn what_was_decided_about_whole_numbers_can_be_said() {
        let said = |words: &[&str], task| {
            let values = finish(words, task, TargetKind::Guess).unwrap();
            WholeNumbers::of(&Target { name: "y".into(), values }).map(|whole| whole.to_string())
        };
        assert_eq!(
            said(&["4", "5", "9.0", "9", "4", "", "5"], Task::Auto).unwrap(),
            "target y is taken as classes, since its 6 values are 3 different whole numbers from 4 to 9"
        );
        assert_eq!(
            said(&["40", "150", "-345"], Task::Auto).unwrap(),
            "target y is taken as numbers, since its 3 values are 3 different whole numbers from -345 to 150, too few \
             of each for classes"
        );
        let many: Vec<String> = (0..50).map(|i| i.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for words in [&["0", "1", "1"][..], &["0.5", "1", "2"], &["a", "b", "3", "3"], &many] {
            assert_eq!(said(words, Task::Auto), None, "{words:?}");
        }
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
    fn values_of_a_program_stay_as_they_are() {
        let of = |words: &[Option<&str>], task| {
            let words: Vec<Option<String>> = words.iter().map(|word| word.map(str::to_owned)).collect();
            target_of_values("y", &words, task).map(|target| target.values)
        };
        let TargetValues::Classes { classes, values } = of(&[Some("NA"), None, Some("None")], Task::Auto).unwrap()
        else {
            panic!("classes")
        };
        assert_eq!((classes.tokens().join(" "), values), ("NA None".to_owned(), vec![Some(0), None, Some(1)]));
        let codes = [Some("1.0"), Some("1"), Some("01"), Some("1")];
        assert_eq!(classes_of(&of(&codes, Task::Auto).unwrap()), 3);
        assert_eq!(of(&codes, Task::Regress).unwrap(), TargetValues::Numbers { values: vec![Some(1.0); 4] });
        assert_eq!(
            of(&[Some("0.5"), None], Task::Auto).unwrap(),
            TargetValues::Numbers { values: vec![Some(0.5), None] }
        );
        assert!(
            of(&[Some("10%"), Some("20%")], Task::Auto).unwrap_err().to_string().starts_with("y: target \"y\" looks")
        );
    }

    fn classes_of(values: &TargetValues) -> usize {
        match values {
            TargetValues::Classes { classes, .. } => classes.len(),
            TargetValues::Numbers { .. } => 0,
        }
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
