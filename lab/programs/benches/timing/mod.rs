//! Times of small pieces of work, for the benches: the median of many runs, with their spread.
//!
//! Ours instead of a library: what a bench here needs is this page, and the library took longer to compile than all
//! benches to run. Times are shown, never asserted; what must not grow is counted in instructions (`cargo lab
//! bench-instructions`).

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs after the first, which only warms up.
const RUNS: usize = 20;
/// A run repeats the work until it takes so long, so that the clock is fine enough.
const SHORTEST_RUN: Duration = Duration::from_millis(20);

/// Prints how long `work` takes per element. Does nothing where the command line has a word that `name` does not
/// contain.
#[allow(clippy::print_stdout, reason = "a bench is a program of its own, and this is its result")]
pub fn time<T>(name: &str, elements: usize, mut work: impl FnMut() -> T) {
    let is_word = |argument: &String| !argument.starts_with('-');
    if !std::env::args().skip(1).filter(is_word).all(|word| name.contains(&word)) {
        return;
    }
    let mut run = |repeats: u32| {
        let start = Instant::now();
        for _ in 0..repeats {
            black_box(work());
        }
        start.elapsed() / repeats
    };
    let first = run(1).max(Duration::from_nanos(1));
    let repeats = u32::try_from(SHORTEST_RUN.as_nanos() / first.as_nanos() + 1).unwrap_or(u32::MAX);
    println!("{}", line(name, elements, (0..RUNS).map(|_| run(repeats)).collect()));
}

/// Median, smallest and largest time, and the median per element.
fn line(name: &str, elements: usize, mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let (median, last) = (times[times.len() / 2], times.len() - 1);
    let each = median.as_nanos() as f64 / elements.max(1) as f64;
    format!("{name:<44} {median:>10.2?} ({:.2?} to {:.2?}), {each:.1} ns each", times[0], times[last])
}
