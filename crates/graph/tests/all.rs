//! Mining, matching and canonical forms against brute force: one program, since linking many takes longer than running
//! them.

mod canonical_form;
mod closed_vs_oracle;
mod common;
mod levelwise_vs_depth_first;
mod matching_vs_oracle;
mod mine_vs_oracle;
mod qualified_vs_oracle;
mod whole_vs_definition;
