//! The path of models, from few patterns to many, and the choice among them.
//!
//! Either a path of sizes (`L0,2`: at most `s` patterns) or a regularization path of penalties (`L1,2`, group lasso;
//! `lambda.rs`). Each point starts from the best iterate of the one before (warm start) and ends by early stopping
//! (`early_stopping.rs`). Entries are `einsicht_model::PathEntry`.

mod early_stopping;
mod fit_head;
pub(crate) mod lambda;
