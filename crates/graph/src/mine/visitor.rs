//! The visitor: the caller's side of a traversal of all patterns, which decides what is worth growing.

use crate::canon::{DfsCode, DfsEdge, PatternSize, Step};
use crate::ids::{Label, Qualifier};

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
    /// Label of its first vertex.
    pub start: Label,
    /// Its minimum DFS code; empty if it is a single vertex.
    pub code: &'a [DfsEdge],
    /// Qualifiers of its vertices, increasing.
    pub qualifiers: &'a [Qualifier],
    /// The graphs that contain it, increasing.
    pub graphs: &'a [u32],
    /// Counts, one per graph, with [`super::MineParams::counts`]; else empty.
    pub counts: &'a [u32],
    /// Minimum-image counts, likewise: no count of a larger pattern exceeds them.
    pub images: &'a [u32],
}

impl<'a> VisitedPattern<'a> {
    /// A pattern with edges, without qualifiers and counts.
    pub(super) fn plain(code: &'a [DfsEdge], graphs: &'a [u32]) -> Self {
        Self { start: code[0].from_label, code, qualifiers: &[], graphs, counts: &[], images: &[] }
    }

    /// The pattern by itself.
    pub fn to_code(&self) -> DfsCode {
        DfsCode::from_parts_unchecked(self.start, self.code.to_vec(), self.qualifiers.to_vec())
    }

    /// Its edges and qualifiers.
    pub fn size(&self) -> PatternSize {
        PatternSize { edges: self.code.len(), qualifiers: self.qualifiers.len() }
    }

    /// The steps that lead to the pattern.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let vertex = self.code.is_empty().then_some(Step::Vertex(self.start));
        let edges = self.code.iter().copied().map(Step::Edge);
        vertex.into_iter().chain(edges).chain(self.qualifiers.iter().copied().map(Step::Qualifier))
    }
}

/// Called at every pattern. With several threads, forks visit different parts of the tree and are joined in the order
/// of the codes.
pub trait Visitor: Send {
    /// Visits a pattern.
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl;
    /// Whether [`Visitor::visit`] will return [`MineControl::Grow`] for every pattern, so that the miner may find small
    /// patterns level by level first. Called repeatedly; `false` ends the level-wise passes.
    fn grows_all(&self) -> bool {
        false
    }
    /// Whether more than the length of a code and the number of qualifiers is read. If not, the miner may order the
    /// labels differently, which is less work: then codes describe the same patterns with other labels, and patterns
    /// come in another order.
    fn reads_codes(&self) -> bool {
        true
    }
    /// A visitor for a later part of the tree.
    #[must_use]
    fn fork(&self) -> Self;
    /// Takes over the result of a fork; its patterns come after all that this visitor has visited.
    fn join(&mut self, later: Self);
}
