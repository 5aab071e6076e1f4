//! Features of graphs: which graphs contain a pattern, and the pattern x graph matrix that heads and explanations read.
//!
//! `psi_H(G)` is 1 if the graph `G` contains the pattern `H`; in count mode it is a function of the number of
//! occurrences ([`einsicht_search::feature`]). One place for each step:
//!
//! - `labels.rs` translates patterns into the labels of another data set, by name;
//! - `matching.rs` finds the support of each pattern with the matcher;
//! - `matrix.rs` turns supports into rows of numbers;
//!
//! On the training graphs the search knows the supports; nothing here mines.

mod labels;
mod matching;
mod matrix;

pub use labels::codes_by_name;
pub(crate) use labels::known_labels;
pub use matching::{GraphMatcher, PatternMatcher, supports_of};
pub use matching::{graphs_at, supports_in};
pub use matrix::Table;
pub use matrix::{dense_matrix, join_columns, split_columns};
