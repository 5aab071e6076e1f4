//! Does the program survive? `cargo xtask kill-test` kills it again and again, `cargo xtask soak` tries everything at random.

pub(crate) mod kill_test;
mod program;
mod random;
mod sets;
pub(crate) mod soak;
