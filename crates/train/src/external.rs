//! The mining layer for a network in other software: PyTorch, or any other loss of `h`.
//!
//! These are the two exact parts of a pass, the search and the hard thresholding step, over a search tree that is kept
//! from pass to pass; `delta` and the loss come from outside. Promise: with the native network behind the loss, search
//! and step are those of the trainer, bit for bit (`crates/train/tests/external_layer.rs`).

use crate::{ColumnCandidate, ThresholdRules, column_candidates, step_sizes, threshold_step};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::PatternWeights;
use einsicht_model::params::TrainParams;
use einsicht_model::squares;
use einsicht_search::bound::Delta;
use einsicht_search::feature::Values;
use einsicht_search::{ActivePattern, Competes, Query, Rule, Search, SearchError, SearchResult, SearchStats};
use std::sync::Arc;

/// The parameters of the step; the names are those of the training parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRules {
    /// `s`: most patterns after the step, at least 1.
    pub size: usize,
    /// `Gamma`: the step sizes to try, decreasing.
    pub step_sizes: Vec<f64>,
    /// `rho`.
    pub step_ratio: f64,
    /// `c`.
    pub sufficient_decrease: f64,
    /// Weight decay on the weights of patterns, for a loss that is a sum.
    pub decay: f64,
}

impl StepRules {
    /// The rules of a training with these parameters on graphs of this total weight.
    pub fn new(params: &TrainParams, size: usize, total_weight: f64) -> Self {
        Self {
            size,
            step_sizes: step_sizes(params, total_weight),
            step_ratio: params.step_shrink,
            sufficient_decrease: params.armijo,
            decay: params.weight_decay * total_weight,
        }
    }
}

/// The outcome of a step.
#[derive(Clone, Debug)]
pub struct StepOutcome {
    /// The accepted step size; `None` if no step decreased the loss enough, and then the patterns are unchanged.
    pub step: Option<f64>,
    /// The active patterns after the step, by [`DfsCode::cmp_by_size`], each with its support.
    pub patterns: Vec<(PatternWeights, Arc<Support>)>,
    /// Counters of the search.
    pub stats: SearchStats,
}

/// A mining layer without a network of its own.
pub struct ExternalLayer<S> {
    search: S,
    unit: Competes,
    values: Values,
}

impl<S: Search> ExternalLayer<S> {
    /// A layer over the graphs of this search.
    pub fn new(search: S, unit: Competes, values: Values) -> Self {
        Self { search, unit, values }
    }

    /// The support of a pattern in the training graphs.
    pub fn support(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.search.lookup(code)
    }

    /// What the mining layer reads of a pattern.
    pub fn values(&self) -> Values {
        self.values
    }

    /// All patterns that can be among the best after a step from these weights.
    pub fn search(
        &mut self,
        delta: Delta<'_>,
        weights: &[PatternWeights],
        rules: &StepRules,
    ) -> Result<SearchResult, SearchError> {
        let active = self.active(weights)?;
        self.search_from(delta, &active, rules)
    }

    /// The same, and all columns that may be non-zero after the step.
    pub fn prepare_step(
        &mut self,
        delta: Delta<'_>,
        weights: &[PatternWeights],
        rules: StepRules,
    ) -> Result<PendingStep, SearchError> {
        let active = self.active(weights)?;
        let found = self.search_from(delta, &active, &rules)?;
        let stats = found.stats.clone();
        let kept = active
            .iter()
            .map(|a| (PatternWeights { code: a.code.clone(), weights: a.weights.clone() }, Arc::clone(&a.support)));
        let before = kept.collect();
        let cells = delta.values().len();
        Ok(PendingStep { before, all: column_candidates(active, found), rules, values: self.values, cells, stats })
    }

    fn active(&mut self, weights: &[PatternWeights]) -> Result<Vec<ActivePattern>, SearchError> {
        let mut active = Vec::with_capacity(weights.len());
        for pattern in weights {
            let support = self.search.lookup(&pattern.code)?;
            let PatternWeights { code, weights } = pattern.clone();
            active.push(ActivePattern { code, support, weights, pinned: false });
        }
        active.sort_by(|a, b| a.code.cmp_by_size(&b.code));
        Ok(active)
    }

    fn search_from(
        &mut self,
        delta: Delta<'_>,
        active: &[ActivePattern],
        rules: &StepRules,
    ) -> Result<SearchResult, SearchError> {
        self.search.search(&Query {
            delta,
            active,
            step_sizes: &rules.step_sizes,
            decay: rules.decay,
            rule: Rule::Top(rules.size),
            unit: self.unit,
            banned: &[],
            values: self.values,
            floor: f64::NEG_INFINITY,
        })
    }
}

/// The patterns that may be active after a step. Search and step are separate calls, since the loss may have to be
/// evaluated in another thread.
#[derive(Clone, Debug)]
pub struct PendingStep {
    before: Vec<(PatternWeights, Arc<Support>)>,
    all: Vec<ColumnCandidate>,
    rules: StepRules,
    values: Values,
    /// Graphs times hidden units.
    cells: usize,
    stats: SearchStats,
}

impl PendingStep {
    /// One hard thresholding step: `loss(sums)` is the loss of the data for these sums of the mining layer, without
    /// bias, row after row; `loss_before` is the loss at the given weights, at which `delta` was computed too. A loss
    /// that is not a number is never accepted.
    pub fn step(self, loss_before: f64, mut loss: impl FnMut(&[f64]) -> f64) -> StepOutcome {
        let Self { before, all, rules, values, cells, stats } = self;
        let squares = before.iter().fold(0.0, |sum, (pattern, _)| sum + squares(&pattern.weights));
        let step_rules = ThresholdRules {
            size: rules.size,
            step_sizes: &rules.step_sizes,
            step_ratio: rules.step_ratio,
            sufficient_decrease: rules.sufficient_decrease,
            decay: rules.decay,
            values,
        };
        let with_decay = |loss: f64, squares: f64| loss + 0.5 * rules.decay * squares;
        let loss_after = |sums: &[f64], squares: f64| with_decay(loss(sums), squares);
        let mut sums = vec![0.0; cells];
        let loss_before = with_decay(loss_before, squares);
        let Some(accepted) = threshold_step(&all, &step_rules, loss_before, &mut sums, loss_after) else {
            return StepOutcome { step: None, patterns: before, stats };
        };
        let chosen = accepted.chosen.iter().zip(accepted.weights).map(|(&at, weights)| {
            (PatternWeights { code: all[at].code.clone(), weights }, Arc::clone(&all[at].support))
        });
        StepOutcome { step: Some(accepted.step), patterns: chosen.collect(), stats }
    }
}
