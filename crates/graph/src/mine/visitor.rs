//! The visitor: the caller's side of a traversal of all patterns, which decides what is worth growing.

use crate::canon::DfsEdge;

/// What the visitor wants after a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MineControl {
    /// Visit the patterns grown from this one.
    Grow,
    /// Skip all patterns grown from this one. Sound only if the caller has a bound for all of them.
    Prune,
    /// End the traversal.
    Stop,
}

/// A pattern and its support.
#[derive(Clone, Copy, Debug)]
pub struct VisitedPattern<'a> {
    /// Its minimum DFS code.
    pub code: &'a [DfsEdge],
    /// The graphs that contain it, increasing.
    pub graphs: &'a [u32],
    /// Minimum-image counts, one per graph, with [`super::MineParams::counts`]; else empty.
    pub counts: &'a [u32],
}

/// Called at every pattern. With several threads, forks visit different parts of the tree and are joined in the order of
/// the codes.
pub trait Visitor: Send {
    /// Visits a pattern.
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl;
    /// Whether [`Visitor::visit`] will return [`MineControl::Grow`] for every pattern, so that the miner may find small
    /// patterns level by level first. Called repeatedly; `false` ends the level-wise passes.
    fn grows_all(&self) -> bool {
        false
    }
    /// Whether more than the length of a code is read. If not, the miner may order the labels differently, which is less
    /// work: then codes describe the same patterns with other labels, and patterns come in another order.
    fn reads_codes(&self) -> bool {
        true
    }
    /// A visitor for a later part of the tree.
    #[must_use]
    fn fork(&self) -> Self;
    /// Takes over the result of a fork; its patterns come after all that this visitor has visited.
    fn join(&mut self, later: Self);
}
