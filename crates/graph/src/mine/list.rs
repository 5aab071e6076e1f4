//! What a walk leaves behind: numbers only, or every pattern with its support.
//!
//! Promise: a [`PatternList`] holds the patterns in the order of their codes, each as its last edge and the
//! pattern it was grown from, so a pattern costs some forty bytes whatever its size; each distinct support is
//! stored once. Both visitors give the same whatever the number of threads. Tested with the walk, against the
//! definition, and on real sets.

use super::{Occurrence, Step, Visitor};
use crate::pattern::{DfsCode, DfsEdge, MAX_VERTICES};
use crate::support::{Support, SupportTable};
use std::sync::Arc;

/// How many patterns there are, and in how many graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of patterns.
    pub patterns: u64,
    /// Sum over the patterns of the number of graphs that contain them.
    pub support_sum: u64,
    by_edges: [u64; MAX_VERTICES],
}

impl Tally {
    /// Counts one pattern.
    pub fn add(&mut self, num_edges: usize, support: usize) {
        self.patterns += 1;
        self.support_sum += support as u64;
        self.by_edges[num_edges - 1] += 1;
    }

    /// Number of patterns with 1, 2, ... `max_edges` edges.
    pub fn by_edges(&self, max_edges: usize) -> &[u64] {
        &self.by_edges[..max_edges]
    }
}

/// Counts, and stores nothing.
impl Visitor for Tally {
    #[inline]
    fn visit(&mut self, found: &Occurrence<'_>) -> Step {
        self.add(found.code.len(), found.graphs.len());
        Step::Grow
    }

    fn grows_all(&self) -> bool {
        true
    }

    fn reads_codes(&self) -> bool {
        false
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, later: Self) {
        self.patterns += later.patterns;
        self.support_sum += later.support_sum;
        for (sum, more) in self.by_edges.iter_mut().zip(later.by_edges) {
            *sum += more;
        }
    }
}

/// Keeps every pattern, for a [`PatternList`].
#[derive(Debug, Default)]
pub struct Gather {
    found: Vec<Found>,
    supports: Arc<SupportTable>,
}

#[derive(Debug)]
struct Found {
    edge: DfsEdge,
    num_edges: u32,
    support: Arc<Support>,
}

impl Gather {
    /// Number of patterns so far.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether nothing was found yet.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Everything that was found.
    pub fn finish(self) -> PatternList {
        let found = self.found;
        let mut parents = Vec::with_capacity(found.len());
        let mut ends = vec![found.len() as u32; found.len()];
        // The pattern under consideration and those from which it was grown.
        let mut branch: Vec<u32> = Vec::new();
        for (at, pattern) in found.iter().enumerate() {
            while branch.len() >= pattern.num_edges as usize {
                if let Some(done) = branch.pop() {
                    ends[done as usize] = at as u32;
                }
            }
            parents.push(branch.last().copied().unwrap_or(NO_PARENT));
            branch.push(at as u32);
        }
        PatternList { found, parents, ends, distinct_supports: self.supports.len() }
    }
}

impl Visitor for Gather {
    fn visit(&mut self, found: &Occurrence<'_>) -> Step {
        if let Some(&edge) = found.code.last() {
            let support = self.supports.intern(found.graphs, found.counts);
            self.found.push(Found { edge, num_edges: found.code.len() as u32, support });
        }
        Step::Grow
    }

    fn grows_all(&self) -> bool {
        true
    }

    fn fork(&self) -> Self {
        Self { found: Vec::new(), supports: Arc::clone(&self.supports) }
    }

    fn join(&mut self, later: Self) {
        self.found.extend(later.found);
    }
}

const NO_PARENT: u32 = u32::MAX;

/// Patterns in the order of their codes, with their supports; with each pattern all those from which it was
/// grown.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::{Gather, MineParams, mine}};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// builder.add_edge(a, b, Label(0))?;
/// builder.add_edge(b, c, Label(0))?;
/// let mut gather = Gather::default();
/// mine(&[builder.build()], &MineParams::default(), &mut gather)?;
/// let list = gather.finish();
/// assert_eq!((list.len(), list.distinct_supports()), (2, 1));
/// assert_eq!(list.find(list.code(1).edges()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PatternList {
    found: Vec<Found>,
    parents: Vec<u32>,
    /// Behind the last pattern grown from each.
    ends: Vec<u32>,
    distinct_supports: usize,
}

impl PatternList {
    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
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
        self.found[pattern].num_edges as usize
    }

    /// The graphs that contain a pattern.
    pub fn support(&self, pattern: usize) -> &Arc<Support> {
        &self.found[pattern].support
    }

    /// The pattern without the last edge of its code, if it has more than one.
    pub fn parent(&self, pattern: usize) -> Option<usize> {
        let parent = self.parents[pattern];
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// The smallest code of a pattern.
    pub fn code(&self, pattern: usize) -> DfsCode {
        let mut code = Vec::with_capacity(self.num_edges(pattern));
        self.code_into(pattern, &mut code);
        DfsCode::from_edges_unchecked(code)
    }

    /// The smallest code of a pattern, in a buffer of the caller.
    pub fn code_into(&self, pattern: usize, code: &mut Vec<DfsEdge>) {
        code.clear();
        let mut at = Some(pattern);
        while let Some(pattern) = at {
            code.push(self.found[pattern].edge);
            at = self.parent(pattern);
        }
        code.reverse();
    }

    /// The place of the pattern with this smallest code, if it is listed.
    pub fn find(&self, code: &[DfsEdge]) -> Option<usize> {
        let (mut at, mut end) = (0, self.len());
        for (depth, wanted) in code.iter().enumerate() {
            if depth > 0 {
                // What was grown from a pattern stands right behind it.
                end = self.ends[at] as usize;
                at += 1;
            }
            while at < end && self.found[at].edge < *wanted {
                at = self.ends[at] as usize;
            }
            if at >= end || self.found[at].edge != *wanted {
                return None;
            }
        }
        (!code.is_empty()).then_some(at)
    }
}
