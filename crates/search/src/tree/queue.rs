//! The nodes that wait to be expanded, and how workers know that none is left.
//!
//! Every worker keeps its own nodes and takes the best of them without a lock. A worker without nodes says so and
//! waits; a worker with several then gives away half of them, every other one in order. So work is distributed at any
//! depth, and no lock is taken while all are busy.
//!
//! Why not a work-stealing deque from a library: its order is last in, first out. Best-first order prunes more, and
//! the end of a pass has to be detected in any case; see `docs/dependencies.md`.

use crate::top_k::OrderedScore;
use einsicht_graph::tree::NodeId;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// An upper bound of the scores in the subtree of a node, and the node.
pub(super) type Bounded = (OrderedScore, NodeId);

#[derive(Debug, Default)]
pub(super) struct WorkerQueue {
    /// The largest bound first: `zeta` rises soonest.
    heap: BinaryHeap<Bounded>,
    /// Whether this worker counts as busy.
    is_busy: bool,
}

impl WorkerQueue {
    pub(super) fn extend(&mut self, nodes: impl Iterator<Item = Bounded>) {
        self.heap.extend(nodes);
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    /// Removes every other node.
    fn take_half(&mut self) -> Vec<Bounded> {
        let all = std::mem::take(&mut self.heap).into_vec();
        let (mut kept, mut given) = (Vec::new(), Vec::new());
        for (at, node) in all.into_iter().enumerate() {
            if at % 2 == 0 { kept.push(node) } else { given.push(node) }
        }
        self.extend(kept.into_iter());
        given
    }
}

/// What all workers share, behind the lock.
#[derive(Debug)]
struct Shared {
    /// Nodes that a worker gave away and no worker has taken yet.
    nodes: Vec<Bounded>,
    /// Workers that have nodes of their own and may add more.
    busy: usize,
    /// Workers that wait for nodes, or have not started.
    waiting: usize,
}

/// The queue of a pass: distributes nodes over its workers.
#[derive(Debug)]
pub(super) struct PassQueue {
    /// Workers that were given nothing since they started to wait; can be read without the lock.
    idle: AtomicUsize,
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl PassQueue {
    /// A queue with these nodes for this number of workers.
    pub(super) fn new(workers: usize, nodes: Vec<Bounded>) -> Self {
        let shared = Mutex::new(Shared { nodes, busy: 0, waiting: workers });
        Self { idle: AtomicUsize::new(0), shared, changed: Condvar::new() }
    }

    /// The next node, or nothing if all work is done. Waits while another worker may give nodes away.
    pub(super) fn next(&self, local: &mut WorkerQueue) -> Option<Bounded> {
        if local.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
            let half = local.take_half();
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.nodes.extend(half);
            self.idle.store(0, Ordering::Relaxed);
            self.changed.notify_all();
        }
        local.heap.pop().or_else(|| self.wait_for_nodes(local))
    }

    #[cold]
    fn wait_for_nodes(&self, local: &mut WorkerQueue) -> Option<Bounded> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut local.is_busy, false) {
            shared.busy -= 1;
            shared.waiting += 1;
        }
        loop {
            if !shared.nodes.is_empty() {
                let kept = shared.nodes.len() - shared.nodes.len().div_ceil(shared.waiting.max(1));
                local.extend(shared.nodes.drain(kept..));
                local.is_busy = true;
                shared.busy += 1;
                shared.waiting -= 1;
                return local.heap.pop();
            }
            if shared.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::mine::MineParams;
    use einsicht_graph::tree::Tree;
    use einsicht_graph::{Graph, Label};

    /// Eight nodes.
    fn nodes() -> Vec<Bounded> {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = (0..9).map(|label| builder.add_vertex(Label(label)).unwrap()).collect();
        for pair in vertices.windows(2) {
            builder.add_edge(pair[0], pair[1], Label(0)).unwrap();
        }
        let tree = Tree::new(&[builder.build()], MineParams::default()).unwrap();
        tree.roots().map(|node| (OrderedScore(node.index() as f64), node)).collect()
    }

    #[test]
    fn one_worker_takes_the_best() {
        let queue = PassQueue::new(1, nodes());
        let mut own = WorkerQueue::default();
        assert_eq!(queue.next(&mut own).unwrap().1.index(), 7);
        own.extend(std::iter::once((OrderedScore(-1.0), nodes()[0].1)));
        let mut scores = std::iter::from_fn(|| queue.next(&mut own)).map(|next| next.0.0);
        assert_eq!(scores.next(), Some(6.0));
        assert_eq!(scores.last(), Some(-1.0));
    }

    #[test]
    fn a_worker_without_nodes_is_given_half() {
        let queue = PassQueue::new(2, nodes());
        let (mut first, mut second) = (WorkerQueue::default(), WorkerQueue::default());
        assert!(queue.next(&mut first).is_some());
        assert_eq!(first.len(), 3, "half of eight, less the one that was taken");
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut taken = 0;
                while queue.next(&mut second).is_some() {
                    taken += 1;
                }
                taken
            });
            while queue.idle.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            // The other worker has emptied the queue and waits: now it gets one of the three.
            assert!(queue.next(&mut first).is_some());
            assert_eq!(first.len(), 1);
            while !queue.shared.lock().unwrap().nodes.is_empty() {
                std::thread::yield_now();
            }
            while queue.next(&mut first).is_some() {}
            assert_eq!(other.join().unwrap(), 5);
        });
    }
}
