//! What a tree of dense graphs already knows tells where larger patterns are not: each of their smaller patterns must be there.
//!
//! Promise: only graphs that lack a smaller pattern are ruled out, so every support comes out the same whatever is known, and
//! a number that two patterns share misleads nobody: they are compared. See `docs/decisions/0015`.

use super::{Answering, Asked, DfsEdge, Exist, Likeness, MineStats, Node, ROOT, Row, Rows, Scan, TreeOf};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Whether a tree is of dense graphs is seen at patterns of at most so many edges.
const SHALLOW: u32 = 4;

/// A known pattern that another one is compared with.
#[derive(Default)]
struct Other {
    likeness: Likeness,
    code: Vec<DfsEdge>,
    /// Its graphs as bits.
    support: Vec<u64>,
}

impl<R: Row> TreeOf<R> {
    /// Enters the children of a node in the index, unless there is little room. The largest patterns are inside of no other.
    pub(super) fn enter(&self, id: u32, children: Range<u32>) {
        let grows_on =
            children.clone().next().is_some_and(|c| (self.nodes.get(c).depth as usize) < self.params.max_edges);
        let has_room = self.keeps_rows.load(Ordering::Relaxed);
        if !grows_on || !has_room || !self.is_dense.load(Ordering::Relaxed) {
            return;
        }
        let mut code = Vec::new();
        self.code_into(id, &mut code);
        let mut likeness = Likeness::default();
        likeness.load(&code);
        for child in children {
            likeness.push(&self.nodes.get(child).edge);
            self.index.insert(likeness.number(), child);
            likeness.pop();
        }
    }

    /// The embeddings of the parent of a node whose own nobody will need, if many of them are samples.
    pub(super) fn sampled_parent(&self, node: &Node<R>) -> Option<Arc<Rows<R>>> {
        if node.depth as usize + 1 < self.params.max_edges || self.params.counts || node.parent == ROOT {
            return None;
        }
        let rows = self.nodes.get(node.parent).rows.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        self.is_sampled(&rows, node.depth - 1).then_some(rows)
    }

    /// Whether many of the embeddings of a node of this depth are samples.
    pub(super) fn is_sampled(&self, rows: &Rows<R>, depth: u32) -> bool {
        let is_sampled = self.expander.may_sample_all() && 4 * rows.num_sampled() > rows.graphs().len();
        if is_sampled && depth <= SHALLOW {
            self.is_dense.store(true, Ordering::Relaxed);
        }
        is_sampled
    }

    /// Finds the children of a pattern among graphs that contain them without any one edge, as far as these smaller patterns are known.
    pub(super) fn ask(
        &self,
        asked: &Asked<'_, R>,
        scan: &mut Scan,
        exist: &mut Exist,
        answering: &mut Answering,
        stats: &mut MineStats,
    ) {
        answering.begin(&self.expander, asked, scan, exist, stats);
        let mut other = Other::default();
        answering.narrow(asked.code, scan, |child, maybe| self.narrow(child, asked.code.len(), &mut other, maybe));
        answering.settle(&self.expander, asked, scan, exist, stats);
    }

    /// Takes out the graphs that do not contain a pattern without its edge number 0, ... `edges - 1`.
    fn narrow(&self, pattern: &Likeness, edges: usize, other: &mut Other, maybe: &mut [u64]) {
        let Other { likeness, code, support } = other;
        for edge in 0..edges {
            let Some((number, colors)) = pattern.without_and_colors(edge) else { continue };
            let Some(id) = self.index.get(number) else { continue };
            let node = self.nodes.get(id);
            support.clear();
            support.resize(maybe.len(), 0);
            for &graph in node.support.graphs() {
                support[graph as usize / 64] |= 1 << (graph % 64);
            }
            // Whether it is the pattern that is meant matters only if it tells anything.
            if node.depth as usize != edges || maybe.iter().zip(&*support).all(|(maybe, support)| maybe & !support == 0)
            {
                continue;
            }
            self.code_into(id, code);
            likeness.load(code);
            if pattern.is_without(edge, &colors, likeness, code) {
                maybe.iter_mut().zip(&*support).for_each(|(maybe, support)| *maybe &= support);
                if maybe.iter().all(|&word| word == 0) {
                    return;
                }
            }
        }
    }
}
