//! A whole training with a distributed search against a plain one, byte for byte. Every worker must have been at work.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, params};
use einsicht_learn::fit::{Fit, FitOptions, fit, worker_over};
use einsicht_learn::params::TrainParams;
use einsicht_search::feature::Feature;
use einsicht_search::{DistributedSearch, Partition, SearchError, SearchWorker, Workers};
use std::ops::ControlFlow;

/// All workers in this process; requests and replies travel as bytes all the same.
struct Local(Vec<SearchWorker>);

impl Workers for Local {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        self.0.iter_mut().map(|worker| worker.answer(request)).collect()
    }
}

#[test]
fn a_model_trained_over_workers_is_the_model_trained_in_one_process() {
    let fixture = Fixture::new(3, Kind::TwoClasses);
    let (dataset, split) = (&fixture.dataset, &fixture.parts);
    for feature in [Feature::Presence, Feature::Count] {
        let params = TrainParams { feature, ..params() }.check().unwrap();
        let plain = fit(dataset, split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let worker = |index| {
            let partition = Partition::new(index, 2).unwrap();
            worker_over(dataset, split, params.get(), &FitOptions::default(), partition).unwrap()
        };
        let search = DistributedSearch::new(Local((0..2).map(worker).collect()));
        let mut visited = vec![0; 2];
        let whole = Fit::new(dataset, split, &params, None, &FitOptions::default()).unwrap();
        let mut trainer = whole.start_with(search, None, None).unwrap();
        let mut observer = |pass: &einsicht_learn::train::PassDone| {
            for (sum, worker) in visited.iter_mut().zip(&pass.search.visited_by_worker) {
                *sum += worker;
            }
            ControlFlow::Continue(())
        };
        trainer.run(&mut observer).unwrap();
        let distributed = trainer.model(dataset, split).unwrap().unwrap();
        assert_eq!(distributed.to_bytes().unwrap(), plain.to_bytes().unwrap());
        assert!(visited.iter().all(|&worker| worker > 0), "{visited:?}");
    }
}
