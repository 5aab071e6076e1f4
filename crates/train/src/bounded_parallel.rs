//! Bounded parallelism: several trainings at the same time, never more than a limit.
//!
//! Promise: results come in the order of their numbers, and no more than `threads` trainings run, so memory can be
//! divided among them. Hence threads with their own pools: a worker of rayon that waits inside one training may start
//! another. The threads of the current pool are divided, and all threads end with the call.

use einsicht_graph::stop;
use rayon::ThreadPoolBuilder;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// `work(0)`, `work(1)`, ... `work(count - 1)`, at most `threads` of them at a time. After an error no other starts.
pub fn bounded_parallel<T: Send, E: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let threads = threads.min(count);
    if threads < 2 {
        return (0..count).map(work).collect();
    }
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<(usize, Result<T, E>)>> = Mutex::new(Vec::with_capacity(count));
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            let result = work(at);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    let each = (rayon::current_num_threads() / threads).max(1);
    // Threads that are started here watch the flag that this one watches.
    let (watched, stopped) = (stop::watched(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                stop::watch(watched.clone());
                let of_pool = watched.clone();
                let start = move |_| stop::watch(of_pool.clone());
                let ended = match ThreadPoolBuilder::new().num_threads(each).start_handler(start).build() {
                    Ok(pool) => stop::catch(|| pool.install(worker)),
                    // No more threads can be created: parallel work uses the current pool.
                    Err(_) => stop::catch(worker),
                };
                stopped.fetch_or(ended.is_err(), Ordering::Relaxed);
            });
        }
    });
    if stopped.load(Ordering::Relaxed) {
        stop::resume(Box::new(stop::Stopped));
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_only_so_many_are_under_way() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |at: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, ()>(at * at)
        };
        for threads in [1, 3, 100] {
            assert_eq!(bounded_parallel(20, threads, work).unwrap(), (0..20).map(|at| at * at).collect::<Vec<_>>());
        }
        most.store(0, Ordering::SeqCst);
        bounded_parallel(20, 3, work).unwrap();
        assert!(most.load(Ordering::SeqCst) <= 3);
    }

    #[test]
    fn threads_are_divided() {
        let pool = ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let work = |_: usize| Ok::<_, ()>(rayon::current_num_threads());
        for (threads, each) in [(1, 4), (2, 2), (3, 1), (4, 1)] {
            assert_eq!(pool.install(|| bounded_parallel(4, threads, work)).unwrap(), [each; 4]);
        }
    }

    #[test]
    fn an_error_ends_it() {
        for threads in [1, 2] {
            let tried = AtomicUsize::new(0);
            let work = |at: usize| {
                tried.fetch_add(1, Ordering::SeqCst);
                if at == 2 { Err(at) } else { Ok(at) }
            };
            assert_eq!(bounded_parallel(1000, threads, work), Err(2));
            assert!(threads > 1 || tried.load(Ordering::SeqCst) == 3);
        }
    }
}
