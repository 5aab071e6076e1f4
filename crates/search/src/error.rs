//! Why a search has no answer.
//!
//! All of these reach the caller. That a tree has reached its memory limit does not: see `tree::TreeError`.

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The loss has diverged.
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
    /// Delta does not belong to the graphs of this search.
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
    /// A worker of a distributed search did not answer.
    #[error("every worker must answer, but worker {worker} did not: {reason}")]
    NoAnswer {
        /// Its number, from 0.
        worker: usize,
        /// What it said instead.
        reason: String,
    },
    /// Shards of the graphs that do not follow one another in whole blocks of sums.
    #[error(
        "shards must be consecutive rows, each from a multiple of {block} on and none empty, but shard {shard} starts at row {start}",
        block = crate::bound::BLOCK_ROWS
    )]
    NotWholeBlocks {
        /// Its number, from 0.
        shard: usize,
        /// Its first row.
        start: usize,
    },
    /// The caller has stopped it.
    #[error("the search was stopped")]
    Stopped,
}
