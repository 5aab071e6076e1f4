//! Layout of molecules: fused rings as regular polygons, chains as zigzags, branches into the widest free angle.
//!
//! Starts with the largest block of fused rings (or an end of the longest path) and places the rest by breadth-first
//! search.

use super::super::{Point, center};
use super::rings::{Ring, blocks, small_rings};
use super::stress;
use einsicht_graph::{Graph, VertexId};
use std::f64::consts::PI;

/// Coordinates for the listed vertices of a connected component; others stay at the origin. The two edges of a `linear`
/// vertex are collinear.
pub(super) fn place(graph: &Graph, vertices: &[usize], linear: &[bool]) -> Vec<Point> {
    let rings: Vec<Ring> = small_rings(graph).into_iter().filter(|ring| vertices.contains(&ring[0])).collect();
    let blocks: Vec<Block> = blocks(&rings).iter().map(|members| Block::new(graph, &rings, members)).collect();
    let mut plan = Plan {
        graph,
        linear,
        blocks,
        at: vec![None; graph.num_vertices()],
        turn: vec![1.0; graph.num_vertices()],
        placed: Vec::new(),
    };
    let largest = (0..plan.blocks.len()).max_by_key(|&b| (plan.blocks[b].vertices.len(), std::cmp::Reverse(b)));
    if let Some(block) = largest {
        plan.put_block(block, |points, _| points);
    } else if let Some(start) = end_of_longest_path(graph, vertices) {
        plan.put(start, Point::default());
    }
    let mut next = 0;
    while next < plan.placed.len() {
        let vertex = plan.placed[next];
        next += 1;
        plan.grow(vertex);
    }
    plan.at.into_iter().map(Option::unwrap_or_default).collect()
}

/// A block of fused rings, with coordinates of its own.
struct Block {
    vertices: Vec<usize>,
    points: Vec<Point>,
}

struct Plan<'a> {
    graph: &'a Graph,
    /// Vertices whose two edges are collinear.
    linear: &'a [bool],
    blocks: Vec<Block>,
    at: Vec<Option<Point>>,
    /// To which side the chain bent at a vertex: the next bend goes to the other.
    turn: Vec<f64>,
    placed: Vec<usize>,
}

impl Plan<'_> {
    fn put(&mut self, vertex: usize, point: Point) {
        if self.at[vertex].is_none() {
            self.at[vertex] = Some(point);
            self.placed.push(vertex);
        }
    }

    /// Places all vertices of a block, moved by a function.
    fn put_block(&mut self, block: usize, moved: impl Fn(Point, &Block) -> Point) {
        let here = &self.blocks[block];
        let put: Vec<(usize, Point)> =
            here.vertices.iter().zip(&here.points).map(|(&v, &p)| (v, moved(p, here))).collect();
        for (vertex, point) in put {
            self.put(vertex, point);
        }
    }

    fn is_placed(&self, vertex: usize) -> bool {
        self.at[vertex].is_some()
    }

    /// Places the neighbours and rings of a placed vertex.
    fn grow(&mut self, vertex: usize) {
        let Some(here) = self.at[vertex] else { return };
        // A ring that is joined by this vertex only goes opposite to the placed neighbours.
        for block in 0..self.blocks.len() {
            let Some(local) = self.blocks[block].point(vertex) else { continue };
            if self.blocks[block].vertices.iter().all(|&v| v == vertex || !self.is_placed(v)) {
                let (start, width) = self.free(vertex, here);
                let outwards = start + width / 2.0;
                let inside = self.blocks[block].middle().minus(local).angle();
                self.put_block(block, |p, _| here.plus(p.minus(local).rotated(outwards - inside)));
            }
        }
        let mut waiting: Vec<usize> = self.neighbors(vertex).filter(|&v| !self.is_placed(v)).collect();
        // The largest branch goes on with the chain.
        waiting.sort_by_key(|&v| (std::cmp::Reverse(self.branch_size(vertex, v)), v));
        let angles = self.angles(vertex, here, waiting.len());
        for (&branch, &(angle, turn)) in waiting.iter().zip(&angles) {
            // A block that was placed meanwhile may contain the branch.
            if self.is_placed(branch) {
                continue;
            }
            let there = here.plus(Point::polar(angle, 1.0));
            self.turn[branch] = turn;
            let block = (0..self.blocks.len()).find(|&b| self.blocks[b].point(branch).is_some());
            match block {
                None => self.put(branch, there),
                Some(block) => {
                    let hanging = self.neighbors(branch).filter(|&v| self.blocks[block].point(v).is_none()).count();
                    let (local, outwards) = self.blocks[block].outwards(self.graph, branch, hanging);
                    self.put_block(block, |p, _| there.plus(p.minus(local).rotated(angle + PI - outwards)));
                }
            }
        }
    }

    fn neighbors(&self, vertex: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.graph.neighbors(VertexId(vertex as u32)).iter().map(|neighbor| neighbor.vertex.index())
    }

    /// The widest free angle around a vertex: where it starts and how wide it is.
    fn free(&self, vertex: usize, here: Point) -> (f64, f64) {
        let taken = self.neighbors(vertex).filter_map(|v| self.at[v]).map(|p| p.minus(here).angle());
        widest_gap(taken.collect())
    }

    /// Directions for `count` branches, with the side to which each bends.
    fn angles(&self, vertex: usize, here: Point, count: usize) -> Vec<(f64, f64)> {
        let taken: Vec<f64> =
            self.neighbors(vertex).filter_map(|v| self.at[v]).map(|p| p.minus(here).angle()).collect();
        let turn = -self.turn[vertex];
        match (taken.as_slice(), count) {
            ([], _) => (0..count).map(|i| (-PI / 6.0 + 2.0 * PI * i as f64 / count.max(1) as f64, turn)).collect(),
            ([back], 1) if self.linear[vertex] => vec![(back + PI, -turn)],
            ([back], 1) => vec![(back + turn * 2.0 * PI / 3.0, turn)],
            ([back], 2) => vec![(back + turn * 2.0 * PI / 3.0, turn), (back - turn * 2.0 * PI / 3.0, -turn)],
            ([back], 3) => {
                let third = |i: f64| back + turn * PI * i / 2.0;
                vec![(third(2.0), turn), (third(1.0), turn), (third(3.0), -turn)]
            }
            _ => {
                let (start, width) = widest_gap(taken);
                (0..count).map(|i| (start + width * (i + 1) as f64 / (count + 1) as f64, turn)).collect()
            }
        }
    }

    /// Number of vertices that are reached through a neighbour without coming back.
    fn branch_size(&self, from: usize, branch: usize) -> usize {
        let mut seen = vec![false; self.graph.num_vertices()];
        seen[from] = true;
        seen[branch] = true;
        let (mut stack, mut count) = (vec![branch], 0);
        while let Some(here) = stack.pop() {
            count += 1;
            for next in self.neighbors(here) {
                if !std::mem::replace(&mut seen[next], true) {
                    stack.push(next);
                }
            }
        }
        count
    }
}

impl Block {
    fn new(graph: &Graph, rings: &[Ring], members: &[usize]) -> Self {
        let mut at: Vec<Option<Point>> = vec![None; graph.num_vertices()];
        let mut waiting: Vec<usize> = members.to_vec();
        let mut vertices: Vec<usize> = members.iter().flat_map(|&ring| rings[ring].iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        // Begin with the ring that touches most others.
        let touches = |ring: usize| {
            members.iter().filter(|&&r| r != ring && rings[r].iter().any(|v| rings[ring].contains(v))).count()
        };
        waiting.sort_by_key(|&ring| (std::cmp::Reverse(touches(ring)), ring));
        let mut is_good = true;
        if let Some(&first) = waiting.first() {
            polygon(&rings[first], &mut at);
            waiting.remove(0);
        }
        while !waiting.is_empty() && is_good {
            let placed = |ring: usize| rings[ring].iter().filter(|&&v| at[v].is_some()).count();
            // Rings joined by one edge first: they stay regular.
            let next = (0..waiting.len())
                .filter(|&w| placed(waiting[w]) >= 2)
                .min_by_key(|&w| (placed(waiting[w]) != 2, std::cmp::Reverse(placed(waiting[w])), w));
            let Some(next) = next else { break };
            is_good = close_ring(&rings[waiting.remove(next)], &mut at);
        }
        let mut points: Vec<Point> = vertices.iter().filter_map(|&v| at[v]).collect();
        if !is_good || points.len() < vertices.len() || is_crowded(&points) || is_torn(graph, &vertices, &at) {
            points = stress::place(graph, &vertices);
        }
        Self { vertices, points }
    }

    fn point(&self, vertex: usize) -> Option<Point> {
        self.vertices.binary_search(&vertex).ok().map(|at| self.points[at])
    }

    fn middle(&self) -> Point {
        center(self.points.iter().copied())
    }

    /// Where a vertex of the block is and in which direction the first of `hanging` branches leaves it.
    fn outwards(&self, graph: &Graph, vertex: usize, hanging: usize) -> (Point, f64) {
        let here = self.point(vertex).unwrap_or_default();
        let inside = graph.neighbors(VertexId(vertex as u32)).iter().filter_map(|n| self.point(n.vertex.index()));
        let (start, width) = widest_gap(inside.map(|p| p.minus(here).angle()).collect());
        (here, start + width / (hanging.max(1) + 1) as f64)
    }
}

/// The widest gap between directions: its start and its width.
fn widest_gap(mut taken: Vec<f64>) -> (f64, f64) {
    taken.sort_unstable_by(f64::total_cmp);
    let Some(&first) = taken.first() else { return (0.0, 2.0 * PI) };
    let mut best = (first, 0.0);
    for (at, &angle) in taken.iter().enumerate() {
        let next = taken.get(at + 1).copied().unwrap_or(first + 2.0 * PI);
        // The tolerance keeps rounding from choosing among equal gaps.
        if next - angle > best.1 + 1e-9 {
            best = (angle, next - angle);
        }
    }
    best
}

/// A regular polygon around the origin, with a flat side below.
fn polygon(ring: &[usize], at: &mut [Option<Point>]) {
    let n = ring.len() as f64;
    let radius = 0.5 / libm::sin(PI / n);
    for (i, &vertex) in ring.iter().enumerate() {
        at[vertex] = Some(Point::polar(PI / 2.0 + PI / n + 2.0 * PI * i as f64 / n, radius));
    }
}

/// Completes a ring of which one path is placed: the rest goes on an arc on the free side. Returns whether that was
/// possible.
fn close_ring(ring: &[usize], at: &mut [Option<Point>]) -> bool {
    let n = ring.len();
    let is_start = |i: usize| at[ring[i]].is_some() && at[ring[(i + n - 1) % n]].is_none();
    let starts: Vec<usize> = (0..n).filter(|&i| is_start(i)).collect();
    let [start] = starts[..] else { return starts.is_empty() };
    let known = (0..n).take_while(|&i| at[ring[(start + i) % n]].is_some()).count();
    let (first, last) = (ring[start], ring[(start + known - 1) % n]);
    let (Some(a), Some(b)) = (at[last], at[first]) else { return false };
    let missing = n - known;
    let gap = b.minus(a).length();
    let steps = (missing + 1) as f64;
    if gap < 1e-6 || gap >= steps {
        return false;
    }
    // Half the angle of one step on the arc: sin(steps * half) / sin(half) falls from `steps` to 0.
    let (mut low, mut high) = (0.0, PI / steps);
    for _ in 0..60 {
        let half = f64::midpoint(low, high);
        let reach = libm::sin(steps * half) / libm::sin(half);
        if reach > gap { low = half } else { high = half }
    }
    let half = f64::midpoint(low, high);
    let others = at.iter().flatten().copied();
    let middle = center(others);
    let chord = b.minus(a);
    let side = chord.x * (middle.y - a.y) - chord.y * (middle.x - a.x);
    let bend = if side > 0.0 { 1.0 } else { -1.0 };
    let (mut here, mut direction) = (a, chord.angle() - bend * (steps - 1.0) * half);
    for i in 0..missing {
        here = here.plus(Point::polar(direction, 1.0));
        direction += bend * 2.0 * half;
        at[ring[(start + known + i) % n]] = Some(here);
    }
    true
}

/// Whether two points are too close to each other.
fn is_crowded(points: &[Point]) -> bool {
    (0..points.len()).any(|i| (0..i).any(|j| points[i].minus(points[j]).length() < 0.45))
}

/// Whether an edge of the block is far too long or too short.
fn is_torn(graph: &Graph, vertices: &[usize], at: &[Option<Point>]) -> bool {
    let length = |a: usize, b: usize| at[a].unwrap_or_default().minus(at[b].unwrap_or_default()).length();
    let inside = |v: usize| vertices.binary_search(&v).is_ok();
    let ends = graph.edges().iter().map(|edge| (edge.from.index(), edge.to.index()));
    ends.filter(|&(a, b)| inside(a) && inside(b)).any(|(a, b)| !(0.6..1.7).contains(&length(a, b)))
}

/// One end of a longest path of a tree.
fn end_of_longest_path(graph: &Graph, vertices: &[usize]) -> Option<usize> {
    let farthest = |from: usize| {
        let mut steps = vec![usize::MAX; graph.num_vertices()];
        steps[from] = 0;
        let mut queue = std::collections::VecDeque::from([from]);
        let mut last = from;
        while let Some(here) = queue.pop_front() {
            last = here;
            for neighbor in graph.neighbors(VertexId(here as u32)) {
                if steps[neighbor.vertex.index()] == usize::MAX {
                    steps[neighbor.vertex.index()] = steps[here] + 1;
                    queue.push_back(neighbor.vertex.index());
                }
            }
        }
        last
    };
    vertices.first().map(|&start| farthest(start))
}
