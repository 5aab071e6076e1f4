//! A support class: finding its members, and summing up which of them are minimal, which maximal.

use super::SupportClass;
use super::share::{Part, Share};
use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use rustc_hash::FxHashSet;

impl SupportClass {
    /// Sums up the class with these members: all patterns with one support, each once.
    ///
    /// If a member contains another, every connected pattern between the two has the same support. So a member
    /// is minimal exactly if no connected pattern with one edge less is a member, and maximal exactly if it is
    /// no such pattern of another member.
    pub fn from_members(members: Vec<DfsCode>) -> Self {
        let known: FxHashSet<&DfsCode> = members.iter().collect();
        let mut inside: FxHashSet<DfsCode> = FxHashSet::default();
        let mut minimal = Vec::new();
        for member in &members {
            let mut holds_one = false;
            for smaller in one_edge_less(member) {
                if known.contains(&smaller) {
                    holds_one = true;
                    inside.insert(smaller);
                }
            }
            if !holds_one {
                minimal.push(member.clone());
            }
        }
        let size = members.len() as u64;
        let mut maximal: Vec<DfsCode> = members.into_iter().filter(|member| !inside.contains(member)).collect();
        minimal.sort_by(DfsCode::cmp_by_size);
        maximal.sort_by(DfsCode::cmp_by_size);
        Self { size, minimal, maximal }
    }
}

/// How a support stands to that of the class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// Not yet asked.
    Open,
    /// No pattern of the class is grown from here.
    Outside,
    /// It occurs wherever the class does, and elsewhere or more often.
    Around,
    /// It is the support of the class.
    Equal,
}

/// All patterns of a share of the tree that have this support; nothing if `is_full` says on the way that the tree may not
/// grow on.
pub(super) fn members_of(
    tree: &Tree,
    share: Share,
    support: &Support,
    is_full: impl Fn() -> bool,
) -> Option<Vec<DfsCode>> {
    let mut open: Vec<NodeId> = tree.roots().collect();
    let mut members = Vec::new();
    // By support: many patterns share one.
    let mut fits: Vec<Fit> = Vec::new();
    while let Some(node) = open.pop() {
        let part = share.part(tree, node);
        if part == Part::Foreign {
            continue;
        }
        let here = tree.support(node);
        let id = here.id() as usize;
        if fits.len() <= id {
            fits.resize(id + 1, Fit::Open);
        }
        if fits[id] == Fit::Open {
            fits[id] = match () {
                () if !holds((here.graphs(), here.counts()), (support.graphs(), support.counts())) => Fit::Outside,
                () if here.len() == support.len() && here.counts() == support.counts() => Fit::Equal,
                () => Fit::Around,
            };
        }
        if part == Part::Own && fits[id] == Fit::Equal {
            members.push(tree.code(node));
        }
        if fits[id] != Fit::Outside {
            if !tree.is_expanded(node) && is_full() {
                return None;
            }
            open.extend(tree.expand(node));
        }
    }
    Some(members)
}

/// Whether a pattern with the second support may be grown from one with the first: it occurs nowhere else and
/// nowhere more often. Graphs and counts of each.
pub(super) fn holds(support: (&[u32], &[u32]), wanted: (&[u32], &[u32])) -> bool {
    let mut rest = support.0.iter().enumerate();
    support.0.len() >= wanted.0.len()
        && wanted.0.iter().enumerate().all(|(at, graph)| {
            let found = rest.find(|(_, have)| *have == graph);
            found.is_some_and(|(here, _)| support.1.get(here) >= wanted.1.get(at))
        })
}

/// Connected patterns that remain when one edge is taken away, with repetitions.
fn one_edge_less(code: &DfsCode) -> Vec<DfsCode> {
    let edges = code.edges();
    let labels = code.vertex_labels();
    let mut found = Vec::new();
    for gone in 0..edges.len() {
        let rest = || edges.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, edge)| edge);
        let mut name = vec![None; labels.len()];
        let mut builder = Graph::builder();
        // Both ends of every remaining edge, in order of appearance; what is left alone disappears.
        let added = rest().try_for_each(|edge| {
            for end in [edge.from, edge.to] {
                if name[end as usize].is_none() {
                    name[end as usize] = Some(builder.add_vertex(labels[end as usize])?);
                }
            }
            if let (Some(from), Some(to)) = (name[edge.from as usize], name[edge.to as usize]) {
                builder.add_edge(from, to, edge.edge_label)?;
            }
            Ok::<(), einsicht_graph::GraphError>(())
        });
        if added.is_ok() {
            found.extend(DfsCode::minimum_of(&builder.build()));
        }
    }
    found
}
