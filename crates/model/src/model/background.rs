//! The background: what explanations compare a graph with, a sample of the graphs that the model was fitted on.
//!
//! For each entry of the path the distinct rows of its features among the fitted graphs, each with the number of graphs
//! that have it. Promise: it holds all of them if they are at most [`Background::MOST_ROWS`], so that means over it are
//! means over the fitted graphs; else so many graphs, evenly spaced in the order of the outputs of the entry, or, where
//! it has forests and is not the chosen one, of the model that selected its patterns, so that the mean output is nearly
//! that of all. Same model, same background. It never depends on the graphs that are explained.

use super::Model;
use einsicht_graph::Support;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The background of one entry of the path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Background {
    /// Number of graphs of each row.
    pub graphs: Vec<u32>,
    /// Counts of the entry's patterns (1 where only presence is read), row after row.
    pub counts: Vec<u32>,
    /// The features besides the patterns, row after row; see [`Model::rows_beside`].
    pub beside: Vec<f64>,
}

impl Background {
    /// Rows at most: more make explanations slower and move them little (`lab/notes/0021`).
    pub(crate) const MOST_ROWS: usize = 100;

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.graphs.len()
    }

    /// The weight of each row; they sum to 1.
    pub fn weights(&self) -> Vec<f64> {
        let all: f64 = self.graphs.iter().map(|graphs| f64::from(*graphs)).sum();
        self.graphs.iter().map(|graphs| f64::from(*graphs) / all).collect()
    }

    /// From the supports of the entry's patterns in the fitted graphs, and the features of these graphs besides the
    /// patterns; `order` gives the graphs by output.
    pub fn new(supports: &[Arc<Support>], beside: &[f64], graphs: usize, order: impl FnOnce() -> Vec<usize>) -> Self {
        let width = supports.len();
        let mut counts = vec![0; graphs * width];
        for (column, support) in supports.iter().enumerate() {
            for (at, &graph) in support.graphs().iter().enumerate() {
                counts[graph as usize * width + column] = support.counts().get(at).unwrap_or(1);
            }
        }
        let side = beside.len() / graphs.max(1);
        let mut known: FxHashMap<(&[u32], Vec<u64>), usize> = FxHashMap::default();
        let (mut first, mut times): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new());
        for graph in 0..graphs {
            let bits = beside[graph * side..][..side].iter().map(|value| value.to_bits()).collect();
            let at = *known.entry((&counts[graph * width..][..width], bits)).or_insert(first.len());
            if at == first.len() {
                first.push(graph);
                times.push(0);
            }
            times[at] += 1;
        }
        if first.len() > Self::MOST_ROWS {
            let order = order();
            first = (0..Self::MOST_ROWS).map(|at| order[(2 * at + 1) * graphs / (2 * Self::MOST_ROWS)]).collect();
            first.sort_unstable();
            times = vec![1; first.len()];
        }
        Self {
            graphs: times,
            counts: first.iter().flat_map(|&graph| &counts[graph * width..][..width]).copied().collect(),
            beside: first.iter().flat_map(|&graph| &beside[graph * side..][..side]).copied().collect(),
        }
    }

    /// The support of each pattern among the rows.
    fn supports(&self, patterns: usize) -> Vec<Arc<Support>> {
        let of_pattern = |pattern: usize| {
            let count = |row: &usize| self.counts[row * patterns + pattern];
            let graphs: Vec<usize> = (0..self.rows()).filter(|row| count(row) > 0).collect();
            let counts = graphs.iter().map(count).collect();
            Support::detached(graphs.iter().map(|row| *row as u32).collect(), counts)
        };
        (0..patterns).map(of_pattern).collect()
    }
}

impl Model {
    /// The values of an entry's patterns in the rows of its background, row after row, as the head or the network reads
    /// them.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn background_values(&self, entry: usize) -> Vec<f64> {
        let background = &self.backgrounds[entry];
        let supports = background.supports(self.entries[entry].iterate.patterns.len());
        self.values(&supports, background.rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_distinct_rows_are_all_kept_and_many_are_evenly_spaced_by_output() {
        let of = |columns: &[Vec<u32>], beside: &[f64], graphs: usize| {
            let support = |column: &Vec<u32>| {
                let with: Vec<u32> = (0..graphs as u32).filter(|&graph| column[graph as usize] > 0).collect();
                let counts = with.iter().map(|&graph| column[graph as usize]).collect();
                Support::detached(with, counts)
            };
            let supports: Vec<_> = columns.iter().map(support).collect();
            // The last graph has the smallest output.
            Background::new(&supports, beside, graphs, || (0..graphs).rev().collect())
        };
        let few = of(&[vec![1, 0, 1, 2, 0], vec![0, 0, 0, 1, 0]], &[], 5);
        assert_eq!((few.graphs.as_slice(), few.counts.as_slice()), (&[2, 2, 1][..], &[1, 0, 0, 0, 2, 1][..]));
        assert_eq!(few.weights(), [0.4, 0.4, 0.2]);
        // The features besides the patterns tell rows apart.
        assert_eq!(of(&[vec![1, 1, 1]], &[0.5, 0.5, 0.7], 3).beside, [0.5, 0.7]);
        let numbers: Vec<u32> = (1..=1000).collect();
        let many = of(&[numbers], &[], 1000);
        assert_eq!((many.rows(), many.graphs.iter().sum::<u32>()), (Background::MOST_ROWS, 100));
        assert_eq!((many.counts[0], many.counts[1], many.counts[99]), (5, 15, 995));
    }
}
