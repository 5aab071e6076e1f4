//! Models do not depend on the memory that the search may use, whatever it had to drop and to derive again.

mod common;

use common::{Fixture, Kind, MAX_EDGES, model, model_and_search, params, usual};
use einsicht_graph::mine::MineParams;
use einsicht_learn::params::TrainParams;
use einsicht_learn::search::{BudgetedSearch, Dropped, SearchOptions};

fn search(fixture: &Fixture, params: &TrainParams, limit: usize, threads: usize) -> BudgetedSearch {
    let counts = params.values().needs_counts();
    let mine = MineParams { max_edges: MAX_EDGES, counts, threads, ..MineParams::default() };
    let options = SearchOptions { threads, ..SearchOptions::default() };
    BudgetedSearch::within(fixture.graphs(&fixture.parts.train), mine, options, limit).unwrap()
}

fn faithful() -> TrainParams {
    TrainParams { sizes: vec![1, 4], max_edges: MAX_EDGES, max_iterations: 6, ..TrainParams::faithful() }
}

#[test]
fn models_are_the_same_whatever_had_to_be_dropped() {
    let fixture = Fixture::new(7, Kind::TwoClasses);
    for params in [params(), usual(), faithful()] {
        let truth = model(&fixture, params.clone()).to_bytes().unwrap();
        let whole = search(&fixture, &params, usize::MAX - 1, 1);
        let least = whole.held();
        let (model, free) = model_and_search(&fixture, params.clone(), whole);
        assert_eq!(model.to_bytes().unwrap(), truth);
        assert_eq!(free.dropped(), Dropped::default());
        let mut seen = Vec::new();
        for share in 0..24 {
            let limit = least + share * (free.held() - least) / 12;
            let search = search(&fixture, &params, limit, 1);
            let (model, search) = model_and_search(&fixture, params.clone(), search);
            assert_eq!(model.to_bytes().unwrap(), truth, "{limit} of {}", free.held());
            eprintln!("{limit} {} {:?}", search.held(), search.dropped());
            // Supports of active patterns are there in any case.
            assert!(search.held() <= limit.max(least + (16 << 10)), "{} of {limit}", search.held());
            seen.push(search.dropped());
        }
        assert!(seen.iter().any(|d| d.embeddings > 0 && d.patterns == 0 && d.rederived > 0), "{seen:?}");
        assert!(seen.iter().any(|d| d.patterns > 0 && d.walks == 0 && d.rederived > 0), "{seen:?}");
        assert!(seen.iter().any(|d| d.walks > 0), "{seen:?}");
    }
}
