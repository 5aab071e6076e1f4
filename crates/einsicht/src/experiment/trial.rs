//! One trial of an experiment: every point of a grid is a session on the same split, held-out graphs choose among all
//! models, the test set evaluates the chosen one.
//!
//! Promise: the state of a trial is plain data that can be saved at every pass, and a trial that continues from it ends
//! as if it had never been stopped. Points with the same patterns share the subgraphs that the first of them has grown,
//! which changes nothing but the time.

use super::{PointResult, SizeResult, TrialResult};
use crate::session::{
    AfterPass, Event, Grown, Inputs, Progress, Resampling, Session, SessionError, Stage, TrainingId, Watch,
};
use einsicht_data::{ClassWeight, Dataset, Split};
use einsicht_explain::add_effects;
use einsicht_graph::mine::MineError;
use einsicht_model::Model;
use einsicht_model::choose;
use einsicht_model::task::metrics::Metric;
use einsicht_train::fit::{FitError, FitOptions};
use einsicht_train::grid::Point;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far a trial has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialState {
    /// The finished points.
    pub points: Vec<PointResult>,
    /// Which of them is the best.
    pub best_point: usize,
    /// The metric that compares points: that of the first.
    pub metric: Option<Metric>,
    /// The session of the next point, if it has begun.
    pub stage: Option<Stage>,
    /// The model of the best point, if one is finished. Saved as a file of its own.
    #[serde(skip)]
    pub best: Option<Arc<Model>>,
}

/// All trials of one experiment.
pub struct Trials<'a> {
    /// The data.
    pub dataset: &'a Dataset,
    /// The points of the grid.
    pub points: &'a [Point],
    /// Weights of the classes.
    pub class_weight: ClassWeight,
    /// Threads and memory; the memory is for all trials that run at the same time.
    pub options: FitOptions,
    /// Number of trials that run at the same time.
    pub at_once: usize,
}

/// Listens to the session of one point; what it saves is the whole trial.
struct PointWatch<'w> {
    finished: &'w TrialState,
    watch: &'w dyn Watch,
    save: &'w (dyn Fn(&TrialState) + Sync),
}

impl Watch for PointWatch<'_> {
    fn event(&self, event: Event<'_>) {
        self.watch.event(event);
    }

    fn passed(&self, training: TrainingId) -> AfterPass {
        self.watch.passed(training)
    }

    fn save(&self, stage: &Stage) {
        (self.save)(&TrialState { stage: Some(stage.clone()), ..self.finished.clone() });
    }
}

impl TrialState {
    /// Passes so far of the trainings that make models, that in progress included.
    pub fn passes(&self) -> usize {
        let finished: usize = self.points.iter().map(|point| point.iterations).sum();
        finished + self.stage.as_ref().map_or(0, |stage| stage.state.passes())
    }

    /// Records a finished point; its model is kept if it is better than all before.
    fn finish_point(&mut self, model: Model, point: &Point) {
        let entry = model.best();
        self.points.push(PointResult {
            point: point.sets.clone(),
            iterations: model.entries.iter().map(|entry| entry.iterations).sum(),
            size: entry.size,
            patterns: entry.iterate.patterns.len(),
            valid: entry.valid.clone(),
            test: entry.test.clone(),
        });
        self.stage = None;
        // Of equal ones the first stays, so this is the choice among all of them.
        let metric = *self.metric.get_or_insert(model.metric);
        let pair = |best: &Model| [best.best().clone(), entry.clone()];
        if self.best.as_ref().is_none_or(|best| choose(&pair(best), metric) == Some(1)) {
            self.best_point = self.points.len() - 1;
            self.best = Some(Arc::new(model));
        }
    }

    /// The result of a trial whose points are all finished, and the chosen model with its effects.
    pub fn result(self, trial: usize, trials: &Trials<'_>) -> Result<(TrialResult, Model), FitError> {
        let mut model = Arc::unwrap_or_clone(self.best.ok_or(FitError::NoModel)?);
        let best = model.best();
        let result = TrialResult {
            trial,
            point: trials.points[self.best_point].sets.clone(),
            size: best.size,
            lambda: best.lambda,
            patterns: best.iterate.patterns.len(),
            subgraphs: best.iterate.patterns.iter().map(|p| model.names().one_line(&p.code)).collect(),
            valid: best.valid.clone(),
            test: best.test.clone(),
            points: self.points,
            path: model.entries.iter().map(SizeResult::from).collect(),
        };
        add_effects(&mut model, trials.dataset);
        Ok((result, model))
    }
}

/// What gets a trial that is to be saved.
pub(super) type Save<'a> = &'a (dyn Fn(&TrialState) + Sync);

impl Trials<'_> {
    /// Trains the remaining points on one split, one after the other, and returns whether all are done: not if the
    /// watcher has stopped it. `save` gets what the trial is to continue from, whenever the watcher wants to save.
    pub fn run(
        &self,
        split: &Split,
        weights: Option<&[f64]>,
        trial: &mut TrialState,
        (watch, save): (&dyn Watch, Save<'_>),
    ) -> Result<bool, SessionError> {
        let options = FitOptions { memory: self.options.memory.map(|bytes| bytes / self.at_once), ..self.options };
        let mut grown: Option<Grown> = None;
        while let Some(point) = self.points.get(trial.points.len()) {
            let inputs = Inputs {
                dataset: self.dataset,
                split,
                params: &point.params,
                weights,
                class_weight: self.class_weight,
                resampling: Resampling::default(),
            };
            let mut session =
                Session::with_grown(inputs, &options, grown.take()).map_err(|e| self.for_all_trials(e))?;
            if let Some(stage) = trial.stage.take() {
                session = session.resume(stage)?;
            }
            let point_watch = PointWatch { finished: trial, watch, save };
            loop {
                match session.advance(&point_watch).map_err(|error| self.for_all_trials(error))? {
                    Progress::Model => break,
                    Progress::Stopped => {
                        trial.stage = Some(session.stage().clone());
                        return Ok(false);
                    }
                    _ => {}
                }
            }
            let (model, left) = session.into_parts();
            trial.finish_point(model.ok_or(FitError::NoModel)?, point);
            grown = left;
        }
        Ok(true)
    }

    /// A memory limit that is too small, in terms of the limit of all trials together.
    fn for_all_trials(&self, error: SessionError) -> SessionError {
        match (error, self.options.memory) {
            (SessionError::Fit(FitError::Mine(MineError::BudgetTooSmall { smallest, .. })), Some(got)) => {
                FitError::from(MineError::BudgetTooSmall { smallest: self.at_once * smallest, got }).into()
            }
            (error, _) => error,
        }
    }
}
