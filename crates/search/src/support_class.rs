//! Support classes: all patterns with the same support. The training graphs cannot distinguish the members of a class.
//!
//! Promise: the members of a class are complete within the limit on edges, and it is exact which of them are minimal
//! and which maximal. Per pattern counts, a class is keyed by graphs and counts. Tested against brute force in
//! `tests/support_classes.rs`.

use crate::code_tuples;
use crate::tree::SupportId;
use einsicht_graph::matching;
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{Counted, DfsCode, Support, TreeSupport, one_edge_less, one_qualifier_less};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// The patterns with one support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportClass {
    /// Number of patterns with this support, within the limit on edges.
    pub size: u64,
    /// Members that contain no other member, by [`DfsCode::cmp_by_size`].
    #[serde(with = "code_tuples::list")]
    pub minimal: Vec<DfsCode>,
    /// Members that no other member contains, by [`DfsCode::cmp_by_size`].
    #[serde(with = "code_tuples::list")]
    pub maximal: Vec<DfsCode>,
}

impl SupportClass {
    /// The class with these members: all patterns with one support, each once.
    ///
    /// A member that contains another usually contains one that is a single step smaller, which is looked up. That is
    /// not always so: counts of copies may rise and fall from pattern to pattern, and a pattern whose qualifiers are
    /// not minimal is no member. So the few members that are left are compared with each other.
    pub fn from_members(members: Vec<DfsCode>) -> Self {
        let known: FxHashSet<&DfsCode> = members.iter().collect();
        let mut inside: FxHashSet<DfsCode> = FxHashSet::default();
        let mut minimal = Vec::new();
        for member in &members {
            let mut smaller = one_edge_less(member);
            smaller.extend(one_qualifier_less(member));
            smaller.retain(|smaller| known.contains(smaller));
            if smaller.is_empty() {
                minimal.push(member.clone());
            }
            inside.extend(smaller);
        }
        let size = members.len() as u64;
        let maximal: Vec<DfsCode> = members.into_iter().filter(|member| !inside.contains(member)).collect();
        let mut minimal = unrelated(&minimal, contains_pattern);
        let mut maximal = unrelated(&maximal, |member, other| contains_pattern(other, member));
        minimal.sort_by(DfsCode::cmp_by_size);
        maximal.sort_by(DfsCode::cmp_by_size);
        Self { size, minimal, maximal }
    }
}

/// The members that are not related to another one.
fn unrelated(members: &[DfsCode], is_related: impl Fn(&DfsCode, &DfsCode) -> bool) -> Vec<DfsCode> {
    let is_alone = |member: &&DfsCode| !members.iter().any(|other| other != *member && is_related(member, other));
    members.iter().filter(is_alone).cloned().collect()
}

fn contains_pattern(large: &DfsCode, small: &DfsCode) -> bool {
    let size = |code: &DfsCode| (code.num_edges(), code.qualifiers().len());
    size(large).0 >= size(small).0 && size(large).1 >= size(small).1 && matching::contains(&large.to_graph(), small)
}

/// How a support compares with that of the class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Not yet compared.
    Unknown,
    /// No pattern of the class is grown from a pattern with this support.
    Outside,
    /// It contains the support of the class, and more graphs, larger counts or larger minimum-image counts.
    Larger,
    /// It is the support of the class.
    Equal,
}

/// All patterns of the tree that have this support. Nothing if `is_full` says on the way that the tree may not grow any
/// more.
pub(crate) fn members_of(tree: &Tree, support: &Support, is_full: impl Fn() -> bool) -> Option<Vec<DfsCode>> {
    let mut open: Vec<NodeId> = tree.roots().collect();
    let (mut members, mut graphs) = (Vec::new(), Vec::new());
    // By support: many patterns have the same one.
    let mut relations: Vec<Relation> = Vec::new();
    while let Some(node) = open.pop() {
        let here = tree.support(node);
        let id = SupportId::of(here).index();
        if relations.len() <= id {
            relations.resize(id + 1, Relation::Unknown);
        }
        if relations[id] == Relation::Unknown {
            relations[id] = relation(here, support, &mut graphs);
        }
        if relations[id] == Relation::Equal {
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

/// The relation of the support of a node to a class; `buffer` is for its graphs.
pub(crate) fn relation(here: &TreeSupport, class: &Support, buffer: &mut Vec<u32>) -> Relation {
    let images = Occurrences { graphs: here.graphs(buffer), counts: here.images() };
    if !contains(images, Occurrences { graphs: class.graphs(), counts: class.counts() }) {
        Relation::Outside
    } else if here.len() == class.len() && here.counts() == class.counts() {
        Relation::Equal
    } else {
        Relation::Larger
    }
}

/// Graphs, increasing, and a count in each.
#[derive(Clone, Copy)]
pub(crate) struct Occurrences<'a> {
    pub(crate) graphs: &'a [u32],
    pub(crate) counts: Counted<'a>,
}

/// Whether a pattern with the second support may be grown from one with the first (supports are anti-monotone): it
/// occurs in no other graph, and nowhere with a larger count than the minimum-image count of the first, which are the
/// counts of `support`.
pub(crate) fn contains(support: Occurrences<'_>, wanted: Occurrences<'_>) -> bool {
    let mut rest = support.graphs.iter().enumerate();
    support.graphs.len() >= wanted.graphs.len()
        && wanted.graphs.iter().enumerate().all(|(at, graph)| {
            let found = rest.find(|(_, have)| *have == graph);
            found.is_some_and(|(here, _)| support.counts.get(here) >= wanted.counts.get(at))
        })
}
