//! When to save: at the end of a pass, at most every five seconds.
//!
//! Saving costs a write to the disk that is waited for; losing five seconds of work costs little. For tests,
//! `EINSICHT_CHECKPOINT_PASSES=N` saves after every N passes whatever the clock says; see `CONTRIBUTING.md`.

use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(5);

/// Says when it is time to save again.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    last: Instant,
    passes: usize,
    /// Save after so many passes instead.
    every: Option<usize>,
}

impl Pace {
    /// Nothing was saved yet.
    pub(crate) fn start() -> Self {
        let every = std::env::var("EINSICHT_CHECKPOINT_PASSES").ok().and_then(|text| text.parse().ok());
        Self { last: Instant::now(), passes: 0, every: every.filter(|every| *every > 0) }
    }

    /// A pass is over: whether it is time to save. If so, the next pause begins.
    pub(crate) fn is_due(&mut self) -> bool {
        self.passes += 1;
        let due = match self.every {
            Some(every) => self.passes >= every,
            None => self.last.elapsed() >= PAUSE,
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
        let mut pace = Pace { every: Some(3), ..Pace::start() };
        let due: Vec<bool> = (0..6).map(|_| pace.is_due()).collect();
        assert_eq!(due, [false, false, true, false, false, true]);
    }

    #[test]
    fn nothing_is_due_before_the_pause_is_over_and_then_it_is_once() {
        let mut pace = Pace { every: None, ..Pace::start() };
        pace.last = Instant::now() + Duration::from_hours(1); // as if the clock had gone backwards
        assert!(!pace.is_due());
        pace.last = Instant::now().checked_sub(PAUSE).unwrap();
        assert!(pace.is_due());
        pace.last = Instant::now() + Duration::from_hours(1);
        assert!(!pace.is_due());
    }
}
