//! A training without the kind of its search: what all passes read and change.
//!
//! Promise: [`super::Trainer`] is this and nothing more, for any search and any matcher. They are asked a few times a
//! pass, through [`Asked`], so that the trainer is compiled once and not once per kind of search, which took half of
//! the time of compiling this crate and its tests. Knows nothing of passes.

use super::{Purpose, TrainData, TrainError, TrainState};
use crate::assemble::{Source, model_of_path};
use einsicht_data::{Dataset, Split};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::Model;
use einsicht_model::features::PatternMatcher;
use einsicht_model::folds::{Choice, Folds};
use einsicht_model::forward::network::Network;
use einsicht_model::forward::{ForwardPass, mining};
use einsicht_model::params::{Penalty, Stopping, TrainParams};
use einsicht_model::task::decision::Decision;
use einsicht_model::task::metrics::{Metric, metrics_of_decision};
use einsicht_model::{Iterate, PairWeights};
use einsicht_search::Search;
use einsicht_search::feature::Values;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What the validation set says of an iterate.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValidFigures {
    /// Mean loss per label.
    pub(super) loss: f64,
    /// The metric, where it decides and is defined.
    pub(super) metric: Option<f64>,
}

/// What a training asks about patterns.
pub(super) trait Asked {
    /// The search over the training set.
    fn search(&mut self) -> &mut dyn Search;

    /// The matcher over the validation set, then the test set.
    fn matcher(&mut self) -> &mut dyn PatternMatcher;
}

/// A search and a matcher.
pub(super) struct Parts<S, P> {
    pub(super) search: S,
    pub(super) matcher: P,
}

impl<S: Search, P: PatternMatcher> Asked for Parts<S, P> {
    fn search(&mut self) -> &mut dyn Search {
        &mut self.search
    }

    fn matcher(&mut self) -> &mut dyn PatternMatcher {
        &mut self.matcher
    }
}

/// Everything that a training holds; the last field is what it asks.
pub(super) struct Run<A: ?Sized> {
    pub(super) params: TrainParams,
    pub(super) data: Arc<TrainData>,
    pub(super) network: Network,
    /// The network over the validation and test sets.
    pub(super) held_out: Network,
    /// `Gamma`, decreasing.
    pub(super) step_sizes: Vec<f64>,
    /// Weight decay for a loss that is a sum.
    pub(super) decay: f64,
    pub(super) metric: Metric,
    pub(super) purpose: Purpose,
    pub(super) values: Values,
    /// Supports of the excluded patterns.
    pub(super) banned: Vec<Arc<Support>>,
    /// Supports on the training set, and on the validation and test sets, by pattern. Never iterated over.
    pub(super) supports: FxHashMap<DfsCode, [Arc<Support>; 2]>,
    /// Whether [`AnyRun::finish_early`] has ended the path.
    pub(super) cut_short: bool,
    pub(super) state: TrainState,
    pub(super) asked: A,
}

/// A training with any search and any matcher.
pub(super) type AnyRun<'a> = Run<dyn Asked + 'a>;

impl AnyRun<'_> {
    /// The model of all finished entries; `None` if there is none.
    pub(super) fn model(&mut self, dataset: &Dataset, split: &Split) -> Result<Option<Model>, TrainError> {
        if self.state.entries.is_empty() {
            return Ok(None);
        }
        let choice = match &self.purpose {
            Purpose::Chosen(choice) => Arc::clone(choice),
            Purpose::Model | Purpose::Fold(_) => Arc::new(self.choice_of_validation(split)),
        };
        let source = Source { dataset, split, data: &self.data, params: &self.params, choice: &choice };
        let model = model_of_path(source, self.state.entries.clone(), self.asked.search())?;
        Ok(model.map(|model| Model { complete: self.is_done() && !self.cut_short, ..model }))
    }

    /// What the validation set says, as the single fold of the training and validation sets.
    fn choice_of_validation(&self, split: &Split) -> Choice {
        let TrainData { tasks, train, valid, .. } = &*self.data;
        let targets = train.followed_by(valid);
        Choice::new((tasks, &targets, self.metric), &self.params, Folds::of_validation_set(split), &self.state.held_out)
    }

    pub(super) fn num_points(&self) -> usize {
        match self.params.penalty {
            Penalty::L0 => self.params.sizes.len(),
            Penalty::L1 => self.params.lambdas,
        }
    }

    /// Whether the path is complete.
    pub(super) fn is_done(&self) -> bool {
        self.state.size_at >= self.num_points()
    }

    /// Looks up the supports of all patterns of the state.
    pub(super) fn find_supports(&mut self) -> Result<(), TrainError> {
        let TrainState { current, best, entries, .. } = &self.state;
        // The last entry too: a penalty that admits too many patterns returns to it.
        let iterates =
            [Some(current), best.as_ref().map(|best| &best.iterate), entries.last().map(|last| &last.iterate)];
        let codes = iterates.into_iter().flatten().flat_map(|iterate| &iterate.patterns).map(|p| p.code.clone());
        let mut codes: Vec<DfsCode> = codes.collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        let mut found = Vec::with_capacity(codes.len());
        for code in codes {
            let support = self.asked.search().lookup(&code)?;
            found.push((code, support));
        }
        self.note_supports(&found);
        Ok(())
    }

    /// Stores supports; the matcher is asked about new patterns only, all at once.
    pub(super) fn note_supports(&mut self, patterns: &[(DfsCode, Arc<Support>)]) {
        let new: Vec<&(DfsCode, Arc<Support>)> =
            patterns.iter().filter(|(code, _)| !self.supports.contains_key(code)).collect();
        if new.is_empty() {
            return;
        }
        let codes: Vec<DfsCode> = new.iter().map(|(code, _)| code.clone()).collect();
        let held_out = self.asked.matcher().supports(&codes, self.values);
        for ((code, support), held_out) in new.into_iter().zip(held_out) {
            self.supports.insert(code.clone(), [Arc::clone(support), held_out]);
        }
    }

    pub(super) fn train_supports<'s>(&'s self, iterate: &'s Iterate) -> impl Iterator<Item = &'s Arc<Support>> {
        iterate.patterns.iter().map(|p| &self.supports[&p.code][0])
    }

    pub(super) fn train_sums(&self, iterate: &Iterate, sums: &mut [f64]) {
        let supports = self.train_supports(iterate).map(|s| self.values.column(s));
        mining::sums_of_columns(sums, supports.zip(iterate.patterns.iter().map(|p| &p.weights[..])));
        self.add_pairs(iterate, 0, sums);
    }

    /// Adds what pairs contribute, in the training set (`part` 0) or in the validation and test sets (1).
    pub(super) fn add_pairs(&self, iterate: &Iterate, part: usize, sums: &mut [f64]) {
        for pair in &iterate.pairs {
            let column = self.pair_column(pair, part, sums.len() / self.params.hidden);
            mining::add_dense(sums, &column, &pair.weights);
        }
    }

    /// The values of each pair in the training set.
    pub(super) fn pair_columns(&self, iterate: &Iterate) -> Vec<Vec<f64>> {
        iterate.pairs.iter().map(|pair| self.pair_column(pair, 0, self.data.train.rows())).collect()
    }

    pub(super) fn pair_column(&self, pair: &PairWeights, part: usize, rows: usize) -> Vec<f64> {
        let graphs = [0, 1].map(|of| self.supports[&pair.codes[of]][part].graphs());
        PairWeights::column(pair.means, graphs, rows)
    }

    /// Forward pass over the validation set, then the test set.
    pub(super) fn held_out_pass(&self, iterate: &Iterate) -> ForwardPass {
        let rows = self.data.valid.rows() + self.data.test.rows();
        let mut sums = vec![0.0; rows * self.params.hidden];
        let columns = iterate.patterns.iter().map(|p| self.values.column(&self.supports[&p.code][1]));
        mining::sums_of_columns(&mut sums, columns.zip(iterate.patterns.iter().map(|p| &p.weights[..])));
        self.add_pairs(iterate, 1, &mut sums);
        let mut pass = ForwardPass::new(&self.held_out, self.params.activation, rows);
        pass.run(&self.held_out, &sums, &iterate.bias, &iterate.network);
        pass
    }

    /// The figures of the validation set that early stopping reads.
    pub(super) fn valid_figures(&self) -> ValidFigures {
        let TrainData { valid, tasks, .. } = &*self.data;
        if valid.rows() == 0 {
            return ValidFigures { loss: 0.0, metric: None }; // nothing is held out, and nothing depends on it
        }
        let pass = self.held_out_pass(&self.state.current);
        let weights = vec![1.0; valid.rows()];
        let outputs = &pass.outputs()[..valid.rows() * valid.outputs()];
        let loss = valid.loss(outputs, &weights) / valid.total_weight(&weights);
        let metric =
            || metrics_of_decision(tasks, valid, outputs, &Decision::default()).get(self.metric.name()).copied();
        let decides = self.params.stopping == Stopping::Metric;
        ValidFigures { loss, metric: decides.then(metric).flatten() }
    }
}
