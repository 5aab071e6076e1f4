//! Level-wise mining, where graphs have few labels, against the definition and against the plain depth-first traversal.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_graph::mine::{
    Counts, MineControl, MineOutcome, MineParams, PatternListBuilder, VisitedPattern, Visitor, mine,
};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Graph};
use einsicht_testkit::strategy::{Dice, Shape, graph_of};
use einsicht_testkit::{cases, oracle};

/// Patterns with their supports, in order.
type Found = Vec<(DfsCode, Vec<u32>)>;

/// Stores everything, and may announce that it grows everything.
struct Keep {
    found: Found,
    grows_all: bool,
}

impl Visitor for Keep {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.found.push((DfsCode::new(found.code.to_vec()).unwrap(), found.graphs.to_vec()));
        MineControl::Grow
    }

    fn grows_all(&self) -> bool {
        self.grows_all
    }

    fn fork(&self) -> Self {
        Self { found: Found::new(), grows_all: self.grows_all }
    }

    fn join(&mut self, later: Self) {
        self.found.extend(later.found);
    }
}

fn mined(graphs: &[Graph], params: &MineParams, grows_all: bool) -> (Found, MineOutcome) {
    let mut keep = Keep { found: Found::new(), grows_all };
    let mined = mine(graphs, params, &mut keep).unwrap();
    assert!(mined.complete);
    assert!(grows_all || mined.stats.levelwise == 0);
    (keep.found, mined)
}

#[test]
fn level_wise_mining_finds_what_the_definition_says() {
    let mut dice = Dice::new(11);
    let (mut levelwise, mut searched, mut ruled_out) = (0, 0, 0);
    for round in 0..cases(8, 24) {
        let shape = Shape { vertices: 8, edges: 11, vertex_labels: 1 + round % 2, edge_labels: 1 + round / 2 % 2 };
        let graphs: Vec<Graph> = (0..4).map(|_| dice.connected_graph(shape)).collect();
        for (max_edges, min_support) in [(5, 1), (6, 1), (6, 2)] {
            let wanted: Found = oracle::mine_by_definition(&graphs, max_edges, min_support)
                .into_iter()
                .map(|(code, occurrence)| (code, occurrence.graphs))
                .collect();
            for cap in [1, 3] {
                let params =
                    MineParams { max_edges, min_support, embeddings_per_graph: Some(cap), ..Default::default() };
                let (found, MineOutcome { stats, .. }) = mined(&graphs, &params, true);
                assert_eq!(found, wanted, "round {round}, {params:?}");
                levelwise += u32::from(stats.levelwise > 0);
                ruled_out += stats.ruled_out;
                searched += if stats.levelwise > 0 { stats.searched } else { 0 };
            }
        }
    }
    assert!(
        levelwise > cases(30, 120) && searched > cases(30, 100).into(),
        "{levelwise} level-wise, {searched} searched"
    );
    assert!(ruled_out > cases(300, 1000).into(), "{ruled_out} ruled out");
}

#[test]
fn level_wise_and_depth_first_mining_agree_on_graphs_of_several_words_and_with_threads() {
    let mut dice = Dice::new(12);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for vertices in [20, 70, 130, 300] {
        let shape = Shape { vertices, edges: vertices + vertices / 4, vertex_labels: 2, edge_labels: 1 };
        let graphs: Vec<Graph> =
            (0..70).map(|_| dice.connected_graph(shape)).take(if vertices > 64 { 3 } else { 70 }).collect();
        let params = MineParams { max_edges: 5, embeddings_per_graph: Some(4), ..Default::default() };
        let (plain, depth_first) = mined(&graphs, &params, false);
        let (found, one) = mined(&graphs, &params, true);
        assert!(depth_first.stats.levelwise == 0 && one.stats.levelwise > 0, "{vertices} vertices");
        assert!(found == plain, "{vertices} vertices");
        assert_eq!(one.span, one.stats.work());
        let (found, two) = pool.install(|| mined(&graphs, &MineParams { threads: 2, ..params.clone() }, true));
        assert!(found == plain, "{vertices} vertices, two threads");
        assert_eq!(one.stats, two.stats);
        assert!(two.span <= one.span);
        let mut list = PatternListBuilder::default();
        mine(&graphs, &params, &mut list).unwrap();
        assert_eq!(list.len(), plain.len());
    }
}

#[test]
fn a_tree_that_filters_by_known_subpatterns_finds_the_same() {
    let mut dice = Dice::new(13);
    let shape = Shape { vertices: 12, edges: 18, vertex_labels: 2, edge_labels: 1 };
    let graphs: Vec<Graph> = (0..40).map(|_| dice.connected_graph(shape)).collect();
    let params = MineParams { max_edges: 6, embeddings_per_graph: Some(3), ..Default::default() };
    let (plain, _) = mined(&graphs, &params, false);
    let tree = Tree::new(&graphs, params).unwrap();
    let mut open: Vec<NodeId> = tree.roots().collect();
    let mut found = Found::new();
    while !open.is_empty() {
        let node = open.swap_remove(dice.below(open.len() as u32) as usize);
        found.push((tree.code(node), tree.support(node).unpacked().graphs().to_vec()));
        open.extend(tree.expand(node));
    }
    found.sort_unstable();
    assert!(found == plain);
    let stats = tree.stats().mined;
    assert!(stats.ruled_out > 1000, "{stats:?}");
}

#[test]
fn a_tree_that_evicts_embeddings_forgets_its_subpatterns_and_finds_the_same() {
    let mut dice = Dice::new(14);
    let shape = Shape { vertices: 12, edges: 18, vertex_labels: 2, edge_labels: 1 };
    let graphs: Vec<Graph> = (0..40).map(|_| dice.connected_graph(shape)).collect();
    let params = MineParams { max_edges: 6, embeddings_per_graph: Some(3), ..Default::default() };
    let (plain, _) = mined(&graphs, &params, false);
    for evict_at in [1, 20, 200] {
        let tree = Tree::new(&graphs, params.clone()).unwrap();
        let mut open: Vec<NodeId> = tree.roots().collect();
        let mut found = Found::new();
        while let Some(node) = open.pop() {
            if found.len() == evict_at {
                let held = tree.bytes_held(1);
                tree.evict_embeddings();
                assert!(tree.bytes_held(1) <= held && !tree.keeps_embeddings());
            }
            found.push((tree.code(node), tree.support(node).unpacked().graphs().to_vec()));
            open.extend(tree.expand(node));
        }
        found.sort_unstable();
        assert!(found == plain, "evicted at {evict_at}");
        let stats = tree.stats().mined;
        assert!(stats.recomputed > 100 && (stats.ruled_out > 200 || evict_at < 200), "{evict_at}: {stats:?}");
    }
}

/// With counts, lists of up to a thousand embeddings are complete, so nothing is searched for.
#[test]
fn a_search_finds_what_occurs_only_beyond_vertex_256() {
    // A path with a leaf of another label near its end.
    let mut labels = vec![0; 300];
    labels.push(1);
    let mut edges: Vec<(u32, u32, u32)> = (1..300).map(|v| (v - 1, v, 0)).collect();
    edges.push((280, 300, 0));
    let graphs = [graph_of(&labels, &edges)];
    let all = MineParams { max_edges: 4, counts: Counts::MinimumImage, ..Default::default() };
    let sampled = MineParams { counts: Counts::Off, embeddings_per_graph: Some(1), ..all.clone() };
    let (wanted, _) = mined(&graphs, &all, false);
    let (found, outcome) = mined(&graphs, &sampled, false);
    assert!(outcome.stats.searched > 0, "{outcome:?}");
    assert_eq!(found, wanted);
}
