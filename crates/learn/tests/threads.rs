//! Two threads share the work evenly, at any depth: in mining and in training. Counted in embeddings looked at, not in time;
//! who gets which share is up to the machine, so the best of a few runs counts.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Split, SplitFile};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tally, Tree, mine};
use einsicht_learn::params::TrainParams;
use einsicht_learn::presence::Matched;
use einsicht_learn::search::{PrunedSearch, SearchOptions};
use einsicht_learn::train::{TrainData, Trainer};
use einsicht_testkit::{fixture, shared};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The busiest of two workers may do so many times the mean.
const MOST: f64 = 1.15;
const RUNS: usize = 5;

/// Runs something on two threads that tells what each has done, until it is even enough.
fn assert_even(what: &str, run: impl Fn() -> Vec<u64> + Sync) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut seen = Vec::new();
    for _ in 0..RUNS {
        let looks = pool.install(&run);
        let busiest = *looks.iter().max().unwrap() as f64;
        let mean = looks.iter().sum::<u64>() as f64 / 2.0;
        seen.push(busiest / mean);
        if busiest <= MOST * mean {
            return;
        }
    }
    panic!("{what}: the busiest of two workers did {seen:.2?} times the mean");
}

fn mining(folder: &Path, max_edges: usize) {
    let graphs = read(folder, &ReadOptions::default()).unwrap().graphs;
    assert_even("mining", || {
        let params = MineParams { max_edges, threads: 2, ..MineParams::default() };
        mine(&graphs, &params, &mut Tally::default()).unwrap().looks_by_worker
    });
}

fn training(folder: &Path, max_edges: usize, split: Option<&Path>) {
    let dataset = read(folder, &ReadOptions::default()).unwrap();
    let rows: Vec<usize> = (0..dataset.graphs.len()).collect();
    let split = match split {
        Some(file) => SplitFile::read(file).unwrap().split(0, &dataset).unwrap(),
        None => Split {
            train: rows.iter().copied().filter(|row| row % 3 != 0).collect(),
            valid: rows.iter().copied().filter(|row| row % 3 == 0).collect(),
            ..Split::default()
        },
    };
    let graphs = |rows: &[usize]| rows.iter().map(|&row| dataset.graphs[row].clone()).collect::<Vec<Graph>>();
    let (train, held_out) = (graphs(&split.train), graphs(&[&split.valid[..], &split.test[..]].concat()));
    let params = TrainParams { max_edges, sizes: vec![1, 5, 10], max_iterations: 10, ..TrainParams::faithful() };
    let data = Arc::new(TrainData::new(&dataset, &split, None).unwrap());
    assert_even("training", || {
        let tree = Tree::new(&train, MineParams { max_edges, ..MineParams::default() }).unwrap();
        let search = PrunedSearch::new(tree, SearchOptions { threads: 2, ..SearchOptions::default() });
        let checked = params.clone().check().unwrap();
        let mut trainer = Trainer::new(&checked, Arc::clone(&data), search, Matched::new(held_out.clone())).unwrap();
        trainer.run(&mut |_| ControlFlow::Continue(())).unwrap();
        trainer.into_parts().0.tree().looks_by_worker()
    });
}

#[test]
fn two_threads_mine_and_train_on_mutag_evenly() {
    mining(&fixture("MUTAG"), 8);
    training(&fixture("MUTAG"), 8, None);
}

#[test]
fn two_threads_mine_nci1_evenly() {
    let Some(folder) = shared("data/tu/NCI1") else { return };
    mining(&folder, 7);
}

#[test]
fn two_threads_train_on_enzymes_evenly() {
    let (Some(folder), Some(split)) = (shared("data/tu/ENZYMES"), shared("splits/ENZYMES_1v2.json")) else { return };
    training(&folder, 6, Some(&split));
}
