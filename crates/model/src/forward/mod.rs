//! The forward and the backward pass, written once: `f(G) = FFN(sigma(h(G)))`.
//!
//! `h(G) = b + sum_H beta_H psi_H(G)` comes from the mining layer (`mining.rs`); an activation (`activation.rs`) and
//! linear layers (`network.rs`, `dense.rs`) follow, with a graph network beside the mining layer if there is one.
//! [`ForwardPass`] puts them together for a batch: training, validation, prediction and explanation all use it. Only
//! `verify` has code of its own, since it must be able to disagree.
//!
//! Knows nothing of losses, targets or files. Gradients are checked against finite differences here and against PyTorch
//! in `python/tests`.

pub mod activation;
pub mod dense;
pub mod mining;
pub mod network;
mod pass;
mod row_dedup;
mod row_walk;

pub use pass::{ForwardPass, GivenRows};
pub use row_walk::RowWalks;
pub use row_walk::rows_along;
