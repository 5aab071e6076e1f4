//! What a scan knows: the classes of all patterns of the tree, with their members, and the frontier of nodes that are
//! not expanded.
//!
//! Promise: after [`ScanIndex::refresh`] every node of the tree is a member of its class, unless it is in too few
//! graphs of the search, and every node that is not expanded is on the frontier. Nodes are found through their parents,
//! since others may be adding some at the same time.

use super::super::search::TreeSearch;
use super::super::support_cache::SupportId;
use super::columns::{Cells, Columns};
use crate::feature::Values;
use einsicht_graph::tree::NodeId;
use einsicht_graph::{Counted, stop};
use rustc_hash::FxHashMap;

/// Bytes that a class takes in tables of hashes and lists, its products of delta and value among them.
const BYTES_PER_CLASS: usize = 200;

/// The end of a list of members.
pub(super) const END: u32 = u32::MAX;

/// A node that is not expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unexpanded {
    pub(super) node: NodeId,
    /// Its class.
    pub(super) class: u32,
    /// The column that bounds all patterns grown from it, where its minimum-image counts are larger than its counts;
    /// else [`END`].
    pub(super) images: u32,
}

/// All that the tree knew at the last look, ready to be scanned.
#[derive(Debug)]
pub(in crate::tree) struct ScanIndex {
    pub(super) values: Values,
    pub(super) cells: Cells,
    /// The counts of each class.
    pub(super) classes: Columns,
    /// The number of each class, and its first member.
    pub(super) of_class: Vec<(SupportId, u32)>,
    /// The classes of the last look by the length of their columns, so that neighbours are about equally long.
    pub(super) order: Vec<u32>,
    by_class: FxHashMap<SupportId, u32>,
    /// Patterns, each with the next one of its class.
    pub(super) members: Vec<(NodeId, u32)>,
    /// Minimum-image counts of supports that are larger than their counts.
    pub(super) images: Columns,
    by_support: FxHashMap<SupportId, u32>,
    pub(super) frontier: Vec<Unexpanded>,
    /// Nodes that were left out, with all below them.
    pub(super) too_few_graphs: u64,
    /// Classes of the last scan's candidates: their scores now are a good first `zeta`.
    pub(super) candidates: Vec<u32>,
}

impl ScanIndex {
    pub(super) fn new(search: &TreeSearch, values: Values) -> Self {
        let cells = Cells::new(&search.tree, values, search.among.as_ref());
        let mut index = Self {
            values,
            cells,
            classes: Columns::default(),
            of_class: Vec::new(),
            order: Vec::new(),
            by_class: FxHashMap::default(),
            members: Vec::new(),
            images: Columns::default(),
            by_support: FxHashMap::default(),
            frontier: Vec::new(),
            too_few_graphs: 0,
            candidates: Vec::new(),
        };
        index.add_subtrees(search, search.tree.roots().collect());
        index
    }

    /// Takes what was grown since the last look, perhaps by other searches over the same tree.
    pub(super) fn refresh(&mut self, search: &TreeSearch) {
        let tree = &search.tree;
        let (grown, frontier): (Vec<Unexpanded>, _) =
            self.frontier.iter().copied().partition(|unexpanded| tree.is_expanded(unexpanded.node));
        self.frontier = frontier;
        self.add_subtrees(search, grown.into_iter().flat_map(|grown| tree.expand(grown.node)).collect());
        if self.order.len() < self.classes.len() {
            self.order = (0..self.classes.len() as u32).collect();
            self.order.sort_unstable_by_key(|&class| (self.classes.get(class as usize).len(), class));
        }
    }

    /// Takes these nodes and all below them.
    pub(super) fn add_subtrees(&mut self, search: &TreeSearch, mut nodes: Vec<NodeId>) {
        let tree = &search.tree;
        let mut buffer = Vec::new();
        while let Some(node) = nodes.pop() {
            let support = tree.support(node);
            let class = match &search.among {
                None => Some(SupportId::class_of(support)),
                Some(graphs) => graphs.class_of(support),
            };
            let Some(class) = class else {
                self.too_few_graphs += 1;
                continue;
            };
            let graphs = support.graphs(&mut buffer);
            stop::work(1 + graphs.len() / 8);
            let counts = |counts| if self.values.needs_counts() { counts } else { Counted::NONE };
            let column = *self.by_class.entry(class).or_insert_with(|| {
                self.of_class.push((class, END));
                self.classes.push(self.cells.of(graphs, counts(support.counts())))
            });
            let first = &mut self.of_class[column as usize].1;
            self.members.push((node, *first));
            *first = self.members.len() as u32 - 1;
            if tree.is_leaf(node) {
                continue;
            }
            if tree.is_expanded(node) {
                nodes.extend(tree.expand(node));
                continue;
            }
            let mut images = END;
            if self.values.needs_counts() && support.has_larger_images() {
                let entry = self.by_support.entry(SupportId::of(support));
                images = *entry.or_insert_with(|| self.images.push(self.cells.of(graphs, counts(support.images()))));
            }
            self.frontier.push(Unexpanded { node, class: column, images });
        }
    }

    pub(super) fn simplest(&self, search: &TreeSearch, class: u32) -> NodeId {
        let (mut simplest, mut next) = self.members[self.of_class[class as usize].1 as usize];
        while next != END {
            let (node, after) = self.members[next as usize];
            if search.compare(node, simplest).is_lt() {
                simplest = node;
            }
            next = after;
        }
        simplest
    }

    /// Cells that a scan adds up.
    pub(super) fn num_cells(&self) -> usize {
        self.classes.num_cells()
    }

    /// Memory, in bytes, approximately.
    pub(in crate::tree) fn bytes(&self) -> usize {
        let lists = self.classes.bytes() + self.images.bytes() + self.cells.bytes();
        // Of each class: its entries here and, in a search about some graphs, among the classes of these
        // (`some_graphs.rs`).
        lists + BYTES_PER_CLASS * self.of_class.len() + 8 * self.members.len() + 12 * self.frontier.len()
    }
}
