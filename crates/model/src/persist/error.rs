//! Why a file is not a model: one variant for each thing that must hold.

use super::{FORMAT, KEY};
use crate::params::ParamError;

/// Why a file is not a model that this version can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not a safetensors file, or only a part of one.
    #[error("not a whole model file: {reason}")]
    NotAModel {
        /// The error of the container.
        reason: String,
    },
    /// A safetensors file of something else.
    #[error("the file has no metadata entry {KEY}, so it is not one of our models")]
    Foreign,
    /// Written by a newer version.
    #[error("the file has format {found}, but this version reads format {FORMAT}: use a newer version")]
    Newer {
        /// Format of the file.
        found: u64,
    },
    /// Written by an earlier version.
    #[error("the model was written by an earlier version, whose files this version does not read: train it again")]
    Older,
    /// Bytes were changed, lost or added since it was written.
    #[error("the file is damaged: its content does not have the digest that it was saved with")]
    Damaged,
    /// The JSON entry is malformed.
    #[error("the metadata of the model cannot be read: {reason}")]
    Header {
        /// What is wrong.
        reason: String,
    },
    /// A parameter out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Tasks that make no sense.
    #[error("task {task} must have at least two different classes, or a finite mean and a scale above 0")]
    Task {
        /// Name of the task.
        task: String,
    },
    /// Classes as the caller writes them, of other tasks.
    #[error("the class values must be one list of all classes for each task with classes, or absent")]
    ClassValues,
    /// An estimate of a choice that was not made.
    #[error("a model whose size was picked can have no estimate and no effects of the chosen one")]
    Picked,
    /// Tokens out of order or repeated.
    #[error("the {which} labels must be different and in order of rank")]
    Vocabulary {
        /// Vertex or edge.
        which: &'static str,
    },
    /// Not a pattern.
    #[error("pattern {pattern} is not a DFS code: {reason}")]
    Code {
        /// Its index in the list.
        pattern: usize,
        /// Why.
        reason: String,
    },
    /// A code that is not minimal.
    #[error("pattern {pattern} is not the minimum DFS code of its graph")]
    NotCanonical {
        /// Its index in the list.
        pattern: usize,
    },
    /// Too many automorphisms to check the code.
    #[error("pattern {pattern} has too many automorphisms to check its code")]
    TooSymmetric {
        /// Its index in the list.
        pattern: usize,
    },
    /// Counts by class that do not fit the tasks.
    #[error("pattern {pattern} must have a count for each class of each task")]
    ByClass {
        /// Its index in the list.
        pattern: usize,
    },
    /// More graphs with a pattern than there are.
    #[error(
        "pattern {pattern} must occur in at most the {graphs} graphs of training and validation, and in no more of all classes"
    )]
    Support {
        /// Its index in the list.
        pattern: usize,
        /// Graphs of the training and validation sets.
        graphs: usize,
    },
    /// Effects of another model.
    #[error("the effects must be those of the chosen subgraphs, but {what}")]
    Effects {
        /// What does not fit.
        what: String,
    },
    /// A label that no vocabulary has, or too many edges.
    #[error("pattern {pattern} has a label outside the vocabulary or more than {max_edges} edges")]
    Outside {
        /// Its index in the list.
        pattern: usize,
        /// Largest number of edges.
        max_edges: usize,
    },
    /// Patterns or indices out of order.
    #[error("{what} must be strictly increasing and in range")]
    Order {
        /// Of what.
        what: String,
    },
    /// No entry, or no chosen one.
    #[error("the chosen entry must be one of the path, but it is {chosen} of {entries}")]
    Chosen {
        /// Index of the chosen entry.
        chosen: usize,
        /// Number of entries.
        entries: usize,
    },
    /// A tensor is missing, superfluous or of the wrong kind.
    #[error("the model must hold {wanted}, but {found}")]
    Tensor {
        /// What must be there.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// A weight that is not a number.
    #[error("the numbers of {name} must be finite, but number {at} is not")]
    NotFinite {
        /// Name of the tensor or value.
        name: String,
        /// Position, from 0.
        at: usize,
    },
}
