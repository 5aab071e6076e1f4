//! What a pass says about the subtree of one pattern, for all patterns: nothing in a skipped subtree scores more than
//! the limit that is named, and as many subtrees are named for each reason as the pass has counted.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{assert_skipped_by, walk};
use einsicht_graph::mine::MineParams;
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Label};
use einsicht_search::bound::{Delta, Sums, gradient_and_bound};
use einsicht_search::feature::{Column, Values};
use einsicht_search::{
    Competes, Query, Rule, Scan, SearchError, SearchOptions, SearchResult, SkipReason, Skips, TreeSearch,
};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::passes::{HIDDEN, Wander, bits, set};
use std::collections::BTreeMap;

const MAX_EDGES: usize = 4;
const PASSES: u64 = 8;

/// All patterns of a few graphs, each with a search of its own, since a question is a pass.
struct Asked {
    patterns: Exhaustive,
    searches: Vec<(DfsCode, TreeSearch)>,
    wander: Wander,
}

impl Asked {
    fn new(seed: u64, options: SearchOptions) -> Self {
        let graphs = &set(seed)[..10];
        let params = MineParams { max_edges: MAX_EDGES, ..Default::default() };
        let patterns = Exhaustive::new(graphs, MAX_EDGES, 1);
        let search = || TreeSearch::new(Tree::new(graphs, params.clone()).unwrap(), options);
        let searches = patterns.patterns().keys().map(|code| (code.clone(), search())).collect();
        Self { patterns, searches, wander: Wander::new(seed, graphs.len()) }
    }

    /// One pass: what was skipped, as it counts.
    fn pass(&mut self) -> Skips {
        let delta = Delta::new(&self.wander.delta, HIDDEN).unwrap();
        let query = query(delta);
        let (mut answer, mut named) = (None::<SearchResult>, BTreeMap::new());
        for (code, search) in &mut self.searches {
            let (result, fate) = search.why(&query, code).unwrap();
            let is_prefix = fate.at.steps().zip(code.steps()).all(|(a, b)| a == b);
            assert!(is_prefix && fate.at.steps().count() <= code.steps().count(), "{fate:?} of {code:?}");
            assert_eq!(fate.threshold, result.zeta);
            if let Some(reason) = fate.reason {
                assert!(fate.limit < fate.threshold, "{fate:?}");
                // The pattern itself may have been scored, and then only what is below it was skipped.
                let scored = [SkipReason::UpperBound, SkipReason::Overtaken].contains(&reason) && fate.at == *code;
                let graphs = &self.patterns.patterns()[code].graphs;
                let score = gradient_and_bound(Column::present_in(graphs), delta, &mut Sums::default()).score;
                assert!(scored || score <= fate.limit, "{score} of {code:?}, {fate:?}");
                named.insert(fate.at, reason);
            }
            let first = answer.get_or_insert_with(|| result.clone());
            assert_eq!((bits(first), first.stats.skips), (bits(&result), result.stats.skips));
        }
        let answer = answer.unwrap();
        let mut counted = Skips::default();
        for reason in named.into_values() {
            counted[reason] += 1;
        }
        assert_eq!(counted, answer.stats.skips);
        self.wander.go_on(&answer, 3);
        counted
    }
}

fn query(delta: Delta<'_>) -> Query<'_> {
    Query {
        delta,
        active: &[],
        step_sizes: &[],
        decay: 0.0,
        rule: Rule::Top(3),
        unit: Competes::SupportClass,
        banned: &[],
        values: Values::Presence,
        floor: f64::NEG_INFINITY,
    }
}

fn skipped(options: SearchOptions) -> Skips {
    let mut skips = Skips::default();
    for seed in 900..906 {
        let mut asked = Asked::new(seed, options);
        for _ in 0..PASSES {
            skips += asked.pass();
        }
    }
    skips
}

#[test]
fn a_walk_names_the_test_that_skipped_a_subtree() {
    let all = SkipReason::ALL.into_iter().filter(|reason| *reason != SkipReason::TooFewGraphs);
    assert_skipped_by(&all.collect::<Vec<_>>(), &skipped(walk()));
}

#[test]
fn a_scan_names_the_test_that_left_a_subtree_ungrown() {
    let options = SearchOptions { scan: Scan::Always, ..walk() };
    assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken], &skipped(options));
}

#[test]
fn what_is_no_pattern_has_no_fate() {
    let graphs = set(900);
    let delta = vec![1.0; graphs.len() * HIDDEN];
    let delta = Delta::new(&delta, HIDDEN).unwrap();
    let code = DfsCode::single_vertex(Label(77));
    for scan in [Scan::Never, Scan::Always] {
        let tree = Tree::new(&graphs, MineParams::default()).unwrap();
        let refused = TreeSearch::new(tree, SearchOptions { scan, ..walk() }).why(&query(delta), &code).unwrap_err();
        assert_eq!(refused, SearchError::NoSuchPattern { edges: 0 });
    }
}
