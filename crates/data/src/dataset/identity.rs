//! Which graphs are the same graph: a hash of each that does not depend on the order of its vertices.
//!
//! Promise: two graphs have the same hash if an isomorphism maps one to the other that keeps everything a model may
//! see: words of labels, qualifiers, attributes. Other graphs have other hashes, as far as
//! [`einsicht_graph::canonical_form`] and 128 bits tell them apart. Targets, names and numbers of labels do not count,
//! so hashes of different data sets can be compared. Features beside a graph count for its row
//! ([`Dataset::row_hashes`]) and not for the graph: one molecule at two doses is one graph, which folds keep together,
//! and two rows, which a model can distinguish.

use super::Dataset;
use super::fingerprint::{Fingerprint, Hasher};
use super::vocabulary::Vocabulary;
use einsicht_graph::canonical_form;
use rayon::prelude::*;

impl Dataset {
    /// The hash of each of the graphs at these positions.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn graph_hashes(&self, rows: &[usize]) -> Vec<Fingerprint> {
        let words =
            |vocabulary: &Vocabulary| vocabulary.tokens().iter().map(|token| color(|h| h.word(token))).collect();
        let (vertex_words, edge_words): (Vec<u64>, Vec<u64>) = (words(&self.vertex_labels), words(&self.edge_labels));
        let qualifiers: Vec<u64> = self.qualifiers.names().map(|name| color(|h| h.word(&name))).collect();
        rows.par_iter().map(|&at| self.graph_hash(at, &vertex_words, &edge_words, &qualifiers)).collect()
    }

    /// The same with the features beside the graphs.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn row_hashes(&self, rows: &[usize]) -> Vec<Fingerprint> {
        let mut hashes = self.graph_hashes(rows);
        // In the order of their names: another table may list the columns differently.
        let mut columns: Vec<_> = self.features.iter().collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        for (hash, &at) in hashes.iter_mut().zip(rows).filter(|_| !columns.is_empty()) {
            let mut hasher = Hasher::new();
            let Fingerprint(of_graph) = *hash;
            hasher.bytes(&of_graph.to_le_bytes());
            for column in &columns {
                hasher.word(&column.name);
                hasher.number(column.values[at].to_bits());
            }
            *hash = hasher.finish();
        }
        hashes
    }

    fn graph_hash(&self, at: usize, vertex_words: &[u64], edge_words: &[u64], qualifiers: &[u64]) -> Fingerprint {
        let graph = &self.graphs[at];
        let vertex_color = |vertex: einsicht_graph::VertexId| {
            color(|hasher| {
                hasher.number(vertex_words[graph.vertex_label(vertex).index()]);
                let bits = graph.qualifiers(vertex);
                // In no order: tables of qualifiers may list the same ones differently.
                let held = qualifiers.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                hasher.number(held.fold(0, |sum, (_, name)| sum.wrapping_add(*name)));
                if let Some(attributes) = &self.attributes {
                    let columns = attributes.columns;
                    for value in &attributes.values[at][vertex.index() * columns..][..columns] {
                        hasher.number(value.to_bits());
                    }
                }
            })
        };
        let vertices: Vec<u64> = graph.vertices().map(vertex_color).collect();
        let edges: Vec<u64> = graph.edges().iter().map(|edge| edge_words[edge.label.index()]).collect();
        let mut hasher = Hasher::new();
        for number in canonical_form(graph, &vertices, &edges) {
            hasher.number(number);
        }
        hasher.finish()
    }
}

/// A colour for what `write` hashes.
fn color(write: impl FnOnce(&mut Hasher)) -> u64 {
    let mut hasher = Hasher::new();
    write(&mut hasher);
    let Fingerprint(hash) = hasher.finish();
    (hash >> 64) as u64 ^ hash as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, ReadOptions, read_from};
    use std::io::Cursor;
    use std::path::Path;

    fn hashes(text: &str) -> Vec<Fingerprint> {
        let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
        let dataset = read_from(Path::new("x"), Cursor::new(text.to_owned().into_bytes()), &options).unwrap();
        dataset.graph_hashes(&(0..dataset.len()).collect::<Vec<_>>())
    }

    #[test]
    fn the_order_of_vertices_targets_and_other_graphs_do_not_count() {
        let found =
            hashes("t # 0 1\nv 0 C\nv 1 N\nv 2 C\ne 0 1 x\ne 1 2 y\nt # 1 0\nv 0 N\nv 1 C\nv 2 C\ne 0 2 x\ne 1 0 y\n");
        assert_eq!(found[0], found[1]);
        let among_others = hashes("t # 0 5\nv 0 B\nt # 1 5\nv 0 N\nv 1 C\nv 2 C\ne 0 2 x\ne 1 0 y\n");
        assert_eq!(among_others[1], found[0]);
    }

    #[test]
    fn one_graph_with_two_features_is_two_rows() {
        let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
        let text = "t # 0 1\nv 0 C\nt # 1 1\nv 0 C\nt # 2 1\nv 0 C\n";
        let mut dataset = read_from(Path::new("x"), Cursor::new(text.as_bytes().to_vec()), &options).unwrap();
        let rows = [0, 1, 2];
        assert_eq!(dataset.row_hashes(&rows), dataset.graph_hashes(&rows));
        let column = |name: &str, values: [f64; 3]| crate::FeatureColumn { name: name.into(), values: values.to_vec() };
        dataset.features = vec![column("dose", [1.0, 2.0, 1.0]), column("age", [0.0; 3])];
        let (graphs, found) = (dataset.graph_hashes(&rows), dataset.row_hashes(&rows));
        assert!(graphs[0] == graphs[1] && found[0] == found[2] && found[0] != found[1]);
        dataset.features.reverse();
        assert_eq!(dataset.row_hashes(&rows), found);
    }

    #[test]
    fn labels_and_edges_count() {
        let text = "t # 0 1\nv 0 C\nv 1 N\nv 2 C\ne 0 1 x\ne 1 2 y\n";
        for (from, to) in [("1 N", "1 O"), ("2 y", "2 x"), ("2 y", "2 z"), ("e 1 2", "e 0 2")] {
            assert_ne!(hashes(&text.replace(from, to)), hashes(text), "{from} -> {to}");
        }
    }
}
