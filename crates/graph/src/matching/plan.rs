//! The search plan of one pattern: the order in which its vertices are mapped, and what each of them needs.
//!
//! Promise: every vertex of the pattern is mapped once; every edge is an anchor of its later end. So an assignment that
//! satisfies all steps is an embedding, and every embedding satisfies all steps. Tested through the matcher, against
//! the definition.

use super::labels::LabelNumbers;
use super::shape::{ShapeBuilder, VertexKind};
use crate::graph::Graph;
use crate::ids::VertexId;
use crate::ring_edges::RingEdges;
use std::cmp::Reverse;
use std::ops::Range;

/// An edge to a vertex that was mapped before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The step that mapped it.
    pub(super) position: u32,
    /// Label of the edge, and whether it must be on a ring: [`edge_kind`].
    pub(super) kind: u32,
}

/// Maps one vertex of the pattern.
#[derive(Clone, Debug)]
pub(super) struct PlanStep {
    /// The vertex of the pattern.
    pub(super) vertex: u32,
    /// The shape that its image must have.
    pub(super) shape: u32,
    /// All its edges to vertices mapped before, in [`SearchPlan::anchors`]; none only for the first step.
    pub(super) anchors: Range<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SearchPlan {
    pub(super) steps: Vec<PlanStep>,
    pub(super) anchors: Vec<Anchor>,
    /// The shapes of its vertices and of their neighbours, increasing: so each comes after those of its links.
    pub(super) shapes: Vec<u32>,
}

/// A number for an edge label and whether the edge must be on a ring: odd kinds must, even ones need not.
#[inline]
pub(super) const fn edge_kind(label_number: u32, on_ring: bool) -> u32 {
    2 * label_number + on_ring as u32
}

/// A pattern with its labels numbered and its rings found, ready for plans from any root.
pub(super) struct PlanBuilder<'a> {
    graph: &'a Graph,
    /// Label number of each vertex.
    labels: Vec<u32>,
    /// Kind of each edge.
    kinds: Vec<u32>,
    /// How frequent each label number is.
    frequency: &'a [u32],
}

impl<'a> PlanBuilder<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        vertex_labels: &LabelNumbers,
        edge_labels: &LabelNumbers,
        frequency: &'a [u32],
        rings: &mut RingEdges,
    ) -> Self {
        rings.find(graph);
        let kind = |(id, e): (usize, &crate::graph::Edge)| {
            edge_kind(edge_labels.number(e.label), rings.contains((id as u32).into()))
        };
        Self {
            graph,
            labels: graph.vertex_labels().iter().map(|&l| vertex_labels.number(l)).collect(),
            kinds: graph.edges().iter().enumerate().map(kind).collect(),
            frequency,
        }
    }

    pub(super) fn num_ring_edges(&self) -> usize {
        self.kinds.iter().filter(|&&kind| kind % 2 == 1).count()
    }

    /// The center: the vertex with the smallest eccentricity. Shapes stay small there, so that many patterns share
    /// them. Ties go to the rarest label, then to the most neighbours.
    pub(super) fn center(&self) -> VertexId {
        let key = |v: VertexId| {
            let farthest = self.breadth_first(v).last().map_or(0, |last| last.depth);
            (farthest, self.frequency[self.labels[v.index()] as usize], Reverse(self.graph.degree(v)))
        };
        self.graph.vertices().min_by_key(|&v| key(v)).expect("a pattern has vertices")
    }

    /// The plan that starts at `root`.
    pub(super) fn plan(&self, root: VertexId, shapes: &mut ShapeBuilder) -> SearchPlan {
        let len = self.graph.num_vertices();
        let mut position = vec![None; len];
        let mut plan = SearchPlan::default();
        let shape = self.shapes(root, shapes, &mut plan.shapes);
        let mut next = root;
        loop {
            let start = plan.anchors.len() as u32;
            for neighbor in self.graph.neighbors(next) {
                if let Some(position) = position[neighbor.vertex.index()] {
                    plan.anchors.push(Anchor { position, kind: self.kinds[neighbor.edge.index()] });
                }
            }
            position[next.index()] = Some(plan.steps.len() as u32);
            let anchors = start..plan.anchors.len() as u32;
            plan.steps.push(PlanStep { vertex: next.0, shape: shape[next.index()], anchors });
            // Vertices that close rings first, then those on rings, then the rarest label, then near the last vertex.
            let key = |v: VertexId| {
                let mut mapped = self.graph.neighbors(v).iter().filter_map(|n| {
                    position[n.vertex.index()].map(|position: u32| (position, self.kinds[n.edge.index()] % 2))
                });
                let first = mapped.next()?;
                let (number, last, ring) = mapped
                    .fold((1, first.0, first.1), |(number, last, ring), n| (number + 1, last.max(n.0), ring.max(n.1)));
                Some((number, ring, Reverse(self.frequency[self.labels[v.index()] as usize]), last, Reverse(v)))
            };
            let unmapped = self.graph.vertices().filter(|v| position[v.index()].is_none());
            match unmapped.filter_map(key).max() {
                Some((.., Reverse(vertex))) => next = vertex,
                None => break,
            }
        }
        debug_assert_eq!((plan.steps.len(), plan.anchors.len()), (len, self.graph.num_edges()));
        plan
    }

    /// The shape of each vertex: the labels of all its neighbours, and below it in the breadth-first tree from
    /// `root` the shapes of its children.
    /// `all` receives every shape that is used.
    fn shapes(&self, root: VertexId, shapes: &mut ShapeBuilder, all: &mut Vec<u32>) -> Vec<u32> {
        let order = self.breadth_first(root);
        let mut shape = vec![u32::MAX; self.graph.num_vertices()];
        let mut parent = vec![u32::MAX; self.graph.num_vertices()];
        for reached in &order {
            parent[reached.vertex as usize] = reached.parent;
        }
        let mut wanted = Vec::new();
        for reached in order.iter().rev() {
            let here = VertexId(reached.vertex);
            wanted.clear();
            for neighbor in self.graph.neighbors(here) {
                let kind = self.kinds[neighbor.edge.index()];
                let there = neighbor.vertex.index();
                let bare = shapes.intern(self.kind(neighbor.vertex), &mut []);
                all.push(bare);
                wanted.push((kind, bare));
                if parent[there] == here.0 {
                    wanted.push((kind, shape[there]));
                }
            }
            shape[here.index()] = shapes.intern(self.kind(here), &mut wanted);
            all.push(shape[here.index()]);
        }
        all.sort_unstable();
        all.dedup();
        shape
    }

    fn kind(&self, vertex: VertexId) -> VertexKind {
        (self.labels[vertex.index()], self.graph.qualifiers(vertex))
    }

    fn breadth_first(&self, root: VertexId) -> Vec<Reached> {
        let mut seen = vec![false; self.graph.num_vertices()];
        seen[root.index()] = true;
        let mut order = vec![Reached { vertex: root.0, parent: u32::MAX, depth: 0 }];
        let mut at = 0;
        while let Some(&Reached { vertex, depth, .. }) = order.get(at) {
            for neighbor in self.graph.neighbors(VertexId(vertex)) {
                if !std::mem::replace(&mut seen[neighbor.vertex.index()], true) {
                    order.push(Reached { vertex: neighbor.vertex.0, parent: vertex, depth: depth + 1 });
                }
            }
            at += 1;
        }
        order
    }
}

/// A vertex as a breadth-first search finds it.
#[derive(Clone, Copy, Debug)]
struct Reached {
    vertex: u32,
    parent: u32,
    depth: u32,
}
