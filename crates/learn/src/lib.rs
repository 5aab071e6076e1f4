//! The exact subgraph isomorphism network (EIN): training, models, prediction, verification.
//!
//! A model predicts from the subgraphs that a graph contains: `f(G) = FFN(sigma(h(G)))` with
//! `h(G) = b + sum_H beta_H psi_H(G)`, where `psi_H(G)` is 1 if `G` contains the pattern `H`, and at most `s` patterns have
//! a weight `beta_H != 0`. This page explains the training from the naive loop up, and where each step is.
//!
//! # The naive loop
//!
//! List all patterns of the training graphs, then repeat:
//!
//! ```text
//! delta  = derivative of the loss by h, for each graph and hidden unit      (one backward pass)
//! grad_H = sum of delta over the graphs that contain H                      for every pattern H
//! B      = the s largest columns of  B - gamma grad                         (hard thresholding)
//! b, theta = one gradient step each
//! ```
//!
//! until the validation loss no longer falls. There may be millions of patterns, and one gradient step per pass is slow to
//! converge. Six ideas turn the loop into what runs; the first two are the paper's, and none makes the choice of patterns
//! less exact.
//!
//! 1. **Search instead of listing.** An upper bound on the gradient norm of all patterns that contain `H` prunes whole
//!    subtrees. That is the crate [`einsicht_search`]; it receives `delta` and returns the candidates of the step, exactly.
//! 2. **Line search.** `gamma` is the first of `gamma_max rho^j` that decreases the loss enough (Armijo's condition):
//!    `train/select/hard_threshold.rs` for `B`, `train/optimize/line_search.rs` for `b` and `theta`.
//! 3. **A path with warm starts.** Sizes `s` grow, each starts from the best iterate of the one before, and early stopping
//!    ends it: `train/path`. With the group lasso (`L1,2`) the path is one of decreasing penalties `lambda`
//!    (`train/path/lambda.rs`, `train/select/proximal.rs`).
//! 4. **Fits between selections.** Before the first pattern (*prefit*) and after each step (*polishing*) all weights are
//!    fitted on the fixed patterns by L-BFGS: `train/optimize/polish.rs`. Not in the paper.
//! 5. **Heads.** The chosen patterns are read by a linear model, a forest or both instead of the network: [`heads`],
//!    [`forest`]. Not in the paper.
//! 6. **Sums in one order.** Equal input gives equal bits, whatever the threads: sums over graphs run in increasing order
//!    everywhere, and rows with equal sums are computed once (`forward/row_dedup.rs`).
//!
//! # Layout
//!
//! | module | subject |
//! | :-- | :-- |
//! | [`params`], [`grid`] | parameters of training, and grids of them |
//! | [`task`], [`metrics`] | targets, losses, metrics, temperature scaling and decision thresholds |
//! | [`features`], [`names`] | supports outside the training set, the pattern x graph matrix, patterns as text |
//! | `forward` | the forward and the backward pass |
//! | [`train`] | Algorithm 1 |
//! | [`fit`], [`experiment`], [`resample`], [`watch`] | whole trainings: one, over a grid, on resamples; who watches them |
//! | [`folds`] | cross-validation: the choice of a model by graphs that it has not seen, and how well it predicts them |
//! | [`heads`], [`forest`], [`gnn`] | models on the chosen patterns; a graph network beside the mining layer |
//! | [`model`], [`persist`] | trained models, predictions, the model file and checkpoints |
//! | [`effects`] | effects of subgraphs and shares of the predictions, as a model may hold them |
//! | [`verify`] | re-proves the claims of a model by exhaustive search, with code of its own |
//!
//! # Example
//!
//! ```
//! use einsicht_data::generate::{Synthetic, generate};
//! use einsicht_data::split::seeded::{Fractions, default_split};
//! use einsicht_learn::fit::{Fit, FitOptions};
//! use einsicht_learn::params::TrainParams;
//!
//! let cycle = generate(Synthetic::Cycle, 0).subset(&(250..350).collect::<Vec<_>>());
//! let split = default_split(&cycle, Fractions { valid: 0.2, test: 0.2 }, 0)?;
//! let params = TrainParams { sizes: vec![1, 2], max_edges: 3, max_iterations: 5, ..TrainParams::ein() }.check()?;
//!
//! // One pass after the other: the step on `B` and on `b` never raises the objective.
//! let fit = Fit::new(&cycle, &split, &params, None, &FitOptions::default())?;
//! let mut training = fit.start(None, None)?;
//! while let Some(pass) = training.step()? {
//!     assert!(pass.around_selection[1] <= pass.around_selection[0]);
//! }
//! let model = fit.model(&mut training)?.expect("a path of two sizes");
//! assert_eq!(model.entries.len(), 2);
//!
//! // The model is a file of its own, and predicts any graph.
//! let file = model.to_bytes()?;
//! let loaded = einsicht_learn::model::Model::from_bytes(&file)?;
//! assert_eq!(loaded.predict(loaded.chosen, &cycle, &[0, 1]), model.predict(model.chosen, &cycle, &[0, 1]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate never reads a data file, never prints, and owns no clock.

pub mod effects;
pub mod features;
pub mod folds;
pub mod forest;
mod forward;
pub mod gnn;
pub mod grid;
pub mod heads;
pub mod model;
pub mod params;
pub mod persist;
mod runs;
pub mod task;
pub mod train;
pub mod verify;

pub use features::names;
pub use forward::activation::Activation;
pub use runs::bounded_parallel::bounded_parallel;
pub use runs::{fit, resample, shards, watch};
pub use task::metrics;
