//! Clusters of similar graphs, by their small subgraphs.
//!
//! Promise: two graphs whose Tanimoto similarity is at least the given one are in one cluster, and clusters are as
//! small as this allows (single linkage). So a graph of the test set is never that similar to one of the training set
//! if clusters stay whole. The similarity is the number of subgraphs with at most three edges that both graphs contain,
//! divided by the number of those that one of them contains. Does not depend on the order of the graphs. Tested against
//! all pairs below.

use super::joined::Joined;
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineControl, MineError, MineParams, VisitedPattern, Visitor, mine};

/// Largest number of edges of the subgraphs that are compared.
const MAX_EDGES: usize = 3;

/// Joins graphs that are at least as similar as given.
pub(super) fn join_similar(graphs: &[Graph], similarity: f64, joined: &mut Joined) -> Result<(), MineError> {
    if graphs.is_empty() {
        return Ok(());
    }
    let sets = SubgraphSets::of(graphs)?;
    let mut order: Vec<usize> = (0..graphs.len()).collect();
    order.sort_by_key(|&at| sets.sizes[at]);
    for (place, &small) in order.iter().enumerate() {
        let most = sets.sizes[small] as f64 / similarity;
        // Sets that differ too much in size are never similar enough.
        for &large in order[place + 1..].iter().take_while(|&&large| sets.sizes[large] as f64 <= most) {
            if !joined.are_joined(small, large) && sets.similarity(small, large) >= similarity {
                joined.join(small, large);
            }
        }
    }
    Ok(())
}

/// The small subgraphs of each graph, as bits.
struct SubgraphSets {
    words: Vec<Vec<u64>>,
    sizes: Vec<u32>,
}

/// The support of each pattern.
#[derive(Default)]
struct Supports(Vec<Vec<u32>>);

impl Visitor for Supports {
    fn visit(&mut self, pattern: &VisitedPattern<'_>) -> MineControl {
        self.0.push(pattern.graphs.to_vec());
        MineControl::Grow
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl SubgraphSets {
    fn of(graphs: &[Graph]) -> Result<Self, MineError> {
        let mut found = Supports::default();
        let params = MineParams { min_edges: 0, max_edges: MAX_EDGES, ..MineParams::default() };
        mine(graphs, &params, &mut found)?;
        let mut words = vec![vec![0_u64; found.0.len().div_ceil(64)]; graphs.len()];
        for (pattern, support) in found.0.iter().enumerate() {
            for &graph in support {
                words[graph as usize][pattern / 64] |= 1 << (pattern % 64);
            }
        }
        let sizes = words.iter().map(|words| words.iter().map(|word| word.count_ones()).sum()).collect();
        Ok(Self { words, sizes })
    }

    /// Tanimoto similarity; that of two empty graphs is 0.
    fn similarity(&self, one: usize, other: usize) -> f64 {
        let pairs = self.words[one].iter().zip(&self.words[other]);
        let common: u32 = pairs.map(|(a, b)| (a & b).count_ones()).sum();
        let all = self.sizes[one] + self.sizes[other] - common;
        if all == 0 { 0.0 } else { f64::from(common) / f64::from(all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::{Label, VertexId};

    /// A path of these labels.
    fn path(labels: &[u32]) -> Graph {
        let mut builder = Graph::builder();
        for (at, &label) in labels.iter().enumerate() {
            let vertex = builder.add_vertex(Label(label)).unwrap();
            if at > 0 {
                builder.add_edge(VertexId(at as u32 - 1), vertex, Label(0)).unwrap();
            }
        }
        builder.build()
    }

    #[test]
    fn the_similarity_counts_common_small_subgraphs() {
        // a, aa, aaa, aaaa against a, aa, aaa: three of four; nothing is common with b.
        let sets = SubgraphSets::of(&[path(&[0; 4]), path(&[0; 3]), path(&[1])]).unwrap();
        assert_eq!((sets.similarity(0, 1), sets.similarity(0, 2)), (0.75, 0.0));
    }

    #[test]
    fn similar_pairs_share_a_cluster_and_clusters_are_no_larger() {
        let graphs: Vec<Graph> = (0..40_u32).map(|at| path(&[at % 3, at % 2, at % 5, at % 7, at % 4])).collect();
        let sets = SubgraphSets::of(&graphs).unwrap();
        let mut joined = Joined::new(graphs.len());
        join_similar(&graphs, 0.4, &mut joined).unwrap();
        let mut by_pairs = Joined::new(graphs.len());
        for (one, other) in (0..40).flat_map(|one| (0..one).map(move |other| (one, other))) {
            if sets.similarity(one, other) >= 0.4 {
                by_pairs.join(one, other);
            }
        }
        let clusters = by_pairs.groups();
        assert_eq!(joined.groups(), clusters);
        assert!((2..40).contains(&clusters.iter().max().map_or(0, |most| most + 1)));
    }
}
