//! Table 2 of the paper under several readings: `traverse DATA SPLITS TRIAL TARGET|- MAX_STEP...` prints one JSON
//! document.
//!
//! Each training of preset `paper` answers its searches by [`TreeSearch`], so that the path is the usual one, and
//! counts beside it how many patterns Algorithm 2 visits if it is followed line by line: depth first in gSpan's order,
//! `zeta` from the active patterns at first, pattern by pattern, nothing remembered but the children. `cargo lab
//! results --paper` runs it; needs `../shared`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, read};
use einsicht_data::{Dataset, Split, SplitFile};
use einsicht_graph::mine::MineParams;
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use einsicht_model::features::GraphMatcher;
use einsicht_model::params::TrainParams;
use einsicht_search::bound::{Sums, active_score, gradient_and_bound};
use einsicht_search::{Query, Rule, Search, SearchError, SearchOptions, SearchResult, SupportClass, TreeSearch};
use einsicht_train::{TrainData, Trainer};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Numbers of visited patterns in one pass.
#[derive(Clone, Copy, Default)]
struct Visits {
    /// Algorithm 2: a subtree is pruned if `UB(H) < zeta`.
    strict: u64,
    /// The remark below it: if `UB(H) <= zeta`.
    not_strict: u64,
    /// Our own search.
    ours: u64,
}

/// Our own search, and Algorithm 2 beside it.
struct Counted {
    search: TreeSearch,
    tree: Tree,
    visits: Arc<Mutex<Vec<Visits>>>,
}

/// One walk of Algorithm 2.
struct Walk<'a> {
    tree: &'a Tree,
    query: &'a Query<'a>,
    size: usize,
    strict: bool,
    /// The largest scores so far, at most `size`, decreasing.
    best: Vec<f64>,
    sums: Sums,
    visited: u64,
}

impl Walk<'_> {
    fn zeta(&self) -> f64 {
        if self.best.len() < self.size { f64::NEG_INFINITY } else { self.best[self.size - 1] }
    }

    fn add(&mut self, score: f64) {
        let at = self.best.partition_point(|&other| other >= score);
        self.best.insert(at, score);
        self.best.truncate(self.size);
    }

    fn visit(&mut self, node: NodeId) {
        self.visited += 1;
        let support = self.tree.support(node).unpacked();
        let found = gradient_and_bound(self.query.values.column(&support), self.query.delta, &mut self.sums);
        let is_pruned = if self.strict { found.bound < self.zeta() } else { found.bound <= self.zeta() };
        if is_pruned {
            return;
        }
        if found.score > self.zeta() {
            let code = self.tree.code(node);
            if !self.query.active.iter().any(|active| active.code == code) {
                self.add(found.score);
            }
        }
        for child in self.tree.expand(node) {
            self.visit(child);
        }
    }
}

impl Counted {
    fn walk(&self, query: &Query<'_>, strict: bool) -> u64 {
        let Rule::Top(size) = query.rule else { return 0 };
        let (tree, sums) = (&self.tree, Sums::default());
        let mut walk = Walk { tree, query, size, strict, best: Vec::new(), sums, visited: 0 };
        for active in query.active {
            gradient_and_bound(query.values.column(&active.support), query.delta, &mut walk.sums);
            let gradient: Vec<f64> = walk.sums.gradient().collect();
            walk.add(active_score(&active.weights, &gradient, query.decay, query.step_sizes));
        }
        for root in self.tree.roots() {
            walk.visit(root);
        }
        walk.visited
    }
}

impl Search for Counted {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let (strict, not_strict) = (self.walk(query, true), self.walk(query, false));
        let found = self.search.search(query)?;
        self.visits.lock().unwrap().push(Visits { strict, not_strict, ours: found.stats.visited });
        Ok(found)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.search.lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.search.class(support)
    }
}

/// The visits of a whole path at one largest step size: per size those of each pass, summarised.
fn path(dataset: &Dataset, split: &Split, max_step: f64) -> Value {
    let params = TrainParams { max_step, ..TrainParams::paper() }.check().unwrap();
    let graphs: Vec<Graph> = split.train.iter().map(|&row| dataset.graphs[row].clone()).collect();
    let mine = MineParams { max_edges: params.get().max_edges, ..MineParams::default() };
    let visits = Arc::new(Mutex::new(Vec::new()));
    let search = Counted {
        search: TreeSearch::new(Tree::new(&graphs, mine.clone()).unwrap(), SearchOptions::default()),
        tree: Tree::new(&graphs, mine).unwrap(),
        visits: Arc::clone(&visits),
    };
    let held_out = split.valid.iter().chain(&split.test).map(|&row| dataset.graphs[row].clone()).collect();
    let data = Arc::new(TrainData::new(dataset, split, None).unwrap());
    let mut trainer = Trainer::new(&params, data, search, GraphMatcher::new(held_out)).unwrap();
    let mut sizes: Vec<usize> = Vec::new();
    while let Some(pass) = trainer.step().unwrap() {
        sizes.push(pass.size);
    }
    let model = trainer.model(dataset, split).unwrap().unwrap();
    let visits = visits.lock().unwrap().clone();
    let readings: Vec<Value> = [
        ("strict", (|v: &Visits| v.strict) as fn(&Visits) -> u64),
        ("not_strict", |v| v.not_strict),
        ("ours", |v| v.ours),
    ]
    .into_iter()
    .map(|(rule, of)| summary(rule, &sizes, &visits.iter().map(of).collect::<Vec<u64>>()))
    .collect();
    json!({
        "max_step": max_step,
        "passes": sizes.len(),
        "accuracy": model.best().test["accuracy"],
        "patterns": model.best().iterate.patterns.len(),
        "visited": readings,
    })
}

/// Means of the visits: over all passes, over the sizes of the means at each, and over the sizes of the first and the
/// last pass at each.
fn summary(rule: &str, sizes: &[usize], visits: &[u64]) -> Value {
    let mut by_size: Vec<(usize, Vec<f64>)> = Vec::new();
    for (&size, &visited) in sizes.iter().zip(visits) {
        match by_size.last_mut() {
            Some((last, list)) if *last == size => list.push(visited as f64),
            _ => by_size.push((size, vec![visited as f64])),
        }
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let over_sizes = |of: &dyn Fn(&[f64]) -> f64| mean(&by_size.iter().map(|(_, list)| of(list)).collect::<Vec<_>>());
    json!({
        "rule": rule,
        "over_passes": mean(&visits.iter().map(|&v| v as f64).collect::<Vec<_>>()),
        "over_sizes": over_sizes(&mean),
        "first_pass": over_sizes(&|list| list[0]),
        "last_pass": over_sizes(&|list| list[list.len() - 1]),
    })
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [data, splits, trial, target, max_steps @ ..] = &words[..] else {
        panic!("traverse DATA SPLITS TRIAL TARGET|- MAX_STEP...")
    };
    let targets = if target == "-" { TargetChoice::default() } else { TargetChoice::Named(vec![target.clone()]) };
    let options = ReadOptions { targets, on_bad: OnBad::Skip, ..ReadOptions::default() };
    let dataset = read(Path::new(data), &options).unwrap();
    let split = SplitFile::read(Path::new(splits)).unwrap().split(trial.parse().unwrap(), &dataset).unwrap();
    let paths: Vec<Value> = max_steps.iter().map(|step| path(&dataset, &split, step.parse().unwrap())).collect();
    println!("{}", json!({ "paths": paths }));
}
