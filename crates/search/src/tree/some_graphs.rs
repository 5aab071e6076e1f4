//! Classes of a search that is about some of the tree's graphs only.
//!
//! Among some graphs, patterns with different supports may be in the same graphs as often: then they are one
//! competitor. A pattern in too few of them is none. Promise: [`SomeGraphs::class_of`] gives equal numbers to exactly
//! the patterns that the graphs of the search cannot distinguish. Only for trees from which nothing is evicted: numbers
//! of supports must keep their meaning.

use super::support_cache::SupportId;
use einsicht_graph::{Counted, Support, TreeSupport};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// By hash of graphs and counts among these graphs: a support of each class, as it came. No list is copied.
    by_hash: FxHashMap<u64, Vec<(Known, SupportId)>>,
    len: u32,
}

/// A support of the tree, or one that somebody else holds.
#[derive(Debug)]
enum Known {
    Tree(TreeSupport),
    Own(Arc<Support>),
}

impl Known {
    /// Its graphs, in the buffer if they are packed, and counts.
    fn lists<'a>(&'a self, buffer: &'a mut Vec<u32>) -> (&'a [u32], Counted<'a>) {
        match self {
            Self::Tree(support) => (support.graphs(buffer), support.counts()),
            Self::Own(support) => (support.graphs(), support.counts()),
        }
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

    /// Whether the search is about this graph.
    pub(super) fn has(&self, graph: usize) -> bool {
        self.is_in[graph]
    }

    /// The graphs of a support that the search is about, and the counts there.
    pub(crate) fn restrict(&self, support: &Support) -> (Vec<u32>, Vec<u32>) {
        let among = || self.among((support.graphs(), support.counts()));
        (among().map(|(graph, _)| graph).collect(), among().filter_map(|(_, count)| count).collect())
    }

    /// Those of these graphs that the search is about, each with its count where there are counts.
    fn among<'s>(
        &'s self,
        (graphs, counts): (&'s [u32], Counted<'s>),
    ) -> impl Iterator<Item = (u32, Option<u32>)> + 's {
        let is_in = |(_, graph): &(usize, &u32)| self.is_in[**graph as usize];
        graphs.iter().enumerate().filter(is_in).map(move |(at, graph)| (*graph, counts.get(at)))
    }

    /// The number of the class of a support.
    fn number(&self, support: Known, classes: &mut Classes) -> SupportId {
        let (mut buffer, mut of_other) = (Vec::new(), Vec::new());
        let lists = support.lists(&mut buffer);
        let mut hasher = FxHasher::default();
        for (graph, count) in self.among(lists) {
            hasher.write_u32(graph);
            hasher.write_u32(count.unwrap_or(0));
        }
        let same_hash = classes.by_hash.entry(hasher.finish()).or_default();
        let mut is_same = |other: &Known| self.among(other.lists(&mut of_other)).eq(self.among(lists));
        if let Some((_, known)) = same_hash.iter().find(|(other, _)| is_same(other)) {
            return *known;
        }
        let next = SupportId::numbered(classes.len);
        classes.len += 1;
        same_hash.push((support, next));
        next
    }

    /// The class of a support of the tree; nothing if it has too few of the graphs.
    pub(super) fn class_of(&self, support: &TreeSupport) -> Option<SupportId> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tree = SupportId::class_of(support);
        if let Some(known) = classes.of_tree.get(&of_tree) {
            return *known;
        }
        let mut buffer = Vec::new();
        let graphs = self.among((support.graphs(&mut buffer), Counted::NONE));
        let is_frequent = graphs.take(self.min_support).count() >= self.min_support;
        let class = is_frequent.then(|| self.number(Known::Tree(support.clone()), &mut classes));
        classes.of_tree.insert(of_tree, class);
        class
    }

    /// The class of a support that has none but graphs of the search.
    pub(super) fn class_of_restricted(&self, support: &Arc<Support>) -> SupportId {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        self.number(Known::Own(Arc::clone(support)), &mut classes)
    }
}
