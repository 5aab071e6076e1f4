//! The pruned search against the exhaustive one, bit for bit, over whole sequences of passes: every order, one and two
//! threads, with and without pruning and drift. Each mechanism must have been at work.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::Graph;
use einsicht_graph::mine::{MineParams, Tree};
use einsicht_learn::bound::Delta;
use einsicht_learn::feature::{CountTransform, Values};
use einsicht_learn::search::{
    ActivePattern, Found, Order, PrunedSearch, Query, Rule, Search, SearchOptions, SearchStats, Unit,
};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::strategy::{Dice, Shape};

const MAX_EDGES: usize = 5;
const HIDDEN: usize = 3;

/// Everything in an answer that must be equal, floats as bits.
fn bits(found: &Found) -> impl PartialEq + std::fmt::Debug + use<> {
    let all = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let candidates: Vec<_> = found
        .candidates
        .iter()
        .map(|c| {
            let support = (c.support.graphs().to_vec(), c.support.counts().to_vec());
            (c.code.clone(), support, all(&c.gradient), c.score.to_bits())
        })
        .collect();
    let active: Vec<_> = found.active.iter().map(|a| (all(&a.gradient), a.score.to_bits())).collect();
    (candidates, active, found.zeta.to_bits())
}

/// Passes over one set: delta wanders, the best competitors become active.
struct Wander {
    dice: Dice,
    delta: Vec<f64>,
    /// How far delta moves in a pass.
    stride: f64,
    active: Vec<ActivePattern>,
}

impl Wander {
    fn new(seed: u64, graphs: usize) -> Self {
        let mut dice = Dice::new(seed);
        // Whole numbers at first, so that many scores are equal.
        let delta = (0..graphs * HIDDEN).map(|_| f64::from(dice.below(5)) - 2.0).collect();
        Self { dice, delta, stride: 1.0, active: Vec::new() }
    }

    fn go_on(&mut self, found: &Found, size: usize) {
        for value in &mut self.delta {
            *value += self.stride * (f64::from(self.dice.below(2001)) / 1000.0 - 1.0);
        }
        self.stride *= 0.3;
        let mut ranked: Vec<(f64, ActivePattern)> = found
            .candidates
            .iter()
            .map(|c| {
                let weights = c.gradient.iter().map(|g| -0.1 * g).collect();
                (c.score, ActivePattern { code: c.code.clone(), support: c.support.clone(), weights, pinned: false })
            })
            .collect();
        ranked.extend(self.active.drain(..).zip(&found.active).map(|(a, s)| (s.score, a)));
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.code.cmp_by_size(&b.1.code)));
        self.active = ranked.into_iter().take(size).map(|(_, a)| a).collect();
    }
}

fn run(graphs: &[Graph], seed: u64, rule: Rule, unit: Unit, options: SearchOptions) -> (usize, SearchStats) {
    run_on(graphs, seed, rule, unit, Values::Presence, options)
}

fn run_on(
    graphs: &[Graph],
    seed: u64,
    rule: Rule,
    unit: Unit,
    values: Values,
    options: SearchOptions,
) -> (usize, SearchStats) {
    let counts = values.needs_counts();
    let list = if counts { Exhaustive::with_counts } else { Exhaustive::new };
    let mut exhaustive = list(graphs, MAX_EDGES, 1);
    let params = MineParams { max_edges: MAX_EDGES, counts, ..Default::default() };
    let mut pruned = PrunedSearch::new(Tree::new(graphs, params).unwrap(), options);
    let mut wander = Wander::new(seed, graphs.len());
    let mut total = SearchStats { visited_by_worker: vec![0; options.threads], ..SearchStats::default() };
    let mut banned = Vec::new();
    for pass in 0..10 {
        // The exhaustive search has supports of its own; ids matter only to the pruned one.
        let active: Vec<ActivePattern> = wander
            .active
            .iter()
            .map(|a| ActivePattern { support: pruned.lookup(&a.code).unwrap(), ..a.clone() })
            .collect();
        let delta = Delta::new(&wander.delta, HIDDEN).unwrap();
        let step_sizes = &[0.5, 0.25, 0.125];
        let query = Query { delta, active: &active, step_sizes, decay: 0.01, rule, unit, values, banned: &banned };
        let wanted = exhaustive.search(&query).unwrap();
        let found = pruned.search(&query).unwrap();
        assert_eq!(bits(&found), bits(&wanted), "seed {seed}, pass {pass}, {rule:?}, {unit:?}, {options:?}");
        assert!(matches!(rule, Rule::Above(_)) || found.stats.ties == wanted.stats.ties);
        total.visited += found.stats.visited;
        total.pruned += found.stats.pruned;
        total.skipped_by_drift += found.stats.skipped_by_drift;
        total.ties += found.stats.ties;
        for (sum, worker) in total.visited_by_worker.iter_mut().zip(&found.stats.visited_by_worker) {
            *sum += worker;
        }
        if pass == 5 {
            for candidate in found.candidates.iter().take(3) {
                assert_eq!(pruned.class(&candidate.support), exhaustive.class(&candidate.support));
            }
        }
        let size = if let Rule::Top(size) = rule { size } else { 4 };
        wander.go_on(&wanted, size);
        if pass == 2 {
            // From now on two of the best may not enter, and one stays whatever comes.
            let best = found.candidates.iter().take(2);
            banned = best.map(|c| pruned.lookup(&c.code).unwrap()).collect();
            wander.active.retain(|a| banned.iter().all(|s| s.graphs() != a.support.graphs()));
        }
        if let Some(first) = wander.active.first_mut() {
            first.pinned = pass >= 4;
        }
    }
    (exhaustive.len() * 10, total)
}

fn set(seed: u64) -> Vec<Graph> {
    let mut dice = Dice::new(seed);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 2, edge_labels: 2 };
    (0..12).map(|_| dice.connected_graph(shape)).collect()
}

#[test]
fn pruning_drift_and_order_never_change_the_answer() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 0..12 {
        let graphs = set(seed);
        for unit in [Unit::SupportClass, Unit::Pattern] {
            for rule in [Rule::Top(1), Rule::Top(4), Rule::Top(40), Rule::Above(6.0)] {
                for order in [Order::BestFirst, Order::DepthFirst] {
                    for drift in [true, false] {
                        let options = SearchOptions { order, drift, ..Default::default() };
                        let (patterns, stats) = run(&graphs, seed, rule, unit, options);
                        assert!(drift || stats.skipped_by_drift == 0);
                        if rule == Rule::Top(4) {
                            all += patterns as u64;
                            sums.visited += stats.visited;
                        }
                        sums.pruned += stats.pruned;
                        sums.skipped_by_drift += stats.skipped_by_drift;
                        sums.ties += stats.ties;
                    }
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.ties > 0, "{sums:?}");
    assert!(2 * sums.visited < all, "fewer than half of {all} patterns were looked at: {sums:?}");
}

#[test]
fn counts_are_searched_as_exactly_as_presence() {
    let mut sums = SearchStats::default();
    let mut all = 0;
    for seed in 200..212 {
        let graphs = set(seed);
        for transform in [CountTransform::Identity, CountTransform::Log1p] {
            for unit in [Unit::SupportClass, Unit::Pattern] {
                for (rule, drift) in [(Rule::Top(4), true), (Rule::Top(4), false), (Rule::Above(9.0), true)] {
                    let options = SearchOptions { drift, ..Default::default() };
                    let values = Values::Count(transform);
                    let (patterns, stats) = run_on(&graphs, seed, rule, unit, values, options);
                    all += patterns as u64;
                    sums.visited += stats.visited;
                    sums.pruned += stats.pruned;
                    sums.skipped_by_drift += stats.skipped_by_drift;
                }
            }
        }
    }
    assert!(sums.pruned > 0 && sums.skipped_by_drift > 0 && sums.visited < all, "{sums:?} of {all}");
}

#[test]
fn without_pruning_every_pattern_is_looked_at() {
    let (patterns, stats) =
        run(&set(50), 50, Rule::Top(4), Unit::SupportClass, SearchOptions { prune: false, ..Default::default() });
    assert_eq!(stats.visited as usize, patterns);
    assert_eq!((stats.pruned, stats.skipped_by_drift), (0, 0));
}

#[test]
fn two_threads_give_the_answer_of_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut visited = [0, 0];
    for seed in 100..160 {
        for unit in [Unit::SupportClass, Unit::Pattern] {
            let options = SearchOptions { threads: 2, prune: seed % 4 != 0, ..Default::default() };
            let (_, stats) = pool.install(|| run(&set(seed), seed, Rule::Top(5), unit, options));
            for (sum, worker) in visited.iter_mut().zip(stats.visited_by_worker) {
                *sum += worker;
            }
        }
    }
    assert!(visited.iter().all(|&worker| worker > 0), "{visited:?}");
}
