//! Long work beside a Python thread that stays responsive.
//!
//! Promise: while the work runs, the interpreter lock is released; messages of the work reach a Python callback in the
//! calling thread; Ctrl-C, and an exception of the callback, stop the work, in the middle of whatever it does, and are
//! handed back once it has stopped. Each call has its own threads, which end with it: threads that outlived a call
//! would be missing after a fork. Knows nothing of what the work computes. Tested in `python/tests/test_running.py`.

use crate::errors::value;
use einsicht::graph::stop::{self, StopFlag, Stopped};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two checks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The calling Python thread, as the work sees it.
pub(crate) struct Caller<T> {
    sender: Sender<T>,
    /// Set when the work must stop.
    pub(crate) stop: Arc<AtomicBool>,
}

impl<T> Caller<T> {
    /// Sends a message to the calling thread.
    pub(crate) fn report(&self, message: T) {
        // An error means that the receiver is gone: the message has no reader.
        let _ = self.sender.send(message);
    }

    /// Whether the work must stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs work on its own threads, without messages. Ctrl-C stops it in its middle.
pub(crate) fn run_detached<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    match run_interruptible(py, threads, |_: Caller<()>| work(), |()| Ok(()))? {
        (done, None) => Ok(done),
        (_, Some(raised)) => Err(raised),
    }
}

/// Runs long work; `on_message` gets its messages. The second value is the exception that stopped it, if one did.
pub(crate) fn run_interruptible<T: Send, R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(Caller<T>) -> R + Send,
    mut on_message: impl FnMut(T) -> PyResult<()>,
) -> PyResult<(R, Option<PyErr>)> {
    let stop = Arc::new(AtomicBool::new(false));
    let pool = pool(threads, &stop)?;
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let caller = Caller { sender, stop: Arc::clone(&stop) };
    let mut raised = None;
    let outcome = std::thread::scope(|scope| {
        let worker = scope.spawn(|| pool.install(|| work(caller)));
        loop {
            let handled = match py.detach(|| next(&receiver)) {
                Ok(message) if raised.is_none() => on_message(message),
                Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = handled.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
        py.detach(|| worker.join())
    });
    match outcome {
        Ok(outcome) => Ok((outcome, raised)),
        // Stopped in its middle: there is nothing to hand back but the reason.
        Err(stopped) if stopped.is::<Stopped>() => Err(raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Default number of threads: one per core.
pub(crate) fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL)
}

fn pool(threads: Option<usize>, stop: &Arc<AtomicBool>) -> PyResult<ThreadPool> {
    if threads == Some(0) {
        return Err(value("threads must be at least 1, got 0"));
    }
    let most = 64.max(default_threads().saturating_mul(16));
    if let Some(threads) = threads.filter(|threads| *threads > most) {
        let cores = default_threads();
        return Err(value(format!("threads must be at most {most} on this machine with {cores} cores, got {threads}")));
    }
    let flag = StopFlag::new(stop);
    let watch = move |_| stop::watch(Some(Arc::clone(&flag)));
    ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).start_handler(watch).build().map_err(value)
}
