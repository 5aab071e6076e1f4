//! Reasons to stop early: SIGINT (Ctrl-C), SIGTERM, and the time limit.
//!
//! Promise: the first signal requests a stop, so that the work done can be saved; a second one, of either kind, ends the
//! program at once. For tests, `EINSICHT_AT_PASS=N:kill` (or `int`, `term`, `twice`, `limit`) acts at the end of the N-th
//! pass of training instead of at some moment; see `CONTRIBUTING.md`.

use signal_hook::consts::{SIGINT, SIGKILL, SIGTERM};
use signal_hook::{flag, low_level};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why the work should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A signal, with its exit status: 130 or 143.
    Signal(u8),
    /// The time limit.
    TimeLimit,
}

/// The signals and limits of the process.
#[derive(Clone, Debug)]
pub(crate) struct Interrupts {
    /// Set once a signal has arrived.
    signalled: Arc<AtomicBool>,
    /// The last signal, or 0.
    signal: Arc<AtomicUsize>,
    /// Set once there is any reason to stop.
    halt: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
    passes: Arc<AtomicUsize>,
    /// What to do at the end of which pass, for tests.
    at_pass: Option<(usize, TestAction)>,
}

/// What a test makes happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestAction {
    /// Send this signal to the process.
    Raise(i32),
    /// Send SIGINT twice at once.
    Twice,
    /// Reach the time limit.
    Limit,
}

static LISTENING: OnceLock<Interrupts> = OnceLock::new();

impl Interrupts {
    /// From now on signals are recorded instead of ending the program. Where the system does not allow that, they
    /// end it as usual.
    pub(crate) fn listen() -> Self {
        LISTENING.get_or_init(Self::start).clone()
    }

    fn start() -> Self {
        let at_pass = std::env::var("EINSICHT_AT_PASS").ok().and_then(|text| parse(&text));
        let interrupts = Self {
            signalled: Arc::default(),
            signal: Arc::default(),
            halt: Arc::default(),
            deadline: Arc::default(),
            passes: Arc::default(),
            at_pass,
        };
        for signal in [SIGINT, SIGTERM] {
            // Handlers run in this order: the first signal finds the flag clear and sets it.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupts.signalled));
            let _ = flag::register(signal, Arc::clone(&interrupts.signalled));
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
            // Without this thread the time is checked after each pass only.
            let _ = std::thread::Builder::new().spawn(alarm);
        }
        interrupts
    }

    /// The exit status of the signal that has arrived, if any: 130 or 143.
    pub(crate) fn signal_code(&self) -> Option<u8> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            signal => Some(128 + signal as u8),
        }
    }

    /// The reason to stop, if there is one; a signal has precedence over the time limit.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        let late = || self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline);
        let halt = self.halt.load(Ordering::SeqCst) || late();
        self.signal_code().map(StopReason::Signal).or_else(|| halt.then_some(StopReason::TimeLimit))
    }

    /// Set once there is a reason to stop.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.halt
    }

    /// Called at the end of each pass of training; the action of a test happens here.
    pub(crate) fn passed(&self) {
        let passes = self.passes.fetch_add(1, Ordering::SeqCst) + 1;
        match self.at_pass.filter(|(at, _)| *at == passes) {
            None => {}
            Some((_, TestAction::Limit)) => self.halt.store(true, Ordering::SeqCst),
            Some((_, TestAction::Twice)) => (0..2).for_each(|_| drop(low_level::raise(SIGINT))),
            // If the system refuses, the test will notice.
            Some((_, TestAction::Raise(signal))) => drop(low_level::raise(signal)),
        }
    }
}

/// Makes a write beyond the file size limit fail instead of ending the program.
#[cfg(unix)]
pub(crate) fn outlive_file_limits() {
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Makes a write beyond the file size limit fail instead of ending the program.
#[cfg(not(unix))]
pub(crate) fn outlive_file_limits() {}

/// Parses `N:action`.
fn parse(text: &str) -> Option<(usize, TestAction)> {
    let (pass, what) = text.split_once(':')?;
    let deed = match what {
        "kill" => TestAction::Raise(SIGKILL),
        "int" => TestAction::Raise(SIGINT),
        "term" => TestAction::Raise(SIGTERM),
        "twice" => TestAction::Twice,
        "limit" => TestAction::Limit,
        _ => return None,
    };
    Some((pass.parse().ok()?, deed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_of_a_test_is_parsed() {
        assert_eq!(parse("7:kill"), Some((7, TestAction::Raise(SIGKILL))));
        assert_eq!(parse("1:limit"), Some((1, TestAction::Limit)));
        assert_eq!([parse("x:kill"), parse("7:sing"), parse("7")], [None; 3]);
    }
}
