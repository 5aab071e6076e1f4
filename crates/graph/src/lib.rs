//! Labelled graphs, subgraph patterns, exact mining and exact matching.
//!
//! Integers only: this crate never uses a floating-point number, never opens a file and never
//! prints. Everything that decides whether a pattern is *worth* something lives above it.

pub mod graph;
pub mod ids;
pub mod matching;
pub mod mine;
pub mod pattern;
pub mod support;

pub use graph::{Edge, Graph, GraphBuilder, GraphError, Neighbor};
pub use ids::{EdgeId, GraphId, Label, VertexId};
pub use pattern::{DfsCode, DfsEdge};
pub use support::{Support, SupportTable};
