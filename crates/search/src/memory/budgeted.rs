//! A search within a memory limit: a tree as long as it fits, then without its embeddings, then no tree.
//!
//! Promise: the answers do not depend on the limit, only the time does. Memory is counted before it grows: nodes,
//! supports, embeddings, and what the search knows about each. When the limit is reached, all embeddings are evicted
//! and recomputed where needed. When it is reached once more, the tree is left for good: a [`StreamingSearch`] answers
//! this query, with the threshold that the tree had reached, and all that follow. Nothing is grown, evicted and grown
//! again, so a limit costs at most one tree and one walk for each pass (`docs/decisions/0037-two-rungs-of-memory.md`).
//!
//! Does not know what else the program holds. Tested over whole trainings in `crates/train/tests/budgets.rs`.

use crate::query::{Query, SearchResult};
use crate::tree::{Fate, SearchOptions, TreeError, TreeSearch};
use crate::{Search, SearchError, StreamingSearch, SupportClass};
use einsicht_graph::mine::{MineError, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;

/// A search within a memory limit.
pub struct BudgetedSearch {
    engine: Engine,
    /// Present where there is a limit.
    fallback: Option<Fallback>,
    /// Those of a tree that was left.
    earlier: Evictions,
}

#[expect(clippy::large_enum_variant, reason = "there is one for each training")]
enum Engine {
    Tree(TreeSearch),
    Streaming(StreamingSearch),
}

/// All that is needed to go on when the tree has reached its limit.
pub(super) struct Fallback {
    graphs: Arc<[Graph]>,
    params: MineParams,
    /// Bytes for streaming.
    limit: usize,
}

/// What did not fit and was recomputed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evictions {
    /// Lists of embeddings that were evicted or not kept.
    pub embeddings: u64,
    /// Expansions whose embeddings had been evicted, and all those without a tree.
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
        let params = MineParams { memory: None, ..params };
        let tree = Tree::new(&graphs, params.clone())?;
        let smallest = reserved + TreeSearch::initial_memory(&tree) + tree.min_mine_memory();
        if got < smallest {
            return Err(MineError::BudgetTooSmall { smallest, got });
        }
        Ok(Self::over_own(tree, Fallback { graphs: graphs.into(), params, limit: got - reserved }, options))
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
        Ok(Self::over_own(tree, Fallback { graphs: graphs.into(), params, limit }, options))
    }

    /// Over a tree that no other search uses.
    fn over_own(mut tree: Tree, fallback: Fallback, options: SearchOptions) -> Self {
        // Embeddings serve expansions; nodes and supports serve every pass.
        tree.limit_embeddings(fallback.limit / 2);
        let search = TreeSearch::new(tree, options).with_memory_limit(fallback.limit, 1);
        Self::over(search, Some(fallback))
    }

    pub(super) fn over(search: TreeSearch, fallback: Option<Fallback>) -> Self {
        Self { engine: Engine::Tree(search), fallback, earlier: Evictions::default() }
    }

    /// Bytes of the tree and of all that is known about it, by its own count; none once it was left.
    pub fn memory(&self) -> usize {
        match &self.engine {
            Engine::Tree(search) => search.memory(),
            Engine::Streaming(_) => 0,
        }
    }

    /// Asks the tree. When it has no memory for an answer, it is left, and asked is the stream.
    fn ask<T>(
        &mut self,
        tree: impl FnOnce(&mut TreeSearch) -> Result<T, TreeError>,
        stream: impl FnOnce(&mut StreamingSearch, f64) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut reached = f64::NEG_INFINITY;
        if let Engine::Tree(search) = &mut self.engine {
            match tree(search) {
                Ok(answer) => return Ok(answer),
                Err(TreeError::Search(error)) => return Err(error),
                Err(TreeError::Full { zeta }) => reached = zeta,
            }
            self.earlier.add_tree(search.tree());
            let fallback = self.fallback.as_ref().expect("only a tree with a limit is ever full");
            let limit = fallback.limit.max(search.tree().min_mine_memory());
            let params = MineParams { memory: Some(limit), ..fallback.params.clone() };
            let streaming = StreamingSearch::new(Arc::clone(&fallback.graphs), params);
            self.engine = Engine::Streaming(streaming.expect("the tree had the same"));
        }
        let Engine::Streaming(search) = &mut self.engine else { unreachable!("the tree was left") };
        self.earlier.streamed += 1;
        stream(search, reached)
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
    pub(super) fn new(graphs: Arc<[Graph]>, params: MineParams, limit: usize) -> Self {
        Self { graphs, params, limit }
    }
}

/// Memory of a list of graphs whose arrays others hold, in bytes.
pub(super) fn memory_of(graphs: &[Graph]) -> usize {
    std::mem::size_of_val(graphs)
}

impl Search for BudgetedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        self.ask(
            |tree| tree.try_search(query),
            |stream, zeta| stream.search(&Query { floor: query.floor.max(zeta), ..*query }),
        )
    }

    fn why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), SearchError> {
        self.ask(|tree| tree.try_why(query, code), |stream, _| stream.why(query, code))
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.ask(|tree| tree.try_lookup(code), |stream, _| stream.lookup(code))
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.ask(|tree| Ok(SupportClass::from_members(tree.try_members(support)?)), |stream, _| stream.class(support))
    }

    fn evictions(&self) -> Evictions {
        let mut evictions = self.earlier;
        match &self.engine {
            Engine::Tree(search) => evictions.add_tree(search.tree()),
            Engine::Streaming(search) => evictions.recomputed += search.mined().expanded,
        }
        evictions
    }
}
