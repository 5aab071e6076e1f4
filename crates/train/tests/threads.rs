//! Work is cut into pieces fine enough for two threads, at any depth: in mining and in training.
//!
//! Counted, not timed, and the same on every machine: of all work `W`, the longest chain of pieces that must come one
//! after the other is `S`. Where nobody idles while there is work, two workers are done after at most `W / 2 + S / 2`,
//! so the busiest does at most `1 + S / W` times the mean. That nobody idles is the business of rayon in mining, and of
//! the queue in training, with tests of its own.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_data::{Split, SplitFile};
use einsicht_graph::mine::{MineParams, Tally, mine};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use einsicht_model::features::GraphMatcher;
use einsicht_model::params::TrainParams;
use einsicht_search::{Query, Search, SearchError, SearchOptions, SearchResult, SupportClass, TreeSearch};
use einsicht_testkit::{fixture, large_shared};
use einsicht_train::{TrainData, Trainer};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The busiest of two workers may do so many times the mean.
const MOST: f64 = 1.15;

fn assert_even(what: &str, work: u64, chain: u64) {
    let busiest = 1.0 + chain as f64 / work as f64;
    assert!(work > 0 && busiest <= MOST, "{what}: {chain} of {work} come one after the other, so up to {busiest:.3}");
}

fn mining(folder: &Path, max_edges: usize) {
    let graphs = read(folder, &ReadOptions::default()).unwrap().graphs;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mined = |threads| {
        let params = MineParams { max_edges, threads, ..MineParams::default() };
        pool.install(|| mine(&graphs, &params, &mut Tally::default()).unwrap())
    };
    let (alone, shared) = (mined(1), mined(2));
    assert_eq!((alone.span, shared.stats), (alone.stats.work(), alone.stats));
    assert_even("mining", shared.stats.work(), shared.span);
}

/// A search that notes, pass by pass, the work of first expansions, in graphs, and the longest chain of it.
struct Watched {
    search: TreeSearch,
    work: u64,
    chain: u64,
    /// Nodes that were expanded before.
    known: HashSet<NodeId>,
}

impl Watched {
    fn note(&mut self) {
        let tree = self.search.tree();
        // (node, chain above it)
        let mut open: Vec<(NodeId, u64)> = tree.roots().map(|root| (root, 0)).collect();
        let mut longest = 0;
        while let Some((node, above)) = open.pop() {
            if tree.is_leaf(node) || !tree.is_expanded(node) {
                continue;
            }
            let is_new = self.known.insert(node);
            let graphs = if is_new { tree.support(node).len() as u64 } else { 0 };
            self.work += graphs;
            longest = longest.max(above + graphs);
            open.extend(tree.expand(node).map(|child| (child, above + graphs)));
        }
        self.chain += longest;
    }
}

impl Search for Watched {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let found = self.search.search(query)?;
        self.note();
        Ok(found)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.search.lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.search.class(support)
    }
}

fn training(folder: &Path, max_edges: usize, split: Option<&Path>) {
    let dataset = read(folder, &ReadOptions::default()).unwrap();
    let rows = 0..dataset.graphs.len();
    let split = match split {
        Some(file) => SplitFile::read(file).unwrap().split(0, &dataset).unwrap(),
        None => Split {
            train: rows.clone().filter(|row| row % 3 != 0).collect(),
            valid: rows.filter(|row| row % 3 == 0).collect(),
            ..Split::default()
        },
    };
    let graphs = |rows: &[usize]| rows.iter().map(|&row| dataset.graphs[row].clone()).collect::<Vec<Graph>>();
    let (train, held_out) = (graphs(&split.train), graphs(&[&split.valid[..], &split.test[..]].concat()));
    let params = TrainParams { max_edges, sizes: vec![1, 5, 10], max_iterations: 10, ..TrainParams::paper() };
    let data = Arc::new(TrainData::new(&dataset, &split, None).unwrap());
    let tree = Tree::new(&train, MineParams { max_edges, ..MineParams::default() }).unwrap();
    let search = TreeSearch::new(tree, SearchOptions::default());
    let watched = Watched { search, work: 0, chain: 0, known: HashSet::new() };
    let mut trainer = Trainer::new(&params.check().unwrap(), data, watched, GraphMatcher::new(held_out)).unwrap();
    trainer.run().unwrap();
    let (watched, _) = trainer.into_parts();
    assert_even("training", watched.work, watched.chain);
}

#[test]
fn two_threads_can_mine_mutag_evenly() {
    mining(&fixture("MUTAG"), 10);
}

#[test]
fn two_threads_can_mine_nci1_evenly() {
    let Some(folder) = large_shared("data/tu/NCI1") else { return };
    mining(&folder, 8);
}

#[test]
fn two_threads_can_train_on_enzymes_evenly() {
    training(&fixture("ENZYMES_60"), 6, None);
    let (Some(folder), Some(split)) = (large_shared("data/tu/ENZYMES"), large_shared("splits/ENZYMES_1v2.json")) else {
        return;
    };
    training(&folder, 6, Some(&split));
}
