//! `cargo lab exact`: on real data, whole models byte for byte from every kind of search.
//!
//! The oracle is the exhaustive search of the testkit: it gets the list of all patterns from the exhaustive enumeration
//! of `verify`, not from the miner, scores each by definition and sorts. Each line of the output is one comparison with
//! the counters of the pruned search; the last line says how many differ, and in how many a mechanism was idle: each
//! configuration must itself prune most patterns and skip subtrees by drift. With the word `others` only the second
//! part runs: counts, single vertices, L1, linear models, graph networks. Needs the folder `shared` beside the
//! repository.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Dataset, Split, SplitFile};
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Graph, Label};
use einsicht_model::features::GraphMatcher;
use einsicht_model::gnn::Gnn;
use einsicht_model::params::{L1Start, NetworkKind, NetworkOptimizer, Penalty, TrainParams};
use einsicht_oracle::all_patterns;
use einsicht_search::feature::Feature;
use einsicht_search::{Search, SearchOptions, SearchStats, TreeSearch};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::oracle::{Occurrence, copies, min_image_count};
use einsicht_train::{TrainData, Trainer};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// A set with a split, and parameters.
struct Case {
    dataset: Dataset,
    split: Split,
    params: TrainParams,
}

/// Counters of a whole training.
#[derive(Default)]
struct Work {
    passes: u64,
    total: SearchStats,
}

impl Case {
    fn graphs(&self, rows: &[usize]) -> Vec<Graph> {
        rows.iter().map(|&row| self.dataset.graphs[row].clone()).collect()
    }

    fn train<S: Search>(&self, search: S) -> (Vec<u8>, Work) {
        let params = self.params.clone().check().unwrap();
        let data = TrainData::new(&self.dataset, &self.split, None).unwrap();
        let data = Arc::new(data.for_params(params.get(), &self.dataset, &self.split).unwrap());
        let matcher = GraphMatcher::new(self.graphs(&[&self.split.valid[..], &self.split.test[..]].concat()));
        let mut trainer = Trainer::new(&params, data, search, matcher).unwrap();
        let mut work = Work::default();
        let total = &mut work.total;
        while let Some(pass) = trainer.step().unwrap() {
            work.passes += 1;
            total.visited += pass.search.visited;
            total.skips += pass.search.skips;
            total.ties += u64::from(pass.search.ties > 0);
            let workers = pass.search.visited_by_worker.len();
            total.visited_by_worker.resize(total.visited_by_worker.len().max(workers), 0);
            for (sum, worker) in total.visited_by_worker.iter_mut().zip(&pass.search.visited_by_worker) {
                *sum += worker;
            }
        }
        (trainer.model(&self.dataset, &self.split).unwrap().unwrap().to_bytes().unwrap(), work)
    }

    fn pruned(&self, options: SearchOptions) -> TreeSearch {
        let TrainParams { min_edges, max_edges, .. } = self.params;
        let counts = self.params.values().counts();
        let params = MineParams { min_edges, max_edges, counts, ..MineParams::default() };
        TreeSearch::new(Tree::new(&self.graphs(&self.split.train), params).unwrap(), options)
    }

    /// Whether each mechanism has worked: most of so many patterns pruned, drift used, ties met, both workers busy.
    fn has_worked(&self, stats: &SearchStats, patterns: u64, options: SearchOptions) -> bool {
        stats.skips.by_bound() > 0
            && 2 * stats.visited < patterns
            && (stats.skips.by_drift() > 0) == options.drift
            && (self.params.penalty == Penalty::L1 || stats.ties > 0)
            && stats.visited_by_worker.iter().all(|&worker| worker > 0)
    }

    /// The oracle: all patterns by the listing of `verify`, single vertices if they compete, and counts by trying all
    /// embeddings.
    fn exhaustive(&self) -> Exhaustive {
        let graphs = self.graphs(&self.split.train);
        let mut listed = all_patterns(&graphs, self.params.max_edges, 1);
        for (id, graph) in (0..).zip(&graphs).filter(|_| self.params.min_edges == 0) {
            let labels: BTreeSet<Label> = graph.vertex_labels().iter().copied().collect();
            for label in labels {
                listed.entry(DfsCode::single_vertex(label)).or_default().push(id);
            }
        }
        let counts = self.params.values().counts();
        let with_counts = |(code, supporting): (DfsCode, Vec<u32>)| {
            let pattern = code.to_graph();
            let count = |count: fn(&Graph, &Graph) -> u32| {
                let wanted = supporting.iter().filter(|_| counts != Counts::Off);
                wanted.map(|&id| count(&graphs[id as usize], &pattern)).collect()
            };
            let (counts, copies) = (count(min_image_count), count(copies));
            (code, Occurrence { graphs: supporting, counts, copies })
        };
        Exhaustive::of_patterns(listed.into_iter().map(with_counts).collect(), graphs.len(), counts)
    }
}

/// Names and parameters of what is compared at so many edges, with all kinds of search.
fn usual_cases(max_edges: usize) -> Vec<(&'static str, TrainParams)> {
    let paper = TrainParams { max_edges, max_iterations: 30, ..TrainParams::paper() };
    let ein = TrainParams { max_edges, min_edges: 1, sizes: paper.sizes.clone(), ..TrainParams::ein() };
    vec![("preset ein", ein), ("preset paper", paper)]
}

/// The other features, penalties and networks.
fn other_cases(max_edges: usize) -> Vec<(&'static str, TrainParams)> {
    let sizes = vec![1, 5, 10, 25];
    let paper = TrainParams { max_edges, max_iterations: 15, sizes: sizes.clone(), ..TrainParams::paper() };
    let l1 = TrainParams { penalty: Penalty::L1, l1_start: L1Start::Zero, lambdas: 8, ..paper.clone() };
    let gin = TrainParams {
        gnn: Gnn::Gin,
        gnn_units: 8,
        network_optimizer: NetworkOptimizer::Adam,
        network_steps: 10,
        max_iterations: 8,
        ..paper.clone()
    };
    vec![
        ("counts", TrainParams { feature: Feature::Count, ..paper.clone() }),
        ("MNI counts", TrainParams { feature: Feature::Mni, ..paper.clone() }),
        ("single vertices", TrainParams { min_edges: 0, ..paper }),
        ("L1", l1.clone()),
        ("L1 from linear", TrainParams { l1_start: L1Start::Linear, ..l1.clone() }),
        ("linear, L1", TrainParams { network: NetworkKind::None, polish_steps: 10, max_iterations: 50, ..l1 }),
        ("GIN", gin.clone()),
        ("L1 + GIN", TrainParams { penalty: Penalty::L1, lambdas: 6, ..gin }),
        ("linear, growing", TrainParams { sizes, max_edges, min_edges: 1, shortlist: 0, interactions: 0, ..linear() }),
    ]
}

/// A linear model that grows pattern by pattern.
fn linear() -> TrainParams {
    TrainParams {
        network: NetworkKind::None,
        growth: 1,
        prefit_steps: 20,
        polish_steps: 20,
        max_iterations: 3,
        weight_decay: 0.01,
        ..TrainParams::paper()
    }
}

fn main() -> ExitCode {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let usual = SearchOptions::default();
    let variants = [
        ("best first", usual),
        ("no drift", SearchOptions { drift: false, ..usual }),
        ("two threads", SearchOptions { threads: 2, ..usual }),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (mut compared, mut different, mut idle) = (0, 0, 0);
    println!(
        "{:<7} {:>5} {:>8}  {:<30} {:>9} {:>9} {:>9} {:>5}  result",
        "set", "edges", "patterns", "search", "visited", "pruned", "drifted", "ties"
    );
    let plan = [("BZR", 6, false), ("BZR", 9, false), ("PTC_MR", 8, false), ("Cycle", 8, false), ("PTC_MR", 4, true)];
    let only_others = std::env::args().nth(1).as_deref() == Some("others");
    for (name, max_edges, others) in plan.into_iter().filter(|(.., others)| *others || !only_others) {
        let dataset = read(&shared.join("data/tu").join(name), &ReadOptions::default()).unwrap();
        let split = SplitFile::read(&shared.join(format!("splits/{name}.json"))).unwrap().split(0, &dataset).unwrap();
        let cases = if others { other_cases(max_edges) } else { usual_cases(max_edges) };
        let mut case = Case { dataset, split, params: cases[0].1.clone() };
        let mut known: Option<(usize, Feature, Exhaustive)> = None;
        for (way, params) in cases {
            case.params = params;
            let key = (case.params.min_edges, case.params.feature);
            let oracle = match known.take() {
                Some((edges, feature, oracle)) if (edges, feature) == key => oracle,
                _ => case.exhaustive(),
            };
            let patterns = oracle.len() as u64;
            let (truth, by_hand) = case.train(oracle.clone());
            known = Some((key.0, key.1, oracle));
            for (variant, options) in &variants[..if others { 1 } else { variants.len() }] {
                let (bytes, Work { total: stats, .. }) = pool.install(|| case.train(case.pruned(*options)));
                let same = bytes == truth;
                let worked = case.has_worked(&stats, patterns * by_hand.passes, *options);
                compared += 1;
                different += u32::from(!same);
                idle += u32::from(!worked);
                println!(
                    "{name:<7} {max_edges:>5} {patterns:>8}  {:<30} {:>9} {:>9} {:>9} {:>5}  {}{}",
                    format!("{way}, {variant}"),
                    stats.visited,
                    stats.skips.by_bound(),
                    stats.skips.by_drift(),
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
