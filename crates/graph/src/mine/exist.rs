//! Embeddings of a pattern in a graph, found by backtracking over bit sets: for graphs with more of them than one wants to list.
//!
//! A [`Plan`] is the order in which the vertices of a pattern are placed: first the ends of its last edge, whose
//! existence is the question, then always one with the most placed neighbours, vertices on rings first. The
//! candidates of a vertex are the common neighbours of its placed neighbours' images that have its label and
//! enough neighbours of each type. When a vertex has no candidate left, the search goes back to the last vertex that
//! had a say in it, not just to the last one placed.
//!
//! Shares nothing with the matcher of `matching/`, which tests it through the miner.

use super::bits::{Bits, GraphBits, and, insert, is_empty, pop, remove, without};
use super::database::Database;
use super::rows::Row;
use crate::ids::Label;
use crate::pattern::{DfsEdge, MAX_VERTICES};

/// How one vertex is placed.
#[derive(Debug)]
struct Place {
    pattern_vertex: usize,
    label: Label,
    /// (earlier place, edge label) of its placed neighbours.
    anchors: Vec<(usize, Label)>,
    /// (type, count) of its neighbours.
    needs: Vec<(u32, u32)>,
}

/// The order in which the vertices of a pattern are placed.
#[derive(Debug)]
pub(crate) struct Plan {
    places: Vec<Place>,
}

impl Plan {
    /// Plans for a pattern, beginning at its last edge. `None` if a pair of labels does not occur anywhere.
    pub(crate) fn new(db: &Database, code: &[DfsEdge]) -> Option<Self> {
        let vertices = 1 + code.iter().map(|e| e.from.max(e.to) as usize).max()?;
        let mut labels = vec![Label(0); vertices];
        let mut adjacent: Vec<Vec<(usize, Label)>> = vec![Vec::new(); vertices];
        for edge in code {
            let (from, to) = (edge.from as usize, edge.to as usize);
            (labels[from], labels[to]) = (edge.from_label, edge.to_label);
            adjacent[from].push((to, edge.edge_label));
            adjacent[to].push((from, edge.edge_label));
        }
        let on_ring = two_core(&adjacent);
        let last = code[code.len() - 1];
        let mut order: Vec<usize> = vec![last.from as usize, last.to as usize];
        if adjacent[order[1]].len() > adjacent[order[0]].len() {
            order.swap(0, 1);
        }
        while order.len() < vertices {
            let placed = |v: usize| adjacent[v].iter().filter(|(u, _)| order.contains(u)).count();
            let next = (0..vertices)
                .filter(|v| !order.contains(v))
                .max_by_key(|&v| (placed(v), on_ring[v], adjacent[v].len(), std::cmp::Reverse(v)))?;
            order.push(next);
        }
        let mut places = Vec::with_capacity(vertices);
        for (at, &v) in order.iter().enumerate() {
            let anchors = adjacent[v]
                .iter()
                .filter_map(|&(u, label)| order[..at].iter().position(|&o| o == u).map(|place| (place, label)))
                .collect();
            let mut needs: Vec<(u32, u32)> = Vec::new();
            for &(u, edge_label) in &adjacent[v] {
                let ty = db.type_of(edge_label, labels[u])?;
                match needs.iter_mut().find(|(known, _)| *known == ty) {
                    Some((_, count)) => *count += 1,
                    None => needs.push((ty, 1)),
                }
            }
            places.push(Place { pattern_vertex: v, label: labels[v], anchors, needs });
        }
        Some(Self { places })
    }

    /// Calls back with embeddings in the graph until the callback says `false`.
    pub(crate) fn embeddings<R: Row>(&self, bits: &GraphBits, found: &mut impl FnMut(R) -> bool) {
        match bits.words() {
            1 => self.search::<R, 1>(bits, found),
            2 => self.search::<R, 2>(bits, found),
            4 => self.search::<R, 4>(bits, found),
            _ => self.search::<R, 16>(bits, found),
        }
    }

    /// Number of vertices of the pattern.
    pub(crate) fn num_vertices(&self) -> usize {
        self.places.len()
    }

    fn search<R: Row, const W: usize>(&self, bits: &GraphBits, found: &mut impl FnMut(R) -> bool) {
        let len = self.places.len();
        let mut domains = [[0_u64; W]; MAX_VERTICES];
        // Edge labels as places of this graph; one list for all anchors, in order.
        let mut anchors = [(0_usize, 0_usize); MAX_VERTICES];
        let mut first_anchor = [0_usize; MAX_VERTICES + 1];
        for (at, place) in self.places.iter().enumerate() {
            domains[at] = bits.domain(place.label, &place.needs);
            if is_empty(&domains[at]) {
                return;
            }
            let mut next = first_anchor[at];
            for &(earlier, label) in &place.anchors {
                let Some(label) = bits.edge_label(label) else { return };
                anchors[next] = (earlier, label);
                next += 1;
            }
            first_anchor[at + 1] = next;
        }
        let mut candidates = [[0_u64; W]; MAX_VERTICES];
        // Earlier places that had a say in why the candidates of a place ran out, as bits.
        let mut blame = [0_u32; MAX_VERTICES];
        let mut image = [0_usize; MAX_VERTICES];
        let mut used: Bits<W> = [0; W];
        candidates[0] = domains[0];
        let mut at = 0;
        loop {
            if let Some(vertex) = pop(&mut candidates[at]) {
                image[at] = vertex;
                if at + 1 == len {
                    let mut row = R::EMPTY;
                    for (place, &vertex) in self.places.iter().zip(&image) {
                        row = row.with(place.pattern_vertex, vertex as u32);
                    }
                    if !found(row) {
                        return;
                    }
                    // A solution is nobody's failure: plain backtracking from here.
                    blame[at] = (1_u32 << at) - 1;
                    continue;
                }
                insert(&mut used, vertex);
                at += 1;
                let mut open = domains[at];
                let mut why = 0_u32;
                for &(earlier, label) in &anchors[first_anchor[at]..first_anchor[at + 1]] {
                    open = and(open, bits.neighbors(image[earlier], label));
                    why |= 1 << earlier;
                }
                let taken = and(open, used);
                if !is_empty(&taken) {
                    for (earlier, &vertex) in image[..at].iter().enumerate() {
                        why |= u32::from(taken[vertex / 64] >> (vertex % 64) & 1 == 1) << earlier;
                    }
                }
                candidates[at] = without(open, &used);
                blame[at] = why;
            } else {
                // Back to the last place that had a say; what it is blamed for, it passes on.
                if blame[at] == 0 {
                    return;
                }
                let back = 31 - blame[at].leading_zeros() as usize;
                let passed_on = blame[at] & !(1 << back);
                while at > back {
                    at -= 1;
                    remove(&mut used, image[at]);
                }
                blame[at] |= passed_on;
            }
        }
    }
}

/// Which vertices are left when vertices with one neighbour are taken away again and again.
fn two_core(adjacent: &[Vec<(usize, Label)>]) -> Vec<bool> {
    let mut degree: Vec<usize> = adjacent.iter().map(Vec::len).collect();
    let mut open: Vec<usize> = (0..degree.len()).filter(|&v| degree[v] < 2).collect();
    while let Some(v) = open.pop() {
        degree[v] = 0;
        for &(u, _) in &adjacent[v] {
            if degree[u] > 1 {
                degree[u] -= 1;
                if degree[u] == 1 {
                    open.push(u);
                }
            }
        }
    }
    degree.into_iter().map(|d| d > 1).collect()
}
