//! How data sets get out again.

mod error;
mod jsonl;
mod pending;
mod tu;

pub use error::WriteError;
pub use jsonl::{to_jsonl, write_jsonl};
pub use pending::{Pending, beside, create_fresh, is_special, write_whole};
pub use tu::write_tu;
