//! Provenance: is this the data set that a model was trained on, and which of its graphs were training, validation or
//! test?
//!
//! A model explains any graphs whose labels it knows, so nothing is refused. But training, validation and test sets
//! mean something on the original data only; single graphs are recognised by their hashes (`Model::sort_by_seen`).
//! Unknown labels should not pass unnoticed: they are warnings. That there is no target is one for callers that compare
//! with it.

use einsicht_data::{Dataset, Part, Vocabulary, corresponding_labels};
use einsicht_graph::Label;
use einsicht_model::Model;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a model knows about a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Whether it is the data set that the model was trained on.
    pub is_same: bool,
    /// The set that each graph was in: training, validation or test; `None` where it was in none, or the data differ.
    pub parts: Vec<Option<Part>>,
    /// What the model does not know, as sentences for people.
    pub warnings: Vec<String>,
    /// The sentence that targets are missing, if they are: for callers that compare with them.
    pub no_target: Option<String>,
}

impl Provenance {
    /// What matters to a caller that compares predictions with targets.
    pub fn for_comparison(&self) -> impl Iterator<Item = &String> {
        self.warnings.iter().chain(&self.no_target)
    }

    /// The same for some rows of the data set, in this order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        Self { parts: rows.iter().map(|&row| self.parts[row]).collect(), ..self.clone() }
    }

    /// The rows of the training set; all rows if the data set holds none of it.
    pub fn training_rows_or_all(&self) -> Vec<usize> {
        let training = self.rows_of(Part::Train);
        if training.is_empty() { (0..self.parts.len()).collect() } else { training }
    }

    /// The rows of one set.
    pub fn rows_of(&self, part: Part) -> Vec<usize> {
        (0..self.parts.len()).filter(|&row| self.parts[row] == Some(part)).collect()
    }

    /// Compares a whole data set, as it was read, with the fingerprint and the rows in the model.
    pub fn of(model: &Model, dataset: &Dataset) -> Self {
        let is_same = dataset.fingerprint().to_string() == model.fingerprint;
        let warnings = unknown_labels(model, dataset, &(0..dataset.len()).collect::<Vec<_>>());
        let missing: Vec<&str> = model
            .tasks
            .iter()
            .filter(|task| dataset.targets.iter().all(|target| target.name != task.name))
            .map(|task| task.name.as_str())
            .collect();
        let no_target = (!missing.is_empty()).then(|| {
            format!("the data have no target {}, so predictions cannot be compared with the truth", missing.join(", "))
        });
        let same_rows = is_same || (!missing.is_empty() && has_all_rows(model, dataset));
        let mut part_of: FxHashMap<u32, Part> = FxHashMap::default();
        for (part, rows) in
            [(Part::Train, &model.rows.train), (Part::Valid, &model.rows.valid), (Part::Test, &model.rows.test)]
        {
            part_of.extend(rows.iter().map(|&row| (row, part)));
        }
        let parts =
            dataset.origins.iter().map(|origin| part_of.get(&origin.row).copied().filter(|_| same_rows)).collect();
        Self { is_same, parts, warnings, no_target }
    }
}

/// Whether the data set has the labels and all rows of the training: the fingerprint includes targets, so without
/// targets it cannot be compared.
fn has_all_rows(model: &Model, dataset: &Dataset) -> bool {
    let rows: rustc_hash::FxHashSet<u32> = dataset.origins.iter().map(|origin| origin.row).collect();
    let same_labels = model.vertex_labels.tokens() == dataset.vertex_labels.tokens();
    same_labels && model.rows.train.iter().chain(&model.rows.valid).all(|row| rows.contains(row))
}

/// Warnings about labels of the graphs at these positions that the model has never seen.
///
/// # Panics
/// If there is no such position.
pub fn unknown_labels(model: &Model, dataset: &Dataset, rows: &[usize]) -> Vec<String> {
    let graphs = || rows.iter().map(|&row| &dataset.graphs[row]);
    let vertices = graphs().flat_map(|graph| graph.vertex_labels().iter().copied());
    let edges = graphs().flat_map(|graph| graph.edges().iter().map(|edge| edge.label));
    let of_vertices = unknown_among("vertex", &model.vertex_labels, &dataset.vertex_labels, vertices);
    let of_edges = unknown_among("edge", &model.edge_labels, &dataset.edge_labels, edges);
    of_vertices.into_iter().chain(of_edges).collect()
}

fn unknown_among(
    kind: &str,
    ours: &Vocabulary,
    theirs: &Vocabulary,
    used: impl Iterator<Item = Label>,
) -> Option<String> {
    const SHOWN: usize = 8;
    let known = corresponding_labels(theirs, ours);
    let ranks: BTreeSet<Label> = used.filter(|label| known[label.index()].is_none()).collect();
    let unknown: Vec<&str> = ranks.into_iter().map(|rank| theirs.name(rank)).collect();
    let more = if unknown.len() > SHOWN { format!(" and {} more", unknown.len() - SHOWN) } else { String::new() };
    (!unknown.is_empty()).then(|| {
        format!("the model has never seen the {kind} labels {}{more}", unknown[..unknown.len().min(SHOWN)].join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_testkit::models;

    #[test]
    fn the_training_data_are_recognized_and_other_data_are_not() {
        let (dataset, model) = models::rings();
        let same = Provenance::of(&model, &dataset);
        assert!(same.is_same && same.for_comparison().count() == 0);
        assert_eq!(same.parts.iter().filter(|part| **part == Some(Part::Train)).count(), model.rows.train.len());
        let mut other = dataset.subset(&[0, 1, 2]);
        other.vertex_labels = Vocabulary::from_tokens(["0", "x"]);
        let found = Provenance::of(&model, &other);
        assert!(!found.is_same && found.parts.iter().all(Option::is_none));
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].ends_with("vertex labels x"), "{found:?}");
        other.targets.clear();
        let found = Provenance::of(&model, &other);
        assert!(found.no_target.is_some_and(|sentence| sentence.starts_with("the data have no target")));
        assert_eq!(found.warnings.len(), 1);
    }
}
