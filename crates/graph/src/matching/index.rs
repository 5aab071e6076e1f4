//! The index of a set of patterns: what they have in common, that is the numbers of their labels, their shapes, and
//! whether they have rings.

use super::labels::LabelNumbers;
use super::plan::{PlanBuilder, SearchPlan};
use super::shape::{ShapeBuilder, Shapes};
use crate::graph::Graph;
use crate::ids::VertexId;
use crate::ring_edges::RingEdges;

/// What the plans of a set of patterns refer to.
#[derive(Clone, Debug, Default)]
pub(super) struct PatternIndex {
    pub(super) vertex_labels: LabelNumbers,
    pub(super) edge_labels: LabelNumbers,
    pub(super) shapes: Shapes,
    /// Whether some pattern has a ring, so that the ring edges of graphs must be found.
    pub(super) needs_rings: bool,
}

/// From which vertices patterns are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// Only the center.
    Center,
    /// First the center, then every vertex.
    All,
}

/// The plans of a pattern, and its size.
#[derive(Clone, Debug)]
pub(super) struct PlannedPattern {
    pub(super) num_edges: u32,
    pub(super) num_ring_edges: u32,
    pub(super) plans: Vec<SearchPlan>,
}

impl PlannedPattern {
    #[inline]
    pub(super) fn num_vertices(&self) -> usize {
        self.plans[0].steps.len()
    }
}

impl PatternIndex {
    /// Plans patterns, which are connected graphs.
    pub(super) fn plan(patterns: &[Graph], roots: Roots) -> (Self, Vec<PlannedPattern>) {
        let labels = patterns.iter().flat_map(|g| g.vertex_labels().iter().copied());
        let vertex_labels = LabelNumbers::new(labels.clone().collect());
        let edge_labels = LabelNumbers::new(patterns.iter().flat_map(|g| g.edges().iter().map(|e| e.label)).collect());
        // A label that is rare among the patterns is usually rare in the graphs.
        let mut frequency = vec![0; vertex_labels.len()];
        for label in labels {
            frequency[vertex_labels.number(label) as usize] += 1;
        }
        let (mut rings, mut shapes) = (RingEdges::default(), ShapeBuilder::default());
        let plan_one = |pattern: &Graph| {
            let builder = PlanBuilder::new(pattern, &vertex_labels, &edge_labels, &frequency, &mut rings);
            let mut plans = vec![builder.plan(builder.center(), &mut shapes)];
            if roots == Roots::All {
                plans.extend(pattern.vertices().map(|root: VertexId| builder.plan(root, &mut shapes)));
            }
            PlannedPattern {
                num_edges: pattern.num_edges() as u32,
                num_ring_edges: builder.num_ring_edges() as u32,
                plans,
            }
        };
        let planned: Vec<PlannedPattern> = patterns.iter().map(plan_one).collect();
        let needs_rings = planned.iter().any(|p| p.num_ring_edges > 0);
        (Self { vertex_labels, edge_labels, shapes: shapes.finish(), needs_rings }, planned)
    }
}
