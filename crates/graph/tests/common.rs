//! Everything that the miner visits, that a tree grows, and that the definition says.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::mine::{Counts, MineControl, MineParams, MineStats, VisitedPattern, Visitor, mine};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::oracle::{self, Language, Occurrence};
use einsicht_testkit::strategy::Dice;
use std::collections::BTreeMap;

pub(crate) type Found = BTreeMap<DfsCode, Occurrence>;

pub(crate) fn occurrence(graphs: &[u32], images: &[u32], copies: &[u32]) -> Occurrence {
    Occurrence { graphs: graphs.to_vec(), counts: images.to_vec(), copies: copies.to_vec() }
}

/// Stores everything, in the order of the visits.
#[derive(Default)]
pub(crate) struct Keep {
    pub(crate) found: Vec<(DfsCode, Occurrence)>,
    /// Whether it announces that it grows everything.
    pub(crate) grows_all: bool,
}

impl Visitor for Keep {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.found.push((found.to_code(), occurrence(found.graphs, found.images, found.counts)));
        MineControl::Grow
    }

    fn grows_all(&self) -> bool {
        self.grows_all
    }

    fn fork(&self) -> Self {
        Self { found: Vec::new(), ..*self }
    }

    fn join(&mut self, later: Self) {
        self.found.extend(later.found);
    }
}

/// What a visitor keeps.
pub(crate) fn visited(
    graphs: &[Graph],
    params: &MineParams,
    mut keep: Keep,
) -> (Vec<(DfsCode, Occurrence)>, MineStats) {
    let outcome = mine(graphs, params, &mut keep).unwrap();
    assert!(outcome.complete);
    assert_eq!(outcome.stats.visited as usize, keep.found.len());
    (keep.found, outcome.stats)
}

/// Everything in a tree, expanded in a scrambled order.
pub(crate) fn grown(graphs: &[Graph], params: &MineParams, dice: &mut Dice) -> (Found, Tree) {
    // With packed supports or without.
    let pack_supports_from = [0, usize::MAX][(graphs.len() + params.max_edges) % 2];
    let tree = Tree::new(graphs, MineParams { pack_supports_from, ..params.clone() }).unwrap();
    let mut open: Vec<NodeId> = tree.roots().collect();
    let mut found = Found::new();
    let (mut buffer, mut of_child) = (Vec::new(), Vec::new());
    while !open.is_empty() {
        let node = open.swap_remove(dice.below(open.len() as u32) as usize);
        let support = tree.support(node);
        assert_eq!(support.is_packed(), pack_supports_from == 0);
        let in_graphs = support.graphs(&mut buffer);
        for siblings in tree.sibling_groups(Some(node)) {
            for child in siblings.nodes {
                let smaller = tree.support(child);
                // No count of a larger pattern exceeds the images of a smaller one: bounds rest on that.
                for (graph, images) in smaller.graphs(&mut of_child).iter().zip(smaller.images().iter()) {
                    let at = in_graphs.binary_search(graph).unwrap();
                    assert!(Some(images) <= support.images().get(at), "{:?}", tree.code(child));
                }
                assert_eq!(siblings.are_leaves, tree.is_leaf(child));
                open.push(child);
            }
        }
        let occurrence = occurrence(in_graphs, &support.images().to_vec(), &support.counts().to_vec());
        assert!(found.insert(tree.code(node), occurrence).is_none(), "no pattern comes twice");
    }
    (found, tree)
}

/// What the definition says.
pub(crate) fn expected(graphs: &[Graph], params: &MineParams) -> Found {
    let &MineParams { min_edges, max_edges, max_qualifiers, max_qualified_edges, .. } = params;
    let mut found = oracle::mine_language(
        graphs,
        Language { min_edges, max_edges, max_qualifiers, max_qualified_edges },
        params.min_support,
    );
    for occurrence in found.values_mut() {
        match params.counts {
            Counts::Off => (occurrence.counts, occurrence.copies) = (Vec::new(), Vec::new()),
            Counts::MinimumImage => occurrence.copies = occurrence.counts.clone(),
            Counts::Copies => {}
        }
    }
    if params.counts == Counts::Copies {
        // Only qualified patterns grow from a qualified one, and their counts bound each other.
        let qualified = found.iter_mut().filter(|(code, _)| !code.qualifiers().is_empty());
        qualified.for_each(|(_, occurrence)| occurrence.counts = occurrence.copies.clone());
    }
    found
}
