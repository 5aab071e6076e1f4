//! Which columns of a source can be targets, and which of them a [`TargetChoice`] means.
//!
//! Known from the header alone, so that a caller can decide what to read before it reads.

use super::error::ReadError;
use super::options::{ReadOptions, TargetChoice};
use std::collections::BTreeSet;
use std::path::Path;

/// The columns of a source that can be targets: columns of a table, fields of an SD file, targets of JSON lines, files
/// of a TU folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetColumns {
    /// Everything that can be named as a target.
    names: Vec<String>,
    /// Positions of what [`TargetChoice::All`] means: columns that look like an id are left out.
    all: Vec<usize>,
    /// Positions of what [`TargetChoice::Usual`] means.
    usual: Vec<usize>,
    /// Whether the names are ours: the format has none.
    nameless: bool,
}

/// Positions of the columns that are read, besides the graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenColumns {
    pub(crate) targets: Vec<usize>,
    pub(crate) features: Vec<usize>,
}

impl TargetColumns {
    /// All columns are usual.
    pub(crate) fn all_usual(names: Vec<String>) -> Self {
        let all: Vec<usize> = (0..names.len()).collect();
        Self { names, usual: all.clone(), all, nameless: false }
    }

    /// The same for a format that has no names of targets.
    pub(crate) fn without_names(self) -> Self {
        Self { nameless: true, ..self }
    }

    /// The first `usual` columns are usual.
    pub(crate) fn first_usual(names: Vec<String>, usual: usize) -> Self {
        Self { usual: (0..usual).collect(), ..Self::all_usual(names) }
    }

    /// Columns of which some look like an id: the usual one is the only one that does not.
    pub(crate) fn with_ids(names: Vec<String>, is_id: impl Fn(usize) -> bool) -> Self {
        let all: Vec<usize> = (0..names.len()).filter(|&at| !is_id(at)).collect();
        let usual = if all.len() == 1 { all.clone() } else { Vec::new() };
        Self { names, all, usual, nameless: false }
    }

    /// Whether the source names its targets. A TU folder and `t/v/e` transactions do not: then the names here are ours.
    pub fn are_named(&self) -> bool {
        !self.nameless
    }

    /// Whether there is a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// What [`TargetChoice::All`] means.
    pub fn all(&self) -> Vec<&str> {
        self.all.iter().map(|&at| self.names[at].as_str()).collect()
    }

    /// What [`TargetChoice::Usual`] means.
    pub fn usual(&self) -> Vec<&str> {
        self.usual.iter().map(|&at| self.names[at].as_str()).collect()
    }

    /// All names, in the order of the source.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns that are targets, and those that are features. A feature is no target unless somebody names it, and
    /// then it is refused; of a table with one other column that one is the usual target.
    pub(crate) fn choose(&self, path: &Path, options: &ReadOptions) -> Result<ChosenColumns, ReadError> {
        if options.features.is_empty() {
            return Ok(ChosenColumns { targets: self.targets(path, &options.targets)?, features: Vec::new() });
        }
        let features = self.targets(path, &TargetChoice::Named(options.features.clone()))?;
        if let TargetChoice::Named(names) = &options.targets
            && let Some(both) = options.features.iter().find(|name| names.contains(name))
        {
            return Err(ReadError::FeatureAndTarget { path: path.to_owned(), column: both.clone() });
        }
        let is_other = |at: &usize| !features.contains(at);
        let all: Vec<usize> = self.all.iter().copied().filter(is_other).collect();
        let mut usual: Vec<usize> = self.usual.iter().copied().filter(is_other).collect();
        if usual.is_empty() && all.len() == 1 {
            usual.clone_from(&all);
        }
        let others = Self { names: self.names.clone(), all, usual, nameless: self.nameless };
        Ok(ChosenColumns { targets: others.targets(path, &options.targets)?, features })
    }

    /// Refuses features in a format that has none.
    pub(crate) fn refuse_features(path: &Path, options: &ReadOptions) -> Result<(), ReadError> {
        options.features.first().map_or(Ok(()), |column| {
            Err(ReadError::UnknownColumn { path: path.to_owned(), column: column.clone(), exist: Vec::new() })
        })
    }

    /// Positions of the columns that a choice means.
    fn targets(&self, path: &Path, choice: &TargetChoice) -> Result<Vec<usize>, ReadError> {
        let position = |name: &String| {
            only_one(path, &self.names, name)?;
            self.names.iter().position(|other| other == name).ok_or_else(|| ReadError::UnknownColumn {
                path: path.to_owned(),
                column: name.clone(),
                exist: self.names.clone(),
            })
        };
        match choice {
            TargetChoice::Usual => Ok(self.usual.clone()),
            TargetChoice::Nothing => Ok(Vec::new()),
            TargetChoice::All => Ok(self.all.clone()),
            TargetChoice::Named(names) => {
                // Named twice, it is one column all the same.
                let mut seen = BTreeSet::new();
                let columns = names.iter().map(position).collect::<Result<Vec<_>, _>>()?;
                Ok(columns.into_iter().filter(|at| seen.insert(*at)).collect())
            }
        }
    }
}

/// Refuses a column that is not the only one of its name. Columns without a name, as a spreadsheet leaves them behind
/// the others, may be several.
pub(crate) fn only_one(path: &Path, names: &[String], column: &str) -> Result<(), ReadError> {
    let count = names.iter().filter(|name| *name == column).count();
    if count < 2 || column.is_empty() {
        return Ok(());
    }
    Err(ReadError::SameName { path: path.to_owned(), column: column.to_owned(), count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_target_says_which_exist() {
        let columns = TargetColumns::first_usual(vec!["a, b".to_owned(), "c".to_owned()], 1);
        let of = |targets| ReadOptions { targets, ..ReadOptions::default() };
        let choice = of(TargetChoice::Named(vec!["c".into(), "a".into()]));
        let error = columns.choose(Path::new("x.csv"), &choice).unwrap_err().to_string();
        assert_eq!(error, "x.csv: there must be a column named \"a\", but there are only \"a, b\", \"c\"");
        assert_eq!(columns.choose(Path::new("x.csv"), &of(TargetChoice::Usual)).unwrap().targets, [0]);
    }

    #[test]
    fn a_target_that_is_named_twice_is_one() {
        let columns = TargetColumns::first_usual(vec!["y".to_owned(), "z".to_owned()], 1);
        let targets = TargetChoice::Named(["z", "y", "z"].map(str::to_owned).to_vec());
        let chosen = columns.choose(Path::new("x.csv"), &ReadOptions { targets, ..ReadOptions::default() });
        assert_eq!(chosen.unwrap().targets, [1, 0]);
    }

    #[test]
    fn features_are_no_targets_and_leave_the_only_other_column() {
        let names = ["id", "dose", "y", "age"].map(str::to_owned).to_vec();
        let columns = TargetColumns { names, all: vec![1, 2, 3], usual: Vec::new(), nameless: false };
        let of = |features: &[&str], targets: TargetChoice| {
            let features = features.iter().map(|name| (*name).to_owned()).collect();
            columns.choose(Path::new("x.csv"), &ReadOptions { targets, features, ..ReadOptions::default() })
        };
        let found = of(&["age", "dose", "age"], TargetChoice::Usual).unwrap();
        assert_eq!(found, ChosenColumns { targets: vec![2], features: vec![3, 1] });
        assert_eq!(of(&["age"], TargetChoice::All).unwrap().targets, [1, 2]);
        assert!(of(&["age"], TargetChoice::Usual).unwrap().targets.is_empty());
        let both = of(&["age"], TargetChoice::Named(vec!["age".into()])).unwrap_err().to_string();
        assert_eq!(both, "x.csv: column \"age\" must be a target or a feature, but is named as both");
        assert!(of(&["weight"], TargetChoice::Usual).unwrap_err().to_string().contains("a column named \"weight\""));
    }

    #[test]
    fn a_column_that_looks_like_an_id_is_a_target_only_by_name() {
        let columns = TargetColumns::with_ids(vec!["id".to_owned(), "y".to_owned()], |at| at == 0);
        assert_eq!((columns.all(), columns.usual(), columns.has("id")), (vec!["y"], vec!["y"], true));
    }
}
