//! Classes of a search that is about some of the tree's graphs only.
//!
//! Among some graphs, patterns with different supports may be in the same graphs as often: then they are one competitor. A pattern
//! in too few of them is none. Promise: [`SomeGraphs::class_of`] gives equal numbers to exactly the patterns that the
//! graphs of the search cannot distinguish. Only for trees from which nothing is evicted: numbers of supports must keep their meaning.

use super::support_cache::SupportId;
use einsicht_graph::Support;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// The graphs that a search is about.
#[derive(Debug)]
pub(crate) struct SomeGraphs {
    /// By graph of the tree.
    is_in: Vec<bool>,
    min_support: usize,
    classes: Mutex<Classes>,
}

#[derive(Debug, Default)]
struct Classes {
    /// For each class of the tree its class among these graphs; nothing if it is in too few of them.
    of_tree: FxHashMap<SupportId, Option<SupportId>>,
    /// Graphs and counts of each class.
    by_content: FxHashMap<(Vec<u32>, Vec<u32>), SupportId>,
}

impl Classes {
    fn number(&mut self, graphs: Vec<u32>, counts: Vec<u32>) -> SupportId {
        let next = SupportId::numbered(self.by_content.len() as u32);
        *self.by_content.entry((graphs, counts)).or_insert(next)
    }
}

impl SomeGraphs {
    /// These of so many graphs; a pattern must be in at least `min_support` of them.
    pub(crate) fn new(rows: &[u32], graphs: usize, min_support: usize) -> Self {
        let mut is_in = vec![false; graphs];
        for &row in rows {
            is_in[row as usize] = true;
        }
        Self { is_in, min_support, classes: Mutex::default() }
    }

    /// The graphs of a support that the search is about, and the counts there.
    pub(crate) fn restrict(&self, support: &Support) -> (Vec<u32>, Vec<u32>) {
        let (graphs, counts) = (support.graphs(), support.counts());
        let kept: Vec<usize> = (0..graphs.len()).filter(|at| self.is_in[graphs[*at] as usize]).collect();
        let counts = if counts.is_empty() { Vec::new() } else { kept.iter().map(|&at| counts[at]).collect() };
        (kept.into_iter().map(|at| graphs[at]).collect(), counts)
    }

    /// The class of a support of the tree; nothing if it has too few of the graphs.
    pub(super) fn class_of(&self, support: &Support) -> Option<SupportId> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tree = SupportId::class_of(support);
        if let Some(known) = classes.of_tree.get(&of_tree) {
            return *known;
        }
        let (graphs, counts) = self.restrict(support);
        let class = (graphs.len() >= self.min_support).then(|| classes.number(graphs, counts));
        classes.of_tree.insert(of_tree, class);
        class
    }

    /// The class of a support that has none but graphs of the search.
    pub(super) fn class_of_restricted(&self, support: &Support) -> SupportId {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.number(support.graphs().to_vec(), support.counts().to_vec())
    }
}
