//! Searches within a memory limit against the exhaustive one, bit for bit, whatever they had to evict and recompute.
//! Whole trainings within limits are in `crates/train/tests/budgets.rs`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, assert_skipped_by};
use einsicht_graph::Graph;
use einsicht_graph::mine::Counts;
use einsicht_search::Search as _;
use einsicht_search::feature::CountTransform;
use einsicht_search::{
    BudgetedSearch, Competes, Evictions, Rule, Scan, SearchOptions, SharedTree, SkipReason, StreamingSearch,
};
use einsicht_testkit::passes::{qualified_set, set};

/// Both units, both rules, presence and counts over one set.
fn all_passes(graphs: &[Graph], seed: u64) -> Vec<Passes<'_>> {
    let mut all = Vec::new();
    for unit in [Competes::SupportClass, Competes::Pattern] {
        for rule in [Rule::Top(4), Rule::Above(6.0)] {
            let mut plain = Passes::new(graphs, seed, rule, unit);
            if graphs.iter().any(|graph| !graph.all_qualifiers().is_empty()) {
                plain = plain.qualified();
            }
            all.extend([plain, plain.counted(CountTransform::Log1p, Counts::Copies)]);
        }
    }
    all
}

#[test]
fn a_search_without_a_tree_finds_the_same() {
    for seed in 400..406 {
        let graphs = if seed < 404 { set(seed) } else { qualified_set(seed) };
        for passes in all_passes(&graphs, seed) {
            let mut search = StreamingSearch::new(graphs.clone().into(), passes.mining()).unwrap();
            let (patterns, stats) = passes.compare(&mut search);
            assert_skipped_by(&[SkipReason::UpperBound], &stats.skips);
            assert!(stats.visited < patterns && search.mined().expanded > 0, "{stats:?}");
        }
    }
}

#[test]
fn a_limit_changes_what_is_evicted_and_never_the_answer() {
    let sets = [set(404), qualified_set(404)];
    let (mut seen, mut scanned) = (Vec::new(), Vec::new());
    for (graphs, passes) in sets.iter().flat_map(|graphs| all_passes(graphs, 404).into_iter().map(move |p| (graphs, p)))
    {
        for scan in [Scan::Never, Scan::Always] {
            let search = |limit| {
                let options = SearchOptions { scan, ..SearchOptions::default() };
                BudgetedSearch::with_limit(graphs.clone(), &passes.mining(), options, limit).unwrap()
            };
            let mut free = search(usize::MAX - 1);
            let least = free.memory();
            passes.compare(&mut free);
            assert_eq!(free.evictions(), Evictions::default());
            for sixths in 0..18 {
                let mut search = search(least + sixths * (free.memory() - least) / 6);
                let (_, stats) = passes.compare(&mut search);
                seen.push(search.evictions());
                scanned.push((stats.scanned > 0, search.evictions().recomputed > 0));
            }
        }
    }
    // Some were scanned within the limit, some until they met it.
    assert!(scanned.contains(&(true, false)) && scanned.contains(&(true, true)), "{scanned:?}");
    assert!(seen.iter().any(|e| e.embeddings > 0 && e.streamed == 0 && e.recomputed > 0), "{seen:?}");
    assert!(seen.iter().any(|e| e.streamed > 0), "{seen:?}");
}

#[test]
fn a_search_leaves_a_shared_tree_that_is_full_and_finds_the_same() {
    let graphs = set(407);
    for passes in all_passes(&graphs, 407) {
        for (limits, leaves) in
            [(None, false), (Some((1 << 30, 0)), false), (Some((0, 1 << 30)), true), (Some((0, 0)), true)]
        {
            let options = SearchOptions::default();
            let tree = SharedTree::with_limits(graphs.clone(), passes.mining(), options, 2, limits).unwrap();
            for _ in 0..2 {
                let mut search = tree.search();
                passes.compare(&mut search);
                assert_eq!(search.evictions().streamed > 0, leaves, "{limits:?}: {:?}", search.evictions());
            }
        }
    }
}
