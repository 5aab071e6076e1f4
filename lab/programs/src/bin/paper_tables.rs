//! `cargo lab results --run tables`: numbers of patterns, pruning rates and costs of whole paths on the paper's sets,
//! as one JSON document.
//!
//! `count`: patterns of at most 9 edges in each training set of the ten splits; for PTC_MR also by the exhaustive
//! enumeration of `verify`, which shares no code with the miner. `path`: the paper's path (7 sizes, 9 edges, 6 hidden
//! units, 30 network steps) on one split, in counters. Needs the folder `shared` beside the repository.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::SplitFile;
use einsicht_data::read::{ReadOptions, read};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineControl, MineParams, VisitedPattern, Visitor, mine};
use einsicht_model::params::TrainParams;
use einsicht_oracle::all_patterns;
use einsicht_train::fit::{Fit, FitOptions};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

const MAX_EDGES: usize = 9;

struct Count(u64);

impl Visitor for Count {
    fn visit(&mut self, _: &VisitedPattern<'_>) -> MineControl {
        self.0 += 1;
        MineControl::Grow
    }

    fn fork(&self) -> Self {
        Self(0)
    }

    fn join(&mut self, later: Self) {
        self.0 += later.0;
    }
}

fn count(graphs: &[Graph]) -> u64 {
    let mut count = Count(0);
    mine(graphs, &MineParams { max_edges: MAX_EDGES, ..MineParams::default() }, &mut count).unwrap();
    count.0
}

fn main() -> ExitCode {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let mut sets = Vec::new();
    let mut all_agree = true;
    for (name, split) in [
        ("BZR", "BZR"),
        ("COX2", "COX2"),
        ("DHFR", "DHFR"),
        ("ENZYMES", "ENZYMES_1v2"),
        ("PTC_MR", "PTC_MR"),
        ("Cycle", "Cycle"),
        ("Cycle_XOR", "Cycle_XOR"),
    ] {
        let dataset = read(&shared.join("data/tu").join(name), &ReadOptions::default()).unwrap();
        let splits = SplitFile::read(&shared.join(format!("splits/{split}.json"))).unwrap();
        // Counting all patterns of the dense sets takes minutes per split; one split is enough.
        let trials = if ["ENZYMES", "Cycle", "Cycle_XOR"].contains(&name) { 1 } else { splits.len() };
        let mut counts = Vec::new();
        let mut checked = None;
        for trial in 0..trials {
            let split = splits.split(trial, &dataset).unwrap();
            let graphs: Vec<Graph> = split.train.iter().map(|&row| dataset.graphs[row].clone()).collect();
            counts.push(count(&graphs));
            if name == "PTC_MR" {
                *checked.get_or_insert(0) += all_patterns(&graphs, MAX_EDGES, 1).len() as u64;
            }
        }
        let total: u64 = counts.iter().sum();
        all_agree &= checked.is_none_or(|by_listing| by_listing == total);
        let params = TrainParams { max_edges: MAX_EDGES, ..TrainParams::paper() };
        let params = TrainParams { max_iterations: 50, ..params }.check().unwrap();
        let split_0 = splits.split(0, &dataset).unwrap();
        let mut training = Fit::new(&dataset, &split_0, &params, None, &FitOptions::default())
            .and_then(|fit| fit.start(None, None))
            .unwrap();
        let (mut passes, mut visited, mut most) = (0_u64, 0_u64, 0_u64);
        while let Some(pass) = training.step().unwrap() {
            passes += 1;
            visited += pass.search.visited;
            most = most.max(pass.search.memory);
        }
        sets.push(json!({
            "set": split,
            "trials": trials,
            "patterns": total as f64 / trials as f64,
            "patterns_by_plain_listing": checked.map(|by_listing| by_listing as f64 / trials as f64),
            "passes": passes,
            "visited_a_pass": visited as f64 / passes as f64,
            "pruning_rate": 1.0 - visited as f64 / passes as f64 / (total as f64 / trials as f64),
            "search_megabytes": most as f64 / 1e6,
        }));
    }
    println!("{}", json!({ "max_edges": MAX_EDGES, "sets": sets, "listings_agree": all_agree }));
    if all_agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
