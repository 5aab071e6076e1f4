//! What a set of patterns has in common: the numbers of its labels, its shapes, whether it has rings.

use super::labels::LabelNumbers;
use super::plan::{Plan, Prepared};
use super::ring::Rings;
use super::shape::{ShapeBuilder, Shapes};
use crate::graph::Graph;
use crate::ids::VertexId;

/// The vocabulary of the plans of a set of patterns.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) vertex_labels: LabelNumbers,
    pub(super) edge_labels: LabelNumbers,
    pub(super) shapes: Shapes,
    /// Whether some pattern has a ring, so that graphs must be searched for theirs.
    pub(super) needs_rings: bool,
}

/// From which vertices patterns are to be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// The center alone.
    Center,
    /// First the center, then every vertex.
    All,
}

/// A pattern's plans and what can be said of it without them.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) num_edges: u32,
    pub(super) num_ring_edges: u32,
    pub(super) plans: Vec<Plan>,
}

impl Planned {
    #[inline]
    pub(super) fn num_vertices(&self) -> usize {
        self.plans[0].steps.len()
    }
}

impl Index {
    /// Plans connected graphs that have edges.
    pub(super) fn plan(patterns: &[Graph], roots: Roots) -> (Self, Vec<Planned>) {
        let labels = patterns.iter().flat_map(|g| g.vertex_labels().iter().copied());
        let vertex_labels = LabelNumbers::new(labels.clone().collect());
        let edge_labels = LabelNumbers::new(patterns.iter().flat_map(|g| g.edges().iter().map(|e| e.label)).collect());
        // What is rare among the patterns is rare in their graphs, as a rule.
        let mut frequency = vec![0; vertex_labels.len()];
        for label in labels {
            frequency[vertex_labels.number(label) as usize] += 1;
        }
        let (mut rings, mut shapes) = (Rings::default(), ShapeBuilder::default());
        let plan_one = |pattern: &Graph| {
            let prepared = Prepared::new(pattern, &vertex_labels, &edge_labels, &frequency, &mut rings);
            let mut plans = vec![prepared.plan(prepared.center(), &mut shapes)];
            if roots == Roots::All {
                plans.extend(pattern.vertices().map(|root: VertexId| prepared.plan(root, &mut shapes)));
            }
            Planned { num_edges: pattern.num_edges() as u32, num_ring_edges: prepared.num_ring_edges() as u32, plans }
        };
        let planned: Vec<Planned> = patterns.iter().map(plan_one).collect();
        let needs_rings = planned.iter().any(|p| p.num_ring_edges > 0);
        (Self { vertex_labels, edge_labels, shapes: shapes.finish(), needs_rings }, planned)
    }
}
