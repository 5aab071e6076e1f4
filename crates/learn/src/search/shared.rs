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
        let (budget, params) = (params.memory, MineParams { memory: None, ..params });
        let mut tree = Tree::new(&graphs, params.clone())?;
        let mut limits = None;
        if let Some(got) = budget {
            let beside = searches * beside + graphs.iter().map(bytes_of).sum::<usize>();
            let held = PrunedSearch::held_at_first(&tree);
            // Each needs room for a tree that has not grown, and for a walk.
            let smallest = beside + 2 * searches * (held + tree.least_for_walks());
            if got < smallest {
                return Err(MineError::BudgetTooSmall { smallest, got });
            }
            let half = (got - beside) / 2;
            tree.limit_rows(half / 2);
            limits = Some((half, half / searches));
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
