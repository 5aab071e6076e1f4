//! Commands on data sets: `inspect`, `convert`, `generate`.

pub(super) mod convert;
pub(super) mod generate;
pub(super) mod inspect;
