//! CPU time: the cost of a run, however busy the machine is; `profile.rs`: where the elapsed time goes.

pub(crate) mod profile;

use einsicht::learn::train::PassPhase;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// CPU time of the whole process so far, over all threads, where the system reports it.
#[cfg(unix)]
pub(crate) fn cpu() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

/// CPU time of the whole process so far, over all threads, where the system reports it.
#[cfg(not(unix))]
pub(crate) fn cpu() -> Option<Duration> {
    None
}

/// CPU time in seconds.
pub(crate) fn cpu_seconds() -> Option<f64> {
    cpu().map(|time| time.as_secs_f64())
}

/// CPU time by phase of the training, and of what comes before and after its passes.
#[derive(Default)]
pub(crate) struct PhaseTimes {
    spent: [Duration; PassPhase::ALL.len()],
    /// Parts outside of the passes, by name.
    outside: BTreeMap<&'static str, Duration>,
    /// The current phase and when it began.
    under_way: Option<(PassPhase, Duration)>,
}

impl PhaseTimes {
    /// Begins a phase; the one before it ends.
    pub(crate) fn enter(&mut self, part: PassPhase) {
        self.end();
        self.under_way = cpu().map(|now| (part, now));
    }

    /// Ends the current phase.
    pub(crate) fn end(&mut self) {
        if let (Some((part, since)), Some(now)) = (self.under_way.take(), cpu()) {
            self.spent[part as usize] += now.saturating_sub(since);
        }
    }

    /// Does work that is no part of a pass.
    pub(crate) fn part<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let since = cpu();
        let done = work();
        if let (Some(since), Some(now)) = (since, cpu()) {
            *self.outside.entry(name).or_default() += now.saturating_sub(since);
        }
        done
    }

    /// Seconds by name of the part.
    pub(crate) fn document(&self) -> Value {
        let of_passes = PassPhase::ALL.into_iter().map(|part| (part.name(), &self.spent[part as usize]));
        let parts = of_passes.chain(self.outside.iter().map(|(name, spent)| (*name, spent)));
        Value::Object(parts.map(|(name, spent)| (name.to_owned(), json!(spent.as_secs_f64()))).collect::<Map<_, _>>())
    }
}
