//! Stress majorization (SMACOF): distances in the drawing approximate shortest-path distances in the graph.
//!
//! Starts from fixed points, so nothing is random. Cost: quadratic in the vertices per round.

use super::super::Point;
use einsicht_graph::{Graph, VertexId};

/// Coordinates of the listed vertices, which must be connected, parallel to the list; others are ignored.
pub(super) fn place(graph: &Graph, vertices: &[usize]) -> Vec<Point> {
    let n = vertices.len();
    let steps = distances(graph, vertices);
    // A spiral around the first vertex of the list: all points differ, and no symmetry holds the layout in a saddle
    // point.
    let mut at: Vec<Point> = (0..n).map(|i| Point::polar(2.399_963 * i as f64, 0.5 + (i as f64).sqrt())).collect();
    let rounds = if n <= 150 { 200 } else { (200 * 150 * 150 / (n * n)).max(10) };
    for _ in 0..rounds {
        let old = at.clone();
        let mut moved = 0.0_f64;
        for i in 0..n {
            let (mut sum, mut total) = (Point::default(), 0.0);
            for j in (0..n).filter(|&j| j != i) {
                let wanted = f64::from(steps[i * n + j]);
                let weight = 1.0 / (wanted * wanted);
                let apart = at[i].minus(at[j]);
                let length = apart.length().max(1e-6);
                sum = sum.plus(at[j].plus(apart.times(wanted / length)).times(weight));
                total += weight;
            }
            if total > 0.0 {
                at[i] = sum.times(1.0 / total);
                moved = moved.max(at[i].minus(old[i]).length());
            }
        }
        if moved < 1e-3 {
            break;
        }
    }
    at
}

/// Shortest-path distances between all pairs of the listed vertices, within the list.
fn distances(graph: &Graph, vertices: &[usize]) -> Vec<u32> {
    let n = vertices.len();
    let mut index = vec![usize::MAX; graph.num_vertices()];
    for (at, &vertex) in vertices.iter().enumerate() {
        index[vertex] = at;
    }
    let mut steps = vec![n as u32; n * n];
    for start in 0..n {
        steps[start * n + start] = 0;
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(here) = queue.pop_front() {
            for neighbor in graph.neighbors(VertexId(vertices[here] as u32)) {
                let there = index[neighbor.vertex.index()];
                if there != usize::MAX && there != start && steps[start * n + there] == n as u32 {
                    steps[start * n + there] = steps[start * n + here] + 1;
                    queue.push_back(there);
                }
            }
        }
    }
    steps
}
