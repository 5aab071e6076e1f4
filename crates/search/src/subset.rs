//! A search over some of the graphs of a tree that others share: the folds of a cross-validation.
//!
//! Promise: the answer is that of a search over these graphs alone, bit for bit, and counted in their numbers: supports, classes
//! and `min_support` are those of the graphs themselves. Graphs outside have rows of zeros in delta, which change no sum. For
//! competitors that are support classes: a pattern with qualifiers that say nothing on these graphs is in the class of one without
//! them, but a tree of these graphs alone does not have it. So single patterns would not compete as they do there, and [`Search::class`]
//! may list such members.
//!
//! Tested against separate searches in `tests/subset_search.rs`.

use crate::bound::Delta;
use crate::query::{ActivePattern, Candidate, Query, SearchResult};
use crate::tree::{SomeGraphs, TreeSearch};
use crate::{Search, SearchError, SupportClass};
use einsicht_graph::{DfsCode, Support};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A search over some graphs of a shared tree.
pub struct SubsetSearch {
    search: TreeSearch,
    /// The graphs, by their numbers in the tree; increasing.
    rows: Vec<u32>,
    /// For each graph of the tree its number among these.
    numbers: Vec<u32>,
    min_support: usize,
}

impl SubsetSearch {
    /// Over these graphs, by their increasing numbers in the tree. A pattern must be in at least `min_support` of them, and the tree must hold all
    /// patterns that are.
    pub fn new(search: TreeSearch, rows: Vec<u32>, min_support: usize) -> Self {
        debug_assert!(rows.is_sorted_by(|a, b| a < b));
        let graphs = search.tree().num_graphs();
        let mut numbers = vec![0; graphs];
        for (number, &row) in rows.iter().enumerate() {
            numbers[row as usize] = number as u32;
        }
        Self { search: search.among(SomeGraphs::new(&rows, graphs, min_support)), rows, numbers, min_support }
    }

    /// Stops every pass with [`SearchError::Stopped`] while this flag is set.
    pub fn stop_on(&mut self, flag: &Arc<AtomicBool>) {
        self.search.stop_on(flag);
    }

    /// A support of the tree, restricted to these graphs and in their numbers.
    fn to_subset(&self, support: &Support) -> Arc<Support> {
        let (mut graphs, counts) =
            self.search.some_graphs().map_or_else(Default::default, |some| some.restrict(support));
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
}

impl Search for SubsetSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let (graphs, rows) = (self.rows.len(), query.delta.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
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
        let delta = Delta::new(&delta, units)?;
        let mut answer = self.search.search(&Query { delta, active: &active, banned: &banned, ..*query })?;
        for Candidate { support, .. } in &mut answer.candidates {
            *support = self.to_subset(support);
        }
        Ok(answer)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let support = self.search.lookup(code)?;
        let support = self.to_subset(&support);
        if support.len() < self.min_support {
            return Err(SearchError::NoSuchPattern { edges: code.num_edges() });
        }
        Ok(support)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let support = self.to_tree(support);
        self.search.class(&support)
    }
}
