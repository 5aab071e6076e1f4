use super::*;
use proptest::prelude::*;

fn graph(labels: &[u32], edges: &[(u32, u32, u32)]) -> Graph {
    let mut builder = Graph::builder();
    for &label in labels {
        builder.add_vertex(Label(label)).unwrap();
    }
    for &(from, to, label) in edges {
        builder.add_edge(VertexId(from), VertexId(to), Label(label)).unwrap();
    }
    builder.build()
}

fn scaffold(graph: &Graph) -> Graph {
    part(graph, &core(graph), |vertex| graph.vertex_label(vertex))
}

fn groups(graphs: &[Graph]) -> Vec<u32> {
    scaffold_groups(&Dataset { graphs: graphs.to_vec(), ..Dataset::default() })
}

/// A ring of the given labels with a tail of the given length.
fn ring(labels: &[u32], tail: u32) -> Graph {
    let n = labels.len() as u32;
    let mut all = labels.to_vec();
    let mut edges: Vec<_> = (0..n).map(|v| (v, (v + 1) % n, 0)).collect();
    for step in 0..tail {
        all.push(9);
        edges.push((if step == 0 { 0 } else { n + step - 1 }, n + step, 0));
    }
    graph(&all, &edges)
}

#[test]
fn tails_go_and_linkers_stay() {
    // Two triangles joined by a path of two vertices, each with something hanging on it.
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 5), (3, 8), (0, 9), (9, 10)];
    let edges: Vec<_> = edges.iter().map(|&(a, b)| (a, b, 0)).collect();
    let whole = graph(&[0; 11], &edges);
    assert_eq!(core(&whole), (0..11).map(|vertex| vertex < 8).collect::<Vec<_>>());
    assert_eq!(scaffold(&whole).num_edges(), 9);
}

#[test]
fn a_forest_has_no_scaffold() {
    assert_eq!(scaffold(&graph(&[0; 5], &[(0, 1, 0), (1, 2, 0), (1, 3, 0)])).num_vertices(), 0);
}

#[test]
fn groups_follow_labels_and_not_the_order_of_vertices() {
    let graphs = [
        ring(&[1, 2, 3, 3], 0),
        ring(&[3, 1, 2, 3], 4),
        ring(&[1, 3, 2, 3], 0),
        graph(&[1, 1], &[(0, 1, 0)]),
        graph(&[5], &[]),
    ];
    assert_eq!(groups(&graphs), [0, 0, 1, 2, 2]);
}

#[test]
fn colours_that_cannot_tell_two_graphs_apart_do_not_decide() {
    // One ring of six and two of three: the same colours everywhere.
    let triangles: Vec<_> = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)].map(|(a, b)| (a, b, 0)).to_vec();
    let graphs = [ring(&[0; 6], 0), graph(&[0; 6], &triangles), ring(&[0; 6], 2)];
    let refined: Vec<Refined> = graphs.iter().map(|g| Refined::new(scaffold(g))).collect();
    assert_eq!(refined[0].key(), refined[1].key());
    assert_eq!(groups(&graphs), [0, 1, 0]);
}

/// Isomorphic by definition: some order of the vertices makes the graphs equal.
fn equal_in_some_order(a: &Graph, b: &Graph) -> bool {
    fn orders(n: u32) -> Vec<Vec<u32>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let longer = |order: Vec<u32>| {
            (0..n).map(move |at| {
                let mut order = order.clone();
                order.insert(at as usize, n - 1);
                order
            })
        };
        orders(n - 1).into_iter().flat_map(longer).collect()
    }
    let shown = |g: &Graph, order: &[u32]| {
        let place = |v: VertexId| order[v.index()];
        let mut vertices: Vec<_> = g.vertices().map(|v| (place(v), g.vertex_label(v))).collect();
        let ends = |e: &einsicht_graph::Edge| (place(e.from).min(place(e.to)), place(e.from).max(place(e.to)), e.label);
        let mut edges: Vec<_> = g.edges().iter().map(ends).collect();
        vertices.sort_unstable();
        edges.sort_unstable();
        (vertices, edges)
    };
    let straight: Vec<u32> = (0..b.num_vertices() as u32).collect();
    a.num_vertices() == b.num_vertices()
        && orders(a.num_vertices() as u32).iter().any(|order| shown(a, order) == shown(b, &straight))
}

/// A graph with at most six vertices and few labels.
fn small() -> impl Strategy<Value = Graph> {
    let pairs: Vec<(u32, u32)> = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))).collect();
    (prop::collection::vec(0..2_u32, 6), prop::sample::subsequence(pairs, 4..9), prop::collection::vec(0..2_u32, 9))
        .prop_map(|(labels, pairs, kinds)| {
            let edges: Vec<_> = pairs.iter().zip(kinds).map(|(&(a, b), kind)| (a, b, kind)).collect();
            graph(&labels, &edges)
        })
}

#[test]
fn molecules_have_the_scaffolds_of_rdkit() {
    let groups = |smiles: &[&str]| {
        let smiles: Vec<String> = smiles.iter().map(|&one| one.to_owned()).collect();
        let dataset = crate::read::read_smiles(&smiles, &crate::ReadOptions::default()).unwrap();
        scaffold_groups(&dataset)
    };
    // An atom on a double bond to a ring or a linker stays, what hangs on it does not.
    assert_eq!(groups(&["O=C1CCCCC1", "CN=C1CCCCC1", "N=C1CCCCC1", "OC1CCCCC1", "C1CCCCC1"]), [0, 1, 1, 2, 2]);
    // The hydrogen of an aromatic nitrogen counts, and so does the substituent that it takes the place of.
    assert_eq!(groups(&["c1ccc2[nH]ncc2c1", "Cn1ncc2ccccc12", "c1ccc2n[nH]cc2c1"]), [0, 0, 1]);
    // Charges count, chains do not.
    assert_eq!(groups(&["C[n+]1ccccc1", "c1ccncc1", "CCO", "CC", "c1cc[nH+]cc1"]), [0, 1, 2, 2, 0]);
}

proptest! {
    #[test]
    fn graphs_share_a_group_exactly_if_some_order_makes_their_scaffolds_equal(a in small(), b in small()) {
        let groups = groups(&[a.clone(), b.clone()]);
        let equal = equal_in_some_order(&scaffold(&a), &scaffold(&b));
        prop_assert_eq!(groups[0] == groups[1], equal);
    }

    #[test]
    fn a_renumbered_graph_stays_in_its_group(
        a in small(),
        order in Just((0..6_u32).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut labels = vec![0; 6];
        a.vertices().for_each(|v| labels[order[v.index()] as usize] = a.vertex_label(v).0);
        let edges: Vec<_> =
            a.edges().iter().map(|e| (order[e.from.index()], order[e.to.index()], e.label.0)).collect();
        prop_assert_eq!(groups(&[a, graph(&labels, &edges)]), [0, 0]);
    }
}
