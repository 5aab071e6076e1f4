//! Enumerates embeddings of a pattern in one graph by backtracking over bit sets, where they are too many to list all.
//!
//! An [`EmbeddingSearch`] is the order in which the vertices of a pattern are mapped: first the ends of its last edge,
//! whose existence is the question, then always one with the most mapped neighbours, vertices on rings first. The
//! candidates of a vertex are the common neighbours of its mapped neighbours' images that have its label and enough
//! neighbours of each type. When a vertex has no candidate left, the search goes back to the last vertex that excluded
//! one (conflict-directed backjumping), not just to the last one mapped.
//!
//! Why not `existence.rs`: that one decides faster, but treats leaves as a group and so cannot list embeddings. Shares
//! no search code with the matcher of `matching/`, which tests it through the miner.

use super::graph_bits::{GraphBits, RequiredNeighbors, by_width};
use super::list::Embedding;
use crate::bitset::Words;
use crate::canon::{DfsEdge, MAX_VERTICES};
use crate::database::Database;
use crate::ids::{Label, Qualifier};
use crate::stop::Turns;

/// Maps one vertex of the pattern.
#[derive(Debug)]
struct SearchStep {
    pattern_vertex: usize,
    label: Label,
    /// (earlier step, edge label) of its mapped neighbours.
    anchors: Vec<(usize, Label)>,
    required: RequiredNeighbors,
    /// Qualifiers that the image must have, and those that it must not have, as bits.
    has: u64,
    lacks: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchPattern<'a> {
    /// Label of its first vertex.
    pub(crate) start: Label,
    pub(crate) code: &'a [DfsEdge],
    pub(crate) qualifiers: &'a [Qualifier],
    /// One more qualifier, and whether the image must have it or lack it.
    pub(crate) extra: Option<(Qualifier, bool)>,
}

/// The order in which the vertices of a pattern are mapped.
#[derive(Debug)]
pub(crate) struct EmbeddingSearch {
    steps: Vec<SearchStep>,
}

impl SearchPattern<'_> {
    /// Qualifiers that the image of a vertex must have, and those that it must not have, as bits.
    fn qualifiers_of(&self, vertex: usize) -> (u64, u64) {
        let bit = |q: &Qualifier| if q.vertex as usize == vertex { 1 << q.value } else { 0 };
        let has = self.qualifiers.iter().fold(0, |bits, q| bits | bit(q));
        match &self.extra {
            Some((extra, true)) => (has | bit(extra), 0),
            Some((extra, false)) => (has, bit(extra)),
            None => (has, 0),
        }
    }
}

/// (Neighbour, edge label) of each vertex of a pattern.
type Adjacency = Vec<Vec<(usize, Label)>>;

impl EmbeddingSearch {
    /// Prepares a pattern without qualifiers, starting at its last edge. `None` if a pair of labels does not occur in
    /// any graph.
    pub(crate) fn new(db: &Database, code: &[DfsEdge]) -> Option<Self> {
        let last = code.last()?;
        let pattern = SearchPattern { start: code[0].from_label, code, qualifiers: &[], extra: None };
        Self::prepare(db, &pattern, &[last.from as usize, last.to as usize])
    }

    /// Prepares a pattern, starting at one of its vertices.
    pub(crate) fn from_root(db: &Database, pattern: &SearchPattern<'_>, root: usize) -> Option<Self> {
        Self::prepare(db, pattern, &[root])
    }

    fn prepare(db: &Database, pattern: &SearchPattern<'_>, first: &[usize]) -> Option<Self> {
        let code = pattern.code;
        let vertices = 1 + code.iter().map(|e| e.from.max(e.to) as usize).max().unwrap_or(0);
        let mut labels = vec![pattern.start; vertices];
        let mut adjacent: Adjacency = vec![Vec::new(); vertices];
        for edge in code {
            let (from, to) = (edge.from as usize, edge.to as usize);
            (labels[from], labels[to]) = (edge.from_label, edge.to_label);
            adjacent[from].push((to, edge.edge_label));
            adjacent[to].push((from, edge.edge_label));
        }
        let order = search_order(&adjacent, first)?;
        let mut steps = Vec::with_capacity(vertices);
        for (at, &v) in order.iter().enumerate() {
            let anchors = adjacent[v]
                .iter()
                .filter_map(|&(u, label)| order[..at].iter().position(|&o| o == u).map(|step| (step, label)))
                .collect();
            let mut required = RequiredNeighbors::default();
            for &(u, edge_label) in &adjacent[v] {
                required.add(db.type_of(edge_label, labels[u])?);
            }
            let (has, lacks) = pattern.qualifiers_of(v);
            steps.push(SearchStep { pattern_vertex: v, label: labels[v], anchors, required, has, lacks });
        }
        Some(Self { steps })
    }

    /// Whether the graph contains the pattern.
    pub(crate) fn exists<E: Embedding>(&self, bits: &GraphBits) -> bool {
        let mut is_found = false;
        self.embeddings(bits, &mut |_: E| {
            is_found = true;
            false
        });
        is_found
    }

    /// Shows for each vertex to which the first step may be mapped one embedding that does, if there is one. First asks
    /// `visit` with the vertex alone, which returns true to skip it. Returns the number of searches.
    pub(crate) fn each_root<E: Embedding>(
        &self,
        bits: &GraphBits,
        mut visit: impl FnMut(usize, Option<&E>) -> bool,
    ) -> u64 {
        by_width!(bits, W => self.search_roots::<E, W>(bits, &mut visit))
    }

    fn search_roots<E: Embedding, const W: usize>(
        &self,
        bits: &GraphBits,
        visit: &mut impl FnMut(usize, Option<&E>) -> bool,
    ) -> u64 {
        let mut state = SearchState::<W>::EMPTY;
        if !state.load(&self.steps, bits) {
            return 0;
        }
        let mut roots = state.domains[0];
        let mut searches = 0;
        while let Some(root) = roots.pop() {
            if visit(root, None) {
                continue;
            }
            searches += 1;
            state.candidates[0] = Words::EMPTY;
            state.candidates[0].insert(root);
            state.conflicts[0] = 0;
            state.used = Words::EMPTY;
            self.run(bits, &mut state, &mut |embedding: E| {
                visit(root, Some(&embedding));
                false
            });
        }
        searches
    }

    /// Calls back with embeddings in the graph until the callback returns `false`.
    pub(crate) fn embeddings<E: Embedding>(&self, bits: &GraphBits, found: &mut impl FnMut(E) -> bool) {
        by_width!(bits, W => self.search::<E, W>(bits, found));
    }

    pub(crate) fn num_vertices(&self) -> usize {
        self.steps.len()
    }

    fn search<E: Embedding, const W: usize>(&self, bits: &GraphBits, found: &mut impl FnMut(E) -> bool) {
        let mut state = SearchState::<W>::EMPTY;
        if state.load(&self.steps, bits) {
            self.run(bits, &mut state, found);
        }
    }

    /// Continues a search whose first step has candidates, until the callback returns `false`.
    fn run<E: Embedding, const W: usize>(
        &self,
        bits: &GraphBits,
        state: &mut SearchState<W>,
        found: &mut impl FnMut(E) -> bool,
    ) {
        let last = self.steps.len() - 1;
        let mut at = 0;
        let mut turns = Turns::begin();
        loop {
            turns.turn();
            if let Some(vertex) = state.candidates[at].pop() {
                state.image[at] = vertex;
                if at == last {
                    let mut embedding = E::EMPTY;
                    for (step, &vertex) in self.steps.iter().zip(&state.image) {
                        embedding = embedding.with(step.pattern_vertex, vertex as u32);
                    }
                    if !found(embedding) {
                        return;
                    }
                    // An embedding is no conflict: plain backtracking from here.
                    state.conflicts[at] = (1_u32 << at) - 1;
                    continue;
                }
                state.used.insert(vertex);
                at += 1;
                state.open(bits, at);
            } else {
                if state.conflicts[at] == 0 {
                    return;
                }
                at = state.jump_back(at);
            }
        }
    }
}

/// Working memory of one search.
struct SearchState<const W: usize> {
    /// By step: the vertices with the right label and enough neighbours.
    domains: [Words<W>; MAX_VERTICES],
    /// (Earlier step, index of the edge label in this graph) of all steps, in order.
    anchors: [(usize, usize); MAX_VERTICES],
    /// By step: its first anchor.
    first_anchor: [usize; MAX_VERTICES + 1],
    candidates: [Words<W>; MAX_VERTICES],
    /// By step: the earlier steps that excluded a candidate of it, as bits.
    conflicts: [u32; MAX_VERTICES],
    image: [usize; MAX_VERTICES],
    used: Words<W>,
}

impl<const W: usize> SearchState<W> {
    const EMPTY: Self = Self {
        domains: [Words::EMPTY; MAX_VERTICES],
        anchors: [(0, 0); MAX_VERTICES],
        first_anchor: [0; MAX_VERTICES + 1],
        candidates: [Words::EMPTY; MAX_VERTICES],
        conflicts: [0; MAX_VERTICES],
        image: [0; MAX_VERTICES],
        used: Words::EMPTY,
    };

    /// Starts a search; false if a vertex has no candidate at all. In place: the state is too large to be moved.
    #[inline(always)]
    fn load(&mut self, steps: &[SearchStep], bits: &GraphBits) -> bool {
        for (at, step) in steps.iter().enumerate() {
            self.domains[at] = bits.qualified(bits.domain(step.label, &step.required), step.has, step.lacks);
            if self.domains[at].is_empty() {
                return false;
            }
            let mut next = self.first_anchor[at];
            for &(earlier, label) in &step.anchors {
                let Some(label) = bits.edge_label_index(label) else { return false };
                self.anchors[next] = (earlier, label);
                next += 1;
            }
            self.first_anchor[at + 1] = next;
        }
        self.candidates[0] = self.domains[0];
        true
    }

    /// Finds the candidates of a step, and which earlier steps exclude others.
    #[inline(always)]
    fn open(&mut self, bits: &GraphBits, at: usize) {
        let mut open = self.domains[at];
        let mut conflicts = 0_u32;
        for &(earlier, label) in &self.anchors[self.first_anchor[at]..self.first_anchor[at + 1]] {
            open &= bits.neighbors(self.image[earlier], label);
            conflicts |= 1 << earlier;
        }
        let taken = open & self.used;
        if !taken.is_empty() {
            for (earlier, &vertex) in self.image[..at].iter().enumerate() {
                conflicts |= u32::from(taken.contains(vertex)) << earlier;
            }
        }
        self.candidates[at] = open.without(&self.used);
        self.conflicts[at] = conflicts;
    }

    /// Goes back to the last step in conflict, which inherits the other conflicts.
    #[inline(always)]
    fn jump_back(&mut self, mut at: usize) -> usize {
        let back = 31 - self.conflicts[at].leading_zeros() as usize;
        let inherited = self.conflicts[at] & !(1 << back);
        while at > back {
            at -= 1;
            self.used.remove(self.image[at]);
        }
        self.conflicts[at] |= inherited;
        at
    }
}

/// The vertices of a pattern in search order, from these on; two of them are ordered by their number of neighbours.
fn search_order(adjacent: &Adjacency, first: &[usize]) -> Option<Vec<usize>> {
    let on_ring = two_core(adjacent);
    let mut order = first.to_vec();
    order.sort_by_key(|&v| std::cmp::Reverse(adjacent[v].len()));
    while order.len() < adjacent.len() {
        let mapped = |v: usize| adjacent[v].iter().filter(|(u, _)| order.contains(u)).count();
        let next = (0..adjacent.len())
            .filter(|v| !order.contains(v))
            .max_by_key(|&v| (mapped(v), on_ring[v], adjacent[v].len(), std::cmp::Reverse(v)))?;
        order.push(next);
    }
    Some(order)
}

/// The 2-core of a pattern: the vertices that are left when vertices with one neighbour are removed again and again.
fn two_core(adjacent: &Adjacency) -> Vec<bool> {
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
