//! The nodes of a tree in one width of embeddings, and everything that they refer to.

use super::TreeStats;
use super::subpattern_index::SubpatternIndex;
use crate::canon::DfsEdge;
use crate::concurrent_vec::ConcurrentVec;
use crate::embed::{Embedding, EmbeddingList, MniCounter, one_edge_patterns};
use crate::extend::{ChildSupports, EmbeddingBuffers, Expander, MniSink, RightmostScan, SupportSink};
use crate::mine::MineParams;
use crate::stats::MineStats;
use crate::support::{Support, SupportTable};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Parent of the patterns of one edge.
pub(super) const ROOT: u32 = u32::MAX;

/// One pattern.
#[derive(Debug)]
pub(super) struct Node<E> {
    pub(super) parent: u32,
    /// Number of edges.
    pub(super) depth: u32,
    /// Last edge of the code.
    pub(super) edge: DfsEdge,
    pub(super) support: Arc<Support>,
    pub(super) children: OnceLock<Range<u32>>,
    /// Whether it had children that were evicted.
    pub(super) was_open: bool,
    /// Children that may still need `embeddings`.
    pub(super) waiting: AtomicU32,
    pub(super) embeddings: Mutex<Option<Arc<EmbeddingList<E>>>>,
}

impl<E> Node<E> {
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
    pub(super) roots: Range<u32>,
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
pub(super) struct TreeScratch<E> {
    pub(super) scan: RightmostScan,
    pub(super) supports: SupportSink,
    pub(super) counts: MniSink,
    pub(super) buffers: EmbeddingBuffers<E>,
    pub(super) code: Vec<DfsEdge>,
    pub(super) child_supports: ChildSupports,
}

impl<E> Default for TreeScratch<E> {
    fn default() -> Self {
        Self {
            scan: RightmostScan::default(),
            supports: SupportSink::default(),
            counts: MniSink::default(),
            buffers: EmbeddingBuffers::default(),
            code: Vec::new(),
            child_supports: ChildSupports::default(),
        }
    }
}

impl<E: Embedding> TreeOf<E> {
    pub(super) fn new(expander: Expander, params: MineParams, budget: usize) -> Self {
        let mut tree = Self {
            expander,
            params,
            budget,
            supports: SupportTable::default(),
            nodes: ConcurrentVec::default(),
            roots: 0..0,
            embedding_bytes: AtomicUsize::new(0),
            keeps_embeddings: AtomicBool::new(true),
            evicted_embeddings: AtomicU64::new(0),
            largest: (AtomicU32::new(0), AtomicUsize::new(0)),
            index: SubpatternIndex::default(),
            is_dense: AtomicBool::new(false),
            mined: Mutex::default(),
            free: Mutex::default(),
        };
        let mut counts = MniCounter::default();
        let mut roots = Vec::new();
        for (edge, embeddings) in one_edge_patterns::<E>(&tree.expander.db, tree.params.min_support) {
            if tree.params.counts {
                counts.count(&tree.expander.db, &embeddings, &[edge]);
            }
            roots.push((edge, tree.supports.intern(embeddings.graphs(), counts.counts())));
        }
        tree.roots = tree.add(ROOT, 1, roots);
        tree
    }

    /// Adds siblings.
    pub(super) fn add(&self, parent: u32, depth: u32, children: Vec<(DfsEdge, Arc<Support>)>) -> Range<u32> {
        let len = children.len() as u32;
        let first = self.nodes.extend(children.into_iter().map(|(edge, support)| Node {
            parent,
            depth,
            edge,
            support,
            children: OnceLock::new(),
            was_open: false,
            waiting: AtomicU32::new(0),
            embeddings: Mutex::new(None),
        }));
        first..first + len
    }

    pub(super) fn code_into(&self, id: u32, code: &mut Vec<DfsEdge>) {
        code.clear();
        let mut at = id;
        while at != ROOT {
            let node = self.nodes.get(at);
            code.push(node.edge);
            at = node.parent;
        }
        code.reverse();
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
