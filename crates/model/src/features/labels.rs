//! Patterns in the labels of another data set.
//!
//! A DFS code holds ranks of labels, and each data set ranks its own. Promise: labels correspond by their names
//! ([`corresponding_labels`]), never by their rank. Tested through predictions on renumbered data
//! (`tests/model_file.rs`).

use einsicht_data::{Dataset, Names, Vocabulary, corresponding_labels};
use einsicht_graph::{DfsCode, DfsEdge, Label};

/// Codes with these names in the labels of a data set, by name; `None` if the data set lacks a label. The data set must
/// have the same qualifiers: in one with others no qualified pattern is found.
pub fn codes_by_name<'a>(
    names: Names<'_>,
    codes: impl IntoIterator<Item = &'a DfsCode>,
    dataset: &Dataset,
) -> Vec<Option<DfsCode>> {
    let vertex = corresponding_labels(names.vertex_labels, &dataset.vertex_labels);
    let edge = corresponding_labels(names.edge_labels, &dataset.edge_labels);
    let are_same = *names.qualifiers == dataset.qualifiers;
    let known = |code: &&DfsCode| are_same || code.qualifiers().is_empty();
    let translated = |code| Some(code).filter(known).and_then(|code| translate(code, &vertex, &edge));
    codes.into_iter().map(translated).collect()
}

/// For each label of the data whether the model knows it.
pub(crate) fn known_labels(model: &Vocabulary, data: &Vocabulary) -> Vec<bool> {
    corresponding_labels(data, model).iter().map(Option::is_some).collect()
}

/// The same pattern with other labels; `None` if a label has no counterpart.
fn translate(code: &DfsCode, vertex: &[Option<Label>], edge: &[Option<Label>]) -> Option<DfsCode> {
    if code.edges().is_empty() {
        let vertex = DfsCode::single_vertex(vertex[code.start().index()]?);
        return vertex.with_qualifiers(code.qualifiers().to_vec()).ok();
    }
    let renamed = code.edges().iter().map(|e| {
        Some(DfsEdge {
            from_label: vertex[e.from_label.index()]?,
            edge_label: edge[e.edge_label.index()]?,
            to_label: vertex[e.to_label.index()]?,
            ..*e
        })
    });
    let renamed = DfsCode::new(renamed.collect::<Option<Vec<_>>>()?).ok()?;
    renamed.with_qualifiers(code.qualifiers().to_vec()).ok()
}
