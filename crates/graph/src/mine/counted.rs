//! Children with their minimum-image counts, without a list of their embeddings: each embedding is looked at once,
//! when a scan meets it.
//!
//! Promise: the counts of [`super::counts::MinImage`] over the same embeddings; memory for one graph at a time, however many
//! embeddings there are. Tested with the tree, against the definition.

use super::rows::Row;
use super::sink::Sink;

/// One child.
#[derive(Default)]
struct Child {
    graphs: Vec<u32>,
    /// One a graph, but for the last graph until [`Counted::finish`].
    counts: Vec<u32>,
    /// For each vertex of the pattern and of a graph: the round in which one played the other last.
    seen: Vec<u32>,
    /// For each vertex of the pattern: vertices of the current graph that play it.
    images: Vec<u32>,
    /// Graphs that it has met in its life.
    round: u32,
}

impl Child {
    fn begin_graph(&mut self, graph: u32, vertices: usize, width: usize) {
        self.graphs.push(graph);
        self.images.clear();
        self.images.resize(vertices, 0);
        if self.round == u32::MAX {
            (self.seen, self.round) = (Vec::new(), 0);
        }
        self.round += 1;
        if self.seen.len() < vertices * width {
            self.seen.resize(vertices * width, 0);
        }
    }

    fn end_graph(&mut self) {
        if self.counts.len() < self.graphs.len() {
            self.counts.push(self.images.iter().copied().min().unwrap_or(0));
        }
    }
}

/// Counts the children of one pattern after another; lists keep their room.
#[derive(Default)]
pub(crate) struct Counted {
    children: Vec<Child>,
    /// How many of them are in use.
    len: usize,
    /// Vertices of the pattern that is expanded.
    vertices: usize,
    /// Most vertices of a graph.
    width: usize,
}

impl Counted {
    /// Begins with the children of a pattern of so many vertices.
    pub(crate) fn begin(&mut self, vertices: usize, width: usize) {
        (self.len, self.vertices, self.width) = (0, vertices, width);
    }

    /// Ends the last graph of each child.
    pub(crate) fn finish(&mut self) {
        self.children[..self.len].iter_mut().for_each(Child::end_graph);
    }

    /// Graphs and counts of a child.
    pub(crate) fn child(&self, child: usize) -> (&[u32], &[u32]) {
        let Child { graphs, counts, .. } = &self.children[child];
        (graphs, counts)
    }
}

impl<R: Row> Sink<R> for Counted {
    const ONCE: bool = false;

    fn add_child(&mut self) {
        self.len += 1;
        if self.children.len() < self.len {
            self.children.push(Child::default());
        }
        let child = &mut self.children[self.len - 1];
        child.graphs.clear();
        child.counts.clear();
    }

    #[inline]
    fn hit(&mut self, child: usize, graph: u32, row: &R, added: Option<(usize, u32)>) {
        let (width, before) = (self.width, self.vertices);
        let child = &mut self.children[child];
        if child.graphs.last() != Some(&graph) {
            child.end_graph();
            child.begin_graph(graph, before + usize::from(added.is_some()), width);
        }
        let mut play = |part: usize, vertex: u32| {
            let seen = &mut child.seen[part * width + vertex as usize];
            child.images[part] += u32::from(std::mem::replace(seen, child.round) != child.round);
        };
        (0..before).for_each(|part| play(part, row.get(part)));
        if let Some((part, vertex)) = added {
            play(part, vertex);
        }
    }
}
