//! One trial of an experiment: every point of a grid is trained on one split, held-out graphs choose among all models,
//! the test set evaluates the chosen one.
//!
//! Promise: the state of a trial is plain data, so that the caller may save it between two points and continue from there.
//! Points with the same patterns share the search tree that the first of them has grown, which changes nothing but the time.
//! Does not know how long a training may take, nor where anything is written. Tested by the program's experiments
//! (`crates/cli/tests`).

pub use super::bounded_parallel::bounded_parallel;
pub use super::interval::intervals;
pub use super::paired::PairedComparison;

use super::fit::{Fit, FitError, FitOptions, Training, mine_params};
use super::watch::ProgressOnly;
use crate::grid::Point;
use crate::model::Model;
use crate::task::metrics::{Metric, Metrics};
use crate::train::{PathEntry, TrainState, choose};
use einsicht_data::{Dataset, Split};
use einsicht_graph::mine::{MineError, MineParams};
use einsicht_search::{BudgetedSearch, SharedTree};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a point of the grid reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointResult {
    /// The parameters that the grid sets.
    pub point: Map<String, Value>,
    /// Passes of its training.
    pub iterations: usize,
    /// Size of the chosen entry.
    pub size: usize,
    /// Patterns that it uses.
    pub patterns: usize,
    /// Metrics on the validation set.
    pub valid: Metrics,
    /// Metrics on the test set.
    pub test: Metrics,
}

/// What one model of a path reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeResult {
    /// Subgraphs that it may use.
    pub size: usize,
    /// Patterns that it uses.
    pub patterns: usize,
    /// Metrics on held-out graphs, which choose among the sizes.
    pub valid: Metrics,
    /// Metrics on the test set. Only those of the chosen size are the trial's.
    pub test: Metrics,
}

impl From<&PathEntry> for SizeResult {
    fn from(entry: &PathEntry) -> Self {
        let patterns = entry.iterate.patterns.len();
        Self { size: entry.size, patterns, valid: entry.valid.clone(), test: entry.test.clone() }
    }
}

/// What a trial reached: the best point and all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialResult {
    /// Number of the trial.
    pub trial: usize,
    /// The parameters that the grid sets at the best point.
    pub point: Map<String, Value>,
    /// Size of the chosen entry.
    pub size: usize,
    /// Its penalty, on a regularization path of the group lasso.
    pub lambda: Option<f64>,
    /// Patterns that it uses.
    pub patterns: usize,
    /// These patterns as text.
    pub subgraphs: Vec<String>,
    /// Metrics on the validation set.
    pub valid: Metrics,
    /// Metrics on the test set.
    pub test: Metrics,
    /// All points, in the order of the grid.
    pub points: Vec<PointResult>,
    /// The path of the best point.
    pub path: Vec<SizeResult>,
}

/// Mean and standard deviation (n - 1) over trials, by metric; `patterns` is one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialSummary {
    /// Means.
    pub mean: BTreeMap<String, f64>,
    /// Standard deviations; absent for a single trial.
    pub std: BTreeMap<String, Option<f64>>,
}

/// How far a trial has come.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialState {
    /// The finished points.
    pub points: Vec<PointResult>,
    /// Which of them is the best.
    pub best_point: usize,
    /// The metric that compares points: that of the first.
    pub metric: Option<Metric>,
    /// Passes of all finished points.
    pub passes: usize,
    /// The training of the next point, if it has begun.
    pub state: Option<TrainState>,
    /// The model of the best point, if one is finished. Saved as a file of its own.
    #[serde(skip)]
    pub best: Option<Model>,
}

/// Runs trials of one experiment.
pub struct TrialRunner<'a> {
    /// The data.
    pub dataset: &'a Dataset,
    /// The points of the grid.
    pub points: &'a [Point],
    /// Threads and memory; the memory is for all trials that run at the same time.
    pub options: FitOptions,
    /// Number of trials that run at the same time.
    pub at_once: usize,
}

/// What one point leaves for the next one with the same patterns: a tree that has grown changes nothing but the time.
enum Reusable {
    Tree(Arc<SharedTree>),
    Search(Box<BudgetedSearch>),
}

impl TrialState {
    /// Passes so far, including those of the training in progress.
    pub fn all_passes(&self) -> usize {
        self.passes + self.state.as_ref().map_or(0, TrainState::passes)
    }

    /// Records a finished point; its model is kept if it is better than all before.
    fn finish_point(&mut self, model: Model, point: &Point) {
        let entry = model.best();
        let iterations: usize = model.entries.iter().map(|entry| entry.iterations).sum();
        self.passes += iterations;
        self.points.push(PointResult {
            point: point.sets.clone(),
            iterations,
            size: entry.size,
            patterns: entry.iterate.patterns.len(),
            valid: entry.valid.clone(),
            test: entry.test.clone(),
        });
        self.state = None;
        // Of equal ones the first stays, so this is the choice among all of them.
        let metric = *self.metric.get_or_insert(model.metric);
        let pair = |best: &Model| [best.best().clone(), entry.clone()];
        if self.best.as_ref().is_none_or(|best| choose(&pair(best), metric) == Some(1)) {
            self.best_point = self.points.len() - 1;
            self.best = Some(model);
        }
    }

    /// The result of a trial whose points are all finished, and the chosen model.
    pub fn result(self, trial: usize, points: &[Point]) -> Result<(TrialResult, Model), FitError> {
        let model = self.best.ok_or(FitError::NoModel)?;
        let best = model.best();
        let result = TrialResult {
            trial,
            point: points[self.best_point].sets.clone(),
            size: best.size,
            lambda: best.lambda,
            patterns: best.iterate.patterns.len(),
            subgraphs: best.iterate.patterns.iter().map(|p| model.names().draw(&p.code)).collect(),
            valid: best.valid.clone(),
            test: best.test.clone(),
            points: self.points,
            path: model.entries.iter().map(SizeResult::from).collect(),
        };
        Ok((result, model))
    }
}

impl TrialRunner<'_> {
    /// Trains the remaining points, one after the other, and returns whether all are done. Without weights all training graphs count the same. `train` runs a training and
    /// returns whether it came to its end; the state is that of the points before it. `stop` says whether folds, which are not saved, shall stop.
    pub fn run<E: From<FitError>>(
        &self,
        (split, weights): (&Split, Option<&[f64]>),
        trial: &mut TrialState,
        stop: &(dyn Fn() -> bool + Sync),
        mut train: impl FnMut(&mut Training, &mut TrialState) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut cached: Option<(MineParams, Reusable)> = None;
        let memory = self.options.memory.map(|bytes| bytes / self.at_once);
        let options = FitOptions { memory, ..self.options };
        while let Some(point) = self.points.get(trial.points.len()) {
            let wanted = mine_params(point.params.get(), &options);
            let kept = cached.take().filter(|(has, _)| *has == wanted).map(|(_, kept)| kept);
            let (tree, search) = match kept {
                Some(Reusable::Tree(tree)) => (Some(tree), None),
                Some(Reusable::Search(search)) => (None, Some(*search)),
                None => (None, None),
            };
            let fit = Fit::with_tree(self.dataset, split, &point.params, weights.map(<[f64]>::to_vec), &options, tree)
                .map_err(|error| self.for_all_trials(error))?;
            let Some(choice) = fit.choose(&ProgressOnly::new(&|_| {}, stop))? else { return Ok(false) };
            let state = trial.state.take();
            let mut training = match search.filter(|_| fit.tree().is_none()) {
                Some(search) => fit.start_with(search, choice, state),
                None => fit.start(choice, state),
            }
            .map_err(|error| self.for_all_trials(error))?;
            if !train(&mut training, trial)? {
                return Ok(false);
            }
            let model = fit.model(&mut training)?.ok_or(FitError::NoModel)?;
            trial.finish_point(model, point);
            let kept = match fit.tree() {
                Some(tree) => Reusable::Tree(Arc::clone(tree)),
                None => Reusable::Search(Box::new(training.into_parts().0)),
            };
            cached = Some((wanted, kept));
        }
        Ok(true)
    }

    /// A memory limit that is too small, in terms of the limit of all trials together.
    fn for_all_trials(&self, error: FitError) -> FitError {
        match (error, self.options.memory) {
            (FitError::Mine(MineError::BudgetTooSmall { smallest, .. }), Some(got)) => {
                MineError::BudgetTooSmall { smallest: self.at_once * smallest, got }.into()
            }
            (error, _) => error,
        }
    }
}

impl TrialSummary {
    /// Summarises the test metrics and the number of patterns.
    pub fn new<'r>(results: impl IntoIterator<Item = &'r TrialResult>) -> Self {
        let mut summary = Self::default();
        for (name, values) in values_by_name(results) {
            let len = values.len() as f64;
            let mean = values.iter().sum::<f64>() / len;
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            summary.mean.insert(name.clone(), mean);
            summary.std.insert(name, (len > 1.0).then(|| (squares / (len - 1.0)).sqrt()));
        }
        summary
    }
}

/// The test metrics and the number of patterns of all trials, by name.
pub(super) fn values_by_name<'r>(results: impl IntoIterator<Item = &'r TrialResult>) -> BTreeMap<String, Vec<f64>> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for result in results {
        for (name, value) in &result.test {
            values.entry(name.clone()).or_default().push(*value);
        }
        values.entry("patterns".to_owned()).or_default().push(result.patterns as f64);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_divides_by_one_less() {
        let result = |patterns: usize, auc: f64| TrialResult {
            trial: 0,
            point: Map::new(),
            size: 1,
            lambda: None,
            patterns,
            subgraphs: Vec::new(),
            valid: Metrics::new(),
            test: [("auc".to_owned(), auc)].into(),
            points: Vec::new(),
            path: Vec::new(),
        };
        let TrialSummary { mean, std } = TrialSummary::new(&[result(1, 0.5), result(3, 0.7)]);
        assert_eq!(mean["patterns"], 2.0);
        assert_eq!(std["patterns"], Some(2.0_f64.sqrt()));
        assert!((std["auc"].unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
        assert_eq!(TrialSummary::new(&[result(1, 0.5)]).std["auc"], None);
    }
}
