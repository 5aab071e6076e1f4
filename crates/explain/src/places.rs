//! Where the patterns of a model are embedded in a graph, and attributions of single vertices and edges (atoms and bonds).
//!
//! Promise: [`PatternLocator::occurrences`] lists each set of edges that a pattern covers once, so automorphisms of the pattern
//! do not count, up to a limit; those of a single vertex are vertices. The attribution of a pattern is spread evenly over the
//! vertices, and over the edges, that any of its occurrences covers. So the sum over vertices is the sum over the patterns that
//! occur, and the sum over edges that over the patterns that occur and have an edge.

use crate::draw::{Palette, draw};
use crate::subject::Subject;
use einsicht_graph::matching::{Occurrence, PatternSet, Scratch};
use einsicht_graph::{EdgeId, Graph, VertexId};

/// Occurrences of a pattern that are used to spread its attribution over a graph.
const SPREAD_OCCURRENCES: usize = 10_000;

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

    /// The first `limit` occurrences of a pattern in a graph, as distinct sets of edges with their vertices.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn occurrences(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<Occurrence> {
        self.at[pattern].map_or_else(Vec::new, |at| self.set.occurrences(at, graph, limit, scratch))
    }

    /// What a pattern covers in a graph, from its first `limit` occurrences.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub(crate) fn covered(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Covered {
        let mut covered = Covered::default();
        for Occurrence { vertices, edges } in self.occurrences(pattern, graph, limit, scratch) {
            covered.vertices.extend(vertices);
            covered.edges.extend(edges);
            covered.occurrences += 1;
        }
        covered.vertices.sort_unstable();
        covered.vertices.dedup();
        covered.edges.sort_unstable();
        covered.edges.dedup();
        covered
    }
}

/// The vertices and edges that a pattern covers in a graph, each once, increasing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered {
    pub(crate) vertices: Vec<VertexId>,
    pub(crate) edges: Vec<EdgeId>,
    /// Number of occurrences, up to the limit.
    pub(crate) occurrences: usize,
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
    let mut spread = Spread { vertices: vec![0.0; graph.num_vertices()], edges: vec![0.0; graph.num_edges()] };
    for (pattern, &value) in values.iter().enumerate().take(subject.iterate().patterns.len()) {
        if value != 0.0 {
            spread.add(&locator.covered(pattern, graph, SPREAD_OCCURRENCES, &mut scratch), value);
        }
    }
    spread
}

/// A drawing of one graph, coloured by the attributions of its vertices and edges, as an SVG file of its own.
///
/// # Panics
/// If there is no such entry or row.
pub fn spread_svg(subject: &Subject<'_>, row: usize, values: &[f64], title: &str) -> String {
    let graph = &subject.dataset.graphs[row];
    let palette = Palette::of(subject.dataset.names());
    draw(graph, &palette).heat_map(graph, &spread(subject, row, values), title)
}

impl Spread {
    /// Adds a value evenly to the vertices, and to the edges, that are covered.
    fn add(&mut self, covered: &Covered, value: f64) {
        for vertex in &covered.vertices {
            self.vertices[vertex.index()] += value / covered.vertices.len() as f64;
        }
        for edge in &covered.edges {
            self.edges[edge.index()] += value / covered.edges.len() as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use einsicht_graph::DfsCode;

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
                assert_eq!(!covered.vertices.is_empty(), support.graphs().contains(&(at as u32)));
                for occurrence in locator.occurrences(pattern, graph, 1000, &mut scratch) {
                    assert_eq!(occurrence.edges.len(), iterate.patterns[pattern].code.num_edges());
                    assert!(occurrence.edges.iter().all(|edge| covered.edges.contains(edge)));
                    found += 1;
                }
                if !covered.vertices.is_empty() {
                    let mut values = vec![0.0; iterate.patterns.len()];
                    values[pattern] = 2.0;
                    let spread = spread(&subject, at, &values);
                    let on_edges = if covered.edges.is_empty() { 0.0 } else { 2.0 };
                    assert!((spread.vertices.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                    assert!((spread.edges.iter().sum::<f64>() - on_edges).abs() < 1e-12);
                }
            }
        }
        assert!(found > 50, "{found}");
    }

    #[test]
    fn the_value_of_a_single_vertex_goes_to_the_vertices_with_its_label_and_to_no_edge() {
        let (dataset, mut model) = testing::rings();
        let label = dataset.graphs[0].vertex_label(VertexId(0));
        let chosen = model.chosen;
        model.entries[chosen].iterate.patterns[0].code = DfsCode::single_vertex(label);
        let subject = Subject { model: &model, entry: chosen, dataset: &dataset };
        let graph = &dataset.graphs[0];
        let with_label: Vec<bool> = graph.vertices().map(|v| graph.vertex_label(v) == label).collect();
        let count = with_label.iter().filter(|has| **has).count();
        let spread = spread(&subject, 0, &[3.0]);
        assert_eq!(spread.edges, vec![0.0; graph.num_edges()]);
        for (vertex, has) in with_label.iter().enumerate() {
            assert_eq!(spread.vertices[vertex], if *has { 3.0 / count as f64 } else { 0.0 });
        }
        let found = PatternLocator::new(&subject).occurrences(0, graph, 1000, &mut Scratch::default());
        assert!(found.iter().all(|one| one.vertices.len() == 1 && one.edges.is_empty()));
        assert_eq!(found.len(), count);
        assert!(spread_svg(&subject, 0, &[3.0], "").matches("<circle").count() == count);
    }
}
