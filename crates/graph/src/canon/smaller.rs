//! The patterns inside a pattern that are one step smaller.
//!
//! Promise: every connected pattern that a pattern contains strictly is reached from it by such steps. A vertex that is
//! left without an edge disappears, which it may do only without qualifiers: those are removed first. Tested against
//! the definition with support classes and closed patterns.

use super::dfs_code::DfsCode;
use crate::graph::{Graph, GraphError};
use crate::ids::VertexId;

/// Connected patterns that remain when one edge is removed, with repetitions.
pub fn one_edge_less(code: &DfsCode) -> Vec<DfsCode> {
    let pattern = code.to_graph();
    let mut found = Vec::new();
    for gone in 0..pattern.num_edges() {
        let edge = pattern.edges()[gone];
        let is_left = |v: VertexId| pattern.degree(v) > 1 || v != edge.from && v != edge.to;
        let keeps = |lost: Option<VertexId>| {
            let is_kept = |v: VertexId| Some(v) != lost;
            if lost.is_some_and(|lost| pattern.qualifiers(lost) != 0) {
                return None;
            }
            without(&pattern, gone, is_kept).ok().and_then(|rest| DfsCode::minimum_of(&rest))
        };
        match (is_left(edge.from), is_left(edge.to)) {
            (true, true) => found.extend(keeps(None)),
            (true, false) => found.extend(keeps(Some(edge.to))),
            (false, true) => found.extend(keeps(Some(edge.from))),
            // A single edge: each of its ends is left.
            (false, false) => found.extend([edge.from, edge.to].into_iter().filter_map(|end| keeps(Some(end)))),
        }
    }
    found
}

/// The pattern with one qualifier less, in every way.
pub fn one_qualifier_less(code: &DfsCode) -> Vec<DfsCode> {
    let without = |gone: usize| {
        let mut rest = code.qualifiers().to_vec();
        rest.remove(gone);
        let smaller = DfsCode::from_parts_unchecked(code.start(), code.edges().to_vec(), rest);
        DfsCode::minimum_of(&smaller.to_graph())
    };
    (0..code.qualifiers().len()).filter_map(without).collect()
}

/// A graph without one edge, and with some of its vertices only.
fn without(graph: &Graph, gone: usize, is_kept: impl Fn(VertexId) -> bool) -> Result<Graph, GraphError> {
    let mut builder = Graph::builder();
    let (mut names, mut qualifiers) = (vec![None; graph.num_vertices()], Vec::new());
    for v in graph.vertices().filter(|&v| is_kept(v)) {
        names[v.index()] = Some(builder.add_vertex(graph.vertex_label(v))?);
        qualifiers.push(graph.qualifiers(v));
    }
    for (_, edge) in graph.edges().iter().enumerate().filter(|(at, _)| *at != gone) {
        if let (Some(from), Some(to)) = (names[edge.from.index()], names[edge.to.index()]) {
            builder.add_edge(from, to, edge.label)?;
        }
    }
    let mut rest = builder.build();
    rest.set_qualifiers(qualifiers);
    Ok(rest)
}
