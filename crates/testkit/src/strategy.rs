//! Random small labelled graphs: as proptest strategies, which shrink a failing case, and from a seed, for thousands of
//! cases per second.
//!
//! Promise: the same seed gives the same graphs for ever (the generator is written out here); graphs may
//! be disconnected or without edges unless the name says otherwise.

use einsicht_graph::{Graph, Label, VertexId};
use proptest::prelude::*;

/// Limits of random graphs.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Vertices, at most.
    pub vertices: u32,
    /// Edges, at most.
    pub edges: u32,
    /// Vertex labels run from 0 to here, exclusive.
    pub vertex_labels: u32,
    /// Edge labels run from 0 to here, exclusive; 1 means that all edges have the same label.
    pub edge_labels: u32,
}

impl Shape {
    /// At most six vertices and eight edges, two vertex labels, one edge label.
    pub const PLAIN: Self = Self { vertices: 6, edges: 8, vertex_labels: 2, edge_labels: 1 };
    /// As [`Shape::PLAIN`], with two edge labels.
    pub const EDGE_LABELS: Self = Self { edge_labels: 2, ..Self::PLAIN };
    /// A single label for everything: the most symmetric and therefore the hardest graphs.
    pub const UNLABELLED: Self = Self { vertex_labels: 1, ..Self::PLAIN };
}

/// A graph from a list of vertex labels and a list of edges (from, to, label).
///
/// # Panics
/// If that is not a simple graph.
pub fn graph_of(vertex_labels: &[u32], edges: &[(u32, u32, u32)]) -> Graph {
    let mut builder = Graph::builder();
    for &label in vertex_labels {
        builder.add_vertex(Label(label)).expect("a small graph");
    }
    for &(from, to, label) in edges {
        builder.add_edge(VertexId(from), VertexId(to), Label(label)).expect("a simple graph");
    }
    builder.build()
}

/// A pinned random generator (SplitMix64), enough for tests.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        (((self.roll() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// A graph of at least two vertices, perhaps disconnected, perhaps without edges.
    pub fn graph(&mut self, shape: Shape) -> Graph {
        let mut builder = self.vertices(shape);
        let wanted = self.below(shape.edges + 1);
        self.add_edges(&mut builder, shape, wanted);
        builder.build()
    }

    /// A connected graph with at least one edge: a random tree and some more edges.
    ///
    /// # Panics
    /// If the shape allows no edge or fewer than two vertices.
    pub fn connected_graph(&mut self, shape: Shape) -> Graph {
        let mut builder = self.vertices(Shape { vertices: shape.vertices.min(shape.edges + 1), ..shape });
        let len = builder.num_vertices() as u32;
        for to in 1..len {
            let (from, label) = (self.below(to), self.below(shape.edge_labels));
            builder.add_edge(VertexId(from), VertexId(to), Label(label)).expect("a tree");
        }
        let more = self.below(shape.edges + 2 - len);
        self.add_edges(&mut builder, shape, more);
        builder.build()
    }

    /// Gives each vertex properties: one of two values of a first kind or none, one of three of a second, and rarely a
    /// third.
    pub fn qualify(&mut self, graph: &mut Graph) {
        let mut bits =
            || [1, 2, 0][self.below(3) as usize] | 4 << self.below(3) | if self.below(5) == 0 { 1 << 63 } else { 0 };
        let all = graph.vertices().map(|_| bits()).collect();
        graph.set_qualifiers(all);
    }

    /// Between one and `most` graphs.
    pub fn graphs(&mut self, shape: Shape, most: u32) -> Vec<Graph> {
        (0..=self.below(most)).map(|_| self.graph(shape)).collect()
    }

    /// The same graph with its vertices numbered and its edges listed in another order.
    ///
    /// # Panics
    /// Never: renaming keeps a graph simple.
    pub fn renumbered(&mut self, graph: &Graph) -> Graph {
        let order = self.shuffled(graph.num_vertices());
        let mut builder = Graph::builder();
        for &v in &order {
            builder.add_vertex(graph.vertex_labels()[v]).expect("as many vertices as before");
        }
        let mut places = vec![VertexId(0); order.len()];
        for (place, &v) in (0..).zip(&order) {
            places[v] = VertexId(place);
        }
        let place = |v: VertexId| places[v.index()];
        for e in self.shuffled(graph.num_edges()) {
            let edge = graph.edges()[e];
            let (from, to) = (place(edge.from), place(edge.to));
            let (from, to) = if self.below(2) == 0 { (from, to) } else { (to, from) };
            builder.add_edge(from, to, edge.label).expect("the same edges");
        }
        let mut renumbered = builder.build();
        if !graph.all_qualifiers().is_empty() {
            renumbered.set_qualifiers(order.iter().map(|&v| graph.all_qualifiers()[v]).collect());
        }
        renumbered
    }

    fn shuffled(&mut self, len: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..len).collect();
        for i in (1..len).rev() {
            order.swap(i, self.below(i as u32 + 1) as usize);
        }
        order
    }

    fn vertices(&mut self, shape: Shape) -> einsicht_graph::GraphBuilder {
        let mut builder = Graph::builder();
        for _ in 0..2 + self.below(shape.vertices - 1) {
            builder.add_vertex(Label(self.below(shape.vertex_labels))).expect("a small graph");
        }
        builder
    }

    /// Tries to add `wanted` random edges; those that would be loops or doubles are left out.
    fn add_edges(&mut self, builder: &mut einsicht_graph::GraphBuilder, shape: Shape, wanted: u32) {
        let len = builder.num_vertices() as u32;
        for _ in 0..wanted {
            let (from, to) = (VertexId(self.below(len)), VertexId(self.below(len)));
            let label = Label(self.below(shape.edge_labels));
            if from != to && !builder.has_edge(from, to) {
                builder.add_edge(from, to, label).expect("a new edge");
            }
        }
    }
}

/// Graphs, perhaps disconnected; shrink to fewer vertices, fewer edges and smaller labels.
pub fn graph(shape: Shape) -> impl Strategy<Value = Graph> {
    let labels = prop::collection::vec(0..shape.vertex_labels, 1..=shape.vertices as usize);
    let ends = 0..shape.vertices;
    let edges = prop::collection::vec((ends.clone(), ends, 0..shape.edge_labels), 0..=shape.edges as usize);
    (labels, edges).prop_map(|(labels, edges)| simple_graph(&labels, &edges))
}

/// Connected graphs with at least one edge: patterns.
pub fn connected_graph(shape: Shape) -> impl Strategy<Value = Graph> {
    let labels = prop::collection::vec(0..shape.vertex_labels, 2..=shape.vertices.min(shape.edges + 1) as usize);
    labels.prop_flat_map(move |labels| {
        let len = labels.len() as u32;
        let tree = (1..len).map(|to| (0..to, Just(to), 0..shape.edge_labels)).collect::<Vec<_>>();
        let more = prop::collection::vec((0..len, 0..len, 0..shape.edge_labels), 0..=(shape.edges + 1 - len) as usize);
        (Just(labels), tree, more).prop_map(|(labels, tree, more)| simple_graph(&labels, &[tree, more].concat()))
    })
}

/// Between one and `most` graphs.
pub fn graphs(shape: Shape, most: usize) -> impl Strategy<Value = Vec<Graph>> {
    prop::collection::vec(graph(shape), 1..=most)
}

/// Drops ends that do not exist, loops and doubles.
fn simple_graph(vertex_labels: &[u32], edges: &[(u32, u32, u32)]) -> Graph {
    let mut builder = Graph::builder();
    for &label in vertex_labels {
        builder.add_vertex(Label(label)).expect("a small graph");
    }
    for &(from, to, label) in edges {
        let _ = builder.add_edge(VertexId(from), VertexId(to), Label(label));
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn seeded_graphs_are_pinned_and_varied() {
        assert_eq!(Dice::new(1).roll(), 0x910a_2dec_8902_5cc1);
        let mut dice = Dice::new(7);
        let graphs: Vec<Graph> = (0..300).map(|_| dice.graph(Shape::EDGE_LABELS)).collect();
        let components = |g: &Graph| g.components().into_iter().max().map_or(0, |c| c + 1);
        assert!(graphs.iter().any(|g| components(g) == 1 && g.num_edges() > 5));
        assert!(graphs.iter().any(|g| components(g) > 1 && g.num_edges() > 1));
        assert!(graphs.iter().any(|g| g.num_edges() == 0));
    }

    #[test]
    fn renumbering_keeps_the_smallest_code() {
        let mut dice = Dice::new(3);
        for _ in 0..200 {
            let graph = dice.connected_graph(Shape::EDGE_LABELS);
            assert_eq!(oracle::smallest_code(&graph), oracle::smallest_code(&dice.renumbered(&graph)));
        }
    }

    proptest! {
        #[test]
        fn patterns_are_connected(pattern in connected_graph(Shape::EDGE_LABELS)) {
            prop_assert!(pattern.num_edges() >= 1);
            prop_assert!(pattern.components().iter().all(|&c| c == 0));
        }

        #[test]
        fn graphs_keep_to_their_shape(graphs in graphs(Shape::PLAIN, 4)) {
            for graph in graphs {
                prop_assert!(graph.num_vertices() <= 6 && graph.num_edges() <= 8);
            }
        }
    }
}
