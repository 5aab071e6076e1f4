//! Mining and matching from their definitions, by trying all possibilities.
//!
//! Promise: every function follows its definition literally (all edge subsets, all depth-first walks, all injective
//! maps), so it is correct independently of the library. It is for graphs of at most a dozen edges.
//!
//! Shares only the types [`Graph`] and [`DfsCode`] (and the order of codes) with what it checks.

use einsicht_graph::{DfsCode, DfsEdge, EdgeId, Graph, Qualifier, Support, VertexId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Largest number of edges whose subsets are still listed in reasonable time.
const MOST_EDGES: usize = 24;

/// All sets of 1 to `max_edges` edges that form a connected graph, each increasing.
///
/// # Panics
/// If the graph has more than 24 edges: there are too many subsets.
pub fn connected_edge_sets(graph: &Graph, max_edges: usize) -> Vec<Vec<EdgeId>> {
    assert!(graph.num_edges() <= MOST_EDGES, "the oracle is for tiny graphs");
    (1_u32..1 << graph.num_edges())
        .filter(|subset| subset.count_ones() as usize <= max_edges)
        .map(|subset| (0..graph.num_edges() as u32).filter(|e| subset >> e & 1 == 1).map(EdgeId).collect::<Vec<_>>())
        .filter(|edges| hangs_together(graph, edges))
        .collect()
}

pub(crate) fn hangs_together(graph: &Graph, edges: &[EdgeId]) -> bool {
    let ends = |e: &EdgeId| [graph.edges()[e.index()].from, graph.edges()[e.index()].to];
    let mut reached = BTreeSet::from(ends(&edges[0]));
    for _ in edges {
        for edge in edges {
            if ends(edge).iter().any(|v| reached.contains(v)) {
                reached.extend(ends(edge));
            }
        }
    }
    edges.iter().all(|e| reached.contains(&ends(e)[0]))
}

/// The graph made of these edges and their ends alone.
///
/// # Panics
/// If an edge is not one of the graph, or is named twice.
pub fn subgraph(graph: &Graph, edges: &[EdgeId]) -> Graph {
    let mut builder = Graph::builder();
    let mut renamed = BTreeMap::new();
    for edge in edges.iter().map(|e| graph.edges()[e.index()]) {
        let [from, to] = [edge.from, edge.to].map(|v| {
            *renamed.entry(v).or_insert_with(|| builder.add_vertex(graph.vertex_label(v)).expect("a tiny graph"))
        });
        builder.add_edge(from, to, edge.label).expect("edges of a simple graph");
    }
    builder.build()
}

/// The smallest code over all depth-first walks of a connected graph: its minimum DFS code.
///
/// # Panics
/// If the graph has no edge or does not hang together.
pub fn smallest_code(graph: &Graph) -> DfsCode {
    let mut best = None;
    for root in graph.vertices() {
        let mut walk = Walk { graph, time: vec![None; graph.num_vertices()], code: Vec::new(), best: &mut best };
        walk.time[root.index()] = Some(0);
        walk.go_on(&[root], 1);
    }
    best.expect("a connected graph with an edge has a walk")
}

/// A depth-first walk under way. `time` is when each vertex was discovered.
struct Walk<'a> {
    graph: &'a Graph,
    time: Vec<Option<u32>>,
    code: Vec<DfsEdge>,
    best: &'a mut Option<DfsCode>,
}

impl Walk<'_> {
    /// `path` leads from the root to the vertex where the walk stands; `discovered` vertices are named.
    fn go_on(&mut self, path: &[VertexId], discovered: u32) {
        if self.best.as_ref().is_some_and(|best| self.code[..] > best.edges()[..self.code.len()]) {
            return; // codes compare edge by edge, so no continuation can be the smallest
        }
        let Some((&here, above)) = path.split_last() else {
            assert_eq!(self.code.len(), self.graph.num_edges(), "the pattern must be connected");
            let code = DfsCode::new(self.code.clone()).expect("a depth-first walk is a code");
            if self.best.as_ref().is_none_or(|best| code < *best) {
                *self.best = Some(code);
            }
            return;
        };
        let unseen: Vec<VertexId> = self.graph.neighbors(here).iter().map(|n| n.vertex).collect();
        let unseen: Vec<VertexId> = unseen.into_iter().filter(|v| self.time[v.index()].is_none()).collect();
        if unseen.is_empty() {
            return self.go_on(above, discovered);
        }
        for next in unseen {
            let len = self.code.len();
            self.time[next.index()] = Some(discovered);
            self.code.push(self.edge(here, next));
            // All edges from the new vertex to earlier ones close rings, in order of discovery.
            let mut closing: Vec<DfsEdge> = self
                .graph
                .neighbors(next)
                .iter()
                .filter(|n| n.vertex != here && self.time[n.vertex.index()].is_some())
                .map(|n| self.edge(next, n.vertex))
                .collect();
            closing.sort_by_key(|e| e.to);
            self.code.extend(closing);
            self.go_on(&[path, &[next]].concat(), discovered + 1);
            self.code.truncate(len);
            self.time[next.index()] = None;
        }
    }

    fn edge(&self, from: VertexId, to: VertexId) -> DfsEdge {
        let found = self.graph.edge_between(from, to).expect("only edges are walked");
        let time = |v: VertexId| self.time[v.index()].expect("only discovered vertices are named");
        DfsEdge {
            from: time(from),
            to: time(to),
            from_label: self.graph.vertex_label(from),
            edge_label: found.edge_label,
            to_label: self.graph.vertex_label(to),
        }
    }
}

/// All injective maps of the pattern's vertices to vertices of the graph that keep vertex labels, edges and edge labels
/// and whose images have the qualifiers of the pattern, as lists by pattern vertex, in increasing order. Non-induced.
pub fn embeddings(graph: &Graph, pattern: &Graph) -> Vec<Vec<VertexId>> {
    let mut maps: Vec<Vec<VertexId>> = vec![Vec::new()];
    for vertex in pattern.vertices() {
        let fits =
            |map: &[VertexId], v: VertexId| {
                let image = |of: VertexId| if of == vertex { v } else { map[of.index()] };
                let wanted = pattern.qualifiers(vertex);
                !map.contains(&v)
                    && graph.vertex_label(v) == pattern.vertex_label(vertex)
                    && graph.qualifiers(v) & wanted == wanted
                    && pattern.edges().iter().filter(|e| e.from.max(e.to) == vertex).all(|e| {
                        graph.edge_between(image(e.from), image(e.to)).is_some_and(|n| n.edge_label == e.label)
                    })
            };
        let longer = |map: &Vec<VertexId>| {
            let images = graph.vertices().filter(|&v| fits(map, v));
            images.map(|v| [&map[..], &[v]].concat()).collect::<Vec<_>>()
        };
        maps = maps.iter().flat_map(longer).collect();
    }
    maps
}

/// Whether the graph contains the pattern.
pub fn contains(graph: &Graph, pattern: &Graph) -> bool {
    !embeddings(graph, pattern).is_empty()
}

/// The sets of edges that the pattern covers in the graph, each increasing: its embeddings with those that
/// differ by a symmetry of the pattern counted once.
///
/// # Panics
/// Never: an embedding maps edges to edges.
pub fn edge_sets(graph: &Graph, pattern: &Graph) -> BTreeSet<Vec<EdgeId>> {
    let covered = |map: &Vec<VertexId>| {
        let image = |e: &einsicht_graph::Edge| {
            graph.edge_between(map[e.from.index()], map[e.to.index()]).expect("an embedding keeps edges").edge
        };
        let mut edges: Vec<EdgeId> = pattern.edges().iter().map(image).collect();
        edges.sort_unstable();
        edges
    };
    embeddings(graph, pattern).iter().map(covered).collect()
}

/// The minimum-image count: over the pattern's vertices, the smallest number of distinct vertices of the
/// graph to which embeddings map it. 0 if the graph does not contain the pattern.
pub fn min_image_count(graph: &Graph, pattern: &Graph) -> u32 {
    let all = embeddings(graph, pattern);
    let images = |v: VertexId| all.iter().map(|map| map[v.index()]).collect::<BTreeSet<_>>().len();
    pattern.vertices().map(images).min().unwrap_or(0) as u32
}

/// Copies: over the orbits of the pattern's vertices under its automorphisms, qualifiers aside, the smallest number of
/// images of the orbit, divided by its size and rounded up. 0 if the graph does not contain the pattern.
pub fn copies(graph: &Graph, pattern: &Graph) -> u32 {
    let mut plain = pattern.clone();
    plain.set_qualifiers(Vec::new());
    let automorphisms = embeddings(&plain, &plain);
    let all = embeddings(graph, pattern);
    let count = |v: VertexId| {
        let orbit: BTreeSet<VertexId> = automorphisms.iter().map(|map| map[v.index()]).collect();
        let images: BTreeSet<VertexId> = all.iter().flat_map(|map| orbit.iter().map(|v| map[v.index()])).collect();
        images.len().div_ceil(orbit.len())
    };
    pattern.vertices().map(count).min().unwrap_or(0) as u32
}

/// Where a pattern occurs, by definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// The graphs that contain it, increasing.
    pub graphs: Vec<u32>,
    /// Its minimum-image count in each of them.
    pub counts: Vec<u32>,
    /// Its number of copies in each of them.
    pub copies: Vec<u32>,
}

impl Occurrence {
    /// The same as a support outside any table.
    pub fn detached(&self) -> Arc<Support> {
        Support::detached(self.graphs.clone(), self.counts.clone())
    }
}

/// Which patterns there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Smallest number of edges: 0 or 1.
    pub min_edges: usize,
    /// Largest number of edges.
    pub max_edges: usize,
    /// Largest number of qualifiers.
    pub max_qualifiers: usize,
    /// Largest number of edges of a pattern with qualifiers.
    pub max_qualified_edges: usize,
}

/// All connected patterns of 1 to `max_edges` edges that occur in at least `min_support` of the graphs, by
/// their minimum DFS code.
pub fn mine_by_definition(graphs: &[Graph], max_edges: usize, min_support: usize) -> BTreeMap<DfsCode, Occurrence> {
    mine_language(graphs, Language { min_edges: 1, max_edges, max_qualifiers: 0, max_qualified_edges: 0 }, min_support)
}

/// All patterns of a language that occur in at least `min_support` of the graphs and are minimal in their qualifiers.
pub fn mine_language(graphs: &[Graph], language: Language, min_support: usize) -> BTreeMap<DfsCode, Occurrence> {
    let mut found: BTreeMap<DfsCode, Occurrence> = BTreeMap::new();
    for (id, graph) in graphs.iter().enumerate() {
        let patterns = connected_edge_sets(graph, language.max_edges).into_iter().map(|edges| subgraph(graph, &edges));
        let mut plain: BTreeSet<DfsCode> = patterns.map(|pattern| smallest_code(&pattern)).collect();
        if language.min_edges == 0 {
            plain.extend(graph.vertex_labels().iter().map(|&label| DfsCode::single_vertex(label)));
        }
        let most = |code: &DfsCode| {
            if code.num_edges() <= language.max_qualified_edges { language.max_qualifiers } else { 0 }
        };
        for code in plain.iter().flat_map(|code| with_qualifiers(code, graph, most(code))) {
            let empty = || Occurrence { graphs: Vec::new(), counts: Vec::new(), copies: Vec::new() };
            let pattern = code.to_graph();
            let occurrence = found.entry(code).or_insert_with(empty);
            occurrence.graphs.push(id as u32);
            occurrence.counts.push(min_image_count(graph, &pattern));
            occurrence.copies.push(copies(graph, &pattern));
        }
    }
    found.retain(|code, occurrence| occurrence.graphs.len() >= min_support && is_minimal(code, graphs));
    found
}

/// A pattern with every set of at most so many qualifiers that some embedding in the graph has, each written in the
/// smallest of the ways that the automorphisms of the pattern allow.
fn with_qualifiers(code: &DfsCode, graph: &Graph, most: usize) -> BTreeSet<DfsCode> {
    let pattern = code.to_graph();
    let automorphisms = embeddings(&pattern, &pattern);
    let mut sets: BTreeSet<Vec<Qualifier>> = BTreeSet::new();
    for map in embeddings(graph, &pattern) {
        let of_vertex = |v: VertexId| {
            let bits = graph.qualifiers(map[v.index()]);
            (0..64).filter(move |value| bits >> value & 1 == 1).map(move |value| Qualifier { vertex: v.0, value })
        };
        let mut grown: BTreeSet<Vec<Qualifier>> = BTreeSet::from([Vec::new()]);
        for _ in 0..most {
            let longer = |set: &Vec<Qualifier>| {
                let all = pattern.vertices().flat_map(of_vertex);
                all.filter(|q| set.last().is_none_or(|last| last < q))
                    .map(|q| [&set[..], &[q]].concat())
                    .collect::<Vec<_>>()
            };
            grown.extend(grown.iter().flat_map(longer).collect::<Vec<_>>());
        }
        sets.extend(grown);
    }
    let smallest = |set: &Vec<Qualifier>| {
        let moved = |map: &Vec<VertexId>| {
            let moved = set.iter().map(|q| Qualifier { vertex: map[q.vertex as usize].0, ..*q });
            let mut moved: Vec<Qualifier> = moved.collect();
            moved.sort_unstable();
            moved
        };
        automorphisms.iter().map(moved).min().expect("the identity")
    };
    sets.iter().map(|set| code.with_qualifiers(smallest(set)).expect("qualifiers of its vertices")).collect()
}

/// Whether for each qualifier some embedding in some graph has all the others but not this one.
fn is_minimal(code: &DfsCode, graphs: &[Graph]) -> bool {
    let says_something = |at: usize| {
        let mut others = code.qualifiers().to_vec();
        let gone = others.remove(at);
        let pattern = code.with_qualifiers(others).expect("fewer qualifiers").to_graph();
        graphs.iter().any(|graph| {
            let lacks = |map: &Vec<VertexId>| graph.qualifiers(map[gone.vertex as usize]) >> gone.value & 1 == 0;
            embeddings(graph, &pattern).iter().any(lacks)
        })
    };
    (0..code.qualifiers().len()).all(says_something)
}

/// Those patterns of a full list that no larger pattern of the list contains with the same support.
pub fn closed(patterns: &BTreeMap<DfsCode, Occurrence>) -> BTreeSet<DfsCode> {
    without_larger(patterns, |small, large| small.graphs == large.graphs)
}

/// Those patterns of a full list that no larger pattern of the list contains.
pub fn maximal(patterns: &BTreeMap<DfsCode, Occurrence>) -> BTreeSet<DfsCode> {
    without_larger(patterns, |_, _| true)
}

fn without_larger(
    patterns: &BTreeMap<DfsCode, Occurrence>,
    rules_out: fn(&Occurrence, &Occurrence) -> bool,
) -> BTreeSet<DfsCode> {
    let ruled_out = |small: &DfsCode, occurrence: &Occurrence| {
        patterns.iter().any(|(large, larger)| {
            large.num_edges() > small.num_edges()
                && rules_out(occurrence, larger)
                && contains(&large.to_graph(), &small.to_graph())
        })
    };
    patterns.iter().filter(|(code, occurrence)| !ruled_out(code, occurrence)).map(|(code, _)| code.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::graph_of;

    #[test]
    fn a_triangle_with_a_tail_has_the_subsets_that_one_counts_by_hand() {
        let graph = graph_of(&[0, 0, 0, 1], &[(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0)]);
        let sizes = connected_edge_sets(&graph, 9).iter().fold([0; 5], |mut sizes, set| {
            sizes[set.len()] += 1;
            sizes
        });
        assert_eq!(sizes, [0, 4, 5, 4, 1]); // only (0-1, 2-3) does not hang together
        let patterns = mine_by_definition(&[graph], 3, 1);
        let by_edges = [1, 2, 3].map(|n| patterns.keys().filter(|code| code.num_edges() == n).count());
        // A-A, A-B; A-A-A, A-A-B; triangle, A-A-A-B, star of A with A, A, B.
        assert_eq!(by_edges, [2, 2, 3]);
    }

    #[test]
    fn the_smallest_code_does_not_depend_on_the_numbering() {
        let one = graph_of(&[0, 1, 0, 0], &[(0, 1, 1), (1, 2, 0), (2, 3, 1), (3, 0, 0)]);
        let other = graph_of(&[0, 0, 1, 0], &[(1, 2, 1), (3, 2, 0), (3, 0, 1), (1, 0, 0)]);
        assert_eq!(smallest_code(&one), smallest_code(&other));
        let first = smallest_code(&one).edges()[0];
        assert_eq!((first.from_label.0, first.edge_label.0, first.to_label.0), (0, 0, 0));
    }

    #[test]
    fn a_star_of_two_leaves_in_one_of_three_has_six_embeddings_three_edge_sets_and_count_one() {
        let star = graph_of(&[0, 1, 1, 1], &[(0, 1, 0), (0, 2, 0), (0, 3, 0)]);
        let pattern = graph_of(&[1, 0, 1], &[(0, 1, 0), (1, 2, 0)]);
        assert_eq!(embeddings(&star, &pattern).len(), 6);
        assert_eq!(edge_sets(&star, &pattern).len(), 3);
        assert_eq!(min_image_count(&star, &pattern), 1);
        assert!(!contains(&pattern, &star));
    }

    #[test]
    fn closed_and_maximal_patterns_of_two_paths_are_those_found_by_hand() {
        let long = graph_of(&[0, 0, 0], &[(0, 1, 0), (1, 2, 0)]);
        let short = graph_of(&[0, 0], &[(0, 1, 0)]);
        let patterns = mine_by_definition(&[long, short], 3, 1);
        assert_eq!(patterns.len(), 2);
        assert_eq!((closed(&patterns).len(), maximal(&patterns).len()), (2, 1));
    }
}
