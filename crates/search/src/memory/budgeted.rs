//! A search within a memory limit: the tree as long as it fits, then without its embeddings, then without the subtrees that
//! recent passes did not open, and for a pass that does not fit even so, without a tree.
//!
//! Promise: the answers do not depend on the limit, only the time does. Memory is counted before it grows: nodes,
//! supports, embeddings, and what the search knows about each. When the limit is reached, all embeddings are evicted
//! and recomputed where needed. When it is reached once more, the pass is given up, the subtrees of nodes that
//! neither this nor the last pass has opened are evicted, and the pass starts again, with the threshold that it had
//! reached. If that is not enough, all but the roots are evicted; if a pass does not fit then, a [`StreamingSearch`]
//! answers it, with the threshold that the tree had reached.
//!
//! Does not know what else the program holds. Tested over whole trainings in `crates/learn/tests/budgets.rs`.

use crate::query::{Query, SearchResult};
use crate::tree::{Keep, SearchOptions, TreeError, TreeSearch};
use crate::{Search, SearchError, StreamingSearch, SupportClass};
use einsicht_graph::mine::{MineError, MineParams, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;

/// A search within a memory limit.
pub struct BudgetedSearch {
    search: TreeSearch,
    /// Present where there is a limit.
    fallback: Option<Fallback>,
    /// Whether the last pass did not fit: then the next one gets one try with the tree, which at least finds a threshold.
    was_streamed: bool,
    /// Those of trees that are gone, and all evicted patterns.
    earlier: Evictions,
}

/// All that is needed to go on when the tree has reached its limit.
pub(super) struct Fallback {
    graphs: Arc<[Graph]>,
    params: MineParams,
    options: SearchOptions,
    /// Bytes for a tree that no other search uses, or for streaming.
    limit: usize,
    streaming: Option<StreamingSearch>,
}

/// What was evicted and recomputed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evictions {
    /// Lists of embeddings that were evicted or not kept.
    pub embeddings: u64,
    /// Patterns that were evicted with their subtrees.
    pub patterns: u64,
    /// Expansions that were repeated, or whose embeddings had been evicted.
    pub recomputed: u64,
    /// Queries that were answered without a tree.
    pub streamed: u64,
}

impl BudgetedSearch {
    /// A search over these graphs. `params.memory` is the limit, of which `reserved` bytes are for others. If it is
    /// too small, the error says which is the smallest that works.
    pub fn new(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        reserved: usize,
    ) -> Result<Self, MineError> {
        let Some(got) = params.memory else {
            return Ok(Self::over(TreeSearch::new(Tree::new(&graphs, params)?, options), None));
        };
        let reserved = reserved + memory_of(&graphs);
        let search = Self::with_limit(graphs, &params, options, got.saturating_sub(reserved))?;
        let smallest = reserved + search.memory() + search.tree().min_mine_memory();
        if got < smallest { Err(MineError::BudgetTooSmall { smallest, got }) } else { Ok(search) }
    }

    /// The same with a limit for the tree and all that is known about it, however small that is.
    pub fn with_limit(
        graphs: Vec<Graph>,
        params: &MineParams,
        options: SearchOptions,
        limit: usize,
    ) -> Result<Self, MineError> {
        let params = MineParams { memory: None, ..params.clone() };
        let tree = Tree::new(&graphs, params.clone())?;
        let fallback = Fallback::new(graphs.into(), params, options, limit);
        Ok(Self::over(fallback.search_over(tree), Some(fallback)))
    }

    pub(super) fn over(search: TreeSearch, fallback: Option<Fallback>) -> Self {
        Self { search, fallback, was_streamed: false, earlier: Evictions::default() }
    }

    /// The tree, as far as it has grown and was not evicted.
    pub fn tree(&self) -> &Tree {
        self.search.tree()
    }

    /// Bytes of the tree and of all that is known about it, by its own count.
    pub fn memory(&self) -> usize {
        self.search.memory()
    }

    /// Asks the tree; evicts and asks again until it has an answer. Nothing if there is nothing left to evict.
    fn ask_tree<T>(
        &mut self,
        mut ask: impl FnMut(&mut TreeSearch) -> Result<T, TreeError>,
    ) -> Result<Option<T>, SearchError> {
        let mut keep = if self.was_streamed { None } else { Some(Keep::Recent) };
        loop {
            match ask(&mut self.search) {
                Ok(answer) => return Ok(Some(answer)),
                Err(TreeError::Search(error)) => return Err(error),
                Err(TreeError::Full { .. }) => {
                    let Some(kept) = keep else {
                        // The memory is for streaming.
                        self.evict(Keep::Roots);
                        return Ok(None);
                    };
                    keep = self.evict(kept);
                }
            }
        }
    }

    /// Evicts subtrees. Gives what to keep the next time; nothing if there is nothing left to evict.
    fn evict(&mut self, keep: Keep) -> Option<Keep> {
        let Some(evicted) = self.search.evict(keep) else {
            self.leave_shared_tree();
            return Some(keep);
        };
        self.earlier.patterns += evicted as u64;
        match keep {
            Keep::Recent if self.search.is_nearly_full() => self.evict(Keep::Roots),
            Keep::Recent => Some(Keep::Roots),
            Keep::Roots => None,
        }
    }

    /// Other searches go on with the shared tree; this search gets one of its own.
    fn leave_shared_tree(&mut self) {
        let fallback = self.fallback.as_ref().expect("only a tree with a limit is ever full");
        let tree = Tree::new(&fallback.graphs, fallback.params.clone()).expect("there was a tree of these graphs");
        self.earlier.add_tree(self.search.tree());
        self.earlier.patterns += self.search.tree().sizes().0 as u64;
        self.search = fallback.search_over(tree);
    }

    /// The search without a tree.
    fn streaming(&mut self) -> &mut StreamingSearch {
        let fallback = self.fallback.as_mut().expect("only a tree with a limit is ever full");
        self.earlier.streamed += 1;
        let streaming = fallback.streaming.get_or_insert_with(|| {
            let graphs = Arc::clone(&fallback.graphs);
            StreamingSearch::new(graphs, fallback.params.clone()).expect("the tree had the same")
        });
        let left = fallback.limit.saturating_sub(self.search.memory());
        streaming.limit_memory(left.max(self.search.tree().min_mine_memory()));
        streaming
    }
}

impl Evictions {
    /// Adds those of a tree.
    fn add_tree(&mut self, tree: &Tree) {
        self.embeddings += tree.evicted_embeddings();
        self.recomputed += tree.stats().mined.recomputed;
    }
}

impl Fallback {
    pub(super) fn new(graphs: Arc<[Graph]>, params: MineParams, options: SearchOptions, limit: usize) -> Self {
        Self { graphs, params, options, limit, streaming: None }
    }

    /// The search over a tree that no other search uses.
    fn search_over(&self, mut tree: Tree) -> TreeSearch {
        // Embeddings serve expansions; nodes and supports serve every pass.
        tree.limit_embeddings(self.limit / 2);
        TreeSearch::new(tree, self.options).with_memory_limit(self.limit, 1)
    }
}

/// Memory of a list of graphs whose arrays others hold, in bytes.
pub(super) fn memory_of(graphs: &[Graph]) -> usize {
    std::mem::size_of_val(graphs)
}

impl Search for BudgetedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let mut floor = query.floor;
        let answer = self.ask_tree(|tree| {
            let answer = tree.try_search(&Query { floor, ..*query });
            if let Err(TreeError::Full { zeta }) = answer {
                floor = floor.max(zeta);
            }
            answer
        });
        self.was_streamed = matches!(answer, Ok(None));
        match answer? {
            Some(answer) => Ok(answer),
            None => self.streaming().search(&Query { floor, ..*query }),
        }
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        match self.ask_tree(|tree| tree.try_lookup(code))? {
            Some(support) => Ok(support),
            None => self.streaming().lookup(code),
        }
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        match self.ask_tree(|tree| tree.try_members(support))? {
            Some(members) => Ok(SupportClass::from_members(members)),
            None => self.streaming().class(support),
        }
    }

    fn evictions(&self) -> Evictions {
        let streaming = self.fallback.as_ref().and_then(|fallback| fallback.streaming.as_ref());
        let mut evictions = self.earlier;
        evictions.add_tree(self.search.tree());
        evictions.recomputed += streaming.map_or(0, |streaming| streaming.mined().expanded);
        evictions
    }
}
