//! Where the vertices of a graph go.
//!
//! Graphs that look like molecules (few neighbours, few rings) are laid out ring by ring and chain by chain, others by
//! stress. Parts that are not connected stand side by side.

use super::{Bond, Point, center, ringwise, stress, tidy};
use einsicht_graph::{Graph, VertexId};

/// Beyond so many vertices a drawing helps nobody.
pub const MOST_VERTICES: usize = 400;

/// A place for every vertex; edges have a length of about one. Empty for graphs that are too large to draw. `bonds` are the
/// kinds of the edges where they are known, else empty.
pub fn layout(graph: &Graph, bonds: &[Bond]) -> Vec<Point> {
    if graph.num_vertices() > MOST_VERTICES {
        return Vec::new();
    }
    let straight: Vec<bool> = graph.vertices().map(|v| is_straight(graph, v, bonds)).collect();
    let parts = graph.components();
    let count = parts.iter().max().map_or(0, |last| *last as usize + 1);
    let mut places = vec![Point::default(); graph.num_vertices()];
    let mut right = 0.0;
    for part in 0..count {
        let vertices: Vec<usize> = (0..parts.len()).filter(|&v| parts[v] as usize == part).collect();
        let mut points = connected(graph, &vertices, &straight);
        lay_down(&mut points, is_molecular(graph, &vertices));
        let least = points.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
        let middle = center(points.iter().copied()).y;
        for (&vertex, point) in vertices.iter().zip(&points) {
            places[vertex] = Point::new(point.x - least + right, point.y - middle);
        }
        right = vertices.iter().fold(right, |most, &v| most.max(places[v].x)) + 1.4;
    }
    places
}

/// Whether the bonds of a vertex lie on a line: next to a triple bond or between two double bonds.
fn is_straight(graph: &Graph, vertex: VertexId, bonds: &[Bond]) -> bool {
    let kinds = || graph.neighbors(vertex).iter().filter_map(|neighbor| bonds.get(neighbor.edge.index()));
    kinds().any(|kind| *kind == Bond::Triple) || kinds().filter(|kind| **kind == Bond::Double).count() > 1
}

fn connected(graph: &Graph, vertices: &[usize], straight: &[bool]) -> Vec<Point> {
    if !is_molecular(graph, vertices) {
        return stress::place(graph, vertices);
    }
    let mut places = ringwise::place(graph, vertices, straight);
    tidy::untangle(graph, vertices, &mut places);
    vertices.iter().map(|&v| places[v]).collect()
}

/// Whether rings and chains will do: nobody has many neighbours and there are not too many rings.
fn is_molecular(graph: &Graph, vertices: &[usize]) -> bool {
    let degrees = || vertices.iter().map(|&v| graph.degree(VertexId(v as u32)));
    let edges = degrees().sum::<usize>() / 2;
    let rings = edges + 1 - vertices.len().min(edges + 1);
    degrees().all(|degree| degree <= 6) && rings <= 4 + vertices.len() / 5
}

/// Turns the drawing so that its long side lies flat. Molecules are turned by multiples of 30 degrees only, so that
/// bonds of rings keep their usual directions.
fn lay_down(points: &mut [Point], in_steps: bool) {
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
        *point = point.minus(middle).turned(angle);
    }
}
