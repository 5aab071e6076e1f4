//! An order of patterns in which what contains an absent pattern is skipped.
//!
//! A pattern whose list of edges begins with all edges of another one contains it; so it is with codes that a miner
//! grew from each other. In lexicographic order a pattern comes right before all that begin like it, so
//! when it is absent one jump leads past them.

use crate::graph::Graph;
use crate::pattern::DfsEdge;

/// The patterns of a set, in the order in which they are looked for.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    /// (pattern, where those that begin like it end).
    order: Vec<(u32, u32)>,
}

impl Prefixes {
    pub(super) fn new(patterns: &[Graph]) -> Self {
        let lists: Vec<Vec<DfsEdge>> = patterns.iter().map(edge_list).collect();
        let mut sorted: Vec<u32> = (0..lists.len() as u32).collect();
        sorted.sort_by(|&a, &b| lists[a as usize].cmp(&lists[b as usize]).then(a.cmp(&b)));
        let mut order: Vec<(u32, u32)> = sorted.iter().map(|&pattern| (pattern, lists.len() as u32)).collect();
        let mut open: Vec<u32> = Vec::new();
        for (at, &pattern) in sorted.iter().enumerate() {
            while let Some(&before) = open.last() {
                if lists[pattern as usize].starts_with(&lists[sorted[before as usize] as usize]) {
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

    /// Asks whether a pattern is there, for all but those that cannot be.
    #[inline]
    pub(super) fn each(&self, mut is_there: impl FnMut(u32) -> bool) {
        let mut at = 0;
        while let Some(&(pattern, end)) = self.order.get(at) {
            at = if is_there(pattern) { at + 1 } else { end as usize };
        }
    }
}

/// The edges of a pattern as given, with the labels of their ends.
fn edge_list(pattern: &Graph) -> Vec<DfsEdge> {
    let tuple = |edge: &crate::graph::Edge| DfsEdge {
        from: edge.from.0,
        to: edge.to.0,
        from_label: pattern.vertex_label(edge.from),
        edge_label: edge.label,
        to_label: pattern.vertex_label(edge.to),
    };
    pattern.edges().iter().map(tuple).collect()
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
    fn an_absent_pattern_is_asked_for_but_not_its_extensions() {
        let patterns = [&[0, 0, 1][..], &[0, 0], &[0, 1], &[0, 0, 0, 0], &[0, 0, 0, 1], &[0, 0, 0]].map(path);
        let prefixes = Prefixes::new(&patterns);
        let asked = |absent: u32| {
            let mut asked = Vec::new();
            prefixes.each(|pattern| {
                asked.push(pattern);
                pattern != absent
            });
            asked
        };
        assert_eq!(asked(9), [1, 5, 3, 4, 0, 2]);
        assert_eq!(asked(1), [1, 2]);
        assert_eq!(asked(5), [1, 5, 0, 2]);
    }
}
