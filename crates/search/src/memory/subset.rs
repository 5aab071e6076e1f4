//! A search over some of the graphs of a tree that others share: the folds of a cross-validation.
//!
//! Promise: the answer is that of a search over these graphs alone, bit for bit, and counted in their numbers:
//! supports, classes and `min_support` are those of the graphs themselves. Graphs outside have rows of zeros in delta,
//! which change no sum, and sums run over blocks of the search's own rows.
//!
//! A pattern with qualifiers that say nothing on these graphs is in the class of one without them, but a tree of these
//! graphs alone does not have it. So where single patterns compete, and where members of a class are listed, the search
//! leaves the shared tree and goes on over its own graphs; so it does when the shared tree has reached its memory
//! limit. Tested against separate searches in `tests/subset_search.rs`.

use super::budgeted::BudgetedSearch;
use crate::bound::{BLOCK_ROWS, Delta};
use crate::query::{ActivePattern, Candidate, Competes, Query, SearchResult};
use crate::tree::{Fate, SearchOptions, SomeGraphs, TreeError, TreeSearch};
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::mine::MineParams;
use einsicht_graph::{DfsCode, Graph, Support};
use std::sync::Arc;

/// A search over some graphs of a shared tree.
pub struct SubsetSearch {
    search: TreeSearch,
    /// The search over its own graphs, once it has left the shared tree.
    own: Option<BudgetedSearch>,
    /// All that is needed to leave it.
    leave: Leave,
    /// The graphs, by their numbers in the tree; increasing.
    rows: Vec<u32>,
    /// For each graph of the tree its number among these.
    numbers: Vec<u32>,
    /// The first graph of each block of these but the first.
    block_starts: Vec<u32>,
}

/// What a search over its own graphs is made from.
pub(super) struct Leave {
    /// All graphs of the shared tree.
    pub(super) graphs: Arc<[Graph]>,
    pub(super) params: MineParams,
    pub(super) options: SearchOptions,
    /// Bytes for a search of its own, if there is a limit.
    pub(super) limit: Option<usize>,
}

impl SubsetSearch {
    /// Over these graphs, by their increasing numbers in the tree.
    pub(super) fn new(search: TreeSearch, leave: Leave, rows: Vec<u32>) -> Self {
        debug_assert!(rows.is_sorted_by(|a, b| a < b));
        let graphs = search.tree().num_graphs();
        let mut numbers = vec![0; graphs];
        for (number, &row) in rows.iter().enumerate() {
            numbers[row as usize] = number as u32;
        }
        let search = search.among(SomeGraphs::new(&rows, graphs, leave.params.min_support));
        let block_starts = rows.iter().copied().step_by(BLOCK_ROWS).skip(1).collect();
        Self { search, own: None, leave, rows, numbers, block_starts }
    }

    /// Whether it still searches the shared tree.
    pub fn shares(&self) -> bool {
        self.own.is_none()
    }

    /// The search over its own graphs, which it has from now on.
    fn own(&mut self) -> &mut BudgetedSearch {
        self.own.get_or_insert_with(|| {
            let Leave { graphs, params, options, limit } = &self.leave;
            let graphs: Vec<Graph> = self.rows.iter().map(|&row| graphs[row as usize].clone()).collect();
            let search = match limit {
                Some(limit) => BudgetedSearch::with_limit(graphs, params, *options, *limit),
                None => BudgetedSearch::new(graphs, params.clone(), *options, 0),
            };
            search.expect("the shared tree has the same parameters and all these graphs")
        })
    }

    /// A support of the tree, restricted to these graphs and in their numbers.
    fn to_subset(&self, support: &Support) -> Arc<Support> {
        let some = self.search.some_graphs();
        let (mut graphs, counts) = some.map_or_else(Default::default, |some| some.restrict(support));
        for graph in &mut graphs {
            *graph = self.numbers[*graph as usize];
        }
        Support::detached(graphs, counts)
    }

    /// A support among these graphs, in the numbers of the tree.
    fn to_tree(&self, support: &Support) -> Arc<Support> {
        let graphs = support.graphs().iter().map(|&graph| self.rows[graph as usize]).collect();
        Support::detached(graphs, support.counts().to_vec())
    }

    /// The answer from the shared tree, with the fate of a pattern that somebody asks about, if there is such a
    /// pattern.
    fn answer_shared(
        &mut self,
        query: &Query<'_>,
        asked: Option<&DfsCode>,
    ) -> Result<(SearchResult, Option<Fate>), TreeError> {
        let (graphs, rows) = (self.rows.len(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows }.into());
        }
        let units = query.delta.hidden_units();
        let mut delta = vec![0.0; self.numbers.len() * units];
        for (&row, from) in self.rows.iter().zip(query.delta.values().chunks_exact(units)) {
            delta[row as usize * units..][..units].copy_from_slice(from);
        }
        let active =
            |pattern: &ActivePattern| ActivePattern { support: self.to_tree(&pattern.support), ..pattern.clone() };
        let active: Vec<ActivePattern> = query.active.iter().map(active).collect();
        let banned: Vec<Arc<Support>> = query.banned.iter().map(|support| self.to_tree(support)).collect();
        let delta = Delta::with_blocks(&delta, units, &self.block_starts)?;
        let query = Query { delta, active: &active, banned: &banned, ..*query };
        let (mut result, fate) = self.search.answer(&query, asked)?;
        for Candidate { support, .. } in &mut result.candidates {
            *support = self.to_subset(support);
        }
        Ok((result, fate))
    }
}

impl Search for SubsetSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        if query.unit == Competes::Pattern || self.own.is_some() {
            return self.own().search(query);
        }
        match self.answer_shared(query, None) {
            Ok((result, _)) => Ok(result),
            Err(TreeError::Search(error)) => Err(error),
            Err(TreeError::Full { .. }) => self.own().search(query),
        }
    }

    fn why(&mut self, query: &Query<'_>, code: &DfsCode) -> Result<(SearchResult, Fate), SearchError> {
        if query.unit == Competes::Pattern || self.own.is_some() {
            return self.own().why(query, code);
        }
        match self.answer_shared(query, Some(code)) {
            Ok((result, Some(fate))) => Ok((result, fate)),
            Ok((_, None)) => Err(SearchError::NoSuchPattern { edges: code.num_edges() }),
            Err(TreeError::Search(error)) => Err(error),
            Err(TreeError::Full { .. }) => self.own().why(query, code),
        }
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        if self.own.is_some() {
            return self.own().lookup(code);
        }
        match self.search.try_lookup(code) {
            Ok(support) => {
                let support = self.to_subset(&support);
                let enough = support.len() >= self.leave.params.min_support;
                if enough { Ok(support) } else { Err(SearchError::NoSuchPattern { edges: code.num_edges() }) }
            }
            Err(TreeError::Search(error)) => Err(error),
            Err(TreeError::Full { .. }) => self.own().lookup(code),
        }
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.own().class(support)
    }
}
