//! How long mining takes, part by part: expanding, minimality tests, minimum codes, closed patterns.
//!
//! Random sparse graphs of a pinned seed, so that the work is always the same. Times vary with the machine; CI compares
//! the number of instructions of the whole program (`cargo lab bench-instructions`).
#![allow(clippy::unwrap_used, reason = "a bench may panic")]

mod timing;

use einsicht_graph::mine::{Condense, Counts, MineParams, PatternList, PatternListBuilder, Tally, condense, mine};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, MinCodeFinder, MinimalityTest};
use einsicht_testkit::strategy::{Dice, Shape};
use std::hint::black_box;
use timing::time;

fn params() -> MineParams {
    MineParams { min_support: 2, ..MineParams::default() }
}

fn graphs() -> Vec<Graph> {
    let mut dice = Dice::new(7);
    let shape = Shape { vertices: 40, edges: 46, vertex_labels: 3, edge_labels: 2 };
    (0..60).map(|_| dice.connected_graph(shape)).collect()
}

fn list(graphs: &[Graph]) -> PatternList {
    let mut list = PatternListBuilder::default();
    mine(graphs, &params(), &mut list).unwrap();
    list.finish()
}

fn expansion() {
    let graphs = graphs();
    let mut tally = Tally::default();
    mine(&graphs, &params(), &mut tally).unwrap();
    let pairs = tally.support_sum as usize;
    time("expansion: traversal, pairs", pairs, || {
        let mut tally = Tally::default();
        mine(&graphs, &params(), &mut tally).unwrap();
        tally
    });
    time("expansion: traversal into a list", pairs, || list(&graphs).len());
    let counts = MineParams { counts: Counts::Copies, ..params() };
    time("expansion: traversal with minimum-image counts", pairs, || {
        mine(&graphs, &counts, &mut Tally::default()).unwrap();
    });
    time("expansion: tree", pairs, || {
        let tree = Tree::new(&graphs, params()).unwrap();
        let mut open: Vec<NodeId> = tree.roots().collect();
        while let Some(node) = open.pop() {
            open.extend(tree.expand(node));
        }
        tree
    });
}

fn canonical_forms() {
    let list = list(&graphs());
    let codes: Vec<DfsCode> = (0..list.len()).map(|pattern| list.code(pattern)).collect();
    let mut test = MinimalityTest::default();
    time("canonical forms: minimality test", codes.len(), || {
        codes.iter().filter(|code| test.is_minimum(black_box(code.edges()))).count()
    });
    let mut finder = MinCodeFinder::default();
    time("canonical forms: minimum code", codes.len(), || {
        codes.iter().map(|code| finder.find(black_box(code.edges())).len()).sum::<usize>()
    });
    time("canonical forms: closed patterns", codes.len(), || condense(&list, Condense::Closed).len());
}

fn main() {
    expansion();
    canonical_forms();
}
