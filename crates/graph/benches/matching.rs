//! How long matching takes: presence with each search, minimum-image counts, embeddings, and preparing the patterns.
//!
//! Random sparse graphs of a pinned seed, and patterns of fixed sizes that occur in such graphs, so that the work is
//! always the same. Against RDKit, on real molecules: `scripts/match_vs_rdkit.py`.
#![allow(missing_docs, reason = "the macros of criterion make undocumented items")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use einsicht_graph::matching::{CountSet, PatternSet, Scratch, Width};
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::oracle;
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeSet;

/// As large as drug molecules, with few labels.
fn graphs(vertices: u32) -> Vec<Graph> {
    let mut dice = Dice::new(11);
    let shape = Shape { vertices, edges: vertices + 3, vertex_labels: 3, edge_labels: 2 };
    (0..200).map(|_| dice.connected_graph(shape)).collect()
}

/// 100 patterns of 3 to 10 edges that occur in small graphs of the same kind.
fn patterns() -> Vec<DfsCode> {
    let mut dice = Dice::new(12);
    let mut codes = BTreeSet::new();
    while codes.len() < 100 {
        let edges = 3 + codes.len() as u32 % 8;
        let pattern = dice.connected_graph(Shape { vertices: edges + 1, edges, vertex_labels: 3, edge_labels: 2 });
        if pattern.num_edges() >= 3 {
            codes.insert(oracle::smallest_code(&pattern));
        }
    }
    codes.into_iter().collect()
}

fn presence(c: &mut Criterion) {
    let codes = patterns();
    let set = PatternSet::new(&codes);
    let mut group = c.benchmark_group("pairs of pattern and graph");
    for (name, vertices, width) in [
        ("at most 64 vertices", 40, Width::Fastest),
        ("at most 128 vertices", 40, Width::AtLeast128),
        ("at most 512 vertices", 40, Width::AtLeast512),
        ("any number of vertices", 40, Width::General),
        ("300 vertices", 300, Width::Fastest),
        ("600 vertices", 600, Width::Fastest),
    ] {
        let graphs = graphs(vertices);
        group.throughput(Throughput::Elements((graphs.len() * codes.len()) as u64)).sample_size(20);
        let mut scratch = Scratch::with_width(width);
        group.bench_function(name, |b| {
            b.iter(|| graphs.iter().map(|graph| set.matches(graph, &mut scratch).len()).sum::<usize>());
        });
    }
    let (graphs, counts, mut scratch) = (graphs(40), CountSet::new(&codes, Counts::Copies), Scratch::default());
    group.throughput(Throughput::Elements((graphs.len() * codes.len()) as u64));
    group.bench_function("minimum-image counts", |b| {
        b.iter(|| graphs.iter().map(|graph| counts.counts(graph, &mut scratch)[0]).sum::<u32>());
    });
}

fn preparing(c: &mut Criterion) {
    let (codes, graphs) = (patterns(), graphs(40));
    let mut group = c.benchmark_group("patterns");
    group.throughput(Throughput::Elements(codes.len() as u64));
    group.bench_function("prepare", |b| b.iter(|| PatternSet::new(&codes)));
    group.bench_function("prepare for counts", |b| b.iter(|| CountSet::new(&codes, Counts::Copies)));
    let (set, mut scratch) = (PatternSet::new(&codes), Scratch::default());
    group.bench_function("all embeddings in one graph", |b| {
        b.iter(|| {
            let len = |p| set.embeddings(p, &graphs[0], usize::MAX, &mut scratch).len();
            (0..codes.len()).map(len).sum::<usize>()
        });
    });
}

criterion_group!(benches, presence, preparing);
criterion_main!(benches);
