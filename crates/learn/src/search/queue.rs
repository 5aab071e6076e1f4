//! The nodes that wait for a worker, and how workers know that there is nothing left.

use super::top::Number;
use einsicht_graph::mine::NodeId;
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, PoisonError};

/// Order of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The largest bound first: `zeta` rises soonest.
    BestFirst,
    /// The latest first: the smallest queue.
    DepthFirst,
}

#[derive(Debug)]
struct Waiting {
    /// In [`Order::BestFirst`] a heap, else a stack.
    heap: BinaryHeap<(Number, NodeId)>,
    stack: Vec<(Number, NodeId)>,
    /// Workers that hold a node and may still bring more.
    busy: usize,
    /// Workers that wait for those: nobody is woken if there is none, since waking is a system call.
    asleep: usize,
}

impl Waiting {
    fn extend(&mut self, order: Order, nodes: impl Iterator<Item = (Number, NodeId)>) {
        match order {
            Order::BestFirst => self.heap.extend(nodes),
            Order::DepthFirst => self.stack.extend(nodes),
        }
    }
}

/// A queue that all workers of a pass share.
#[derive(Debug)]
pub(super) struct Queue {
    order: Order,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Queue {
    pub(super) fn new(order: Order) -> Self {
        let waiting = Mutex::new(Waiting { heap: BinaryHeap::new(), stack: Vec::new(), busy: 0, asleep: 0 });
        Self { order, waiting, changed: Condvar::new() }
    }

    /// The next node, or nothing if all work is done. Waits while another worker may bring more.
    /// Every node that is taken must be followed by [`Queue::give_back`].
    pub(super) fn take(&self) -> Option<(Number, NodeId)> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = match self.order {
                Order::BestFirst => waiting.heap.pop(),
                Order::DepthFirst => waiting.stack.pop(),
            };
            if next.is_some() {
                waiting.busy += 1;
                return next;
            }
            if waiting.busy == 0 {
                return None;
            }
            waiting.asleep += 1;
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            waiting.asleep -= 1;
        }
    }

    /// Adds nodes before the work begins.
    pub(super) fn put(&self, nodes: impl Iterator<Item = (Number, NodeId)>) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(self.order, nodes);
    }

    /// What came of the node taken last.
    pub(super) fn give_back(&self, nodes: impl Iterator<Item = (Number, NodeId)>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.extend(self.order, nodes);
        waiting.busy -= 1;
        if waiting.asleep > 0 {
            self.changed.notify_all();
        }
    }
}
