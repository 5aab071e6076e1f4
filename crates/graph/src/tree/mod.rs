//! The tree of patterns, grown on demand and kept: what a learner searches in every pass.
//!
//! Promise: [`Tree::expand`] returns the children of a pattern, each with its support, computed once and then kept;
//! children are in the order of their codes; the tree is the same whatever the order of the calls and the number of
//! threads, except for the numbers of the nodes, which carry no meaning. Embeddings of a node are stored while one of
//! its children may still be expanded and the memory limit allows; what was evicted is recomputed (`evict.rs`). The
//! support of a child is known before any of its embeddings is made, so a search that prunes most children never pays
//! for them.
//!
//! `nodes.rs` holds the nodes, `expand.rs` grows them, `subpattern_filter.rs` is Apriori pruning. Does not decide what
//! is worth growing. Tested against the oracle in `tests/mine_vs_oracle.rs`.

mod evict;
mod expand;
mod nodes;
mod subpattern_filter;
mod subpattern_index;

use crate::canon::{DfsCode, PatternSize, Step};
use crate::graph::Graph;
use crate::label_order::LabelOrder;
use crate::mine::{MineError, MineParams};
use crate::stats::MineStats;
use crate::support::TreeSupport;
use nodes::{ROOT, TreeOf};
use std::ops::Range;

/// A node of a [`Tree`]: one pattern. The number carries no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The number as an array index; numbers have no gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Consecutive nodes: siblings, in the order of their codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes(Range<u32>);

impl Iterator for Nodes {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.0.next().map(NodeId)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Nodes {}

/// Siblings with the same number of edges and qualifiers.
#[derive(Clone, Debug)]
pub struct Siblings {
    /// The nodes.
    pub nodes: Nodes,
    /// Whether nothing is grown from them.
    pub are_leaves: bool,
}

/// Counters and memory of a tree so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeStats {
    /// What expanding did.
    pub mined: MineStats,
    /// Nodes, expanded or not.
    pub nodes: u64,
    /// Distinct supports.
    pub supports: u64,
    /// Bytes of embeddings held now.
    pub embedding_bytes: u64,
    /// Bytes of everything held now, approximately.
    pub bytes: u64,
}

/// The tree of all patterns of some graphs, grown on demand. Threads may share it.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::MineParams, tree::Tree};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// builder.add_edge(a, b, Label(0))?;
/// builder.add_edge(b, c, Label(0))?;
/// let tree = Tree::new(&[builder.build()], MineParams::default())?;
/// let edge = tree.roots().next().unwrap();
/// let path = tree.expand(edge).next().unwrap();
/// assert_eq!(tree.support(path).unpacked().graphs(), [0]);
/// assert_eq!(tree.code(path).num_edges(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tree(Widths);

/// The tree, by the width of an embedding.
enum Widths {
    Short(TreeOf<[u8; 8]>),
    Narrow(TreeOf<[u8; 16]>),
    Long(TreeOf<[u8; 32]>),
    Medium(TreeOf<[u16; 16]>),
    Wide(TreeOf<[u32; 32]>),
}

/// Runs the body with the tree in its width.
macro_rules! in_its_width {
    ($tree:expr, $name:ident => $body:expr) => {
        match $tree {
            Widths::Short($name) => $body,
            Widths::Narrow($name) => $body,
            Widths::Long($name) => $body,
            Widths::Medium($name) => $body,
            Widths::Wide($name) => $body,
        }
    };
}
use in_its_width;

impl Tree {
    /// A tree over these graphs, with the smallest patterns.
    pub fn new(graphs: &[Graph], params: MineParams) -> Result<Self, MineError> {
        let (expander, budget) = params.prepare(graphs, &LabelOrder::AsGiven)?;
        Ok(Self(match (expander.db.max_vertices(), params.max_edges) {
            // As many edges as vertices but one: half of the memory of embeddings.
            (..=255, ..=7) => Widths::Short(TreeOf::new(expander, params, budget)),
            (..=255, ..=15) => Widths::Narrow(TreeOf::new(expander, params, budget)),
            (..=255, _) => Widths::Long(TreeOf::new(expander, params, budget)),
            (..=65535, ..=15) => Widths::Medium(TreeOf::new(expander, params, budget)),
            _ => Widths::Wide(TreeOf::new(expander, params, budget)),
        }))
    }

    /// The same over a part of the graphs, while others have the rest: it also has the patterns whose qualifiers say
    /// nothing on this part ([`Tree::says_nothing`]). Whether they do on all graphs, the parts decide together.
    pub fn of_part(graphs: &[Graph], params: MineParams) -> Result<Self, MineError> {
        let mut tree = Self::new(graphs, params)?;
        in_its_width!(&mut tree.0, tree => tree.is_part = true);
        Ok(tree)
    }

    /// Whether every embedding of the pattern without its last qualifier, in these graphs, has that too. Only in a tree
    /// over a part of the graphs.
    pub fn says_nothing(&self, node: NodeId) -> bool {
        in_its_width!(&self.0, tree => tree.nodes.get(node.0).says_nothing)
    }

    /// Number of graphs.
    pub fn num_graphs(&self) -> usize {
        in_its_width!(&self.0, tree => tree.expander.db.num_graphs())
    }

    /// The patterns of one edge, then those of a single vertex.
    pub fn roots(&self) -> Nodes {
        Nodes(in_its_width!(&self.0, tree => tree.roots.all()))
    }

    /// The patterns grown from this one: those with an edge more, then those with a qualifier more.
    pub fn expand(&self, node: NodeId) -> Nodes {
        Nodes(in_its_width!(&self.0, tree => tree.expand(node.0).all()))
    }

    /// The children of this node (or the roots, for `None`) in groups of the same number of edges and qualifiers.
    pub fn sibling_groups(&self, node: Option<NodeId>) -> [Siblings; 2] {
        in_its_width!(&self.0, tree => tree.sibling_groups(node.map(|node| node.0)))
    }

    /// Whether [`Tree::expand`] was already called on this node, so that another call costs nothing.
    pub fn is_expanded(&self, node: NodeId) -> bool {
        in_its_width!(&self.0, tree => {
            let node = tree.nodes.get(node.0);
            node.children.get().is_some() || tree.is_leaf(node)
        })
    }

    /// Whether the pattern has the largest number of edges and qualifiers, so that nothing is grown from it.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        in_its_width!(&self.0, tree => tree.is_leaf(tree.nodes.get(node.0)))
    }

    /// The support of the pattern.
    pub fn support(&self, node: NodeId) -> &TreeSupport {
        in_its_width!(&self.0, tree => &tree.nodes.get(node.0).support)
    }

    /// Number of edges and qualifiers of the pattern.
    pub fn pattern_size(&self, node: NodeId) -> PatternSize {
        in_its_width!(&self.0, tree => {
            let node = tree.nodes.get(node.0);
            PatternSize { edges: node.depth as usize, qualifiers: node.qualifiers as usize }
        })
    }

    /// What was added last.
    pub fn step(&self, node: NodeId) -> Step {
        in_its_width!(&self.0, tree => tree.nodes.get(node.0).step)
    }

    /// The pattern from which this one was grown.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = in_its_width!(&self.0, tree => tree.nodes.get(node.0).parent);
        (parent != ROOT).then_some(NodeId(parent))
    }

    /// The pattern.
    pub fn code(&self, node: NodeId) -> DfsCode {
        let mut steps: Vec<Step> = in_its_width!(&self.0, tree => tree.steps_back(node.0).collect());
        steps.reverse();
        DfsCode::from_steps(steps)
    }

    /// Counters and memory so far.
    pub fn stats(&self) -> TreeStats {
        in_its_width!(&self.0, tree => tree.stats())
    }
}
