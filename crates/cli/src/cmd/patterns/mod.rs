//! Commands on patterns: `mine`, `match`.

pub(super) mod match_;
pub(super) mod mine;
