//! One tree for several searches at the same time, within one budget.
//!
//! While everything fits in half of the budget, all grow and read the same tree. A search for which it may not grow on
//! leaves it for the others and goes on with its part of the other half. Answers do not depend on any of this.

use super::budgeted::{BudgetedSearch, Reserve, bytes_of};
use super::{PrunedSearch, SearchOptions};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineError, MineParams, Tree};
use std::sync::Arc;

/// A tree to share.
pub struct SharedTree {
    tree: Arc<Tree>,
    options: SearchOptions,
    searches: usize,
    /// Present where there is a budget: bytes for the shared tree, and for each search once it has left it.
    limits: Option<(usize, usize)>,
    graphs: Arc<[Graph]>,
    params: MineParams,
}

impl SharedTree {
    /// For at most `searches` at a time. `params.memory` is the budget, of which each search leaves `beside` bytes to others. If
    /// it is too small, the smallest that works is told.
    pub fn new(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        searches: usize,
        beside: usize,
    ) -> Result<Self, MineError> {
        let Some(got) = params.memory else { return Self::within(graphs, params, options, searches, None) };
        let params = MineParams { memory: None, ..params };
        let beside = searches * beside + graphs.iter().map(bytes_of).sum::<usize>();
        let half = got.saturating_sub(beside) / 2;
        let shared = Self::within(graphs, params, options, searches, Some((half, half / searches)))?;
        // Each needs room for a tree that has not grown, and for a walk.
        let each = PrunedSearch::held_at_first(&shared.tree) + shared.tree.min_mine_memory();
        let smallest = beside + 2 * searches * each;
        if got < smallest { Err(MineError::BudgetTooSmall { smallest, got }) } else { Ok(shared) }
    }

    /// The same with these limits, however small they are.
    pub fn within(
        graphs: Vec<Graph>,
        params: MineParams,
        options: SearchOptions,
        searches: usize,
        limits: Option<(usize, usize)>,
    ) -> Result<Self, MineError> {
        let mut tree = Tree::new(&graphs, params.clone())?;
        if let Some((shared, _)) = limits {
            tree.limit_embeddings(shared / 2);
        }
        Ok(Self { tree: Arc::new(tree), options, searches, limits, graphs: graphs.into(), params })
    }

    /// A search over it.
    pub fn search(&self) -> BudgetedSearch {
        let search = PrunedSearch::new(Arc::clone(&self.tree), self.options);
        let Some((shared, own)) = self.limits else { return BudgetedSearch::over(search, None) };
        let reserve = Reserve::new(Arc::clone(&self.graphs), self.params.clone(), self.options, own);
        BudgetedSearch::over(search.within_bytes(shared, self.searches), Some(reserve))
    }
}
