//! What to mine: parameters, their ranges, and why a run is refused.

use crate::canon::MAX_VERTICES;
use crate::database::Database;
use crate::embed::Counts;
use crate::extend::Expander;
use crate::graph::Graph;
use crate::label_order::LabelOrder;

/// What to mine.
///
/// | field | default | allowed |
/// | :-- | --: | :-- |
/// | `min_edges` | 1 | 0 (with patterns of a single vertex) or 1 |
/// | `max_edges` | 6 | 1 to 31 |
/// | `max_qualifiers` | 0 | |
/// | `max_qualified_edges` | 31 | |
/// | `min_support` | 1 | 1 to the number of graphs |
/// | `counts` | off | |
/// | `embeddings_per_graph` | automatic | at least 1 |
/// | `pack_supports_from` | 16384 | |
/// | `memory` | none | at least what [`MineError::BudgetTooSmall`] says |
/// | `threads` | 1 | at least 1 |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MineParams {
    /// Smallest number of edges of a pattern: 0 or 1.
    pub min_edges: usize,
    /// Largest number of qualifiers of a pattern.
    pub max_qualifiers: usize,
    /// Largest number of edges of a pattern with qualifiers.
    pub max_qualified_edges: usize,
    /// Largest number of edges of a pattern (the paper's `maxpat` minus 1).
    pub max_edges: usize,
    /// Smallest number of graphs that contain a pattern.
    pub min_support: usize,
    /// Which counts to find.
    pub counts: Counts,
    /// Size of the sample of embeddings that is kept in a graph with more of them; changes the work, not the result.
    pub embeddings_per_graph: Option<usize>,
    /// A tree over at least so many graphs packs its supports: less than half of their memory, and some more time to
    /// read them. Changes no result.
    pub pack_supports_from: usize,
    /// Memory limit of the miner in bytes, approximately; embeddings that do not fit are recomputed when needed.
    pub memory: Option<usize>,
    /// If this is more than 1, the threads of the current rayon pool are used.
    pub threads: usize,
}

impl Default for MineParams {
    fn default() -> Self {
        Self {
            min_edges: 1,
            max_qualifiers: 0,
            max_qualified_edges: MAX_VERTICES - 1,
            max_edges: 6,
            min_support: 1,
            counts: Counts::Off,
            embeddings_per_graph: None,
            pack_supports_from: 1 << 14,
            memory: None,
            threads: 1,
        }
    }
}

/// Why a run is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum MineError {
    #[error("max_edges must be from 1 to {largest}, got {got}")]
    MaxEdges { largest: usize, got: usize },
    #[error("min_edges must be 0 or 1, got {got}")]
    MinEdges { got: usize },
    #[error("min_support must be from 1 to the number of graphs ({graphs}), got {got}")]
    MinSupport { graphs: usize, got: usize },
    #[error("threads must be at least 1, got 0")]
    NoThreads,
    #[error("embeddings_per_graph must be at least 1, got 0")]
    NoEmbeddings,
    #[error("there must be at least one graph")]
    NoGraphs,
    #[error("memory must be at least {smallest} bytes for this data, got {got}")]
    BudgetTooSmall { smallest: usize, got: usize },
}

/// Memory of the tables that every run needs, whatever its limit.
pub(crate) const FIXED_BYTES: usize = 1 << 20;

impl MineParams {
    /// Checks the parameters and encodes the graphs. Returns also how many bytes of embeddings may be stored.
    pub(crate) fn prepare(&self, graphs: &[Graph], label_order: &LabelOrder) -> Result<(Expander, usize), MineError> {
        self.check(graphs.len())?;
        let db = Database::new(graphs, label_order);
        let fixed = FIXED_BYTES + db.bytes();
        let budget = match self.memory {
            None => usize::MAX,
            Some(got) if got < fixed => return Err(MineError::BudgetTooSmall { smallest: fixed, got }),
            Some(got) => got - fixed,
        };
        Ok((Expander::new(db, self.counts != Counts::Off, self.embeddings_per_graph), budget))
    }

    fn check(&self, graphs: usize) -> Result<(), MineError> {
        let largest = MAX_VERTICES - 1;
        if graphs == 0 {
            return Err(MineError::NoGraphs);
        }
        if !(1..=largest).contains(&self.max_edges) {
            return Err(MineError::MaxEdges { largest, got: self.max_edges });
        }
        if self.min_edges > 1 {
            return Err(MineError::MinEdges { got: self.min_edges });
        }
        if !(1..=graphs).contains(&self.min_support) {
            return Err(MineError::MinSupport { graphs, got: self.min_support });
        }
        if self.threads == 0 {
            return Err(MineError::NoThreads);
        }
        if self.embeddings_per_graph == Some(0) {
            return Err(MineError::NoEmbeddings);
        }
        Ok(())
    }
}
