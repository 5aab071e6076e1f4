//! How long matching takes: presence with each search, minimum-image counts, embeddings, and preparing the patterns.
//!
//! Random sparse graphs of a pinned seed, and patterns of fixed sizes that occur in such graphs, so that the work is
//! always the same. Against RDKit, on real molecules: `lab/scripts/match_vs_rdkit.py`.

mod timing;

use einsicht_graph::matching::{CountSet, PatternSet, Scratch, Width};
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::oracle;
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeSet;
use timing::time;

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

fn presence() {
    let codes = patterns();
    let set = PatternSet::new(&codes);
    for (name, vertices, width) in [
        ("pairs: at most 64 vertices", 40, Width::Fastest),
        ("pairs: at most 128 vertices", 40, Width::AtLeast128),
        ("pairs: at most 512 vertices", 40, Width::AtLeast512),
        ("pairs: any number of vertices", 40, Width::General),
        ("pairs: 300 vertices", 300, Width::Fastest),
        ("pairs: 600 vertices", 600, Width::Fastest),
    ] {
        let graphs = graphs(vertices);
        let mut scratch = Scratch::with_width(width);
        time(name, graphs.len() * codes.len(), || {
            graphs.iter().map(|graph| set.matches(graph, &mut scratch).len()).sum::<usize>()
        });
    }
    let (graphs, counts, mut scratch) = (graphs(40), CountSet::new(&codes, Counts::Copies), Scratch::default());
    time("pairs: minimum-image counts", graphs.len() * codes.len(), || {
        graphs.iter().map(|graph| counts.counts(graph, &mut scratch)[0]).sum::<u32>()
    });
}

fn preparing() {
    let (codes, graphs) = (patterns(), graphs(40));
    time("patterns: prepare", codes.len(), || PatternSet::new(&codes));
    time("patterns: prepare for counts", codes.len(), || CountSet::new(&codes, Counts::Copies));
    let (set, mut scratch) = (PatternSet::new(&codes), Scratch::default());
    time("patterns: all embeddings in one graph", codes.len(), || {
        let len = |p| set.embeddings(p, &graphs[0], usize::MAX, &mut scratch).len();
        (0..codes.len()).map(len).sum::<usize>()
    });
}

fn main() {
    presence();
    preparing();
}
