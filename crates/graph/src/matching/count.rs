//! Minimum-image counts: how often a graph contains a pattern, in the one sense that never grows with it.
//!
//! Promise: [`CountSet::counts`] is, for each pattern, the smallest over its vertices of the number of
//! distinct vertices of the graph that embeddings map it to; 0 if there is none. Every (pattern vertex, graph
//! vertex) pair that could matter is decided by a search for one embedding, so the cost does not grow with
//! the number of embeddings. Tested against the definition in `tests/matching_vs_oracle.rs`.

use super::finder::{Finder, Scratch};
use super::index::{Planned, Roots};
use super::plan::Plan;
use super::set::{PatternError, PatternSet, check_patterns};
use crate::graph::Graph;
use crate::pattern::DfsCode;
use rayon::prelude::*;

/// Patterns ready to be counted.
#[derive(Clone, Debug)]
pub struct CountSet {
    /// Plans of a pattern: from its center, then from one vertex of each orbit.
    set: PatternSet,
    /// For each pattern the orbit of each of its vertices: vertices of one orbit have the same images.
    orbits: Vec<Vec<u32>>,
}

/// What is known of the images of one pattern in one graph; used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Images {
    /// Number of vertices of the graph.
    len: usize,
    age: u32,
    /// The age at which vertex `v` was seen as an image of orbit `o`, at `o * len + v`.
    seen: Vec<u32>,
    /// Images seen so far, by orbit.
    numbers: Vec<u32>,
    /// Vertices that may be images, by orbit.
    roots: Vec<Vec<u32>>,
    order: Vec<u32>,
    counts: Vec<u32>,
}

impl Images {
    fn start(&mut self, orbits: usize, len: usize) {
        if self.age == u32::MAX {
            self.age = 0;
            self.seen.fill(0);
        }
        self.age += 1;
        self.len = len;
        if self.seen.len() < orbits * len {
            self.seen.resize(orbits * len, 0);
        }
        self.numbers.clear();
        self.numbers.resize(orbits, 0);
        if self.roots.len() < orbits {
            self.roots.resize(orbits, Vec::new());
        }
    }

    fn has(&self, orbit: usize, vertex: u32) -> bool {
        self.seen[orbit * self.len + vertex as usize] == self.age
    }

    fn add_embedding(&mut self, plan: &Plan, orbits: &[u32], images: &[u32]) {
        for (step, &image) in plan.steps.iter().zip(images) {
            let orbit = orbits[step.vertex as usize] as usize;
            if !self.has(orbit, image) {
                self.seen[orbit * self.len + image as usize] = self.age;
                self.numbers[orbit] += 1;
            }
        }
    }
}

impl CountSet {
    /// Prepares patterns given as codes.
    pub fn new(codes: &[DfsCode]) -> Self {
        let graphs: Vec<Graph> = codes.iter().map(DfsCode::to_graph).collect();
        Self::plan(&graphs)
    }

    /// Prepares patterns given as connected graphs with edges.
    pub fn from_graphs(patterns: &[Graph]) -> Result<Self, PatternError> {
        check_patterns(patterns)?;
        Ok(Self::plan(patterns))
    }

    fn plan(patterns: &[Graph]) -> Self {
        let mut set = PatternSet::plan(patterns, Roots::All);
        let mut finder = Finder::default();
        let mut orbits = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            finder.load(&set.index, pattern);
            let (orbit, first) = orbits_of(&set, at, pattern, &mut finder);
            let planned = &mut set.patterns[at];
            let mut vertex = 0;
            planned.plans.retain(|_| {
                // The plan from the center comes first, then one a vertex.
                vertex += 1;
                vertex == 1 || first[vertex - 2]
            });
            orbits.push(orbit);
        }
        Self { set, orbits }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The minimum-image count of each pattern.
    pub fn counts<'s>(&self, graph: &Graph, scratch: &'s mut Scratch) -> &'s [u32] {
        let Scratch { finder, images, .. } = scratch;
        let mut counts = std::mem::take(&mut images.counts);
        counts.clear();
        counts.resize(self.len(), 0);
        finder.load(&self.set.index, graph);
        self.set.prefixes.each(|pattern| {
            let planned = &self.set.patterns[pattern as usize];
            let count =
                if finder.has_room_for(planned) { self.count(pattern as usize, graph, finder, images) } else { 0 };
            counts[pattern as usize] = count;
            count > 0
        });
        images.counts = counts;
        &images.counts
    }

    /// The counts of all patterns in each graph. Works on all of rayon's threads; the answer does not depend on
    /// their number.
    pub fn count_all(&self, graphs: &[Graph]) -> Vec<Vec<u32>> {
        graphs.par_iter().map_init(Scratch::default, |scratch, graph| self.counts(graph, scratch).to_vec()).collect()
    }

    fn count(&self, pattern: usize, graph: &Graph, finder: &mut Finder, images: &mut Images) -> u32 {
        let (index, orbits) = (&self.set.index, &self.orbits[pattern]);
        let Planned { plans, .. } = &self.set.patterns[pattern];
        let (center, plans) = (&plans[0], &plans[1..]);
        images.start(plans.len(), graph.num_vertices());
        let is_there = finder.search(index, graph, center, |found| {
            images.add_embedding(center, orbits, found);
            true
        });
        if !is_there {
            return 0;
        }
        for (orbit, plan) in plans.iter().enumerate() {
            finder.roots(index, graph, plan, &mut images.roots[orbit]);
        }
        // Fewest possible images first: the sooner the smallest number is known, the less is to be decided.
        images.order.clear();
        images.order.extend(0..plans.len() as u32);
        images.order.sort_by_key(|&orbit| images.roots[orbit as usize].len());
        let mut smallest = u32::MAX;
        for at in 0..plans.len() {
            let orbit = images.order[at] as usize;
            let plan = &plans[orbit];
            for root in 0..images.roots[orbit].len() {
                if images.numbers[orbit] >= smallest {
                    break;
                }
                let vertex = images.roots[orbit][root];
                if !images.has(orbit, vertex) {
                    finder.search_from(index, graph, plan, vertex, |found| {
                        images.add_embedding(plan, orbits, found);
                        true
                    });
                }
            }
            smallest = smallest.min(images.numbers[orbit]);
            if smallest == 1 {
                break;
            }
        }
        smallest
    }
}

/// The orbit of each vertex of a pattern under its symmetries, and whether the vertex is the first of its orbit.
/// The pattern is loaded; its plans are those of [`Roots::All`].
fn orbits_of(set: &PatternSet, at: usize, pattern: &Graph, finder: &mut Finder) -> (Vec<u32>, Vec<bool>) {
    let plans = &set.patterns[at].plans[1..];
    let mut orbit = vec![u32::MAX; plans.len()];
    let mut first = vec![false; plans.len()];
    let mut next = 0;
    let mut roots = Vec::new();
    for vertex in 0..plans.len() {
        if orbit[vertex] != u32::MAX {
            continue;
        }
        orbit[vertex] = next;
        first[vertex] = true;
        // An embedding of a pattern into itself is a symmetry.
        finder.roots(&set.index, pattern, &plans[vertex], &mut roots);
        for &other in &roots {
            if orbit[other as usize] == u32::MAX
                && finder.search_from(&set.index, pattern, &plans[vertex], other, |_| true)
            {
                orbit[other as usize] = next;
            }
        }
        next += 1;
    }
    (orbit, first)
}
