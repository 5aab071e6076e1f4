//! How long mining takes, part by part: expanding, minimality tests, minimum codes, closed patterns.
//!
//! Random sparse graphs of a pinned seed, so that the work is always the same. Times vary with the machine; CI compares
//! the number of instructions of the whole program (`cargo xtask bench-instructions`).
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench may panic, and its macros make undocumented items")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use einsicht_graph::mine::{
    Condense, Counts, MineParams, NodeId, PatternList, PatternListBuilder, Tally, Tree, condense, mine,
};
use einsicht_graph::{DfsCode, Graph, MinCodeFinder, MinimalityTest};
use einsicht_testkit::strategy::{Dice, Shape};
use std::hint::black_box;

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

fn expansion(c: &mut Criterion) {
    let graphs = graphs();
    let mut group = c.benchmark_group("expansion");
    let mut tally = Tally::default();
    mine(&graphs, &params(), &mut tally).unwrap();
    group.throughput(Throughput::Elements(tally.support_sum)).sample_size(20);
    group.bench_function("traversal, pairs of pattern and graph", |b| {
        b.iter(|| {
            let mut tally = Tally::default();
            mine(&graphs, &params(), &mut tally).unwrap();
            tally
        });
    });
    group.bench_function("traversal into a list", |b| b.iter(|| list(&graphs).len()));
    let counts = MineParams { counts: Counts::Copies, ..params() };
    group.bench_function("traversal with minimum-image counts", |b| {
        b.iter(|| mine(&graphs, &counts, &mut Tally::default()).unwrap());
    });
    group.bench_function("tree", |b| {
        b.iter_batched(
            || Tree::new(&graphs, params()).unwrap(),
            |tree| {
                let mut open: Vec<NodeId> = tree.roots().collect();
                while let Some(node) = open.pop() {
                    open.extend(tree.expand(node));
                }
                tree
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn canonical_forms(c: &mut Criterion) {
    let list = list(&graphs());
    let codes: Vec<DfsCode> = (0..list.len()).map(|pattern| list.code(pattern)).collect();
    let mut group = c.benchmark_group("canonical forms");
    group.throughput(Throughput::Elements(codes.len() as u64)).sample_size(20);
    let mut test = MinimalityTest::default();
    group.bench_function("minimality test", |b| {
        b.iter(|| codes.iter().filter(|code| test.is_minimum(black_box(code.edges()))).count());
    });
    let mut finder = MinCodeFinder::default();
    group.bench_function("minimum code", |b| {
        b.iter(|| codes.iter().map(|code| finder.find(black_box(code.edges())).len()).sum::<usize>());
    });
    group.bench_function("closed patterns", |b| b.iter(|| condense(&list, Condense::Closed).len()));
    group.finish();
}

criterion_group!(benches, expansion, canonical_forms);
criterion_main!(benches);
