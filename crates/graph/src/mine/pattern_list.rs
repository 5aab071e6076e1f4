//! Every pattern with its support, as a list.
//!
//! Promise: a [`PatternList`] holds the patterns in the order of their codes, each as its last edge and the index of its
//! parent, so a pattern takes some forty bytes whatever its size; each distinct support is stored once. The list is the
//! same on any number of threads. Tested with the traversal, against the definition, and on real sets.

use super::{MineControl, VisitedPattern, Visitor};
use crate::canon::{DfsCode, DfsEdge};
use crate::support::{Support, SupportTable};
use std::sync::Arc;

/// A visitor that stores every pattern, for a [`PatternList`].
#[derive(Debug, Default)]
pub struct PatternListBuilder {
    patterns: Vec<ListedPattern>,
    supports: Arc<SupportTable>,
}

#[derive(Debug)]
struct ListedPattern {
    edge: DfsEdge,
    num_edges: u32,
    support: Arc<Support>,
}

impl PatternListBuilder {
    /// Number of patterns so far.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern yet.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The list of all patterns.
    pub fn finish(self) -> PatternList {
        let patterns = self.patterns;
        let mut parents = Vec::with_capacity(patterns.len());
        let mut ends = vec![patterns.len() as u32; patterns.len()];
        // The current pattern and its ancestors.
        let mut branch: Vec<u32> = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            while branch.len() >= pattern.num_edges as usize {
                if let Some(done) = branch.pop() {
                    ends[done as usize] = at as u32;
                }
            }
            parents.push(branch.last().copied().unwrap_or(NO_PARENT));
            branch.push(at as u32);
        }
        PatternList { patterns, parents, ends, distinct_supports: self.supports.len() }
    }
}

impl Visitor for PatternListBuilder {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        if let Some(&edge) = found.code.last() {
            let support = self.supports.intern(found.graphs, found.counts);
            self.patterns.push(ListedPattern { edge, num_edges: found.code.len() as u32, support });
        }
        MineControl::Grow
    }

    fn grows_all(&self) -> bool {
        true
    }

    fn fork(&self) -> Self {
        Self { patterns: Vec::new(), supports: Arc::clone(&self.supports) }
    }

    fn join(&mut self, later: Self) {
        self.patterns.extend(later.patterns);
    }
}

const NO_PARENT: u32 = u32::MAX;

/// Patterns in the order of their codes, with their supports; with each pattern all its ancestors.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::{PatternListBuilder, MineParams, mine}};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// builder.add_edge(a, b, Label(0))?;
/// builder.add_edge(b, c, Label(0))?;
/// let mut list = PatternListBuilder::default();
/// mine(&[builder.build()], &MineParams::default(), &mut list)?;
/// let list = list.finish();
/// assert_eq!((list.len(), list.distinct_supports()), (2, 1));
/// assert_eq!(list.find(list.code(1).edges()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PatternList {
    patterns: Vec<ListedPattern>,
    parents: Vec<u32>,
    /// By pattern: the index after its last descendant.
    ends: Vec<u32>,
    distinct_supports: usize,
}

impl PatternList {
    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Number of different supports.
    pub fn distinct_supports(&self) -> usize {
        self.distinct_supports
    }

    /// Number of edges of a pattern.
    ///
    /// # Panics
    /// If there is no such pattern, here and below.
    pub fn num_edges(&self, pattern: usize) -> usize {
        self.patterns[pattern].num_edges as usize
    }

    /// The graphs that contain a pattern.
    pub fn support(&self, pattern: usize) -> &Arc<Support> {
        &self.patterns[pattern].support
    }

    /// The pattern without the last edge of its code, if it has more than one.
    pub fn parent(&self, pattern: usize) -> Option<usize> {
        let parent = self.parents[pattern];
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// The minimum code of a pattern.
    pub fn code(&self, pattern: usize) -> DfsCode {
        let mut code = Vec::with_capacity(self.num_edges(pattern));
        self.code_into(pattern, &mut code);
        DfsCode::from_parts_unchecked(code[0].from_label, code, Vec::new())
    }

    /// The minimum code of a pattern, in a buffer of the caller.
    pub fn code_into(&self, pattern: usize, code: &mut Vec<DfsEdge>) {
        code.clear();
        let mut at = Some(pattern);
        while let Some(pattern) = at {
            code.push(self.patterns[pattern].edge);
            at = self.parent(pattern);
        }
        code.reverse();
    }

    /// The index of the pattern with this minimum code, if it is listed.
    pub fn find(&self, code: &[DfsEdge]) -> Option<usize> {
        let (mut at, mut end) = (0, self.len());
        for (depth, wanted) in code.iter().enumerate() {
            if depth > 0 {
                // The descendants of a pattern follow it.
                end = self.ends[at] as usize;
                at += 1;
            }
            while at < end && self.patterns[at].edge < *wanted {
                at = self.ends[at] as usize;
            }
            if at >= end || self.patterns[at].edge != *wanted {
                return None;
            }
        }
        (!code.is_empty()).then_some(at)
    }
}
