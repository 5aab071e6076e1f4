//! Level by level where graphs have few labels: the passes that fill [`Levels`], and the last one, which shows everything to
//! the visitor.
//!
//! Promise: the visitor meets the same patterns with the same supports in the same order as without looking ahead. Only
//! visitors that grow everything are served so ([`Visitor::grows_all`]), because the passes before the last one find
//! patterns that nobody has asked for yet.

use super::answer::Asked;
use super::levels::{Level, Levels};
use super::rows::{Row, Rows};
use super::stats::MineStats;
use super::walk::{Place, Scratch, WORTH_SHARING, Walk};
use super::{Step, Visitor};
use crate::pattern::DfsEdge;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Whether samples are taken often enough to look ahead is decided once patterns of so many edges are known.
const DECIDED_AT: usize = 4;
/// Bytes of patterns and supports from which on no further level is kept.
const MOST_BYTES: usize = 32 << 20;

/// Siblings that are known already.
struct Family<R> {
    /// Edges of the patterns.
    depth: usize,
    /// Their places in the level.
    range: Range<usize>,
    /// Embeddings of their parent.
    parent: Option<Arc<Rows<R>>>,
}

/// What a pass writes to.
#[derive(Default)]
struct Harvest {
    /// The next level, in all passes but the last.
    next: Option<Level>,
    stats: MineStats,
    /// (Pattern, graph) pairs with embeddings, and those of them with samples.
    pairs: usize,
    sampled: usize,
    /// Numbers of the children just found ([`super::likeness`]).
    numbers: Vec<u64>,
}

impl<R: Row> Walk<'_, R> {
    /// Walks over everything level by level. `None` if samples are rare, so that it would not pay.
    pub(super) fn run_by_levels<V: Visitor>(&self, roots: &[(DfsEdge, Rows<R>)], visitor: &mut V) -> Option<MineStats> {
        let mut scratch = Scratch::default();
        let (levels, stats) = self.look_ahead(roots, visitor, &mut scratch)?;
        let mut harvest = Harvest { stats, ..Harvest::default() };
        self.family(&levels, Self::all(&levels), &mut Vec::new(), visitor, &mut harvest, &mut scratch);
        Some(harvest.stats)
    }

    /// The patterns up to the size before the largest, or as many of them as are worth their memory.
    fn look_ahead<V: Visitor>(
        &self,
        roots: &[(DfsEdge, Rows<R>)],
        visitor: &V,
        scratch: &mut Scratch<R>,
    ) -> Option<(Levels, MineStats)> {
        if !visitor.grows_all() || self.params.max_edges <= DECIDED_AT || !self.asks {
            return None;
        }
        let mut stats = MineStats::default();
        let mut levels = Levels::new(self.expander.db.num_graphs(), roots);
        while levels.depth() + 1 < self.params.max_edges && levels.bytes() < MOST_BYTES {
            let mut harvest = Harvest { next: Some(Level::default()), stats, ..Harvest::default() };
            let mut visitor = visitor.fork();
            self.family(&levels, Self::all(&levels), &mut Vec::new(), &mut visitor, &mut harvest, scratch);
            let next = harvest.next.take().filter(|_| visitor.grows_all())?;
            levels.add(next);
            if levels.depth() == DECIDED_AT && 4 * harvest.sampled < harvest.pairs {
                return None;
            }
            stats = harvest.stats;
        }
        stats.ahead = levels.len() as u64;
        Some((levels, stats))
    }

    fn all(levels: &Levels) -> Family<R> {
        Family { depth: 1, range: 0..levels.level(1).len(), parent: None }
    }

    /// Walks over siblings and all below them, in order.
    fn family<V: Visitor>(
        &self,
        levels: &Levels,
        mut family: Family<R>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        harvest: &mut Harvest,
        scratch: &mut Scratch<R>,
    ) {
        let level = levels.level(family.depth);
        if self.params.threads > 1 && family.range.len() > 1 && 16 * level.pairs(&family.range) > WORTH_SHARING {
            let halfway = level.halfway(&family.range);
            let right = Family { depth: family.depth, range: halfway..family.range.end, parent: family.parent.clone() };
            family.range.end = halfway;
            let mut right_visitor = visitor.fork();
            let mut right_harvest =
                Harvest { next: harvest.next.as_ref().map(|_| Level::default()), ..Harvest::default() };
            let mut right_code = code.clone();
            let before = harvest.stats.span;
            rayon::join(
                || self.family(levels, family, code, visitor, harvest, scratch),
                || {
                    let mut scratch = self.borrow_scratch();
                    self.family(levels, right, &mut right_code, &mut right_visitor, &mut right_harvest, &mut scratch);
                    self.give_back(scratch);
                },
            );
            visitor.join(right_visitor);
            harvest.join(&right_harvest, before);
            return;
        }
        for at in family.range {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(level.edge(at));
            self.known(levels, (family.depth, at), family.parent.as_ref(), code, visitor, harvest, scratch);
            code.pop();
        }
    }

    /// Walks over one known pattern and all below it.
    #[allow(clippy::too_many_arguments, reason = "what a step needs, once")]
    fn known<V: Visitor>(
        &self,
        levels: &Levels,
        (depth, at): (usize, usize),
        parent: Option<&Arc<Rows<R>>>,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        harvest: &mut Harvest,
        scratch: &mut Scratch<R>,
    ) {
        let graphs = levels.level(depth).graphs(at);
        let is_last = depth == levels.depth();
        if harvest.next.is_none() {
            if is_last && depth + 1 < self.params.max_edges {
                // What is below was not worth its memory: on without knowing.
                let place = match parent {
                    Some(parent) => Place::Below(graphs.to_vec(), Arc::clone(parent)),
                    None => Place::Graphs(graphs.to_vec()),
                };
                self.visit(place, code, visitor, &mut harvest.stats, scratch);
                return;
            }
            if self.tell(code, graphs, &[], visitor, &mut harvest.stats) != Step::Grow {
                return;
            }
        } else if !visitor.grows_all() {
            return;
        }
        if !is_last {
            let rows = self.expander.all_rows(code, graphs, parent.map(Arc::as_ref), &mut scratch.buffers);
            harvest.pairs += graphs.len();
            harvest.sampled += rows.num_sampled();
            let range = levels.children(depth, at);
            let family = Family { depth: depth + 1, range, parent: Some(Arc::new(rows)) };
            self.family(levels, family, code, visitor, harvest, scratch);
            return;
        }
        harvest.stats.expanded += 1;
        let own = parent.is_none().then(|| self.expander.all_rows(code, graphs, None, &mut scratch.buffers));
        let before = harvest.stats.looks();
        let Scratch { scan, exist, answering, .. } = scratch;
        let rows = own.as_ref().or(parent.map(Arc::as_ref)).expect("one of both");
        let asked = Asked { code, graphs, rows, own: own.is_some() };
        answering.begin(self.expander, &asked, scan, exist, &mut harvest.stats);
        let edges = code.len() + 1;
        let (with_numbers, numbers) = (harvest.next.is_some(), &mut harvest.numbers);
        numbers.clear();
        answering.narrow(code, scan, |child, maybe| {
            levels.narrow(child, edges, maybe);
            numbers.extend(with_numbers.then(|| child.number()));
        });
        answering.settle(self.expander, &asked, scan, exist, &mut harvest.stats);
        harvest.stats.span += harvest.stats.looks() - before;
        self.reap(code, visitor, harvest, scratch);
    }

    /// Hands on the children whose graphs were just found.
    fn reap<V: Visitor>(
        &self,
        code: &mut Vec<DfsEdge>,
        visitor: &mut V,
        harvest: &mut Harvest,
        scratch: &mut Scratch<R>,
    ) {
        let Scratch { scan, exist, .. } = scratch;
        let edges = scan.children();
        let mut order: Vec<u32> = (0..edges.len() as u32).collect();
        order.sort_unstable_by_key(|&c| edges[c as usize]);
        let mut children = 0;
        for c in order.into_iter().map(|c| c as usize) {
            let graphs = &exist.children()[c];
            if graphs.len() < self.params.min_support {
                harvest.stats.dropped += 1;
                continue;
            }
            children += 1;
            if let Some(next) = &mut harvest.next {
                next.push(edges[c], graphs, harvest.numbers[c]);
                continue;
            }
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            code.push(edges[c]);
            self.tell(code, graphs, &[], visitor, &mut harvest.stats);
            code.pop();
        }
        if let Some(next) = &mut harvest.next {
            next.end_family(children);
        }
        exist.clear();
    }
}

impl Harvest {
    /// Takes in what was found behind this; `before` is the span where both began.
    fn join(&mut self, later: &Self, before: u64) {
        if let (Some(next), Some(later)) = (&mut self.next, &later.next) {
            next.append(later);
        }
        let longer = self.stats.span.max(before + later.stats.span);
        self.stats += later.stats;
        self.stats.span = longer;
        self.pairs += later.pairs;
        self.sampled += later.sampled;
    }
}
