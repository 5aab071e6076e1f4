//! A search that keeps within a number of bytes: the tree as long as it fits, then without its embeddings, then without
//! the subtrees that are not needed just now, and for a pass that does not fit even so, without a tree.
//!
//! Promise: the answers do not depend on the budget, only the time does. What is held is counted before it grows: nodes,
//! supports, embeddings, and what the search knows of each. When the limit is reached, all embeddings are dropped and
//! derived again where needed. When it is reached once more, the pass is given up, what was grown below nodes that
//! neither this nor the last pass has opened is dropped, and the pass begins again, with the threshold that it had reached.
//! If that is not enough, all but the single edges goes; if a pass does not fit then, it walks over the graphs and
//! keeps nothing ([`WalkedSearch`]), but for the threshold that the tree had led to.
//!
//! Does not know what else the program holds. Tested over whole trainings in `tests/budgets.rs`.

use super::{Found, PrunedSearch, Query, Search, SearchError, SearchOptions, SupportClass, WalkedSearch};
use einsicht_graph::mine::{MineError, MineParams, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A search within a budget of memory.
pub struct BudgetedSearch {
    search: PrunedSearch,
    /// Present where there is a budget.
    reserve: Option<Reserve>,
    stop: Arc<AtomicBool>,
    /// Whether the last pass did not fit: then the next one gets one try with the tree, which at least finds a threshold.
    walked: bool,
    before: Dropped,
}

/// All that is needed to go on when the tree has reached its limit.
pub(super) struct Reserve {
    graphs: Arc<[Graph]>,
    params: MineParams,
    options: SearchOptions,
    /// Bytes for a tree of one's own, or a walk.
    limit: usize,
    walk: Option<WalkedSearch>,
}

/// What was dropped and made again so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Lists of embeddings that were dropped or not kept.
    pub embeddings: u64,
    /// Patterns that were dropped with the subtrees that they belong to.
    pub patterns: u64,
    /// Expansions that were made before, or whose embeddings had been dropped.
    pub rederived: u64,
    /// Questions that were answered without a tree.
    pub walks: u64,
}

/// What stays when there must be room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// What this or the last pass has opened.
    Lately,
    /// The patterns of one edge.
    Roots,
}

impl BudgetedSearch {
    /// A search over these graphs. `params.memory` is the budget, of which `beside` bytes are for others. If it is too small,
    /// the smallest that works is told.
    pub fn new(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        beside: usize,
    ) -> Result<Self, MineError> {
        let Some(got) = params.memory else {
            return Ok(Self::over(PrunedSearch::new(Tree::new(&graphs, params)?, options), None));
        };
        let beside = beside + graphs.iter().map(bytes_of).sum::<usize>();
        let search = Self::within(graphs, &params, options, got.saturating_sub(beside))?;
        let smallest = beside + search.held() + search.tree().min_mine_memory();
        if got < smallest { Err(MineError::BudgetTooSmall { smallest, got }) } else { Ok(search) }
    }

    /// The same, and the tree with all that belongs to it may take no more than `limit` bytes, however small that is.
    pub fn within(
        graphs: Vec<Graph>,
        params: &MineParams,
        options: SearchOptions,
        limit: usize,
    ) -> Result<Self, MineError> {
        let params = MineParams { memory: None, ..params.clone() };
        let tree = Tree::new(&graphs, params.clone())?;
        let reserve = Reserve::new(graphs.into(), params, options, limit);
        Ok(Self::over(reserve.search(tree), Some(reserve)))
    }

    pub(super) fn over(search: PrunedSearch, reserve: Option<Reserve>) -> Self {
        Self { search, reserve, stop: Arc::default(), walked: false, before: Dropped::default() }
    }

    /// Ends every pass with [`SearchError::Stopped`] once this flag is up, see [`PrunedSearch::stop_on`].
    pub fn stop_on(&mut self, flag: &Arc<AtomicBool>) {
        self.stop = Arc::clone(flag);
        self.search.stop_on(flag);
        if let Some(walk) = self.reserve.as_mut().and_then(|reserve| reserve.walk.as_mut()) {
            walk.stop_on(flag);
        }
    }

    /// The tree, as far as it has grown and was not dropped.
    pub fn tree(&self) -> &Tree {
        self.search.tree()
    }

    /// Bytes that the tree and all that belongs to it take, as it counts them.
    pub fn held(&self) -> usize {
        self.search.held()
    }

    /// What was dropped so far.
    pub fn dropped(&self) -> Dropped {
        let walk = self.reserve.as_ref().and_then(|reserve| reserve.walk.as_ref());
        Dropped {
            embeddings: self.before.embeddings + self.search.tree().evicted_embeddings(),
            rederived: self.before.rederived
                + self.search.tree().stats().mined.recomputed
                + walk.map_or(0, |walk| walk.mined().expanded),
            ..self.before
        }
    }

    /// Asks the tree, and makes room and asks again until it has an answer or there is no more room to make.
    fn ask_tree<T>(
        &mut self,
        mut ask: impl FnMut(&mut PrunedSearch) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut keep = if self.walked { None } else { Some(Keep::Lately) };
        loop {
            let answer = ask(&mut self.search);
            match (&answer, keep) {
                (Err(SearchError::OutOfMemory), Some(kept)) => keep = self.make_room(kept),
                (Err(SearchError::OutOfMemory), None) => {
                    // The memory is for the walk.
                    self.make_room(Keep::Roots);
                    return answer;
                }
                _ => return answer,
            }
        }
    }

    /// Drops subtrees and says what may be dropped next.
    fn make_room(&mut self, keep: Keep) -> Option<Keep> {
        let first = match keep {
            Keep::Lately => self.search.pass.saturating_sub(1).max(1),
            Keep::Roots => u32::MAX,
        };
        let Some(dropped) = self.search.close_before(first) else {
            self.leave_shared_tree();
            return Some(keep);
        };
        self.before.patterns += dropped as u64;
        match keep {
            // With little room, it would soon be full again.
            Keep::Lately if self.search.held() > self.search.limit.most / 4 * 3 => self.make_room(Keep::Roots),
            Keep::Lately => Some(Keep::Roots),
            Keep::Roots => None,
        }
    }

    /// Others go on with the tree; this search gets one of its own.
    fn leave_shared_tree(&mut self) {
        let Some(reserve) = &self.reserve else { return };
        let tree = Tree::new(&reserve.graphs, reserve.params.clone()).expect("there was a tree of these graphs");
        self.before.embeddings += self.search.tree().evicted_embeddings();
        self.before.rederived += self.search.tree().stats().mined.recomputed;
        self.before.patterns += self.search.tree().sizes().0 as u64;
        self.search = reserve.search(tree);
        self.search.stop_on(&self.stop);
    }

    /// The search without a tree.
    fn walk(&mut self) -> Result<&mut WalkedSearch, SearchError> {
        let Some(reserve) = &mut self.reserve else { return Err(SearchError::OutOfMemory) };
        self.before.walks += 1;
        let walk = reserve.walk.get_or_insert_with(|| {
            let graphs = Arc::clone(&reserve.graphs);
            let mut walk = WalkedSearch::new(graphs, reserve.params.clone()).expect("the tree had the same");
            walk.stop_on(&self.stop);
            walk
        });
        let left = reserve.limit.saturating_sub(self.search.held());
        walk.limit_memory(left.max(self.search.tree().min_mine_memory()));
        Ok(walk)
    }
}

impl Reserve {
    pub(super) fn new(graphs: Arc<[Graph]>, params: MineParams, options: SearchOptions, limit: usize) -> Self {
        Self { graphs, params, options, limit, walk: None }
    }

    /// The search over a tree of its own.
    fn search(&self, mut tree: Tree) -> PrunedSearch {
        // Rows serve expansions, nodes and supports serve every pass.
        tree.limit_embeddings(self.limit / 2);
        PrunedSearch::new(tree, self.options).within_bytes(self.limit, 1)
    }
}

/// Memory of a graph, about.
pub(super) fn bytes_of(graph: &Graph) -> usize {
    128 + 16 * graph.num_vertices() + 48 * graph.num_edges()
}

impl Search for BudgetedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError> {
        self.search.limit.reached = query.floor;
        let answer = self.ask_tree(|tree| {
            let floor = query.floor.max(tree.limit.reached);
            tree.search(&Query { floor, ..*query })
        });
        self.walked = matches!(answer, Err(SearchError::OutOfMemory));
        if !self.walked {
            return answer;
        }
        let floor = query.floor.max(self.search.limit.reached);
        self.walk()?.search(&Query { floor, ..*query })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        match self.ask_tree(|tree| tree.lookup(code)) {
            Err(SearchError::OutOfMemory) => self.walk()?.lookup(code),
            answer => answer,
        }
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        match self.ask_tree(|tree| tree.class(support)) {
            Err(SearchError::OutOfMemory) => self.walk()?.class(support),
            answer => answer,
        }
    }
}
