//! How data sets get out again.

mod error;
mod tu;

pub use error::WriteError;
pub use tu::write_tu;
