use super::kekule::kekulize;
use super::layout::{MOST_VERTICES, layout};
use super::*;
use einsicht_data::Vocabulary;
use einsicht_data::chem::parse_smiles;
use einsicht_graph::{Graph, Label, VertexId};

/// A molecule as graph, element symbols and bonds.
fn molecule(smiles: &str) -> (Graph, Vocabulary, Vocabulary) {
    let read = parse_smiles(smiles).unwrap();
    let atoms = Vocabulary::from_tokens(read.atoms.iter().map(|atom| atom.element.symbol()));
    let bonds = Vocabulary::from_tokens(["aromatic", "double", "single", "triple"]);
    let mut builder = Graph::builder();
    for atom in &read.atoms {
        builder.add_vertex(atoms.label(atom.element.symbol()).unwrap()).unwrap();
    }
    for bond in &read.bonds {
        let label = bonds.label(bond.order.token()).unwrap();
        builder.add_edge(VertexId(bond.from), VertexId(bond.to), label).unwrap();
    }
    (builder.build(), atoms, bonds)
}

fn bonds_of(graph: &Graph, names: &Vocabulary) -> Vec<Bond> {
    graph.edges().iter().map(|edge| Bond::from_name(names.name(edge.label)).unwrap()).collect()
}

const DRUGS: [&str; 12] = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1CCC[C@H]1c1cccnc1",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "c1ccc2c(c1)ccc1ccccc12",
    "C1CC2CCC1C2",
    "C1CCC2(CC1)OCCO2",
    "CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O",
    "N#Cc1ccccc1",
    "O=C(O)c1cc2c(s1)[nH]c1ccccc12",
    "CCCCCCCCCCCC",
    "[Na+].[Cl-]",
];

#[test]
fn atoms_keep_their_distance_and_bonds_their_length() {
    for smiles in DRUGS {
        let (graph, _, names) = molecule(smiles);
        let coordinates = layout(&graph, &bonds_of(&graph, &names));
        assert_eq!(coordinates.len(), graph.num_vertices());
        for edge in graph.edges() {
            let length = coordinates[edge.from.index()].minus(coordinates[edge.to.index()]).length();
            assert!((0.6..1.6).contains(&length), "{smiles}: a bond of length {length}");
        }
        for a in 0..coordinates.len() {
            for b in 0..a {
                let gap = coordinates[a].minus(coordinates[b]).length();
                assert!(gap > 0.4, "{smiles}: atoms {a} and {b} at distance {gap}");
            }
        }
    }
}

#[test]
fn rings_of_benzene_and_naphthalene_are_regular() {
    for smiles in ["c1ccccc1", "c1ccc2ccccc2c1", "C1CCCC1", "c1ccc2c(c1)ccc1ccccc12"] {
        let (graph, _, _) = molecule(smiles);
        let coordinates = layout(&graph, &[]);
        for edge in graph.edges() {
            let length = coordinates[edge.from.index()].minus(coordinates[edge.to.index()]).length();
            assert!((length - 1.0).abs() < 1e-6, "{smiles} {length}");
        }
    }
}

#[test]
fn aromatic_rings_get_alternating_double_bonds() {
    let cases = [("c1ccccc1", 3), ("c1ccc2[nH]ccc2c1", 4), ("c1ccsc1", 2), ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", 4)];
    for (smiles, doubles) in cases {
        let (graph, atoms, names) = molecule(smiles);
        let symbols: Vec<&str> = graph.vertex_labels().iter().map(|&l| atoms.name(l)).collect();
        let bonds = kekulize(&graph, &symbols, &bonds_of(&graph, &names));
        assert!(bonds.iter().all(|bond| *bond != Bond::Aromatic), "{smiles}");
        assert_eq!(bonds.iter().filter(|bond| **bond == Bond::Double).count(), doubles, "{smiles}");
        for vertex in graph.vertices() {
            let here = graph.neighbors(vertex).iter().filter(|n| bonds[n.edge.index()] == Bond::Double).count();
            assert!(here <= 1, "{smiles}");
        }
    }
}

#[test]
fn a_piece_of_an_aromatic_ring_stays_aromatic() {
    let mut builder = Graph::builder();
    for _ in 0..3 {
        builder.add_vertex(Label(0)).unwrap();
    }
    for v in 1..3 {
        builder.add_edge(VertexId(v - 1), VertexId(v), Label(0)).unwrap();
    }
    assert_eq!(kekulize(&builder.build(), &["C"; 3], &[Bond::Aromatic; 2]), [Bond::Aromatic; 2]);
}

#[test]
fn drawings_are_the_same_every_time_and_text_from_the_data_is_harmless() {
    let (graph, atoms, names) = molecule(DRUGS[0]);
    let palette = Palette::new(&atoms, &names);
    assert!(palette.is_chemical() && palette.legend().is_empty());
    let drawing = draw(&graph, &palette);
    assert_eq!(drawing, draw(&graph, &palette));
    // No letter for carbon, one for each of the four oxygens.
    assert!(drawing.body.contains(">OOOO</text>") && !drawing.body.contains('C'), "{}", drawing.body);
    let mut builder = Graph::builder();
    let [a, b] = [0, 1].map(|label| builder.add_vertex(Label(label)).unwrap());
    builder.add_edge(a, b, Label(0)).unwrap();
    let graph = builder.build();
    let evil = Vocabulary::from_tokens(["<b", "\"&"]);
    let palette = Palette::new(&evil, &Vocabulary::from_tokens(["<script>", "x"]));
    let drawing = draw(&graph, &palette);
    let text = drawing.file(&graph, &[einsicht_graph::EdgeId(0)], "<script>alert(1)</script>");
    assert!(!text.contains("<script>") && text.contains("&lt;script&gt;") && text.contains("class=\"h\""));
    assert_eq!(palette.legend().len(), 2);
}

#[test]
fn dense_and_huge_graphs_are_laid_out_by_stress_or_not_at_all() {
    let mut builder = Graph::builder();
    for _ in 0..9 {
        builder.add_vertex(Label(0)).unwrap();
    }
    for a in 0..9 {
        for b in 0..a {
            builder.add_edge(VertexId(a), VertexId(b), Label(0)).unwrap();
        }
    }
    let coordinates = layout(&builder.build(), &[]);
    for a in 0..9 {
        for b in 0..a {
            assert!(coordinates[a].minus(coordinates[b]).length() > 0.2);
        }
    }
    let mut builder = Graph::builder();
    for _ in 0..=MOST_VERTICES {
        builder.add_vertex(Label(0)).unwrap();
    }
    let graph = builder.build();
    let palette = Palette::new(&Vocabulary::from_tokens(["x"]), &Vocabulary::from_tokens([""]));
    assert!(draw(&graph, &palette).body.contains("too large to draw"));
}
