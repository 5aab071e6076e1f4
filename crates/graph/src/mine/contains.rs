//! Does a graph contain a pattern? Only the inner vertices are searched for; leaves are counted.
//!
//! [`Inner`] is a pattern divided into its inner vertices (two neighbours and more) and groups of leaves that hang on
//! the same vertex and look alike. Inner vertices are placed one after the other, always the one with the fewest candidates
//! left; a placed vertex strikes candidates of all others at once, and a vertex without candidates, or too few vertices
//! for a group of leaves, ends the branch. Once all are placed, leaves have room if every union of groups has (Hall's theorem), so
//! interchangeable leaves are never tried in all orders.
//!
//! Only says yes or no; `exist.rs` lists embeddings. Tested through the miner against the oracle.

use super::bits::{Bits, GraphBits, and, count, has, insert, is_empty, or, pop, without};
use super::database::Database;
use crate::ids::Label;
use crate::pattern::{DfsEdge, MAX_VERTICES};

/// A pattern as the search sees it.
#[derive(Debug)]
pub(crate) struct Inner {
    vertices: Vec<InnerVertex>,
    leaves: Vec<Leaves>,
}

#[derive(Debug)]
struct InnerVertex {
    label: Label,
    /// (type, count) of its neighbours.
    needs: Vec<(u32, u32)>,
    /// (inner vertex, edge label) of its inner neighbours.
    adjacent: Vec<(usize, Label)>,
}

/// Leaves that look alike.
#[derive(Debug)]
struct Leaves {
    stem: usize,
    edge_label: Label,
    label: Label,
    count: u32,
}

/// Working memory of [`Inner::is_in`].
#[derive(Default)]
pub(crate) struct Room {
    /// Candidates of all inner vertices, by the number of vertices that are placed.
    candidates: Vec<u64>,
    /// (inner vertex, place of the edge label in the graph) of inner neighbours, one list for all.
    adjacent: Vec<(u32, u32)>,
    /// Where the neighbours of each inner vertex end.
    ends: Vec<u32>,
    /// Places of the edge label and of the vertex label of each group of leaves.
    leaf_labels: Vec<(u32, u32)>,
}

impl Inner {
    /// `None` if a pair of labels does not occur anywhere, or if the pattern is a single edge.
    pub(crate) fn new(db: &Database, code: &[DfsEdge]) -> Option<Self> {
        let mut labels = [Label(0); MAX_VERTICES];
        let mut adjacent = [0_u32; MAX_VERTICES];
        let mut num_vertices = 0;
        for edge in code {
            let (from, to) = (edge.from as usize, edge.to as usize);
            (labels[from], labels[to]) = (edge.from_label, edge.to_label);
            adjacent[from] |= 1 << to;
            adjacent[to] |= 1 << from;
            num_vertices = num_vertices.max(1 + from.max(to));
        }
        let mut place = [usize::MAX; MAX_VERTICES];
        let mut vertices = Vec::with_capacity(num_vertices);
        for v in (0..num_vertices).filter(|&v| !adjacent[v].is_power_of_two()) {
            place[v] = vertices.len();
            vertices.push(InnerVertex {
                label: labels[v],
                needs: Vec::with_capacity(4),
                adjacent: Vec::with_capacity(4),
            });
        }
        let mut leaves: Vec<Leaves> = Vec::with_capacity(num_vertices);
        for edge in code {
            for (from, to) in [(edge.from as usize, edge.to as usize), (edge.to as usize, edge.from as usize)] {
                let Some(vertex) = vertices.get_mut(place[from]) else { continue };
                let ty = db.type_of(edge.edge_label, labels[to])?;
                match vertex.needs.iter_mut().find(|(known, _)| *known == ty) {
                    Some((_, count)) => *count += 1,
                    None => vertex.needs.push((ty, 1)),
                }
                if place[to] != usize::MAX {
                    vertex.adjacent.push((place[to], edge.edge_label));
                    continue;
                }
                let (stem, edge_label, label) = (place[from], edge.edge_label, labels[to]);
                let alike = |l: &&mut Leaves| (l.stem, l.edge_label, l.label) == (stem, edge_label, label);
                match leaves.iter_mut().find(alike) {
                    Some(group) => group.count += 1,
                    None => leaves.push(Leaves { stem, edge_label, label, count: 1 }),
                }
            }
        }
        (!vertices.is_empty()).then_some(Self { vertices, leaves })
    }

    /// Whether the graph contains the pattern.
    pub(crate) fn is_in(&self, bits: &GraphBits, room: &mut Room) -> bool {
        match bits.words() {
            1 => self.search::<1>(bits, room),
            2 => self.search::<2>(bits, room),
            4 => self.search::<4>(bits, room),
            _ => self.search::<16>(bits, room),
        }
        .unwrap_or(false)
    }

    fn search<const W: usize>(&self, bits: &GraphBits, room: &mut Room) -> Option<bool> {
        let inner = self.vertices.len();
        room.candidates.resize((inner + 1) * inner * W, 0);
        room.adjacent.clear();
        room.ends.clear();
        room.leaf_labels.clear();
        for (vertex, candidates) in self.vertices.iter().zip(room.candidates.chunks_exact_mut(W)) {
            let domain: Bits<W> = bits.domain(vertex.label, &vertex.needs);
            if is_empty(&domain) {
                return None;
            }
            candidates.copy_from_slice(&domain);
        }
        for vertex in &self.vertices {
            for &(other, label) in &vertex.adjacent {
                room.adjacent.push((other as u32, bits.edge_label(label)? as u32));
            }
            room.ends.push(room.adjacent.len() as u32);
        }
        for leaves in &self.leaves {
            room.leaf_labels.push((bits.edge_label(leaves.edge_label)? as u32, bits.label(leaves.label)? as u32));
        }
        let Room { candidates, adjacent, ends, leaf_labels } = room;
        let fixed = Fixed { inner: self, bits, adjacent, ends, leaf_labels };
        let all = (1_u32 << inner) - 1;
        Some(fixed.place::<W>(candidates, all, &[0; W], &mut [0; MAX_VERTICES]))
    }
}

/// What does not change during a search.
struct Fixed<'a> {
    inner: &'a Inner,
    bits: &'a GraphBits,
    adjacent: &'a [(u32, u32)],
    ends: &'a [u32],
    leaf_labels: &'a [(u32, u32)],
}

/// Number of candidates.
#[inline]
fn few<const W: usize>(bits: &[u64]) -> u32 {
    if W == 1 && bits[0] & bits[0].wrapping_sub(1) == 0 {
        return 1;
    }
    count::<W>(bits)
}

impl Fixed<'_> {
    /// Places the vertices that are `open`. The first part of `candidates` is theirs, the rest is working memory.
    fn place<const W: usize>(
        &self,
        candidates: &mut [u64],
        open: u32,
        used: &Bits<W>,
        image: &mut [u8; MAX_VERTICES],
    ) -> bool {
        let inner = self.inner.vertices.len();
        let (here, rest) = candidates.split_at_mut(inner * W);
        let mut best = (u32::MAX, 0);
        let mut left = open;
        while left != 0 {
            let v = left.trailing_zeros() as usize;
            left &= left - 1;
            best = best.min((few::<W>(&here[v * W..]), v));
        }
        let vertex = best.1;
        let mut mine: Bits<W> = [0; W];
        mine.copy_from_slice(&here[vertex * W..][..W]);
        let open = open & !(1 << vertex);
        let first = vertex.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let adjacent = &self.adjacent[first..self.ends[vertex] as usize];
        'next: while let Some(at) = pop(&mut mine) {
            image[vertex] = at as u8;
            let mut used = *used;
            insert(&mut used, at);
            // Leaves that hang here or elsewhere must still have room.
            if !self.groups_have_room(open, &used, image) {
                continue;
            }
            if open == 0 {
                if self.leaves_have_room(&used, image) {
                    return true;
                }
                continue;
            }
            rest[..inner * W].copy_from_slice(here);
            for &(other, label) in adjacent.iter().filter(|(other, _)| open >> other & 1 == 1) {
                let near: Bits<W> = self.bits.neighbors(at, label as usize);
                for (word, near) in rest[other as usize * W..][..W].iter_mut().zip(near) {
                    *word &= near;
                }
            }
            let mut left = open;
            while left != 0 {
                let v = left.trailing_zeros() as usize;
                left &= left - 1;
                let candidates = &mut rest[v * W..][..W];
                candidates[at / 64] &= !(1 << (at % 64));
                if candidates.iter().all(|&word| word == 0) {
                    continue 'next;
                }
            }
            if self.place::<W>(rest, open, &used, image) {
                return true;
            }
        }
        false
    }

    /// Free vertices for a group of leaves whose stem is placed.
    #[inline]
    fn free<const W: usize>(&self, group: usize, used: &Bits<W>, image: &[u8; MAX_VERTICES]) -> Bits<W> {
        let (edge_label, label) = self.leaf_labels[group];
        let stem = image[self.inner.leaves[group].stem] as usize;
        let near: Bits<W> = self.bits.neighbors(stem, edge_label as usize);
        without(and(near, self.bits.with_label(label as usize)), used)
    }

    /// Whether each group of leaves whose stem is placed has enough vertices for itself, and all of them together.
    fn groups_have_room<const W: usize>(&self, open: u32, used: &Bits<W>, image: &[u8; MAX_VERTICES]) -> bool {
        let mut union: Bits<W> = [0; W];
        let mut wanted = 0;
        for (group, leaves) in self.inner.leaves.iter().enumerate() {
            if open >> leaves.stem & 1 == 0 {
                let free = self.free(group, used, image);
                if !has(&free, leaves.count) {
                    return false;
                }
                union = or(union, free);
                wanted += leaves.count;
            }
        }
        has(&union, wanted)
    }

    /// Whether all leaves together have room, if each group has.
    fn leaves_have_room<const W: usize>(&self, used: &Bits<W>, image: &[u8; MAX_VERTICES]) -> bool {
        let leaves = &self.inner.leaves;
        if leaves.len() < 3 {
            // One group, or two and their union: looked at when the last vertex was placed.
            return true;
        }
        // As a rule the first vertices will do.
        let mut taken = *used;
        let first_will_do = leaves.iter().enumerate().all(|(group, leaves)| {
            let mut free = self.free(group, &taken, image);
            (0..leaves.count).all(|_| pop(&mut free).map(|vertex| insert(&mut taken, vertex)).is_some())
        });
        first_will_do || self.unions_have_room(0, used, image, ([0; W], 0))
    }

    /// Whether each union of these with some of the groups from `group` on has enough vertices.
    fn unions_have_room<const W: usize>(
        &self,
        group: usize,
        used: &Bits<W>,
        image: &[u8; MAX_VERTICES],
        (union, wanted): (Bits<W>, u32),
    ) -> bool {
        let Some(leaves) = self.inner.leaves.get(group) else { return true };
        let with = (or(union, self.free(group, used, image)), wanted + leaves.count);
        has(&with.0, with.1)
            && self.unions_have_room(group + 1, used, image, with)
            && self.unions_have_room(group + 1, used, image, (union, wanted))
    }
}
