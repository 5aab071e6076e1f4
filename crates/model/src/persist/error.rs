//! Why a file is not a model: one variant for each thing that must hold.

use super::{FORMAT, KEY};
use crate::params::ParamError;

/// Why a file is not a model that this version can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum ModelError {
    #[error("not a complete model file: {reason}")]
    NotAModel { reason: String },
    #[error("the file has no metadata entry {KEY}, so it is not an einsicht model")]
    Foreign,
    #[error("the file has format {found}, but this version reads format {FORMAT}: use a newer version")]
    Newer { found: u64 },
    #[error("the model was written by an earlier version, whose files this version does not read: train it again")]
    Older,
    #[error("the file is damaged: its content does not have the digest that it was saved with")]
    Damaged,
    #[error("the metadata of the model cannot be read: {reason}")]
    Header { reason: String },
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error("task {task} must have at least two different classes, or a finite mean and a scale above 0")]
    Task { task: String },
    #[error("the class values must be one list of all classes for each task with classes, or absent")]
    ClassValues,
    #[error("a model whose size was picked can have no estimate and no effects of the chosen one")]
    Picked,
    #[error("pattern {pattern} is not the minimum DFS code of its graph")]
    NotCanonical { pattern: usize },
    #[error("pattern {pattern} has too many automorphisms to check its code")]
    TooSymmetric { pattern: usize },
    #[error("pattern {pattern} must have a count for each class of each task")]
    ByClass { pattern: usize },
    #[error(
        "pattern {pattern} must occur in at most the {graphs} graphs of training and validation, and in no more of all \
         classes"
    )]
    Support { pattern: usize, graphs: usize },
    #[error("the effects must be those of the chosen subgraphs, but {what}")]
    Effects { what: String },
    #[error("pattern {pattern} has a label outside the vocabulary or more than {max_edges} edges")]
    Outside { pattern: usize, max_edges: usize },
    #[error("{what} must be strictly increasing and in range")]
    Order { what: String },
    #[error("the chosen entry must be one of the path, but it is {chosen} of {entries}")]
    Chosen { chosen: usize, entries: usize },
    #[error("the model must hold {wanted}, but {found}")]
    Tensor { wanted: String, found: String },
    #[error("the numbers of {name} must be finite, but number {at} is not")]
    NotFinite { name: String, at: usize },
}
