//! CPU time: the cost of a run, however busy the machine is.

use einsicht::train::PassPhase;
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

pub(crate) fn cpu_seconds() -> Option<f64> {
    cpu().map(|time| time.as_secs_f64())
}

/// CPU time by phase of the training, and of what comes after its passes.
pub(crate) struct PhaseTimes {
    spent: BTreeMap<&'static str, Duration>,
    /// What has begun, and when.
    under_way: Option<(&'static str, Duration)>,
}

impl Default for PhaseTimes {
    fn default() -> Self {
        Self { spent: PassPhase::ALL.map(|phase| (phase.name(), Duration::ZERO)).into(), under_way: None }
    }
}

impl PhaseTimes {
    /// Begins a part; the one before it ends.
    pub(crate) fn enter(&mut self, part: &'static str) {
        self.end();
        self.under_way = cpu().map(|now| (part, now));
    }

    /// Ends the current part.
    pub(crate) fn end(&mut self) {
        if let (Some((part, since)), Some(now)) = (self.under_way.take(), cpu()) {
            *self.spent.entry(part).or_default() += now.saturating_sub(since);
        }
    }

    /// Seconds by name of the part.
    pub(crate) fn document(&self) -> Value {
        let parts = self.spent.iter().map(|(name, spent)| ((*name).to_owned(), json!(spent.as_secs_f64())));
        Value::Object(parts.collect::<Map<_, _>>())
    }
}
