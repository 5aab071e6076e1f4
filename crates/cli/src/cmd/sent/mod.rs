//! Commands that write a model as a file to send: `report`, `export`.

pub(super) mod export;
pub(super) mod report;
