//! Patterns in the labels of another data set.
//!
//! A DFS code holds ranks of labels, and each data set ranks its own. Promise: labels correspond by their token, never
//! by their rank. Tested through predictions on renumbered data (`tests/model_file.rs`).

use einsicht_data::{Dataset, Vocabulary};
use einsicht_graph::{DfsCode, DfsEdge, Label};

/// Codes over these vertex and edge labels in the labels of a data set, by name; `None` if the data set lacks a label.
pub fn codes_by_name<'a>(
    [vertex_labels, edge_labels]: [&Vocabulary; 2],
    codes: impl IntoIterator<Item = &'a DfsCode>,
    dataset: &Dataset,
) -> Vec<Option<DfsCode>> {
    let vertex = ranks(vertex_labels, &dataset.vertex_labels);
    let edge = ranks(edge_labels, &dataset.edge_labels);
    codes.into_iter().map(|code| translate(code, &vertex, &edge)).collect()
}

/// For each label of the data whether the model knows its token.
pub(crate) fn known_tokens(model: &Vocabulary, data: &Vocabulary) -> Vec<bool> {
    data.tokens().iter().map(|token| model.label(token).is_some()).collect()
}

/// For each label of `from` the label of `to` with the same token.
fn ranks(from: &Vocabulary, to: &Vocabulary) -> Vec<Option<Label>> {
    from.tokens().iter().map(|token| to.label(token)).collect()
}

/// The same pattern with other labels; `None` if a label has no counterpart.
fn translate(code: &DfsCode, vertex: &[Option<Label>], edge: &[Option<Label>]) -> Option<DfsCode> {
    let renamed = code.edges().iter().map(|e| {
        Some(DfsEdge {
            from_label: vertex[e.from_label.index()]?,
            edge_label: edge[e.edge_label.index()]?,
            to_label: vertex[e.to_label.index()]?,
            ..*e
        })
    });
    DfsCode::new(renamed.collect::<Option<Vec<_>>>()?).ok()
}
