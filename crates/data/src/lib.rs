//! Graphs with targets, how they get in, and how they are split.
//!
//! Readers turn files into a [`Dataset`]; nothing here computes with the targets.

pub mod builder;
pub mod chem;
pub mod dataset;
pub mod draw;
pub mod elements;
pub mod fingerprint;
pub mod generate;
mod interner;
pub mod join;
mod jsonl;
pub mod patterns;
pub mod random;
pub mod read;
pub mod split;
pub mod summary;
pub mod vocabulary;
pub mod write;

pub use builder::{DatasetBuilder, TargetSlot};
pub use dataset::{Attributes, Dataset, Origin, Repaired, Skipped, Target, TargetValues};
pub use fingerprint::Fingerprint;
pub use read::target::Kind;
pub use read::{ReadError, ReadOptions, read};
pub use split::{Part, Split, SplitError, SplitFile};
pub use vocabulary::Vocabulary;
