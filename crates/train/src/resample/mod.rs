//! Trainings on bootstrap resamples of the training graphs and on permuted targets, all on one search tree.
//!
//! Promise: the result depends on data, parameters and seed alone, whatever the number of threads. A resample is a
//! weight for each training graph (its number of draws), so all of them search the same tree; permuted targets leave
//! the graphs unchanged, so they do too. A [`RunWatcher`] may save the trainings and resume them.

use crate::add_members;
use crate::bounded_parallel::bounded_parallel;
use crate::fit::{Fit, FitError, beside, mine_params, run_watched};
use crate::watch::{EarlierRun, RunWatcher};
use crate::{Ended, Purpose, TrainData, TrainError, Trainer};
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
use std::ops::Range;
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

    /// Trains on the resamples of these numbers and returns the chosen entry of each, or `None` if it was
    /// stopped. A resample depends on its number alone, so they may be distributed over machines.
    pub fn bootstrap(
        &self,
        numbers: Range<usize>,
        watch: &dyn RunWatcher<Member>,
    ) -> Result<Option<Vec<Member>>, FitError> {
        let runs = &self.resamples;
        let one = |at: usize| {
            // A graph that was drawn twice counts twice what it counts in the fit.
            let weights = || {
                let drawn = drawn(runs.params.get().seed, at as u64, runs.split.train.len());
                drawn.iter().zip(&self.fit.data().weights).map(|(times, weight)| times * weight).collect()
            };
            let data = || runs.data(self.fit.dataset(), Some(weights()));
            runs.one(at, data, |entry| Member::from(entry), watch)
        };
        let first = numbers.start;
        Ok(bounded_parallel(numbers.len(), self.fit.threads(), |at| one(first + at))?.into_iter().collect())
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

    /// Permutation test: trains `count` times with the targets permuted within each set, and compares with the true
    /// ones. Where folds choose, it is about the first of them: its models are chosen by its held-out graphs, with true
    /// and with permuted targets.
    pub fn permute(
        &self,
        count: usize,
        (metric, truth): (Metric, &PathEntry),
        watch: &dyn RunWatcher<Option<f64>>,
    ) -> Result<Option<Permutation>, FitError> {
        let of_test = truth.test.contains_key(metric.name());
        let known = |entry: &PathEntry| {
            let metrics = if of_test { &entry.test } else { &entry.valid };
            metrics.get(metric.name()).copied()
        };
        let first_fold = if self.choice.is_some() {
            let split = self.fit.fold_split(0).unwrap_or_default();
            let test = self.fit.whole_split().test;
            Some(Runs::new(self.fit, Split { test, ..split }, Purpose::Model, None)?)
        } else {
            None
        };
        let runs = first_fold.as_ref().unwrap_or(&self.resamples);
        let value = |known: Option<f64>| known.unwrap_or(f64::NAN);
        let one = |at: usize| {
            let data = || {
                let dataset = self.fit.dataset();
                if at == count { runs.data(dataset, None) } else { runs.data(&runs.shuffled(dataset, at as u64), None) }
            };
            Ok::<_, FitError>(runs.one(at, data, known, watch)?.map(value))
        };
        // The true targets come last, where the model itself does not have their value.
        let trainings = count + usize::from(first_fold.is_some());
        let values: Option<Vec<f64>> = bounded_parallel(trainings, self.fit.threads(), one)?.into_iter().collect();
        let Some(mut shuffled) = values else { return Ok(None) };
        let observed = shuffled.get(count).copied().unwrap_or_else(|| value(known(truth)));
        shuffled.truncate(count);
        let at_least = |x: f64| if metric.larger_is_better() { x >= observed } else { x <= observed };
        let as_good = shuffled.iter().filter(|x| at_least(**x)).count();
        let p_value = (as_good + 1) as f64 / (count + 1) as f64;
        Ok(Some(Permutation { metric, of_test, observed, shuffled, p_value }))
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
            let mine = mine_params(params.get(), fit.options());
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

    fn data(&self, dataset: &Dataset, weights: Option<Vec<f64>>) -> Result<TrainData, FitError> {
        let tasks = tasks_of_rows(&self.tasks, dataset, &self.split.train);
        let data = TrainData::of_tasks(tasks, dataset, &self.split, weights)?;
        Ok(data.for_params(self.params.get(), dataset, &self.split)?)
    }

    /// One training, and the result from its chosen entry; `None` if it was stopped.
    fn one<T>(
        &self,
        at: usize,
        data: impl FnOnce() -> Result<TrainData, FitError>,
        result: impl Fn(&PathEntry) -> T,
        watch: &dyn RunWatcher<T>,
    ) -> Result<Option<T>, FitError> {
        let state = match watch.known(at) {
            EarlierRun::Done(result) => return Ok(Some(result)),
            EarlierRun::UnderWay(state) => Some(*state),
            EarlierRun::Nothing => None,
        };
        let parts = (self.search(), self.held_out.clone());
        let mut trainer = Trainer::start(&self.params, Arc::new(data()?), parts, self.purpose.clone(), state)?;
        if run_watched(&mut trainer, at, watch)? == Ended::Stopped {
            return Ok(None);
        }
        let entries = &trainer.state().entries;
        let chosen = match &self.purpose {
            Purpose::Chosen(_) => entries.len().checked_sub(1),
            _ => choose(entries, trainer.metric()),
        };
        let result = chosen.map(|at| result(&entries[at])).ok_or(FitError::NoModel)?;
        watch.done(at, &result);
        Ok(Some(result))
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
