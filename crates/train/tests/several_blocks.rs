//! Trainings on more rows than a block of sums has: folds on one tree, threads, and the proofs of the model.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::Split;
use einsicht_model::folds::FoldResult;
use einsicht_model::params::TrainParams;
use einsicht_oracle::verify;
use einsicht_search::bound::BLOCK_ROWS;
use einsicht_train::fit::{Fit, FitOptions, search_over};
use einsicht_train::side_by_side::Trainings;

const ROWS: usize = 6500;

fn params() -> TrainParams {
    TrainParams { trees: 3, sizes: vec![1, 3], max_edges: 3, folds: 3, ..TrainParams::default() }
}

#[test]
fn folds_on_one_tree_have_blocks_of_their_own_rows() {
    let dataset = Fixture::new(1, Kind::TwoClasses).repeated(1, ROWS);
    let split = Split { train: (0..ROWS).collect(), ..Split::default() };
    let params = params().check().unwrap();
    let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let shared = fit.train_all(0..fit.num_folds()).unwrap();
    assert_eq!(shared.len(), 3);
    let mut several = 0;
    for (fold, shared) in shared.iter().enumerate() {
        let rows = fit.fold_split(fold).unwrap().train;
        several += usize::from(rows.len() > BLOCK_ROWS);
        let graphs = rows.iter().map(|&row| dataset.graphs[row].clone()).collect();
        let alone = search_over(graphs, fit.params().get(), &FitOptions::default()).unwrap();
        let separate: FoldResult = fit.run_fold(fold, alone).unwrap();
        assert_eq!(separate, *shared, "fold {fold}");
    }
    assert!(several > 0, "some fold has more than one block");
}

#[test]
fn a_model_of_several_blocks_is_verified_and_threads_change_nothing() {
    let dataset = Fixture::new(2, Kind::TwoClasses).repeated(2, ROWS);
    let split = Split { train: (0..5000).collect(), valid: (5000..ROWS).collect(), ..Split::default() };
    for preset in [TrainParams::default(), TrainParams::ein()] {
        let params = TrainParams { trees: 3, sizes: vec![1, 3], max_edges: 3, folds: 1, ..preset }.check().unwrap();
        let model = |threads: usize| {
            let fit = Fit::new(&dataset, &split, &params, None, &FitOptions { threads, memory: None }).unwrap();
            let choice = fit.choose().unwrap();
            let mut training = fit.start(choice, None).unwrap();
            while training.step().unwrap().is_some() {}
            fit.model(&mut training).unwrap().unwrap()
        };
        let one = model(1);
        assert_eq!(model(3).to_bytes().unwrap(), one.to_bytes().unwrap());
        let found = verify(&one, &dataset).unwrap();
        assert!(found.verified(), "{:?}", found.checks.iter().filter(|check| !check.ok).collect::<Vec<_>>());
    }
}
