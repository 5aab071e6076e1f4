//! One search over shards of the graphs against the exhaustive one, bit for bit, over whole sequences of passes: any
//! number of shards, workers that die in the middle of a pass, and what is pruned. Whole trainings are in
//! `crates/train/tests/sharded_training.rs`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Passes, add, assert_skipped_by};
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::tree::Tree;
use einsicht_search::bound::{BLOCK_ROWS, Delta};
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    Competes, GraphShard, Query, Rule, Search, SearchError, SearchOptions, SearchStats, ShardSource, ShardedSearch,
    Shards, SkipReason, TreeSearch, shard_ranges,
};
use einsicht_testkit::passes::{HIDDEN, bits, qualified_set, set};
use einsicht_testkit::strategy::Dice;

/// All workers in this process; requests, replies and graphs travel as bytes all the same.
struct Local {
    /// What each worker was made from.
    sources: Vec<Vec<u8>>,
    workers: Vec<GraphShard>,
    asked: u64,
    /// Each time after so many requests a worker dies and is replaced.
    dies_every: Option<u64>,
    died: u64,
}

fn worker(source: &[u8]) -> GraphShard {
    GraphShard::new(&ShardSource::from_bytes(source).unwrap()).unwrap()
}

impl Local {
    fn new(graphs: &[Graph], params: &MineParams, shards: usize) -> Self {
        let source = |range: std::ops::Range<usize>| {
            ShardSource { graphs: graphs[range].to_vec(), params: params.clone() }.to_bytes()
        };
        let sources: Vec<Vec<u8>> = shard_ranges(graphs.len(), shards).into_iter().map(source).collect();
        let workers = sources.iter().map(|source| worker(source)).collect();
        Self { sources, workers, asked: 0, dies_every: None, died: 0 }
    }
}

impl Shards for Local {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        let mut replies = Vec::new();
        for (shard, request) in requests.iter().enumerate() {
            self.asked += 1;
            if self.dies_every.is_some_and(|every| self.asked.is_multiple_of(every)) {
                self.workers[shard] = worker(&self.sources[shard]);
                self.died += 1;
            }
            replies.push(self.workers[shard].answer(request)?);
        }
        Ok(replies)
    }
}

fn sharded(graphs: &[Graph], params: &MineParams, shards: usize, dies_every: Option<u64>) -> ShardedSearch<Local> {
    let local = Local { dies_every, ..Local::new(graphs, params, shards) };
    assert_eq!(local.workers.len(), shards);
    ShardedSearch::new(local, shard_ranges(graphs.len(), shards), params.min_support).unwrap()
}

/// A little more than four blocks, each row with one of half a dozen graphs; those of the first block are other ones,
/// so that some patterns are in some shards only.
fn rows(seed: u64) -> Vec<u32> {
    let mut dice = Dice::new(seed);
    let of_row = |row| if row < BLOCK_ROWS { dice.below(3) } else { 2 + dice.below(4) };
    (0..4 * BLOCK_ROWS + 200).map(of_row).collect()
}

fn run(passes: Passes<'_>, shards: usize, dies_every: Option<u64>) -> (u64, SearchStats, u64, u64) {
    let mut search = sharded(&passes.graphs_of_rows(), &passes.mining(), shards, dies_every);
    let (patterns, stats) = passes.compare(&mut search);
    (patterns, stats, search.restarts(), search.shards().died)
}

#[test]
fn any_number_of_shards_finds_what_one_search_over_all_graphs_finds() {
    let (graphs, qualified, rows) = (set(800)[..6].to_vec(), qualified_set(800), rows(800));
    let plain = |rule, unit| Passes { language: (0, 0), ..Passes::new(&graphs, 800, rule, unit) }.repeated(&rows);
    let usual = plain(Rule::Top(4), Competes::SupportClass);
    let all = [
        usual,
        Passes { graphs: &qualified, language: (0, 1), ..usual },
        Passes { graphs: &qualified, language: (0, 1), ..usual }.counted(CountTransform::Log1p, Counts::Copies),
        plain(Rule::Top(4), Competes::Pattern),
        plain(Rule::Above(9.0 * BLOCK_ROWS as f64), Competes::SupportClass),
    ];
    let mut sums = SearchStats::default();
    for passes in all {
        let mut visited = Vec::new();
        for shards in [1, 2, 5] {
            let (patterns, stats, restarts, _) = run(passes, shards, None);
            assert!(stats.visited < patterns && restarts == 0, "{stats:?} of {patterns}, {restarts} restarts");
            assert!(stats.visited_by_worker.len() == shards && stats.visited_by_worker.iter().all(|&n| n > 0));
            visited.push(stats.visited);
            add(&mut sums, &stats);
        }
        // Bounds are rounded up differently, but by so little that the same is pruned.
        assert!(visited.windows(2).all(|pair| pair[0] == pair[1]), "{visited:?}");
    }
    assert_skipped_by(&[SkipReason::UpperBound, SkipReason::Overtaken], &sums.skips);
    assert!(sums.skips.total() > 100, "{sums:?}");
}

#[test]
fn a_worker_that_dies_is_replaced_and_nothing_is_lost() {
    let (graphs, rows) = (set(801)[..6].to_vec(), rows(801));
    let passes = Passes::new(&graphs, 801, Rule::Top(4), Competes::SupportClass).repeated(&rows);
    let undisturbed = run(passes, 5, None).1;
    let (_, stats, restarts, died) = run(passes, 5, Some(151));
    assert!(died > 3 && restarts > 2, "{died} died, {restarts} restarts");
    assert!(stats.skips.total() > 0 && undisturbed.skips.total() > 0);
    // If somebody dies in every round, no pass ever ends, and that is said.
    let mut search = sharded(&passes.graphs_of_rows(), &passes.mining(), 5, Some(5));
    let delta = vec![1.0; rows.len() * HIDDEN];
    let refused = search.search(&query(&delta, Rule::Top(1))).unwrap_err();
    assert!(matches!(&refused, SearchError::NoAnswer { reason, .. } if reason.contains("100 tries")), "{refused}");
}

fn query(delta: &[f64], rule: Rule) -> Query<'_> {
    Query {
        delta: Delta::new(delta, HIDDEN).unwrap(),
        active: &[],
        step_sizes: &[],
        decay: 0.0,
        rule,
        unit: Competes::SupportClass,
        banned: &[],
        values: Values::Presence,
        floor: f64::NEG_INFINITY,
    }
}

#[test]
fn the_smallest_support_is_that_of_all_graphs() {
    let (graphs, qualified, rows) = (set(802)[..6].to_vec(), qualified_set(802), rows(802));
    let mut dice = Dice::new(802);
    let delta: Vec<f64> = (0..rows.len() * HIDDEN).map(|_| f64::from(dice.below(2001)) / 999.0 - 1.0).collect();
    let (mut found, mut missing) = (0, 0);
    for (graphs, max_qualifiers) in [(&graphs, 0), (&qualified, 1)] {
        let of_rows: Vec<Graph> = rows.iter().map(|&row| graphs[row as usize].clone()).collect();
        // In more graphs than one shard of five has.
        let params = MineParams { max_edges: 3, max_qualifiers, min_edges: 0, min_support: 5000, ..Default::default() };
        let mut alone = TreeSearch::new(Tree::new(&of_rows, params.clone()).unwrap(), SearchOptions::default());
        let mut search = sharded(&of_rows, &params, 5, None);
        let query = query(&delta, Rule::Top(1000));
        let answer = search.search(&query).unwrap();
        assert!(answer.stats.skips[SkipReason::TooFewGraphs] > 0, "{:?}", answer.stats);
        assert_eq!(bits(&answer), bits(&alone.search(&query).unwrap()));
        // Patterns that are in too few graphs, or whose qualifiers say nothing, are none.
        let all = Tree::of_part(&of_rows, MineParams { min_support: 1, ..params }).unwrap();
        for root in all.roots() {
            for node in all.expand(root).chain([root]) {
                let code = all.code(node);
                match (search.lookup(&code), alone.lookup(&code)) {
                    (Ok(here), Ok(there)) => {
                        assert_eq!((here.graphs(), here.counts()), (there.graphs(), there.counts()));
                        assert_eq!(search.class(&here), alone.class(&there));
                        found += 1;
                    }
                    (Err(here), Err(there)) => {
                        assert_eq!(here, there);
                        missing += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    assert!(found > 10 && missing > 10, "{found} found, {missing} missing");
}

#[test]
fn what_is_no_message_gets_no_answer_and_shards_must_be_whole_blocks() {
    let graphs = set(1);
    let mut local = Local::new(&graphs, &MineParams::default(), 1);
    for request in [&b""[..], &[9], &[1, 0, 200], &[0, 1, 0, 0, 0]] {
        assert!(matches!(local.ask(vec![request.to_vec()]), Err(SearchError::NoAnswer { .. })), "{request:?}");
    }
    // A shard that has not heard of the pass says so.
    assert_eq!(local.ask(vec![vec![1, 7, 0]]).unwrap(), [[0]]);
    let refused = ShardedSearch::new(local, vec![0..100, 100..200], 1).err().unwrap();
    assert_eq!(refused, SearchError::NotWholeBlocks { shard: 1, start: 100 });
}
