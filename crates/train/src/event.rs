//! What a pass reports.

use einsicht_model::StoppedBy;
use einsicht_search::SearchStats;

/// One finished pass: a search, a step on `B`, one on `b`, steps on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct PassDone {
    /// `s`; on a path of penalties the number of active patterns.
    pub size: usize,
    /// `lambda`, on a path of penalties.
    pub lambda: Option<f64>,
    /// Passes at this size, including this one.
    pub iteration: usize,
    /// The objective: the loss plus weight decay and penalty.
    pub objective: f64,
    /// The same before the step on `B` and after the one on `b`: these never raise it.
    pub around_selection: [f64; 2],
    /// Mean loss per label of the validation set.
    pub valid_loss: Option<f64>,
    /// Active patterns.
    pub patterns: usize,
    /// The accepted step on `B`; `None` if every step size failed and `B` stayed.
    pub step: Option<f64>,
    /// Steps taken on the network.
    pub network_steps: usize,
    /// Counters of the search.
    pub search: SearchStats,
    /// Set if this pass was the last of its size.
    pub stopped_by: Option<StoppedBy>,
}

/// What a pass does, by kind of work. A pass comes back to some of them: it fits the network before the first search
/// and after the step on `B`, and judges twice. The trainer owns no clock; a caller that measures time is told when
/// one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassPhase {
    /// Loss, `delta`, and the search for candidates.
    Search,
    /// The step on `B`: ranking and line search.
    Patterns,
    /// Steps on `b` and on the network, and fitting all weights.
    Network,
    /// Validation: matching new patterns, losses.
    Judging,
    /// At the end of a size: its head (linear model, forest), metrics.
    Heads,
}

impl PassPhase {
    /// All phases.
    pub const ALL: [PassPhase; 5] =
        [PassPhase::Search, PassPhase::Patterns, PassPhase::Network, PassPhase::Judging, PassPhase::Heads];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            PassPhase::Search => "search",
            PassPhase::Patterns => "patterns",
            PassPhase::Network => "network",
            PassPhase::Judging => "judging",
            PassPhase::Heads => "heads",
        }
    }
}
