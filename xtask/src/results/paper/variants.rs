//! The section "Where we read between the lines".

use std::path::Path;

/// The section.
pub(super) fn section(_root: &Path) -> Option<String> {
    Some(String::new())
}
