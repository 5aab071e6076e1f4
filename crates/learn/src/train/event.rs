//! What training tells its observer after each pass; the observer may answer "stop".

use super::path::StoppedBy;
use einsicht_search::SearchStats;
use std::ops::ControlFlow;

/// One finished pass: a search, a step on `B`, one on `b`, steps on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct PassDone {
    /// `s`; on a path of penalties the number of patterns in use.
    pub size: usize,
    /// The penalty, where the path is one of penalties.
    pub lambda: Option<f64>,
    /// Passes made at this size, this one included.
    pub iteration: usize,
    /// The loss that is minimised, weight decay and penalty included.
    pub objective: f64,
    /// The same before the step on `B` and after the one on `b`: these never raise it.
    pub around_selection: [f64; 2],
    /// Mean loss of a label of the validation set.
    pub valid_loss: f64,
    /// Patterns in use.
    pub patterns: usize,
    /// The accepted step on `B`; `None` if every step size failed and `B` stayed.
    pub step: Option<f64>,
    /// Steps taken on the network.
    pub network_steps: usize,
    /// What the search did.
    pub search: SearchStats,
    /// Set if this pass was the last of its size.
    pub stopped_by: Option<StoppedBy>,
}

/// What a pass is made of, in its order. The trainer owns no clock; who wants to know what each part costs is told when it
/// begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassPhase {
    /// Loss, `delta`, and the search for candidates.
    Search,
    /// The step on `B`: ranking and line search.
    Patterns,
    /// Steps on `b` and on the network, and fitting all weights.
    Network,
    /// Validation: matching new patterns, losses, metrics.
    Judging,
}

impl PassPhase {
    /// All parts.
    pub const ALL: [PassPhase; 4] = [PassPhase::Search, PassPhase::Patterns, PassPhase::Network, PassPhase::Judging];

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            PassPhase::Search => "search",
            PassPhase::Patterns => "patterns",
            PassPhase::Network => "network",
            PassPhase::Judging => "judging",
        }
    }
}

/// Sees every pass; `Break` ends the training.
pub type Observer<'a> = dyn FnMut(&PassDone) -> ControlFlow<()> + 'a;
