//! A partition of the tree of patterns, for a search that is distributed over several workers.
//!
//! The tree is cut into prefixes: every pattern of [`PREFIX_EDGES`] edges with all that grows from it. Which
//! partition a prefix belongs to is a hash of its code and nothing else, so all workers agree without communication.
//! Shorter patterns are visited by all workers, because the path to a prefix leads through them, but each belongs to
//! one partition like a prefix; a qualified pattern belongs where its unqualified one does. Promise: every pattern belongs to exactly one of the partitions.

use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{DfsCode, DfsEdge, Label};

/// Edges of a prefix. Patterns of one edge would be too few to partition where labels are few; the more edges, the more of
/// the tree is visited by all workers.
const PREFIX_EDGES: usize = 3;

/// One of several partitions of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    index: u32,
    count: u32,
}

/// The side of a partition's border that a node is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// It belongs to the partition.
    Own,
    /// It belongs to another partition, but the path to some of ours may lead through it.
    Passage,
    /// Neither it nor anything below belongs to the partition.
    Foreign,
}

impl Partition {
    /// The whole tree.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Partition number `index`, from 0, of `count`; nothing if there is no such partition.
    pub fn new(index: u32, count: u32) -> Option<Self> {
        (index < count).then_some(Self { index, count })
    }

    /// Whether a pattern belongs to the partition.
    pub fn contains(self, code: &DfsCode) -> bool {
        let prefix = &code.edges()[..code.num_edges().min(PREFIX_EDGES)];
        self.count == 1 || hash(code.start(), prefix) % u64::from(self.count) == u64::from(self.index)
    }

    pub(crate) fn side(self, tree: &Tree, node: NodeId) -> Side {
        // A longer pattern is visited only below a prefix of ours.
        if self.count == 1 || tree.num_edges(node) > PREFIX_EDGES || self.contains(&tree.code(node)) {
            Side::Own
        } else if (1..PREFIX_EDGES).contains(&tree.num_edges(node)) && tree.num_qualifiers(node) == 0 {
            Side::Passage
        } else {
            Side::Foreign
        }
    }
}

/// FNV-1a over the numbers of the edges, or the label of a single vertex, then mixed: the remainder by a small number needs
/// all bits.
fn hash(start: Label, edges: &[DfsEdge]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    if edges.is_empty() {
        hash = (hash ^ u64::from(start.0)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    for edge in edges {
        for number in [edge.from, edge.to, edge.from_label.0, edge.edge_label.0, edge.to_label.0] {
            hash = (hash ^ u64::from(number)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_tuples::from_tuples;

    #[test]
    fn the_partition_of_a_pattern_is_pinned_and_follows_its_prefix() {
        let path = |labels: &[u32]| {
            let edge = |at: usize| [at as u32, at as u32 + 1, labels[at], 0, labels[at + 1]];
            from_tuples(&(0..labels.len() - 1).map(edge).collect::<Vec<_>>()).unwrap()
        };
        let owner = |code: &DfsCode| (0..3).position(|index| Partition::new(index, 3).unwrap().contains(code)).unwrap();
        let codes = [path(&[0, 0]), path(&[0, 1]), path(&[0, 0, 1]), path(&[0, 0, 0, 0]), path(&[0, 0, 0, 1])];
        assert_eq!(codes.each_ref().map(owner), [1, 0, 1, 2, 1]);
        assert_eq!(owner(&path(&[0, 0, 0, 1, 1, 0])), owner(&path(&[0, 0, 0, 1])));
        assert!(Partition::WHOLE.contains(&codes[0]));
        assert_eq!(Partition::new(3, 3), None);
    }
}
