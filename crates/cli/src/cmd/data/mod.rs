//! Commands on data sets: `inspect`, `split`, `convert`, `generate`.

pub(super) mod convert;
pub(super) mod generate;
pub(super) mod inspect;
pub(super) mod split;
