//! Minimum-image-based (MNI) counts of patterns in a graph: the count that is anti-monotone.
//!
//! Promise: [`CountSet::counts`] is, for each pattern, the smallest over its vertices of the number of distinct images;
//! 0 if there is no embedding. Every (pattern vertex, graph vertex) pair that could matter is decided by a search for one
//! embedding, so the cost does not grow with the number of embeddings. Tested against the definition in
//! `tests/matching_vs_oracle.rs`.

use super::index::{PlannedPattern, Roots};
use super::matcher::{Matcher, Scratch};
use super::pattern_set::{PatternError, PatternSet, check_patterns};
use super::plan::SearchPlan;
use crate::canon::DfsCode;
use crate::graph::Graph;
use rayon::prelude::*;

/// Patterns prepared for counting.
#[derive(Clone, Debug)]
pub struct CountSet {
    /// Plans of a pattern: from its center, then from one vertex of each orbit.
    set: PatternSet,
    /// For each pattern the orbit of each vertex under its automorphisms: vertices of one orbit have the same images.
    orbits: Vec<Vec<u32>>,
}

/// The images of one pattern in one graph found so far, with reusable memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Images {
    /// Number of vertices of the graph.
    len: usize,
    age: u32,
    /// The age at which vertex `v` became an image of orbit `o`, at `o * len + v`.
    seen: Vec<u32>,
    /// Number of images so far, by orbit.
    numbers: Vec<u32>,
    /// Candidates for images, by orbit.
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

    fn add_embedding(&mut self, plan: &SearchPlan, orbits: &[u32], images: &[u32]) {
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
        let mut matcher = Matcher::default();
        let mut orbits = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            matcher.load(&set.index, pattern);
            let (orbit, first) = orbits_of(&set, at, pattern, &mut matcher);
            let planned = &mut set.patterns[at];
            let mut vertex = 0;
            planned.plans.retain(|_| {
                // The plan from the center comes first, then one per vertex.
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
        let Scratch { matcher, images, .. } = scratch;
        let mut counts = std::mem::take(&mut images.counts);
        counts.clear();
        counts.resize(self.len(), 0);
        matcher.load(&self.set.index, graph);
        self.set.prefix_order.each(|pattern| {
            let planned = &self.set.patterns[pattern as usize];
            let count = if matcher.is_large_enough_for(planned) {
                self.count(pattern as usize, graph, matcher, images)
            } else {
                0
            };
            counts[pattern as usize] = count;
            count > 0
        });
        images.counts = counts;
        &images.counts
    }

    /// The counts of all patterns in each graph. Uses all threads of rayon; the result is the same for any number.
    pub fn count_all(&self, graphs: &[Graph]) -> Vec<Vec<u32>> {
        graphs.par_iter().map_init(Scratch::default, |scratch, graph| self.counts(graph, scratch).to_vec()).collect()
    }

    fn count(&self, pattern: usize, graph: &Graph, matcher: &mut Matcher, images: &mut Images) -> u32 {
        let (index, orbits) = (&self.set.index, &self.orbits[pattern]);
        let PlannedPattern { plans, .. } = &self.set.patterns[pattern];
        let (center, plans) = (&plans[0], &plans[1..]);
        images.start(plans.len(), graph.num_vertices());
        let is_present = matcher.search(index, graph, center, |found| {
            images.add_embedding(center, orbits, found);
            true
        });
        if !is_present {
            return 0;
        }
        for (orbit, plan) in plans.iter().enumerate() {
            matcher.roots(index, graph, plan, &mut images.roots[orbit]);
        }
        // Fewest candidates first: the sooner the minimum is small, the fewer searches are needed.
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
                    matcher.search_from(index, graph, plan, vertex, |found| {
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

/// The orbit of each vertex of a pattern under its automorphisms, and whether the vertex is the first of its orbit.
/// The pattern is loaded; its plans are those of [`Roots::All`].
fn orbits_of(set: &PatternSet, at: usize, pattern: &Graph, matcher: &mut Matcher) -> (Vec<u32>, Vec<bool>) {
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
        // An embedding of a pattern into itself is an automorphism.
        matcher.roots(&set.index, pattern, &plans[vertex], &mut roots);
        for &other in &roots {
            if orbit[other as usize] == u32::MAX
                && matcher.search_from(&set.index, pattern, &plans[vertex], other, |_| true)
            {
                orbit[other as usize] = next;
            }
        }
        next += 1;
    }
    (orbit, first)
}
