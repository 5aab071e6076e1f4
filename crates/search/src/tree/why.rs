//! What a pass did with the subtree of one pattern, for a developer who asks why it was skipped.
//!
//! It is found in the records of the pass when that is over, so nobody pays who does not ask. Tested against all
//! patterns in `tests/why.rs`.

use super::search::{TreeError, TreeSearch};
use super::some_graphs::SomeGraphs;
use super::worker_log::WorkerLog;
use crate::query::{Query, SearchResult};
use crate::{SearchError, SkipReason};
use einsicht_graph::DfsCode;
use einsicht_graph::tree::NodeId;

/// What a pass did with the subtree of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Fate {
    /// The pattern, or the smallest ancestor with whose subtree it was skipped.
    pub at: DfsCode,
    /// Why; nothing if the patterns below were visited, or there are none.
    pub reason: Option<SkipReason>,
    /// No score that could be offered from what was skipped is larger, and that is below the threshold; plus infinity
    /// if nothing was skipped, minus infinity if nothing there may be offered.
    pub limit: f64,
    /// `zeta` at the end of the pass, or `lambda`.
    pub threshold: f64,
}

impl TreeSearch {
    /// [`crate::Search::why`], unless the tree reaches its memory limit.
    pub(crate) fn try_why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), TreeError> {
        let missing = SearchError::NoSuchPattern { edges: code.num_edges() };
        let (result, fate) = self.answer(query, Some(code))?;
        Ok(fate.map(|fate| (result, fate)).ok_or(missing)?)
    }

    /// The nodes on the way to a code, as far as the tree has grown; nothing if there is no such pattern.
    fn way(&self, code: &DfsCode) -> Option<Vec<NodeId>> {
        let mut level = self.tree.roots();
        let mut way = Vec::new();
        for step in code.steps() {
            let node = level.find(|&node| self.tree.step(node) == step)?;
            way.push(node);
            if !self.tree.is_expanded(node) {
                break;
            }
            level = self.tree.expand(node);
        }
        Some(way)
    }

    fn fate(&self, node: NodeId, skipped: Option<(SkipReason, f64)>, threshold: f64) -> Fate {
        let (reason, limit) = skipped.map_or((None, f64::INFINITY), |(reason, limit)| (Some(reason), limit));
        Fate { at: self.tree.code(node), reason, limit, threshold }
    }

    /// The fate of a pattern in a walk that has just ended, and whose records are not in the history yet.
    pub(super) fn fate_in_walk(&self, code: &DfsCode, logs: &[WorkerLog], threshold: f64) -> Option<Fate> {
        let way = self.way(code)?;
        let was_opened = |node: NodeId| logs.iter().any(|log| log.opened.iter().any(|&opened| opened == node));
        let &node = way.iter().find(|&&node| !was_opened(node)).or(way.last())?;
        let overtaken = logs.iter().flat_map(|log| log.overtaken.iter()).find(|(other, _)| *other == node);
        let unvisited = logs.iter().flat_map(|log| log.unvisited.iter()).find(|other| other.node == node);
        let visit = logs.iter().flat_map(|log| log.visits.iter()).find(|visit| visit.node == node);
        let skipped = overtaken.map(|&(_, bound)| (SkipReason::Overtaken, bound));
        let skipped = skipped
            .or_else(|| unvisited.map(|other| (other.reason, self.history.record(node).subtree_max + other.max_rise)));
        let skipped = skipped.or_else(|| visit.and_then(|visit| Some((visit.skipped?, visit.subtree_max))));
        Some(self.fate(node, skipped, threshold))
    }

    /// The fate of a pattern in a scan; `skipped` says why a node was not expanded, with its bound.
    pub(super) fn fate_in_scan(
        &self,
        code: &DfsCode,
        skipped: impl FnOnce(NodeId) -> Option<(SkipReason, f64)>,
        threshold: f64,
    ) -> Option<Fate> {
        let way = self.way(code)?;
        let is_rare = |graphs: &SomeGraphs, node| graphs.class_of(self.tree.support(node)).is_none();
        let rare = self.among.as_ref().and_then(|graphs| way.iter().find(|&&node| is_rare(graphs, node)));
        if let Some(&node) = rare {
            return Some(self.fate(node, Some((SkipReason::TooFewGraphs, f64::NEG_INFINITY)), threshold));
        }
        let &node = way.last()?;
        Some(self.fate(node, skipped(node), threshold))
    }
}
