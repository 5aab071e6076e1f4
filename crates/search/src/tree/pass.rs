//! One pass over the tree: the walk of the workers.
//!
//! A queue holds the nodes whose subtrees may hold a candidate. A worker takes one, visits its children (growing the
//! tree where they do not exist yet), and queues those whose subtrees are not pruned. Children are visited by their
//! supports alone, so those that are pruned never cost an embedding. All members of a class that becomes a candidate
//! are visited, because the bounds of their ancestors reach its score; so the representative is the right one.
//!
//! A visit uses what is known first: the largest score of the subtree at the last visit and the drift since, over the
//! parent's support and then over its own, then an earlier score and bound of its support. Only where that decides
//! nothing are the rows of delta added up. A node whose children are known needs no bound at all: if its own score
//! cannot reach `zeta`, the walk passes through it. With one or two units the rows cost no more than the drift, and say
//! more: a node whose children were never visited is scored at once there, and its drift is asked for only if they are
//! visited now, since they need it.
//!
//! `skips.rs` lists why a subtree is not visited, here and in the other searches.

use super::history::NodeRecord;
use super::queue::{Bounded, PassQueue, WorkerQueue};
use super::search::{TreeError, TreeSearch};
use super::support_cache::{CachedSupport, SupportId};
use super::worker_log::{Buffers, SupportSummary, Unvisited, Visit, WorkerLog};
use crate::pool::{CandidatePool, Excluded};
use crate::query::{ActiveScore, Competes, Query};
use crate::skips::SkipReason;
use crate::top_k::OrderedScore;
use einsicht_graph::stop;
use einsicht_graph::tree::{NodeId, Siblings};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What competes in a pass: see [`Competes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Competitor {
    Class(SupportId),
    Pattern(NodeId),
}

/// What the workers of a pass share.
pub(super) struct Pass<'a> {
    search: &'a TreeSearch,
    query: &'a Query<'a>,
    excluded: Excluded<Competitor, SupportId>,
    pool: CandidatePool<Competitor, NodeId>,
    /// Whether nodes whose children were never visited are scored before their drift is asked for.
    scores_first: bool,
    /// Whether the tree may not grow: the pass ends without an answer.
    is_full: AtomicBool,
    /// Whether a worker was stopped in the middle of an expansion.
    is_stopped: AtomicBool,
}

/// What siblings have in common.
struct Family {
    /// The node that they were grown from; nothing if they are roots.
    parent: Option<NodeId>,
    /// Nothing is grown from them: their subtrees are empty, so only their own score counts.
    are_leaves: bool,
    /// Whether drift may skip subtrees.
    uses_drift: bool,
    /// Drift over the support of the parent since they were last visited.
    parent_drift: f64,
    /// Whether they were visited in the pass just before: then the drift of one pass is all that counts.
    is_recent: bool,
    slack: f64,
}

/// A node that is being visited.
struct Visited<'a> {
    node: NodeId,
    record: NodeRecord,
    support: SupportSummary,
    cached: &'a CachedSupport,
    /// Drift over its support; minus infinity as long as nobody asked.
    drift: f64,
    /// Whether it is scored before its drift is asked for.
    scores_first: bool,
}

/// What is known about a node without any sum over delta.
enum Verdict {
    /// No score in the subtree can reach `zeta`.
    Skip { reason: SkipReason, subtree_max: f64 },
    /// The score of the node itself cannot reach `zeta`; the walk goes on to its children.
    PassThrough { score: f64, bound: f64 },
    /// Nothing is decided: the rows of delta must be added up.
    Undecided,
}

/// What visits have found.
#[derive(Default)]
struct Findings {
    /// Nodes whose subtrees may hold a candidate.
    to_expand: Vec<Bounded>,
    /// Members of competitors whose scores reach `zeta`.
    offers: Vec<(NodeId, Competitor, f64)>,
}

impl<'a> Pass<'a> {
    /// A pass whose pool holds the candidates of the last pass: an early `zeta` prunes more, and cannot be too large,
    /// because all of these compete.
    pub(super) fn new(search: &'a TreeSearch, query: &'a Query<'a>, active: &[ActiveScore]) -> Result<Self, TreeError> {
        let pass = Self {
            search,
            query,
            excluded: search.excluded(query)?,
            pool: CandidatePool::new(query.rule, query.floor, active),
            scores_first: search.options.drift && search.scores_are_cheap(query.delta),
            is_full: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
        };
        pass.offer_earlier_candidates();
        Ok(pass)
    }

    fn offer_earlier_candidates(&self) {
        let search = self.search;
        let mut buffers = Buffers::default();
        let mut pool = self.pool.lock();
        for &node in search.history.candidates() {
            let id = SupportId::of(search.tree.support(node));
            if let Some(competitor) = self.competitor(node) {
                let cached = search.supports.get(id);
                let drift = search.drift_over((id, cached), node, &mut buffers);
                let visit = (id, cached, drift);
                let (computed, _) = search.score_node(visit, node, self.query.delta, &mut buffers);
                pool.offer(competitor, computed.score, |_| false, || node);
            }
        }
    }

    /// Walks over the tree. Gives the records of each worker.
    pub(super) fn run(&self) -> Vec<WorkerLog> {
        let mut first = WorkerLog::default();
        let mut findings = Findings::default();
        self.visit_children(None, &mut first, &mut findings);
        let threads = self.search.options.threads;
        let queue = PassQueue::new(threads, findings.to_expand);
        if threads < 2 {
            first.add(self.work(&queue));
            return vec![first];
        }
        let logs = Mutex::new(Vec::new());
        rayon::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    let log = self.work(&queue);
                    logs.lock().unwrap_or_else(PoisonError::into_inner).push(log);
                });
            }
        });
        let mut logs = logs.into_inner().unwrap_or_else(PoisonError::into_inner);
        logs[0].add(first);
        logs
    }

    /// The threshold so far.
    pub(super) fn zeta(&self) -> f64 {
        self.pool.zeta()
    }

    /// Whether it was stopped before its end: then it has no answer.
    pub(super) fn was_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Whether it was given up because the tree may not grow.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// `zeta`, and the representatives of the candidates.
    pub(super) fn finish(self) -> (f64, Vec<NodeId>) {
        self.pool.finish()
    }

    /// One worker: expands nodes until none is left.
    fn work(&self, queue: &PassQueue) -> WorkerLog {
        let mut log = WorkerLog::default();
        let mut findings = Findings::default();
        let mut own = WorkerQueue::default();
        while let Some((bound, node)) = queue.next(&mut own) {
            if self.was_stopped() || self.is_given_up() {
                // The queue is emptied: the pass has no answer.
            } else if self.search.options.prune && self.pool.excludes(bound.0) {
                // `zeta` has risen since this node was queued.
                log.skips[SkipReason::Overtaken] += 1;
                log.overtaken.push((node, bound.0));
            } else if self.may_visit_children(node) {
                log.opened.push(node);
                self.visit_children(Some(node), &mut log, &mut findings);
                own.extend(findings.to_expand.drain(..));
            }
        }
        log
    }

    /// Visits the children of a node, or the first patterns. An expansion that is stopped leaves the node as it was.
    fn visit_children(&self, node: Option<NodeId>, log: &mut WorkerLog, findings: &mut Findings) {
        let visited = stop::catch(|| {
            for siblings in self.search.tree.sibling_groups(node) {
                self.visit_siblings(node, siblings, log, findings);
            }
        });
        self.is_stopped.fetch_or(visited.is_err(), Ordering::Relaxed);
    }

    /// Whether the children of a node exist, or the tree may grow.
    fn may_visit_children(&self, node: NodeId) -> bool {
        if self.search.tree.is_expanded(node) {
            return true;
        }
        if self.search.is_full() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        !self.is_given_up()
    }

    /// What a node competes as, unless that is excluded.
    fn competitor(&self, node: NodeId) -> Option<Competitor> {
        let support = self.search.tree.support(node);
        let class = match &self.search.among {
            None => SupportId::class_of(support),
            Some(graphs) => graphs.class_of(support)?,
        };
        let competitor = match self.query.unit {
            Competes::SupportClass => Competitor::Class(class),
            Competes::Pattern => Competitor::Pattern(node),
        };
        (!self.excluded.contains(&competitor, &class)).then_some(competitor)
    }

    /// Visits siblings. Those whose subtrees may hold a candidate are added to `findings.to_expand`.
    fn visit_siblings(&self, parent: Option<NodeId>, siblings: Siblings, log: &mut WorkerLog, findings: &mut Findings) {
        let family = self.family(parent, siblings.are_leaves, &mut log.buffers);
        for node in siblings.nodes {
            self.visit(node, &family, log, findings);
        }
        if findings.offers.is_empty() {
            return;
        }
        let mut pool = self.pool.lock();
        for (node, competitor, score) in findings.offers.drain(..) {
            let is_simpler = |simplest: &NodeId| node != *simplest && self.search.compare(node, *simplest).is_lt();
            pool.offer(competitor, score, is_simpler, || node);
        }
    }

    fn family(&self, parent: Option<NodeId>, are_leaves: bool, buffers: &mut Buffers) -> Family {
        let search = self.search;
        let uses_drift = search.options.drift && search.options.prune;
        let mut family = Family {
            parent,
            are_leaves,
            uses_drift,
            parent_drift: f64::INFINITY,
            is_recent: false,
            slack: search.drift.slack(),
        };
        if let Some(parent) = parent.filter(|_| uses_drift) {
            let record = search.history.record(parent);
            let drift = |support| search.drift_over((support, search.supports.get(support)), parent, buffers);
            family.parent_drift = record.drift_since_opening(drift);
            family.is_recent = search.history.was_opened_last(record);
        }
        family
    }

    /// Visits one node, unless what is known of its subtree and its parent skips it.
    #[inline]
    fn visit(&self, node: NodeId, family: &Family, log: &mut WorkerLog, findings: &mut Findings) {
        // HOT: once per node that the walk reaches.
        let search = self.search;
        let record = search.history.record(node);
        if family.uses_drift
            && let Some(unvisited) = self.skip_unvisited(node, &record, family)
        {
            log.skips[unvisited.reason] += 1;
            log.unvisited.push(unvisited);
            return;
        }
        // The pattern itself is not in the processor's cache, and the record often says enough.
        let support = record.support(&search.tree, node);
        let cached = search.supports.get(support.id);
        let knows_drift = cached.knows_drift(search.history.pass());
        let scores_first = self.scores_first && !record.is_opened() && !knows_drift;
        let mut drift = f64::NEG_INFINITY;
        if !scores_first {
            log.drifts += u64::from(!knows_drift);
            drift = search.drift_over((support.id, cached), node, &mut log.buffers);
        }
        let visited = Visited { node, record, support, cached, drift, scores_first };
        let (subtree_max, skipped) = match self.judge(&visited, family) {
            Verdict::Skip { reason, subtree_max } => {
                log.visited += u64::from(reason != SkipReason::OwnDrift);
                log.skips[reason] += 1;
                (subtree_max, Some(reason))
            }
            Verdict::PassThrough { score, bound } => {
                log.visited += 1;
                findings.to_expand.push((OrderedScore(bound), node));
                (score, None)
            }
            Verdict::Undecided => return self.score(&visited, family, log, findings),
        };
        log.visits.push(Visit { node, parent: family.parent.unwrap_or(node), support, subtree_max, drift, skipped });
    }

    /// Whether a subtree need not be visited. A score in it has moved by at most the drift over the larger support of
    /// the parent, and by no more than the graphs that moved most could move it, if there were as many of them and its
    /// largest value were in all.
    #[inline]
    fn skip_unvisited(&self, node: NodeId, record: &NodeRecord, family: &Family) -> Option<Unvisited> {
        let search = self.search;
        let largest_move = || search.drift.largest_move(record.graphs) * self.query.values.of_count(record.largest);
        let largest = if family.is_recent { largest_move() } else { f64::INFINITY };
        let (reason, moved) = if largest < family.parent_drift {
            (SkipReason::LargestMove, largest)
        } else {
            (SkipReason::ParentDrift, family.parent_drift)
        };
        let max_rise = record.max_rise + moved + family.slack;
        self.pool.excludes(record.subtree_max + max_rise).then_some(Unvisited { node, reason, max_rise })
    }

    /// What is known about a node without any sum over delta.
    #[inline]
    fn judge(&self, visited: &Visited<'_>, family: &Family) -> Verdict {
        let &Visited { record, cached, drift, scores_first, .. } = visited;
        if scores_first || !family.uses_drift {
            return Verdict::Undecided;
        }
        let subtree_max = record.subtree_max + (drift - record.drift_at_visit) + family.slack;
        if self.pool.excludes(subtree_max) {
            return Verdict::Skip { reason: SkipReason::OwnDrift, subtree_max };
        }
        let history = &self.search.history;
        let Some(then) = cached.earlier(history.comparable_since(), history.pass()) else {
            return Verdict::Undecided;
        };
        let moved = drift - then.drift + family.slack;
        let score = then.score + moved;
        let bound = then.bound + moved;
        let (reason, limit) =
            if family.are_leaves { (SkipReason::EarlierScore, score) } else { (SkipReason::EarlierBound, bound) };
        if self.pool.excludes(limit) {
            Verdict::Skip { reason, subtree_max: limit }
        } else if record.is_opened() && self.pool.excludes(score) {
            Verdict::PassThrough { score, bound: subtree_max.min(bound) }
        } else {
            Verdict::Undecided
        }
    }

    /// Adds up the rows of delta of a node: offers it, and queues it if its bound reaches `zeta`.
    #[inline]
    fn score(&self, visited: &Visited<'_>, family: &Family, log: &mut WorkerLog, findings: &mut Findings) {
        let search = self.search;
        let Visited { node, support, cached, mut drift, scores_first, .. } = *visited;
        stop::work(support.graphs as usize / 8);
        let of_support = (support.id, cached, drift);
        let (computed, summed) = search.score_node(of_support, node, self.query.delta, &mut log.buffers);
        log.visited += 1;
        log.summed += u64::from(summed);
        if !self.pool.excludes(computed.score)
            && let Some(competitor) = self.competitor(node)
        {
            findings.offers.push((node, competitor, computed.score));
        }
        let (mut subtree_max, mut skipped) = (computed.score, None);
        if family.are_leaves {
            // Nothing is below it.
        } else if search.options.prune && self.pool.excludes(computed.bound) {
            log.skips[SkipReason::UpperBound] += 1;
            (subtree_max, skipped) = (computed.bound, Some(SkipReason::UpperBound));
        } else {
            if scores_first {
                log.drifts += 1;
                drift = search.drift_over((support.id, cached), node, &mut log.buffers);
                cached.add_drift(drift);
            }
            findings.to_expand.push((OrderedScore(computed.bound), node));
        }
        log.visits.push(Visit { node, parent: family.parent.unwrap_or(node), support, subtree_max, drift, skipped });
    }
}
