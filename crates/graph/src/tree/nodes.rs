//! The nodes of a tree in one width of embeddings, and everything that they refer to.

use super::TreeStats;
use super::subpattern_index::SubpatternIndex;
use crate::canon::{DfsEdge, Step};
use crate::concurrent_vec::ConcurrentVec;
use crate::embed::{Counts, Embedding, EmbeddingList, SearchPattern, one_edge_patterns, one_vertex_patterns};
use crate::extend::{
    ChildSupports, CountSink, EmbeddingBuffers, Expander, PatternCounter, Refiner, RightmostScan, SupportSink,
};
use crate::ids::{Label, Qualifier};
use crate::mine::MineParams;
use crate::stats::MineStats;
use crate::support::{SupportTable, TreeSupport};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Parent of the patterns of a single vertex or one edge.
pub(super) const ROOT: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Node<E> {
    pub(super) parent: u32,
    /// Number of edges.
    pub(super) depth: u16,
    pub(super) qualifiers: u16,
    /// What was added last.
    pub(super) step: Step,
    pub(super) support: TreeSupport,
    pub(super) children: OnceLock<Children>,
    /// Whether its qualifiers are not minimal on these graphs, which are a part of all.
    pub(super) says_nothing: bool,
    /// Children that may still need `embeddings`.
    pub(super) waiting: AtomicU32,
    pub(super) embeddings: Mutex<Option<Arc<EmbeddingList<E>>>>,
}

/// The children of a node, consecutive: those with an edge more, then those with a qualifier more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Children {
    pub(super) start: u32,
    pub(super) middle: u32,
    pub(super) end: u32,
}

impl Children {
    /// All of them.
    pub(super) fn all(self) -> Range<u32> {
        self.start..self.end
    }
}

/// A pattern that becomes a node.
pub(super) struct NewNode {
    pub(super) step: Step,
    pub(super) support: TreeSupport,
    pub(super) says_nothing: bool,
}

#[derive(Clone, Copy)]
pub(super) struct PatternSize {
    pub(super) edges: u16,
    pub(super) qualifiers: u16,
}

impl NewNode {
    /// The node below a parent.
    fn into_node<E>(self, parent: u32, size: PatternSize) -> Node<E> {
        Node {
            parent,
            depth: size.edges,
            qualifiers: size.qualifiers,
            step: self.step,
            support: self.support,
            children: OnceLock::new(),
            says_nothing: self.says_nothing,
            waiting: AtomicU32::new(0),
            embeddings: Mutex::new(None),
        }
    }
}

impl<E> Node<E> {
    pub(super) fn size(&self) -> PatternSize {
        PatternSize { edges: self.depth, qualifiers: self.qualifiers }
    }

    pub(super) fn lock_embeddings(&self) -> MutexGuard<'_, Option<Arc<EmbeddingList<E>>>> {
        self.embeddings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tree in one width of embeddings.
pub(super) struct TreeOf<E> {
    pub(super) expander: Expander,
    pub(super) params: MineParams,
    /// Bytes of embeddings that may be stored.
    pub(super) budget: usize,
    pub(super) supports: SupportTable,
    pub(super) nodes: ConcurrentVec<Node<E>>,
    /// The patterns of one edge, then those of a single vertex.
    pub(super) roots: Children,
    /// Whether patterns are qualified.
    pub(super) refines: bool,
    /// Whether there are other graphs, on which a qualifier may say something that says nothing on these.
    pub(super) is_part: bool,
    pub(super) embedding_bytes: AtomicUsize,
    /// Whether embeddings may be stored.
    pub(super) keeps_embeddings: AtomicBool,
    /// Embedding lists that were evicted, or not stored, because of the memory limit.
    pub(super) evicted_embeddings: AtomicU64,
    /// Largest number of children of an expansion so far, and largest number of bytes of their supports.
    pub(super) largest: (AtomicU32, AtomicUsize),
    /// Patterns by hash, once samples turn out to be common.
    pub(super) index: SubpatternIndex,
    pub(super) is_dense: AtomicBool,
    pub(super) mined: Mutex<MineStats>,
    /// Working memory that no thread uses.
    pub(super) free: Mutex<Vec<TreeScratch<E>>>,
}

/// Working memory of one thread.
#[derive(Default)]
pub(super) struct TreeScratch<E> {
    pub(super) scan: RightmostScan,
    pub(super) supports: SupportSink,
    pub(super) counts: CountSink,
    pub(super) counter: PatternCounter,
    pub(super) refiner: Refiner,
    pub(super) buffers: EmbeddingBuffers<E>,
    /// The pattern that is expanded.
    pub(super) start: Label,
    pub(super) code: Vec<DfsEdge>,
    pub(super) qualifiers: Vec<Qualifier>,
    pub(super) child_supports: ChildSupports,
    /// The graphs of its support, and of that of its unqualified pattern, where they are packed.
    pub(super) unpacked: [Vec<u32>; 2],
}

impl<E: Embedding> TreeOf<E> {
    pub(super) fn new(expander: Expander, params: MineParams, budget: usize) -> Self {
        let refines = params.max_qualifiers > 0 && expander.db.has_qualifiers();
        let packs = expander.db.num_graphs() >= params.pack_supports_from;
        let mut tree = Self {
            expander,
            params,
            budget,
            supports: SupportTable::packing(packs),
            nodes: ConcurrentVec::default(),
            roots: Children::default(),
            refines,
            is_part: false,
            embedding_bytes: AtomicUsize::new(0),
            keeps_embeddings: AtomicBool::new(true),
            evicted_embeddings: AtomicU64::new(0),
            largest: (AtomicU32::new(0), AtomicUsize::new(0)),
            index: SubpatternIndex::default(),
            is_dense: AtomicBool::new(false),
            mined: Mutex::default(),
            free: Mutex::default(),
        };
        let min_support = tree.params.min_support;
        let mut counter = PatternCounter::default();
        let edges = one_edge_patterns::<E>(&tree.expander.db, min_support);
        let edges = edges.into_iter().map(|(edge, list)| tree.root(Step::Edge(edge), &list, &mut counter)).collect();
        let mut vertices = Vec::new();
        if tree.params.min_edges == 0 {
            vertices = one_vertex_patterns::<E>(&tree.expander.db, min_support);
        }
        let vertices =
            vertices.into_iter().map(|(label, list)| tree.root(Step::Vertex(label), &list, &mut counter)).collect();
        tree.roots = tree.add_roots(edges, vertices);
        tree
    }

    fn root(&self, step: Step, embeddings: &EmbeddingList<E>, counter: &mut PatternCounter) -> NewNode {
        let (start, code) = match step {
            Step::Edge(edge) => (edge.from_label, vec![edge]),
            Step::Vertex(label) => (label, Vec::new()),
            Step::Qualifier(_) => unreachable!("no pattern starts with a qualifier"),
        };
        counter.clear();
        if self.params.counts != Counts::Off {
            let pattern = SearchPattern { start, code: &code, qualifiers: &[], extra: None };
            let pattern = counter.begin(pattern, self.params.counts);
            counter.count_list(&self.expander, pattern, embeddings, &mut MineStats::default());
        }
        let support = self.supports.intern_with_images(embeddings.graphs(), counter.counts(), counter.images());
        NewNode { step, support, says_nothing: false }
    }

    /// Adds the patterns of one edge, then those of a single vertex.
    fn add_roots(&self, edges: Vec<NewNode>, vertices: Vec<NewNode>) -> Children {
        let middle = edges.len() as u32;
        let end = middle + vertices.len() as u32;
        let roots = |edges| move |new: NewNode| new.into_node(ROOT, PatternSize { edges, qualifiers: 0 });
        self.nodes.extend(edges.into_iter().map(roots(1)));
        self.nodes.extend(vertices.into_iter().map(roots(0)));
        Children { start: 0, middle, end }
    }

    /// Adds the children of a node of this size: those with an edge more, then those with a qualifier more.
    pub(super) fn add_groups(
        &self,
        parent: u32,
        size: PatternSize,
        grown: Vec<NewNode>,
        qualified: Vec<NewNode>,
    ) -> Children {
        let middle = grown.len() as u32;
        let larger = PatternSize { edges: size.edges + 1, ..size };
        let sizes = std::iter::repeat_n(larger, grown.len())
            .chain(std::iter::repeat(PatternSize { qualifiers: size.qualifiers + 1, ..size }));
        let all: Vec<_> = grown.into_iter().chain(qualified).zip(sizes).collect();
        let len = all.len() as u32;
        let start = self.nodes.extend(all.into_iter().map(|(new, size)| new.into_node(parent, size)));
        Children { start, middle: start + middle, end: start + len }
    }

    /// The steps that lead to a pattern, from the last.
    pub(super) fn steps_back(&self, id: u32) -> impl Iterator<Item = Step> + '_ {
        let mut at = id;
        std::iter::from_fn(move || {
            (at != ROOT).then(|| {
                let node = self.nodes.get(at);
                at = node.parent;
                node.step
            })
        })
    }

    /// The edges of a pattern.
    pub(super) fn code_into(&self, id: u32, code: &mut Vec<DfsEdge>) {
        code.clear();
        code.extend(self.steps_back(id).filter_map(|step| if let Step::Edge(edge) = step { Some(edge) } else { None }));
        code.reverse();
    }

    /// Whether nothing is grown from this node.
    pub(super) fn is_leaf(&self, node: &Node<E>) -> bool {
        !self.grows_edges(node) && !self.grows_qualifiers(node)
    }

    /// Whether patterns with an edge more are grown from this node.
    pub(super) fn grows_edges(&self, node: &Node<E>) -> bool {
        (1..self.params.max_edges).contains(&(node.depth as usize)) && node.qualifiers == 0
    }

    /// Whether patterns with a qualifier more are grown from this node.
    pub(super) fn grows_qualifiers(&self, node: &Node<E>) -> bool {
        self.refines
            && (node.qualifiers as usize) < self.params.max_qualifiers
            && node.depth as usize <= self.params.max_qualified_edges
    }

    pub(super) fn stats(&self) -> TreeStats {
        let (nodes, supports) = (self.nodes.len(), self.supports.len());
        let embedding_bytes = self.embedding_bytes.load(Ordering::Relaxed);
        let bytes = self.expander.db.bytes() + self.supports.bytes() + nodes * size_of::<Node<E>>() + embedding_bytes;
        let bytes = bytes + self.index.bytes(0);
        TreeStats {
            mined: *self.mined.lock().unwrap_or_else(PoisonError::into_inner),
            nodes: nodes as u64,
            supports: supports as u64,
            embedding_bytes: embedding_bytes as u64,
            bytes: bytes as u64,
        }
    }
}
