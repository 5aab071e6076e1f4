//! Which of some extensions of a pattern exist in a graph, from embeddings of the pattern without its last edge.
//!
//! Made for patterns whose own embeddings nobody needs: they are made one by one from those of the smaller pattern, each
//! is asked for the extensions that are still open, and as soon as none is, the rest is never made. Questions are
//! few operations on words (`bits.rs`).
//!
//! Knows nothing of searches: what the embeddings do not show is the caller's business. Tested through the miner.

use super::bits::{Bits, GraphBits, and, insert, is_empty, pop, without};
use super::exist::Plan;
use super::rows::Row;
use super::stats::MineStats;
use crate::pattern::DfsEdge;

/// An extension by a new vertex.
#[derive(Clone, Copy)]
struct Open {
    child: u32,
    from: u32,
    edge_label: usize,
    label: usize,
}

/// An extension that closes a ring.
#[derive(Clone, Copy)]
struct Ring {
    child: u32,
    from: u32,
    to: u32,
    edge_label: usize,
}

/// The extensions that are asked for in one graph, with reusable working memory.
#[derive(Default)]
pub(crate) struct Questions {
    open: Vec<Open>,
    rings: Vec<Ring>,
    /// Children that were shown, in the order in which they were.
    pub(crate) shown: Vec<u32>,
}

impl Questions {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.rings.clear();
        self.shown.clear();
    }

    /// Asks for a child with this last edge, unless the labels of the graph rule it out.
    pub(crate) fn ask(&mut self, bits: &GraphBits, child: u32, edge: &DfsEdge) {
        let Some(edge_label) = bits.edge_label(edge.edge_label) else { return };
        if !edge.is_forward() {
            self.rings.push(Ring { child, from: edge.from, to: edge.to, edge_label });
        } else if let Some(label) = bits.label(edge.to_label) {
            self.open.push(Open { child, from: edge.from, edge_label, label });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.rings.is_empty()
    }

    /// The children that are still open.
    pub(crate) fn left(&self) -> impl Iterator<Item = u32> {
        self.open.iter().map(|open| open.child).chain(self.rings.iter().map(|ring| ring.child))
    }

    /// Looks at embeddings until no question is left, and says at how many. `rows` are of the pattern of `vertices` vertices before its
    /// last edge, or of the pattern itself.
    pub(crate) fn look<R: Row>(
        &mut self,
        bits: &GraphBits,
        rows: &[R],
        vertices: usize,
        last: Option<&DfsEdge>,
    ) -> u64 {
        match bits.words() {
            1 => self.look_at::<R, 1>(bits, rows, vertices, last),
            2 => self.look_at::<R, 2>(bits, rows, vertices, last),
            4 => self.look_at::<R, 4>(bits, rows, vertices, last),
            _ => self.look_at::<R, 16>(bits, rows, vertices, last),
        }
    }

    /// Looks at embeddings that the plan finds, at most so many; true if nothing more can be shown, because all were looked at or no
    /// question is left.
    pub(crate) fn list<R: Row>(&mut self, bits: &GraphBits, plan: &Plan, most: u64, stats: &mut MineStats) -> bool {
        let mut listed = 0;
        plan.embeddings(bits, &mut |row: R| {
            listed += 1;
            self.look(bits, &[row], plan.num_vertices(), None);
            !self.is_empty() && listed < most
        });
        stats.embeddings += listed;
        self.is_empty() || listed < most
    }

    fn look_at<R: Row, const W: usize>(
        &mut self,
        bits: &GraphBits,
        rows: &[R],
        vertices: usize,
        last: Option<&DfsEdge>,
    ) -> u64 {
        let Some(last) = last else {
            for (at, row) in rows.iter().enumerate() {
                if self.row::<R, W>(bits, row, &used(row, vertices)) {
                    return at as u64 + 1;
                }
            }
            return rows.len() as u64;
        };
        let (Some(edge_label), Some(label)) = (bits.edge_label(last.edge_label), bits.label(last.to_label)) else {
            return 0;
        };
        let with_label: Bits<W> = bits.with_label(label);
        let mut looked_at = 0;
        for row in rows {
            let near: Bits<W> = bits.neighbors(row.get(last.from as usize) as usize, edge_label);
            if last.is_forward() {
                let used = used(row, vertices);
                let mut open = without(and(near, with_label), &used);
                while let Some(vertex) = pop(&mut open) {
                    let mut used = used;
                    insert(&mut used, vertex);
                    looked_at += 1;
                    if self.row::<R, W>(bits, &row.with(last.to as usize, vertex as u32), &used) {
                        return looked_at;
                    }
                }
            } else {
                let there = row.get(last.to as usize) as usize;
                if near[there / 64] >> (there % 64) & 1 == 1 {
                    looked_at += 1;
                    if self.row::<R, W>(bits, row, &used(row, vertices)) {
                        return looked_at;
                    }
                }
            }
        }
        looked_at
    }

    // HOT: runs for every embedding that is looked at. True if no question is left.
    #[inline(always)]
    fn row<R: Row, const W: usize>(&mut self, bits: &GraphBits, row: &R, used: &Bits<W>) -> bool {
        let mut at = 0;
        while let Some(&Open { child, from, edge_label, label }) = self.open.get(at) {
            let near: Bits<W> = bits.neighbors(row.get(from as usize) as usize, edge_label);
            if is_empty(&without(and(near, bits.with_label(label)), used)) {
                at += 1;
            } else {
                self.shown.push(child);
                self.open.swap_remove(at);
            }
        }
        let mut at = 0;
        while let Some(&Ring { child, from, to, edge_label }) = self.rings.get(at) {
            let near: Bits<W> = bits.neighbors(row.get(from as usize) as usize, edge_label);
            let there = row.get(to as usize) as usize;
            if near[there / 64 % W] >> (there % 64) & 1 == 0 {
                at += 1;
            } else {
                self.shown.push(child);
                self.rings.swap_remove(at);
            }
        }
        self.is_empty()
    }
}

/// The vertices of an embedding.
#[inline(always)]
fn used<R: Row, const W: usize>(row: &R, vertices: usize) -> Bits<W> {
    let mut used = [0; W];
    if W == 1 {
        used[0] = row.word(vertices);
    } else {
        for vertex in 0..vertices {
            insert(&mut used, row.get(vertex) as usize);
        }
    }
    used
}
