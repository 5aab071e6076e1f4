//! Trainings on bootstrap resamples of the training graphs and on permuted targets, all on one search tree.
//!
//! Promise: the result depends on data, parameters and seed alone, whatever the number of threads. A resample is a
//! weight for each training graph (its number of draws), so all of them search the same tree; permuted targets leave
//! the graphs unchanged, so they do too. A [`RunWatcher`] may save the trainings and resume them.

mod watch;

pub use watch::{EarlierRun, ProgressOnly, RunWatcher, Saved};

use crate::features::names::Names;
use crate::features::{GraphMatcher, graphs_at};
use crate::model::Model;
use crate::params::CheckedParams;
use crate::runs::bounded_parallel::bounded_parallel;
use crate::runs::fit::{FitError, FitOptions, beside, mine_params};
use crate::task::metrics::Metric;
use crate::train::{Iterate, Member, PathEntry, TrainData, TrainError, Trainer, choose};
use einsicht_data::patterns::NamedPattern;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split, TargetValues};
use einsicht_graph::{DfsCode, Support};
use einsicht_search::{BudgetedSearch, Search, SearchError, SearchOptions, SharedTree};
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Streams of random numbers of resamples and of permutations; they do not overlap.
const RESAMPLES: u64 = 1 << 32;
const SHUFFLES: u64 = 2 << 32;

/// Runs trainings on the search tree of one split.
pub struct Resampler<'a> {
    dataset: &'a Dataset,
    split: &'a Split,
    params: &'a CheckedParams,
    tree: SharedTree,
    /// Number of trainings at the same time.
    threads: usize,
    held_out: GraphMatcher,
    /// Stops all searches once it is set.
    stop: Arc<AtomicBool>,
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
            text: names.draw(&self.code),
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
    /// Prepares trainings with these parameters.
    pub fn new(
        dataset: &'a Dataset,
        split: &'a Split,
        params: &'a CheckedParams,
        options: &FitOptions,
    ) -> Result<Self, FitError> {
        // One thread per search: the trainings themselves run in parallel.
        let (search, beside) = (SearchOptions::default(), beside(split.train.len(), params.get()));
        let mine = mine_params(params.get(), options);
        let tree = SharedTree::new(graphs_at(dataset, &split.train), mine, search, options.threads, beside)?;
        let held_out = GraphMatcher::held_out(dataset, split);
        let threads = options.threads;
        Ok(Self { dataset, split, params, tree, threads, held_out, stop: Arc::default() })
    }

    /// Stops trainings in the middle of a pass once this flag is set.
    #[must_use]
    pub fn stopped_by(self, flag: &Arc<AtomicBool>) -> Self {
        Self { stop: Arc::clone(flag), ..self }
    }

    /// A search over the shared tree.
    fn search(&self) -> BudgetedSearch {
        let mut search = self.tree.search();
        search.stop_on(&self.stop);
        search
    }

    fn data(&self, dataset: &Dataset, weights: Option<Vec<f64>>) -> Result<TrainData, FitError> {
        let data = TrainData::new(dataset, self.split, weights)?;
        Ok(data.for_params(self.params.get(), dataset, self.split)?)
    }

    /// Adds the entries of trainings on resamples to a model of the same split.
    pub fn add_members(&self, model: &mut Model, members: Vec<Member>) -> Result<(), FitError> {
        let data = self.data(self.dataset, None)?;
        Ok(model.add_members(members, &data, &mut self.search()).map_err(TrainError::from)?)
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
        let data = Arc::new(data()?);
        let (search, held_out) = (self.search(), self.held_out.clone());
        let mut trainer = Trainer::start(self.params, data, (search, held_out), state)?;
        loop {
            match trainer.step() {
                Ok(None) => break,
                Ok(Some(_)) if watch.passed(at, trainer.state()).is_continue() => {}
                Ok(Some(_)) | Err(TrainError::Search(SearchError::Stopped)) => {
                    watch.stopped(at, trainer.state());
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let entries = &trainer.state().entries;
        let result = choose(entries, trainer.metric()).map(|at| result(&entries[at])).ok_or(FitError::NoModel)?;
        watch.done(at, &result);
        Ok(Some(result))
    }

    /// Trains on the resamples of these numbers and returns the chosen entry of each, or `None` if it was
    /// stopped. A resample depends on its number alone, so they may be distributed over machines.
    pub fn bootstrap(
        &self,
        numbers: Range<usize>,
        watch: &dyn RunWatcher<Member>,
    ) -> Result<Option<Vec<Member>>, FitError> {
        let one = |at: usize| {
            let weights = || drawn(self.params.get().seed, at as u64, self.split.train.len());
            self.one(at, || self.data(self.dataset, Some(weights())), |entry| Member::from(entry), watch)
        };
        let first = numbers.start;
        Ok(bounded_parallel(numbers.len(), self.threads, |at| one(first + at))?.into_iter().collect())
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

    /// Permutation test: trains `count` times with the targets permuted within each set, and compares with the true ones.
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
        let value = |known: Option<f64>| known.unwrap_or(f64::NAN);
        let one = |at: usize| {
            let data = || self.data(&self.shuffled(at as u64), None);
            Ok::<_, FitError>(self.one(at, data, known, watch)?.map(value))
        };
        let shuffled: Option<Vec<f64>> = bounded_parallel(count, self.threads, one)?.into_iter().collect();
        let observed = value(known(truth));
        let at_least = |x: f64| if metric.larger_is_better() { x >= observed } else { x <= observed };
        Ok(shuffled.map(|shuffled| {
            let as_good = shuffled.iter().filter(|x| at_least(**x)).count();
            let p_value = (as_good + 1) as f64 / (count + 1) as f64;
            Permutation { metric, of_test, observed, shuffled, p_value }
        }))
    }

    /// The data set with the targets permuted within each set; the values of a row stay together.
    fn shuffled(&self, at: u64) -> Dataset {
        let mut random = Random::stream(self.params.get().seed, SHUFFLES + at);
        let mut from: Vec<usize> = (0..self.dataset.len()).collect();
        for part in [&self.split.train, &self.split.valid, &self.split.test] {
            let mut rows = part.clone();
            random.shuffle(&mut rows);
            for (&to, row) in part.iter().zip(rows) {
                from[to] = row;
            }
        }
        let mut shuffled = self.dataset.clone();
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
