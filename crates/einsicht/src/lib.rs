//! einsicht predicts a property of a whole graph and tells which subgraphs decide it: exactly, not as a heat map.
//!
//! This crate is the door: it has no code of its own, only the names that a user needs. The rooms behind it are
//! [`graph`] (graphs, patterns, mining, matching: integers only), [`data`] (readers, targets, splits, synthetic sets) and
//! [`learn`] (search, training, models, prediction).
//!
//! # A first look
//!
//! ```
//! use einsicht::{Synthetic, Summary, generate};
//!
//! // Graphs whose classes message passing cannot tell apart: 8-rings against 9-rings.
//! let cycle = generate(Synthetic::Cycle, 0);
//! let summary = Summary::of(&cycle);
//! assert_eq!(summary.graphs, 600);
//! assert_eq!(summary.oddities.disconnected_graphs, 0);
//!
//! // A graph knows its vertices, edges and neighbours; the data set knows the names of the labels.
//! let graph = &cycle.graphs[0];
//! for neighbor in graph.neighbors(einsicht::VertexId(0)) {
//!     let name = cycle.vertex_labels.name(neighbor.vertex_label);
//!     assert!(name == "0" || name == "1");
//! }
//! ```

pub use einsicht_data as data;
pub use einsicht_graph as graph;
pub use einsicht_learn as learn;

pub use einsicht_data::generate::{Synthetic, generate};
pub use einsicht_data::summary::Summary;
pub use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
pub use einsicht_data::{ReadError, ReadOptions, read};
pub use einsicht_graph::{Edge, EdgeId, Graph, GraphError, GraphId, Label, VertexId};
pub use einsicht_learn::fit::{FitOptions, fit};
pub use einsicht_learn::model::Model;
pub use einsicht_learn::params::TrainParams;
