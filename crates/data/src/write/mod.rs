//! Writing data sets, and replacing files atomically.

mod error;
mod jsonl;
mod pending;
mod tu;

pub use error::WriteError;
pub use jsonl::{to_jsonl, write_jsonl};
pub use pending::{Pending, beside, is_special, write_whole};
pub use tu::write_tu;
