//! einsicht predicts a property of a whole graph from a few subgraphs that it finds by exact search.
//!
//! This crate is the public face: the names that a user needs, and the [`memory`] limits. The crates behind it are
//! [`graph`] (graphs, patterns, mining, matching: integers only), [`search`] (the exact search: bound, ties, memory,
//! workers), [`data`] (readers, targets, splits, synthetic sets), [`forest`] (trees), [`model`] (what a predictor is),
//! [`train`] (training), [`oracle`] (proofs of a model's claims) and [`explain`] (Shapley values, rules, drawings, the
//! report page).
//!
//! # From data to insight
//!
//! ```
//! use einsicht::data::split::seeded::{Fractions, default_split};
//! use einsicht::{Plan, SplitChoice, Summary, Synthetic, fit, generate};
//! use serde_json::json;
//!
//! // Classes that message passing cannot distinguish: 8-rings against 9-rings. `einsicht::read` reads files.
//! let cycle = generate(Synthetic::Cycle, 0).subset(&(0..200).collect::<Vec<_>>());
//! let summary = Summary::of(&cycle);
//! assert_eq!((summary.graphs, summary.vertex_labels.len()), (200, 2));
//!
//! // A model of one subgraph with at most eight edges. A watcher instead of `&()` can show and stop the training.
//! let split = default_split(&cycle, Fractions { valid: 0.2, test: 0.2 }, 0)?;
//! let plan = Plan::of_graphs(cycle).split(SplitChoice::Rows(split));
//! let plan = plan.set("preset", "ein")?.set("sizes", json!([1]))?.set("max_edges", 8)?;
//! let model = fit(&plan, &())?;
//!
//! // It finds the 8-ring, and the whole test set is classified correctly.
//! let ring = &model.best().iterate.patterns[0];
//! assert_eq!((ring.code.num_edges(), ring.code.num_vertices()), (8, 8));
//! assert_eq!(model.best().test["accuracy"], 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From a file, as in the README
//!
//! ```no_run
//! use einsicht::{Plan, fit};
//!
//! let model = fit(&Plan::of_file("assay.csv").target("toxic"), &())?;
//! std::fs::write("toxic.einsicht", model.to_bytes()?)?; // the very file that the program writes
//! println!("{} subgraphs: {:?}", model.best().iterate.patterns.len(), model.best().valid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parameters: a preset and deviations from it
//!
//! Every parameter is a row of one table ([`model::params`]); a preset sets the defaults, and what nothing reads is
//! refused.
//!
//! ```
//! use einsicht::TrainSettings;
//!
//! let mut settings = TrainSettings::default();
//! settings.set("hidden", 10.into())?;
//! let refused = settings.params(0).unwrap_err().to_string();
//! assert!(refused.starts_with("hidden needs network layers") && refused.ends_with("preset ein sets it"));
//!
//! settings.set("preset", "ein".into())?;
//! assert_eq!(settings.params(0)?.summary_line(), "preset ein: hidden 10 (default 6)");
//! # Ok::<(), einsicht::ParamError>(())
//! ```
//!
//! # Graphs by hand
//!
//! ```
//! use einsicht::{Graph, Label};
//!
//! let mut builder = Graph::builder();
//! let carbon = builder.add_vertex(Label(0))?;
//! let oxygen = builder.add_vertex(Label(1))?;
//! builder.add_edge(carbon, oxygen, Label(0))?;
//! let graph = builder.build();
//! assert_eq!(graph.neighbors(carbon)[0].vertex, oxygen);
//! # Ok::<(), einsicht::GraphError>(())
//! ```

pub mod associations;
pub mod experiment;
pub mod memory;
mod session;

pub use einsicht_data as data;
pub use einsicht_explain as explain;
pub use einsicht_forest as forest;
pub use einsicht_graph as graph;
pub use einsicht_model as model;
pub use einsicht_oracle as oracle;
pub use einsicht_report as report;
pub use einsicht_search as search;
pub use einsicht_significance as significance;
pub use einsicht_train as train;

pub use einsicht_data::generate::{Synthetic, generate};
pub use einsicht_data::summary::Summary;
pub use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
pub use einsicht_data::{ReadError, ReadOptions, read};
pub use einsicht_graph::{Edge, EdgeId, Graph, GraphError, Label, VertexId};
pub use einsicht_model::Model;
pub use einsicht_model::params::{ParamError, Preset, TrainParams, TrainSettings};
pub use einsicht_train::fit::FitOptions;
pub use session::{
    AfterPass, Event, Inputs, Note, Part, Plan, PlanError, Prepared, PreparedGrid, Progress, Resampled, Resampling,
    Session, SessionError, Source, SplitChoice, Stage, SubgraphProblem, TrainingId, Watch, fit,
};
