//! The nodes that wait for a worker, and how workers know that there is nothing left.
//!
//! Every worker keeps its own nodes and takes the best of them without asking anybody. When it has none it says so and
//! waits; whoever has several then gives half of them away, every other one in order, so that work is shared at any depth
//! and nobody locks anything while all are busy.

use super::top::Number;
use einsicht_graph::mine::NodeId;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Order of the walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The largest bound first: `zeta` rises soonest.
    #[default]
    BestFirst,
    /// The latest first: the smallest queue.
    DepthFirst,
}

/// The nodes of one worker.
#[derive(Debug, Default)]
pub(super) struct Local {
    order: Order,
    /// In [`Order::BestFirst`] a heap, else a stack.
    heap: BinaryHeap<(Number, NodeId)>,
    stack: Vec<(Number, NodeId)>,
    /// Whether it counts as busy.
    is_busy: bool,
}

impl Local {
    pub(super) fn extend(&mut self, nodes: impl Iterator<Item = (Number, NodeId)>) {
        match self.order {
            Order::BestFirst => self.heap.extend(nodes),
            Order::DepthFirst => self.stack.extend(nodes),
        }
    }

    fn pop(&mut self) -> Option<(Number, NodeId)> {
        match self.order {
            Order::BestFirst => self.heap.pop(),
            Order::DepthFirst => self.stack.pop(),
        }
    }

    fn len(&self) -> usize {
        self.heap.len() + self.stack.len()
    }

    /// Takes every other node out.
    fn half(&mut self) -> Vec<(Number, NodeId)> {
        let all = match self.order {
            Order::BestFirst => std::mem::take(&mut self.heap).into_vec(),
            Order::DepthFirst => std::mem::take(&mut self.stack),
        };
        let (mut kept, mut given) = (Vec::new(), Vec::new());
        for (at, node) in all.into_iter().enumerate() {
            if at % 2 == 0 { kept.push(node) } else { given.push(node) }
        }
        self.extend(kept.into_iter());
        given
    }
}

/// What lies between the workers.
#[derive(Debug)]
struct Given {
    /// What somebody gave away and nobody took yet.
    nodes: Vec<(Number, NodeId)>,
    /// Workers that have nodes of their own and may bring more.
    busy: usize,
    /// Workers that wait for nodes, or have not begun.
    waiting: usize,
}

/// What the workers of a pass share.
#[derive(Debug)]
pub(super) struct Queue {
    order: Order,
    /// Workers that were given nothing since they began to wait: for a look without a lock.
    hungry: AtomicUsize,
    given: Mutex<Given>,
    changed: Condvar,
}

impl Queue {
    /// For so many workers, who find these nodes.
    pub(super) fn new(order: Order, workers: usize, nodes: Vec<(Number, NodeId)>) -> Self {
        let given = Mutex::new(Given { nodes, busy: 0, waiting: workers });
        Self { order, hungry: AtomicUsize::new(0), given, changed: Condvar::new() }
    }

    /// The empty hands of a worker that begins.
    pub(super) fn hands(&self) -> Local {
        Local { order: self.order, ..Local::default() }
    }

    /// The next node, or nothing if all work is done. Waits while another worker may give some away.
    pub(super) fn next(&self, local: &mut Local) -> Option<(Number, NodeId)> {
        if local.len() > 1 && self.hungry.load(Ordering::Relaxed) > 0 {
            let half = local.half();
            let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            given.nodes.extend(half);
            self.hungry.store(0, Ordering::Relaxed);
            self.changed.notify_all();
        }
        local.pop().or_else(|| self.ask(local))
    }

    #[cold]
    fn ask(&self, local: &mut Local) -> Option<(Number, NodeId)> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut local.is_busy, false) {
            given.busy -= 1;
            given.waiting += 1;
        }
        loop {
            if !given.nodes.is_empty() {
                let kept = given.nodes.len() - given.nodes.len().div_ceil(given.waiting.max(1));
                local.extend(given.nodes.drain(kept..));
                local.is_busy = true;
                given.busy += 1;
                given.waiting -= 1;
                return local.pop();
            }
            if given.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            given = self.changed.wait(given).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::mine::{MineParams, Tree};
    use einsicht_graph::{Graph, Label};

    /// Some nodes to play with.
    fn nodes() -> Vec<(Number, NodeId)> {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = (0..9).map(|label| builder.add_vertex(Label(label)).unwrap()).collect();
        for pair in vertices.windows(2) {
            builder.add_edge(pair[0], pair[1], Label(0)).unwrap();
        }
        let tree = Tree::new(&[builder.build()], MineParams::default()).unwrap();
        tree.roots().map(|node| (Number(node.index() as f64), node)).collect()
    }

    #[test]
    fn one_worker_takes_the_best_or_the_latest() {
        for (order, expected) in [(Order::BestFirst, 7), (Order::DepthFirst, 7)] {
            let queue = Queue::new(order, 1, nodes());
            let mut hands = queue.hands();
            assert_eq!(queue.next(&mut hands).unwrap().1.index(), expected);
            let small = (Number(-1.0), nodes()[0].1);
            hands.extend(std::iter::once(small));
            let next = queue.next(&mut hands).unwrap();
            assert_eq!(next.0.0 < 0.0, order == Order::DepthFirst);
            while queue.next(&mut hands).is_some() {}
        }
    }

    #[test]
    fn who_has_nothing_is_given_half() {
        let queue = Queue::new(Order::BestFirst, 2, nodes());
        let (mut first, mut second) = (queue.hands(), queue.hands());
        assert!(queue.next(&mut first).is_some());
        assert_eq!(first.len(), 3, "half of eight, less the one taken");
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut taken = 0;
                while queue.next(&mut second).is_some() {
                    taken += 1;
                }
                taken
            });
            while queue.hungry.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            // The other one has emptied the queue and waits: now it gets one of the three.
            assert!(queue.next(&mut first).is_some());
            assert_eq!(first.len(), 1);
            while !queue.given.lock().unwrap().nodes.is_empty() {
                std::thread::yield_now();
            }
            while queue.next(&mut first).is_some() {}
            assert_eq!(other.join().unwrap(), 5);
        });
    }
}
