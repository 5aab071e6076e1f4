//! What a release takes: packages for crates.io and wheels for PyPI, each tried where nothing of this tree helps. See
//! `RELEASING.md`.

pub(crate) mod packages;
pub(crate) mod wheels;
