//! A share of the tree of patterns, for a search that is spread over several places.
//!
//! The tree is cut into prefixes: every pattern of [`PREFIX_EDGES`] edges with all that grows from it. Which share a
//! prefix belongs to is a hash of its code and nothing else, so all places agree without talking to each other. Shorter
//! patterns are walked by all, since the way to a prefix leads through them, but each belongs to one share like a prefix.
//! Promise: every pattern belongs to exactly one share of each division.

use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{DfsCode, DfsEdge};

/// Edges of a prefix. Patterns of one edge would be too few to divide where labels are few; the more edges, the more of
/// the tree is walked by everybody.
const PREFIX_EDGES: usize = 3;

/// One share of a division of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    at: u32,
    of: u32,
}

/// What a node is to a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It belongs to the share.
    Own,
    /// It belongs to another share, but the way to some of ours may lead through it.
    OnTheWay,
    /// Neither it nor anything below belongs to the share.
    Foreign,
}

impl Share {
    /// The whole tree.
    pub const WHOLE: Self = Self { at: 0, of: 1 };

    /// Share number `at`, from 0, of a division into `of`; nothing if there is no such share.
    pub fn new(at: u32, of: u32) -> Option<Self> {
        (at < of).then_some(Self { at, of })
    }

    /// Whether a pattern belongs to the share.
    pub fn holds(self, code: &DfsCode) -> bool {
        self.owns(code.edges())
    }

    fn owns(self, edges: &[DfsEdge]) -> bool {
        self.of == 1 || hash(&edges[..edges.len().min(PREFIX_EDGES)]) % u64::from(self.of) == u64::from(self.at)
    }

    pub(super) fn part(self, tree: &Tree, node: NodeId) -> Part {
        // A longer pattern is met only below a prefix of ours.
        if self.of == 1 || tree.num_edges(node) > PREFIX_EDGES || self.owns(tree.code(node).edges()) {
            Part::Own
        } else if tree.num_edges(node) < PREFIX_EDGES {
            Part::OnTheWay
        } else {
            Part::Foreign
        }
    }
}

/// FNV-1a over the numbers of the edges, then mixed: the remainder by a small number needs all bits.
fn hash(edges: &[DfsEdge]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
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
    use crate::code::from_tuples;

    #[test]
    fn which_share_a_pattern_belongs_to_is_pinned_and_follows_its_prefix() {
        let path = |labels: &[u32]| {
            let edge = |at: usize| [at as u32, at as u32 + 1, labels[at], 0, labels[at + 1]];
            from_tuples(&(0..labels.len() - 1).map(edge).collect::<Vec<_>>()).unwrap()
        };
        let owner = |code: &DfsCode| (0..3).position(|at| Share::new(at, 3).unwrap().holds(code)).unwrap();
        let codes = [path(&[0, 0]), path(&[0, 1]), path(&[0, 0, 1]), path(&[0, 0, 0, 0]), path(&[0, 0, 0, 1])];
        assert_eq!(codes.each_ref().map(owner), [1, 0, 1, 2, 1]);
        assert_eq!(owner(&path(&[0, 0, 0, 1, 1, 0])), owner(&path(&[0, 0, 0, 1])));
        assert!(Share::WHOLE.holds(&codes[0]));
        assert_eq!(Share::new(3, 3), None);
    }
}
