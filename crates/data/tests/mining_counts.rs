//! Mining real sets finds the numbers of patterns and the sums of supports on which other miners agree, in every
//! mode: one thread and two, counting and growing a tree.
//!
//! The sets in the repository always run, those of `../shared` where it is. The rows of ten edges together take
//! about two seconds optimised and some ten in a test build, so they stay in this test.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{EdgeLabels, ReadOptions, TargetChoice, read};
use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tally, mine};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_testkit::{fixture, large_shared};
use std::path::Path;
use std::sync::Mutex;

/// A set, whether its edge labels count, and what must be found.
struct Row {
    set: &'static str,
    edge_labels: EdgeLabels,
    /// Patterns and sum of supports for at most 5 edges.
    five: (u64, u64),
    /// The same for at most 10 edges, where it is known.
    ten: Option<(u64, u64)>,
}

const fn row(set: &'static str, edge_labels: EdgeLabels, five: (u64, u64), ten: Option<(u64, u64)>) -> Row {
    Row { set, edge_labels, five, ten }
}

/// Counts on which the prototype, gBolt and others agreed.
const PUBLISHED: [Row; 7] = [
    row("MUTAG", EdgeLabels::Ignore, (387, 8390), Some((16_239, 140_637))),
    row("MUTAG", EdgeLabels::Use, (1273, 14_825), Some((58_145, 306_361))),
    row("PTC_MR", EdgeLabels::Ignore, (1472, 14_340), Some((69_913, 201_371))),
    row("PTC_MR", EdgeLabels::Use, (3566, 20_409), Some((175_194, 312_238))),
    row("BZR", EdgeLabels::Auto, (1744, 86_445), Some((376_066, 5_805_247))),
    row("COX2", EdgeLabels::Auto, (1642, 104_236), Some((237_086, 3_825_154))),
    row("ENZYMES", EdgeLabels::Auto, (2930, 204_251), None),
];

fn graphs(path: &Path, edge_labels: EdgeLabels) -> Vec<Graph> {
    let options = ReadOptions { edge_labels, targets: TargetChoice::Nothing, ..ReadOptions::default() };
    read(path, &options).unwrap().graphs
}

/// A walk, and the number of threads that took part in it.
fn walked(graphs: &[Graph], max_edges: usize, threads: usize) -> (u64, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut tally = Tally::default();
    let params = MineParams { max_edges, threads, ..MineParams::default() };
    let mined = pool.install(|| mine(graphs, &params, &mut tally)).unwrap();
    assert!(mined.complete);
    assert_eq!(mined.stats.visited, tally.patterns);
    assert_eq!(tally.by_edges(max_edges).iter().sum::<u64>(), tally.patterns);
    (tally.patterns, tally.support_sum)
}

/// A tree, expanded everywhere by two threads that take turns.
fn grown(graphs: &[Graph], max_edges: usize) -> (u64, u64) {
    let tree = Tree::new(graphs, MineParams { max_edges, ..MineParams::default() }).unwrap();
    let open: Mutex<Vec<NodeId>> = Mutex::new(tree.roots().collect());
    let sum = || {
        let (mut patterns, mut support_sum) = (0, 0);
        let next = || open.lock().unwrap().pop();
        while let Some(node) = next() {
            let children: Vec<NodeId> = tree.expand(node).collect();
            open.lock().unwrap().extend(children);
            patterns += 1;
            support_sum += tree.support(node).len() as u64;
        }
        (patterns, support_sum)
    };
    let parts = std::thread::scope(|scope| {
        let other = scope.spawn(sum);
        [sum(), other.join().unwrap()]
    });
    (parts[0].0 + parts[1].0, parts[0].1 + parts[1].1)
}

fn check(row: &Row, path: &Path) {
    let graphs = graphs(path, row.edge_labels);
    let name = format!("{}, edge labels {:?}", row.set, row.edge_labels);
    for threads in [1, 2] {
        assert_eq!(walked(&graphs, 5, threads), row.five, "{name}, {threads} threads");
        if let Some(ten) = row.ten {
            assert_eq!(walked(&graphs, 10, threads), ten, "{name}, 10 edges, {threads} threads");
        }
    }
    assert_eq!(grown(&graphs, 5), row.five, "{name}, tree");
}

#[test]
fn the_sets_of_the_repository_have_their_published_counts() {
    for row in PUBLISHED.iter().filter(|row| row.set == "MUTAG") {
        check(row, &fixture("MUTAG"));
    }
}

#[test]
fn the_shared_sets_have_their_published_counts() {
    let Some(sets) = large_shared("data/tu") else { return };
    for row in PUBLISHED.iter().filter(|row| row.set != "MUTAG") {
        check(row, &sets.join(row.set));
    }
}
