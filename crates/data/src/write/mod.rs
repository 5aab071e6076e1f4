//! How data sets get out again.

mod error;
mod jsonl;
mod tu;

pub use error::WriteError;
pub use jsonl::{to_jsonl, write_jsonl};
pub use tu::write_tu;
