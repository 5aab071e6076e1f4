//! Exact mining: every connected subgraph of a set of graphs, by gSpan's tree of smallest DFS codes.
//!
//! [`mine`] walks over all patterns and asks a [`Visitor`] at each: what is worth growing is the caller's
//! decision, never the miner's. It knows nothing of files, names or numbers with a fraction.
//! Equal to the brute-force oracle of the testkit in `tests/mine_vs_oracle.rs`.
//!
//! How it works, from the naive loop up: a pattern is grown by one edge at a time, at the vertices of the
//! rightmost path of its depth-first walk; a pattern reached in several ways counts only where its code is
//! the smallest (`pattern/canonical.rs`); where it sits is kept as flat rows (`rows.rs`), from which
//! `extend.rs` reads the next extensions; `walk.rs` puts these together.

mod ahead;
mod answer;
mod arena;
mod ask;
mod bits;
mod condense;
mod contains;
mod counted;
mod counts;
mod database;
mod exist;
mod expand;
mod extend;
mod index;
mod keys;
mod levels;
mod likeness;
mod list;
mod naming;
mod rows;
mod sink;
mod stats;
mod tree;
mod used;
mod walk;

use crate::graph::Graph;
use crate::ids::Label;
use crate::pattern::{DfsEdge, MAX_VERTICES};
pub use condense::{Condense, condense};
use database::Database;
use expand::Expander;
pub use list::{Gather, PatternList, Tally};
use naming::Naming;
use rows::{Row, Rows};
pub use stats::MineStats;
use std::collections::BTreeMap;
pub use tree::{NodeId, Nodes, Renamed, Tree, TreeStats};
use walk::Walk;

/// What to mine.
///
/// | field | default | allowed |
/// | :-- | --: | :-- |
/// | `max_edges` | 6 | 1 to 31 |
/// | `min_support` | 1 | 1 to the number of graphs |
/// | `counts` | false | |
/// | `rows_per_graph` | automatic | at least 1 |
/// | `memory` | none | at least what [`MineError::BudgetTooSmall`] says |
/// | `threads` | 1 | at least 1 |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MineParams {
    /// Largest number of edges of a pattern (the paper's `maxpat` minus 1).
    pub max_edges: usize,
    /// Smallest number of graphs that contain a pattern.
    pub min_support: usize,
    /// Whether minimum-image counts are wanted.
    pub counts: bool,
    /// How many embeddings of a pattern are kept in a graph that has more; changes the work, not the result.
    pub rows_per_graph: Option<usize>,
    /// Bytes that the miner may use, about; embeddings that do not fit are derived again when needed.
    pub memory: Option<usize>,
    /// Threads of the current rayon pool are used if this is more than 1.
    pub threads: usize,
}

impl Default for MineParams {
    fn default() -> Self {
        Self { max_edges: 6, min_support: 1, counts: false, rows_per_graph: None, memory: None, threads: 1 }
    }
}

/// Why there is nothing to mine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// `max_edges` out of range.
    #[error("max_edges must be from 1 to {largest}, got {got}")]
    MaxEdges {
        /// Largest value that works.
        largest: usize,
        /// What was asked.
        got: usize,
    },
    /// `min_support` out of range.
    #[error("min_support must be from 1 to the number of graphs ({graphs}), got {got}")]
    MinSupport {
        /// Number of graphs.
        graphs: usize,
        /// What was asked.
        got: usize,
    },
    /// No thread asked for.
    #[error("threads must be at least 1, got 0")]
    NoThreads,
    /// No embedding may be kept.
    #[error("rows_per_graph must be at least 1, got 0")]
    NoRows,
    /// There is no graph.
    #[error("there must be at least one graph")]
    NoGraphs,
    /// The budget does not even hold the graphs.
    #[error("memory must be at least {smallest} bytes for this data, got {got}")]
    BudgetTooSmall {
        /// Smallest budget that works.
        smallest: usize,
        /// What was asked.
        got: usize,
    },
}

/// The visitor's answer at a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Visit the patterns grown from this one.
    Grow,
    /// Skip every pattern below. Sound only if the caller can bound them all.
    Prune,
    /// End the walk.
    Stop,
}

/// A pattern and where it occurs.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence<'a> {
    /// Its smallest DFS code.
    pub code: &'a [DfsEdge],
    /// The graphs that contain it, increasing.
    pub graphs: &'a [u32],
    /// Minimum-image counts, one a graph, if they were asked for.
    pub counts: &'a [u32],
}

/// Who is asked at every pattern. With several threads, forks look at different parts of the tree and are
/// joined in the order of the codes.
pub trait Visitor: Send {
    /// A pattern was found: what now?
    fn visit(&mut self, found: &Occurrence<'_>) -> Step;
    /// Whether the answer will be [`Step::Grow`] whatever is found, so that the miner may look at small patterns before their
    /// turn. Asked again and again; `false` ends the looking ahead.
    fn grows_all(&self) -> bool {
        false
    }
    /// Whether more than the length of a code matters. If not, the miner may take the labels in another order, which is less
    /// work: then codes spell the same patterns with other labels, and patterns come in another order.
    fn reads_codes(&self) -> bool {
        true
    }
    /// A visitor for a part of the tree behind this one's.
    #[must_use]
    fn fork(&self) -> Self;
    /// Takes in what a fork found; its patterns come after all that this visitor has seen.
    fn join(&mut self, later: Self);
}

/// What a walk did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mined {
    /// Counters.
    pub stats: MineStats,
    /// Whether the walk came to its end (the visitor never said [`Step::Stop`]).
    pub complete: bool,
    /// Of all embeddings looked at, those that no number of threads can look at side by side: the longest way through
    /// the walk. With one thread, all. As long as nobody idles while there is work, the busiest of two workers does at
    /// most `1 + span / looks` times the mean.
    pub span: u64,
}

/// Room for the tables that every run needs, whatever its budget.
const FIXED_BYTES: usize = 1 << 20;

/// Walks over all patterns of the graphs.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::{mine, MineParams, Occurrence, Step, Visitor}};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// for (from, to) in [(a, b), (b, c), (c, a)] {
///     builder.add_edge(from, to, Label(0))?;
/// }
/// struct Count(usize);
/// impl Visitor for Count {
///     fn visit(&mut self, _: &Occurrence<'_>) -> Step {
///         self.0 += 1;
///         Step::Grow
///     }
///     fn fork(&self) -> Self {
///         Count(0)
///     }
///     fn join(&mut self, later: Self) {
///         self.0 += later.0;
///     }
/// }
/// let mut count = Count(0);
/// mine(&[builder.build()], &MineParams::default(), &mut count)?;
/// assert_eq!(count.0, 3); // an edge, a path of two edges, the triangle
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mine<V: Visitor>(graphs: &[Graph], params: &MineParams, visitor: &mut V) -> Result<Mined, MineError> {
    let naming = if visitor.reads_codes() { Naming::Own } else { Naming::rarest_first(graphs) };
    let (mut expander, budget) = prepare(graphs, params, &naming)?;
    expander.keep_more();
    let (mut stats, complete) = match (expander.db.max_vertices(), params.max_edges) {
        (..=255, ..=15) => Walk::<[u8; 16]>::new(&expander, params, budget).run(visitor),
        (..=255, _) => Walk::<[u8; 32]>::new(&expander, params, budget).run(visitor),
        (..=65535, ..=15) => Walk::<[u16; 16]>::new(&expander, params, budget).run(visitor),
        _ => Walk::<[u32; 32]>::new(&expander, params, budget).run(visitor),
    };
    Ok(Mined { span: std::mem::take(&mut stats.span), stats, complete })
}

/// Checks the parameters, encodes the graphs and says how many bytes of embeddings may be stored.
fn prepare(graphs: &[Graph], params: &MineParams, naming: &Naming) -> Result<(Expander, usize), MineError> {
    check(graphs.len(), params)?;
    let db = Database::new(graphs, naming);
    let fixed = FIXED_BYTES + db.bytes();
    let budget = match params.memory {
        None => usize::MAX,
        Some(got) if got < fixed => return Err(MineError::BudgetTooSmall { smallest: fixed, got }),
        Some(got) => got - fixed,
    };
    // Counts need every embedding.
    Ok((Expander::new(db, !params.counts, params.rows_per_graph), budget))
}

/// The frequent patterns of one edge with their embeddings, in the order of their codes.
fn first_rows<R: Row>(db: &Database, min_support: usize) -> Vec<(DfsEdge, Rows<R>)> {
    let mut found: BTreeMap<(Label, u32), Rows<R>> = BTreeMap::new();
    for graph in 0..db.num_graphs() as u32 {
        for (from, to, from_label, ty) in db.first_edges(graph) {
            found.entry((from_label, ty)).or_default().push(graph, R::EMPTY.with(0, from.0).with(1, to.0));
        }
    }
    let frequent = found.into_iter().filter(|(_, rows)| rows.graphs().len() >= min_support);
    frequent
        .map(|((from_label, ty), rows)| {
            let (edge_label, to_label) = db.labels_of(ty);
            (DfsEdge { from: 0, to: 1, from_label, edge_label, to_label }, rows)
        })
        .collect()
}

fn check(graphs: usize, params: &MineParams) -> Result<(), MineError> {
    let largest = MAX_VERTICES - 1;
    if graphs == 0 {
        return Err(MineError::NoGraphs);
    }
    if !(1..=largest).contains(&params.max_edges) {
        return Err(MineError::MaxEdges { largest, got: params.max_edges });
    }
    if !(1..=graphs).contains(&params.min_support) {
        return Err(MineError::MinSupport { graphs, got: params.min_support });
    }
    if params.threads == 0 {
        return Err(MineError::NoThreads);
    }
    if params.rows_per_graph == Some(0) {
        return Err(MineError::NoRows);
    }
    Ok(())
}
