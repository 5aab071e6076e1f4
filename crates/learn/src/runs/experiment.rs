//! One trial of an experiment: every point of a grid is trained on one split, the validation part chooses among all models,
//! the test part judges the chosen one.
//!
//! Promise: the standing of a trial is plain data, so that whoever runs it may save it between two points and go on from
//! there. Points with the same patterns share the tree that the first of them has grown, which changes nothing but the time.
//! Does not know how long a training may take, nor where anything is written.

pub use super::bounded_parallel::bounded_parallel;

use crate::grid::Point;
use crate::model::Model;
use crate::runs::fit::{FitError, FitOptions, SearchCache, Training};
use crate::task::metrics::Metric;
use crate::train::{TrainData, TrainState, choose};
use einsicht_data::{Dataset, Split};
use einsicht_graph::mine::MineError;
use einsicht_search::feature::Feature;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the points of a trial have come to so far.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialState {
    /// What each finished point reached.
    pub points: Vec<Value>,
    /// Which of them is the best.
    pub best_point: usize,
    /// The metric that says so: that of the first.
    pub metric: Option<Metric>,
    /// Passes of all of them.
    pub passes: usize,
    /// The training of the next point, if it has begun.
    pub state: Option<TrainState>,
    /// The model of the best point, if one is finished. A file of its own.
    #[serde(skip)]
    pub best: Option<Model>,
}

/// What all trials of an experiment share.
pub struct TrialRunner<'a> {
    /// The data.
    pub dataset: &'a Dataset,
    /// What is tried.
    pub points: &'a [Point],
    /// How the work is done; the memory is for all trials that run at the same time.
    pub options: FitOptions,
    /// How many of them there are.
    pub at_once: usize,
}

impl TrialState {
    /// Passes so far, those of the training under way included.
    pub fn all_passes(&self) -> usize {
        self.passes + self.state.as_ref().map_or(0, TrainState::passes)
    }

    /// A point is finished: its model stays if it is better than all before it.
    fn take(&mut self, model: Model, point: &Point) {
        let entry = model.best();
        let passes: usize = model.entries.iter().map(|entry| entry.iterations).sum();
        self.passes += passes;
        self.points.push(json!({
            "point": point.sets,
            "iterations": passes,
            "size": entry.size,
            "patterns": entry.iterate.patterns.len(),
            "valid": entry.valid,
            "test": entry.test,
        }));
        self.state = None;
        // Of equal ones the first stays, so this is the choice among all of them.
        let metric = *self.metric.get_or_insert(model.metric);
        let pair = |best: &Model| [best.best().clone(), entry.clone()];
        if self.best.as_ref().is_none_or(|best| choose(&pair(best), metric) == Some(1)) {
            self.best_point = self.points.len() - 1;
            self.best = Some(model);
        }
    }

    /// What the trial came to, for scripts, and the chosen model.
    pub fn result(self, trial: usize, points: &[Point]) -> Result<(Value, Model), FitError> {
        let model = self.best.ok_or(FitError::NoModel)?;
        let best = model.best();
        let result = json!({
            "trial": trial,
            "point": points[self.best_point].sets,
            "size": best.size,
            "lambda": best.lambda,
            "patterns": best.iterate.patterns.len(),
            "subgraphs": best.iterate.patterns.iter().map(|p| model.names().draw(&p.code)).collect::<Vec<_>>(),
            "valid": best.valid,
            "test": best.test,
            "points": self.points,
        });
        Ok((result, model))
    }
}

impl TrialRunner<'_> {
    /// Trains the points that are left, one after the other; whether all are done. `train` leads a training to its end and
    /// says whether it came there; the standing is that of the points before it.
    pub fn run<E: From<FitError>>(
        &self,
        split: &Split,
        standing: &mut TrialState,
        mut train: impl FnMut(&mut Training, &mut TrialState) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut cache: Option<((usize, usize, Feature), SearchCache)> = None;
        let mut data = TrainData::new(self.dataset, split, None).map_err(FitError::from)?;
        for point in self.points {
            data = data.for_params(point.params.get(), self.dataset, split).map_err(FitError::from)?;
        }
        let data = Arc::new(data);
        let memory = self.options.memory.map(|bytes| bytes / self.at_once);
        let options = FitOptions { memory, ..self.options };
        while let Some(point) = self.points.get(standing.points.len()) {
            let params = point.params.get();
            let wanted = (params.max_edges, params.min_support, params.feature);
            let shop = match cache.take() {
                Some((has, shop)) if has == wanted => shop,
                _ => SearchCache::new(self.dataset, split, params, &options).map_err(|error| self.refused(error))?,
            };
            let state = standing.state.take();
            let mut training = shop.start(&point.params, Arc::clone(&data), state).map_err(FitError::from)?;
            if !train(&mut training, standing)? {
                return Ok(false);
            }
            let model = training.model(self.dataset, split).map_err(FitError::from)?.ok_or(FitError::NoModel)?;
            standing.take(model, point);
            cache = Some((wanted, SearchCache::from_training(training)));
        }
        Ok(true)
    }

    /// A budget that is too small, told for all trials that share it.
    fn refused(&self, error: MineError) -> FitError {
        FitError::from(match (error, self.options.memory) {
            (MineError::BudgetTooSmall { smallest, .. }, Some(got)) => {
                MineError::BudgetTooSmall { smallest: self.at_once * smallest, got }
            }
            (error, _) => error,
        })
    }
}

/// Means and standard deviations (n - 1) of the test metrics and of the number of patterns over the results of trials.
pub fn mean_and_std(results: &[Value]) -> (Map<String, Value>, Map<String, Value>) {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for result in results {
        for (name, value) in result["test"].as_object().into_iter().flatten() {
            values.entry(name.clone()).or_default().extend(value.as_f64());
        }
        values.entry("patterns".to_owned()).or_default().extend(result["patterns"].as_f64());
    }
    let (mut means, mut stds) = (Map::new(), Map::new());
    for (name, values) in values {
        let len = values.len() as f64;
        let mean = values.iter().sum::<f64>() / len;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        means.insert(name.clone(), json!(mean));
        stds.insert(name, if len > 1.0 { json!((squares / (len - 1.0)).sqrt()) } else { Value::Null });
    }
    (means, stds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_divides_by_one_less() {
        let results = [json!({"patterns": 1, "test": {"auc": 0.5}}), json!({"patterns": 3, "test": {"auc": 0.7}})];
        let (mean, std) = mean_and_std(&results);
        assert_eq!(mean["patterns"], 2.0);
        assert_eq!(std["patterns"], 2.0_f64.sqrt());
        assert!((std["auc"].as_f64().unwrap() - 0.02_f64.sqrt()).abs() < 1e-12);
    }
}
