//! The supports of all children of a pattern whose own embeddings are not needed.
//!
//! Three steps. [`ChildSupports::begin`] lists all canonical extensions, each with the graphs that may contain it: the
//! support of the pattern, since supports are anti-monotone. [`ChildSupports::filter`] lets the caller remove graphs
//! that lack a smaller pattern (Apriori pruning). [`ChildSupports::decide`] decides each remaining graph
//! (`queries.rs`). An extension that a sample of embeddings does not have is searched for (`embed/existence.rs`), after
//! a test of a few embeddings of the pattern itself where the sample is small: often they are all there are.
//!
//! Tested through the miner and the tree, against the oracle and against the plain scan.

use super::expand::Expander;
use super::queries::ExtensionQueries;
use super::rightmost::RightmostScan;
use super::sink::SupportSink;
use crate::bitset::{contains_bit, insert_bit, words_for};
use crate::canon::{DfsEdge, WlHash};
use crate::embed::{Embedding, EmbeddingList, EmbeddingSearch};
use crate::stats::MineStats;

/// If a sample has fewer embeddings than this, embeddings of the pattern itself are enumerated ...
const SMALL_SAMPLE: u64 = 4;
/// ... up to this many.
const MAX_ENUMERATED: u64 = 16;

/// A pattern whose children are wanted.
pub(crate) struct Parent<'a, E> {
    pub(crate) code: &'a [DfsEdge],
    /// Its support.
    pub(crate) graphs: &'a [u32],
    /// Embeddings of the pattern if `own`, else of the pattern without its last edge.
    pub(crate) embeddings: &'a EmbeddingList<E>,
    pub(crate) own: bool,
}

/// Finds supports of children, with reusable working memory.
#[derive(Default)]
pub(crate) struct ChildSupports {
    wl_hash: WlHash,
    queries: ExtensionQueries,
    words: usize,
    /// By child: the graphs that may contain it, as bits.
    possible: Vec<u64>,
}

impl ChildSupports {
    /// Lists the children that labels allow; each may occur in all graphs of its parent.
    pub(crate) fn begin<E: Embedding>(
        &mut self,
        expander: &Expander,
        parent: &Parent<'_, E>,
        scan: &mut RightmostScan,
        supports: &mut SupportSink,
        stats: &mut MineStats,
    ) {
        scan.begin(&expander.db, parent.code);
        scan.list_all::<E, _>(&expander.db, supports, stats);
        self.words = words_for(expander.db.num_graphs());
        self.possible.clear();
        self.possible.resize(self.words * scan.children().len(), 0);
        let Some((first, others)) = self.possible.split_at_mut_checked(self.words) else { return };
        for &graph in parent.graphs {
            insert_bit(first, graph as usize);
        }
        others.chunks_exact_mut(self.words).for_each(|other| other.copy_from_slice(first));
    }

    /// Lets the caller remove graphs from the sets of the children.
    pub(crate) fn filter(
        &mut self,
        code: &[DfsEdge],
        scan: &RightmostScan,
        mut filter: impl FnMut(&WlHash, &mut [u64]),
    ) {
        self.wl_hash.load(code);
        for (edge, possible) in scan.children().iter().zip(self.possible.chunks_exact_mut(self.words)) {
            self.wl_hash.push(edge);
            filter(&self.wl_hash, possible);
            self.wl_hash.pop();
        }
    }

    /// Decides for each child and each possible graph; `supports` has the result.
    pub(crate) fn decide<E: Embedding>(
        &mut self,
        expander: &Expander,
        parent: &Parent<'_, E>,
        scan: &mut RightmostScan,
        supports: &mut SupportSink,
        stats: &mut MineStats,
    ) {
        let &Parent { code, graphs, embeddings, own } = parent;
        let last = (!own).then(|| &code[code.len() - 1]);
        let vertices = 1 + code[..code.len() - usize::from(!own)].iter().filter(|e| e.is_forward()).count();
        let mut search = None;
        let mut position = 0;
        for &graph in graphs {
            while embeddings.graphs()[position] != graph {
                position += 1;
            }
            let Some(bits) = expander.bits(graph) else { continue };
            let Self { queries, possible, words, .. } = self;
            queries.clear();
            for (child, edge) in scan.children().iter().enumerate() {
                if contains_bit(possible, 64 * *words * child + graph as usize) {
                    queries.add(bits, child as u32, edge);
                } else {
                    stats.ruled_out += 1;
                }
            }
            if queries.is_empty() {
                continue;
            }
            let tested = queries.test_all(bits, embeddings.at(position), vertices, last);
            stats.embeddings += tested;
            let mut is_open = embeddings.status(position).sampled && !queries.is_empty();
            if is_open && tested < SMALL_SAMPLE {
                let search = search.get_or_insert_with(|| EmbeddingSearch::new(&expander.db, code));
                let decides = |search: &EmbeddingSearch| queries.test_found::<E>(bits, search, MAX_ENUMERATED, stats);
                is_open = !search.as_ref().is_some_and(decides);
            }
            for &child in &queries.found {
                supports.add_graph(child as usize, graph);
            }
            for child in queries.open().filter(|_| is_open) {
                stats.searched += 1;
                if scan.exists(&expander.db, bits, child as usize) {
                    supports.add_graph(child as usize, graph);
                }
            }
        }
    }
}
