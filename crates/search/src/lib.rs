//! The seam between the trainer and whatever finds patterns for it (Algorithm 2).
//!
//! Promise of every [`Search`]: the answer equals that of scoring *all* patterns of the training graphs,
//! bit for bit, whatever was skipped on the way. The search knows nothing of networks or losses: a matrix
//! `delta` comes in, candidates go out. All numbers come from [`crate::bound`]; ties are settled by one
//! total order, [`by_rank`].
//!
//! What counts as one competitor is the [`Unit`]. Per support class, all patterns with one support are one
//! competitor, represented by the member with the fewest edges, then the smallest code. An active pattern is
//! the representative of its class, so its class competes with the active score and is never a candidate.
//! Per pattern (the paper's way), only the active pattern itself is left out of the candidates.

pub mod bound;
mod budgeted;
mod class;
pub mod code;
mod drift;
pub mod feature;
mod log;
mod pass;
mod pruned;
mod queue;
mod room;
mod sharded;
mod share;
mod shared;
mod slots;
mod top;
mod walked;

pub use budgeted::{BudgetedSearch, Dropped};
pub use pruned::{PrunedSearch, SearchOptions};
pub use queue::Order;
pub use sharded::{SearchShard, ShardedSearch, Shards};
pub use share::Share;
pub use shared::SharedTree;
pub use walked::WalkedSearch;

use crate::bound::Delta;
use crate::feature::Values;
use einsicht_graph::{DfsCode, Support};
use std::cmp::Ordering;
use std::sync::Arc;

/// Which competitors are wanted.
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

/// What counts as one competitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
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
    /// The training graphs that contain it, as handed out by the same [`Search`] or another over the same graphs.
    pub support: Arc<Support>,
    /// `beta_H`, one a hidden unit.
    pub weights: Vec<f64>,
    /// Whether it stays whatever its score, which then counts as infinite.
    pub pinned: bool,
}

/// One question to the search.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// One row a training graph.
    pub delta: Delta<'a>,
    /// The active patterns (`S_t`); codes differ, and per support class supports differ too.
    pub active: &'a [ActivePattern],
    /// `Gamma`: every step size that the line search may try. Not empty if anything is active.
    pub step_sizes: &'a [f64],
    /// Weight decay, part of the gradient of active patterns; see [`crate::bound::stepped`].
    pub decay: f64,
    /// Which competitors are wanted.
    pub rule: Rule,
    /// What counts as one competitor.
    pub unit: Unit,
    /// Supports, handed out likewise, that must not be those of a candidate.
    pub banned: &'a [Arc<Support>],
    /// What a pattern's value in a graph is.
    pub values: Values,
    /// A number that `zeta` of all competitors is known to reach, whoever found them; minus infinity if none is
    /// known. It never changes the answer of a search that sees the whole tree, but it prunes from the start.
    pub floor: f64,
}

/// A pattern that may enter the active set.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its canonical code; per support class the code of the representative.
    pub code: DfsCode,
    /// The training graphs that contain it.
    pub support: Arc<Support>,
    /// `grad_H`, one a hidden unit.
    pub gradient: Vec<f64>,
    /// `norm(grad_H)`.
    pub score: f64,
}

/// Gradient and score (`eta_H`) of an active pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveScore {
    /// `grad_H` without weight decay, one a hidden unit.
    pub gradient: Vec<f64>,
    /// [`crate::bound::active_score`].
    pub score: f64,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug)]
pub struct Found {
    /// Inactive competitors that meet the rule, best first by [`by_rank`].
    pub candidates: Vec<Candidate>,
    /// Parallel to [`Query::active`].
    pub active: Vec<ActiveScore>,
    /// The threshold; see [`Rule`].
    pub zeta: f64,
    /// What it cost.
    pub stats: SearchStats,
}

/// What one pass of the search did. Counters only, so equal runs have equal statistics; they may differ
/// between kinds of search and numbers of threads, and never enter a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SearchStats {
    /// Patterns looked at.
    pub visited: u64,
    /// Patterns whose subtree was skipped because its bound is below `zeta`.
    pub pruned: u64,
    /// Subtrees that needed no look because delta changed little since the last one.
    pub skipped_by_drift: u64,
    /// Distinct supports whose rows of delta were added up; for the others, what was known sufficed.
    pub summed: u64,
    /// Patterns whose children were made in this pass.
    pub expanded: u64,
    /// Of these, those that had been made before, or whose embeddings had been dropped, for want of memory.
    #[serde(default)]
    pub rederived: u64,
    /// Distinct supports known so far.
    pub distinct_supports: u64,
    /// Candidates whose score equals `zeta`.
    pub ties: u64,
    /// Memory held by the search, in bytes, about.
    pub memory: u64,
    /// Patterns looked at by each worker; one entry for a search in one thread.
    pub visited_by_worker: Vec<u64>,
}

/// The patterns that the training graphs cannot tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportClass {
    /// How many patterns have this support, within the limit on edges.
    pub size: u64,
    /// Members that contain no other member, by [`DfsCode::cmp_by_size`].
    pub minimal: Vec<DfsCode>,
    /// Members that no other member contains, by [`DfsCode::cmp_by_size`].
    pub maximal: Vec<DfsCode>,
}

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The loss has run away.
    #[error("delta must be finite, but it is not for graph {graph} and hidden unit {unit}")]
    NotFinite {
        /// Row of delta.
        graph: usize,
        /// Column of delta.
        unit: usize,
    },
    /// Sums of delta could overflow.
    #[error("delta is so large that its sums could overflow")]
    TooLarge,
    /// Delta is not about the graphs of this search.
    #[error("delta must have one row for each of the {graphs} training graphs, but it has {rows}")]
    OtherGraphs {
        /// Graphs of the search.
        graphs: usize,
        /// Rows of delta.
        rows: usize,
    },
    /// A pattern that no training graph contains, or with too many edges.
    #[error("a pattern of {edges} edges must occur in the training graphs, but it does not")]
    NoSuchPattern {
        /// Its number of edges.
        edges: usize,
    },
    /// A part of a search that was spread over several places did not answer.
    #[error("every shard must answer, but shard {shard} did not: {reason}")]
    NoAnswer {
        /// Which one, from 0.
        shard: usize,
        /// What it said instead.
        reason: String,
    },
    /// The tree has reached its limit; [`BudgetedSearch`] makes room and asks again.
    #[error("the tree of subgraphs must stay within its memory, but it does not")]
    OutOfMemory,
    /// The caller has ended it.
    #[error("the search was stopped")]
    Stopped,
}

/// Finds patterns of a fixed set of training graphs. Keeps what it learnt from one query to the next.
pub trait Search {
    /// Answers one query.
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError>;

    /// The support of the pattern with this canonical code: what a resumed training asks first.
    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError>;

    /// All patterns that have this support, summed up. Asked once for each pattern that a finished path
    /// entry uses, not in every pass: it may walk the tree again, down to all that contains the support.
    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError>;
}

impl<S: Search + ?Sized> Search for Box<S> {
    fn search(&mut self, query: &Query<'_>) -> Result<Found, SearchError> {
        (**self).search(query)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        (**self).lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        (**self).class(support)
    }
}

/// The total order of competitors: larger score, then fewer edges, then smaller code. The best comes first.
pub fn by_rank(a: (f64, &DfsCode), b: (f64, &DfsCode)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp_by_size(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::{DfsEdge, Label};

    fn path(labels: &[u32]) -> DfsCode {
        let edges = (1..labels.len()).map(|v| DfsEdge {
            from: v as u32 - 1,
            to: v as u32,
            from_label: Label(labels[v - 1]),
            edge_label: Label(0),
            to_label: Label(labels[v]),
        });
        DfsCode::new(edges.collect()).unwrap()
    }

    #[test]
    fn the_best_competitor_has_the_larger_score_then_fewer_edges_then_the_smaller_code() {
        let (short, small, large) = (path(&[9, 9]), path(&[0, 1, 2]), path(&[0, 2, 1]));
        let mut order = [(1.0, &large), (1.0, &small), (1.0, &short), (2.0, &large)];
        order.sort_by(|a, b| by_rank(*a, *b));
        assert_eq!(order, [(2.0, &large), (1.0, &short), (1.0, &small), (1.0, &large)]);
    }
}
