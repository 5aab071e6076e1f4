//! Robustness of the program: `cargo xtask kill-test` kills and resumes it, `cargo xtask soak` tries random cases.

pub(crate) mod kill_test;
mod program;
mod random;
mod sets;
pub(crate) mod soak;
