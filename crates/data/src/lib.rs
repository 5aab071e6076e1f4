//! Graphs with targets: how they are read, written, split and made.
//!
//! # From a file to a data set
//!
//! The naive way to read graphs is a loop: for each record, look up or invent a number for each label, and push a
//! graph. Then the numbers depend on the order of the rows, each format has its own rules, and a bad row shifts all
//! that follow it. So there are three steps here:
//!
//! 1. A *format* ([`read`]) hands words (labels, values of targets) row by row to a [`DatasetBuilder`].
//! 2. The builder numbers the words as they come, and at the end *ranks* them: whole numbers by value, then words by
//!    bytes. The ids of a [`Vocabulary`] do not depend on the order of the rows.
//! 3. The [`Dataset`] keeps for every graph its *row* in the source, skipped rows counted. Split files ([`SplitFile`])
//!    mean these rows.
//!
//! ```
//! use einsicht_data::read::{Format, ReadOptions, read_from};
//! use einsicht_data::split::seeded::{Fractions, default_split};
//! use einsicht_data::summary::Summary;
//!
//! // `read` takes a path; here the bytes are in memory. The word after the id is the target.
//! let text = "t # a 1\nv 0 C\nv 1 O\ne 0 1 double\nt # b 0\nv 0 N\nv 1 C\ne 0 1 single\n";
//! let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
//! let dataset = read_from("two.gspan".as_ref(), text.as_bytes(), &options)?;
//! assert_eq!(dataset.vertex_labels.tokens(), ["C", "N", "O"]);
//! assert_eq!(Summary::of(&dataset).targets[0].labelled, 2);
//!
//! // The same seed gives the same split, on every machine.
//! let split = default_split(&dataset, Fractions { valid: 0.5, test: 0.0 }, 0)?;
//! assert_eq!((split.train.len(), split.valid.len()), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! [`read`] and [`write`](mod@write) know the file formats, [`split`] divides graphs into training, validation and test
//! set, [`qualify`] decides which properties patterns may require of a vertex, [`patterns`] reads subgraphs by the
//! names of their labels and [`draw`] writes them on one line, [`chem`] turns molecules into labelled graphs and back,
//! [`generate`] makes synthetic sets, [`random`] holds the random numbers that are the same for ever. Of targets
//! nothing but classes is counted here.

pub mod chem;
mod dataset;
pub mod draw;
pub mod generate;
mod jsonl;
mod names;
pub mod patterns;
pub mod qualify;
pub mod random;
pub mod read;
mod reading;
pub mod split;
pub mod write;

pub use dataset::class_weight::{ClassWeight, NoClasses};
pub use dataset::duplicates::Duplicates;
pub use dataset::features::{FeatureColumn, FeatureError};
pub use dataset::fingerprint::Fingerprint;
pub use dataset::join::JoinError;
pub use dataset::properties::PropertyColumn;
pub use dataset::summary;
pub use dataset::vocabulary::{Vocabulary, corresponding_labels};
pub use dataset::{Attributes, Dataset, Origin, Repaired, Skipped, Target, TargetValues};
pub use names::{AsPattern, Names};
pub use qualify::{QualifierChoice, QualifierError, Qualifiers};
pub use read::builder::{DatasetBuilder, PropertySlot, TargetSlot};
pub use read::target::TargetKind;
pub use read::{ReadError, ReadOptions, read};
pub use split::{Part, Split, SplitError, SplitFile};
