//! Reasons to stop early: Ctrl-C, a polite request to end, and the time limit.
//!
//! Promise: the first signal asks, so that what was done can be saved; a second one, of either kind, ends the program at
//! once. All who listen hear the same. For tests, `EINSICHT_AT_PASS=N:kill` (or `int`, `term`, `twice`, `limit`) does something at
//! the end of the N-th pass of training instead of at some moment; see `CONTRIBUTING.md`.

use signal_hook::consts::{SIGINT, SIGKILL, SIGTERM};
use signal_hook::{flag, low_level};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why the work should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// A signal, which asks for this exit code: 130 or 143.
    Signal(u8),
    /// The time is over.
    TimeLimit,
}

/// What has arrived so far.
#[derive(Clone, Debug)]
pub(crate) struct Interrupts {
    /// Up once a signal has arrived.
    asked: Arc<AtomicBool>,
    /// The last signal, or 0.
    signal: Arc<AtomicUsize>,
    /// Up once there is any reason to stop.
    halt: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
    passes: Arc<AtomicUsize>,
    /// What happens at the end of which pass, for tests.
    at_pass: Option<(usize, Deed)>,
}

/// What a test wants to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// The process gets this signal.
    Raise(i32),
    /// Ctrl-C, and again before anything could be done about it.
    Twice,
    /// The time is over.
    Limit,
}

static LISTENING: OnceLock<Interrupts> = OnceLock::new();

impl Interrupts {
    /// From now on signals are noted instead of ending the program. Where the system does not allow that, they
    /// end it as ever.
    pub(crate) fn listen() -> Self {
        LISTENING.get_or_init(Self::start).clone()
    }

    fn start() -> Self {
        let at_pass = std::env::var("EINSICHT_AT_PASS").ok().and_then(|text| parse(&text));
        let interrupts = Self {
            asked: Arc::default(),
            signal: Arc::default(),
            halt: Arc::default(),
            deadline: Arc::default(),
            passes: Arc::default(),
            at_pass,
        };
        for signal in [SIGINT, SIGTERM] {
            // Handlers run in this order: the first signal finds the flag down and raises it.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupts.asked));
            let _ = flag::register(signal, Arc::clone(&interrupts.asked));
            let _ = flag::register_usize(signal, Arc::clone(&interrupts.signal), signal as usize);
            let _ = flag::register(signal, Arc::clone(&interrupts.halt));
        }
        interrupts
    }

    /// The same, with a limit on the time from now on.
    pub(crate) fn listen_until(limit: Option<Duration>) -> Self {
        let interrupts = Self::listen();
        if let Some(limit) = limit {
            // Only the first limit counts; no command has two.
            let _ = interrupts.deadline.set(Instant::now() + limit);
            let halt = Arc::clone(&interrupts.halt);
            let alarm = move || {
                std::thread::sleep(limit);
                halt.store(true, Ordering::SeqCst);
            };
            // Without this thread the time is looked at after each pass only.
            let _ = std::thread::Builder::new().spawn(alarm);
        }
        interrupts
    }

    /// The exit code that a signal asks for, if one arrived: 130 or 143.
    pub(crate) fn arrived(&self) -> Option<u8> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            signal => Some(128 + signal as u8),
        }
    }

    /// The reason to stop, if there is one; a signal counts for more than the time.
    pub(crate) fn why(&self) -> Option<Why> {
        let late = || self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline);
        let halt = self.halt.load(Ordering::SeqCst) || late();
        self.arrived().map(Why::Signal).or_else(|| halt.then_some(Why::TimeLimit))
    }

    /// Goes up once there is a reason to stop.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.halt
    }

    /// A pass of training is over: where a test wants something to happen, it happens now.
    pub(crate) fn passed(&self) {
        let passes = self.passes.fetch_add(1, Ordering::SeqCst) + 1;
        match self.at_pass.filter(|(at, _)| *at == passes) {
            None => {}
            Some((_, Deed::Limit)) => self.halt.store(true, Ordering::SeqCst),
            Some((_, Deed::Twice)) => (0..2).for_each(|_| drop(low_level::raise(SIGINT))),
            // If the system refuses, the test will notice.
            Some((_, Deed::Raise(signal))) => drop(low_level::raise(signal)),
        }
    }
}

/// A write beyond the largest file that is allowed shall fail, and not end the program.
#[cfg(unix)]
pub(crate) fn outlive_file_limits() {
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// A write beyond the largest file that is allowed shall fail, and not end the program.
#[cfg(not(unix))]
pub(crate) fn outlive_file_limits() {}

/// `N:what`.
fn parse(text: &str) -> Option<(usize, Deed)> {
    let (pass, what) = text.split_once(':')?;
    let deed = match what {
        "kill" => Deed::Raise(SIGKILL),
        "int" => Deed::Raise(SIGINT),
        "term" => Deed::Raise(SIGTERM),
        "twice" => Deed::Twice,
        "limit" => Deed::Limit,
        _ => return None,
    };
    Some((pass.parse().ok()?, deed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_wants_at_a_pass_is_understood() {
        assert_eq!(parse("7:kill"), Some((7, Deed::Raise(SIGKILL))));
        assert_eq!(parse("1:limit"), Some((1, Deed::Limit)));
        assert_eq!([parse("x:kill"), parse("7:sing"), parse("7")], [None; 3]);
    }
}
