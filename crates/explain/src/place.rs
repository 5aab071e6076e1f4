//! Where the patterns of a model are in a graph, and how much of the output each vertex and edge stands for.
//!
//! Promise: [`Places::embeddings`] lists each set of edges that a pattern covers once, so symmetries of the pattern do not
//! count, up to a limit. A pattern's value is spread evenly over the vertices (or edges) that it covers anywhere, so the
//! shares sum to the values of the patterns that were found.

use einsicht_data::Dataset;
use einsicht_graph::matching::{PatternSet, Scratch};
use einsicht_graph::{EdgeId, Graph};
use einsicht_learn::model::Model;
use einsicht_learn::train::Iterate;

/// Patterns ready to be found in the graphs of a data set.
#[derive(Clone, Debug)]
pub struct Places {
    set: PatternSet,
    /// For each pattern of the parameters its place in the set; absent where the data set lacks a label.
    at: Vec<Option<usize>>,
}

impl Places {
    /// Prepares the patterns of some parameters for a data set.
    pub fn new(model: &Model, iterate: &Iterate, dataset: &Dataset) -> Self {
        let codes = model.codes_in(iterate, dataset);
        let mut next = 0;
        let place = |known: bool| {
            known.then(|| {
                next += 1;
                next - 1
            })
        };
        let at = codes.iter().map(Option::is_some).map(place).collect();
        let known: Vec<_> = codes.into_iter().flatten().collect();
        Self { set: PatternSet::new(&known), at }
    }

    /// The first `limit` sets of edges that a pattern covers in a graph, each increasing.
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
    pub fn covered(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<EdgeId> {
        let mut edges: Vec<EdgeId> = self.embeddings(pattern, graph, limit, scratch).concat();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// What each vertex and each edge of a graph stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// One share a vertex.
    pub vertices: Vec<f64>,
    /// One share an edge.
    pub edges: Vec<f64>,
}

/// Spreads values over a graph: each evenly over the vertices, and over the edges, that are covered with it.
pub fn spread(graph: &Graph, covered: &[(Vec<EdgeId>, f64)]) -> Spread {
    let mut shares = Spread { vertices: vec![0.0; graph.num_vertices()], edges: vec![0.0; graph.num_edges()] };
    for (edges, value) in covered {
        let mut vertices: Vec<usize> = Vec::with_capacity(2 * edges.len());
        for edge in edges {
            shares.edges[edge.index()] += value / edges.len() as f64;
            let ends = &graph.edges()[edge.index()];
            vertices.extend([ends.from.index(), ends.to.index()]);
        }
        vertices.sort_unstable();
        vertices.dedup();
        for &vertex in &vertices {
            shares.vertices[vertex] += value / vertices.len() as f64;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn embeddings_cover_what_the_supports_promise_and_values_are_spread_whole() {
        let (dataset, model) = testing::rings();
        let iterate = &model.best().iterate;
        let places = Places::new(&model, iterate, &dataset);
        let supports = model.supports(iterate, &dataset, &dataset.graphs);
        let mut scratch = Scratch::default();
        let mut found = 0;
        for (pattern, support) in supports.iter().enumerate() {
            for (at, graph) in dataset.graphs.iter().enumerate() {
                let covered = places.covered(pattern, graph, 1000, &mut scratch);
                assert_eq!(!covered.is_empty(), support.graphs().contains(&(at as u32)));
                for embedding in places.embeddings(pattern, graph, 1000, &mut scratch) {
                    assert_eq!(embedding.len(), iterate.patterns[pattern].code.num_edges());
                    assert!(embedding.iter().all(|edge| covered.contains(edge)));
                    found += 1;
                }
                if !covered.is_empty() {
                    let shares = spread(graph, &[(covered, 2.0)]);
                    assert!((shares.vertices.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                    assert!((shares.edges.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                }
            }
        }
        assert!(found > 50, "{found}");
    }
}
