//! The lists of patterns that all checks share: every pattern, those of some of the graphs, or some patterns drawn by a
//! seed.
//!
//! Supports of every pattern come from the enumeration. Embeddings of qualified patterns, and counts if the model reads
//! them, come from the matcher, which shares no code with the tree either.

use super::enumerate;
use super::qualified::{self, Listing};
use super::replay::Patterns;
use super::{Stage, TrainParams};
use einsicht_data::random::Random;
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, Graph};
use einsicht_model::Model;
use einsicht_model::features::supports_in;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Connected sets of edges that a part draws.
const DRAWN: usize = 10_000;

/// Patterns with the graphs that contain them, increasing.
type Plain = BTreeMap<DfsCode, Vec<u32>>;

/// Every pattern by exhaustive enumeration.
pub(super) fn all(model: &Model, graphs: &[Graph], watch: &(dyn Fn(Stage) + Sync)) -> Patterns {
    let &TrainParams { min_edges, max_edges, min_support, .. } = &model.params;
    let min_support = min_support.of(graphs.len());
    let done = AtomicUsize::new(0);
    let listed = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch(Stage::Listed { done, graphs: graphs.len() });
    };
    let mut plain = enumerate::all_patterns_watched(graphs, max_edges, min_support, &listed);
    if min_edges == 0 {
        plain.extend(enumerate::single_vertices(graphs, min_support));
    }
    finish(model, graphs, plain, watch)
}

/// Every pattern of some of the graphs, at these positions, out of the list of all: nothing is enumerated again.
pub(super) fn of_some_graphs(model: &Model, graphs: &[Graph], positions: &[usize], all: &Patterns) -> Patterns {
    let mut place = BTreeMap::new();
    place.extend(positions.iter().zip(0_u32..).map(|(&position, at)| (position as u32, at)));
    let mut plain = Plain::new();
    for (code, (support, _)) in all.iter().filter(|(code, _)| code.qualifiers().is_empty()) {
        let mut here: Vec<u32> = support.iter().filter_map(|graph| place.get(graph).copied()).collect();
        here.sort_unstable();
        if here.len() >= model.params.min_support.of(graphs.len()).max(1) {
            plain.insert(code.clone(), here);
        }
    }
    finish(model, graphs, plain, &|_| ())
}

/// The patterns that the model names, and some that a seed draws, with all their sets of qualifiers.
pub(super) fn some(model: &Model, graphs: &[Graph], seed: u64) -> Patterns {
    let TrainParams { min_edges, max_edges, min_support, .. } = model.params;
    let min_support = min_support.of(graphs.len());
    let mut random = Random::stream(seed, 1);
    let drawn: Vec<DfsCode> = enumerate::draw(graphs, max_edges, DRAWN, &mut random).into_iter().collect();
    let supports = supports_in(graphs, &drawn, model.params.values());
    let found = drawn.into_iter().zip(supports.iter().map(|support| support.graphs().to_vec()));
    let mut plain: Plain = found.filter(|(_, support)| support.len() >= min_support).collect();
    if min_edges == 0 {
        plain.extend(enumerate::single_vertices(graphs, min_support));
    }
    let mut patterns = finish(model, graphs, plain, &|_| ());
    let named: Vec<DfsCode> = named(model).into_iter().collect();
    let supports = supports_in(graphs, &named, model.params.values());
    for (code, support) in named.into_iter().zip(&supports).filter(|(_, support)| support.len() >= min_support) {
        patterns.insert(code, (support.graphs().to_vec(), support.counts().to_vec()));
    }
    patterns
}

/// The patterns that a model names: of the file, of each step, and those that it must or may not use.
fn named(model: &Model) -> BTreeSet<DfsCode> {
    let befores = model.entries.iter().filter_map(|entry| entry.before.as_ref()).map(|before| &before.iterate);
    let iterates = model.entries.iter().map(|entry| &entry.iterate).chain(befores);
    let of_steps = iterates.flat_map(|iterate| {
        let pairs = iterate.pairs.iter().flat_map(|pair| &pair.codes);
        iterate.patterns.iter().map(|pattern| &pattern.code).chain(pairs)
    });
    let given = model.params.require.iter().chain(&model.params.exclude);
    model.patterns.iter().map(|pattern| &pattern.code).chain(of_steps).chain(given).cloned().collect()
}

/// Adds sets of qualifiers and counts to a list, if the model reads them.
fn finish(model: &Model, graphs: &[Graph], plain: Plain, watch: &(dyn Fn(Stage) + Sync)) -> Patterns {
    let &TrainParams { max_qualifiers, min_support, .. } = &model.params;
    let min_support = min_support.of(graphs.len());
    let counts = model.params.values().counts();
    if !model.qualifiers.is_empty() && max_qualifiers > 0 {
        let max_qualified_edges = model.params.qualified_edges();
        let listing = Listing { max_qualifiers, max_qualified_edges, min_support, counts };
        return qualified::with_qualifiers(plain, graphs, listing, watch);
    }
    if counts == Counts::Off {
        return plain.into_iter().map(|(code, graphs)| (code, (graphs, Vec::new()))).collect();
    }
    let codes: Vec<DfsCode> = plain.keys().cloned().collect();
    let counted = supports_in(graphs, &codes, model.params.values());
    plain.into_iter().zip(&counted).map(|((code, graphs), s)| (code, (graphs, s.counts().to_vec()))).collect()
}
