//! Exact mining: every connected subgraph of a set of graphs, by gSpan's tree of minimum DFS codes.
//!
//! [`mine`] traverses all patterns and calls a [`Visitor`] at each; what is worth growing is the caller's decision,
//! never the miner's. [`Tree`](crate::tree::Tree) is the same tree, grown on demand and kept. Knows nothing of files,
//! names or floating-point numbers. Equal to the brute-force oracle of the testkit in `tests/mine_vs_oracle.rs`.
//!
//! `depth_first.rs` is the traversal, with `refine.rs` for single vertices and qualifiers; `levelwise` runs before it
//! on graphs with few labels, where Apriori pruning pays. `tally.rs` and `pattern_list.rs` are visitors; `closed.rs`
//! condenses a list.

mod closed;
mod depth_first;
mod levelwise;
mod params;
mod pattern_list;
mod refine;
mod tally;
mod visitor;

pub use crate::embed::Counts;
pub use crate::stats::MineStats;
pub use closed::{Condense, condense};
pub(crate) use params::FIXED_BYTES;
pub use params::{MineError, MineParams};
pub use pattern_list::{PatternList, PatternListBuilder};
pub use tally::Tally;
pub use visitor::{MineControl, VisitedPattern, Visitor};

use crate::graph::Graph;
use crate::label_order::LabelOrder;
use depth_first::DepthFirst;

/// The outcome of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MineOutcome {
    /// Counters.
    pub stats: MineStats,
    /// Whether the traversal is complete (the visitor never returned [`MineControl::Stop`]).
    pub complete: bool,
    /// The span in the work-span model: the longest chain of embeddings ([`MineStats::work`]) that no number of threads
    /// can scan in parallel. With one thread, all. As long as no thread idles while there is work, the busiest of two
    /// threads does at most `1 + span / work` times the mean.
    pub span: u64,
}

/// Traverses all patterns of the graphs.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::{mine, MineControl, MineParams, VisitedPattern, Visitor}};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// for (from, to) in [(a, b), (b, c), (c, a)] {
///     builder.add_edge(from, to, Label(0))?;
/// }
/// struct Count(usize);
/// impl Visitor for Count {
///     fn visit(&mut self, _: &VisitedPattern<'_>) -> MineControl {
///         self.0 += 1;
///         MineControl::Grow
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
pub fn mine<V: Visitor>(graphs: &[Graph], params: &MineParams, visitor: &mut V) -> Result<MineOutcome, MineError> {
    let label_order = if visitor.reads_codes() { LabelOrder::AsGiven } else { LabelOrder::rarest_first(graphs) };
    let (mut expander, budget) = params.prepare(graphs, &label_order)?;
    expander.keep_more();
    let (mut stats, complete) = match (expander.db.max_vertices(), params.max_edges) {
        (..=255, ..=15) => DepthFirst::<[u8; 16]>::new(&expander, params, budget).run(visitor),
        (..=255, _) => DepthFirst::<[u8; 32]>::new(&expander, params, budget).run(visitor),
        (..=65535, ..=15) => DepthFirst::<[u16; 16]>::new(&expander, params, budget).run(visitor),
        _ => DepthFirst::<[u32; 32]>::new(&expander, params, budget).run(visitor),
    };
    Ok(MineOutcome { span: std::mem::take(&mut stats.span), stats, complete })
}
