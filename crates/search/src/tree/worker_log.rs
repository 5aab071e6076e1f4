//! What one worker of a pass records: its counters, and what it learnt about each node that it visited.

use super::chunked_vec::ChunkedVec;
use super::support_cache::SupportId;
use crate::bound::Sums;
use crate::skips::{SkipReason, Skips};
use einsicht_graph::tree::NodeId;

/// Buffers for the sums of a support, reused from node to node.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) sums: Sums,
    pub(super) graphs: Vec<u32>,
}

/// What is kept of a support beside a node.
#[derive(Clone, Copy)]
pub(super) struct SupportSummary {
    pub(super) id: SupportId,
    /// The number of graphs in it.
    pub(super) graphs: u32,
    /// Its largest minimum-image count.
    pub(super) largest: u32,
}

/// A node that was visited.
pub(super) struct Visit {
    pub(super) node: NodeId,
    /// The node that it was grown from; itself if it is a root.
    pub(super) parent: NodeId,
    pub(super) support: SupportSummary,
    /// No score in its subtree is larger, except in the subtrees of its children where the walk goes on to them.
    pub(super) subtree_max: f64,
    /// Drift over its support; minus infinity if nobody asked: then any drift since is possible.
    pub(super) drift: f64,
    /// Why the walk did not go on to its children, if that was for a reason.
    pub(super) skipped: Option<SkipReason>,
}

/// A node that was skipped without a visit.
pub(super) struct Unvisited {
    pub(super) node: NodeId,
    pub(super) reason: SkipReason,
    /// No score in its subtree can have risen by more since the last visit.
    pub(super) max_rise: f64,
}

#[derive(Default)]
pub(super) struct WorkerLog {
    pub(super) buffers: Buffers,
    pub(super) visited: u64,
    pub(super) skips: Skips,
    pub(super) summed: u64,
    pub(super) drifts: u64,
    /// Each node once.
    pub(super) visits: ChunkedVec<Visit>,
    pub(super) unvisited: ChunkedVec<Unvisited>,
    /// Nodes that were visited, but not expanded, because `zeta` rose in between; with their bounds.
    pub(super) overtaken: ChunkedVec<(NodeId, f64)>,
    /// Nodes whose children were visited.
    pub(super) opened: ChunkedVec<NodeId>,
}

impl WorkerLog {
    pub(super) fn add(&mut self, other: Self) {
        self.visited += other.visited;
        self.skips += other.skips;
        self.summed += other.summed;
        self.drifts += other.drifts;
        self.visits.extend(other.visits);
        self.unvisited.extend(other.unvisited);
        self.overtaken.extend(other.overtaken);
        self.opened.extend(other.opened);
    }
}
