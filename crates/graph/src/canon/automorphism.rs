//! The symmetry of a pattern: its automorphisms and the orbits of its vertices.
//!
//! An automorphism maps the pattern onto itself and keeps labels, edges and qualifiers. Vertices that some automorphism
//! maps onto each other form an *orbit*; they have the same images in every graph. Patterns are small, so a plain
//! backtracking search in the order of the code suffices: every vertex but the first has an earlier neighbour.
//!
//! Tested against all permutations.

use super::dfs_code::DfsEdge;
use super::minimality::MAX_VERTICES;
use crate::ids::{Label, Qualifier};
use crate::stop;

/// No edge between two vertices.
const NONE: u64 = u64::MAX;

/// One automorphism: the image of each vertex.
pub(crate) type Permutation = [u8; MAX_VERTICES];

/// A pattern whose symmetry is wanted, with reusable memory.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    num_vertices: usize,
    /// By vertex: what an automorphism keeps of it by itself.
    colors: [(Label, u64, u32); MAX_VERTICES],
    /// Label of the edge between two vertices, `MAX_VERTICES` per row, or [`NONE`].
    edges: Vec<u64>,
    /// By vertex: an earlier neighbour.
    before: [u8; MAX_VERTICES],
    /// By vertex: its neighbours as bits.
    adjacent: [u32; MAX_VERTICES],
}

/// A vertex and the one that it is mapped to.
#[derive(Clone, Copy)]
struct Fixed {
    from: usize,
    to: usize,
}

impl Default for Symmetry {
    fn default() -> Self {
        Self {
            num_vertices: 0,
            colors: [(Label(0), 0, 0); MAX_VERTICES],
            edges: vec![NONE; MAX_VERTICES * MAX_VERTICES],
            before: [0; MAX_VERTICES],
            adjacent: [0; MAX_VERTICES],
        }
    }
}

impl Symmetry {
    /// Loads a pattern: the label of its first vertex, the edges of its code, its qualifiers.
    pub(crate) fn load(&mut self, start: Label, code: &[DfsEdge], qualifiers: &[Qualifier]) {
        let n = 1 + code.iter().map(|e| e.from.max(e.to)).max().unwrap_or(0) as usize;
        self.num_vertices = n;
        self.colors[..n].fill((start, 0, 0));
        self.adjacent[..n].fill(0);
        for row in self.edges.chunks_exact_mut(MAX_VERTICES).take(n) {
            row[..n].fill(NONE);
        }
        for edge in code {
            let (from, to) = (edge.from as usize, edge.to as usize);
            (self.colors[from].0, self.colors[to].0) = (edge.from_label, edge.to_label);
            (self.colors[from].2, self.colors[to].2) = (self.colors[from].2 + 1, self.colors[to].2 + 1);
            self.adjacent[from] |= 1 << to;
            self.adjacent[to] |= 1 << from;
            self.edges[from * MAX_VERTICES + to] = u64::from(edge.edge_label.0);
            self.edges[to * MAX_VERTICES + from] = u64::from(edge.edge_label.0);
            if edge.is_forward() {
                self.before[to] = from as u8;
            }
        }
        for qualifier in qualifiers {
            self.colors[qualifier.vertex as usize].1 |= 1 << qualifier.value;
        }
    }

    /// Number of vertices of the loaded pattern.
    pub(crate) fn num_vertices(&self) -> usize {
        self.num_vertices
    }

    /// All automorphisms, the identity first; `None` if there are more than `most`.
    pub(crate) fn automorphisms(&self, most: usize) -> Option<Vec<Permutation>> {
        let mut all = Vec::with_capacity(2);
        let is_complete = !self.map(0, 0, &mut [0; MAX_VERTICES], &mut |image| {
            all.push(*image);
            all.len() > most
        });
        is_complete.then_some(all)
    }

    /// The orbit of each vertex, numbered in the order of their first vertices; returns their number.
    pub(crate) fn orbits(&self, orbit: &mut [u8; MAX_VERTICES]) -> usize {
        let mut first = [0_u8; MAX_VERTICES];
        let mut len = 0;
        for v in 0..self.num_vertices {
            let same = (0..len).find(|&known| self.maps(first[known] as usize, v));
            orbit[v] = same.unwrap_or(len) as u8;
            if same.is_none() {
                first[len] = v as u8;
                len += 1;
            }
        }
        len
    }

    /// Whether some automorphism maps one vertex onto another.
    fn maps(&self, from: usize, to: usize) -> bool {
        if self.colors[from] != self.colors[to] {
            return false;
        }
        let sorted = |v: usize| {
            let mut around = [(Label(0), 0, 0, 0); MAX_VERTICES];
            let mut len = 0;
            for u in crate::bitset::ones(self.adjacent[v]) {
                let (label, qualifiers, degree) = self.colors[u];
                around[len] = (label, qualifiers, degree, self.edges[v * MAX_VERTICES + u]);
                len += 1;
            }
            around[..len].sort_unstable();
            around
        };
        sorted(from) == sorted(to) && self.map_fixed(Fixed { from, to }, 0, 0, &mut [0; MAX_VERTICES])
    }

    /// Continues an automorphism with vertex `v`; true if one exists.
    fn map_fixed(&self, fixed: Fixed, v: usize, used: u32, image: &mut Permutation) -> bool {
        stop::work(1);
        if v == self.num_vertices {
            return true;
        }
        let near = if v == 0 { ((1_u64 << self.num_vertices) - 1) as u32 } else { self.near(v, image) };
        crate::bitset::ones(near & !used).any(|w| {
            let is_allowed = (v == fixed.from) == (w == fixed.to);
            is_allowed && self.fits(v, w, image) && {
                image[v] = w as u8;
                self.map_fixed(fixed, v + 1, used | 1 << w, image)
            }
        })
    }

    /// Shows all automorphisms that continue this one to `visit` until it returns true; returns whether it did.
    fn map(&self, v: usize, used: u32, image: &mut Permutation, visit: &mut impl FnMut(&Permutation) -> bool) -> bool {
        stop::work(1);
        if v == self.num_vertices {
            return visit(image);
        }
        let near = if v == 0 { ((1_u64 << self.num_vertices) - 1) as u32 } else { self.near(v, image) };
        // In the order of the vertices, so the identity comes first.
        let mut open = near & !used;
        while open != 0 {
            let w = open.trailing_zeros() as usize;
            open &= open - 1;
            if self.fits(v, w, image) {
                image[v] = w as u8;
                if self.map(v + 1, used | 1 << w, image, visit) {
                    return true;
                }
            }
        }
        false
    }

    /// Neighbours of the image of the earlier neighbour of a vertex.
    fn near(&self, v: usize, image: &Permutation) -> u32 {
        self.adjacent[image[self.before[v] as usize] as usize]
    }

    /// Whether vertex `v` may be mapped to `w` after all vertices before it.
    fn fits(&self, v: usize, w: usize, image: &Permutation) -> bool {
        self.colors[v] == self.colors[w]
            && (0..v).all(|u| self.edges[v * MAX_VERTICES + u] == self.edges[w * MAX_VERTICES + image[u] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u32, to: u32) -> DfsEdge {
        DfsEdge { from, to, from_label: Label(0), edge_label: Label(0), to_label: Label(0) }
    }

    fn orbits(code: &[DfsEdge], qualifiers: &[Qualifier]) -> Vec<u8> {
        let mut symmetry = Symmetry::default();
        symmetry.load(Label(0), code, qualifiers);
        let mut orbit = [0; MAX_VERTICES];
        symmetry.orbits(&mut orbit);
        orbit[..symmetry.num_vertices()].to_vec()
    }

    #[test]
    fn rings_paths_and_stars_have_the_orbits_that_everyone_expects() {
        let ring: Vec<DfsEdge> = (0..5).map(|v| edge(v, v + 1)).chain([edge(5, 0)]).collect();
        assert_eq!(orbits(&ring, &[]), [0; 6]);
        let one = Qualifier { vertex: 0, value: 3 };
        assert_eq!(orbits(&ring, &[one]), [0, 1, 2, 3, 2, 1]);
        assert_eq!(orbits(&[edge(0, 1), edge(1, 2), edge(2, 3)], &[]), [0, 1, 1, 0]);
        // 30! automorphisms: orbits need none of them listed.
        let star: Vec<DfsEdge> = std::iter::once(edge(0, 1)).chain((2..32).map(|to| edge(1, to))).collect();
        assert_eq!(orbits(&star, &[])[..3], [0, 1, 0]);
        assert_eq!(orbits(&[], &[]), [0]);
    }

    #[test]
    fn automorphisms_are_the_permutations_that_keep_the_pattern() {
        let mut symmetry = Symmetry::default();
        let ring: Vec<DfsEdge> = (0..5).map(|v| edge(v, v + 1)).chain([edge(5, 0)]).collect();
        symmetry.load(Label(0), &ring, &[]);
        let all = symmetry.automorphisms(100).unwrap();
        assert_eq!((all.len(), &all[0][..6]), (12, &[0, 1, 2, 3, 4, 5][..]));
        assert_eq!(symmetry.automorphisms(11), None);
        symmetry.load(Label(0), &ring, &[Qualifier { vertex: 2, value: 0 }]);
        assert_eq!(symmetry.automorphisms(100).unwrap().len(), 2);
        symmetry.load(Label(7), &[], &[]);
        assert_eq!(symmetry.automorphisms(100).unwrap().len(), 1);
    }
}
