//! A canonical form of a whole graph of any size: equal for isomorphic graphs, different for all others.
//!
//! Colours of vertices are refined by those of their neighbours. Where that leaves vertices with one colour, one of them is given a colour
//! of its own, and so on until all differ; the form is the least list of coloured edges that this can lead to. A vertex is not tried if
//! swapping it with one that was tried changes nothing: twins, and vertices from which any way leads to the same list as from the other.
//!
//! Promise: the form does not depend on the order of vertices and edges. It tells all graphs apart unless the work exceeds a limit, which
//! only large graphs that are symmetric to the eye of refinement, but not truly, can do; then it is the list of refined colours.
//! Tested against brute force in `tests/canonical_form.rs`.

use crate::stop;
use crate::{Graph, VertexId};

/// Visits of edges after which refined colours must do.
const MAX_VISITS: u64 = 50_000_000;

/// The canonical form of a graph whose vertices and edges have these colours: by vertex, and by position in [`Graph::edges`].
///
/// # Panics
/// If there is not one colour for each.
pub fn canonical_form(graph: &Graph, vertex_colors: &[u64], edge_colors: &[u64]) -> Vec<u64> {
    assert_eq!(vertex_colors.len(), graph.num_vertices(), "one colour per vertex");
    assert_eq!(edge_colors.len(), graph.num_edges(), "one colour per edge");
    let mut form = Canonizer { graph, vertex_colors, edge_colors, visits: 0 };
    let colors = form.refined(vertex_colors.iter().map(|color| mix(*color)).collect());
    form.least(&colors).unwrap_or_else(|| {
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

struct Canonizer<'a> {
    graph: &'a Graph,
    vertex_colors: &'a [u64],
    edge_colors: &'a [u64],
    visits: u64,
}

impl Canonizer<'_> {
    /// Refines colours until no colour splits any more.
    fn refined(&mut self, mut colors: Vec<u64>) -> Vec<u64> {
        let mut distinct = count_distinct(&colors);
        while distinct < colors.len() {
            stop::work(1 + self.graph.num_edges());
            self.visits += 2 * self.graph.num_edges() as u64 + 1;
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
        let step = count_distinct(colors) as u64; // never twice on one way, so that the colour is new
        let mut colors = colors.to_vec();
        colors[vertex] = mix(colors[vertex] ^ mix(!step));
        self.refined(colors)
    }

    /// The least form that these colours can lead to; nothing if it takes too long.
    fn least(&mut self, colors: &[u64]) -> Option<Vec<u64>> {
        let Some(cell) = first_shared(colors) else { return Some(self.form(colors)) };
        if self.are_twins(&cell) {
            let finer = self.single_out(colors, cell[0]);
            return self.least(&finer);
        }
        let mut ends: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
        let mut least: Option<Vec<u64>> = None;
        for &vertex in &cell {
            let finer = self.single_out(colors, vertex);
            let end = self.any(finer.clone());
            if self.visits > MAX_VISITS {
                return None;
            }
            if ends.contains(&end) {
                continue; // as from an earlier vertex: a symmetry maps one to the other
            }
            ends.push(end);
            let here = self.least(&finer)?;
            if least.as_ref().is_none_or(|least| here < *least) {
                least = Some(here);
            }
        }
        least
    }

    /// Some form that these colours can lead to, with the colours in its order. If both are the same on two ways, the symmetry that
    /// maps one form to the other keeps all colours on the way.
    fn any(&mut self, mut colors: Vec<u64>) -> (Vec<u64>, Vec<u64>) {
        while let Some(cell) = first_shared(&colors) {
            colors = self.single_out(&colors, cell[0]);
        }
        let form = self.form(&colors);
        colors.sort_unstable();
        (form, colors)
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
        let visits: usize = cell.iter().map(|&vertex| self.graph.degree(VertexId(vertex as u32))).sum();
        let are_twins = cell[1..].iter().all(|&other| around(first, other) == around(other, first));
        self.visits += 2 * visits as u64;
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

fn count_distinct(colors: &[u64]) -> usize {
    let mut sorted = colors.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// The vertices of the smallest colour that several have.
fn first_shared(colors: &[u64]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..colors.len()).collect();
    order.sort_by_key(|&vertex| colors[vertex]);
    let mut cells = order.chunk_by(|&a, &b| colors[a] == colors[b]);
    cells.find(|cell| cell.len() > 1).map(<[usize]>::to_vec)
}
