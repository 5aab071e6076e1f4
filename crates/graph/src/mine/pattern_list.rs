//! Every pattern with its support, as a list.
//!
//! Promise: a [`PatternList`] holds the patterns in the order in which the miner visits them, each as its last step and
//! the index of its parent, so a pattern takes some forty bytes whatever its size; each distinct support is stored
//! once. The list is the same on any number of threads. Tested with the traversal, against the definition, and on real
//! sets.

use super::{MineControl, VisitedPattern, Visitor};
use crate::canon::{DfsCode, DfsEdge, Step};
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
    step: Step,
    num_edges: u16,
    num_qualifiers: u16,
    support: Arc<Support>,
}

impl ListedPattern {
    /// Number of steps that lead to it: a single vertex is one.
    fn num_steps(&self) -> usize {
        (self.num_edges as usize).max(1) + self.num_qualifiers as usize
    }
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
            while branch.len() >= pattern.num_steps() {
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
        if let Some(step) = found.steps().last() {
            let support = self.supports.intern(found.graphs, found.counts);
            let (num_edges, num_qualifiers) = (found.code.len() as u16, found.qualifiers.len() as u16);
            self.patterns.push(ListedPattern { step, num_edges, num_qualifiers, support });
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

/// Patterns with their supports; each comes after its ancestors, and all that grows from it follows it.
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
/// assert_eq!(list.find(&list.code(1)), Some(1));
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

    /// The pattern without its last step, if there is one.
    pub fn parent(&self, pattern: usize) -> Option<usize> {
        let parent = self.parents[pattern];
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// Number of qualifiers of a pattern.
    pub fn num_qualifiers(&self, pattern: usize) -> usize {
        self.patterns[pattern].num_qualifiers as usize
    }

    /// A pattern by itself.
    pub fn code(&self, pattern: usize) -> DfsCode {
        let mut steps: Vec<Step> = self.steps_back(pattern).collect();
        steps.reverse();
        DfsCode::from_steps(steps)
    }

    /// The steps that lead to a pattern, from the last.
    fn steps_back(&self, pattern: usize) -> impl Iterator<Item = Step> + '_ {
        std::iter::successors(Some(pattern), |&at| self.parent(at)).map(|at| self.patterns[at].step)
    }

    /// The edges of a pattern, in a buffer of the caller.
    pub(crate) fn code_into(&self, pattern: usize, code: &mut Vec<DfsEdge>) {
        code.clear();
        code.extend(self.steps_back(pattern).filter_map(|s| if let Step::Edge(edge) = s { Some(edge) } else { None }));
        code.reverse();
    }

    /// The index of a pattern, if it is listed.
    pub fn find(&self, code: &DfsCode) -> Option<usize> {
        self.find_steps(code.steps())
    }

    /// The index of the pattern to which these steps lead, if it is listed.
    pub(super) fn find_steps(&self, steps: impl Iterator<Item = Step>) -> Option<usize> {
        let (mut at, mut end) = (0, self.len());
        let mut is_found = false;
        for wanted in steps {
            if is_found {
                // The descendants of a pattern follow it.
                end = self.ends[at] as usize;
                at += 1;
            }
            while at < end && self.patterns[at].step < wanted {
                at = self.ends[at] as usize;
            }
            if at >= end || self.patterns[at].step != wanted {
                return None;
            }
            is_found = true;
        }
        is_found.then_some(at)
    }
}
