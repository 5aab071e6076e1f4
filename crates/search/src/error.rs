//! Why a search has no answer.
//!
//! All of these reach the caller. That a tree has reached its memory limit does not: see `tree::TreeError`.

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SearchError {
    #[error("delta must be finite, but it is not for graph {graph} and hidden unit {unit}")]
    NotFinite { graph: usize, unit: usize },
    #[error("delta is so large that its sums could overflow")]
    TooLarge,
    #[error("delta must have one row for each of the {graphs} training graphs, but it has {rows}")]
    OtherGraphs { graphs: usize, rows: usize },
    #[error("a pattern of {edges} edges must occur in the training graphs, but it does not")]
    NoSuchPattern { edges: usize },
    #[error("every worker must answer, but worker {worker} did not: {reason}")]
    NoAnswer { worker: usize, reason: String },
    #[error(
        "shards must be consecutive rows, each from a multiple of {block} on and none empty, but shard {shard} starts \
         at row {start}",
        block = crate::bound::BLOCK_ROWS
    )]
    NotWholeBlocks { shard: usize, start: usize },
    #[error(
        "only a search over a tree says why a subtree was skipped (a TreeSearch, and a BudgetedSearch or SubsetSearch \
         that memory lets keep its tree), but this one has no tree; SearchResult::stats.skips counts its reasons"
    )]
    KeepsNoTree,
    #[error("the search was stopped")]
    Stopped,
}
