//! A training as a value: everything from a [`Plan`] to a model with its effects and resamples, one bounded piece of
//! work after the other.
//!
//! Promise: the program, Python and `einsicht::fit` train by this code, so equal plans give equal bytes. Everything
//! between two pieces is in the [`Stage`]: a session that continues from a saved one ends in the same bytes. Knows no
//! clock, no file and no terminal: a [`Watch`] says when to save and when to stop.
//!
//! Folds and resamples run side by side within one piece; the training that makes the model does one pass a piece.

mod plan;
mod side_by_side;
mod watch;

pub use einsicht_train::checkpoint::Checkpoint as Stage;
pub use plan::{Note, Plan, PlanError, Prepared, PreparedGrid, Resampling, Source, SplitChoice, SubgraphProblem};
pub use watch::{AfterPass, Event, Part, TrainingId, Watch};

use einsicht_data::{ClassWeight, Dataset, Split};
use einsicht_explain::add_effects;
use einsicht_graph::mine::MineParams;
use einsicht_graph::stop;
use einsicht_model::params::{CheckedParams, TrainParams};
use einsicht_model::task::num_outputs;
use einsicht_model::{Model, SourceRows};
use einsicht_search::{Evictions, Search, SearchError, SharedTree};
use einsicht_train::checkpoint::{CheckpointError, Origin};
use einsicht_train::fit::{Chosen, Fit, FitError, FitOptions, Training, mine_params, sized};
use einsicht_train::resample::{Permutation, Resampler, Stability};
use einsicht_train::shards::ShardedFit;
use einsicht_train::{PassDone, TrainError, TrainState};
use side_by_side::SideBySide;
use std::sync::{Arc, Mutex};

/// Why a session has no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SessionError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Stage(#[from] CheckpointError),
}

/// What a piece of work has come to.
#[derive(Debug)]
pub enum Progress {
    /// Folds have chosen the model.
    Chosen,
    /// A pass of the training that makes the model.
    Pass(Box<PassDone>),
    /// The path is at its end.
    PathEnds,
    /// There is a model.
    Model,
    /// The model has the effects of its subgraphs.
    Effects,
    /// The model has its resamples, and targets were permuted.
    Resampled,
    /// Stopped in the middle of a piece, which the next call begins again, from what the stage has of it.
    Stopped,
    /// Nothing is left to do.
    Done,
}

/// The piece of work that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Folds,
    Path,
    Model,
    Effects,
    Resamples,
    Nothing,
}

/// What trainings on resamples and permuted targets have shown.
#[derive(Clone, Debug, Default)]
pub struct Resampled {
    /// How often each subgraph was chosen.
    pub stability: Vec<Stability>,
    /// The permutation test.
    pub permutation: Option<Permutation>,
}

/// What a session works on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The graphs, with the properties that subgraphs may require.
    pub dataset: &'a Dataset,
    /// Which of them are trained on, choose and test.
    pub split: &'a Split,
    /// The parameters.
    pub params: &'a CheckedParams,
    /// Weights of the training set, where its graphs do not all count the same.
    pub weights: Option<&'a [f64]>,
    /// Where these come from.
    pub class_weight: ClassWeight,
    /// Trainings that follow.
    pub resampling: Resampling,
}

/// What a session has grown on a split, for another session on it.
pub(crate) struct Grown {
    /// The patterns.
    mined: MineParams,
    kept: Kept,
}

enum Kept {
    /// The tree that folds share.
    Tree(Arc<SharedTree>),
    /// The search of the training that makes the model.
    Search(Box<dyn Search>),
}

/// A training, from its folds to its resamples.
pub struct Session<'a> {
    inputs: Inputs<'a>,
    fit: Fit<'a>,
    /// What an earlier session has grown, for the training that makes the model.
    search: Option<Box<dyn Search>>,
    stage: Stage,
    next: Next,
    choice: Option<Chosen>,
    training: Option<Training>,
    /// Whether the path ends before its time.
    is_cut: bool,
    /// Whether resamples are all that is wanted.
    skips_model: bool,
    model: Option<Model>,
    resampled: Resampled,
}

/// Trains the model of a plan on all cores; the result is the same on any number of them.
pub fn fit(plan: &Plan, watch: &dyn Watch) -> Result<Model, SessionError> {
    let prepared = plan.clone().prepare()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = crate::memory::usual_budget().map(|crate::memory::Bytes(bytes)| bytes);
    let mut session = Session::new(prepared.inputs(), &FitOptions { threads, memory })?;
    session.run(watch)?;
    Ok(session.into_model().ok_or(FitError::NoModel)?)
}

impl<'a> Session<'a> {
    /// A session at its beginning. Threads and memory change no byte.
    pub fn new(inputs: Inputs<'a>, options: &FitOptions) -> Result<Self, SessionError> {
        Self::with_grown(inputs, options, None)
    }

    /// The same with what another session on the same split has grown. It is used if the patterns are the same, makes
    /// this one faster, and changes nothing else.
    pub(crate) fn with_grown(
        inputs: Inputs<'a>,
        options: &FitOptions,
        grown: Option<Grown>,
    ) -> Result<Self, SessionError> {
        let Inputs { dataset, split, params, weights, class_weight, .. } = inputs;
        let sized = sized(split, params);
        let same = grown.filter(|grown| grown.mined == mine_params(sized.get(), split.train.len(), options));
        let (tree, search) = match same.map(|grown| grown.kept) {
            Some(Kept::Tree(tree)) => (Some(tree), None),
            Some(Kept::Search(search)) => (None, Some(search)),
            None => (None, None),
        };
        let fit = Fit::with_tree(dataset, split, params, weights.map(<[f64]>::to_vec), options, tree)?;
        if inputs.resampling != Resampling::default() {
            Resampler::new(&fit, None)?; // a memory limit too small for what follows is reported now
        }
        let origin = Origin {
            fingerprint: dataset.fingerprint().to_string(),
            rows: SourceRows::of(dataset, split),
            // A path that was auto may be continued by a longer one.
            params: vec![sized.get().clone()],
            class_weight,
        };
        let stage = Stage::new(origin, TrainState::default());
        Ok(Self {
            inputs,
            fit,
            search,
            stage,
            next: Next::Folds,
            choice: None,
            training: None,
            is_cut: false,
            skips_model: false,
            model: None,
            resampled: Resampled::default(),
        })
    }

    /// The same with the graphs on several workers.
    #[must_use]
    pub fn over_shards(mut self, shards: ShardedFit<'a>) -> Self {
        self.fit = self.fit.over_shards(shards);
        self
    }

    /// Continues from the stage of another session with the same plan and the same graphs.
    pub fn resume(self, stage: Stage) -> Result<Self, SessionError> {
        stage.origin.check(&self.stage.origin)?;
        Ok(Self { stage, ..self })
    }

    /// Continues the path of another session, which may be shorter than this one.
    pub fn lengthen(mut self, stage: Stage) -> Result<Self, SessionError> {
        self.stage.state = stage.state_for_longer_path(&self.stage.origin)?;
        Ok(self)
    }

    /// The same without a model: resamples follow what the folds have chosen.
    #[must_use]
    pub fn without_model(self) -> Self {
        Self { skips_model: true, ..self }
    }

    /// Runs to the end, or until the watcher stops it; whether it came to the end.
    pub fn run(&mut self, watch: &dyn Watch) -> Result<bool, SessionError> {
        loop {
            match self.advance(watch)? {
                Progress::Done => return Ok(true),
                Progress::Stopped => return Ok(false),
                _ => {}
            }
        }
    }

    /// Does one bounded piece of work.
    pub fn advance(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        stop::catch(|| self.piece(watch)).unwrap_or(Ok(Progress::Stopped))
    }

    /// What the session stands at, to continue later.
    pub fn stage(&mut self) -> &Stage {
        // What was cut short may still be continued.
        if let Some(training) = self.training.as_ref().filter(|_| !self.is_cut) {
            self.stage.state.clone_from(training.state());
        }
        &self.stage
    }

    /// The model, once there is one.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// The model, once there is one.
    pub fn into_model(self) -> Option<Model> {
        self.model
    }

    /// The model, and what another session may go on with.
    pub(crate) fn into_parts(self) -> (Option<Model>, Option<Grown>) {
        let Inputs { split, params, .. } = self.inputs;
        let mined = mine_params(sized(split, params).get(), split.train.len(), self.fit.options());
        let kept = match self.fit.tree() {
            Some(tree) => Some(Kept::Tree(Arc::clone(tree))),
            None => self.training.map(|training| Kept::Search(training.into_parts().0)),
        };
        (self.model, kept.map(|kept| Grown { mined, kept }))
    }

    /// Ends the path where it is: the next piece makes the best model so far; without any pass there is none. Returns
    /// whether anything is cut: not at the very end of the path.
    pub fn cut(&mut self) -> bool {
        let Some(training) = &mut self.training else {
            self.next = Next::Nothing;
            return true;
        };
        self.is_cut = !training.is_done();
        if self.is_cut {
            self.stage.state.clone_from(training.state());
            training.finish_early();
        }
        self.next = Next::Model;
        self.is_cut
    }

    /// Nothing is left to do: the model is there already.
    pub fn finish_with(&mut self, model: Model) {
        (self.model, self.next) = (Some(model), Next::Nothing);
    }

    /// What resamples and permuted targets have shown.
    pub fn resampled(&self) -> &Resampled {
        &self.resampled
    }

    /// The parameters, with nothing left to settle.
    pub fn params(&self) -> &TrainParams {
        self.fit.params().get()
    }

    /// Patterns visited for each entry of the path.
    pub fn visited(&self) -> &[u64] {
        self.training.as_ref().map_or(&[], |training| &training.state().visited)
    }

    /// What memory limits have cost.
    pub fn evictions(&mut self) -> Evictions {
        self.training.as_mut().map_or_else(Evictions::default, |training| training.search_mut().evictions())
    }

    /// Whether this is the complete model of this plan, without trainings on resamples.
    pub fn is_finished_by(&self, model: &Model) -> bool {
        let params = self.params().clone().for_outputs(num_outputs(&model.tasks));
        let origin = &self.stage.origin;
        let same = model.fingerprint == origin.fingerprint && model.rows == origin.rows && model.params == params;
        same && model.graph_weights.is_some() == self.inputs.weights.is_some() && model.complete
    }

    fn piece(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        match self.next {
            Next::Folds => self.choose(watch),
            Next::Path => self.pass(watch),
            Next::Model => self.make_model(watch),
            Next::Effects => Ok(self.add_effects(watch)),
            Next::Resamples => self.resample(watch),
            Next::Nothing => Ok(Progress::Done),
        }
    }

    /// All folds, side by side.
    fn choose(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        let count = self.fit.num_folds();
        let mut results = Vec::new();
        if count > 0 {
            let stage = Mutex::new(&mut self.stage);
            let folds = SideBySide { stage, place: |stage| &mut stage.folds, id: TrainingId::Fold, count, watch };
            let Some(all) = folds.run(&self.fit)? else { return Ok(Progress::Stopped) };
            results = all;
        }
        let choice = self.fit.choice(&results);
        if self.skips_model {
            (self.choice, self.next) = (Some(choice), Next::Resamples);
            return Ok(Progress::Chosen);
        }
        let state = Some(self.stage.state.clone()).filter(|state| *state != TrainState::default());
        let search = match self.search.take().filter(|_| self.fit.tree().is_none()) {
            Some(search) => search,
            None => self.fit.search()?,
        };
        self.training = Some(self.fit.start_with(search, choice.clone(), state)?);
        self.choice = Some(choice);
        self.next = Next::Path;
        watch.event(Event::Begin { first: TrainingId::Model, count: 1 });
        Ok(Progress::Chosen)
    }

    /// A pass of the training that makes the model.
    fn pass(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        let Some(training) = &mut self.training else { return Ok(Progress::Done) };
        let pass = match training.step_by_phase(&mut |phase| watch.event(Event::Phase(TrainingId::Model, phase))) {
            Ok(Some(pass)) => pass,
            Ok(None) => {
                self.next = Next::Model;
                return Ok(Progress::PathEnds);
            }
            Err(TrainError::Search(SearchError::Stopped)) => return Ok(Progress::Stopped),
            Err(error) => return Err(FitError::from(error).into()),
        };
        watch.event(Event::Pass(&pass));
        let AfterPass { keep, save, stop } = watch.passed(TrainingId::Model);
        if keep || save || stop {
            self.stage.state.clone_from(training.state());
        }
        if save {
            watch.save(&self.stage);
        }
        Ok(if stop { Progress::Stopped } else { Progress::Pass(Box::new(pass)) })
    }

    /// The model of the path.
    fn make_model(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        let Some(training) = &mut self.training else { return Ok(Progress::Done) };
        watch.event(Event::Part(Part::Classes));
        let model = self.fit.model(training)?;
        match model {
            Some(model) => self.model = Some(model),
            None if self.is_cut => {
                self.next = Next::Nothing;
                return Ok(Progress::Done);
            }
            None => return Err(FitError::NoModel.into()),
        }
        self.next = Next::Effects;
        Ok(Progress::Model)
    }

    /// The effects of the chosen subgraphs.
    fn add_effects(&mut self, watch: &dyn Watch) -> Progress {
        watch.event(Event::Part(Part::Effects));
        if let Some(model) = &mut self.model {
            add_effects(model, self.fit.dataset());
        }
        let follows = self.inputs.resampling != Resampling::default() && !self.is_cut;
        self.next = if follows { Next::Resamples } else { Next::Nothing };
        Progress::Effects
    }

    /// The trainings that follow, side by side.
    fn resample(&mut self, watch: &dyn Watch) -> Result<Progress, SessionError> {
        let Resampling { bootstrap, permute } = self.inputs.resampling;
        let resampler = Resampler::new(&self.fit, self.choice.clone().flatten())?;
        if bootstrap > 0 {
            let (stage, id) = (Mutex::new(&mut self.stage), TrainingId::Resample);
            let resamples = SideBySide { stage, place: |stage| &mut stage.bootstrap, id, count: bootstrap, watch };
            let Some(members) = resamples.run(&resampler)? else { return Ok(Progress::Stopped) };
            self.resampled.stability = resampler.stability(members.iter().map(|member| &member.iterate))?;
            if let Some(model) = &mut self.model {
                resampler.add_members(model, members)?;
            }
        }
        if let Some(model) = self.model.as_ref().filter(|_| permute > 0) {
            let test = resampler.permute(permute, model.metric, model.best())?;
            let (stage, id, count) = (Mutex::new(&mut self.stage), TrainingId::Permuted, test.num_trainings());
            let permuted = SideBySide { stage, place: |stage| &mut stage.permute, id, count, watch };
            let Some(values) = permuted.run(&test)? else { return Ok(Progress::Stopped) };
            self.resampled.permutation = Some(test.outcome(&values));
        }
        self.next = Next::Nothing;
        Ok(Progress::Resampled)
    }
}
