//! Rightmost extension: which patterns arise from a pattern by one more edge, and in which graphs they occur.
//!
//! `rightmost.rs` scans embeddings and reports each canonical extension to a sink (`sink.rs`, `count_sink.rs`);
//! `table.rs` remembers which extensions are canonical, `occupied.rs` which vertices an embedding uses. `expand.rs`
//! puts these together for a pattern in all its graphs, and `child_supports.rs` does the same without the pattern's own
//! embeddings. `counter.rs` counts a pattern; `refine.rs` adds a qualifier instead of an edge. Knows nothing of
//! visitors and of the tree: what is worth growing is decided above.

mod child_supports;
mod count_sink;
mod counter;
mod expand;
mod occupied;
mod queries;
mod refine;
mod rightmost;
mod sink;
mod table;

pub(crate) use child_supports::{ChildSupports, Parent};
pub(crate) use count_sink::CountSink;
pub(crate) use counter::{CountedPattern, PatternCounter};
pub(crate) use expand::{EmbeddingBuffers, Expander, SupportedPattern};
pub(crate) use refine::{ListedGraph, RefineParams, Refinement, Refiner};
pub(crate) use rightmost::RightmostScan;
pub(crate) use sink::{EmbeddingSink, SupportSink};
