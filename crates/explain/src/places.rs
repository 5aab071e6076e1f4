//! Where the patterns of a model are embedded in a graph, and attributions of single vertices and edges (atoms and
//! bonds).
//!
//! Promise: [`PatternLocator::occurrences`] lists each set of edges that a pattern covers once, so automorphisms of the
//! pattern do not count, up to a limit; those of a single vertex are vertices.
//!
//! The *place* of a pattern in a graph is what its attribution is spread over: [`Over`] says which. By default it is
//! what the model reads, the occurrences of the pattern itself. But a pattern stands for its support class, and the
//! data cannot tell its members apart: a triangle that is only ever part of a house stands for the house. So
//! [`Over::Class`] takes, of the maximal members that occur in the graph, the one that covers the fewest vertices,
//! since a member that grows into whatever surrounds it names no place; where that one is as large as a subgraph may
//! be, it is a part of something larger, and all such members are painted together; the whole that it is part of in the
//! training graphs, where the pattern itself is as large as it may be (seven bonds of indole are painted as indole);
//! the pattern itself where none of these occurs.
//!
//! The attribution is shared out among all occurrences, and by each evenly among its vertices, and among its edges. So
//! the sum over vertices is the sum over the patterns that occur, and the sum over edges that over those whose place
//! has an edge. What is absent is nowhere.

use crate::subject::Subject;
use einsicht_data::Dataset;
use einsicht_graph::matching::{Occurrence, PatternSet, Scratch};
use einsicht_graph::{DfsCode, EdgeId, Graph, VertexId};
use einsicht_model::Model;
use einsicht_model::{Iterate, PatternWeights};

/// Occurrences of a pattern that are listed or marked in a graph.
pub const MOST_OCCURRENCES: usize = 1000;
/// Occurrences of a pattern that are used to spread its attribution over a graph.
const SPREAD_OCCURRENCES: usize = 10_000;
/// Maximal members of a support class that are looked for, the smallest first.
const MOST_MEMBERS: usize = 8;

/// What the attribution of a pattern is spread over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// The occurrences of the pattern itself, which are what the model reads.
    #[default]
    Subgraph,
    /// Those of a larger member of its support class, as the head of the module says.
    Class,
}

/// The patterns of a model, ready to be matched in the graphs of a data set.
#[derive(Clone, Debug)]
pub struct PatternLocator {
    set: PatternSet,
    /// For each pattern its index in the set; absent where the data set lacks one of its labels.
    at: Vec<Option<usize>>,
    /// For each pattern the maximal members of its support class, or its whole, without itself; empty if there is no
    /// larger one, and unless places are those of classes.
    members: Vec<Vec<Member>>,
}

/// A maximal member of a support class.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Its index in the set.
    at: usize,
    /// Whether it has as many edges as a subgraph may have, and so may be a part of something larger.
    is_cut: bool,
}

impl PatternLocator {
    /// Prepares the patterns of an entry for its data set.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn new(subject: &Subject<'_>, over: Over) -> Self {
        let codes = subject.iterate().patterns.iter().map(|pattern| pattern.code.clone()).collect();
        Self::of_codes(subject.model, subject.dataset, codes, over)
    }

    /// Prepares patterns of a model for a data set.
    pub fn of_codes(model: &Model, dataset: &Dataset, mut codes: Vec<DfsCode>, over: Over) -> Self {
        let patterns = codes.len();
        let mut members = vec![Vec::new(); patterns];
        let of_classes = if over == Over::Class { patterns } else { 0 };
        for pattern in 0..of_classes {
            let Some(known) = model.pattern(&codes[pattern]) else { continue };
            if !known.largest().contains(&codes[pattern]) {
                let all = known.largest().iter().take(MOST_MEMBERS);
                members[pattern] = (codes.len()..codes.len() + all.len()).collect();
                codes.extend(all.cloned());
            }
        }
        let weights = |code: DfsCode| PatternWeights { code, weights: Vec::new() };
        let all = Iterate { patterns: codes.into_iter().map(weights).collect(), ..Iterate::default() };
        let (mut known, mut at) = (Vec::new(), Vec::with_capacity(all.patterns.len()));
        for code in model.codes_in(&all, dataset) {
            at.push(code.as_ref().map(|_| known.len()));
            known.extend(code);
        }
        let is_cut = |member: usize| all.patterns[member].code.num_edges() == model.params.max_edges;
        let in_set = |members: &Vec<usize>| {
            members.iter().filter_map(|&of| at[of].map(|at| Member { at, is_cut: is_cut(of) })).collect()
        };
        let members = members.iter().map(in_set).collect();
        at.truncate(patterns);
        Self { set: PatternSet::new(&known), at, members }
    }

    /// The first `limit` occurrences of a pattern in a graph, as distinct sets of edges with their vertices.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn occurrences(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Vec<Occurrence> {
        self.at[pattern].map_or_else(Vec::new, |at| self.set.occurrences(at, graph, limit, scratch))
    }

    /// The place of a pattern in a graph, from the first `limit` occurrences of each pattern that is looked for; empty
    /// if it does not occur.
    ///
    /// # Panics
    /// If there is no such pattern.
    pub fn place(&self, pattern: usize, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Place {
        let own = self.occurrences(pattern, graph, limit, scratch);
        if own.is_empty() {
            return Place::default();
        }
        let of_members = self.members[pattern].iter();
        let of_members =
            of_members.map(|member| (member.is_cut, self.set.occurrences(member.at, graph, limit, scratch)));
        let found: Vec<(bool, Vec<Occurrence>)> = of_members.filter(|(_, found)| !found.is_empty()).collect();
        let places = found.iter().map(|(is_cut, found)| (*is_cut, Place::of(found)));
        let place = match places.min_by_key(|(_, place)| place.vertices.len()) {
            None => Place::of(&own),
            Some((false, place)) => place,
            Some((true, _)) => {
                let all = found.into_iter().filter(|(is_cut, _)| *is_cut).flat_map(|(_, found)| found);
                Place::of(&all.collect::<Vec<_>>())
            }
        };
        Place { occurrences: own.len(), ..place }
    }
}

/// The vertices and edges that the occurrences of a pattern cover in a graph, each once, increasing, with their shares,
/// which sum to 1.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Its vertices, each with its share.
    pub vertices: Vec<(VertexId, f64)>,
    /// Its edges, each with its share.
    pub edges: Vec<(EdgeId, f64)>,
    /// Number of occurrences of the pattern itself, up to the limit.
    pub occurrences: usize,
}

impl Place {
    fn of(occurrences: &[Occurrence]) -> Self {
        let shares = occurrences.len() as f64;
        let mut place = Self { occurrences: occurrences.len(), ..Self::default() };
        for Occurrence { vertices, edges } in occurrences {
            place.vertices.extend(vertices.iter().map(|&vertex| (vertex, 1.0 / (shares * vertices.len() as f64))));
            place.edges.extend(edges.iter().map(|&edge| (edge, 1.0 / (shares * edges.len() as f64))));
        }
        place.vertices = summed(place.vertices);
        place.edges = summed(place.edges);
        place
    }
}

/// Each thing once, increasing, with the sum of its shares.
fn summed<T: Ord + Copy>(mut list: Vec<(T, f64)>) -> Vec<(T, f64)> {
    list.sort_by_key(|one| one.0);
    let mut sums: Vec<(T, f64)> = Vec::new();
    for (thing, share) in list {
        match sums.last_mut() {
            Some(last) if last.0 == thing => last.1 += share,
            _ => sums.push((thing, share)),
        }
    }
    sums
}

/// Attributions of the vertices and edges of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// One attribution per vertex.
    pub vertices: Vec<f64>,
    /// One attribution per edge.
    pub edges: Vec<f64>,
}

/// Spreads attributions of patterns over the vertices and edges of one graph. `values` holds one number per pattern;
/// more numbers (of a side input) are ignored.
///
/// # Panics
/// If there is no such entry or row.
pub fn spread(subject: &Subject<'_>, row: usize, values: &[f64], over: Over) -> Spread {
    let (locator, mut scratch) = (PatternLocator::new(subject, over), Scratch::default());
    let graph = &subject.dataset.graphs[row];
    let mut spread = Spread { vertices: vec![0.0; graph.num_vertices()], edges: vec![0.0; graph.num_edges()] };
    for (pattern, &value) in values.iter().enumerate().take(subject.iterate().patterns.len()) {
        if value != 0.0 {
            spread.add(&locator.place(pattern, graph, SPREAD_OCCURRENCES, &mut scratch), value);
        }
    }
    spread
}

impl Spread {
    /// Adds a value to the vertices, and to the edges, of a place.
    fn add(&mut self, place: &Place, value: f64) {
        for (vertex, share) in &place.vertices {
            self.vertices[vertex.index()] += value * share;
        }
        for (edge, share) in &place.edges {
            self.edges[edge.index()] += value * share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_testkit::models;

    #[test]
    fn embeddings_cover_what_the_supports_promise_and_values_are_spread_whole() {
        let (dataset, model) = models::rings();
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let iterate = subject.iterate();
        let locator = PatternLocator::new(&subject, Over::Class);
        let supports = model.supports(iterate, &dataset, &dataset.graphs);
        let mut scratch = Scratch::default();
        let mut found = 0;
        for (pattern, support) in supports.iter().enumerate() {
            for (at, graph) in dataset.graphs.iter().enumerate() {
                let place = locator.place(pattern, graph, 1000, &mut scratch);
                assert_eq!(!place.vertices.is_empty(), support.graphs().contains(&(at as u32)));
                let occurrences = locator.occurrences(pattern, graph, 1000, &mut scratch);
                assert_eq!(place.occurrences, occurrences.len());
                for occurrence in occurrences {
                    assert_eq!(occurrence.edges.len(), iterate.patterns[pattern].code.num_edges());
                    found += 1;
                }
                if !place.vertices.is_empty() {
                    let mut values = vec![0.0; iterate.patterns.len()];
                    values[pattern] = 2.0;
                    let spread = spread(&subject, at, &values, Over::Class);
                    let on_edges = if place.edges.is_empty() { 0.0 } else { 2.0 };
                    assert!((spread.vertices.iter().sum::<f64>() - 2.0).abs() < 1e-12);
                    assert!((spread.edges.iter().sum::<f64>() - on_edges).abs() < 1e-12);
                }
            }
        }
        assert!(found > 50, "{found}");
    }

    #[test]
    fn the_value_of_a_single_vertex_goes_to_the_vertices_with_its_label_and_to_no_edge() {
        let (dataset, mut model) = models::rings();
        let label = dataset.graphs[0].vertex_label(VertexId(0));
        let chosen = model.chosen;
        model.entries[chosen].iterate.patterns[0].code = DfsCode::single_vertex(label);
        let subject = Subject { model: &model, entry: chosen, dataset: &dataset };
        let graph = &dataset.graphs[0];
        let with_label: Vec<bool> = graph.vertices().map(|v| graph.vertex_label(v) == label).collect();
        let count = with_label.iter().filter(|has| **has).count();
        let spread = spread(&subject, 0, &[3.0], Over::Subgraph);
        assert_eq!(spread.edges, vec![0.0; graph.num_edges()]);
        for (vertex, has) in with_label.iter().enumerate() {
            assert_eq!(spread.vertices[vertex], if *has { 3.0 / count as f64 } else { 0.0 });
        }
        let found = PatternLocator::new(&subject, Over::Subgraph).occurrences(0, graph, 1000, &mut Scratch::default());
        assert!(found.iter().all(|one| one.vertices.len() == 1 && one.edges.is_empty()));
        assert_eq!(found.len(), count);
    }

    #[test]
    fn a_triangle_that_is_only_ever_part_of_a_house_paints_the_house_if_that_is_asked_for() {
        let (dataset, model) = models::houses();
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let values = vec![1.0; subject.iterate().patterns.len()];
        let pattern = &subject.iterate().patterns[0].code;
        let class = &model.pattern(pattern).unwrap().class;
        assert!(values.len() == 1 && !class.maximal.contains(pattern), "{pattern:?}");
        let mut painted = 0;
        let locator = PatternLocator::new(&subject, Over::Subgraph);
        for row in 0..dataset.len() {
            // What the model reads are the matches alone.
            let own = spread(&subject, row, &values, Over::Subgraph).vertices;
            let matches = locator.occurrences(0, &dataset.graphs[row], 1000, &mut Scratch::default());
            let is_matched = |at: usize| matches.iter().any(|one| one.vertices.contains(&VertexId(at as u32)));
            assert!(own.iter().enumerate().all(|(at, weight)| (*weight > 0.0) == is_matched(at)), "{own:?}");
            assert!(own.iter().filter(|weight| **weight > 0.0).count() <= 3, "{own:?}");
            let weights = spread(&subject, row, &values, Over::Class).vertices;
            // Houses are the vertices behind the tree, as `einsicht_testkit::models::houses` hangs them; squares have
            // nothing to paint.
            let (tree, motif) = weights.split_at(weights.len() - 5);
            assert!(tree.iter().all(|weight| *weight == 0.0), "{weights:?}");
            let is_house = weights.iter().any(|weight| *weight > 0.0);
            assert!(!is_house || motif.iter().all(|weight| (weight - 0.2).abs() < 1e-12), "{weights:?}");
            painted += usize::from(is_house);
        }
        assert_eq!(painted, dataset.len() / 2);
    }
}
