//! Stopping in the middle of anything: long work counts itself, and looks at a flag each time it has done so much.
//!
//! A thread that watches a flag ([`watch`]) stops at the next look once the flag is set: it unwinds, as if by a panic
//! without a message, to the nearest [`catch`], which gives [`Stopped`]. So no result of half a computation is ever
//! returned, and loops deep inside need no way to report that they ended early. The flag is set by a signal, a limit or
//! Python; this crate knows no clock. A thread that watches nothing never stops.
//!
//! The unit of work is a step of a search or an embedding that is scanned: some tens of nanoseconds. Promise: between
//! two looks a thread does at most [`MOST_BETWEEN_LOOKS`] of it, far less than a tenth of a second; tests of all crates
//! hold the library to it, by [`StopFlag::longest`].

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Work after which a thread looks at its flag: well below a millisecond.
const PACE: u64 = 1 << 12;

/// The most work between two looks: one step that cannot be divided, besides [`PACE`].
pub const MOST_BETWEEN_LOOKS: u64 = 1 << 20;

/// Items that a loop takes at a time, so that it need not count each of them.
pub(crate) const CHUNK: usize = 1 << 12;

/// The work was stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Stopped;

/// A flag that threads look at while they work, and what they have done between two looks.
#[derive(Debug, Default)]
pub struct StopFlag {
    is_set: Arc<AtomicBool>,
    looks: AtomicU64,
    work: AtomicU64,
    longest: AtomicU64,
    /// The look at which it sets itself; 0 for never.
    sets_itself_at: u64,
}

impl StopFlag {
    /// Threads that watch it stop once this flag is set.
    pub fn new(is_set: &Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { is_set: Arc::clone(is_set), ..Self::default() })
    }

    /// A flag that is set at this look, from 1 on: for tests that stop everywhere.
    pub fn set_at_look(look: u64) -> Arc<Self> {
        Arc::new(Self { sets_itself_at: look, ..Self::default() })
    }

    /// The flag.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.is_set
    }

    /// How often a thread has looked.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// The work of all threads up to their last looks.
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// The most work that a thread has done between two looks.
    pub fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }

    fn look(&self, done: u64) -> bool {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        self.is_set.fetch_or(looks == self.sets_itself_at, Ordering::Relaxed);
        self.work.fetch_add(done, Ordering::Relaxed);
        self.longest.fetch_max(done, Ordering::Relaxed);
        self.is_set.load(Ordering::Relaxed)
    }
}

thread_local! {
    /// Work that is left before the next look.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static WATCHED: RefCell<Option<Arc<StopFlag>>> = const { RefCell::new(None) };
}

/// From now on this thread watches a flag, or none.
pub fn watch(flag: Option<Arc<StopFlag>>) {
    LEFT.set(if flag.is_some() { PACE } else { u64::MAX });
    WATCHED.set(flag);
}

/// The flag that this thread watches, for threads that it starts.
pub fn watched() -> Option<Arc<StopFlag>> {
    WATCHED.with_borrow(Clone::clone)
}

/// Counts work that is about to be done, and stops if the flag of the thread is set.
#[inline]
pub fn work(units: usize) {
    let left = LEFT.get();
    if left > units as u64 {
        LEFT.set(left - units as u64);
    } else {
        look(units as u64);
    }
}

/// Looks at once.
pub fn check() {
    look(0);
}

/// Turns of a loop that is too hot to count each of them.
#[derive(Clone, Copy)]
pub(crate) struct Turns(u32);

impl Turns {
    const AT_ONCE: u32 = 1 << 10;

    #[inline]
    pub(crate) fn begin() -> Self {
        work(Self::AT_ONCE as usize / 64);
        Self(Self::AT_ONCE)
    }

    #[inline(always)]
    pub(crate) fn turn(&mut self) {
        self.0 -= 1;
        if self.0 == 0 {
            self.0 = Self::AT_ONCE;
            work(Self::AT_ONCE as usize);
        }
    }
}

#[cold]
fn look(units: u64) {
    let is_set = WATCHED.with_borrow(|watched| match watched {
        None => {
            LEFT.set(u64::MAX);
            false
        }
        Some(flag) => {
            let done = (PACE - LEFT.get().min(PACE)).saturating_add(units);
            LEFT.set(PACE);
            flag.look(done)
        }
    });
    // What unwinds already must not unwind twice.
    if is_set && !std::thread::panicking() {
        resume_unwind(Box::new(Stopped));
    }
}

/// Runs work to its end, or until the flag of the thread is set. What the work has changed is left as it was at that
/// moment: the caller must not use it without care.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}

/// Goes on stopping with what a thread that has ended early left behind.
pub fn resume(payload: Box<dyn Any + Send>) -> ! {
    resume_unwind(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_at_the_next_look_once_the_flag_is_set_and_not_without_a_flag() {
        let is_set = Arc::new(AtomicBool::new(false));
        let flag = StopFlag::new(&is_set);
        let done = Cell::new(0);
        let steps = || {
            (0..1_000_000).for_each(|at| {
                work(1);
                done.set(at);
                is_set.fetch_or(at == 50_000, Ordering::Relaxed);
            });
        };
        steps();
        assert_eq!((done.get(), flag.looks()), (999_999, 0));
        is_set.store(false, Ordering::Relaxed);
        watch(Some(Arc::clone(&flag)));
        assert_eq!(watched().map(|flag| flag.looks()), Some(0));
        assert_eq!(catch(steps), Err(Stopped));
        assert!((50_000..50_000 + PACE as usize).contains(&done.get()), "{}", done.get());
        assert_eq!((flag.looks(), flag.longest()), (13, PACE));
        // A step that cannot be divided counts as a whole.
        is_set.store(false, Ordering::Relaxed);
        assert_eq!(catch(|| work(70_000)), Ok(()));
        assert!(flag.longest() >= 70_000 && flag.work() > 100_000);
        watch(None);
        is_set.store(true, Ordering::Relaxed);
        assert_eq!(catch(steps), Ok(()));
    }

    #[test]
    fn a_panic_is_not_taken_for_a_stop() {
        let panicked = catch_unwind(|| catch(|| resume(Box::new("a bug"))));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"a bug"));
    }
}
