//! Commands on patterns: `mine`, `match`, `significant`.

pub(super) mod match_;
pub(super) mod mine;
pub(super) mod significant;
