//! An order of patterns in which those that contain an absent pattern are skipped.
//!
//! A pattern whose list of edges starts with all edges of another one, and whose vertices have all its qualifiers,
//! contains it; so it is with codes that a miner grew from each other. In lexicographic order a pattern comes right
//! before all that start with it, so when it is absent one jump skips them.

use crate::canon::DfsEdge;
use crate::graph::Graph;
use crate::ids::Label;

/// The patterns of a set, in the order in which they are searched for.
#[derive(Clone, Debug)]
pub(super) struct PrefixOrder {
    /// (pattern, index after the last one that starts with it).
    order: Vec<(u32, u32)>,
}

/// A pattern as a list.
struct Listed<'a> {
    graph: &'a Graph,
    edges: Vec<DfsEdge>,
}

impl<'a> Listed<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self { graph, edges: DfsEdge::list(graph) }
    }

    /// Single vertices come before all patterns that start at such a vertex.
    fn key(&self) -> (Option<Label>, &[DfsEdge], &[u64]) {
        (self.graph.vertex_labels().first().copied(), &self.edges, self.graph.all_qualifiers())
    }

    /// Whether the list of this pattern starts with that of another one.
    fn contains(&self, other: &Self) -> bool {
        let has_all = |v| self.graph.qualifiers(v) & other.graph.qualifiers(v) == other.graph.qualifiers(v);
        self.key().0 == other.key().0
            && self.edges.starts_with(&other.edges)
            && other.graph.num_vertices() <= self.graph.num_vertices()
            && other.graph.vertices().all(has_all)
    }
}

impl PrefixOrder {
    pub(super) fn new(patterns: &[Graph]) -> Self {
        let lists: Vec<Listed<'_>> = patterns.iter().map(Listed::new).collect();
        let mut sorted: Vec<u32> = (0..lists.len() as u32).collect();
        sorted.sort_by(|&a, &b| lists[a as usize].key().cmp(&lists[b as usize].key()).then(a.cmp(&b)));
        let mut order: Vec<(u32, u32)> = sorted.iter().map(|&pattern| (pattern, lists.len() as u32)).collect();
        let mut open: Vec<u32> = Vec::new();
        for (at, &pattern) in sorted.iter().enumerate() {
            while let Some(&before) = open.last() {
                if lists[pattern as usize].contains(&lists[sorted[before as usize] as usize]) {
                    break;
                }
                order[before as usize].1 = at as u32;
                open.pop();
            }
            open.push(at as u32);
        }
        Self { order }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Calls `is_present` for each pattern, except for those that contain an absent one.
    #[inline]
    pub(super) fn each(&self, mut is_present: impl FnMut(u32) -> bool) {
        let mut at = 0;
        while let Some(&(pattern, end)) = self.order.get(at) {
            at = if is_present(pattern) { at + 1 } else { end as usize };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Label, VertexId};

    /// A path that carries these labels.
    fn path(labels: &[u32]) -> Graph {
        let mut builder = Graph::builder();
        for &label in labels {
            builder.add_vertex(Label(label)).unwrap();
        }
        for v in 1..labels.len() as u32 {
            builder.add_edge(VertexId(v - 1), VertexId(v), Label(0)).unwrap();
        }
        builder.build()
    }

    #[test]
    fn an_absent_pattern_is_searched_for_but_not_its_extensions() {
        let patterns = [&[0, 0, 1][..], &[0, 0], &[0, 1], &[0, 0, 0, 0], &[0, 0, 0, 1], &[0, 0, 0]].map(path);
        let prefix_order = PrefixOrder::new(&patterns);
        let searched = |absent: u32| {
            let mut searched = Vec::new();
            prefix_order.each(|pattern| {
                searched.push(pattern);
                pattern != absent
            });
            searched
        };
        assert_eq!(searched(9), [1, 5, 3, 4, 0, 2]);
        assert_eq!(searched(1), [1, 2]);
        assert_eq!(searched(5), [1, 5, 0, 2]);
    }
}
