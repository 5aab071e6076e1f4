//! Support classes: all patterns with the same support. The training graphs cannot distinguish the members of a class.
//!
//! Promise: the members of a class are complete within the limit on edges, and it is exact which of them are minimal
//! and which maximal. Per pattern counts, a class is keyed by graphs and counts. Tested against brute force in
//! `tests/support_classes.rs`.

use crate::partition::{Partition, Side};
use crate::tree::SupportId;
use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph, Support};
use rustc_hash::FxHashSet;

/// The patterns with one support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportClass {
    /// Number of patterns with this support, within the limit on edges.
    pub size: u64,
    /// Members that contain no other member, by [`DfsCode::cmp_by_size`].
    pub minimal: Vec<DfsCode>,
    /// Members that no other member contains, by [`DfsCode::cmp_by_size`].
    pub maximal: Vec<DfsCode>,
}

impl SupportClass {
    /// The class with these members: all patterns with one support, each once.
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

/// How a support compares with that of the class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// Not yet compared.
    Unknown,
    /// No pattern of the class is grown from a pattern with this support.
    Outside,
    /// It contains the support of the class, and more graphs or larger counts.
    Larger,
    /// It is the support of the class.
    Equal,
}

/// All patterns of a partition of the tree that have this support. Nothing if `is_full` says on the way that the tree
/// may not grow any more.
pub(crate) fn members_of(
    tree: &Tree,
    partition: Partition,
    support: &Support,
    is_full: impl Fn() -> bool,
) -> Option<Vec<DfsCode>> {
    let mut open: Vec<NodeId> = tree.roots().collect();
    let mut members = Vec::new();
    // By support: many patterns have the same one.
    let mut relations: Vec<Relation> = Vec::new();
    while let Some(node) = open.pop() {
        let side = partition.side(tree, node);
        if side == Side::Foreign {
            continue;
        }
        let here = tree.support(node);
        let id = SupportId::of(here).index();
        if relations.len() <= id {
            relations.resize(id + 1, Relation::Unknown);
        }
        if relations[id] == Relation::Unknown {
            relations[id] = relation(here, support);
        }
        if side == Side::Own && relations[id] == Relation::Equal {
            members.push(tree.code(node));
        }
        if relations[id] != Relation::Outside {
            if !tree.is_expanded(node) && is_full() {
                return None;
            }
            open.extend(tree.expand(node));
        }
    }
    Some(members)
}

fn relation(here: &Support, class: &Support) -> Relation {
    if !contains((here.graphs(), here.counts()), (class.graphs(), class.counts())) {
        Relation::Outside
    } else if here.len() == class.len() && here.counts() == class.counts() {
        Relation::Equal
    } else {
        Relation::Larger
    }
}

/// Whether a pattern with the second support may be grown from one with the first (supports are anti-monotone): it
/// occurs in no other graph, and nowhere with a larger count. Graphs and counts of each.
pub(crate) fn contains(support: (&[u32], &[u32]), wanted: (&[u32], &[u32])) -> bool {
    let mut rest = support.0.iter().enumerate();
    support.0.len() >= wanted.0.len()
        && wanted.0.iter().enumerate().all(|(at, graph)| {
            let found = rest.find(|(_, have)| *have == graph);
            found.is_some_and(|(here, _)| support.1.get(here) >= wanted.1.get(at))
        })
}

/// Connected patterns that remain when one edge is removed, with repetitions.
fn one_edge_less(code: &DfsCode) -> Vec<DfsCode> {
    let edges = code.edges();
    let labels = code.vertex_labels();
    let mut found = Vec::new();
    for gone in 0..edges.len() {
        let rest = || edges.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, edge)| edge);
        let mut name = vec![None; labels.len()];
        let mut builder = Graph::builder();
        // Both ends of every remaining edge, in order of appearance; an isolated vertex disappears.
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
