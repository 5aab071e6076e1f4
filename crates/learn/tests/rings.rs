//! A synthetic set: one ring separates the classes of Cycle, on the fixed splits.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::SplitFile;
use einsicht_data::read::{ReadOptions, read};
use einsicht_learn::fit::{FitOptions, fit};
use einsicht_learn::params::TrainParams;
use einsicht_testkit::shared;
use std::ops::ControlFlow;

#[test]
fn one_ring_separates_the_classes_of_cycle() {
    let (Some(set), Some(splits)) = (shared("data/tu/Cycle"), shared("splits/Cycle.json")) else { return };
    let dataset = read(&set, &ReadOptions::default()).unwrap();
    let splits = SplitFile::read(&splits).unwrap();
    let params = TrainParams { sizes: vec![1], max_edges: 9, ..TrainParams::ein() }.check().unwrap();
    for trial in [0, 7] {
        let split = splits.split(trial, &dataset).unwrap();
        let model = fit(&dataset, &split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let best = model.best();
        assert_eq!(best.test["accuracy"], 1.0, "trial {trial}");
        let [pattern] = &best.iterate.patterns[..] else { panic!("one subgraph, trial {trial}") };
        let ring = pattern.code.to_graph();
        assert!([8, 9].contains(&ring.num_edges()), "trial {trial}: {:?}", pattern.code);
        assert!(ring.vertices().all(|v| ring.degree(v) == 2), "trial {trial}: {:?}", pattern.code);
    }
}
