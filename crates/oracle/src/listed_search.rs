//! A search over a complete list of patterns: every competitor is scored by definition, then all scores are sorted.
//!
//! Promise: no tree, no pruning, no memory of earlier questions; gradients, norms and scores are written out again
//! here. A training with it is the training by exhaustive search.

use super::replay::Patterns;
use einsicht_graph::{DfsCode, Support};
use einsicht_search::bound::BLOCK_ROWS;
use einsicht_search::feature::Values;
use einsicht_search::{
    ActivePattern, ActiveScore, Candidate, Competes, Query, Rule, Search, SearchError, SearchResult, SearchStats,
    SupportClass, by_rank,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Supports by pattern, and the smallest pattern of each support.
pub(super) struct ListedSearch {
    patterns: Vec<(DfsCode, Arc<Support>)>,
    /// Where each pattern is in the list.
    index: FxHashMap<DfsCode, usize>,
    /// For each support the positions of its patterns, the smallest first.
    classes: FxHashMap<(Vec<u32>, Vec<u32>), Vec<usize>>,
    graphs: usize,
}

fn content(support: &Support) -> (Vec<u32>, Vec<u32>) {
    (support.graphs().to_vec(), support.counts().to_vec())
}

impl ListedSearch {
    /// Over these patterns of so many graphs.
    pub(super) fn new(patterns: &Patterns, graphs: usize) -> Self {
        let mut listed: Vec<(DfsCode, Arc<Support>)> = (patterns.iter())
            .map(|(code, (graphs, counts))| (code.clone(), Support::detached(graphs.clone(), counts.clone())))
            .collect();
        listed.sort_by(|a, b| a.0.cmp_by_size(&b.0));
        let index = listed.iter().enumerate().map(|(at, (code, _))| (code.clone(), at)).collect();
        let mut classes: FxHashMap<(Vec<u32>, Vec<u32>), Vec<usize>> = FxHashMap::default();
        for (at, (_, support)) in listed.iter().enumerate() {
            classes.entry(content(support)).or_default().push(at);
        }
        Self { patterns: listed, index, classes, graphs }
    }

    /// Number of cells that one question adds up.
    pub(super) fn cells(&self) -> usize {
        self.patterns.iter().map(|(_, support)| support.len()).sum()
    }

    /// Position of what an active pattern competes as.
    fn competitor(&self, pattern: &ActivePattern, unit: Competes) -> Result<usize, SearchError> {
        let found = match unit {
            Competes::SupportClass => self.classes.get(&content(&pattern.support)).map(|members| members[0]),
            Competes::Pattern => self.index.get(&pattern.code).copied(),
        };
        found.ok_or(SearchError::NoSuchPattern { edges: pattern.code.num_edges() })
    }
}

/// `grad_H`: for each hidden unit the positive products in the order of the graphs, plus the negative ones; both in
/// blocks of rows whose sums are added in order.
fn gradient(support: &Support, query: &Query<'_>) -> Vec<f64> {
    let (units, values): (usize, Values) = (query.delta.hidden_units(), query.values);
    let mut sums = vec![(0.0, 0.0); units];
    let cells: Vec<(usize, f64)> = values.column(support).cells().collect();
    for block in cells.chunk_by(|a, b| a.0 / BLOCK_ROWS == b.0 / BLOCK_ROWS) {
        for (unit, sums) in sums.iter_mut().enumerate() {
            let mut of_block = (0.0, 0.0);
            for &(graph, value) in block {
                let delta = query.delta.values()[graph * units + unit];
                *if delta > 0.0 { &mut of_block.0 } else { &mut of_block.1 } += delta * value;
            }
            sums.0 += of_block.0;
            sums.1 += of_block.1;
        }
    }
    sums.into_iter().map(|(positive, negative)| positive + negative).collect()
}

fn norm(vector: impl IntoIterator<Item = f64>) -> f64 {
    vector.into_iter().fold(0.0, |sum, x| sum + x * x).sqrt()
}

/// `eta_H`: the least, over all step sizes, of the norm after the step divided by the step.
fn active_score(pattern: &ActivePattern, gradient: &[f64], query: &Query<'_>) -> f64 {
    if pattern.pinned {
        return f64::INFINITY;
    }
    let after = |step: &f64| {
        let moved = pattern.weights.iter().zip(gradient).map(|(w, g)| w - step * (g + query.decay * w));
        norm(moved) / step
    };
    query.step_sizes.iter().map(after).fold(f64::INFINITY, f64::min)
}

impl Search for ListedSearch {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        if query.delta.num_graphs() != self.graphs {
            return Err(SearchError::OtherGraphs { graphs: self.graphs, rows: query.delta.num_graphs() });
        }
        let mut out = vec![false; self.patterns.len()];
        let mut active = Vec::with_capacity(query.active.len());
        for pattern in query.active {
            out[self.competitor(pattern, query.unit)?] = true;
            let gradient = gradient(&pattern.support, query);
            let score = active_score(pattern, &gradient, query);
            active.push(ActiveScore { gradient, score });
        }
        for support in query.banned {
            for &at in self.classes.get(&content(support)).into_iter().flatten() {
                out[at] = true;
            }
        }
        if query.unit == Competes::SupportClass {
            for &later in self.classes.values().flat_map(|members| &members[1..]) {
                out[later] = true;
            }
        }
        let mut candidates = Vec::new();
        for ((code, support), _) in self.patterns.iter().zip(&out).filter(|(_, out)| !**out) {
            let gradient = gradient(support, query);
            let score = norm(gradient.iter().copied());
            candidates.push(Candidate { code: code.clone(), support: Arc::clone(support), gradient, score });
        }
        candidates.sort_by(|a, b| by_rank((a.score, &a.code), (b.score, &b.code)));
        let zeta = match query.rule {
            Rule::Above(lambda) => lambda,
            Rule::Top(size) => {
                let mut scores: Vec<f64> = candidates.iter().map(|c| c.score).collect();
                scores.extend(active.iter().map(|a| a.score));
                scores.sort_by(|a, b| b.total_cmp(a));
                scores.get(size - 1).copied().unwrap_or(f64::NEG_INFINITY)
            }
        };
        candidates.retain(|c| if matches!(query.rule, Rule::Top(_)) { c.score >= zeta } else { c.score > zeta });
        let stats = SearchStats { visited: self.patterns.len() as u64, ..SearchStats::default() };
        Ok(SearchResult { candidates, active, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let missing = || SearchError::NoSuchPattern { edges: code.num_edges() };
        let at = self.index.get(code).ok_or_else(missing)?;
        Ok(Arc::clone(&self.patterns[*at].1))
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let members = self.classes.get(&content(support)).into_iter().flatten();
        Ok(SupportClass::from_members(members.map(|&at| self.patterns[at].0.clone()).collect()))
    }
}
