//! The one way to listen to a session, to save it and to stop it.
//!
//! Promise: what a watcher does changes no byte of a model. Trainings run side by side, so a watcher is called from
//! many threads.

use super::Stage;
use einsicht_train::{PassDone, PassPhase};

/// One of the trainings of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingId {
    /// The training that makes the model.
    Model,
    /// A fold, by its number.
    Fold(usize),
    /// A training on a bootstrap resample, by its number.
    Resample(usize),
    /// A training with permuted targets, by its number.
    Permuted(usize),
}

/// Something that happens in a session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// Trainings of a kind begin: so many of them. The number in the identifier means nothing.
    Begin {
        /// The first of them.
        first: TrainingId,
        /// How many there are.
        count: usize,
    },
    /// One of them is finished: so many are.
    Finished {
        /// Which.
        training: TrainingId,
        /// How many are finished.
        done: usize,
        /// How many there are.
        count: usize,
    },
    /// A training enters a phase of a pass.
    Phase(TrainingId, PassPhase),
    /// The training of the model has done a pass.
    Pass(&'e PassDone),
    /// Work after the passes begins.
    Part(Part),
}

/// Work that follows the passes of the training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The support classes of the chosen subgraphs are listed, and heads are fitted.
    Classes,
    /// Effects of the chosen subgraphs are computed.
    Effects,
}

impl Part {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classes => "classes of subgraphs",
            Self::Effects => "effects",
        }
    }
}

/// What a watcher wants at the end of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AfterPass {
    /// Take the state of this training into the stage.
    pub keep: bool,
    /// Save the stage.
    pub save: bool,
    /// Stop all trainings.
    pub stop: bool,
}

/// Listens to a session, saves its stage and stops it. A thread that watches a flag of [`einsicht_graph::stop`] is
/// stopped in the middle of a pass, too.
pub trait Watch: Sync {
    /// Something happens.
    fn event(&self, _event: Event<'_>) {}

    /// A training has done a pass.
    fn passed(&self, _training: TrainingId) -> AfterPass {
        AfterPass::default()
    }

    /// Saves the stage.
    fn save(&self, _stage: &Stage) {}
}

/// Nobody listens.
impl Watch for () {}
