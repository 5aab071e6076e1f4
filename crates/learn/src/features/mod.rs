//! From patterns and graphs to numbers.

mod matching;
pub mod names;

pub use matching::{GraphMatcher, PatternMatcher, supports_in};
