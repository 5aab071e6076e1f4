//! The same model, byte for byte, whatever searches: exhaustive or pruned, one thread or two, with drift or
//! without. Each comparison also shows that what it compares really happened.

use crate::common::{Fixture, Kind, MAX_EDGES, model_by, params};
use einsicht_graph::tree::Tree;
use einsicht_graph::{DfsCode, Support};
use einsicht_model::params::{NetworkKind, Penalty, TrainParams};
use einsicht_search::feature::Feature;
use einsicht_search::{Query, Search, SearchError, SearchOptions, SearchResult, SearchStats, SupportClass, TreeSearch};
use einsicht_testkit::cases;
use std::sync::Arc;

/// Adds up what a search did.
struct Watched<'a, S> {
    search: S,
    total: &'a mut SearchStats,
}

impl<S: Search> Search for Watched<'_, S> {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        let found = self.search.search(query)?;
        self.total.visited += found.stats.visited;
        self.total.skips += found.stats.skips;
        self.total.ties += u64::from(found.stats.ties > 0);
        Ok(found)
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        self.search.lookup(code)
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        self.search.class(support)
    }
}

fn pruned(fixture: &Fixture, params: &TrainParams, options: SearchOptions) -> TreeSearch {
    let graphs = fixture.graphs(&fixture.parts.train);
    TreeSearch::new(Tree::new(&graphs, crate::common::mining(params, options.threads)).expect("a tree"), options)
}

#[test]
fn every_search_gives_the_same_bytes() {
    let usual = SearchOptions::default();
    let variants = [
        usual,
        SearchOptions { drift: false, ..usual },
        SearchOptions { prune: false, drift: false, ..usual },
        SearchOptions { threads: 2, ..usual },
    ];
    let mut totals = vec![SearchStats::default(); variants.len()];
    let mut qualified_patterns = 0;
    for (seed, kind) in [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several].into_iter().enumerate() {
        for more in 0..u64::from(cases(1, 3)) {
            let seed = seed as u64 + 10 * more;
            let fixture = Fixture::new(seed, kind);
            let paper =
                TrainParams { sizes: params().sizes, max_edges: MAX_EDGES, max_iterations: 8, ..TrainParams::paper() };
            let counts = TrainParams { feature: Feature::Count, ..params() };
            let penalty = TrainParams { penalty: Penalty::L1, lambdas: 6, ..params() };
            let linear = TrainParams { network: NetworkKind::None, ..penalty.clone() };
            let together = TrainParams { growth: 3, ..crate::common::usual() };
            let of_seed = if seed < 10 {
                vec![params(), crate::common::usual(), together, paper, counts, penalty, linear]
            } else {
                vec![params(), crate::common::usual(), together, paper, counts]
            };
            let qualified = Fixture::new(seed, kind).qualified(seed);
            let max_qualified_edges = 1 + (seed % 2) as usize;
            let richer = [params(), crate::common::usual()].map(|params| TrainParams {
                max_edges: 2,
                max_qualifiers: 2,
                max_qualified_edges,
                ..params
            });
            let of_seed = of_seed.into_iter().map(|params| (&fixture, params));
            let richer = richer.into_iter().filter(|_| seed < 10).map(|params| (&qualified, params));
            for (fixture, params) in of_seed.chain(richer) {
                let truth = model_by(fixture, params.clone(), fixture.search(&params));
                qualified_patterns += truth.patterns.iter().filter(|p| !p.code.qualifiers().is_empty()).count();
                let truth = truth.to_bytes().unwrap();
                for (options, total) in variants.iter().zip(&mut totals) {
                    let search = Watched { search: pruned(fixture, &params, *options), total };
                    let found = model_by(fixture, params.clone(), search).to_bytes().unwrap();
                    assert!(found == truth, "seed {seed}, {kind:?}, {options:?}");
                }
            }
        }
    }
    let [usual, no_drift, nothing, threads] = &totals[..] else { panic!("four variants") };
    assert!(usual.skips.by_drift() > 0 && no_drift.skips.by_drift() == 0);
    assert!(usual.skips.by_bound() > 0 && nothing.skips.total() == 0);
    assert!(usual.visited < nothing.visited && threads.visited > 0);
    assert!(qualified_patterns > 20, "{qualified_patterns}");
    assert!(usual.ties > 0, "ties at the threshold are the normal case");
}
