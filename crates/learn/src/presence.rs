//! Which graphs outside the training part contain a pattern: what validation, test and prediction ask.
//!
//! Training graphs are answered by the search itself. The trait keeps the trainer free of any matcher.

use einsicht_graph::{DfsCode, Support};
use std::sync::Arc;

/// Answers for a fixed list of graphs.
pub trait Presence {
    /// The graphs of the list that contain the pattern.
    fn support(&mut self, code: &DfsCode) -> Arc<Support>;
}

impl<F: FnMut(&DfsCode) -> Arc<Support>> Presence for F {
    fn support(&mut self, code: &DfsCode) -> Arc<Support> {
        self(code)
    }
}
