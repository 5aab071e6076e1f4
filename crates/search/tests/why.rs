//! What a pass says about the subtree of one pattern, for all patterns: nothing in a skipped subtree scores more than
//! the limit that is named, and as many subtrees are named for each reason as the pass has counted.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{assert_skipped_by, walk};
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Graph, Label, Support};
use einsicht_search::bound::{Delta, Sums, gradient_and_bound};
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    BudgetedSearch, Competes, Query, Rule, Scan, Search, SearchError, SearchOptions, SearchResult, SharedTree,
    SkipReason, Skips, StreamingSearch, TreeSearch,
};
use einsicht_testkit::oracle::{Language, mine_language};
use einsicht_testkit::passes::{HIDDEN, Wander, bits, set};
use std::collections::BTreeMap;
use std::sync::Arc;

const MAX_EDGES: usize = 4;
const PASSES: u64 = 8;

/// The values of a training that names none.
const COUNTS: Values = Values::Count(CountTransform::Log1p);

/// All patterns of a few graphs, each with a search of its own, since a question is a pass.
struct Asked {
    patterns: Vec<(DfsCode, Arc<Support>, Box<dyn Search>)>,
    values: Values,
    wander: Wander,
}

impl Asked {
    /// About some of the graphs of a tree, or all.
    fn new(seed: u64, values: Values, rows: &[u32], search: impl Fn(&[Graph], MineParams) -> Box<dyn Search>) -> Self {
        let graphs = &set(seed)[..10];
        let params = MineParams { max_edges: MAX_EDGES, counts: values.counts(), ..Default::default() };
        let language = Language { min_edges: 1, max_edges: MAX_EDGES, max_qualifiers: 0, max_qualified_edges: 0 };
        let support = |of: &[u32], copies: &[u32]| {
            let at = |row: &u32| of.binary_search(row).ok();
            let own = (0..).zip(rows).filter_map(|(number, row)| at(row).map(|at| (number, copies[at])));
            let (graphs, counts) = own.unzip();
            Support::detached(graphs, if values.needs_counts() { counts } else { Vec::new() })
        };
        let patterns = mine_language(graphs, language, 1).into_iter();
        let patterns = patterns
            .map(|(code, found)| (code, support(&found.graphs, &found.copies), search(graphs, params.clone())))
            .collect();
        Self { patterns, values, wander: Wander::new(seed, rows.len()) }
    }

    /// One pass: what was skipped, as it counts.
    fn pass(&mut self) -> Skips {
        let delta = Delta::new(&self.wander.delta, HIDDEN).unwrap();
        let query = Query { values: self.values, ..query(delta) };
        let (mut answer, mut named) = (None::<SearchResult>, BTreeMap::new());
        for (code, support, search) in &mut self.patterns {
            let (result, fate) = search.why(&query, code).unwrap();
            let is_prefix = fate.at.steps().zip(code.steps()).all(|(a, b)| a == b);
            assert!(is_prefix && fate.at.steps().count() <= code.steps().count(), "{fate:?} of {code:?}");
            assert_eq!(fate.threshold, result.zeta);
            if let Some(reason) = fate.reason {
                assert!(fate.limit < fate.threshold, "{fate:?}");
                // The pattern itself may have been scored, and then only what is below it was skipped.
                let scored = [SkipReason::UpperBound, SkipReason::Overtaken].contains(&reason) && fate.at == *code;
                let score = gradient_and_bound(self.values.column(support), delta, &mut Sums::default()).score;
                let is_rare = reason == SkipReason::TooFewGraphs;
                assert!(!is_rare || support.is_empty(), "{code:?} is in {support:?}");
                assert!(is_rare || scored || score <= fate.limit, "{score} of {code:?}, {fate:?}");
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

/// What passes skip, by presence and by counts; those of a training go through these types.
fn skipped(options: SearchOptions) -> [Skips; 2] {
    let search = |graphs: &[Graph], params: MineParams| -> Box<dyn Search> {
        Box::new(BudgetedSearch::new(graphs.to_vec(), params, options, 0).unwrap())
    };
    skipped_by(&(0..10).collect::<Vec<_>>(), search)
}

fn skipped_by(rows: &[u32], search: impl Fn(&[Graph], MineParams) -> Box<dyn Search>) -> [Skips; 2] {
    [Values::Presence, COUNTS].map(|values| {
        let mut skips = Skips::default();
        for seed in 900..906 {
            let mut asked = Asked::new(seed, values, rows, &search);
            for _ in 0..PASSES {
                skips += asked.pass();
            }
        }
        skips
    })
}

#[test]
fn a_walk_names_the_test_that_skipped_a_subtree() {
    let but = |left_out: &[SkipReason]| -> Vec<SkipReason> {
        SkipReason::ALL.into_iter().filter(|reason| !left_out.contains(reason)).collect()
    };
    let [presence, counts] = skipped(walk());
    assert_skipped_by(&but(&[SkipReason::TooFewGraphs]), &presence);
    // An earlier score is that of another pattern, and no leaf here has all counts of another pattern.
    assert_skipped_by(&but(&[SkipReason::TooFewGraphs, SkipReason::EarlierScore]), &counts);
}

#[test]
fn a_scan_names_the_test_that_left_a_subtree_ungrown() {
    let options = SearchOptions { scan: Scan::Always, ..walk() };
    for skips in skipped(options) {
        assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken], &skips);
    }
}

#[test]
fn a_scan_of_a_fold_names_what_its_graphs_do_not_have() {
    let options = SearchOptions { scan: Scan::Always, ..walk() };
    let rows = [0, 1, 3, 4, 6, 9];
    let search = |graphs: &[Graph], params: MineParams| -> Box<dyn Search> {
        let tree = SharedTree::with_limits(graphs.to_vec(), params, options, 2, None).unwrap();
        Box::new(tree.search_among(rows.to_vec()))
    };
    for skips in skipped_by(&rows, search) {
        assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken, SkipReason::TooFewGraphs], &skips);
    }
}

#[test]
fn a_search_without_a_tree_refuses() {
    let graphs = set(900);
    let delta = vec![1.0; graphs.len() * HIDDEN];
    let query = query(Delta::new(&delta, HIDDEN).unwrap());
    let code = DfsCode::single_vertex(Label(0));
    let params = MineParams { counts: Counts::Off, ..Default::default() };
    let stream = StreamingSearch::new(graphs.clone().into(), params.clone()).unwrap();
    // Too small for a tree: the first question makes it leave.
    let small = BudgetedSearch::with_limit(graphs, &params, walk(), 1).unwrap();
    for mut search in [Box::new(stream) as Box<dyn Search>, Box::new(small)] {
        assert_eq!(search.why(&query, &code).unwrap_err(), SearchError::KeepsNoTree);
        assert!(search.search(&query).is_ok());
    }
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
