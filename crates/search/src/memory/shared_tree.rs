//! One tree for several searches at the same time, within one memory limit.
//!
//! While everything fits, all searches grow and read the same tree. When the shared tree is full, a search that needs
//! it to grow leaves it to the others and goes on without one, in the memory that was set aside for it. The answers do
//! not depend on any of this.

use super::budgeted::{BudgetedSearch, Fallback, memory_of};
use super::subset::{Leave, SubsetSearch};
use crate::tree::{SearchOptions, TreeSearch};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineError, MineParams};
use einsicht_graph::tree::Tree;
use std::sync::Arc;

/// How many times its first size a tree may well grow to: 6 times with 65536 molecules and 6 edges, 12 times where
/// supports are not packed.
const EXPECTED_GROWTH: usize = 20;

/// The part of the memory that is set aside for searches that leave the tree: one in so many.
const STREAMING_PART: usize = 4;

/// A tree that several searches use.
pub struct SharedTree {
    tree: Arc<Tree>,
    options: SearchOptions,
    searches: usize,
    /// Present where there is a limit: bytes for the shared tree, and for each search once it has left it.
    limits: Option<(usize, usize)>,
    graphs: Arc<[Graph]>,
    params: MineParams,
}

impl SharedTree {
    /// For at most `searches` at a time. `params.memory` is the limit, of which each search leaves `reserved` bytes
    /// to others. If it is too small, the error says which is the smallest that works.
    pub fn new(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        searches: usize,
        reserved: usize,
    ) -> Result<Self, MineError> {
        let Some(got) = params.memory else { return Self::with_limits(graphs, params, options, searches, None) };
        let params = MineParams { memory: None, ..params };
        let reserved = searches * reserved + memory_of(&graphs);
        let mut shared = Self::with_limits(graphs, params, options, searches, None)?;
        // Each needs memory for a tree that has not grown, and for streaming.
        let streaming = shared.tree.min_mine_memory();
        let smallest = reserved + 2 * searches * (TreeSearch::initial_memory(&shared.tree) + streaming);
        if got < smallest {
            return Err(MineError::BudgetTooSmall { smallest, got });
        }
        let left = got - reserved;
        let own = streaming.max(left / STREAMING_PART / searches);
        shared.limit((left - searches * own, own));
        Ok(shared)
    }

    /// The same with these limits, however small they are.
    pub fn with_limits(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        searches: usize,
        limits: Option<(usize, usize)>,
    ) -> Result<Self, MineError> {
        let tree = Arc::new(Tree::new(&graphs, params.clone())?);
        let mut shared = Self { tree, options, searches, limits: None, graphs: graphs.into(), params };
        if let Some(limits) = limits {
            shared.limit(limits);
        }
        Ok(shared)
    }

    /// Limits the tree, and each search once it has left it, to so many bytes.
    fn limit(&mut self, limits: (usize, usize)) {
        let tree = Arc::get_mut(&mut self.tree).expect("no search has it yet");
        tree.limit_embeddings(limits.0 / 2);
        self.limits = Some(limits);
    }

    /// Whether the memory is likely to be enough for all that the tree grows to. If not, searches that come one after
    /// the other had better have all of it, each for a tree of its own.
    pub fn is_likely_to_fit(&self) -> bool {
        let expected = EXPECTED_GROWTH * TreeSearch::initial_memory(&self.tree);
        self.limits.is_none_or(|(shared, _)| expected <= shared)
    }

    /// A search over it.
    pub fn search(&self) -> BudgetedSearch {
        self.search_with(self.options.threads)
    }

    /// The same with another number of threads.
    pub fn search_with(&self, threads: usize) -> BudgetedSearch {
        let options = SearchOptions { threads, ..self.options };
        let search = TreeSearch::new(Arc::clone(&self.tree), options);
        let Some((shared, own)) = self.limits else { return BudgetedSearch::over(search, None) };
        let fallback = Fallback::new(Arc::clone(&self.graphs), self.params.clone(), own);
        BudgetedSearch::over(search.with_memory_limit(shared, self.searches), Some(fallback))
    }

    /// A search over some of its graphs, by their increasing numbers.
    pub fn search_among(&self, rows: Vec<u32>) -> SubsetSearch {
        let mut search = TreeSearch::new(Arc::clone(&self.tree), self.options);
        if let Some((shared, _)) = self.limits {
            search = search.with_memory_limit(shared, self.searches);
        }
        let (graphs, params, options) = (Arc::clone(&self.graphs), self.params.clone(), self.options);
        let leave = Leave { graphs, params, options, limit: self.limits.map(|(_, own)| own) };
        SubsetSearch::new(search, leave, rows)
    }
}
