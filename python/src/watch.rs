//! Long work beside a Python thread that stays awake.
//!
//! Promise: while the work runs, the interpreter lock is free; what the work tells reaches a Python callback in the calling
//! thread; Ctrl-C, and an exception of the callback, ask the work to stop and are handed back once it has. Each call has
//! threads of its own, which end with it: threads that outlived a call would be missing after a fork.

use crate::errors::value;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long Ctrl-C may go unnoticed.
const NAP: Duration = Duration::from_millis(50);

/// What the work sees of the thread that waits for it.
pub(crate) struct Watch<T> {
    sender: Sender<T>,
    /// Raised when the work should stop.
    pub(crate) stop: Arc<AtomicBool>,
}

impl<T> Watch<T> {
    /// Tells the waiting thread something.
    pub(crate) fn tell(&self, news: T) {
        // Nobody listens any more: then there is nothing to tell.
        let _ = self.sender.send(news);
    }

    /// Whether the work should stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs work on threads of its own; quick work without news or stops.
pub(crate) fn run<R: Send>(py: Python<'_>, threads: Option<usize>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

/// Runs long work; `hear` gets what it tells. The second value is why it was asked to stop, if it was.
pub(crate) fn run_watched<T: Send, R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(Watch<T>) -> R + Send,
    mut hear: impl FnMut(T) -> PyResult<()>,
) -> PyResult<(R, Option<PyErr>)> {
    let pool = pool(threads)?;
    let (sender, receiver) = channel();
    let receiver = Mutex::new(receiver);
    let stop = Arc::new(AtomicBool::new(false));
    let watch = Watch { sender, stop: Arc::clone(&stop) };
    let mut raised = None;
    let outcome = std::thread::scope(|scope| {
        let worker = scope.spawn(|| pool.install(|| work(watch)));
        loop {
            let heard = match py.detach(|| next(&receiver)) {
                Ok(news) if raised.is_none() => hear(news),
                Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = heard.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
        py.detach(|| worker.join())
    });
    match outcome {
        Ok(outcome) => Ok((outcome, raised)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Number of threads where nobody says.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn next<T>(receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(NAP)
}

fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    if threads == Some(0) {
        return Err(value("threads must be at least 1, got 0"));
    }
    ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build().map_err(value)
}
