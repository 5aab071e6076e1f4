//! Where the time of a training goes: spans by the clock, as a trace file and as a table.
//!
//! The trace is in the Chrome trace format (an object with `traceEvents`; times in microseconds), which
//! `chrome://tracing`, Perfetto and speedscope open. Track 0 is the training itself, track `n` fold `n`. Promise: spans
//! of a track never overlap, but for parts inside of a whole; a table row is the sum of all spans of a name. The
//! library owns no clock: it says which part begins, and this file looks at the time.

use crate::io::output::{counted, table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The track of what is not a fold.
pub(crate) const MAIN: usize = 0;

/// Spans of one run of the program.
pub(crate) struct Profile {
    start: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    spans: Vec<Span>,
    /// By track: the part that has begun.
    open: BTreeMap<usize, (&'static str, Duration)>,
    /// The work with parts of its own that has begun.
    whole: Option<(&'static str, Duration)>,
}

struct Span {
    name: &'static str,
    track: usize,
    from: Duration,
    to: Duration,
    /// Whether it holds spans of parts.
    is_whole: bool,
}

impl Profile {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work that is one part.
    pub(crate) fn part<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.enter(MAIN, name);
        let done = work();
        self.end(MAIN);
        done
    }

    /// Work that has parts of its own begins; what was begun before ends.
    pub(crate) fn begin_whole(&self, name: &'static str) {
        self.end_whole();
        let now = self.start.elapsed();
        self.lock().whole = Some((name, now));
    }

    /// Work that has parts of its own ends, if there is any.
    pub(crate) fn end_whole(&self) {
        let to = self.start.elapsed();
        let mut state = self.lock();
        if let Some((name, from)) = state.whole.take() {
            state.spans.push(Span { name, track: MAIN, from, to, is_whole: true });
        }
    }

    /// A part begins on a track; the one before it ends.
    pub(crate) fn enter(&self, track: usize, name: &'static str) {
        self.end(track);
        let now = self.start.elapsed();
        self.lock().open.insert(track, (name, now));
    }

    /// The part that has begun on a track ends.
    pub(crate) fn end(&self, track: usize) {
        let to = self.start.elapsed();
        let mut state = self.lock();
        if let Some((name, from)) = state.open.remove(&track) {
            state.spans.push(Span { name, track, from, to, is_whole: false });
        }
    }

    /// The trace, as JSON.
    pub(crate) fn trace(&self) -> Value {
        let state = self.lock();
        let micros = |time: Duration| time.as_nanos() as f64 / 1000.0;
        let tracks: std::collections::BTreeSet<usize> = state.spans.iter().map(|span| span.track).collect();
        let mut events: Vec<Value> = tracks
            .into_iter()
            .map(|track| {
                let name = if track == MAIN { "training".to_owned() } else { format!("fold {track}") };
                json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": track, "args": { "name": name } })
            })
            .collect();
        events.extend(state.spans.iter().map(|Span { name, track, from, to, is_whole }| {
            let category = if *is_whole { "whole" } else { "part" };
            let (from, duration) = (micros(*from), micros(to.saturating_sub(*from)));
            json!({ "name": name, "cat": category, "ph": "X", "ts": from, "dur": duration, "pid": 1, "tid": track })
        }));
        json!({ "displayTimeUnit": "ms", "traceEvents": events })
    }

    /// The parts, the longest first: seconds summed over folds, how often, share.
    pub(crate) fn parts(&self) -> String {
        let state = self.lock();
        let mut sums: BTreeMap<(bool, &str), (Duration, usize)> = BTreeMap::new();
        for span in state.spans.iter().filter(|span| !span.is_whole) {
            let sum = sums.entry((span.track != MAIN, span.name)).or_default();
            sum.0 += span.to.saturating_sub(span.from);
            sum.1 += 1;
        }
        let all: f64 = sums.values().map(|(time, _)| time.as_secs_f64()).sum();
        let mut rows: Vec<(f64, Vec<String>)> = sums
            .into_iter()
            .map(|((of_folds, name), (time, times))| {
                let seconds = time.as_secs_f64();
                let name = if of_folds { format!("folds: {name}") } else { name.to_owned() };
                let share = format!("{:.1} %", 100.0 * seconds / all.max(f64::MIN_POSITIVE));
                (seconds, vec![name, format!("{seconds:.3}"), share, counted(times, "time")])
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
        table(&["part", "seconds", "share", ""], &rows, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_a_span_of_each_part_and_the_table_their_sums() {
        let profile = Profile::start();
        profile.begin_whole("all of it");
        assert_eq!(profile.part("reading", || 7), 7);
        profile.end_whole();
        for phase in ["search", "network", "search"] {
            profile.enter(2, phase);
        }
        profile.end(2);
        profile.end(2);
        let trace = profile.trace();
        let events = trace["traceEvents"].as_array().unwrap();
        let names: Vec<&str> = events.iter().filter(|e| e["ph"] == "X").map(|e| e["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["reading", "all of it", "search", "network", "search"]);
        assert!(events.iter().filter(|e| e["ph"] == "X").all(|e| e["dur"].as_f64().unwrap() >= 0.0));
        assert_eq!(events.iter().filter(|e| e["ph"] == "M").count(), 2);
        let parts = profile.parts();
        assert!(
            parts.contains("folds: search") && parts.contains("2 times") && !parts.contains("all of it"),
            "{parts}"
        );
    }
}
