use super::kekule::kekulize;
use super::layout::{MOST_VERTICES, layout};
use super::*;
use einsicht_data::chem::parse_smiles;
use einsicht_data::read::read_smiles;
use einsicht_data::{Dataset, QualifierChoice, Qualifiers, ReadOptions, Vocabulary};
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
fn a_large_ring_is_kekulized_on_a_small_stack() {
    let ring = || {
        let mut builder = Graph::builder();
        let atoms: Vec<VertexId> = (0..2000).map(|_| builder.add_vertex(Label(0)).unwrap()).collect();
        for at in 0..2000 {
            builder.add_edge(atoms[at], atoms[(at + 1) % 2000], Label(0)).unwrap();
        }
        let bonds = kekulize(&builder.build(), &vec!["C"; 2000], &vec![Bond::Aromatic; 2000]);
        assert_eq!(bonds.iter().filter(|bond| **bond == Bond::Double).count(), 1000);
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(ring).unwrap().join().unwrap();
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

/// Molecules with the properties of their atoms.
fn qualified(molecules: &[&str]) -> Dataset {
    let molecules: Vec<String> = molecules.iter().map(|smiles| (*smiles).to_owned()).collect();
    let dataset = read_smiles(&molecules, &ReadOptions::default()).unwrap();
    Qualifiers::settle(&dataset, &QualifierChoice::Auto).unwrap().apply(dataset).unwrap()
}

const PROPERTIES: [&str; 7] =
    ["NCCc1ccccc1Cl", "C[N+](C)(C)CBr", "OC1CCCC1", "c1c[nH]cn1", "FC(F)CO", "CC(=O)[O-]", "O=C(N)c1ccncc1"];

/// A path of these labels whose vertices have these qualifiers, by name.
fn path(dataset: &Dataset, vertices: &[(&str, &[&str])]) -> Graph {
    let mut builder = Graph::builder();
    for (label, _) in vertices {
        builder.add_vertex(dataset.vertex_labels.label(label).unwrap()).unwrap();
    }
    for v in 1..vertices.len() as u32 {
        builder.add_edge(VertexId(v - 1), VertexId(v), dataset.edge_labels.label("single").unwrap()).unwrap();
    }
    let bit = |name: &&str| 1_u64 << dataset.qualifiers.bit_of_name(name).unwrap();
    let mut graph = builder.build();
    graph.set_qualifiers(vertices.iter().map(|(_, names)| names.iter().map(bit).fold(0, |a, b| a | b)).collect());
    graph
}

/// The content of all text elements, the letters of one element as one text.
fn texts(drawing: &Drawing) -> Vec<String> {
    let elements = drawing.body.split("<text ").skip(1);
    elements.map(|text| text.split(['>', '<']).nth(1).unwrap().to_owned()).collect()
}

#[test]
fn molecules_of_a_qualified_set_show_their_elements_hydrogens_and_charges() {
    let dataset = qualified(&PROPERTIES);
    let palette = Palette::of(dataset.names());
    assert!(palette.is_chemical());
    let drawn: Vec<Vec<String>> = dataset.graphs.iter().map(|graph| texts(&draw(graph, &palette))).collect();
    // The amine is NH with a small 2; chlorine is no X, carbons have no letter, and nothing else is written.
    assert_eq!(drawn[0], ["Cl", "NH", "2"]);
    assert_eq!(drawn[1], ["Br", "N", "+"]);
    assert_eq!(drawn[2], ["OH"]);
    assert_eq!(drawn[5], ["OO", "−"]);
}

#[test]
fn an_aromatic_nitrogen_with_a_hydrogen_has_no_double_bond() {
    let dataset = qualified(&PROPERTIES);
    let imidazole = &dataset.graphs[3];
    let bonds = bonds_of(imidazole, &dataset.edge_labels);
    let kekulized = kekulize(imidazole, &["C", "C", "NH", "C", "N"], &bonds);
    let doubles =
        |v: u32| imidazole.neighbors(VertexId(v)).iter().filter(|n| kekulized[n.edge.index()] == Bond::Double).count();
    assert_eq!([0, 1, 2, 3, 4].map(doubles), [1, 1, 0, 1, 1]);
}

#[test]
fn patterns_show_what_they_require_and_nothing_else() {
    let dataset = qualified(&PROPERTIES);
    let palette = Palette::of(dataset.names());
    let drawn = |vertices: &[(&str, &[&str])]| texts(&draw_pattern(&path(&dataset, vertices), &palette));
    assert_eq!(drawn(&[("C", &[]), ("C", &[]), ("N", &["H2"])]), ["NH", "2"]);
    assert_eq!(drawn(&[("C", &[]), ("C", &["H3"]), ("N", &[])]), ["N", "CH", "3"]);
    assert_eq!(drawn(&[("C", &[]), ("C", &[]), ("X", &[])]), ["X"]);
    assert_eq!(drawn(&[("C", &[]), ("C", &[]), ("X", &["Cl"])]), ["Cl"]);
    assert_eq!(drawn(&[("C", &[])]), ["C"]);
    assert_eq!(drawn(&[("C", &[]), ("N", &["+1"])]), ["N", "+", "C"]);
    assert_eq!(drawn(&[("C", &["D3", "aromatic"])]), ["3 neighbours", "aromatic", "C"]);
    assert_eq!(drawn(&[("N", &["H0", "ring"])]), ["no H", "non-aromatic ring", "N"]);
}

#[test]
fn texts_lie_inside_of_the_drawing_and_do_not_cover_each_other() {
    let dataset = qualified(&PROPERTIES);
    let palette = Palette::of(dataset.names());
    let pattern = path(&dataset, &[("C", &["D3"]), ("C", &["chain"]), ("C", &["D2", "chain"]), ("N", &["H1", "D2"])]);
    let drawing = draw_pattern(&pattern, &palette);
    let mut boxes: Vec<(f64, f64, f64)> = Vec::new();
    for text in drawing.body.split("<text class=\"q\" ").skip(1) {
        let number = |key: &str| text.split(key).nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap();
        let content = text.split(['>', '<']).nth(1).unwrap();
        let half = 2.2 * content.chars().count() as f64;
        let (x, y) = (number("x=\""), number("y=\""));
        assert!(x - half >= 0.0 && x + half <= f64::from(drawing.width), "{content}");
        assert!((4.0..=f64::from(drawing.height) - 4.0).contains(&y), "{content}");
        assert!(boxes.iter().all(|(u, v, wide)| (u - x).abs() >= wide + half || (v - y).abs() >= 9.0), "{content}");
        boxes.push((x, y, half));
    }
    assert_eq!(boxes.len(), 5);
}

#[test]
fn graphs_that_are_no_molecules_show_properties_by_name() {
    let mut dataset =
        einsicht_data::generate::generate(einsicht_data::generate::Synthetic::Cycle, 0).subset(&[0, 1, 2]);
    let degree = QualifierChoice::List(vec!["degree".to_owned()]);
    dataset = Qualifiers::settle(&dataset, &degree).unwrap().apply(dataset).unwrap();
    let palette = Palette::of(dataset.names());
    let with_names = |drawing: Drawing| texts(&drawing).iter().filter(|text| text.starts_with("degree=")).count();
    assert_eq!(with_names(draw(&dataset.graphs[0], &palette)), 0);
    assert_eq!(with_names(draw_pattern(&dataset.graphs[0], &palette)), dataset.graphs[0].num_vertices());
}

#[test]
fn a_piece_of_a_ring_is_drawn_in_its_ring_and_the_rest_is_grey() {
    use einsicht_graph::EdgeId;
    use einsicht_graph::matching::Occurrence;
    let (toluene, atoms, bonds) = molecule("Cc1ccccc1");
    let palette = Palette::new(&atoms, &bonds);
    let [carbon, aromatic] = [atoms.label("C").unwrap(), bonds.label("aromatic").unwrap()];
    let single = bonds.label("single").unwrap();
    let pattern = |edges: &[(u32, u32, Label)]| {
        let mut builder = Graph::builder();
        for _ in 0..=edges.len() {
            builder.add_vertex(carbon).unwrap();
        }
        for &(a, b, label) in edges {
            builder.add_edge(VertexId(a), VertexId(b), label).unwrap();
        }
        builder.build()
    };
    let occurrence = |vertices: &[u32]| {
        let edge = |ends: &[u32]| toluene.edge_between(VertexId(ends[0]), VertexId(ends[1])).unwrap().edge;
        let mut edges: Vec<EdgeId> = vertices.windows(2).map(edge).collect();
        edges.sort_unstable();
        Occurrence { vertices: vertices.iter().map(|v| VertexId(*v)).collect(), edges }
    };
    // The methyl group and two bonds of the ring: seven atoms are drawn, the three that are missing in grey.
    let piece = pattern(&[(0, 1, single), (1, 2, aromatic), (2, 3, aromatic)]);
    let drawn = draw_in_rings(&piece, &toluene, &occurrence(&[0, 1, 2, 3]), &palette).unwrap();
    assert_eq!((drawn.points.len(), drawn.body.matches("class=\"b rest\"").count()), (7, 1));
    // Both kinds of lines: the ring has alternating bonds and no dashes.
    assert!(!drawn.body.contains("class=\"d"), "{}", drawn.body);
    assert!(draw_pattern(&piece, &palette).body.contains("class=\"d"));
    // A bond outside of rings, and a whole ring, need nothing.
    assert_eq!(draw_in_rings(&pattern(&[(0, 1, single)]), &toluene, &occurrence(&[0, 1]), &palette), None);
    let whole = Occurrence {
        vertices: toluene.vertices().collect(),
        edges: (0..toluene.num_edges()).map(|edge| EdgeId(edge as u32)).collect(),
    };
    assert_eq!(draw_in_rings(&toluene, &toluene, &whole, &palette), None);
}

#[test]
fn files_say_everything_in_words_that_converters_know() {
    let (toluene, atoms, bonds) = molecule("Cc1ccccc1O");
    let file = draw(&toluene, &Palette::new(&atoms, &bonds)).file(&toluene, &[], "cresol");
    for unknown in ["var(", "currentColor", "height:auto", "--"] {
        assert!(!file.contains(unknown), "{unknown}: {file}");
    }
    assert!(file.contains(".drawing .O{fill:#d12c2c}") && file.contains("stroke:#1d2433;stroke-width:2;"), "{file}");
}

#[test]
fn a_piece_of_two_rings_that_share_a_single_bond_is_drawn_in_the_smaller_one() {
    use einsicht_graph::matching::Occurrence;
    // Azulene: only the ten bonds around both rings are aromatic.
    let (azulene, atoms, bonds) = molecule("c1ccc2cccc-2cc1");
    let palette = Palette::new(&atoms, &bonds);
    let shared = azulene.edge_between(VertexId(3), VertexId(7)).unwrap().edge;
    assert_eq!(azulene.edges()[shared.index()].label, bonds.label("single").unwrap());
    let mut builder = Graph::builder();
    let vertices: Vec<VertexId> = (0..3).map(|_| builder.add_vertex(atoms.label("C").unwrap()).unwrap()).collect();
    for ends in vertices.windows(2) {
        builder.add_edge(ends[0], ends[1], bonds.label("aromatic").unwrap()).unwrap();
    }
    let edge = |a, b| azulene.edge_between(VertexId(a), VertexId(b)).unwrap().edge;
    for (piece, ring) in [([4, 5, 6], 5), ([9, 0, 1], 7)] {
        let edges = vec![edge(piece[0], piece[1]), edge(piece[1], piece[2])];
        let occurrence = Occurrence { vertices: piece.map(VertexId).to_vec(), edges };
        let drawn = draw_in_rings(&builder.clone().build(), &azulene, &occurrence, &palette).unwrap();
        assert_eq!(drawn.points.len(), ring);
    }
}
