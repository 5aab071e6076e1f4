//! `cargo xtask exact`: on real data, whole models byte for byte from every kind of search.
//!
//! The oracle is the exhaustive search of the testkit: it gets the list of all patterns from the exhaustive enumeration of
//! `verify`, not from the miner, scores each by definition and sorts. Each line of the output is one comparison with the
//! counters of the pruned search; the last line says how many
//! differ. Needs the folder `shared` beside the repository.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Dataset, Split, SplitFile};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tree};
use einsicht_learn::features::GraphMatcher;
use einsicht_learn::params::TrainParams;
use einsicht_learn::train::{TrainData, Trainer};
use einsicht_learn::verify::all_patterns;
use einsicht_search::{Search, SearchOptions, SearchOrder, SearchStats, TreeSearch};
use einsicht_testkit::exhaustive::Exhaustive;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

struct Case {
    dataset: Dataset,
    split: Split,
    params: TrainParams,
}

impl Case {
    fn graphs(&self, rows: &[usize]) -> Vec<Graph> {
        rows.iter().map(|&row| self.dataset.graphs[row].clone()).collect()
    }

    fn train<S: Search>(&self, search: S) -> (Vec<u8>, SearchStats) {
        let params = self.params.clone().check().unwrap();
        let data = Arc::new(TrainData::new(&self.dataset, &self.split, None).unwrap());
        let matcher = GraphMatcher::new(self.graphs(&[&self.split.valid[..], &self.split.test[..]].concat()));
        let mut trainer = Trainer::new(&params, data, search, matcher).unwrap();
        let mut total = SearchStats::default();
        let mut passes = 0;
        trainer
            .run(&mut |pass| {
                passes += 1;
                total.visited += pass.search.visited;
                total.pruned += pass.search.pruned;
                total.skipped_by_drift += pass.search.skipped_by_drift;
                total.ties += u64::from(pass.search.ties > 0);
                let workers = pass.search.visited_by_worker.len();
                total.visited_by_worker.resize(total.visited_by_worker.len().max(workers), 0);
                for (sum, worker) in total.visited_by_worker.iter_mut().zip(&pass.search.visited_by_worker) {
                    *sum += worker;
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        // This field holds the number of passes.
        total.expanded = passes;
        (trainer.model(&self.dataset, &self.split).unwrap().unwrap().to_bytes().unwrap(), total)
    }

    fn pruned(&self, options: SearchOptions) -> TreeSearch {
        let params = MineParams { max_edges: self.params.max_edges, ..MineParams::default() };
        TreeSearch::new(Tree::new(&self.graphs(&self.split.train), params).unwrap(), options)
    }
}

fn main() -> ExitCode {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let usual = SearchOptions::default();
    let variants = [
        ("best first", usual),
        ("depth first", SearchOptions { order: SearchOrder::DepthFirst, ..usual }),
        ("no drift", SearchOptions { drift: false, ..usual }),
        ("two threads", SearchOptions { threads: 2, ..usual }),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (mut compared, mut different, mut idle) = (0, 0, 0);
    println!(
        "{:<7} {:>5} {:>8}  {:<21} {:>9} {:>9} {:>9} {:>5}  result",
        "set", "edges", "patterns", "search", "visited", "pruned", "drifted", "ties"
    );
    for (name, max_edges) in [("BZR", 6), ("BZR", 9), ("PTC_MR", 8), ("Cycle", 8)] {
        let dataset = read(&shared.join("data/tu").join(name), &ReadOptions::default()).unwrap();
        let split = SplitFile::read(&shared.join(format!("splits/{name}.json"))).unwrap().split(0, &dataset).unwrap();
        let paper = TrainParams { max_edges, max_iterations: 30, ..TrainParams::paper() };
        let usual = TrainParams { max_edges, sizes: paper.sizes.clone(), ..TrainParams::ein() };
        let mut case = Case { dataset, split, params: usual.clone() };
        let graphs = case.graphs(&case.split.train);
        let exhaustive = Exhaustive::from_list(all_patterns(&graphs, max_edges, 1), graphs.len());
        let patterns = exhaustive.len() as u64;
        for (way, params) in [("", usual), ("preset paper, ", paper)] {
            case.params = params;
            let (truth, passes) = case.train(exhaustive.clone());
            for (variant, options) in &variants {
                let (bytes, stats) = pool.install(|| case.train(case.pruned(*options)));
                let same = bytes == truth;
                // Each mechanism must have worked: most patterns pruned, drift used, ties met, both workers busy.
                let worked = 2 * stats.visited < patterns * passes.expanded
                    && (stats.skipped_by_drift > 0) == options.drift
                    && stats.ties > 0
                    && stats.visited_by_worker.iter().all(|&worker| worker > 0);
                compared += 1;
                different += u32::from(!same);
                idle += u32::from(!worked);
                println!(
                    "{name:<7} {max_edges:>5} {patterns:>8}  {:<21} {:>9} {:>9} {:>9} {:>5}  {}{}",
                    format!("{way}{variant}"),
                    stats.visited,
                    stats.pruned,
                    stats.skipped_by_drift,
                    stats.ties,
                    if same { "same bytes" } else { "DIFFERENT" },
                    if worked { "" } else { ", but a mechanism was idle" },
                );
            }
        }
    }
    println!("{compared} models compared, {different} different, {idle} with an idle mechanism");
    if different == 0 && idle == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
