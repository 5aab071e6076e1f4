//! Untangling: branches that overlap others are mirrored at the bond that joins them to the rest.

use super::super::Point;
use einsicht_graph::{Graph, VertexId};

/// Mirrors branches as long as that reduces the overlap.
pub(super) fn untangle(graph: &Graph, vertices: &[usize], at: &mut [Point]) {
    if vertices.len() < 5 || vertices.len() > 200 {
        return;
    }
    let branches = branches(graph, vertices);
    let mut crowd = overlap(graph, vertices, at);
    for _ in 0..4 {
        let before = crowd;
        for (from, to, side) in &branches {
            if crowd < 1e-9 {
                return;
            }
            let (origin, axis) = (at[*from], at[*to].minus(at[*from]));
            let old: Vec<Point> = side.iter().map(|&v| at[v]).collect();
            for &vertex in side {
                at[vertex] = mirrored(at[vertex], origin, axis);
            }
            let now = overlap(graph, vertices, at);
            if now < crowd - 1e-9 {
                crowd = now;
            } else {
                for (&vertex, point) in side.iter().zip(old) {
                    at[vertex] = point;
                }
            }
        }
        if crowd >= before - 1e-9 {
            return;
        }
    }
}

fn mirrored(point: Point, origin: Point, axis: Point) -> Point {
    let apart = point.minus(origin);
    let along = (apart.x * axis.x + apart.y * axis.y) / (axis.x * axis.x + axis.y * axis.y).max(1e-12);
    let foot = origin.plus(axis.times(along));
    foot.plus(foot.minus(point))
}

/// For every bridge: both ends, and the vertices on its smaller side, if there is more than one.
fn branches(graph: &Graph, vertices: &[usize]) -> Vec<(usize, usize, Vec<usize>)> {
    let mut found = Vec::new();
    for edge in graph.edges().iter().filter(|edge| vertices.contains(&edge.from.index())) {
        let (a, b) = (edge.from.index(), edge.to.index());
        let Some(behind) = behind(graph, a, b) else { continue };
        let side: Vec<usize> = if 2 * behind.len() <= vertices.len() {
            behind
        } else {
            vertices.iter().copied().filter(|v| !behind.contains(v)).collect()
        };
        if side.len() > 1 {
            found.push((a, b, side));
        }
    }
    found.sort_by_key(|(a, b, side)| (side.len(), *a, *b));
    found
}

/// The vertices that are reached from `to` without the edge from `from`; nothing if that edge is on a ring.
fn behind(graph: &Graph, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut seen = vec![false; graph.num_vertices()];
    seen[to] = true;
    let (mut stack, mut found) = (vec![to], Vec::new());
    while let Some(here) = stack.pop() {
        found.push(here);
        for neighbor in graph.neighbors(VertexId(here as u32)) {
            let next = neighbor.vertex.index();
            if here == to && next == from {
                continue;
            }
            if next == from {
                return None;
            }
            if !std::mem::replace(&mut seen[next], true) {
                stack.push(next);
            }
        }
    }
    Some(found)
}

/// A penalty for vertices that are close to each other and edges that cross.
fn overlap(graph: &Graph, vertices: &[usize], at: &[Point]) -> f64 {
    let mut sum = 0.0;
    for (i, &a) in vertices.iter().enumerate() {
        for &b in &vertices[..i] {
            let gap = at[a].minus(at[b]);
            if gap.x.abs() < 0.8 && gap.y.abs() < 0.8 {
                let close = 0.8 - gap.length();
                sum += if close > 0.0 { close * close } else { 0.0 };
            }
        }
    }
    let edges: Vec<(usize, usize)> = graph
        .edges()
        .iter()
        .map(|edge| (edge.from.index(), edge.to.index()))
        .filter(|(a, _)| vertices.binary_search(a).is_ok())
        .collect();
    for (i, &(a, b)) in edges.iter().enumerate() {
        for &(c, d) in &edges[..i] {
            if a != c && a != d && b != c && b != d && cross(at[a], at[b], at[c], at[d]) {
                sum += 1.0;
            }
        }
    }
    sum
}

fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}
