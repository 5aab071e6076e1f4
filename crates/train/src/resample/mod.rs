//! Trainings on bootstrap resamples of the training graphs and on permuted targets, all on one search tree.
//!
//! Promise: the result depends on data, parameters and seed alone, whatever the number of threads. A resample is a
//! weight for each training graph (its number of draws), so all of them search the same tree; permuted targets leave
//! the graphs unchanged, so they do too.

use crate::add_members;
use crate::fit::{Fit, FitError, Training, beside, mine_params};
use crate::side_by_side::Trainings;
use crate::{Purpose, TrainData, TrainError, TrainState, Trainer};
use einsicht_data::Names;
use einsicht_data::patterns::NamedPattern;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split, TargetValues};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::Model;
use einsicht_model::features::{GraphMatcher, graphs_at};
use einsicht_model::folds::Choice;
use einsicht_model::params::CheckedParams;
use einsicht_model::task::metrics::Metric;
use einsicht_model::task::{Task, tasks_of_rows};
use einsicht_model::{Iterate, Member, PathEntry, choose};
use einsicht_search::{BudgetedSearch, Search, SearchOptions, SharedTree};
use serde::Serialize;
use std::sync::Arc;

/// Streams of random numbers of resamples and of permutations; they do not overlap.
const RESAMPLES: u64 = 1 << 32;
const SHUFFLES: u64 = 2 << 32;

/// Runs trainings on resamples of the graphs that a model is fitted on, and with permuted targets.
pub struct Resampler<'a> {
    fit: &'a Fit<'a>,
    /// Where the resamples are trained: as the model was.
    resamples: Runs,
    choice: Option<Arc<Choice>>,
}

/// Trainings on one split and one search tree.
struct Runs {
    split: Split,
    params: CheckedParams,
    tasks: Vec<Task>,
    purpose: Purpose,
    tree: Arc<SharedTree>,
    held_out: GraphMatcher,
}

/// Selection frequency of a support class.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// The smallest pattern of the class that was chosen.
    pub code: DfsCode,
    /// Number of training graphs that contain it.
    pub support: usize,
    /// Fraction of the resamples that chose it.
    pub frequency: f64,
}

/// The same with the pattern as text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedStability {
    /// The pattern on one line.
    pub text: String,
    /// The pattern as SMARTS, if its labels are elements.
    pub smarts: Option<String>,
    /// The pattern by the names of its labels.
    pub pattern: NamedPattern,
    /// Number of edges.
    pub edges: usize,
    /// Number of training graphs that contain it.
    pub support: usize,
    /// Fraction of the resamples that chose it.
    pub frequency: f64,
}

impl Stability {
    /// Writes the pattern with these names.
    pub fn named(&self, names: Names<'_>) -> NamedStability {
        NamedStability {
            text: names.one_line(&self.code),
            smarts: names.smarts(&self.code),
            pattern: names.pattern(&self.code),
            edges: self.code.num_edges(),
            support: self.support,
            frequency: self.frequency,
        }
    }
}

/// A permutation test: the metric with true and with permuted targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    /// The metric.
    pub metric: Metric,
    /// Whether it is that of the test set, else of the validation set.
    pub of_test: bool,
    /// With the true targets.
    pub observed: f64,
    /// With permuted targets.
    pub shuffled: Vec<f64>,
    /// Permutation p-value: probability of a result at least as good if targets and graphs are independent.
    pub p_value: f64,
}

impl<'a> Resampler<'a> {
    /// Prepares trainings as those of a fit, with the choice of its folds if there are any. Of a chosen model, the path
    /// up to its size is trained.
    pub fn new(fit: &'a Fit<'a>, choice: Option<Arc<Choice>>) -> Result<Self, FitError> {
        let resamples = match &choice {
            None => Runs::new(fit, fit.whole_split(), Purpose::Model, fit.tree())?,
            Some(choice) => {
                let params = fit.params().with_first_sizes(choice.chosen + 1);
                let purpose = Purpose::Chosen(Arc::clone(choice));
                Runs { params, ..Runs::new(fit, fit.whole_split(), purpose, fit.tree())? }
            }
        };
        Ok(Self { fit, resamples, choice })
    }

    /// A search over the shared tree.
    fn search(&self) -> BudgetedSearch {
        self.resamples.search()
    }

    /// Adds the entries of trainings on resamples to a model of the same fit.
    pub fn add_members(&self, model: &mut Model, members: Vec<Member>) -> Result<(), FitError> {
        Ok(add_members(model, members, self.fit.data(), &mut self.search()).map_err(TrainError::from)?)
    }

    /// Selection frequency of each support class: the most frequent first, then the simplest.
    pub fn stability<'i>(
        &self,
        members: impl ExactSizeIterator<Item = &'i Iterate>,
    ) -> Result<Vec<Stability>, FitError> {
        let (mut search, resamples) = (self.search(), members.len() as f64);
        // Supports by content: within a memory limit, their ids are reused.
        let mut found: Vec<(Arc<Support>, Stability)> = Vec::new();
        for member in members {
            let mut seen: Vec<usize> = Vec::new();
            for pattern in &member.patterns {
                let support = search.lookup(&pattern.code).map_err(TrainError::from)?;
                let is_same = |s: &Support| s.graphs() == support.graphs() && s.counts() == support.counts();
                let known = found.iter().position(|(known, _)| is_same(known));
                let at = known.unwrap_or(found.len());
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                let code = pattern.code.clone();
                if known.is_none() {
                    found.push((Arc::clone(&support), Stability { code, support: support.len(), frequency: 1.0 }));
                    continue;
                }
                let stability = &mut found[at].1;
                stability.frequency += 1.0;
                if code.cmp_by_size(&stability.code).is_lt() {
                    stability.code = code;
                }
            }
        }
        let mut found: Vec<Stability> = found.into_iter().map(|(_, stability)| stability).collect();
        found.sort_by(|a, b| b.frequency.total_cmp(&a.frequency).then_with(|| a.code.cmp_by_size(&b.code)));
        for stability in &mut found {
            stability.frequency /= resamples;
        }
        Ok(found)
    }

    /// Permutation test: so many trainings with the targets permuted within each set, to compare with the true ones.
    /// Where folds choose, it is about the first of them: its models are chosen by its held-out graphs, with true and
    /// with permuted targets.
    pub fn permute(&self, count: usize, metric: Metric, truth: &PathEntry) -> Result<PermutationTest<'_>, FitError> {
        let of_test = truth.test.contains_key(metric.name());
        let first_fold = if self.choice.is_some() {
            let split = self.fit.fold_split(0).unwrap_or_default();
            let test = self.fit.whole_split().test;
            Some(Runs::new(self.fit, Split { test, ..split }, Purpose::Model, None)?)
        } else {
            None
        };
        let test = PermutationTest { resampler: self, first_fold, count, metric, of_test, truth: None };
        Ok(PermutationTest { truth: test.value(truth), ..test })
    }
}

/// The resamples.
impl Trainings for Resampler<'_> {
    type Result = Member;

    fn at_once(&self) -> usize {
        self.fit.threads()
    }

    fn start_one(&self, at: usize, state: Option<TrainState>) -> Result<Training, FitError> {
        let runs = &self.resamples;
        // A graph that was drawn twice counts twice what it counts in the fit.
        let drawn = drawn(runs.params.get().seed, at as u64, runs.split.train.len());
        let weights = drawn.iter().zip(&self.fit.data().weights).map(|(times, weight)| times * weight).collect();
        runs.start(self.fit.dataset(), Some(weights), state)
    }

    fn result_of(&self, training: &Training) -> Result<Member, FitError> {
        Ok(self.resamples.chosen(training)?.into())
    }
}

/// The trainings of a permutation test.
pub struct PermutationTest<'r> {
    resampler: &'r Resampler<'r>,
    /// Where folds choose.
    first_fold: Option<Runs>,
    count: usize,
    metric: Metric,
    of_test: bool,
    /// The value of the model itself, where it has one.
    truth: Option<f64>,
}

impl PermutationTest<'_> {
    fn runs(&self) -> &Runs {
        self.first_fold.as_ref().unwrap_or(&self.resampler.resamples)
    }

    fn value(&self, entry: &PathEntry) -> Option<f64> {
        let metrics = if self.of_test { &entry.test } else { &entry.valid };
        metrics.get(self.metric.name()).copied()
    }

    /// Number of trainings: the true targets come last, where the model itself does not have their value.
    pub fn num_trainings(&self) -> usize {
        self.count + usize::from(self.first_fold.is_some())
    }

    /// What the results of all trainings show.
    pub fn outcome(&self, results: &[Option<f64>]) -> Permutation {
        let value = |known: Option<f64>| known.unwrap_or(f64::NAN);
        let mut shuffled: Vec<f64> = results.iter().copied().map(value).collect();
        let observed = shuffled.get(self.count).copied().unwrap_or_else(|| value(self.truth));
        shuffled.truncate(self.count);
        let Self { metric, of_test, .. } = *self;
        let at_least = |x: f64| if metric.larger_is_better() { x >= observed } else { x <= observed };
        let as_good = shuffled.iter().filter(|x| at_least(**x)).count();
        let p_value = (as_good + 1) as f64 / (self.count + 1) as f64;
        Permutation { metric, of_test, observed, shuffled, p_value }
    }
}

impl Trainings for PermutationTest<'_> {
    /// The metric, where it is defined.
    type Result = Option<f64>;

    fn at_once(&self) -> usize {
        self.resampler.at_once()
    }

    fn start_one(&self, at: usize, state: Option<TrainState>) -> Result<Training, FitError> {
        let (runs, dataset) = (self.runs(), self.resampler.fit.dataset());
        if at == self.count {
            return runs.start(dataset, None, state);
        }
        runs.start(&runs.shuffled(dataset, at as u64), None, state)
    }

    fn result_of(&self, training: &Training) -> Result<Option<f64>, FitError> {
        Ok(self.value(self.runs().chosen(training)?))
    }
}

impl Runs {
    /// Trainings on a split of a fit, with its tree if that is one of the same graphs.
    fn new(fit: &Fit<'_>, split: Split, purpose: Purpose, tree: Option<&Arc<SharedTree>>) -> Result<Self, FitError> {
        let params = fit.params().clone();
        let tree = if let Some(tree) = tree {
            Arc::clone(tree)
        } else {
            // One thread per search: the trainings themselves run in parallel.
            let (search, beside) = (SearchOptions::default(), beside(split.train.len(), params.get()));
            let mine = mine_params(params.get(), split.train.len(), fit.options());
            let graphs = graphs_at(fit.dataset(), &split.train);
            Arc::new(SharedTree::new(graphs, mine, search, fit.threads(), beside)?)
        };
        let tasks = tasks_of_rows(&fit.data().tasks, fit.dataset(), &split.train);
        let held_out = GraphMatcher::held_out(fit.dataset(), &split);
        Ok(Self { split, params, tasks, purpose, tree, held_out })
    }

    /// A search over the shared tree.
    fn search(&self) -> BudgetedSearch {
        self.tree.search_with(1)
    }

    /// Starts a training, or continues from a saved state.
    fn start(
        &self,
        dataset: &Dataset,
        weights: Option<Vec<f64>>,
        state: Option<TrainState>,
    ) -> Result<Training, FitError> {
        let tasks = tasks_of_rows(&self.tasks, dataset, &self.split.train);
        let data = TrainData::of_tasks(tasks, dataset, &self.split, weights)?;
        let data = data.for_params(self.params.get(), dataset, &self.split)?;
        let parts: (Box<dyn Search>, _) = (Box::new(self.search()), self.held_out.clone());
        Ok(Trainer::start(&self.params, Arc::new(data), parts, self.purpose.clone(), state)?)
    }

    fn chosen<'t>(&self, training: &'t Training) -> Result<&'t PathEntry, FitError> {
        let entries = &training.state().entries;
        let chosen = match &self.purpose {
            Purpose::Chosen(_) => entries.len().checked_sub(1),
            _ => choose(entries, training.metric()),
        };
        chosen.map(|at| &entries[at]).ok_or(FitError::NoModel)
    }

    /// The data set with the targets permuted within each set; the values of a row stay together.
    fn shuffled(&self, dataset: &Dataset, at: u64) -> Dataset {
        let mut random = Random::stream(self.params.get().seed, SHUFFLES + at);
        let mut from: Vec<usize> = (0..dataset.len()).collect();
        for part in [&self.split.train, &self.split.valid, &self.split.test] {
            let mut rows = part.clone();
            random.shuffle(&mut rows);
            for (&to, row) in part.iter().zip(rows) {
                from[to] = row;
            }
        }
        let mut shuffled = dataset.clone();
        for target in &mut shuffled.targets {
            match &mut target.values {
                TargetValues::Classes { values, .. } => *values = from.iter().map(|&row| values[row]).collect(),
                TargetValues::Numbers { values } => *values = from.iter().map(|&row| values[row]).collect(),
            }
        }
        shuffled
    }
}

/// Number of draws of each of `len` graphs if `len` are drawn with replacement.
fn drawn(seed: u64, at: u64, len: usize) -> Vec<f64> {
    let mut random = Random::stream(seed, RESAMPLES + at);
    let mut weights = vec![0.0; len];
    for _ in 0..len {
        weights[random.index(len)] += 1.0;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_graphs_are_drawn_as_there_are_and_each_resample_is_another() {
        let [a, b, again] = [(0, 0), (0, 1), (0, 0)].map(|(seed, at)| drawn(seed, at, 50));
        assert_eq!(a.iter().sum::<f64>(), 50.0);
        assert!(a.contains(&0.0) && a.iter().any(|w| *w > 1.0));
        assert_eq!((a == again, a == b), (true, false));
    }
}
