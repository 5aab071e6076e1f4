//! Counts of patterns in a graph: copies, or the minimum-image (MNI) count, which is anti-monotone.
//!
//! Promise: [`CountSet::counts`] is, for each pattern, the smallest number of distinct images of one of its vertices
//! ([`Counts::MinimumImage`]), or of `ceil(images / size)` over the orbits of its vertices under its automorphisms,
//! qualifiers aside ([`Counts::Copies`]), which is at most the number of occurrences; 0 if there is no embedding. Every
//! (pattern vertex, graph vertex) pair that could matter is decided by a search for one embedding, so the cost does not
//! grow with the number of embeddings. Tested against the definition in `tests/matching_vs_oracle.rs`.

use super::index::{PlannedPattern, Roots};
use super::matcher::{Matcher, Scratch};
use super::pattern_set::{PatternError, PatternSet, check_patterns};
use super::plan::SearchPlan;
use crate::canon::DfsCode;
use crate::embed::Counts;
use crate::graph::Graph;
use rayon::prelude::*;

/// Patterns prepared for counting.
#[derive(Clone, Debug)]
pub struct CountSet {
    /// Plans of a pattern: from its center, then from some of its vertices.
    set: PatternSet,
    orbits: Vec<Orbits>,
}

/// The orbits of a pattern under its automorphisms, qualifiers aside. With minimum-image counts of a qualified pattern,
/// each vertex is one of its own.
#[derive(Clone, Debug)]
struct Orbits {
    /// By vertex.
    of: Vec<u32>,
    /// By orbit: how many images make one count.
    divisors: Vec<u32>,
    /// By orbit: the plans from its vertices. Without qualifiers vertices of an orbit have the same images, so one is
    /// enough.
    plans: Vec<Vec<usize>>,
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
    /// Candidates for images, by plan.
    roots: Vec<Vec<u32>>,
    order: Vec<u32>,
    counts: Vec<u32>,
}

impl Images {
    fn start(&mut self, orbits: usize, plans: usize, len: usize) {
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
        if self.roots.len() < plans {
            self.roots.resize(plans, Vec::new());
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
    ///
    /// # Panics
    /// If no counts are wanted.
    pub fn new(codes: &[DfsCode], counts: Counts) -> Self {
        let graphs: Vec<Graph> = codes.iter().map(DfsCode::to_graph).collect();
        Self::plan(&graphs, counts)
    }

    /// Prepares patterns given as connected graphs.
    ///
    /// # Panics
    /// If no counts are wanted.
    pub fn from_graphs(patterns: &[Graph], counts: Counts) -> Result<Self, PatternError> {
        check_patterns(patterns)?;
        Ok(Self::plan(patterns, counts))
    }

    fn plan(patterns: &[Graph], counts: Counts) -> Self {
        assert!(counts != Counts::Off, "some counts are wanted");
        let mut set = PatternSet::plan(patterns, Roots::All);
        let plain: Vec<Graph> = patterns.iter().map(without_qualifiers).collect();
        let of_plain = PatternSet::plan(&plain, Roots::All);
        let mut matcher = Matcher::default();
        let mut orbits = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let is_qualified = !pattern.all_qualifiers().is_empty();
            let of: Vec<u32> = if is_qualified && counts == Counts::MinimumImage {
                (0..pattern.num_vertices() as u32).collect()
            } else {
                matcher.load(&of_plain.index, &plain[at]);
                orbits_of(&of_plain, at, &plain[at], &mut matcher)
            };
            let len = of.iter().max().map_or(0, |last| *last as usize + 1);
            let (mut divisors, mut plans) = (vec![0; len], vec![Vec::new(); len]);
            let (mut vertex, mut next) = (0, 1);
            let planned = &mut set.patterns[at];
            let mut is_center = true;
            planned.plans.retain(|_| {
                // The plan from the center comes first, then one per vertex.
                if std::mem::replace(&mut is_center, false) {
                    return true;
                }
                let orbit = of[vertex] as usize;
                vertex += 1;
                divisors[orbit] += 1;
                let is_kept = is_qualified || divisors[orbit] == 1;
                if is_kept {
                    plans[orbit].push(next);
                    next += 1;
                }
                is_kept
            });
            if counts == Counts::MinimumImage {
                divisors.fill(1);
            }
            orbits.push(Orbits { of, divisors, plans });
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

    /// The orbit of each vertex of a pattern. Its count is the least, over the orbits, of their images divided by
    /// their vertices and rounded up; of minimum-image counts, the least number of images.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn orbits(&self, pattern: usize) -> &[u32] {
        &self.orbits[pattern].of
    }

    /// The count of each pattern.
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
        let center = &plans[0];
        images.start(orbits.plans.len(), plans.len(), graph.num_vertices());
        let is_present = matcher.search(index, graph, center, |found| {
            images.add_embedding(center, &orbits.of, found);
            true
        });
        if !is_present {
            return 0;
        }
        for (at, plan) in plans.iter().enumerate().skip(1) {
            matcher.roots(index, graph, plan, &mut images.roots[at]);
        }
        // Fewest candidates first: the sooner the minimum is small, the fewer searches are needed.
        images.order.clear();
        images.order.extend(0..orbits.plans.len() as u32);
        let candidates =
            |orbit: &u32| orbits.plans[*orbit as usize].iter().map(|&at| images.roots[at].len()).sum::<usize>();
        images.order.sort_by_key(candidates);
        let mut smallest = u32::MAX;
        for at in 0..orbits.plans.len() {
            let orbit = images.order[at] as usize;
            let divisor = orbits.divisors[orbit];
            let pairs =
                orbits.plans[orbit].iter().flat_map(|&plan| (0..images.roots[plan].len()).map(move |r| (plan, r)));
            for (plan, root) in pairs.collect::<Vec<_>>() {
                if images.numbers[orbit].div_ceil(divisor) >= smallest {
                    break;
                }
                let vertex = images.roots[plan][root];
                if !images.has(orbit, vertex) {
                    matcher.search_from(index, graph, &plans[plan], vertex, |found| {
                        images.add_embedding(&plans[plan], &orbits.of, found);
                        true
                    });
                }
            }
            smallest = smallest.min(images.numbers[orbit].div_ceil(divisor));
            if smallest == 1 {
                break;
            }
        }
        smallest
    }
}

fn without_qualifiers(pattern: &Graph) -> Graph {
    let mut plain = pattern.clone();
    plain.set_qualifiers(Vec::new());
    plain
}

/// The orbit of each vertex of a pattern under its automorphisms. The pattern is loaded; its plans are those of
/// [`Roots::All`].
fn orbits_of(set: &PatternSet, at: usize, pattern: &Graph, matcher: &mut Matcher) -> Vec<u32> {
    let plans = &set.patterns[at].plans[1..];
    let mut orbit = vec![u32::MAX; plans.len()];
    let mut next = 0;
    let mut roots = Vec::new();
    for vertex in 0..plans.len() {
        if orbit[vertex] != u32::MAX {
            continue;
        }
        orbit[vertex] = next;
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
    orbit
}
