//! A sink that finds the images of the vertices of children without a list of their embeddings: each is used once, when
//! the scan meets it.
//!
//! Promise: the images of [`crate::embed::ImageCounter`] over the same embeddings, in memory for the children of one
//! pattern, however many embeddings there are. In a graph of which only a sample is listed a child is just noted as
//! present: its count is left to a search. Tested with the tree, against the definition.

use super::sink::ExtensionSink;
use crate::embed::Embedding;

#[derive(Default)]
pub(crate) struct CountedChild {
    pub(crate) graphs: Vec<u32>,
    /// For each listed graph the number of images of each vertex.
    images: Vec<u32>,
    vertices: usize,
    /// Parallel to `graphs`: whether all embeddings were listed.
    listed: Vec<bool>,
    /// For each (pattern vertex, graph vertex): the last round in which one was mapped to the other.
    seen: Vec<u32>,
    /// Number of graphs so far.
    round: u32,
}

impl CountedChild {
    fn begin_graph(&mut self, graph: u32, vertices: usize, width: usize) {
        self.graphs.push(graph);
        self.listed.push(true);
        self.vertices = vertices;
        self.images.resize(self.images.len() + vertices, 0);
        if self.round == u32::MAX {
            (self.seen, self.round) = (Vec::new(), 0);
        }
        self.round += 1;
        if self.seen.len() < vertices * width {
            self.seen.resize(vertices * width, 0);
        }
    }

    /// For each graph the number of images of each vertex; `None` where only a sample was listed.
    pub(crate) fn images(&self) -> impl Iterator<Item = Option<&[u32]>> {
        let mut next = 0;
        self.listed.iter().map(move |is_listed| {
            is_listed.then(|| {
                next += self.vertices;
                &self.images[next - self.vertices..next]
            })
        })
    }
}

/// Counts the children of one pattern after another; lists keep their capacity.
#[derive(Default)]
pub(crate) struct CountSink {
    children: Vec<CountedChild>,
    /// How many of them are in use.
    len: usize,
    /// Vertices of the pattern that is expanded.
    vertices: usize,
    /// Most vertices of a graph.
    width: usize,
    /// Whether the current graph has only a sample of its embeddings.
    is_sampled: bool,
}

impl CountSink {
    /// Starts a pattern of so many vertices, in graphs of at most `width` vertices.
    pub(crate) fn begin(&mut self, vertices: usize, width: usize) {
        (self.len, self.vertices, self.width) = (0, vertices, width);
    }

    /// The children, in the order in which they were met.
    pub(crate) fn children(&self) -> &[CountedChild] {
        &self.children[..self.len]
    }
}

impl<E: Embedding> ExtensionSink<E> for CountSink {
    const ONCE: bool = false;

    fn begin_graph(&mut self, is_sampled: bool) {
        self.is_sampled = is_sampled;
    }

    fn add_child(&mut self) {
        self.len += 1;
        if self.children.len() < self.len {
            self.children.push(CountedChild::default());
        }
        let child = &mut self.children[self.len - 1];
        child.graphs.clear();
        child.images.clear();
        child.listed.clear();
    }

    #[inline]
    fn hit(&mut self, child: usize, graph: u32, embedding: &E, added: Option<(usize, u32)>) {
        let (width, before) = (self.width, self.vertices);
        let child = &mut self.children[child];
        if self.is_sampled {
            child.graphs.push(graph);
            child.listed.push(false);
            return;
        }
        if child.graphs.last() != Some(&graph) {
            child.begin_graph(graph, before + usize::from(added.is_some()), width);
        }
        let tail = child.images.len() - child.vertices;
        let mut add_image = |pattern_vertex: usize, vertex: u32| {
            let seen = &mut child.seen[pattern_vertex * width + vertex as usize];
            child.images[tail + pattern_vertex] += u32::from(std::mem::replace(seen, child.round) != child.round);
        };
        (0..before).for_each(|v| add_image(v, embedding.get(v)));
        if let Some((pattern_vertex, vertex)) = added {
            add_image(pattern_vertex, vertex);
        }
    }
}
