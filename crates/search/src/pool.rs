//! The candidates that a pass has met so far, and the threshold `zeta` that they must reach.
//!
//! Every search uses this pool, whatever it walks over: the tree, a stream of patterns, or the answers of workers. A
//! competitor is offered when a member of it is met whose score reaches `zeta`. It then counts once among the `s`
//! largest scores, so `zeta` rises while the walk goes on, and its simplest member represents it.
//!
//! Promise: `zeta` never exceeds its final value, because only competitors count and each counts once. It never falls,
//! so a competitor that is below it once can be forgotten: no member of it is offered again, since all members have one
//! score.
//!
//! Does not know what a competitor is (`K`) or how a member is stored (`M`). All threads of a pass share one pool.
//! Tested here and, with every search, against the exhaustive search of the testkit. Paper: Algorithm 2.

use crate::query::{ActiveScore, Rule};
use crate::top_k::TopK;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Competitors below `zeta` that a pool may hold, besides as many as the rule asks for, before it removes them.
const SPARE: usize = 64;

/// `zeta`: what a score must reach to be a candidate. Only ever raised.
#[derive(Debug)]
struct Threshold {
    rule: Rule,
    /// `zeta` is known to be at least this.
    floor: f64,
    /// Bits of `zeta`.
    zeta: AtomicU64,
}

impl Threshold {
    fn zeta(&self) -> f64 {
        f64::from_bits(self.zeta.load(Ordering::Relaxed))
    }

    #[inline]
    fn excludes(&self, bound: f64) -> bool {
        match self.rule {
            Rule::Top(_) => bound < self.zeta(),
            Rule::Above(lambda) => bound <= lambda,
        }
    }

    fn raise(&self, top: &TopK) {
        self.zeta.store(top.threshold().max(self.floor).to_bits(), Ordering::Relaxed);
    }
}

/// The candidates met so far, with their threshold. `K` names a competitor, `M` is a member of it.
#[derive(Debug)]
pub(crate) struct CandidatePool<K, M> {
    threshold: Threshold,
    contents: Mutex<Contents<K, M>>,
}

#[derive(Debug)]
struct Contents<K, M> {
    /// Absent if the rule is a fixed threshold.
    top: Option<TopK>,
    /// The simplest member met so far of each competitor, with its score.
    entries: FxHashMap<K, (M, f64)>,
    /// At so many entries, those below `zeta` are removed.
    prune_at: usize,
}

impl<K: Eq + Hash, M> CandidatePool<K, M> {
    /// An empty pool. The active patterns compete, but are no candidates: their scores count from the start.
    pub(crate) fn new(rule: Rule, floor: f64, active: &[ActiveScore]) -> Self {
        let (top, size, zeta) = match rule {
            Rule::Top(size) => (Some(TopK::new(size)), size, floor),
            Rule::Above(lambda) => (None, 0, lambda),
        };
        let threshold = Threshold { rule, floor, zeta: AtomicU64::new(zeta.to_bits()) };
        let mut contents =
            Contents { top, entries: FxHashMap::default(), prune_at: size.saturating_mul(2).saturating_add(SPARE) };
        if let Some(top) = &mut contents.top {
            for active in active {
                top.add(active.score);
            }
            threshold.raise(top);
        }
        Self { threshold, contents: Mutex::new(contents) }
    }

    /// The threshold so far; `lambda` if that is the rule.
    pub(crate) fn zeta(&self) -> f64 {
        self.threshold.zeta()
    }

    /// Whether nothing with this score, or below this upper bound, can be a candidate.
    #[inline]
    pub(crate) fn excludes(&self, bound: f64) -> bool {
        self.threshold.excludes(bound)
    }

    /// The pool for one thread, to offer several competitors at once.
    pub(crate) fn lock(&self) -> LockedPool<'_, K, M> {
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        LockedPool { threshold: &self.threshold, contents }
    }

    /// The final threshold and the candidates that reach it, in no particular order.
    pub(crate) fn finish(self) -> (f64, Vec<M>) {
        let entries = self.contents.into_inner().unwrap_or_else(PoisonError::into_inner).entries;
        let reached = entries.into_values().filter(|(_, score)| !self.threshold.excludes(*score));
        (self.threshold.zeta(), reached.map(|(member, _)| member).collect())
    }
}

/// A [`CandidatePool`] that one thread holds.
pub(crate) struct LockedPool<'a, K, M> {
    threshold: &'a Threshold,
    contents: MutexGuard<'a, Contents<K, M>>,
}

impl<K: Eq + Hash, M> LockedPool<'_, K, M> {
    /// Offers a member of a competitor. `is_simpler` compares it with the simplest member so far.
    pub(crate) fn offer(
        &mut self,
        competitor: K,
        score: f64,
        is_simpler: impl FnOnce(&M) -> bool,
        member: impl FnOnce() -> M,
    ) {
        let Contents { top, entries, prune_at } = &mut *self.contents;
        if let Some((simplest, _)) = entries.get_mut(&competitor) {
            if is_simpler(simplest) {
                *simplest = member();
            }
            return;
        }
        if self.threshold.excludes(score) {
            return;
        }
        if let Some(top) = top {
            top.add(score);
            self.threshold.raise(top);
        }
        entries.insert(competitor, (member(), score));
        if entries.len() >= *prune_at {
            entries.retain(|_, (_, score)| !self.threshold.excludes(*score));
            *prune_at = (*prune_at).max(2 * entries.len());
        }
    }
}

/// Competitors that may not become candidates: `K` names a competitor, `S` a support.
#[derive(Debug)]
pub(crate) struct Excluded<K, S> {
    /// Active patterns, or their classes.
    pub(crate) active: FxHashSet<K>,
    /// Supports that the query bans.
    pub(crate) banned: FxHashSet<S>,
}

impl<K: Eq + Hash, S: Eq + Hash> Excluded<K, S> {
    pub(crate) fn contains(&self, competitor: &K, support: &S) -> bool {
        self.active.contains(competitor) || self.banned.contains(support)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(pool: &CandidatePool<u32, u32>, competitor: u32, score: f64, member: u32) {
        pool.lock().offer(competitor, score, |simplest| member < *simplest, || member);
    }

    fn finish(pool: CandidatePool<u32, u32>) -> (f64, Vec<u32>) {
        let (zeta, mut members) = pool.finish();
        members.sort_unstable();
        (zeta, members)
    }

    #[test]
    fn a_competitor_counts_once_and_its_simplest_member_represents_it() {
        let pool = CandidatePool::new(Rule::Top(2), f64::NEG_INFINITY, &[]);
        offer(&pool, 1, 5.0, 30);
        offer(&pool, 1, 5.0, 20);
        offer(&pool, 1, 5.0, 40);
        assert_eq!(pool.zeta(), f64::NEG_INFINITY, "there is one competitor, not three");
        offer(&pool, 2, 3.0, 50);
        offer(&pool, 3, 3.0, 60);
        offer(&pool, 4, 2.0, 10);
        assert!(pool.excludes(2.9) && !pool.excludes(3.0));
        assert_eq!(finish(pool), (3.0, vec![20, 50, 60]));
    }

    #[test]
    fn active_scores_and_the_floor_raise_the_threshold_from_the_start() {
        let active = [ActiveScore { gradient: Vec::new(), score: 7.0 }];
        let pool = CandidatePool::new(Rule::Top(1), 4.0, &active);
        assert_eq!(finish(pool), (7.0, vec![]));
        let pool = CandidatePool::new(Rule::Top(2), 4.0, &active);
        assert_eq!(pool.zeta(), 4.0);
        offer(&pool, 1, 5.0, 1);
        assert_eq!(finish(pool), (5.0, vec![1]));
    }

    #[test]
    fn a_fixed_threshold_must_be_exceeded_and_never_moves() {
        let pool = CandidatePool::new(Rule::Above(2.0), f64::NEG_INFINITY, &[]);
        for (competitor, score) in [(1, 2.0), (2, 2.5), (3, 9.0)] {
            offer(&pool, competitor, score, competitor);
        }
        assert!(pool.excludes(2.0));
        assert_eq!(finish(pool), (2.0, vec![2, 3]));
    }

    #[test]
    fn competitors_below_the_threshold_do_not_pile_up() {
        let pool = CandidatePool::new(Rule::Top(3), f64::NEG_INFINITY, &[]);
        for score in 0..1000 {
            offer(&pool, score, f64::from(score), score);
            assert!(pool.contents.lock().unwrap().entries.len() <= 2 * 3 + SPARE);
        }
        assert_eq!(finish(pool), (997.0, vec![997, 998, 999]));
    }
}
