//! Progress on a terminal for work that takes more than a second.
//!
//! Nothing appears if stderr is not a terminal, with `-q` or with `--json`.

use crate::io::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Shows a spinner from the first second on, until it is dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts the delay.
    pub(crate) fn start(output: &Output, what: &str) -> Self {
        let what_is_done = what.to_owned();
        Self::with_status(output, what, move || what_is_done.clone())
    }

    /// Starts the delay; the text is computed again at every tick.
    pub(crate) fn with_status(output: &Output, what: &str, status: impl Fn() -> String + Send + 'static) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if !output.shows_progress() {
            return Self { bar, running: None };
        }
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        let (stop, stopped) = channel();
        let shown = bar.clone();
        let thread = std::thread::Builder::new().spawn(move || {
            if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            // indicatif itself prints nothing if stderr is not a terminal.
            shown.set_draw_target(ProgressDrawTarget::stderr());
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                shown.set_message(status());
                shown.tick();
            }
        });
        // Without a thread there is no progress display.
        Self { bar, running: thread.ok().map(|thread| (stop, thread)) }
    }
}

impl Progress {
    /// Shows how far the work has got.
    pub(crate) fn update(&self, what: String) {
        self.bar.set_message(what);
    }
}

/// Progress of work that says which part of it is done: with the time left.
pub(crate) struct Share {
    _progress: Progress,
    /// Thousandths that are done.
    done: Arc<AtomicU32>,
}

impl Share {
    /// Starts the delay.
    pub(crate) fn start(output: &Output, what: &str) -> Self {
        let done = Arc::new(AtomicU32::new(0));
        let (seen, name, start) = (Arc::clone(&done), what.to_owned(), Instant::now());
        let status = move || {
            let part = f64::from(seen.load(Ordering::Relaxed)) / 1000.0;
            share_text(&name, part, start.elapsed().as_secs_f64())
        };
        Self { _progress: Progress::with_status(output, what, status), done }
    }

    /// Which part is done, from 0 to 1.
    pub(crate) fn set(&self, part: f64) {
        self.done.store((1000.0 * part) as u32, Ordering::Relaxed);
    }
}

fn share_text(what: &str, part: f64, seconds: f64) -> String {
    if part <= 0.0 {
        return what.to_owned();
    }
    let left = seconds * (1.0 - part) / part;
    format!("{what}: {:.0} %, about {left:.0} s left,", 100.0 * part)
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // A spinner that panicked is not worth a second panic.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::share_text;

    #[test]
    fn the_share_done_comes_with_the_time_left() {
        assert_eq!(share_text("working", 0.0, 3.0), "working");
        assert_eq!(share_text("working", 0.25, 3.0), "working: 25 %, about 9 s left,");
    }
}
