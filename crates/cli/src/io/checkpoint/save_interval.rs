//! When to save: at the end of a pass, at most every five seconds.
//!
//! Saving costs a synchronous write to the disk; losing five seconds of work costs little. Tests count passes instead
//! (`hooks.rs`).

use crate::io::hooks;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(5);

/// Decides when to save again.
#[derive(Clone, Debug)]
pub(crate) struct SaveInterval {
    last: Instant,
    passes: usize,
    /// Save after this many passes instead.
    every: Option<usize>,
}

impl SaveInterval {
    /// Nothing was saved yet.
    pub(crate) fn start() -> Self {
        Self { last: Instant::now(), passes: 0, every: hooks::checkpoint_passes() }
    }

    /// Counts a pass and returns whether to save now. If so, the next interval begins.
    pub(crate) fn is_due(&mut self) -> bool {
        self.passes += 1;
        let due = match self.every {
            Some(every) => self.passes >= every,
            None => self.last.elapsed() >= INTERVAL,
        };
        if due {
            (self.last, self.passes) = (Instant::now(), 0);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_can_be_counted_instead_of_seconds() {
        let mut interval = SaveInterval { every: Some(3), ..SaveInterval::start() };
        let due: Vec<bool> = (0..6).map(|_| interval.is_due()).collect();
        assert_eq!(due, [false, false, true, false, false, true]);
    }

    #[test]
    fn nothing_is_due_before_the_interval_is_over_and_then_it_is_once() {
        let mut interval = SaveInterval { every: None, ..SaveInterval::start() };
        interval.last = Instant::now() + Duration::from_hours(1); // as if the clock had gone backwards
        assert!(!interval.is_due());
        interval.last = Instant::now().checked_sub(INTERVAL).unwrap();
        assert!(interval.is_due());
        interval.last = Instant::now() + Duration::from_hours(1);
        assert!(!interval.is_due());
    }
}
