//! What a molecule costs in memory: every allocation is counted, and the bytes per graph must stay below fixed numbers;
//! a training within a limit stays below the limit.
//!
//! The numbers are some percent above what was measured; a second copy of the graphs, of their supports or of the table
//! of a head exceeds them. Each test runs itself again as a program of its own, so that no other test allocates beside
//! it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::COUNTED;
use einsicht_data::read::{Format, ReadOptions, read_from};
use einsicht_data::{Dataset, Target, TargetValues, Vocabulary};
use einsicht_model::params::{CheckedParams, TrainParams};
use einsicht_search::Evictions;
use einsicht_train::fit::{Fit, FitOptions, usual_split};
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

/// Set where the test is alone.
const ALONE: &str = "EINSICHT_COUNTS_MEMORY";
/// Copies of the molecules, so that tables of fixed size hardly count.
const COPIES: usize = 8;
/// Bytes per molecule of the data set, of the search before its first pass, and of a training at its peak, the last two
/// beyond the data set.
const MOST: [usize; 3] = [1_200, 1_500, 8_100];

/// Several copies of 400 molecules, each with memory of its own, and a class for each.
fn molecules(copies: usize) -> Dataset {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sets/esol_400.smi");
    let text = std::fs::read_to_string(file).unwrap().repeat(copies);
    let options = ReadOptions { format: Some(Format::Smi), ..ReadOptions::default() };
    let mut dataset = read_from(Path::new("molecules"), Cursor::new(text.into_bytes()), &options).unwrap();
    let has_ring = |at: usize| dataset.graphs[at].num_edges() >= dataset.graphs[at].num_vertices();
    let values = (0..dataset.len()).map(|at| Some(u32::from(has_ring(at) ^ (at % 7 == 0)))).collect();
    let classes = Vocabulary::from_tokens(["0", "1"]);
    dataset.targets = vec![Target { name: "ring".into(), values: TargetValues::Classes { classes, values } }];
    dataset
}

/// The molecules with their qualifiers, and the parameters of all trainings here.
fn prepared(max_edges: usize, copies: usize) -> (Dataset, CheckedParams) {
    let mut params =
        TrainParams { max_edges, sizes: vec![1, 4, 8], folds: 1, max_iterations: 4, ..TrainParams::default() };
    let dataset = params.qualify(molecules(copies)).unwrap();
    (dataset, params.check().unwrap())
}

/// Bytes per molecule of the parts.
fn measure() -> [usize; 3] {
    let before = COUNTED.current_usage();
    let (dataset, params) = prepared(4, COPIES);
    let split = usual_split(&dataset, params.get()).unwrap();
    let data = COUNTED.current_usage();
    let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let started = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    let choice = fit.choose().unwrap();
    let mut training = fit.start(choice, None).unwrap();
    while training.step().unwrap().is_some() {}
    assert!(fit.model(&mut training).unwrap().is_some_and(|model| model.entries.len() == 3));
    [data - before, started - data, COUNTED.peak_usage() - data].map(|bytes| bytes / dataset.len())
}

/// Bytes beyond the data set at the peak of a training within a limit, its model, and what was evicted.
fn within(limit: Option<usize>, dataset: &Dataset, params: &CheckedParams) -> (usize, Vec<u8>, Evictions) {
    let before = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    let split = usual_split(dataset, params.get()).unwrap();
    let options = FitOptions { memory: limit, ..FitOptions::default() };
    let fit = Fit::new(dataset, &split, params, None, &options).unwrap();
    let choice = fit.choose().unwrap();
    let mut training = fit.start(choice, None).unwrap();
    while training.step().unwrap().is_some() {}
    let evictions = training.search_mut().evictions();
    let model = fit.model(&mut training).unwrap().unwrap().to_bytes().unwrap();
    (COUNTED.peak_usage() - before, model, evictions)
}

/// Runs a test again as a program of its own, where it is alone.
fn run_alone(name: &str) {
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let output = alone.args(["--exact", name, "--test-threads=1"]).env(ALONE, "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "it ran");
}

#[test]
fn a_training_stays_within_its_memory_limit() {
    if std::env::var_os(ALONE).is_none() {
        return run_alone("memory::a_training_stays_within_its_memory_limit");
    }
    // Tables of fixed size count here: the limit is for all that is allocated.
    let (dataset, params) = prepared(6, 2);
    let (free, truth, _) = within(None, &dataset, &params);
    let limit = free / 10 * 8;
    let (peak, model, evictions) = within(Some(limit), &dataset, &params);
    assert_eq!(model, truth);
    assert!(evictions.embeddings > 0 && evictions.recomputed > 0 && evictions.streamed > 0, "{evictions:?}");
    assert!(peak <= limit && 3 * peak >= limit, "{peak} bytes of {limit}");
}

#[test]
fn a_molecule_takes_no_more_memory_than_it_did() {
    if std::env::var_os(ALONE).is_some() {
        let measured = measure();
        assert!(measured.iter().zip(MOST).all(|(bytes, most)| *bytes <= most), "{measured:?} bytes of {MOST:?}");
        // Half of it would mean that something is not measured any more.
        assert!(measured.iter().zip(MOST).all(|(bytes, most)| 2 * bytes >= most), "{measured:?} bytes of {MOST:?}");
        return;
    }
    run_alone("memory::a_molecule_takes_no_more_memory_than_it_did");
}
