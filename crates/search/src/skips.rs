//! Why a subtree of the search is skipped: the one list of all reasons.
//!
//! A pass leaves out what cannot reach the threshold, by the cheapest test that shows it. Each test is a
//! [`SkipReason`], and [`Skips`] counts them. Searches over a tree, walks and scans, also say which one met the subtree
//! of a given pattern: [`Search::why`](crate::Search::why). There are four searches, and this is where each of them
//! tests:
//!
//! | reason | walk: `tree/pass.rs` | scan: `tree/scan` | no tree: `streaming.rs` | `shards/pass.rs` |
//! | :-- | :-- | :-- | :-- | :-- |
//! | [`ParentDrift`](SkipReason::ParentDrift) | `skip_unvisited` | | | |
//! | [`LargestMove`](SkipReason::LargestMove) | `skip_unvisited` | | | |
//! | [`OwnDrift`](SkipReason::OwnDrift) | `judge` | | | |
//! | [`EarlierScore`](SkipReason::EarlierScore) | `judge` | | | |
//! | [`EarlierBound`](SkipReason::EarlierBound) | `judge` | | | |
//! | [`UpperBound`](SkipReason::UpperBound) | `score` | `grow` | `visit` | `visit` |
//! | [`Overtaken`](SkipReason::Overtaken) | `work` | `grow` | | `next_batch` |
//! | [`TooFewGraphs`](SkipReason::TooFewGraphs) | | `add_subtrees` in `index.rs` | | `visit` |
//!
//! By default a tree is walked over in the first pass and scanned from the second on, where counts are read or there
//! are at most two units, and all rows are in one block, so at most 4096 graphs ([`Scan`](crate::Scan)). A scan scores
//! all that the tree knows, so only subtrees that nobody has grown yet are skipped there.
//!
//! Below the threshold means `< zeta` for [`Rule::Top`](crate::Rule::Top) and `<= lambda` for
//! [`Rule::Above`](crate::Rule::Above): `excludes` in `pool.rs`. A pattern from which nothing is grown (a leaf) has no
//! subtree to bound, so it is not counted under `UpperBound`; only the stream, which does not know its leaves, counts
//! them. Not counted at all: codes that are not minimal and supports below `min_support`, which never enter a tree or a
//! stream; and what is left when the caller stops the search, or memory is full, because such a pass has no answer.
//! Subtrees of active and of excluded patterns *are* visited; these patterns themselves are just not offered.

use std::ops::{AddAssign, Index, IndexMut};

/// Why a subtree was skipped. All but `UpperBound` and `Overtaken` skip the pattern at its root too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// The largest score in it at its last visit, plus the drift over the support of the parent since, is below the
    /// threshold.
    ParentDrift,
    /// The same with a smaller number in place of that drift: no score of a pattern in so few graphs can have moved by
    /// more in one pass.
    LargestMove,
    /// The same with the drift over its own support.
    OwnDrift,
    /// A leaf: an earlier score of its support plus the drift since is below the threshold, so it is not added up.
    EarlierScore,
    /// An earlier bound of its support plus the drift since is below the threshold, so it is not added up.
    EarlierBound,
    /// `UB(H)` is below the threshold (Theorem 1).
    UpperBound,
    /// `UB(H)`, or an earlier bound plus drift, reached the threshold, but the threshold rose while the pattern waited.
    Overtaken,
    /// It is in fewer than `min_support` graphs of a fold that searches a larger tree, or of all shards together. Of a
    /// fold: all that were ever met.
    TooFewGraphs,
}

impl SkipReason {
    /// All reasons, in the order of the tests.
    pub const ALL: [Self; 8] = [
        Self::ParentDrift,
        Self::LargestMove,
        Self::OwnDrift,
        Self::EarlierScore,
        Self::EarlierBound,
        Self::UpperBound,
        Self::Overtaken,
        Self::TooFewGraphs,
    ];

    /// Its name where counters are shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::ParentDrift => "parent_drift",
            Self::LargestMove => "largest_move",
            Self::OwnDrift => "own_drift",
            Self::EarlierScore => "earlier_score",
            Self::EarlierBound => "earlier_bound",
            Self::UpperBound => "upper_bound",
            Self::Overtaken => "overtaken",
            Self::TooFewGraphs => "too_few_graphs",
        }
    }
}

/// How many subtrees a pass skipped for each reason: `skips[SkipReason::UpperBound]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skips([u64; SkipReason::ALL.len()]);

impl Skips {
    /// Subtrees that were skipped because delta moved little since an earlier visit.
    pub fn by_drift(&self) -> u64 {
        self[SkipReason::ParentDrift] + self[SkipReason::LargestMove] + self[SkipReason::OwnDrift]
    }

    /// Subtrees that were skipped by a bound, of this pass or of an earlier one plus drift.
    pub fn by_bound(&self) -> u64 {
        let earlier = self[SkipReason::EarlierScore] + self[SkipReason::EarlierBound];
        earlier + self[SkipReason::UpperBound] + self[SkipReason::Overtaken]
    }

    /// Subtrees that were skipped for any reason.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Index<SkipReason> for Skips {
    type Output = u64;

    #[inline]
    fn index(&self, reason: SkipReason) -> &u64 {
        &self.0[reason as usize]
    }
}

impl IndexMut<SkipReason> for Skips {
    #[inline]
    fn index_mut(&mut self, reason: SkipReason) -> &mut u64 {
        &mut self.0[reason as usize]
    }
}

impl AddAssign for Skips {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_listed_in_their_order_and_have_names_of_their_own() {
        assert!(SkipReason::ALL.iter().enumerate().all(|(at, &reason)| reason as usize == at));
        let mut names = SkipReason::ALL.map(SkipReason::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SkipReason::ALL.len());
        let mut skips = Skips::default();
        for reason in SkipReason::ALL {
            skips[reason] += 1;
        }
        skips += skips;
        assert_eq!((skips.by_drift(), skips.by_bound(), skips.total()), (6, 8, 16));
    }
}
