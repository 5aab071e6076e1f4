//! Whole trainings over shards of the graphs against a plain one, byte for byte: 1, 2 and 5 shards, workers that die,
//! folds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::{Dataset, Split};
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_search::bound::BLOCK_ROWS;
use einsicht_search::feature::Feature;
use einsicht_search::{GraphShard, SearchError, SearchStats, ShardSource, Shards};
use einsicht_train::fit::{Fit, FitOptions};
use einsicht_train::shards::{ShardError, ShardedFit};

const ROWS: usize = 4 * BLOCK_ROWS + 500;

/// All workers in this process; requests, replies and graphs travel as bytes all the same.
struct Local {
    sources: Vec<Vec<u8>>,
    workers: Vec<GraphShard>,
    asked: u64,
    /// After so many requests a worker dies and is replaced.
    dies_at: u64,
}

impl Local {
    fn new(sources: &[ShardSource], dies_at: u64) -> Self {
        let sources: Vec<Vec<u8>> = sources.iter().map(ShardSource::to_bytes).collect();
        Self { workers: sources.iter().map(|bytes| worker(bytes)).collect(), sources, asked: 0, dies_at }
    }
}

fn worker(bytes: &[u8]) -> GraphShard {
    GraphShard::new(&ShardSource::from_bytes(bytes).unwrap()).unwrap()
}

impl Shards for Local {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        let mut replies = Vec::new();
        for (shard, request) in requests.iter().enumerate() {
            self.asked += 1;
            if self.asked == self.dies_at {
                self.workers[shard] = worker(&self.sources[shard]);
            }
            replies.push(self.workers[shard].answer(request)?);
        }
        Ok(replies)
    }
}

/// A model that is trained over so many shards; passes that were begun again, and what the passes did.
fn over_shards<'a>(fit: &(dyn Fn() -> Fit<'a> + Sync), shards: usize, dies_at: u64) -> (Model, u64, SearchStats) {
    let connect = |fold: Option<usize>| {
        let local = Local::new(&fit().shards(fold, shards).unwrap(), dies_at);
        assert!(local.workers.len() == shards || fold.is_some());
        local
    };
    let fit = fit().over_shards(ShardedFit { count: shards, connect: Box::new(|fold| Box::new(connect(fold))) });
    let choice = fit.choose().unwrap();
    let search = fit.search_over_shards(None, shards, connect(None)).unwrap();
    let mut training = fit.start_with(search, choice, None).unwrap();
    let mut sums = SearchStats::default();
    while let Some(pass) = training.step().unwrap() {
        sums.visited += pass.search.visited;
        sums.skips += pass.search.skips;
    }
    let model = fit.model(&mut training).unwrap().unwrap();
    (model, training.search_mut().restarts(), sums)
}

fn plain(fit: &Fit<'_>) -> Model {
    let choice = fit.choose().unwrap();
    let mut training = fit.start(choice, None).unwrap();
    while training.step().unwrap().is_some() {}
    fit.model(&mut training).unwrap().unwrap()
}

fn small(params: TrainParams) -> TrainParams {
    TrainParams { trees: 3, sizes: vec![1, 3], max_edges: 3, max_iterations: 3, ..params }
}

fn split(dataset: &Dataset) -> Split {
    let valid = dataset.len() - 200;
    Split { train: (0..valid).collect(), valid: (valid..dataset.len()).collect(), ..Split::default() }
}

#[test]
fn one_two_and_five_shards_give_the_bytes_of_one_machine() {
    let fixture = Fixture::new(5, Kind::TwoClasses).qualified(5);
    let dataset = fixture.repeated(5, ROWS);
    let split = split(&dataset);
    let presence = TrainParams { feature: Feature::Presence, ..TrainParams::default() };
    for params in [small(presence), small(TrainParams::default()), small(TrainParams::ein())] {
        let params = TrainParams { folds: 1, ..params }.check().unwrap();
        let fit = || Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
        let expected = plain(&fit()).to_bytes().unwrap();
        for shards in [1, 2, 5] {
            let (model, restarts, sums) = over_shards(&fit, shards, 0);
            assert_eq!(model.to_bytes().unwrap(), expected, "{shards} shards");
            assert!(sums.skips.by_bound() > 0 && restarts == 0, "{sums:?} {restarts} restarts");
        }
    }
}

#[test]
fn a_worker_that_dies_in_a_training_is_replaced_and_nothing_is_lost() {
    let dataset = Fixture::new(6, Kind::ThreeClasses).repeated(6, ROWS);
    let params = TrainParams { folds: 1, ..small(TrainParams::default()) }.check().unwrap();
    let split = split(&dataset);
    let fit = || Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let expected = plain(&fit()).to_bytes().unwrap();
    let mut restarts = 0;
    for dies_at in [13, 29] {
        let (model, again, _) = over_shards(&fit, 5, dies_at);
        assert_eq!(model.to_bytes().unwrap(), expected);
        restarts += again;
    }
    assert!(restarts > 0, "a worker died in the middle of a pass");
}

#[test]
fn folds_have_shards_of_their_own_and_what_is_not_built_is_refused() {
    let dataset = Fixture::new(7, Kind::TwoClasses).qualified(7).repeated(7, 3 * BLOCK_ROWS);
    let all = Split { train: (0..dataset.len()).collect(), ..Split::default() };
    let params = TrainParams { folds: 3, ..small(TrainParams::default()) }.check().unwrap();
    let fit = || Fit::new(&dataset, &all, &params, None, &FitOptions::default()).unwrap();
    assert_eq!(over_shards(&fit, 3, 0).0.to_bytes().unwrap(), plain(&fit()).to_bytes().unwrap());
    assert_eq!(fit().shards(Some(3), 2), Err(ShardError::Fold { fold: 3, folds: 3 }));
    assert_eq!(fit().shards(None, 0), Err(ShardError::None));
    let several = TrainParams { max_qualifiers: 2, ..params.get().clone() }.check().unwrap();
    let fit = Fit::new(&dataset, &all, &several, None, &FitOptions::default()).unwrap();
    assert_eq!(fit.shards(None, 2), Err(ShardError::Qualifiers { got: 2 }));
}
