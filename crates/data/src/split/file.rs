//! Splits from a file: `{"trials": [{"train": [...], "valid": [...], "test": [...]}, ...]}`.
//!
//! Numbers are rows of the source, from 0, counted over all rows, skipped ones included. Rows in no set are unused.

use super::{Part, Split, SplitError};
use crate::dataset::Dataset;
use crate::read::lines::Lines;
use crate::read::{Place, ReadError};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A file of trials.
#[derive(Clone, Debug)]
pub struct SplitFile {
    path: PathBuf,
    trials: Vec<Rows>,
}

#[derive(Deserialize)]
struct File {
    trials: Vec<Rows>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Rows {
    train: Vec<u32>,
    #[serde(default)]
    valid: Vec<u32>,
    #[serde(default)]
    test: Vec<u32>,
}

/// The text of a file with these splits of a data set, as rows of its source: one line per trial.
pub fn split_file(dataset: &Dataset, splits: &[Split]) -> String {
    let rows = |part: &[usize]| part.iter().map(|&at| dataset.origins[at].row).collect();
    let line = |split: &Split| {
        let rows = Rows { train: rows(&split.train), valid: rows(&split.valid), test: rows(&split.test) };
        serde_json::json!(rows).to_string()
    };
    let lines: Vec<String> = splits.iter().map(line).collect();
    format!("{{\"trials\": [\n{}\n]}}\n", lines.join(",\n"))
}

impl SplitFile {
    /// Reads a file of trials, gzipped or not.
    pub fn read(path: &Path) -> Result<Self, SplitError> {
        let mut lines = Lines::open(path)?;
        let mut bytes = Vec::new();
        if let Err(source) = lines.rest().read_to_end(&mut bytes) {
            return Err(lines.explain(0, source).into());
        }
        let file: File = serde_json::from_slice(&bytes).map_err(|source| {
            let place = Place::new(path, source.line() as u64);
            SplitError::Read(ReadError::Json { place, source })
        })?;
        Ok(Self { path: path.to_owned(), trials: file.trials })
    }

    /// Number of trials.
    pub fn len(&self) -> usize {
        self.trials.len()
    }

    /// Whether there is no trial.
    pub fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// A trial, in positions of this data set.
    pub fn split(&self, trial: usize, dataset: &Dataset) -> Result<Split, SplitError> {
        let path = || self.path.clone();
        let Some(rows) = self.trials.get(trial) else {
            return Err(SplitError::NoSuchTrial { path: path(), trial, len: self.trials.len() });
        };
        // `None` for rows that were skipped. A row that is in neither list does not exist.
        let mut positions: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        positions.extend(dataset.skipped.iter().map(|skipped| (skipped.origin.row, None)));
        positions.extend(dataset.origins.iter().enumerate().map(|(at, origin)| (origin.row, Some(at))));
        let mut seen: FxHashMap<u32, Part> = FxHashMap::default();
        let mut split = Split::default();
        for (part, rows) in [(Part::Train, &rows.train), (Part::Valid, &rows.valid), (Part::Test, &rows.test)] {
            let mut found = Vec::with_capacity(rows.len());
            for &row in rows {
                match positions.get(&row) {
                    Some(Some(at)) => found.push(*at),
                    Some(None) => split.skipped += 1,
                    None => {
                        let rows = positions.len();
                        return Err(SplitError::RowOutOfRange { path: path(), trial, part, row, rows });
                    }
                }
                if let Some(first) = seen.insert(row, part) {
                    return Err(SplitError::RowTwice { path: path(), trial, row, first, second: part });
                }
            }
            found.sort_unstable();
            match part {
                Part::Train => split.train = found,
                Part::Valid => split.valid = found,
                Part::Test | Part::All => split.test = found,
            }
        }
        if split.train.is_empty() { Err(SplitError::NoTraining) } else { Ok(split) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Origin, Skipped};
    use einsicht_graph::Graph;

    /// Rows 0, 2 and 3 of a source whose row 1 was skipped.
    fn dataset() -> Dataset {
        let rows = [0, 2, 3];
        Dataset {
            graphs: rows.iter().map(|_| Graph::builder().build()).collect(),
            ids: rows.iter().map(ToString::to_string).collect(),
            origins: rows.iter().map(|&row| Origin { row, line: 0 }).collect(),
            skipped: vec![Skipped { origin: Origin { row: 1, line: 0 }, reason: "bad".into() }],
            ..Default::default()
        }
    }

    fn split(train: &[u32], valid: &[u32], test: &[u32]) -> Result<Split, SplitError> {
        let rows = Rows { train: train.to_vec(), valid: valid.to_vec(), test: test.to_vec() };
        SplitFile { path: "s.json".into(), trials: vec![rows] }.split(0, &dataset())
    }

    #[test]
    fn rows_of_the_source_become_positions_and_skipped_rows_shift_nothing() {
        let wanted = Split { train: vec![0, 2], valid: vec![1], test: vec![], skipped: 1 };
        assert_eq!(split(&[3, 0], &[2, 1], &[]).unwrap(), wanted);
    }

    #[test]
    fn rows_that_do_not_exist_or_come_twice_are_refused() {
        let refused = |train: &[u32], test: &[u32]| split(train, &[], test).unwrap_err().to_string();
        assert_eq!(refused(&[0], &[4]), "s.json: trial 0, test: rows must be between 0 and 3, but one is 4");
        assert_eq!(
            refused(&[0, 2], &[2]),
            "s.json: trial 0: a row may be in one set, once, but row 2 is in train and again in test"
        );
        assert_eq!(refused(&[1], &[2]), "the training set must have at least one graph, but has none");
    }

    #[test]
    fn a_trial_that_does_not_exist_says_which_do() {
        let rows = Rows { train: vec![0], valid: vec![], test: vec![] };
        let text = |len| {
            let file = SplitFile { path: "s.json".into(), trials: vec![rows.clone(); len] };
            file.split(12, &dataset()).unwrap_err().to_string()
        };
        assert_eq!(text(10), "s.json: there must be a trial 12, but there are only trials 0 to 9");
        assert_eq!(text(1), "s.json: there must be a trial 12, but there are only trial 0");
        assert_eq!(text(0), "s.json: there must be a trial 12, but there are none");
    }
}
