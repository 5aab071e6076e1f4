//! Where the memory of a training is: bytes per graph at the end of each part, and the most within it.
//!
//! `cargo run --release --manifest-path lab/programs/Cargo.toml --bin memory -- TABLE TARGET EDGES THREADS [BYTES]`
//! reads a table of molecules, trains with the defaults and sizes to 50, as `cargo lab scale` does, and counts every
//! allocation. The last argument is a memory limit. The figures are in `lab/notes/performance.md`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, read};
use einsicht_model::params::TrainParams;
use einsicht_train::fit::{Fit, FitOptions, usual_split};
use einsicht_train::side_by_side::Trainings;
use einsicht_train::{PassPhase, bounded_parallel};
use peak_alloc::PeakAlloc;
use std::path::Path;
use std::sync::Mutex;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Prints the memory of each part when the next begins.
#[derive(Default)]
struct Parts {
    /// Number of graphs, and the part that has begun.
    now: Mutex<(usize, String)>,
}

impl Parts {
    /// Ends the part that has begun, and begins another.
    fn begin(&self, name: &str) {
        let mut now = self.now.lock().unwrap();
        if now.1 != name {
            let graphs = now.0.max(1) as f64;
            let (held, most) = (COUNTED.current_usage() as f64, COUNTED.peak_usage() as f64);
            println!(
                "{:<24} {:>10.0} {:>10.0} {:>9.2} {:>9.2}",
                now.1,
                held / 1e6,
                most / 1e6,
                held / 1e3 / graphs,
                most / 1e3 / graphs
            );
            COUNTED.reset_peak_usage();
            name.clone_into(&mut now.1);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [table, target, edges, threads, limit @ ..] = &words[..] else {
        panic!("TABLE TARGET EDGES THREADS [BYTES]");
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse().unwrap()).build_global();
    pool.unwrap();
    println!("{:<24} {:>10} {:>10} {:>9} {:>9}", "part", "MB held", "MB most", "kB each", "kB most");
    let parts = Parts::default();
    parts.begin("reading");
    let targets = TargetChoice::Named(vec![target.clone()]);
    let options = ReadOptions { targets, on_bad: OnBad::Skip, ..ReadOptions::default() };
    let dataset = read(Path::new(table), &options).unwrap();
    parts.now.lock().unwrap().0 = dataset.len();
    parts.begin("qualifiers");
    let sizes = vec![1, 2, 3, 5, 8, 12, 18, 25, 35, 50];
    let mut params = TrainParams { max_edges: edges.parse().unwrap(), sizes, ..TrainParams::default() };
    let dataset = params.qualify(dataset).unwrap();
    parts.begin("tree");
    let params = params.check().unwrap();
    let split = usual_split(&dataset, params.get()).unwrap();
    let memory = limit.first().map(|bytes| bytes.parse().unwrap());
    let options = FitOptions { threads: threads.parse().unwrap(), memory };
    let fit = Fit::new(&dataset, &split, &params, None, &options).unwrap();
    let folds = bounded_parallel(fit.num_folds(), fit.at_once(), |fold| {
        let mut training = fit.start_one(fold, None)?;
        let mut enter = |phase: PassPhase| parts.begin(&format!("fold {fold}: {}", phase.name()));
        while training.step_by_phase(&mut enter)?.is_some() {}
        fit.result_of(&training)
    })
    .unwrap();
    let choice = fit.choice(&folds);
    parts.begin("start");
    let mut training = fit.start(choice, None).unwrap();
    while training.step_by_phase(&mut |phase| parts.begin(&format!("training: {}", phase.name()))).unwrap().is_some() {}
    println!("{:?}", training.search_mut().evictions());
    parts.begin("model");
    let model = fit.model(&mut training).unwrap().unwrap();
    parts.begin("file");
    println!("{} bytes of model", model.to_bytes().unwrap().len());
    parts.begin("");
}
