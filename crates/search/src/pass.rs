//! One pass over the tree: the walk of the workers and what they share.
//!
//! A queue holds the nodes whose subtrees may hold a candidate. A worker takes one, looks at its children
//! (growing the tree where nobody has been), and returns those worth going on with. Children are judged by
//! their supports alone, so those that are pruned never cost an embedding. All members of a class that enters are
//! met on the way, since the bounds of their ancestors reach its score; so the representative is the right one.
//!
//! A child is judged by what is known first: by what was known of its subtree and how far delta has moved since over its
//! parent's support, then over its own, then by what was known of its own score. Only where that leaves a question are the rows
//! of delta added up. A node whose children are known needs no bound at all: if its own score cannot reach `zeta`, the walk
//! passes through it.

use super::log::Log;
use super::pruned::{Known, PrunedSearch, Room, SearchOptions, UNKNOWN};
use super::queue::Queue;
use super::share::Part;
use super::top::{Number, Top};
use super::{ActiveScore, Query, Rule, Unit};
use crate::bound::Delta;
use einsicht_graph::mine::{NodeId, Nodes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// State of a pass that all workers share, behind one lock.
struct Shared {
    top: Option<Top>,
    /// Competitors that already count in `top`: support ids or, per pattern, node numbers.
    counted: FxHashSet<u32>,
    /// Competitors whose score reached `zeta` when they were met: their best member so far, and the score.
    pool: FxHashMap<u32, (NodeId, f64)>,
}

/// What the workers of a pass read.
pub(super) struct Pass<'a> {
    search: &'a PrunedSearch,
    delta: Delta<'a>,
    rule: Rule,
    unit: Unit,
    /// Support ids or node numbers of the active patterns.
    active: FxHashSet<u32>,
    /// Support ids of what must not be a candidate.
    banned: FxHashSet<u32>,
    /// Bits of `zeta`; only ever raised.
    zeta: AtomicU64,
    /// What `zeta` is known to reach.
    floor: f64,
    /// Whether the tree may not grow on: the pass comes to its end without an answer.
    is_full: AtomicBool,
    shared: Mutex<Shared>,
}

/// A node that was looked at.
pub(super) struct Look {
    pub(super) node: NodeId,
    /// From which it was grown; itself if it has one edge.
    pub(super) parent: NodeId,
    /// The number of its support, and of the graphs in it.
    pub(super) support: u32,
    pub(super) graphs: u32,
    /// No score in its subtree is larger, its children left aside where the walk goes on to them.
    pub(super) ceiling: f64,
    /// Total drift over its support.
    pub(super) total: f64,
}

/// What a worker brings back.
#[derive(Default)]
pub(super) struct Work {
    room: Room,
    pub(super) visited: u64,
    pub(super) pruned: u64,
    pub(super) skipped: u64,
    pub(super) summed: u64,
    /// Each node once.
    pub(super) looks: Log<Look>,
    /// (node, how far scores in its subtree can have risen since the last look) of those that needed none.
    pub(super) slid: Log<(NodeId, f64)>,
    /// (node, bound) of those that were looked at, but not opened, because `zeta` rose in between.
    pub(super) dropped: Log<(NodeId, f64)>,
    /// Nodes whose children were looked at.
    pub(super) opened: Log<NodeId>,
}

impl<'a> Pass<'a> {
    pub(super) fn new(search: &'a PrunedSearch, query: &Query<'a>, active: FxHashSet<u32>) -> Self {
        Self {
            search,
            delta: query.delta,
            rule: query.rule,
            unit: query.unit,
            active,
            banned: query.banned.iter().map(|support| search.tree.intern(support).id()).collect(),
            zeta: AtomicU64::new(f64::NEG_INFINITY.to_bits()),
            floor: query.floor,
            is_full: AtomicBool::new(false),
            shared: Mutex::new(Shared {
                top: match query.rule {
                    Rule::Top(size) => Some(Top::new(size)),
                    Rule::Above(_) => None,
                },
                counted: FxHashSet::default(),
                pool: FxHashMap::default(),
            }),
        }
    }

    pub(super) fn zeta(&self) -> f64 {
        f64::from_bits(self.zeta.load(Ordering::Relaxed))
    }

    /// Whether it was given up because the tree may not grow on.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Whether the children of a node are there, or there is room for them.
    fn may_open(&self, node: NodeId) -> bool {
        if self.search.tree.is_expanded(node) {
            return true;
        }
        if self.search.is_full() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        !self.is_given_up()
    }

    /// The competitors that reached `zeta` when they were met: their best members, with the scores.
    pub(super) fn into_pool(self) -> Vec<(NodeId, f64)> {
        self.shared.into_inner().unwrap_or_else(PoisonError::into_inner).pool.into_values().collect()
    }

    /// Whether nothing with this bound can be a candidate.
    fn is_hopeless(&self, bound: f64) -> bool {
        match self.rule {
            Rule::Top(_) => bound < self.zeta(),
            Rule::Above(lambda) => bound <= lambda,
        }
    }

    fn is_candidate(&self, score: f64) -> bool {
        !self.is_hopeless(score)
    }

    fn may_enter(&self, competitor: u32, support: u32) -> bool {
        !self.active.contains(&competitor) && !self.banned.contains(&support)
    }

    fn competitor(&self, node: NodeId, support: u32) -> u32 {
        match self.unit {
            Unit::SupportClass => support,
            Unit::Pattern => node.index() as u32,
        }
    }

    fn raise(&self, top: &Top) {
        self.zeta.store(top.threshold().max(self.floor).to_bits(), Ordering::Relaxed);
    }

    /// Counts a competitor and lets `zeta` rise.
    fn count(&self, shared: &mut Shared, competitor: u32, score: f64) {
        if let Some(top) = &mut shared.top
            && shared.counted.insert(competitor)
        {
            top.add(score);
            self.raise(top);
        }
    }

    /// Looks at siblings; those worth going on with are added to `open`.
    fn look_at(&self, parent: Option<NodeId>, siblings: Nodes, work: &mut Work, open: &mut Vec<(Number, NodeId)>) {
        let search = self.search;
        // Below the largest patterns there is nothing, so only their own score counts.
        let are_leaves = search.tree.has_leaves(parent);
        let mut scores: Vec<(NodeId, u32, f64)> = Vec::new();
        let uses_drift = search.options.drift && search.options.prune;
        let slack = search.drift.slack();
        let above = parent.filter(|_| uses_drift).map(|node| self.known(node));
        let moved_above = above.zip(parent).map_or(f64::INFINITY, |(known, node)| self.moved_since_opened(known, node));
        // If they were looked at in the last pass, what delta has moved since then is all that counts.
        let last = search.pass - 1;
        let is_recent = search.finished == last && above.is_some_and(|known| known.opened_in == last);
        for node in siblings {
            let part = search.share.part(&search.tree, node);
            if part == Part::Foreign {
                continue;
            }
            let is_own = part == Part::Own;
            let known = self.known(node);
            if uses_drift {
                // What moves a score in this subtree has moved it over the larger support of the parent too, and by no more
                // than the graphs that moved most could, if there were as many of them.
                let most = if is_recent { search.drift.most(known.graphs) } else { f64::INFINITY };
                let slid = known.slid + moved_above.min(most) + slack;
                if self.is_hopeless(known.ceiling + slid) {
                    work.skipped += 1;
                    work.slid.push((node, slid));
                    continue;
                }
            }
            // The pattern itself is far away in memory, and what is known often says enough.
            let (id, graphs) = known.support_of(&search.tree, node);
            let slot = search.slots.get(id);
            let total = search.total_drift(id, slot, node);
            let parent = parent.unwrap_or(node);
            let mut note = |ceiling| work.looks.push(Look { node, parent, support: id, graphs, ceiling, total });
            if uses_drift {
                let below = known.ceiling + (total - known.stamp) + slack;
                if self.is_hopeless(below) {
                    work.skipped += 1;
                    note(below);
                    continue;
                }
                if let Some(then) = slot.earlier(search.since, search.pass) {
                    let moved = total - then.stamp + slack;
                    let score = if is_own { then.reach.score + moved } else { f64::NEG_INFINITY };
                    let bound = then.reach.bound + moved;
                    let is_out = self.is_hopeless(if are_leaves { score } else { bound });
                    if is_out || known.is_opened() && self.is_hopeless(score) {
                        work.visited += u64::from(is_own);
                        note(if is_out && !are_leaves { bound } else { score });
                        if is_out {
                            work.pruned += 1;
                        } else {
                            open.push((Number(below.min(bound)), node));
                        }
                        continue;
                    }
                }
            }
            let (reach, summed) = search.reach((id, slot), node, self.delta, total, &mut work.room);
            work.visited += u64::from(is_own);
            work.summed += u64::from(summed);
            let competitor = self.competitor(node, id);
            if is_own && self.is_candidate(reach.score) && self.may_enter(competitor, id) {
                scores.push((node, competitor, reach.score));
            }
            let score = if is_own { reach.score } else { f64::NEG_INFINITY };
            let is_out = search.options.prune && self.is_hopeless(reach.bound);
            work.pruned += u64::from(is_out);
            note(if is_out && !are_leaves { reach.bound } else { score });
            if !is_out && !are_leaves {
                open.push((Number(reach.bound), node));
            }
        }
        if scores.is_empty() {
            return;
        }
        let shared = &mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for (node, competitor, score) in scores {
            self.count(shared, competitor, score);
            if self.is_candidate(score) {
                let best = &mut shared.pool.entry(competitor).or_insert((node, score)).0;
                if node != *best && self.search.compare(node, *best).is_lt() {
                    *best = node;
                }
            }
        }
    }

    /// How far delta has moved over the support of a node since its children were last looked at; plus infinity if never.
    fn moved_since_opened(&self, known: Known, node: NodeId) -> f64 {
        if !known.is_opened() {
            return f64::INFINITY;
        }
        self.search.total_drift(known.support, self.search.slots.get(known.support), node) - known.opened
    }

    /// What is known of a node.
    fn known(&self, node: NodeId) -> Known {
        self.search.known.get(node.index()).copied().unwrap_or(UNKNOWN)
    }

    /// One worker: takes nodes until there is none left anywhere.
    fn work(&self, queue: &Queue) -> Work {
        let mut work = Work::default();
        let (mut open, mut found) = (queue.hands(), Vec::new());
        while let Some((bound, node)) = queue.next(&mut open) {
            if self.search.stop.load(Ordering::Relaxed) || self.is_given_up() {
                // What waits is taken out and left: the pass has no answer any more.
            } else if self.search.options.prune && self.is_hopeless(bound.0) {
                // `zeta` has risen since this node was put there.
                work.pruned += 1;
                work.dropped.push((node, bound.0));
            } else if self.may_open(node) {
                work.opened.push(node);
                self.look_at(Some(node), self.search.tree.expand(node), &mut work, &mut found);
                open.extend(found.drain(..));
            }
        }
        work
    }

    /// Lets the active patterns and the last pass's candidates count before the walk begins: an early
    /// `zeta` prunes more, and cannot be too large, since all of these compete.
    pub(super) fn warm_up(&self, active: &[ActiveScore], room: &mut Room) {
        let search = self.search;
        let shared = &mut *self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(top) = &mut shared.top {
            for score in active {
                top.add(score.score);
            }
            self.raise(top);
        }
        for &node in &search.last {
            let id = search.tree.support(node).id();
            let competitor = self.competitor(node, id);
            if self.may_enter(competitor, id) {
                let slot = search.slots.get(id);
                let total = search.total_drift(id, slot, node);
                let (reach, _) = search.reach((id, slot), node, self.delta, total, room);
                self.count(shared, competitor, reach.score);
            }
        }
    }

    pub(super) fn run(&self) -> Vec<Work> {
        let roots = self.search.tree.roots();
        let (mut first, mut open) = (Work::default(), Vec::new());
        self.look_at(None, roots, &mut first, &mut open);
        let SearchOptions { threads, order, .. } = self.search.options;
        let queue = Queue::new(order, threads, open);
        if threads < 2 {
            first.add(self.work(&queue));
            return vec![first];
        }
        let works = Mutex::new(Vec::new());
        rayon::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let work = self.work(&queue);
                    works.lock().unwrap_or_else(PoisonError::into_inner).push(work);
                });
            }
        });
        let mut works = works.into_inner().unwrap_or_else(PoisonError::into_inner);
        works[0].add(first);
        works
    }
}

impl Work {
    fn add(&mut self, other: Self) {
        self.visited += other.visited;
        self.pruned += other.pruned;
        self.skipped += other.skipped;
        self.summed += other.summed;
        self.looks.extend(other.looks);
        self.slid.extend(other.slid);
        self.dropped.extend(other.dropped);
        self.opened.extend(other.opened);
    }
}
