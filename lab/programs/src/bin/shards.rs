//! What a training over shards of the graphs costs:
//! `cargo run --release --manifest-path lab/programs/Cargo.toml --bin shards -- TABLE TARGET SHARDS...`
//!
//! Trains a linear model on counts (at most 6 edges, sizes to 50) on a table of SMILES, on one machine and over each
//! number of shards, all in this process and one after the other, and prints per pass: rounds, bytes of requests (most
//! are delta) and of replies, seconds of the slowest shard, of all shards, and of the coordinator. Fails unless the
//! models are the same bytes. docs/torch-and-clusters.md has the figures.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::Split;
use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, read};
use einsicht_model::params::TrainParams;
use einsicht_search::{GraphShard, SearchError, ShardSource, Shards};
use einsicht_train::fit::{Fit, FitOptions};
use std::path::Path;
use std::time::Instant;

/// Graphs of the validation set.
const HELD_OUT: usize = 500;

/// All workers in this process, with the seconds that each has worked, and what was sent.
struct Local {
    workers: Vec<(GraphShard, f64)>,
    sent: Sent,
}

/// Rounds (in each, every shard gets one request) and bytes to and from all shards.
#[derive(Clone, Copy, Default)]
struct Sent {
    rounds: u64,
    requests: u64,
    replies: u64,
}

impl Shards for Local {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        let answer = |((shard, seconds), request): (&mut (GraphShard, f64), &Vec<u8>)| {
            let start = Instant::now();
            let reply = shard.answer(request);
            *seconds += start.elapsed().as_secs_f64();
            reply
        };
        let replies: Vec<_> = self.workers.iter_mut().zip(&requests).map(answer).collect::<Result<_, _>>()?;
        let bytes = |messages: &[Vec<u8>]| messages.iter().map(|message| message.len() as u64).sum::<u64>();
        self.sent.rounds += 1;
        self.sent.requests += bytes(&requests);
        self.sent.replies += bytes(&replies);
        Ok(replies)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, target, shards @ ..] = &arguments[..] else { panic!("TABLE TARGET SHARDS...") };
    let options = ReadOptions {
        targets: TargetChoice::Named(vec![target.clone()]),
        on_bad: OnBad::Skip,
        ..ReadOptions::default()
    };
    let dataset = read(Path::new(table), &options).unwrap();
    let rows = dataset.len() - HELD_OUT;
    let split = Split { train: (0..rows).collect(), valid: (rows..dataset.len()).collect(), ..Split::default() };
    let sizes = vec![1, 2, 3, 5, 8, 12, 18, 25, 35, 50];
    let mut params = TrainParams { sizes, max_edges: 6, refit: false, folds: 1, trees: 10, ..TrainParams::default() };
    let dataset = params.qualify(dataset).unwrap();
    let params = params.check().unwrap();
    let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).unwrap();
    println!("{rows} graphs");

    let start = Instant::now();
    let mut training = fit.start(None, None).unwrap();
    let (mut passes, mut visited) = (0, 0);
    while let Some(pass) = training.step().unwrap() {
        (passes, visited) = (passes + 1, visited + pass.search.visited);
    }
    println!("one machine: {passes} passes, {visited} visited, {:.1} s", start.elapsed().as_secs_f64());
    let expected = fit.model(&mut training).unwrap().unwrap().to_bytes().unwrap();
    for count in shards.iter().map(|count| count.parse().unwrap()) {
        let sources = fit.shards(None, count).unwrap();
        let bytes: usize = sources.iter().map(|source| source.to_bytes().len()).sum();
        let workers = sources.iter().map(|source: &ShardSource| (GraphShard::new(source).unwrap(), 0.0)).collect();
        let search = fit.search_over_shards(None, count, Local { workers, sent: Sent::default() }).unwrap();
        let mut training = fit.start_with(search, None, None).unwrap();
        println!("{} shards of {:.1} MB together", sources.len(), bytes as f64 / 1e6);
        drop(sources);
        let start = Instant::now();
        let (mut before, mut passes, mut visited, mut pruned) = (Sent::default(), 0, 0, 0);
        while let Some(pass) = training.step().unwrap() {
            let now = training.search_mut().shards().sent;
            if passes == 0 {
                print("first pass", &before, &now, 1);
                before = now;
            }
            (passes, visited) = (passes + 1, visited + pass.search.visited);
            pruned += pass.search.skips.by_bound();
        }
        let Local { workers: worked, sent: now } = training.search_mut().shards();
        print("per later pass", &before, now, passes - 1);
        let all: f64 = worked.iter().map(|(_, seconds)| seconds).sum();
        let slowest = worked.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        let rest = start.elapsed().as_secs_f64() - all;
        println!(
            "{passes} passes, {visited} visited, {pruned} pruned; slowest shard {slowest:.1} s, all shards {all:.1} s, \
             coordinator {rest:.1} s"
        );
        let model = fit.model(&mut training).unwrap().unwrap().to_bytes().unwrap();
        assert_eq!(model, expected, "{count} shards give another model");
    }
    println!("all models are the same bytes");
}

fn print(what: &str, before: &Sent, now: &Sent, passes: u64) {
    let each = |of: fn(&Sent) -> u64| (of(now) - of(before)) as f64 / passes.max(1) as f64;
    println!(
        "{what}: {:.1} rounds, {:.3} MB of requests, {:.3} MB of replies",
        each(|sent| sent.rounds),
        each(|sent| sent.requests) / 1e6,
        each(|sent| sent.replies) / 1e6,
    );
}
