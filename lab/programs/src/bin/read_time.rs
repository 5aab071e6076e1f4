//! Reads data sets in one thread and says how long it took and how much memory at most.

#![expect(clippy::print_stdout, reason = "a program prints")]

use einsicht_data::read::{OnBad, ReadOptions, read};
use std::path::Path;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for path in std::env::args().skip(1) {
        let options = ReadOptions { on_bad: OnBad::Skip, ..ReadOptions::default() };
        let start = std::time::Instant::now();
        match pool.install(|| read(Path::new(&path), &options)) {
            Ok(set) => {
                let seconds = start.elapsed().as_secs_f64();
                let vertices: usize = set.graphs.iter().map(einsicht_graph::Graph::num_vertices).sum();
                let edges: usize = set.graphs.iter().map(einsicht_graph::Graph::num_edges).sum();
                println!(
                    "{path}: {seconds:.3} s, {} graphs, {vertices} vertices, {edges} edges, {} skipped; {}",
                    set.len(),
                    set.skipped.len(),
                    peak()
                );
                for skipped in &set.skipped {
                    println!("  row {}: {}", skipped.origin.row, skipped.reason);
                }
            }
            Err(error) => println!("{error}"),
        }
    }
}

/// Peak memory of this process, where the system reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("peak memory unknown").to_owned()
}
