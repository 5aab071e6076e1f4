//! What a predictor is: the subgraphs that it reads, how it predicts from them, and its file. Trains nothing.
//!
//! A model predicts from the subgraphs that a graph contains: `f(G) = FFN(sigma(h(G)))` with
//! `h(G) = b + sum_H beta_H psi_H(G)`, where `psi_H(G)` is 1 if `G` contains the pattern `H`, or a function of its
//! count; a head on the same patterns may predict in place of the network.
//!
//! | module | subject |
//! | :-- | :-- |
//! | [`params`] | the table of parameters, presets, settings, checks |
//! | [`task`], [`metrics`] | targets, losses, metrics, temperatures and decision thresholds |
//! | [`features`] | supports of patterns in graphs, the pattern x graph matrix |
//! | [`forward`] | the forward and the backward pass |
//! | [`side`] | side inputs: what is read of a graph besides its subgraphs |
//! | [`gnn`] | the graph network beside the mining layer |
//! | [`heads`] | models on the chosen patterns |
//! | [`folds`] | the choice of a model by graphs that it has not seen, and how well it predicts them |
//! | [`effects`] | effects of subgraphs and shares of the predictions, as a model may hold them |
//! | [`Model`], [`persist`] | trained models, predictions, applicability, the model file |
//!
//! This crate never reads a data file, never searches, never prints, and owns no clock.

pub mod effects;
pub mod features;
pub mod folds;
pub mod forward;
pub mod gnn;
pub mod heads;
mod iterate;
mod model;
pub mod params;
mod path;
pub mod persist;
pub mod side;
pub mod task;

pub use forward::activation::Activation;
pub use iterate::{BeforeStep, Iterate, PairWeights, PatternWeights, norm, squares};
pub use model::*;
pub use path::{Member, PathEntry, StoppedBy, choose};
pub use task::metrics;
