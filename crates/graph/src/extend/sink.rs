//! Sinks of a scan: what is kept of the extensions that it meets.
//!
//! [`EmbeddingSink`] keeps embeddings, [`SupportSink`] only the graphs, [`FirstHitSink`] passes each child of a graph
//! on once. `count_sink.rs` counts. Tested with the scan, through the miner.

use crate::embed::{Embedding, EmbeddingList};

/// Receives the extensions that a scan meets.
pub(crate) trait ExtensionSink<E> {
    /// Whether one hit of a child per graph is enough.
    const ONCE: bool;
    /// Whether the rest of this graph can be skipped.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
    /// The next graph is scanned; whether the list has only a sample of its embeddings.
    fn begin_graph(&mut self, _is_sampled: bool) {}
    /// A new child was met; children are numbered from 0 in this order.
    fn add_child(&mut self);
    /// A child occurs in `graph`: it extends `embedding`, by the new vertex `added` unless its last edge closes a ring.
    fn hit(&mut self, child: usize, graph: u32, embedding: &E, added: Option<(usize, u32)>);
}

/// One list per child. Lists are reused from pattern to pattern and keep their capacity.
#[derive(Default)]
pub(crate) struct PerChild<T> {
    lists: Vec<T>,
    /// How many of them are in use.
    len: usize,
}

impl<T: Default> PerChild<T> {
    fn add(&mut self) {
        self.len += 1;
        if self.lists.len() < self.len {
            self.lists.push(T::default());
        }
    }

    /// The lists of the children, in the order in which they were met.
    pub(crate) fn children(&self) -> &[T] {
        &self.lists[..self.len]
    }

    fn clear_with(&mut self, clear: impl FnMut(&mut T)) {
        self.lists[..self.len].iter_mut().for_each(clear);
        self.len = 0;
    }
}

/// Keeps the embeddings of the children.
pub(crate) type EmbeddingSink<E> = PerChild<EmbeddingList<E>>;

impl<E: Embedding> EmbeddingSink<E> {
    /// Removes all children.
    pub(crate) fn clear(&mut self) {
        self.clear_with(EmbeddingList::clear);
    }
}

impl<E: Embedding> ExtensionSink<E> for EmbeddingSink<E> {
    const ONCE: bool = false;

    fn add_child(&mut self) {
        self.add();
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, embedding: &E, added: Option<(usize, u32)>) {
        let embedding = added.map_or(*embedding, |(at, vertex)| embedding.with(at, vertex));
        self.lists[child].push(graph, embedding);
    }
}

/// Keeps only the graphs in which the children occur.
pub(crate) type SupportSink = PerChild<Vec<u32>>;

impl SupportSink {
    /// Removes all children.
    pub(crate) fn clear(&mut self) {
        self.clear_with(Vec::clear);
    }

    /// Adds a graph that the child does not have yet.
    pub(crate) fn add_graph(&mut self, child: usize, graph: u32) {
        self.lists[child].push(graph);
    }
}

impl<E: Embedding> ExtensionSink<E> for SupportSink {
    const ONCE: bool = true;

    fn add_child(&mut self) {
        self.add();
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, _: &E, _: Option<(usize, u32)>) {
        let graphs = &mut self.lists[child];
        if graphs.last() != Some(&graph) {
            graphs.push(graph);
        }
    }
}

/// Passes the first hit of each child on, and counts how many children are left.
pub(crate) struct FirstHitSink<'a, S> {
    pub(crate) sink: &'a mut S,
    /// By child: the last round in which an embedding had it.
    pub(crate) hit_in: Vec<u32>,
    pub(crate) round: u32,
    pub(crate) left: usize,
}

impl<E: Embedding, S: ExtensionSink<E>> ExtensionSink<E> for FirstHitSink<'_, S> {
    const ONCE: bool = true;

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.left == 0
    }

    fn add_child(&mut self) {
        self.sink.add_child();
        self.hit_in.push(0);
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, embedding: &E, added: Option<(usize, u32)>) {
        if self.hit_in[child] != self.round {
            self.hit_in[child] = self.round;
            self.left -= 1;
            self.sink.hit(child, graph, embedding, added);
        }
    }
}
