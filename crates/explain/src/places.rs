//! Where the patterns of a model are embedded in a graph, and attributions of single vertices and edges (atoms and bonds).
//!
//! Promise: [`PatternLocator::embeddings`] lists each set of edges that a pattern covers once, so automorphisms of the pattern
//! do not count, up to a limit. The attribution of a pattern is spread evenly over the vertices (or edges) that any of its
//! embeddings covers, so the sums over vertices and over edges are the sum over the patterns that occur.

use crate::draw::{Palette, draw};
use crate::subject::Subject;
use einsicht_graph::matching::{PatternSet, Scratch};
use einsicht_graph::{EdgeId, Graph};

/// Embeddings of a pattern that are used to spread its attribution over a graph.
const SPREAD_EMBEDDINGS: usize = 10_000;

/// The patterns of a model, ready to be matched in the graphs of a data set.
#[derive(Clone, Debug)]
pub struct PatternLocator {
    set: PatternSet,
    /// For each pattern its index in the set; absent where the data set lacks one of its labels.
    at: Vec<Option<usize>>,
}

impl PatternLocator {
    /// Prepares the patterns of an entry for its data set.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn new(subject: &Subject<'_>) -> Self {
        Self::of_codes(subject.model.codes_in(subject.iterate(), subject.dataset))
    }

    /// Prepares patterns; `None` for those with a label that the data set lacks.
    pub(crate) fn of_codes(codes: Vec<Option<einsicht_graph::DfsCode>>) -> Self {
        let mut known = Vec::new();
        let mut at = Vec::with_capacity(codes.len());
        for code in codes {
            at.push(code.as_ref().map(|_| known.len()));
            known.extend(code);
        }
        Self { set: PatternSet::new(&known), at }
    }

    /// The first `limit` distinct sets of edges that a pattern covers in a graph, each increasing.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn embeddings(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<Vec<EdgeId>> {
        self.at[pattern].map_or_else(Vec::new, |at| self.set.distinct_embeddings(at, graph, limit, scratch))
    }

    /// The edges that a pattern covers in a graph, each once, increasing; from the first `limit` embeddings.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub(crate) fn covered(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<EdgeId> {
        let mut edges: Vec<EdgeId> = self.embeddings(pattern, graph, limit, scratch).concat();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Attributions of the vertices and edges of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// One attribution per vertex.
    pub vertices: Vec<f64>,
    /// One attribution per edge.
    pub edges: Vec<f64>,
}

/// Spreads attributions of patterns over the vertices and edges of one graph. `values` holds one number per pattern; more
/// numbers (of a side input) are ignored.
///
/// # Panics
/// If there is no such entry or row.
pub fn spread(subject: &Subject<'_>, row: usize, values: &[f64]) -> Spread {
    let (locator, mut scratch) = (PatternLocator::new(subject), Scratch::default());
    let graph = &subject.dataset.graphs[row];
    let mut covered = Vec::new();
    for (pattern, &value) in values.iter().enumerate().take(subject.iterate().patterns.len()) {
        let edges =
            if value == 0.0 { Vec::new() } else { locator.covered(pattern, graph, SPREAD_EMBEDDINGS, &mut scratch) };
        if !edges.is_empty() {
            covered.push((edges, value));
        }
    }
    spread_evenly(graph, &covered)
}

/// A drawing of one graph, coloured by the attributions of its vertices and edges, as an SVG file of its own.
///
/// # Panics
/// If there is no such entry or row.
pub fn spread_svg(subject: &Subject<'_>, row: usize, values: &[f64], title: &str) -> String {
    let graph = &subject.dataset.graphs[row];
    let palette = Palette::new(&subject.dataset.vertex_labels, &subject.dataset.edge_labels);
    draw(graph, &palette).heat_map(graph, &spread(subject, row, values), title)
}

/// Spreads each value evenly over the vertices, and over the edges, that are covered with it.
fn spread_evenly(graph: &Graph, covered: &[(Vec<EdgeId>, f64)]) -> Spread {
    let mut spread = Spread { vertices: vec![0.0; graph.num_vertices()], edges: vec![0.0; graph.num_edges()] };
    for (edges, value) in covered {
        let mut vertices: Vec<usize> = Vec::with_capacity(2 * edges.len());
        for edge in edges {
            spread.edges[edge.index()] += value / edges.len() as f64;
            let ends = &graph.edges()[edge.index()];
            vertices.extend([ends.from.index(), ends.to.index()]);
        }
        vertices.sort_unstable();
        vertices.dedup();
        for &vertex in &vertices {
            spread.vertices[vertex] += value / vertices.len() as f64;
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn embeddings_cover_what_the_supports_promise_and_values_are_spread_whole() {
        let (dataset, model) = testing::rings();
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let iterate = subject.iterate();
        let locator = PatternLocator::new(&subject);
        let supports = model.supports(iterate, &dataset, &dataset.graphs);
        let mut scratch = Scratch::default();
        let mut found = 0;
        for (pattern, support) in supports.iter().enumerate() {
            for (at, graph) in dataset.graphs.iter().enumerate() {
                let covered = locator.covered(pattern, graph, 1000, &mut scratch);
                assert_eq!(!covered.is_empty(), support.graphs().contains(&(at as u32)));
                for embedding in locator.embeddings(pattern, graph, 1000, &mut scratch) {
                    assert_eq!(embedding.len(), iterate.patterns[pattern].code.num_edges());
                    assert!(embedding.iter().all(|edge| covered.contains(edge)));
                    found += 1;
                }
                if !covered.is_empty() {
                    let mut values = vec![0.0; iterate.patterns.len()];
                    values[pattern] = 2.0;
                    let spread = spread(&subject, at, &values);
                    assert!((spread.vertices.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                    assert!((spread.edges.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                }
            }
        }
        assert!(found > 50, "{found}");
    }
}
