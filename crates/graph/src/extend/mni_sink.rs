//! A sink that counts the minimum images of children without a list of their embeddings: each is used once, when the
//! scan meets it.
//!
//! Promise: the counts of [`crate::embed::MniCounter`] over the same embeddings, in memory for one graph at a time,
//! however many embeddings there are. Tested with the tree, against the definition.

use super::sink::ExtensionSink;
use crate::embed::Embedding;

/// One child.
#[derive(Default)]
struct Child {
    graphs: Vec<u32>,
    /// One per graph, except for the last graph until [`MniSink::finish`].
    counts: Vec<u32>,
    /// For each (pattern vertex, graph vertex): the last round in which one was mapped to the other.
    seen: Vec<u32>,
    /// For each pattern vertex: number of images in the current graph.
    images: Vec<u32>,
    /// Number of graphs so far.
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

/// Counts the children of one pattern after another; lists keep their capacity.
#[derive(Default)]
pub(crate) struct MniSink {
    children: Vec<Child>,
    /// How many of them are in use.
    len: usize,
    /// Vertices of the pattern that is expanded.
    vertices: usize,
    /// Most vertices of a graph.
    width: usize,
}

impl MniSink {
    /// Starts a pattern of so many vertices, in graphs of at most `width` vertices.
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

impl<E: Embedding> ExtensionSink<E> for MniSink {
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
    fn hit(&mut self, child: usize, graph: u32, embedding: &E, added: Option<(usize, u32)>) {
        let (width, before) = (self.width, self.vertices);
        let child = &mut self.children[child];
        if child.graphs.last() != Some(&graph) {
            child.end_graph();
            child.begin_graph(graph, before + usize::from(added.is_some()), width);
        }
        let mut add_image = |pattern_vertex: usize, vertex: u32| {
            let seen = &mut child.seen[pattern_vertex * width + vertex as usize];
            child.images[pattern_vertex] += u32::from(std::mem::replace(seen, child.round) != child.round);
        };
        (0..before).for_each(|v| add_image(v, embedding.get(v)));
        if let Some((pattern_vertex, vertex)) = added {
            add_image(pattern_vertex, vertex);
        }
    }
}
