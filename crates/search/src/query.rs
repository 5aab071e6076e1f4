//! What a search is asked and what it answers (Algorithm 2).
//!
//! A [`Query`] holds `delta`, the active patterns and a [`Rule`]; a [`SearchResult`] holds the candidates in one total
//! order, [`by_rank`]: score, then `DfsCode::cmp_by_size` (fewer edges, fewer qualifiers, smaller code). The step that
//! lets patterns in (`choose` in `crates/train/src/select/hard_threshold.rs`) takes them in the same order. Nothing
//! here knows how the answer is found, what the network looks like or what the loss is.

use crate::bound::{Delta, Sums, active_score, gradient_and_bound};
use crate::feature::Values;
use crate::skips::Skips;
use einsicht_graph::{DfsCode, Support};
use std::cmp::Ordering;
use std::sync::Arc;

/// Which competitors become candidates.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Those that can be among the `s` best. `zeta` is the `s`-th largest score of all competitors, active
    /// ones included, or minus infinity if there are fewer; candidates have a score of at least `zeta`.
    /// Always at least 1.
    Top(usize),
    /// Those with a score strictly above this number (`lambda`); `zeta` is that number.
    Above(f64),
}

/// What competes: classes of patterns that the data cannot tell apart, or patterns. The parameter `unit`.
///
/// Per support class, all patterns with one support are one competitor, represented by its simplest member
/// (`DfsCode::cmp_by_size`). An active pattern is the representative of its class, so its class competes with the
/// active score and is never a candidate. Per pattern (as in the paper), only the active pattern itself is left out
/// of the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Competes {
    /// All patterns with the same support together.
    SupportClass,
    /// Every pattern for itself, as in the paper.
    Pattern,
}

/// A pattern with weights in the mining layer.
#[derive(Clone, Debug)]
pub struct ActivePattern {
    /// Its canonical code.
    pub code: DfsCode,
    /// The training graphs that contain it, as handed out by the same [`crate::Search`] or another over the same
    /// graphs.
    pub support: Arc<Support>,
    /// `beta_H`, one per hidden unit.
    pub weights: Vec<f64>,
    /// Whether it stays whatever its score, which then counts as infinite.
    pub pinned: bool,
}

/// One query to the search.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// One row per training graph.
    pub delta: Delta<'a>,
    /// The active patterns (`S_t`); codes differ, and per support class supports differ too.
    pub active: &'a [ActivePattern],
    /// `Gamma`: every step size that the line search may try. Not empty if anything is active.
    pub step_sizes: &'a [f64],
    /// Weight decay, part of the gradient of active patterns; see [`crate::bound::stepped`].
    pub decay: f64,
    /// Which competitors become candidates.
    pub rule: Rule,
    /// What counts as one competitor.
    pub unit: Competes,
    /// Supports, handed out by the search too, that must not be those of a candidate.
    pub banned: &'a [Arc<Support>],
    /// The value of a pattern in a graph.
    pub values: Values,
    /// A lower bound of `zeta` over all competitors, whoever found them; minus infinity if none is known. It never
    /// changes the answer of a search that sees the whole tree, but it prunes from the start.
    pub floor: f64,
}

impl Query<'_> {
    /// Gradients and scores of the active patterns.
    pub(crate) fn score_active(&self, sums: &mut Sums) -> Vec<ActiveScore> {
        let score = |pattern: &ActivePattern| {
            gradient_and_bound(self.values.column(&pattern.support), self.delta, sums);
            let gradient: Vec<f64> = sums.gradient().collect();
            let free = || active_score(&pattern.weights, &gradient, self.decay, self.step_sizes);
            let score = if pattern.pinned { f64::INFINITY } else { free() };
            ActiveScore { gradient, score }
        };
        self.active.iter().map(score).collect()
    }

    /// The candidate with this code and support, with its gradient.
    pub(crate) fn candidate(&self, code: DfsCode, support: Arc<Support>, sums: &mut Sums) -> Candidate {
        let score = gradient_and_bound(self.values.column(&support), self.delta, sums).score;
        Candidate { code, support, gradient: sums.gradient().collect(), score }
    }
}

/// A pattern that may enter the active set.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its canonical code; per support class the code of the representative.
    pub code: DfsCode,
    /// The training graphs that contain it.
    pub support: Arc<Support>,
    /// `grad_H`, one per hidden unit.
    pub gradient: Vec<f64>,
    /// `norm(grad_H)`.
    pub score: f64,
}

/// Gradient and score (`eta_H`) of an active pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveScore {
    /// `grad_H` without weight decay, one per hidden unit.
    pub gradient: Vec<f64>,
    /// [`crate::bound::active_score`].
    pub score: f64,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Inactive competitors that meet the rule, best first by [`by_rank`].
    pub candidates: Vec<Candidate>,
    /// Parallel to [`Query::active`].
    pub active: Vec<ActiveScore>,
    /// The threshold; see [`Rule`].
    pub zeta: f64,
    /// What it cost.
    pub stats: SearchStats,
}

impl SearchResult {
    /// The answer with these candidates, which get their order and their number of ties here.
    pub(crate) fn new(
        mut candidates: Vec<Candidate>,
        active: Vec<ActiveScore>,
        zeta: f64,
        mut stats: SearchStats,
    ) -> Self {
        candidates.sort_unstable_by(|a, b| by_rank((a.score, &a.code), (b.score, &b.code)));
        stats.ties = candidates.iter().filter(|candidate| candidate.score == zeta).count() as u64;
        Self { candidates, active, zeta, stats }
    }

    /// Codes and supports of the candidates: the scores that they have in the next pass are a first `zeta`.
    pub(crate) fn patterns(&self) -> Vec<(DfsCode, Arc<Support>)> {
        self.candidates.iter().map(|c| (c.code.clone(), Arc::clone(&c.support))).collect()
    }
}

/// What one pass of the search did. Counters only, so equal runs have equal statistics; they may differ
/// between kinds of search and numbers of threads, and never enter a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Patterns that were visited; in a scan all that the tree knows, each judged by the sum of its class.
    pub visited: u64,
    /// Subtrees that were skipped, by reason.
    pub skips: Skips,
    /// Distinct supports whose rows of delta were added up; for the others, what was known sufficed.
    pub summed: u64,
    /// Distinct supports over which the drift of delta was added up.
    pub drifts: u64,
    /// Pairs of a class and a graph that a scan added up; 0 if the pass was a walk.
    pub scanned: u64,
    /// Patterns whose children were generated in this pass.
    pub expanded: u64,
    /// Of these, those whose children had been generated before, or whose embeddings had been evicted.
    pub recomputed: u64,
    /// Distinct supports known so far.
    pub distinct_supports: u64,
    /// Candidates whose score equals `zeta`.
    pub ties: u64,
    /// Approximate memory of the search, in bytes.
    pub memory: u64,
    /// Patterns that each worker visited; one entry for a search in one thread.
    pub visited_by_worker: Vec<u64>,
}

/// The total order of competitors: larger score, then fewer edges, then fewer qualifiers, then smaller code. The best
/// comes first.
pub fn by_rank(a: (f64, &DfsCode), b: (f64, &DfsCode)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp_by_size(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_tuples::from_tuples;

    fn path(labels: &[u32]) -> DfsCode {
        let edge = |at: usize| [at as u32, at as u32 + 1, labels[at], 0, labels[at + 1]];
        from_tuples(&(0..labels.len() - 1).map(edge).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_best_competitor_has_the_larger_score_then_fewer_edges_then_the_smaller_code() {
        let (short, small, large) = (path(&[9, 9]), path(&[0, 1, 2]), path(&[0, 2, 1]));
        let mut order = [(1.0, &large), (1.0, &small), (1.0, &short), (2.0, &large)];
        order.sort_by(|a, b| by_rank(*a, *b));
        assert_eq!(order, [(2.0, &large), (1.0, &short), (1.0, &small), (1.0, &large)]);
    }
}
