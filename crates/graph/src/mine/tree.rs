//! The tree of patterns, grown on demand and kept: what a learner searches again and again.
//!
//! Promise: [`Tree::expand`] gives the children of a pattern, each with its support, computed once and
//! then remembered; children are in the order of their codes; the same tree comes out whatever the order and
//! the number of threads that ask, except for the numbers of the nodes, which only name them. Rows of
//! a node are kept while one of its children may still be expanded and the memory budget allows; what was
//! dropped is derived again. A child's support is known before any of its rows exists, so a
//! search that prunes most children never pays for them.

pub use room::Renamed;

use super::answer::{Answering, Asked};
use super::arena::Arena;
use super::counted::Counted;
use super::counts::MinImage;
use super::expand::{Buffers, Expander};
use super::extend::Scan;
use super::index::Index;
use super::likeness::Likeness;
use super::naming::Naming;
use super::rows::{Row, Rows};
use super::sink::Exist;
use super::stats::MineStats;
use super::{MineError, MineParams, first_rows, prepare};
use crate::graph::Graph;
use crate::pattern::{DfsCode, DfsEdge};
use crate::support::{Support, SupportTable};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A node of a [`Tree`]: one pattern. The number says nothing about the pattern.
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

/// No parent: a pattern of one edge.
const ROOT: u32 = u32::MAX;

#[derive(Debug)]
struct Node<R> {
    parent: u32,
    depth: u32,
    edge: DfsEdge,
    support: Arc<Support>,
    children: OnceLock<Range<u32>>,
    /// Whether it had children that were dropped.
    was_open: bool,
    /// Children that may still ask for `rows`.
    waiting: AtomicU32,
    rows: Mutex<Option<Arc<Rows<R>>>>,
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
    pub row_bytes: u64,
    /// Bytes of everything held now, about.
    pub bytes: u64,
}

/// The tree in one width of rows.
struct TreeOf<R> {
    expander: Expander,
    params: MineParams,
    budget: usize,
    supports: SupportTable,
    nodes: Arena<Node<R>>,
    roots: Range<u32>,
    row_bytes: AtomicUsize,
    /// Whether rows may be kept.
    keeps_rows: AtomicBool,
    /// Lists of rows that were dropped, or not kept, for want of room.
    dropped_rows: AtomicU64,
    /// The most children that an expansion had so far, and the most bytes of their supports.
    largest: (AtomicU32, AtomicUsize),
    /// Patterns by number, once samples turn out to be common.
    index: Index,
    is_dense: AtomicBool,
    mined: Mutex<MineStats>,
    free: Mutex<Vec<Scratch<R>>>,
}

struct Scratch<R> {
    scan: Scan,
    exist: Exist,
    counted: Counted,
    buffers: Buffers<R>,
    code: Vec<DfsEdge>,
    answering: Answering,
}

impl<R> Default for Scratch<R> {
    fn default() -> Self {
        Self {
            scan: Scan::default(),
            exist: Exist::default(),
            counted: Counted::default(),
            buffers: Buffers::default(),
            code: Vec::new(),
            answering: Answering::default(),
        }
    }
}

impl<R: Row> TreeOf<R> {
    fn new(expander: Expander, params: MineParams, budget: usize) -> Self {
        let mut tree = Self {
            expander,
            params,
            budget,
            supports: SupportTable::default(),
            nodes: Arena::default(),
            roots: 0..0,
            row_bytes: AtomicUsize::new(0),
            keeps_rows: AtomicBool::new(true),
            dropped_rows: AtomicU64::new(0),
            largest: (AtomicU32::new(0), AtomicUsize::new(0)),
            index: Index::default(),
            is_dense: AtomicBool::new(false),
            mined: Mutex::default(),
            free: Mutex::default(),
        };
        let mut counts = MinImage::default();
        let mut roots = Vec::new();
        for (edge, rows) in first_rows::<R>(&tree.expander.db, tree.params.min_support) {
            if tree.params.counts {
                counts.count(&tree.expander.db, &rows, &[edge]);
            }
            roots.push((edge, tree.supports.intern(rows.graphs(), counts.counts())));
        }
        tree.roots = tree.add(ROOT, 1, roots);
        tree
    }

    fn add(&self, parent: u32, depth: u32, children: Vec<(DfsEdge, Arc<Support>)>) -> Range<u32> {
        let len = children.len() as u32;
        let first = self.nodes.extend(children.into_iter().map(|(edge, support)| Node {
            parent,
            depth,
            edge,
            support,
            children: OnceLock::new(),
            was_open: false,
            waiting: AtomicU32::new(0),
            rows: Mutex::new(None),
        }));
        first..first + len
    }

    fn expand(&self, id: u32) -> Range<u32> {
        let node = self.nodes.get(id);
        if node.depth as usize >= self.params.max_edges {
            return 0..0;
        }
        node.children.get_or_init(|| self.grow(id, node)).clone()
    }

    fn grow(&self, id: u32, node: &Node<R>) -> Range<u32> {
        let mut scratch = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut stats = MineStats::default();
        let Scratch { scan, exist, counted, buffers, code, answering } = &mut scratch;
        self.code_into(id, code);
        let vertices = 1 + code.iter().filter(|edge| edge.is_forward()).count();
        counted.begin(vertices, self.expander.db.max_vertices());
        let parent = self.sampled_parent(node);
        let mut stored = if parent.is_some() { None } else { self.rows_of(node, code, buffers) };
        stats.rederived = u64::from(parent.is_none() && stored.is_none() || node.was_open);
        if let Some(parent) = parent {
            let asked = Asked { code, graphs: node.support.graphs(), rows: &parent, own: false };
            self.ask(&asked, scan, exist, answering, &mut stats);
        } else if let Some(rows) = &mut stored {
            if !self.params.counts && self.is_sampled(rows, node.depth) {
                let asked = Asked { code, graphs: node.support.graphs(), rows, own: true };
                self.ask(&asked, scan, exist, answering, &mut stats);
            } else {
                scan.begin(&self.expander.db, code);
                if self.params.counts {
                    self.expander.children(scan, rows, counted, &mut stats);
                } else {
                    self.expander.children(scan, rows, exist, &mut stats);
                }
            }
        } else {
            scan.begin(&self.expander.db, code);
            let graphs = node.support.graphs();
            if self.params.counts {
                self.expander.children_of_derived(scan, code, graphs, buffers, counted, &mut stats);
            } else {
                self.expander.children_of_derived(scan, code, graphs, buffers, exist, &mut stats);
            }
        }
        counted.finish();
        let mut children = Vec::with_capacity(scan.children().len());
        for (c, &edge) in scan.children().iter().enumerate() {
            let (graphs, counts) =
                if self.params.counts { counted.child(c) } else { (exist.children()[c].as_slice(), &[][..]) };
            if graphs.len() < self.params.min_support {
                stats.dropped += 1;
                continue;
            }
            children.push((edge, self.supports.intern(graphs, counts)));
        }
        children.sort_unstable_by_key(|&(edge, _)| edge);
        self.note_size(&children);
        exist.clear();
        self.settle(node, stored, children.len());
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        stats.expanded = 1;
        *self.mined.lock().unwrap_or_else(PoisonError::into_inner) += stats;
        let range = self.add(id, node.depth + 1, children);
        self.enter(id, range.clone());
        range
    }

    /// The embeddings of a node about to be expanded, if they fit: from its parent's or, for one edge, from nothing.
    fn rows_of(&self, node: &Node<R>, code: &[DfsEdge], buffers: &mut Buffers<R>) -> Option<Rows<R>> {
        let parent = (node.parent != ROOT)
            .then(|| self.nodes.get(node.parent).rows.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .flatten();
        let room = self.budget.saturating_sub(self.row_bytes.load(Ordering::Relaxed));
        if parent.is_none() && node.parent != ROOT || !self.keeps_rows.load(Ordering::Relaxed) {
            return None;
        }
        let rows = self.expander.rows(code, node.support.graphs(), parent.as_deref(), room, buffers);
        self.dropped_rows.fetch_add(u64::from(rows.is_none()), Ordering::Relaxed);
        rows
    }

    /// Keeps the rows of an expanded node for its children, and frees the parent's if this was the last
    /// child that could need them.
    fn settle(&self, node: &Node<R>, stored: Option<Rows<R>>, children: usize) {
        let grows_on = node.depth as usize + 1 < self.params.max_edges && children > 0;
        if let Some(mut rows) = stored.filter(|_| grows_on && self.keeps_rows.load(Ordering::Relaxed)) {
            rows.shrink();
            self.row_bytes.fetch_add(rows.bytes(), Ordering::Relaxed);
            node.waiting.store(children as u32, Ordering::Relaxed);
            *node.rows.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(rows));
        }
        if node.parent == ROOT {
            return;
        }
        let parent = self.nodes.get(node.parent);
        let mut rows = parent.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.is_some()
            && parent.waiting.fetch_sub(1, Ordering::Relaxed) == 1
            && let Some(freed) = rows.take()
        {
            self.row_bytes.fetch_sub(freed.bytes(), Ordering::Relaxed);
        }
    }

    fn code_into(&self, id: u32, code: &mut Vec<DfsEdge>) {
        code.clear();
        let mut at = id;
        while at != ROOT {
            let node = self.nodes.get(at);
            code.push(node.edge);
            at = node.parent;
        }
        code.reverse();
    }

    fn stats(&self) -> TreeStats {
        let (nodes, supports) = (self.nodes.len(), self.supports.len());
        let row_bytes = self.row_bytes.load(Ordering::Relaxed);
        let bytes = self.expander.db.bytes() + self.supports.bytes() + nodes * size_of::<Node<R>>() + row_bytes;
        let bytes = bytes + self.index.bytes(0);
        TreeStats {
            mined: *self.mined.lock().unwrap_or_else(PoisonError::into_inner),
            nodes: nodes as u64,
            supports: supports as u64,
            row_bytes: row_bytes as u64,
            bytes: bytes as u64,
        }
    }
}

/// The tree of all patterns of some graphs, grown on demand. Shared between threads.
///
/// ```
/// use einsicht_graph::{Graph, Label, mine::{MineParams, Tree}};
/// let mut builder = Graph::builder();
/// let (a, b, c) = (builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?, builder.add_vertex(Label(0))?);
/// builder.add_edge(a, b, Label(0))?;
/// builder.add_edge(b, c, Label(0))?;
/// let tree = Tree::new(&[builder.build()], MineParams::default())?;
/// let edge = tree.roots().next().unwrap();
/// let path = tree.expand(edge).next().unwrap();
/// assert_eq!(tree.support(path).graphs(), [0]);
/// assert_eq!(tree.code(path).num_edges(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tree(Widths);

enum Widths {
    Narrow(TreeOf<[u8; 16]>),
    Long(TreeOf<[u8; 32]>),
    Medium(TreeOf<[u16; 16]>),
    Wide(TreeOf<[u32; 32]>),
}

macro_rules! in_its_width {
    ($tree:expr, $name:ident => $body:expr) => {
        match $tree {
            Widths::Narrow($name) => $body,
            Widths::Long($name) => $body,
            Widths::Medium($name) => $body,
            Widths::Wide($name) => $body,
        }
    };
}

impl Tree {
    /// A tree over these graphs, with the patterns of one edge.
    pub fn new(graphs: &[Graph], params: MineParams) -> Result<Self, MineError> {
        let (expander, budget) = prepare(graphs, &params, &Naming::Own)?;
        Ok(Self(match (expander.db.max_vertices(), params.max_edges) {
            (..=255, ..=15) => Widths::Narrow(TreeOf::new(expander, params, budget)),
            (..=255, _) => Widths::Long(TreeOf::new(expander, params, budget)),
            (..=65535, ..=15) => Widths::Medium(TreeOf::new(expander, params, budget)),
            _ => Widths::Wide(TreeOf::new(expander, params, budget)),
        }))
    }

    /// Number of graphs.
    pub fn num_graphs(&self) -> usize {
        in_its_width!(&self.0, tree => tree.expander.db.num_graphs())
    }

    /// The patterns of one edge.
    pub fn roots(&self) -> Nodes {
        Nodes(in_its_width!(&self.0, tree => tree.roots.clone()))
    }

    /// The patterns grown from this one; none if it has the largest number of edges.
    pub fn expand(&self, node: NodeId) -> Nodes {
        Nodes(in_its_width!(&self.0, tree => tree.expand(node.0)))
    }

    /// Whether [`Tree::expand`] was already called on this node, so that it costs nothing now.
    pub fn is_expanded(&self, node: NodeId) -> bool {
        in_its_width!(&self.0, tree => {
            let node = tree.nodes.get(node.0);
            node.children.get().is_some() || node.depth as usize >= tree.params.max_edges
        })
    }

    /// Whether the pattern has the largest number of edges, so that nothing is grown from it.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        in_its_width!(&self.0, tree => tree.nodes.get(node.0).depth as usize >= tree.params.max_edges)
    }

    /// Whether all that is grown from this node, or from nothing, has the largest number of edges.
    pub fn has_leaves(&self, node: Option<NodeId>) -> bool {
        let edges = |tree: &Self, node: Option<NodeId>| node.map_or(0, |node| tree.num_edges(node));
        edges(self, node) + 1 >= in_its_width!(&self.0, tree => tree.params.max_edges)
    }

    /// In which graphs the pattern occurs.
    pub fn support(&self, node: NodeId) -> &Arc<Support> {
        in_its_width!(&self.0, tree => &tree.nodes.get(node.0).support)
    }

    /// Number of edges of the pattern.
    pub fn num_edges(&self, node: NodeId) -> usize {
        in_its_width!(&self.0, tree => tree.nodes.get(node.0).depth as usize)
    }

    /// The edge that was added last.
    pub fn last_edge(&self, node: NodeId) -> DfsEdge {
        in_its_width!(&self.0, tree => tree.nodes.get(node.0).edge)
    }

    /// The pattern from which this one was grown.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = in_its_width!(&self.0, tree => tree.nodes.get(node.0).parent);
        (parent != ROOT).then_some(NodeId(parent))
    }

    /// The smallest DFS code of the pattern.
    pub fn code(&self, node: NodeId) -> DfsCode {
        let mut code = Vec::new();
        in_its_width!(&self.0, tree => tree.code_into(node.0, &mut code));
        DfsCode::from_edges_unchecked(code)
    }

    /// Counters and memory so far.
    pub fn stats(&self) -> TreeStats {
        in_its_width!(&self.0, tree => tree.stats())
    }
}

mod known;
mod room; // below the macro that it uses
