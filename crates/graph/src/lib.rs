//! Labelled graphs, subgraph patterns, exact mining and exact matching.

mod bitset;
mod canon;
mod concurrent_vec;
mod database;
mod embed;
mod extend;
mod graph;
mod ids;
mod label_order;
pub mod matching;
pub mod mine;
mod stats;
mod support;
mod tree;

pub use canon::{DfsCode, DfsCodeError, DfsEdge, MAX_VERTICES, MinCodeFinder, MinimalityTest};
pub use graph::{Edge, Graph, GraphBuilder, GraphError, Neighbor};
pub use ids::{EdgeId, Label, VertexId};
pub use support::{Support, SupportTable};
