//! What earlier passes have learnt about the subtrees of the tree.
//!
//! A record says how large a score in the subtree of a node was when it was last visited, and how far delta had
//! drifted then. With the drift since, the next pass can often skip the subtree without a visit. Promise: a record is
//! an upper bound, however many passes ago it was made, or it is [`UNVISITED`].

use super::support_cache::SupportId;
use super::worker_log::{SupportSummary, Unvisited, Visit, WorkerLog};
use einsicht_graph::tree::{NodeId, Tree};

/// What is known about the subtree of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeRecord {
    /// No score in the subtree was larger at the last visit. Plus infinity: never visited.
    pub(super) subtree_max: f64,
    /// Drift over its support at that time; minus infinity if it is not known.
    pub(super) drift_at_visit: f64,
    /// No score in the subtree has risen by more since then, by the drift over the supports of its ancestors.
    pub(super) max_rise: f64,
    /// Drift over its support when its children were last visited; plus infinity: never.
    drift_at_opening: f64,
    /// Index of the node that it was grown from; its own if it is a root.
    parent_index: u32,
    /// The pass in which its children were last visited.
    opened_in: u32,
    /// Its support, once it was visited: most visits need no more of a pattern.
    support: SupportId,
    /// The number of graphs in it; 0: never visited.
    pub(super) graphs: u32,
    /// Its largest minimum-image count.
    pub(super) largest: u32,
}

const UNVISITED: NodeRecord = NodeRecord {
    subtree_max: f64::INFINITY,
    drift_at_visit: 0.0,
    max_rise: 0.0,
    drift_at_opening: f64::INFINITY,
    parent_index: 0,
    opened_in: 0,
    support: SupportId::FIRST,
    graphs: 0,
    largest: 1,
};

impl NodeRecord {
    /// Whether its children were visited before.
    pub(super) fn is_opened(self) -> bool {
        self.drift_at_opening < f64::INFINITY
    }

    /// The drift over the support of the node since its children were last visited; plus infinity if never.
    pub(super) fn drift_since_opening(self, drift: impl FnOnce(SupportId) -> f64) -> f64 {
        if self.is_opened() { drift(self.support) - self.drift_at_opening } else { f64::INFINITY }
    }

    pub(super) fn support(self, tree: &Tree, node: NodeId) -> SupportSummary {
        if self.graphs > 0 {
            return SupportSummary { id: self.support, graphs: self.graphs, largest: self.largest };
        }
        let support = tree.support(node);
        SupportSummary { id: SupportId::of(support), graphs: support.len() as u32, largest: support.largest_images() }
    }
}

/// The records of all nodes, and which pass this is.
#[derive(Debug, Default)]
pub(super) struct History {
    /// By node.
    records: Vec<NodeRecord>,
    /// Nodes of the last pass's candidates: their scores now are a good first `zeta`.
    candidates: Vec<NodeId>,
    pass: u32,
    /// The first pass whose numbers can be compared with those of the current one.
    comparable_since: u32,
    /// The last pass that came to its end.
    finished: u32,
}

impl History {
    pub(super) fn start_pass(&mut self) {
        self.pass += 1;
    }

    /// The current pass, from 1.
    pub(super) fn pass(&self) -> u32 {
        self.pass
    }

    pub(super) fn comparable_since(&self) -> u32 {
        self.comparable_since
    }

    /// Forgets all records: delta cannot be compared with that of earlier passes, or some subtrees were not visited.
    pub(super) fn restart(&mut self) {
        self.records.clear();
        self.comparable_since = self.pass;
    }

    /// What is known about a node.
    pub(super) fn record(&self, node: NodeId) -> NodeRecord {
        self.records.get(node.index()).copied().unwrap_or(UNVISITED)
    }

    /// Whether the children of a node were visited in the pass just before this one.
    pub(super) fn was_opened_last(&self, record: NodeRecord) -> bool {
        let last = self.pass - 1;
        self.finished == last && record.opened_in == last
    }

    /// Whether a pass has come to its end.
    pub(super) fn has_finished(&self) -> bool {
        self.finished > 0
    }

    /// Takes the candidates of a scan, which learns nothing else.
    pub(super) fn set_candidates(&mut self, candidates: Vec<NodeId>) {
        self.candidates = candidates;
    }

    /// The candidates of the last pass.
    pub(super) fn candidates(&self) -> &[NodeId] {
        &self.candidates
    }

    /// Takes the records of a pass that came to its end, over a tree of this number of nodes.
    pub(super) fn finish_pass(&mut self, logs: &[WorkerLog], candidates: Vec<NodeId>, nodes: usize) {
        self.candidates = candidates;
        self.finished = self.pass;
        self.records.reserve_exact(nodes.saturating_sub(self.records.len()));
        self.records.resize(nodes, UNVISITED);
        for node in logs.iter().flat_map(|log| log.opened.iter()) {
            self.records[node.index()].opened_in = self.pass;
        }
        let mut changed = vec![0_u64; nodes.div_ceil(64)];
        for visit in logs.iter().flat_map(|log| log.visits.iter()) {
            let &Visit { node, parent, support, subtree_max, drift, .. } = visit;
            let SupportSummary { id, graphs, largest } = support;
            let at = node.index();
            self.records[at] = NodeRecord {
                subtree_max,
                drift_at_visit: drift,
                max_rise: 0.0,
                parent_index: parent.index() as u32,
                support: id,
                graphs,
                largest,
                ..self.records[at]
            };
            changed[at / 64] |= 1 << (at % 64);
        }
        for &Unvisited { node, max_rise, .. } in logs.iter().flat_map(|log| log.unvisited.iter()) {
            let at = node.index();
            self.records[at].max_rise = max_rise;
            changed[at / 64] |= 1 << (at % 64);
        }
        for &(node, bound) in logs.iter().flat_map(|log| log.overtaken.iter()) {
            let record = &mut self.records[node.index()];
            record.subtree_max = record.subtree_max.max(bound);
        }
        self.pass_up(&changed);
    }

    /// Passes what is known about changed nodes on to their ancestors.
    fn pass_up(&mut self, changed: &[u64]) {
        // Children have larger numbers than their parents, so a parent comes after its whole subtree.
        for (word, &bits) in changed.iter().enumerate().rev() {
            let mut bits = bits;
            while bits != 0 {
                let bit = bits.ilog2() as usize;
                bits &= !(1 << bit);
                let NodeRecord { subtree_max, max_rise, parent_index, .. } = self.records[64 * word + bit];
                if parent_index as usize != 64 * word + bit {
                    let parent = &mut self.records[parent_index as usize];
                    parent.subtree_max = parent.subtree_max.max(subtree_max + max_rise);
                    parent.drift_at_opening = parent.drift_at_visit;
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.records.as_slice())
    }
}
