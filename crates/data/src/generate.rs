//! The synthetic sets Cycle and Cycle_XOR: classes that message passing cannot distinguish.
//!
//! Promise: a seed gives the same graphs in every version. Vertices with label 1 belong to a *part*, vertices with
//! label 0 to the *base*, and no two parts are joined, so the rings of label 1 are those of the parts.
//! Two parts matter: two 8-rings joined by an edge (`H_p`) and two 9-rings that share one (`H_n`); both have
//! 16 vertices, 17 edges and two adjacent vertices of degree 3. The third, a tree, is padding.
//! Tested by looking for the rings with plain backtracking.

use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Dataset, Origin, Target, TargetValues};
use crate::random::Random;
use einsicht_graph::{Graph, GraphBuilder, GraphError, Label, VertexId};

/// A synthetic data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synthetic {
    /// 300 graphs with two joined 8-rings (class 1), 300 with two fused 9-rings (class 0).
    Cycle,
    /// 150 each: two joined pairs of 8-rings (1), two fused pairs of 9-rings (1), one of each (0), neither (0).
    CycleXor,
    /// The same with padding instead of a second part of the same kind: one pair of rings and padding (1), one of each
    /// (0), padding twice (0).
    CycleXorPadded,
}

impl Synthetic {
    /// The name of the set in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycle => "Cycle",
            Self::CycleXor => "Cycle_XOR",
            Self::CycleXorPadded => "Cycle_XOR_padded",
        }
    }

    /// Class, parts and number of graphs of each kind.
    fn kinds(self) -> &'static [(u32, &'static [Part], usize)] {
        match self {
            Self::Cycle => &[(1, &[Part::Joined], 300), (0, &[Part::Fused], 300)],
            Self::CycleXor => &[
                (1, &[Part::Joined, Part::Joined], 150),
                (1, &[Part::Fused, Part::Fused], 150),
                (0, &[Part::Joined, Part::Fused], 150),
                (0, &[Part::Padding, Part::Padding], 150),
            ],
            Self::CycleXorPadded => &[
                (1, &[Part::Joined, Part::Padding], 150),
                (1, &[Part::Fused, Part::Padding], 150),
                (0, &[Part::Joined, Part::Fused], 150),
                (0, &[Part::Padding, Part::Padding], 150),
            ],
        }
    }
}

/// What is attached to a base.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// `H_p`: two 8-rings joined by one edge.
    Joined,
    /// `H_n`: two 9-rings that share one edge.
    Fused,
    /// A path of ten vertices with two leaves on each end and one on each of the two in the middle.
    Padding,
}

const PART_SIZE: u32 = 16;
const BASE: Label = Label(0);
const MEMBER: Label = Label(1);
const PLAIN: Label = Label(0);

impl Part {
    /// Edges between the vertices 0..16 of the part.
    fn edges(self) -> Vec<(u32, u32)> {
        let ring = |first: u32, last: u32| {
            (first..last).map(|v| (v, v + 1)).chain([(last, first)]).collect::<Vec<_>>() // in order around the ring
        };
        match self {
            Self::Joined => [ring(0, 7), ring(8, 15), vec![(0, 8)]].concat(),
            // One ring of 16 and a chord that leaves nine vertices on each side.
            Self::Fused => [ring(0, 15), vec![(0, 8)]].concat(),
            Self::Padding => {
                let path = (0..9).map(|v| (v, v + 1));
                path.chain([(0, 10), (0, 11), (9, 12), (9, 13), (4, 14), (5, 15)]).collect()
            }
        }
    }
}

/// Generates a synthetic set.
///
/// ```
/// use einsicht_data::generate::{Synthetic, generate};
/// let cycle = generate(Synthetic::Cycle, 1);
/// assert_eq!(cycle.len(), 600);
/// assert_eq!(cycle, generate(Synthetic::Cycle, 1));
/// ```
///
/// # Panics
/// Never: the graphs are simple by construction.
pub fn generate(set: Synthetic, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let kinds = set.kinds().iter().flat_map(|&(class, parts, count)| std::iter::repeat_n((class, parts), count));
    let mut plan: Vec<(u32, &[Part])> = kinds.collect();
    random.shuffle(&mut plan);
    let graphs: Result<Vec<Graph>, GraphError> = plan.iter().map(|(_, parts)| graph(parts, &mut random)).collect();
    let dataset = Dataset {
        name: set.name().to_owned(),
        graphs: graphs.expect("generated graphs are simple"),
        ids: (1..=plan.len()).map(|id| id.to_string()).collect(),
        origins: (0..plan.len() as u32).map(|row| Origin { row, line: 0 }).collect(),
        vertex_labels: Vocabulary::from_tokens(["0", "1"]),
        edge_labels: Vocabulary::from_tokens([""]),
        targets: vec![Target {
            name: "label".to_owned(),
            values: TargetValues::Classes {
                classes: Vocabulary::from_tokens(["0", "1"]),
                values: plan.iter().map(|&(class, _)| Some(class)).collect(),
            },
        }],
        ..Dataset::default()
    };
    dataset.check();
    dataset
}

/// A base with parts attached to it.
fn graph(parts: &[Part], random: &mut Random) -> Result<Graph, GraphError> {
    let mut builder = Graph::builder();
    let base = add_base(&mut builder, random)?;
    for part in parts {
        let first = builder.num_vertices() as u32;
        for _ in 0..PART_SIZE {
            builder.add_vertex(MEMBER)?;
        }
        for (from, to) in part.edges() {
            builder.add_edge(VertexId(first + from), VertexId(first + to), PLAIN)?;
        }
        // Three to six of its vertices, each joined to a base vertex.
        let mut members: Vec<u32> = (first..first + PART_SIZE).collect();
        random.shuffle(&mut members);
        for &member in &members[..3 + random.index(4)] {
            builder.add_edge(VertexId(member), VertexId(random.below(base.into()) as u32), PLAIN)?;
        }
    }
    Ok(builder.build())
}

/// A connected graph of 5 to 10 vertices and at most 20 edges; says how many vertices.
fn add_base(builder: &mut GraphBuilder, random: &mut Random) -> Result<u32, GraphError> {
    let size = 5 + random.below(6) as u32;
    let mut free = Vec::new();
    for vertex in 0..size {
        builder.add_vertex(BASE)?;
        free.extend((0..vertex).map(|other| (other, vertex)));
    }
    // A random tree first, so that it is connected.
    for vertex in 1..size {
        let other = random.below(vertex.into()) as u32;
        builder.add_edge(VertexId(other), VertexId(vertex), PLAIN)?;
        free.retain(|&edge| edge != (other, vertex));
    }
    random.shuffle(&mut free);
    let most = free.len().min(20 - (size as usize - 1));
    for &(from, to) in &free[..random.index(most + 1)] {
        builder.add_edge(VertexId(from), VertexId(to), PLAIN)?;
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a ring of `len` vertices, all with label 1, goes through `start`: by trying every path.
    fn ring_through(graph: &Graph, path: &mut Vec<VertexId>, len: usize) -> bool {
        let (first, last) = (path[0], path[path.len() - 1]);
        if path.len() == len {
            return graph.edge_between(last, first).is_some();
        }
        graph.neighbors(last).iter().any(|next| {
            if next.vertex_label != MEMBER || path.contains(&next.vertex) {
                return false;
            }
            path.push(next.vertex);
            let found = ring_through(graph, path, len);
            path.pop();
            found
        })
    }

    fn has_ring(graph: &Graph, len: usize) -> bool {
        let members = graph.vertices().filter(|&v| graph.vertex_label(v) == MEMBER);
        members.into_iter().any(|start| ring_through(graph, &mut vec![start], len))
    }

    fn classes(dataset: &Dataset) -> Vec<u32> {
        let TargetValues::Classes { values, .. } = &dataset.targets[0].values else { panic!("classes") };
        values.iter().map(|value| value.unwrap()).collect()
    }

    #[test]
    fn positives_of_cycle_hold_an_8_ring_and_no_9_ring_and_negatives_the_reverse() {
        for seed in 0..3 {
            let cycle = generate(Synthetic::Cycle, seed);
            let mut counts = [0, 0];
            for (graph, class) in cycle.graphs.iter().zip(classes(&cycle)) {
                assert_eq!((has_ring(graph, 8), has_ring(graph, 9)), (class == 1, class == 0));
                counts[class as usize] += 1;
            }
            assert_eq!(counts, [300, 300]);
        }
    }

    #[test]
    fn cycle_xor_is_the_exclusive_or_of_its_rings() {
        for variant in [Synthetic::CycleXor, Synthetic::CycleXorPadded] {
            let set = generate(variant, 0);
            let mut counts = std::collections::BTreeMap::new();
            for (graph, class) in set.graphs.iter().zip(classes(&set)) {
                *counts.entry((has_ring(graph, 8), has_ring(graph, 9), class)).or_insert(0) += 1;
            }
            let expected =
                [((false, false, 0), 150), ((false, true, 1), 150), ((true, false, 1), 150), ((true, true, 0), 150)];
            assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn graphs_are_connected_and_have_the_sizes_of_the_design() {
        for (set, parts) in [(Synthetic::Cycle, 1), (Synthetic::CycleXor, 2), (Synthetic::CycleXorPadded, 2)] {
            for graph in &generate(set, 4).graphs {
                assert!(graph.components().iter().all(|&component| component == 0));
                let base = graph.num_vertices() - parts * PART_SIZE as usize;
                assert!((5..=10).contains(&base));
                let is_base = |v: VertexId| graph.vertex_label(v) == BASE;
                let inner = graph.edges().iter().filter(|e| is_base(e.from) && is_base(e.to)).count();
                let joints = graph.edges().iter().filter(|e| is_base(e.from) != is_base(e.to)).count();
                assert!((base - 1..=20).contains(&inner), "{inner}");
                assert!((3 * parts..=6 * parts).contains(&joints), "{joints}");
            }
        }
    }

    #[test]
    fn the_parts_differ_only_in_their_rings() {
        for part in [Part::Joined, Part::Fused, Part::Padding] {
            let mut degrees = [0; PART_SIZE as usize];
            for (from, to) in part.edges() {
                degrees[from as usize] += 1;
                degrees[to as usize] += 1;
            }
            degrees.sort_unstable();
            match part {
                Part::Padding => assert_eq!(part.edges().len(), 15),
                _ => assert_eq!((degrees[13], degrees[14], degrees[15], part.edges().len()), (2, 3, 3, 17)),
            }
        }
    }

    #[test]
    fn another_seed_gives_other_graphs() {
        assert_ne!(generate(Synthetic::Cycle, 0), generate(Synthetic::Cycle, 1));
    }
}
