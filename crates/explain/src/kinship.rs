//! Do a model and a data set belong together? Nothing is refused; what differs is told.
//!
//! A model explains any graphs whose labels it knows. But only on the data that it was trained on the parts (training,
//! validation, test) mean anything, and unknown labels or targets should not pass unnoticed.

use einsicht_data::{Dataset, Part, Vocabulary};
use einsicht_graph::Label;
use einsicht_learn::model::Model;
use rustc_hash::FxHashMap;

/// What a data set is to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinship {
    /// Whether it is the data set that the model was trained on.
    pub is_same: bool,
    /// The part of the training that each graph was in; `None` where it was in none, or the data are others.
    pub parts: Vec<Option<Part>>,
    /// What is missing or unknown, as sentences for people.
    pub warnings: Vec<String>,
    /// The sentence that the data are others, where they are. Whoever hands other data over on purpose need not hear it.
    pub others: Option<String>,
}

impl Kinship {
    /// All sentences.
    pub fn sentences(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(&self.others)
    }

    /// Compares a whole data set, as it was read, with the one that the model remembers.
    pub fn of(model: &Model, dataset: &Dataset) -> Self {
        let is_same = dataset.fingerprint().to_string() == model.fingerprint;
        let mut warnings = Vec::new();
        for (kind, ours, theirs) in [
            ("vertex", &model.vertex_labels, &dataset.vertex_labels),
            ("edge", &model.edge_labels, &dataset.edge_labels),
        ] {
            warnings.extend(unknown(kind, ours, theirs));
        }
        let missing: Vec<&str> = model
            .tasks
            .iter()
            .filter(|task| dataset.targets.iter().all(|target| target.name != task.name))
            .map(|task| task.name.as_str())
            .collect();
        if !missing.is_empty() {
            warnings
                .push(format!("the data have no target {}, so there is no truth to compare with", missing.join(", ")));
        }
        let same_rows = is_same || (!missing.is_empty() && has_all_rows(model, dataset));
        let others = (!is_same && missing.is_empty()).then(|| {
            format!(
                "these are not the data that the model was trained on: fingerprint {}, trained on {}",
                dataset.fingerprint(),
                model.fingerprint
            )
        });
        let mut part_of: FxHashMap<u32, Part> = FxHashMap::default();
        for (part, rows) in
            [(Part::Train, &model.rows.train), (Part::Valid, &model.rows.valid), (Part::Test, &model.rows.test)]
        {
            part_of.extend(rows.iter().map(|&row| (row, part)));
        }
        let parts =
            dataset.origins.iter().map(|origin| part_of.get(&origin.row).copied().filter(|_| same_rows)).collect();
        Self { is_same, parts, warnings, others }
    }
}

/// Whether every row of the training is there: without targets the fingerprint cannot say more.
fn has_all_rows(model: &Model, dataset: &Dataset) -> bool {
    let rows: rustc_hash::FxHashSet<u32> = dataset.origins.iter().map(|origin| origin.row).collect();
    let same_labels = model.vertex_labels.tokens() == dataset.vertex_labels.tokens();
    same_labels && model.rows.train.iter().chain(&model.rows.valid).all(|row| rows.contains(row))
}

/// A sentence about labels of the data that the model has never seen.
fn unknown(kind: &str, ours: &Vocabulary, theirs: &Vocabulary) -> Option<String> {
    const SHOWN: usize = 8;
    let ranks = (0..theirs.len() as u32).map(Label);
    let strange: Vec<&str> =
        ranks.filter(|rank| ours.label(theirs.token(*rank)).is_none()).map(|rank| theirs.name(rank)).collect();
    let more = if strange.len() > SHOWN { format!(" and {} more", strange.len() - SHOWN) } else { String::new() };
    (!strange.is_empty()).then(|| {
        format!("the model has never seen the {kind} labels {}{more}", strange[..strange.len().min(SHOWN)].join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_data_of_the_training_are_known_again_and_others_are_told_apart() {
        let (dataset, model) = testing::rings();
        let same = Kinship::of(&model, &dataset);
        assert!(same.is_same && same.sentences().count() == 0);
        assert_eq!(same.parts.iter().filter(|part| **part == Some(Part::Train)).count(), model.rows.train.len());
        let mut other = dataset.subset(&[0, 1, 2]);
        other.vertex_labels = Vocabulary::from_tokens(["0", "x"]);
        let told = Kinship::of(&model, &other);
        assert!(!told.is_same && told.parts.iter().all(Option::is_none));
        assert_eq!((told.warnings.len(), told.others.is_some()), (1, true));
        assert!(told.warnings[0].ends_with("vertex labels x"), "{told:?}");
        other.targets.clear();
        assert!(Kinship::of(&model, &other).warnings[1].starts_with("the data have no target"));
    }
}
