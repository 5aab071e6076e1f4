//! Layout: coordinates for the vertices of a graph.
//!
//! Graphs that look like molecules (few neighbours, few rings) are laid out ring by ring and chain by chain, others by
//! stress majorization. Connected components are placed side by side.

mod rings;
mod ringwise;
mod stress;
mod untangle;

use super::{Bond, Point, center};
use einsicht_graph::{Graph, VertexId};

/// Larger graphs are not drawn.
pub(super) const MOST_VERTICES: usize = 400;

/// Coordinates of every vertex; edges have a length of about one. Empty for graphs that are too large to draw. `bonds`
/// are the types of the edges where they are known, else empty.
pub(super) fn layout(graph: &Graph, bonds: &[Bond]) -> Vec<Point> {
    if graph.num_vertices() > MOST_VERTICES {
        return Vec::new();
    }
    let linear: Vec<bool> = graph.vertices().map(|v| is_linear(graph, v, bonds)).collect();
    let components = graph.components();
    let count = components.iter().max().map_or(0, |last| *last as usize + 1);
    let mut points_of = vec![Point::default(); graph.num_vertices()];
    let mut right = 0.0;
    for component in 0..count {
        let vertices: Vec<usize> = (0..components.len()).filter(|&v| components[v] as usize == component).collect();
        let mut points = connected(graph, &vertices, &linear);
        rotate_flat(&mut points, is_molecular(graph, &vertices));
        let least = points.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
        let middle = center(points.iter().copied()).y;
        for (&vertex, point) in vertices.iter().zip(&points) {
            points_of[vertex] = Point::new(point.x - least + right, point.y - middle);
        }
        right = vertices.iter().fold(right, |most, &v| most.max(points_of[v].x)) + 1.4;
    }
    points_of
}

/// Whether the bonds of a vertex are collinear: next to a triple bond or between two double bonds.
fn is_linear(graph: &Graph, vertex: VertexId, bonds: &[Bond]) -> bool {
    let kinds = || graph.neighbors(vertex).iter().filter_map(|neighbor| bonds.get(neighbor.edge.index()));
    kinds().any(|kind| *kind == Bond::Triple) || kinds().filter(|kind| **kind == Bond::Double).count() > 1
}

fn connected(graph: &Graph, vertices: &[usize], linear: &[bool]) -> Vec<Point> {
    if !is_molecular(graph, vertices) {
        return stress::place(graph, vertices);
    }
    let mut points_of = ringwise::place(graph, vertices, linear);
    untangle::untangle(graph, vertices, &mut points_of);
    vertices.iter().map(|&v| points_of[v]).collect()
}

/// Whether the graph looks like a molecule: small degrees and few rings.
fn is_molecular(graph: &Graph, vertices: &[usize]) -> bool {
    let degrees = || vertices.iter().map(|&v| graph.degree(VertexId(v as u32)));
    let edges = degrees().sum::<usize>() / 2;
    let rings = edges + 1 - vertices.len().min(edges + 1);
    degrees().all(|degree| degree <= 6) && rings <= 4 + vertices.len() / 5
}

/// Rotates the drawing so that its long side is horizontal. Molecules are rotated by multiples of 30 degrees only, so
/// that bonds of rings keep their usual directions.
fn rotate_flat(points: &mut [Point], in_steps: bool) {
    let middle = center(points.iter().copied());
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in points.iter().map(|p| p.minus(middle)) {
        xx += p.x * p.x;
        xy += p.x * p.y;
        yy += p.y * p.y;
    }
    let mut angle = -0.5 * libm::atan2(2.0 * xy, xx - yy);
    if in_steps {
        let step = std::f64::consts::PI / 6.0;
        angle = (angle / step).round() * step;
    }
    for point in points.iter_mut() {
        *point = point.minus(middle).rotated(angle);
    }
}
