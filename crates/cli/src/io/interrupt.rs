//! Reasons to stop early: SIGINT (Ctrl-C), SIGTERM, SIGHUP (a terminal that is closed), and the time limit.
//!
//! All threads of the program watch one flag (see [`stop`]), which a signal sets at any time, and the time limit within
//! [`Interrupts::limited`]. Promise: the first signal requests a stop, so that the work done can be saved; a second one
//! ends the program at once, unless it is SIGHUP, of which a closed terminal sends several.
//! Tests act at the end of the N-th pass of training instead of at some moment (`hooks.rs`).

use crate::failure::Outcome;
use crate::io::hooks::{self, TestAction};
use crate::io::output::Output;
use einsicht::graph::stop::{self, StopFlag, Stopped};
use einsicht::memory::MemoryGuard;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why the work should stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A signal, with its exit status: 129, 130 or 143.
    Signal(u8),
    MemoryLimit,
    TimeLimit,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Signal(_) => f.write_str("interrupted"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::MemoryLimit => {
                let held = guard().most().rounded();
                write!(f, "memory limit: {held} are in use; fewer --max-edges and a larger --min-support need less")
            }
        }
    }
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
    /// Whether the time limit may stop what runs in its middle.
    is_limited: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
    passes: Arc<AtomicUsize>,
    /// What to do at the end of which pass, for tests.
    at_pass: Option<(usize, TestAction)>,
}

static LISTENING: OnceLock<Interrupts> = OnceLock::new();

impl Interrupts {
    /// From now on signals are recorded instead of ending the program. Where the system does not allow that, they
    /// end it as usual.
    pub(crate) fn listen() -> Self {
        LISTENING.get_or_init(Self::start).clone()
    }

    fn start() -> Self {
        let interrupts = Self {
            signalled: Arc::default(),
            signal: Arc::default(),
            halt: Arc::default(),
            is_limited: Arc::default(),
            deadline: Arc::default(),
            passes: Arc::default(),
            at_pass: hooks::at_pass(),
        };
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup()) {
            // Handlers run in this order: the first signal finds the flag clear and sets it.
            if signal != SIGHUP {
                let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupts.signalled));
            }
            let _ = flag::register(signal, Arc::clone(&interrupts.signalled));
            let _ = flag::register_usize(signal, Arc::clone(&interrupts.signal), signal as usize);
            let _ = flag::register(signal, Arc::clone(&interrupts.halt));
            let _ = flag::register(signal, Arc::clone(watched().flag()));
        }
        interrupts
    }

    /// The same, with a limit on the time from now on.
    pub(crate) fn listen_until(limit: Option<Duration>) -> Self {
        let interrupts = Self::listen();
        if let Some(limit) = limit {
            // Only the first limit counts; no command has two.
            let _ = interrupts.deadline.set(Instant::now() + limit);
            let (halt, is_limited) = (Arc::clone(&interrupts.halt), Arc::clone(&interrupts.is_limited));
            let alarm = move || {
                std::thread::sleep(limit);
                halt.store(true, Ordering::SeqCst);
                watched().flag().fetch_or(is_limited.load(Ordering::SeqCst), Ordering::SeqCst);
            };
            // Without this thread the time is checked after each pass only.
            let _ = std::thread::Builder::new().spawn(alarm);
        }
        interrupts
    }

    /// The exit status of the signal that has arrived, if any: 129, 130 or 143.
    pub(crate) fn signal_code(&self) -> Option<u8> {
        match self.signal.load(Ordering::SeqCst) {
            0 => None,
            signal => Some(128 + signal as u8),
        }
    }

    /// The reason to stop, if there is one; a signal has precedence over the limits.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        let late = || self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline);
        let is_full = || IS_FULL.load(Ordering::SeqCst).then_some(StopReason::MemoryLimit);
        let is_late = || (self.halt.load(Ordering::SeqCst) || late()).then_some(StopReason::TimeLimit);
        self.signal_code().map(StopReason::Signal).or_else(is_full).or_else(is_late)
    }

    /// Does work that the time limit and signals stop in its middle, wherever that is. What comes after it, such as
    /// saving, is not stopped for the same reason.
    pub(crate) fn limited<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        self.is_limited.store(true, Ordering::SeqCst);
        if self.stop_reason().is_some() {
            stop_now();
        }
        let done = stop::catch(work);
        self.is_limited.store(false, Ordering::SeqCst);
        watched().flag().store(false, Ordering::SeqCst);
        done
    }

    /// Called at the end of each pass of training; the action of a test happens here.
    pub(crate) fn passed(&self) {
        let passes = self.passes.fetch_add(1, Ordering::SeqCst) + 1;
        match self.at_pass.filter(|(at, _)| *at == passes) {
            None => {}
            Some((_, TestAction::Limit)) => self.halt.store(true, Ordering::SeqCst),
            Some((_, TestAction::Midway)) => {
                drop(low_level::raise(SIGTERM));
                stop::check();
            }
            Some((_, TestAction::Twice)) => (0..2).for_each(|_| drop(low_level::raise(SIGINT))),
            // If the system refuses, the test will notice.
            Some((_, TestAction::Raise(signal))) => drop(low_level::raise(signal)),
        }
    }
}

/// SIGHUP, unless the program was started to outlive it: `nohup` ignores it, which a handler would undo. Where the
/// system does not tell, it is left alone.
fn hangup() -> Option<i32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored & 1 << (SIGHUP - 1) == 0).then_some(SIGHUP)
}

/// The flag that all threads of the program watch. Nothing sets it before the program listens to signals.
pub(crate) fn watched() -> &'static Arc<StopFlag> {
    static WATCHED: OnceLock<Arc<StopFlag>> = OnceLock::new();
    WATCHED.get_or_init(Arc::default)
}

/// Set once the program holds more memory than it may.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// The guard over the memory of the program: from the first call on, what takes too much of it is stopped in its
/// middle.
pub(crate) fn guard() -> &'static MemoryGuard {
    static GUARD: OnceLock<MemoryGuard> = OnceLock::new();
    GUARD.get_or_init(|| {
        MemoryGuard::start(|| {
            IS_FULL.store(true, Ordering::SeqCst);
            stop_now();
        })
    })
}

/// Stops what runs in its middle.
pub(crate) fn stop_now() {
    watched().flag().store(true, Ordering::SeqCst);
}

/// From now on the calling thread stops in the middle of its work when it must.
pub(crate) fn watch() {
    stop::watch(Some(Arc::clone(watched())));
}

/// Does work that nothing stops in its middle, such as saving what was done so far.
pub(crate) fn unwatched<T>(work: impl FnOnce() -> T) -> T {
    let watched = stop::watched();
    stop::watch(None);
    let done = work();
    stop::watch(watched);
    done
}

/// Why work has ended early, for people.
pub(crate) fn reason_text(reason: Option<StopReason>) -> String {
    reason.map_or_else(|| "stopped".to_owned(), |reason| reason.to_string())
}

/// The outcome of a command that was stopped where nothing could be saved.
pub(crate) fn stopped_anywhere(output: &Output) -> Outcome {
    match Interrupts::listen().stop_reason() {
        Some(StopReason::Signal(code)) => Outcome::Interrupted(code),
        Some(reason) => {
            output.say(&reason.to_string());
            Outcome::Incomplete
        }
        None => Outcome::Incomplete,
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
