//! Models do not depend on the memory that the search may use, whatever it had to evict and recompute.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind, MAX_EDGES, model, model_and_search, params, usual};
use einsicht_graph::mine::{MineError, MineParams, PatternListBuilder, mine};
use einsicht_model::params::TrainParams;
use einsicht_search::{BudgetedSearch, Evictions, Search as _, SearchOptions, SharedTree, StreamingSearch};
use einsicht_train::fit::{Fit, FitError, FitOptions, fit_without_effects};
use einsicht_train::resample::Resampler;
use einsicht_train::side_by_side::Trainings;

fn mining(params: &TrainParams, threads: usize) -> MineParams {
    crate::common::mining(params, threads)
}

fn search(fixture: &Fixture, params: &TrainParams, limit: usize, threads: usize) -> BudgetedSearch {
    let options = SearchOptions { threads, ..SearchOptions::default() };
    let graphs = fixture.graphs(&fixture.parts.train);
    BudgetedSearch::with_limit(graphs, &mining(params, threads), options, limit).expect("a tree")
}

/// Expansions of a walk over all subgraphs.
fn everything(fixture: &Fixture, params: &TrainParams) -> u64 {
    let mut tally = PatternListBuilder::default();
    mine(&fixture.graphs(&fixture.parts.train), &mining(params, 1), &mut tally).unwrap().stats.expanded
}

fn paper() -> TrainParams {
    TrainParams { sizes: vec![1, 4], max_edges: MAX_EDGES, max_iterations: 6, ..TrainParams::paper() }
}

#[test]
fn models_are_the_same_whatever_had_to_be_evicted() {
    let fixture = Fixture::new(7, Kind::TwoClasses);
    let mut seen = Vec::new();
    for params in [params(), usual(), paper()] {
        let truth = model(&fixture, params.clone()).to_bytes().unwrap();
        let whole = search(&fixture, &params, usize::MAX - 1, 1);
        let least = whole.memory();
        let once = everything(&fixture, &params);
        let (model, free) = model_and_search(&fixture, params.clone(), whole);
        assert_eq!(model.to_bytes().unwrap(), truth);
        assert_eq!(free.evictions(), Evictions::default());
        for part in 0..192 {
            let limit = least + part * (free.memory() - least) / 48;
            let search = search(&fixture, &params, limit, 1);
            let (model, search) = model_and_search(&fixture, params.clone(), search);
            assert_eq!(model.to_bytes().unwrap(), truth, "{limit} of {}", free.memory());
            // Supports of active patterns are kept in any case.
            assert!(search.memory() <= limit.max(least + (16 << 10)), "{} of {limit}", search.memory());
            // Nothing is grown, evicted and grown again: at most one tree, and one walk for each query after it.
            let evictions = search.evictions();
            assert!(evictions.recomputed <= once * (1 + evictions.streamed), "{evictions:?}, {once} in all");
            seen.push(evictions);
        }
    }
    assert!(seen.iter().any(|d| d.embeddings > 0 && d.streamed == 0 && d.recomputed > 0), "{seen:?}");
    assert!(seen.iter().any(|d| d.streamed > 0), "{seen:?}");
}

#[test]
fn two_threads_in_little_memory_give_the_same_model() {
    let fixture = Fixture::new(8, Kind::ThreeClasses);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for params in [params(), usual()] {
        let truth = model(&fixture, params.clone()).to_bytes().unwrap();
        let whole = search(&fixture, &params, usize::MAX - 1, 2);
        let least = whole.memory();
        let (_, free) = pool.install(|| model_and_search(&fixture, params.clone(), whole));
        let mut seen = Vec::new();
        for part in (0..96).step_by(8) {
            let search = search(&fixture, &params, least + part * (free.memory() - least) / 32, 2);
            let (model, search) = pool.install(|| model_and_search(&fixture, params.clone(), search));
            assert_eq!(model.to_bytes().unwrap(), truth);
            seen.push(search.evictions());
        }
        assert!(seen[0].streamed > 0, "{seen:?}");
        assert!(seen.iter().any(|d| d.streamed > 0 && d.embeddings > 0), "a tree that evicts, then none: {seen:?}");
    }
}

#[test]
fn a_search_without_a_tree_finds_the_same() {
    let fixture = Fixture::new(9, Kind::Several);
    for params in [params(), usual(), paper()] {
        let truth = model(&fixture, params.clone()).to_bytes().unwrap();
        let graphs = fixture.graphs(&fixture.parts.train);
        let search = StreamingSearch::new(graphs.into(), mining(&params, 1)).unwrap();
        let (model, search) = model_and_search(&fixture, params, search);
        assert_eq!(model.to_bytes().unwrap(), truth);
        assert!(search.mined().expanded > 0);
    }
}

#[test]
fn searches_leave_a_shared_tree_that_is_full_and_find_the_same() {
    let fixture = Fixture::new(7, Kind::TwoClasses);
    for params in [params(), usual()] {
        let truth = model(&fixture, params.clone()).to_bytes().unwrap();
        let shared = |limits| {
            let graphs = fixture.graphs(&fixture.parts.train);
            SharedTree::with_limits(graphs, mining(&params, 1), SearchOptions::default(), 2, limits).unwrap()
        };
        let held = shared(None).search().memory();
        // Searches that come one after the other share a tree only where it has room to grow.
        let fits = |limits| shared(limits).is_likely_to_fit();
        assert_eq!([None, Some((40 * held, 0)), Some((10 * held, 0))].map(fits), [true, true, false]);
        for (limits, leaves) in [
            (None, false),
            (Some((1 << 30, 0)), false),
            (Some((held + (16 << 10), 1 << 30)), true),
            (Some((held + (16 << 10), held + (16 << 10))), true),
            (Some((0, 0)), true),
        ] {
            let tree = shared(limits);
            for _ in 0..2 {
                let (model, search) = model_and_search(&fixture, params.clone(), tree.search());
                assert_eq!(model.to_bytes().unwrap(), truth);
                assert_eq!(search.evictions().streamed > 0, leaves, "{limits:?}: {:?}", search.evictions());
            }
        }
    }
}

#[test]
fn trainings_take_a_budget_and_refuse_one_that_cannot_work() {
    let fixture = Fixture::new(7, Kind::TwoClasses);
    let params = usual().check().unwrap();
    let trained = |memory| {
        let options = FitOptions { threads: 1, memory };
        fit_without_effects(&fixture.dataset, &fixture.parts, &params, &options)
    };
    let truth = trained(None).unwrap().to_bytes().unwrap();
    let Err(FitError::Mine(MineError::BudgetTooSmall { smallest, got: 1000 })) = trained(Some(1000)) else {
        panic!("a kilobyte is too small")
    };
    assert!(trained(Some(smallest - 1)).is_err());
    assert_eq!(trained(Some(smallest)).unwrap().to_bytes().unwrap(), truth);
}

#[test]
fn resamples_do_not_depend_on_the_budget() {
    let fixture = Fixture::new(7, Kind::TwoClasses);
    let params = params().check().unwrap();
    let fit =
        |memory| Fit::new(&fixture.dataset, &fixture.parts, &params, None, &FitOptions { threads: 2, memory }).unwrap();
    let Err(FitError::Mine(MineError::BudgetTooSmall { smallest, .. })) = Resampler::new(&fit(Some(0)), None).map(drop)
    else {
        panic!("nothing is too small")
    };
    let resampled = |many: &Resampler<'_>| {
        let members = many.train_all(0..4).unwrap();
        (many.stability(members.iter().map(|member| &member.iterate)).unwrap(), members)
    };
    let free = resampled(&Resampler::new(&fit(None), None).unwrap());
    assert_eq!(resampled(&Resampler::new(&fit(Some(smallest)), None).unwrap()), free);
    assert!(!free.0.is_empty());
}
