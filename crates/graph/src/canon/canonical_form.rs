//! A canonical form of a whole graph of any size: equal for isomorphic graphs, different for all others.
//!
//! Colours of vertices are refined by those of their neighbours. Where that leaves vertices with one colour, one of
//! them is given a colour of its own, and so on until all differ; the form is the least list of coloured edges that
//! this can lead to. A vertex is not tried if swapping it with one that was tried changes nothing: twins, and vertices
//! from which any way leads to the same list as from the other.
//!
//! Promise: the form does not depend on the order of vertices and edges. It tells all graphs apart unless the work
//! exceeds a limit, which only large graphs can do: those that are symmetric to the eye of refinement, but not truly,
//! and those of which refinement takes in one edge of a long way after the other. Then it is the list of colours, as
//! far as they were refined. Nothing here calls itself: stars, paths and rings may be as large as they like. Tested
//! against brute force in `tests/canonical_form.rs`.

use crate::stop;
use crate::{Graph, VertexId};
use std::collections::VecDeque;

/// Visits of vertices and edges after which refined colours must do.
const MAX_VISITS: u64 = 50_000_000;

/// The canonical form of a graph whose vertices and edges have these colours: by vertex, and by position in
/// [`Graph::edges`].
///
/// # Panics
/// If there is not one colour for each.
pub fn canonical_form(graph: &Graph, vertex_colors: &[u64], edge_colors: &[u64]) -> Vec<u64> {
    assert_eq!(vertex_colors.len(), graph.num_vertices(), "one colour per vertex");
    assert_eq!(edge_colors.len(), graph.num_edges(), "one colour per edge");
    let mut canonizer = Canonizer { graph, vertex_colors, edge_colors, visits: 0 };
    let colors = canonizer.refined(vertex_colors.iter().map(|color| mix(*color)).collect());
    canonizer.least(colors.clone()).unwrap_or_else(|| {
        let mut refined = colors;
        refined.sort_unstable();
        refined.push(u64::MAX);
        refined
    })
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Ways on from some refined colours: one for each vertex of a cell.
struct Fork {
    colors: Vec<u64>,
    /// Vertices of one colour, no twins, that are still to be tried.
    open: VecDeque<usize>,
    /// Where the vertices that were tried may lead to.
    ends: Vec<(Vec<u64>, Vec<u64>)>,
    /// The least form so far.
    least: Option<Vec<u64>>,
}

impl Fork {
    fn offer(&mut self, form: Vec<u64>) {
        if self.least.as_ref().is_none_or(|least| form < *least) {
            self.least = Some(form);
        }
    }
}

struct Canonizer<'a> {
    graph: &'a Graph,
    vertex_colors: &'a [u64],
    edge_colors: &'a [u64],
    visits: u64,
}

impl Canonizer<'_> {
    /// Refines colours until no colour splits any more, or it takes too long.
    fn refined(&mut self, mut colors: Vec<u64>) -> Vec<u64> {
        let mut distinct = count_distinct(&colors);
        while distinct < colors.len() && self.visits <= MAX_VISITS {
            stop::work(1 + colors.len() + self.graph.num_edges());
            self.visits += (1 + colors.len() + 2 * self.graph.num_edges()) as u64;
            let finer: Vec<u64> = self.graph.vertices().map(|vertex| self.finer(&colors, vertex)).collect();
            let now = count_distinct(&finer);
            if now == distinct {
                break;
            }
            (colors, distinct) = (finer, now);
        }
        colors
    }

    /// The colour of a vertex, with those of its neighbours in no order.
    fn finer(&self, colors: &[u64], vertex: VertexId) -> u64 {
        let around = self.graph.neighbors(vertex).iter();
        let sum = around.fold(0_u64, |sum, to| {
            sum.wrapping_add(mix(colors[to.vertex.index()] ^ mix(self.edge_colors[to.edge.index()] ^ 0x5851_f42d)))
        });
        mix(colors[vertex.index()].wrapping_mul(3) ^ mix(sum))
    }

    /// The same colours, but for one vertex that now has a colour of its own, refined.
    fn single_out(&mut self, colors: &[u64], vertex: usize) -> Vec<u64> {
        let mut colors = colors.to_vec();
        colors[vertex] = own_color(colors[vertex], count_distinct(&colors));
        self.refined(colors)
    }

    /// The least form that these colours can lead to; nothing if it takes too long.
    fn least(&mut self, colors: Vec<u64>) -> Option<Vec<u64>> {
        let mut forks: Vec<Fork> = Vec::new();
        let mut next = Some(colors);
        loop {
            let done = if let Some(mut colors) = next.take() {
                let cell = self.settle_twins(&mut colors);
                let form = if cell.is_none() { Some(self.form(&colors)) } else { None };
                forks.extend(cell.map(|open| Fork { colors, open, ends: Vec::new(), least: None }));
                form
            } else {
                let fork = forks.last_mut()?;
                match fork.open.pop_front() {
                    None => Some(forks.pop()?.least?),
                    Some(vertex) => {
                        next = self.try_vertex(fork, vertex);
                        if self.visits > MAX_VISITS {
                            return None;
                        }
                        None
                    }
                }
            };
            let Some(form) = done else { continue };
            let Some(above) = forks.last_mut() else { return Some(form) };
            above.offer(form);
        }
    }

    /// The colours to go on with from a vertex of a fork; nothing if a symmetry maps an earlier one to it, or if it
    /// takes too long.
    fn try_vertex(&mut self, fork: &mut Fork, vertex: usize) -> Option<Vec<u64>> {
        let finer = self.single_out(&fork.colors, vertex);
        let end = self.any(finer.clone())?;
        if fork.ends.contains(&end) {
            return None;
        }
        fork.ends.push(end);
        Some(finer)
    }

    /// Some form that these colours can lead to, with the colours in its order; nothing if it takes too long. If both
    /// are the same on two ways, the symmetry that maps one form to the other keeps all colours on the way.
    fn any(&mut self, mut colors: Vec<u64>) -> Option<(Vec<u64>, Vec<u64>)> {
        while let Some(cell) = self.settle_twins(&mut colors) {
            if self.visits > MAX_VISITS {
                return None;
            }
            colors = self.single_out(&colors, cell[0]);
        }
        let form = self.form(&colors);
        colors.sort_unstable();
        Some((form, colors))
    }

    /// Gives twins colours of their own, in order of the colours up to the first that vertices other than twins share;
    /// returns these. A colour of its own for a twin splits no other colour: whoever has one of the twins as a
    /// neighbour has all. So nothing is refined in between.
    fn settle_twins(&mut self, colors: &mut [u64]) -> Option<VecDeque<usize>> {
        stop::work(1 + colors.len());
        self.visits += colors.len() as u64;
        let mut order: Vec<usize> = (0..colors.len()).collect();
        order.sort_by_key(|&vertex| colors[vertex]);
        let cells: Vec<&[usize]> = order.chunk_by(|&a, &b| colors[a] == colors[b]).collect();
        let mut distinct = cells.len();
        for cell in cells.into_iter().filter(|cell| cell.len() > 1) {
            if !self.are_twins(cell) {
                return Some(cell.iter().copied().collect());
            }
            for &vertex in &cell[..cell.len() - 1] {
                colors[vertex] = own_color(colors[vertex], distinct);
                distinct += 1;
            }
        }
        None
    }

    /// Whether swapping any two of these vertices leaves the graph as it is.
    fn are_twins(&mut self, cell: &[usize]) -> bool {
        let around = |vertex: usize, other: usize| {
            let neighbors = self.graph.neighbors(VertexId(vertex as u32)).iter();
            let others = neighbors.filter(|to| to.vertex.index() != other);
            let mut list: Vec<(usize, u64)> =
                others.map(|to| (to.vertex.index(), self.edge_colors[to.edge.index()])).collect();
            list.sort_unstable();
            list
        };
        let first = cell[0];
        let degree = self.graph.degree(VertexId(first as u32));
        let mut visits = 0;
        let are_twins = cell[1..].iter().all(|&other| {
            stop::work(1 + 2 * degree);
            visits += 2 * degree as u64;
            around(first, other) == around(other, first)
        });
        self.visits += visits;
        are_twins
    }

    /// The graph written in the order of colours that are all different.
    fn form(&self, colors: &[u64]) -> Vec<u64> {
        let mut order: Vec<usize> = (0..colors.len()).collect();
        order.sort_unstable_by_key(|&vertex| colors[vertex]);
        let mut rank = vec![0_u64; order.len()];
        for (at, &vertex) in order.iter().enumerate() {
            rank[vertex] = at as u64;
        }
        let mut edges: Vec<[u64; 3]> = (self.graph.edges().iter().zip(self.edge_colors))
            .map(|(edge, color)| {
                let (a, b) = (rank[edge.from.index()], rank[edge.to.index()]);
                [a.min(b), a.max(b), *color]
            })
            .collect();
        edges.sort_unstable();
        let mut form = vec![order.len() as u64];
        form.extend(order.iter().map(|&vertex| self.vertex_colors[vertex]));
        form.extend(edges.into_iter().flatten());
        form
    }
}

/// The colour of a vertex that gets one of its own. Colours grow in number, so that it is never given twice on one way.
fn own_color(color: u64, distinct: usize) -> u64 {
    mix(color ^ mix(!(distinct as u64)))
}

fn count_distinct(colors: &[u64]) -> usize {
    let mut sorted = colors.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}
