//! The choice of patterns in a pass: the search, then the step on `B`. Lines 7 to 11 of Algorithm 1.
//!
//! Before it, at some sizes, a pair of patterns may enter whose presence together counts (`pairs.rs`). On a path of
//! sizes candidates may be judged first (`shortlist.rs`); the step is hard thresholding (`hard_threshold.rs`), on a
//! path of penalties the proximal step of the group lasso (`proximal.rs`). Knows nothing of how the search works, nor
//! of early stopping.

pub(crate) mod hard_threshold;
mod pairs;
mod proximal;
pub(crate) mod shortlist;

use super::path::lambda::{LambdaPath, PathPoint};
use super::{AnyRun, Objective, PassPhase, TrainError};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::forward::mining;
use einsicht_model::params::Penalty;
use einsicht_model::{Iterate, PatternWeights};
use einsicht_search::bound::Delta;
use einsicht_search::{ActivePattern, Query, Rule, SearchResult, SearchStats};
use hard_threshold::{AcceptedStep, ColumnCandidate, ThresholdRules, column_candidates, threshold_step};
use proximal::{ProximalRules, proximal_step};
use shortlist::ScoreTest;
use std::sync::Arc;

/// The outcome of a search and a step on `B`.
#[derive(Default)]
pub(super) struct PatternStep {
    /// The accepted step size.
    pub(super) step: Option<f64>,
    pub(super) stats: SearchStats,
    /// The objective before the step.
    pub(super) loss_before: f64,
    /// With a penalty: no inactive pattern has a gradient norm above lambda.
    pub(super) settled: bool,
    /// With a penalty: more patterns than allowed would enter, so no step was made.
    pub(super) too_many: bool,
}

impl AnyRun<'_> {
    /// The point of the path in progress; the first penalty, `lambda_max`, is found here by a search.
    pub(super) fn path_point(
        &mut self,
        objective: &mut Objective<'_>,
        iterate: &Iterate,
    ) -> Result<PathPoint, TrainError> {
        if self.params.penalty == Penalty::L0 {
            let size = self.params.sizes[self.state.size_at];
            let most = self.params.growth_from(iterate.patterns.len()).map(|growth| iterate.patterns.len() + growth);
            return Ok(PathPoint::Size(most.map_or(size, |most| size.min(most))));
        }
        if self.state.lambdas.is_none() {
            let mut sums = objective.zero_sums();
            self.train_sums(iterate, &mut sums);
            objective.data_loss(&sums, &iterate.bias, &iterate.network);
            let (_, found) = self.search_at(objective, iterate, Rule::Top(1))?;
            let of_active = found.active.iter().map(|active| einsicht_model::norm(&active.gradient));
            let max = found.candidates.iter().map(|candidate| candidate.score).chain(of_active).fold(0.0, f64::max);
            self.state.lambdas = Some(LambdaPath::start(max));
        }
        Ok(PathPoint::Lambda(self.state.lambdas.map_or(0.0, |path| path.lambda)))
    }

    /// Supports of the excluded patterns; one that no training graph contains needs none. An error says why a required
    /// pattern cannot be active.
    pub(super) fn banned_supports(&mut self) -> Result<Vec<Arc<Support>>, TrainError> {
        let excluded = self.params.exclude.clone();
        let banned: Vec<Arc<Support>> =
            excluded.iter().filter_map(|code| self.asked.search().lookup(code).ok()).collect();
        let mut seen: Vec<Arc<Support>> = Vec::new();
        for code in self.params.require.clone() {
            let reason = "must occur in the training graphs, within the limits on edges and support";
            let support = self.asked.search().lookup(&code).map_err(|_| TrainError::Required { reason })?;
            let same = |other: &Arc<Support>| other.graphs() == support.graphs() && other.counts() == support.counts();
            if banned.iter().any(same) {
                return Err(TrainError::Required { reason: "must not be excluded, nor equivalent to one that is" });
            }
            if seen.iter().any(same) {
                return Err(TrainError::Required { reason: "must differ from the others in some training graph" });
            }
            seen.push(support);
        }
        Ok(banned)
    }

    /// After a penalty that admits too many patterns: returns to the last entry for a smaller decrease of lambda, or,
    /// before there is one, goes on with a larger lambda, if that is worth trying; else ends the path.
    pub(super) fn go_back(&mut self) -> bool {
        if !self.state.lambdas.as_mut().is_some_and(LambdaPath::go_back) {
            self.state.size_at = self.num_points(); // smaller penalties admit even more
            return false;
        }
        if let Some(last) = self.state.entries.last() {
            self.state.current = last.iterate.clone();
            self.state.adam.start_over();
            self.state.before.clone_from(&last.before);
        }
        (self.state.best, self.state.reference, self.state.iteration) = (None, None, 0);
        true
    }

    /// Queries the search with `delta` at these parameters, at which the objective was evaluated last.
    fn search_at(
        &mut self,
        objective: &mut Objective<'_>,
        iterate: &Iterate,
        rule: Rule,
    ) -> Result<(Vec<ActivePattern>, SearchResult), TrainError> {
        let (delta, _) = objective.delta_and_network_gradient(&iterate.network);
        let active: Vec<ActivePattern> = iterate
            .patterns
            .iter()
            .zip(self.train_supports(iterate))
            .map(|(p, support)| ActivePattern {
                code: p.code.clone(),
                support: Arc::clone(support),
                weights: p.weights.clone(),
                pinned: self.params.require.contains(&p.code) || iterate.is_paired(&p.code),
            })
            .collect();
        let found = self.asked.search().search(&Query {
            delta: Delta::new(delta, self.params.hidden)?,
            active: &active,
            step_sizes: &self.step_sizes,
            decay: self.decay,
            rule,
            unit: self.params.unit,
            banned: &self.banned,
            values: self.values,
            floor: f64::NEG_INFINITY,
        })?;
        Ok((active, found))
    }

    /// Searches and makes the step on `B`: hard thresholding, or the proximal one.
    pub(super) fn step_patterns(
        &mut self,
        objective: &mut Objective<'_>,
        iterate: &mut Iterate,
        point: PathPoint,
        enter: &mut dyn FnMut(PassPhase),
    ) -> Result<PatternStep, TrainError> {
        enter(PassPhase::Search);
        let mut sums = objective.zero_sums();
        self.train_sums(iterate, &mut sums);
        let data_loss = objective.data_loss(&sums, &iterate.bias, &iterate.network);
        let loss = objective.with_decay(data_loss, iterate.squares());
        let penalties = iterate.penalties(point.lambda().unwrap_or(0.0), &self.params.require);
        let loss_before = loss + iterate.penalty(&penalties);
        let mut done = PatternStep { loss_before, ..PatternStep::default() };
        let rule = match point {
            PathPoint::Size(0) => return Ok(done), // a graph network alone
            PathPoint::Size(size) => Rule::Top(size + self.params.judged_candidates()),
            PathPoint::Lambda(lambda) => Rule::Above(lambda),
        };
        let (active, mut found) = self.search_at(objective, iterate, rule)?;
        enter(PassPhase::Patterns);
        done.stats = found.stats.clone();
        if let PathPoint::Lambda(lambda) = point {
            // Gradients that exceed lambda by no more than rounding do not count as patterns that enter.
            done.settled = found.candidates.iter().all(|candidate| candidate.score <= lambda * (1.0 + 1e-9));
            done.too_many = active.len() + found.candidates.len() > self.params.max_patterns;
            if done.too_many {
                return Ok(done);
            }
        }
        if let PathPoint::Size(size) = point
            && self.params.judged_candidates() > 0
        {
            let test = ScoreTest::new(objective, self.params.hidden);
            test.keep_best(&mut found, self.values, size.saturating_sub(active.len()));
        }
        let candidates = column_candidates(active, found);
        let step = self.line_search(&candidates, point, [loss, loss_before], objective, iterate);
        enter(PassPhase::Judging);
        let Some(step) = step else { return Ok(done) };
        let chosen = step.chosen.iter().map(|&at| (candidates[at].code.clone(), Arc::clone(&candidates[at].support)));
        let chosen: Vec<(DfsCode, Arc<Support>)> = chosen.collect();
        self.note_supports(&chosen);
        let weighted = chosen.into_iter().zip(step.weights);
        iterate.patterns = weighted.map(|((code, _), weights)| PatternWeights { code, weights }).collect();
        done.step = Some(step.step);
        Ok(done)
    }

    /// The step on `B` for this point of the path; `loss` is the one before it, without and with the penalty.
    fn line_search(
        &self,
        candidates: &[ColumnCandidate],
        point: PathPoint,
        [loss, penalised_loss]: [f64; 2],
        objective: &mut Objective<'_>,
        iterate: &Iterate,
    ) -> Option<AcceptedStep> {
        let mut sums = objective.zero_sums();
        let (network_squares, pair_squares) = (einsicht_model::squares(&iterate.network), iterate.pair_squares());
        let pairs: Vec<(Vec<f64>, &[f64])> =
            self.pair_columns(iterate).into_iter().zip(iterate.pair_weights()).collect();
        let mut with_pairs = sums.clone();
        let loss_after = |sums: &[f64], pattern_squares: f64| {
            with_pairs.copy_from_slice(sums);
            for (column, weights) in &pairs {
                mining::add_dense(&mut with_pairs, column, weights);
            }
            let data_loss = objective.data_loss(&with_pairs, &iterate.bias, &iterate.network);
            objective.with_decay(data_loss, pattern_squares + network_squares + pair_squares)
        };
        let sufficient_decrease = self.params.armijo;
        let (step_sizes, decay, values) = (&self.step_sizes[..], self.decay, self.values);
        match point {
            PathPoint::Size(size) => {
                let step_ratio = self.params.step_shrink;
                let rules = ThresholdRules { size, step_sizes, step_ratio, sufficient_decrease, decay, values };
                threshold_step(candidates, &rules, loss, &mut sums, loss_after)
            }
            PathPoint::Lambda(lambda) => {
                let rules = ProximalRules { lambda, step_sizes, sufficient_decrease, decay, values };
                proximal_step(candidates, &rules, penalised_loss, &mut sums, loss_after)
            }
        }
    }
}
