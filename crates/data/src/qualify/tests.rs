//! Tables that are settled on data and applied to data.

use crate::dataset::{Attributes, Dataset, Origin};
use crate::qualify::{QualifierChoice, Qualifiers, read_properties};
use crate::read::builder::DatasetBuilder;
use crate::read::{Format, ReadOptions, read_from};
use einsicht_graph::VertexId;
use std::path::Path;

fn molecules(smiles: &[&str]) -> Dataset {
    let smiles: Vec<String> = smiles.iter().map(|&text| text.to_owned()).collect();
    crate::read::read_smiles(&smiles, &ReadOptions::default()).unwrap()
}

/// A path `C-N-N` and a triangle of `C`, without molecules behind them.
fn plain() -> Dataset {
    let text =
        "t # a 1\nv 0 C\nv 1 N\nv 2 N\ne 0 1 x\ne 1 2 x\nt # b 0\nv 0 C\nv 1 C\nv 2 C\ne 0 1 x\ne 1 2 x\ne 2 0 x\n";
    let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
    read_from(Path::new("plain"), text.as_bytes(), &options).unwrap()
}

fn choice(text: &str) -> QualifierChoice {
    text.parse().unwrap()
}

fn names(dataset: &Dataset, text: &str) -> Vec<String> {
    Qualifiers::settle(dataset, &choice(text)).unwrap().names().collect()
}

fn refusal(dataset: &Dataset, text: &str) -> String {
    Qualifiers::settle(dataset, &choice(text)).unwrap_err().to_string()
}

/// The names of what each vertex of a graph has.
fn on(dataset: &Dataset, graph: usize) -> Vec<String> {
    let graph = &dataset.graphs[graph];
    let all = |v: VertexId| Qualifiers::bits(graph.qualifiers(v)).map(|bit| dataset.qualifiers.name(bit));
    graph.vertices().map(|v| all(v).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn atoms_get_hydrogens_degree_ring_charge_and_element() {
    let raw = molecules(&["CC[NH3+]", "c1ccccc1Cl", "C1CC1F", "CC[O-]"]);
    let table = Qualifiers::settle(&raw, &QualifierChoice::Auto).unwrap();
    let wanted = "H0 H1 H2 H3 D1 D2 D3 aromatic ring chain -1 +1 F Cl";
    assert_eq!(table.names().collect::<Vec<_>>().join(" "), wanted);
    let set = table.apply(raw.clone()).unwrap();
    assert_eq!(on(&set, 0), ["H3 D1 chain", "H2 D2 chain", "H3 D1 chain +1"]);
    assert_eq!(on(&set, 1)[4..], ["H1 D2 aromatic", "H0 D3 aromatic", "Cl"]);
    assert_eq!(on(&set, 2), ["H2 D2 ring", "H2 D2 ring", "H1 D3 ring", "F"]);
    assert_eq!(set.vertex_labels.tokens(), ["C", "N", "O", "X"]);
    assert_eq!(set.property("element").unwrap().token(1, 6), Some("Cl"));
    assert_ne!(set.fingerprint(), raw.fingerprint());
    assert_eq!(table.apply(set.clone()).unwrap(), set);
    assert_eq!(Qualifiers::default().apply(raw.clone()).unwrap(), raw);
    let again = Qualifiers::settle(&raw, &choice("degree")).unwrap();
    assert!(again.apply(set).unwrap_err().to_string().contains("those of another table"));
}

#[test]
fn a_single_halogen_keeps_its_label_and_has_no_hydrogens_or_rings() {
    let raw = molecules(&["CCCl", "CCN", "CCCCl"]);
    let table = Qualifiers::settle(&raw, &QualifierChoice::Auto).unwrap();
    // All atoms but the halogens are in chains, so that says nothing.
    assert_eq!(table.names().collect::<Vec<_>>(), ["H2", "H3", "D1", "D2"]);
    let set = table.apply(raw).unwrap();
    assert_eq!(
        (on(&set, 0), set.vertex_labels.tokens().len()),
        (vec!["H3 D1".into(), "H2 D2".into(), String::new()], 3)
    );
    assert!(!table.merges_halogens());
}

#[test]
fn hydrogens_that_are_vertices_count_like_those_that_are_not() {
    let set = molecules(&["[2H]C([2H])O", "[H][H]"]);
    let column = set.property("hydrogens").unwrap();
    let of = |graph: usize| (0..set.graphs[graph].num_vertices()).map(|v| column.token(graph, v)).collect::<Vec<_>>();
    assert_eq!(of(0), [Some("0"), Some("3"), Some("0"), Some("1")]);
    assert_eq!(of(1), [Some("1"), Some("1")]);
    let options = ReadOptions { hydrogens: Some(crate::read::Hydrogens::Drop), ..ReadOptions::default() };
    let dropped = crate::read::read_smiles(&["[2H]C([2H])O".to_owned()], &options).unwrap();
    let column = dropped.property("hydrogens").unwrap();
    assert_eq!((dropped.graphs[0].num_vertices(), column.token(0, 0), column.token(0, 1)), (2, Some("3"), Some("1")));
}

#[test]
fn a_table_serves_new_data_and_says_what_they_lack() {
    let table = Qualifiers::settle(&molecules(&["CCCl", "CBr", "c1ccccc1N"]), &QualifierChoice::Auto).unwrap();
    let set = table.apply(molecules(&["[Na+].[I-]", "CCl", "N(C)(C)(C)=O"])).unwrap();
    assert_eq!(on(&set, 0), ["H0 chain", ""]);
    assert_eq!(set.vertex_labels.tokens(), ["C", "N", "Na", "O", "X"]);
    assert_eq!((on(&set, 1)[1].as_str(), on(&set, 2)[0].as_str()), ("Cl", "H0 chain"));
    assert_eq!(table.apply(Dataset::default()).unwrap().len(), 0);
    let error = table.apply(plain()).unwrap_err().to_string();
    assert!(
        error.starts_with("the vertices must have the property \"hydrogens\", but plain does not have it"),
        "{error}"
    );
    let rings = Qualifiers::settle(&molecules(&["c1ccccc1N", "C1CC1"]), &choice("ring")).unwrap();
    let options = ReadOptions { edge_labels: crate::read::EdgeLabels::Ignore, ..ReadOptions::default() };
    let bare = crate::read::read_smiles(&["CCN".to_owned()], &options).unwrap();
    assert!(rings.apply(bare).unwrap_err().to_string().contains("read it with its edge labels"));
}

#[test]
fn other_graphs_get_degrees_attributes_and_columns_of_few_values() {
    let mut set = plain();
    let rows = [[1.0, 0.1, 7.0], [0.5, 0.2, 7.0], [1.0, 0.3, 7.0]];
    let more = rows.map(|[a, b, c]| [a, b + 5.0, c]);
    let values = [rows, more].map(|rows| rows.concat().into());
    set.attributes = Some(Attributes::new(3, values.to_vec()));
    let path = file("graph,vertex,colour\na,0,red\na,1,\na,2,\"deep, blue\"\n1,2,red\n1,1,red\n1,0,red\nz,0,\n");
    assert_eq!(read_properties(&mut set, &path).unwrap(), ["colour"]);
    let wanted = [
        "degree=1",
        "degree=2",
        "colour=deep, blue",
        "colour=red",
        "attribute_1=0.5",
        "attribute_1=1",
        "attribute_2=0.1",
        "attribute_2=0.2",
        "attribute_2=0.3",
        "attribute_2=5.1",
        "attribute_2=5.2",
        "attribute_2=5.3",
    ];
    assert_eq!(names(&set, "auto"), wanted);
    assert_eq!(names(&set, "ring,degree"), ["chain", "cycle", "degree=1", "degree=2"]);
    assert_eq!(names(&set, &path.display().to_string()), ["colour=deep, blue", "colour=red"]);
    let set = Qualifiers::settle(&set, &choice("colour,ring,attribute_1")).unwrap().apply(set).unwrap();
    assert_eq!(on(&set, 0)[2], "colour=deep, blue chain attribute_1=1");
    assert_eq!(on(&set, 1)[0], "colour=red cycle attribute_1=1");
    let known = "attribute_1, attribute_2, attribute_3, colour, degree, ring";
    let wanted = format!("a qualifier must be a property of the data, but there is no \"size\"; there are: {known}");
    assert_eq!(refusal(&set, "degree,size"), wanted);
    assert_eq!(
        refusal(&set, "attribute_2"),
        "a property must have no more values than there are graphs, but \"attribute_2\" has 6 in 2 graphs; leave it \
         out, or give it classes such as low and high"
    );
}

#[test]
fn what_cannot_be_is_refused_with_a_way_out() {
    let set = molecules(&["CC", "CCN"]);
    assert_eq!(refusal(&set, "charge"), "some vertex must have the property \"charge\", but none has; leave it out");
    let wanted = "the property \"element\" needs two different halogens, but the data have fewer; leave it out";
    assert_eq!(refusal(&set, "degree,element"), wanted);
    let options = ReadOptions::default();
    let mut builder = DatasetBuilder::new("x", "x", &options);
    let slot = builder.add_property("p");
    for row in 0..70 {
        builder.begin(Origin { row, line: 0 }, &row.to_string());
        for label in ["X", "F", "Cl"] {
            let vertex = builder.vertex(label).unwrap();
            builder.property(slot, vertex, &row.to_string());
        }
        builder.end();
    }
    let set = builder.finish().unwrap();
    let wanted = "qualifiers may have 64 values in all, but these have 70; leave out a property with many";
    assert_eq!(refusal(&set, "p"), wanted);
    assert_eq!(names(&set, "auto"), Vec::<String>::new());
    assert!(
        refusal(&set, "element")
            .starts_with("the label X is reserved for halogens, but another vertex label has this name")
    );
}

/// A file that goes away.
fn file(text: &str) -> tempfile::TempPath {
    let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file.into_temp_path()
}

#[test]
fn a_bad_file_is_refused_with_its_line() {
    let cases = [
        (
            "graph,colour\n",
            ":1: the first line must be graph,vertex and the names of properties, but is \"graph,colour\"",
        ),
        ("graph,vertex,ring\n", ":1: \"ring\" is computed from the graphs; give the property another name"),
        ("graph,vertex,c,c\n", ":1: each property must have a name of its own, but \"c\" is not one"),
        ("graph,vertex,c\na,0\n", ":2: there must be 3 cells, but there are 2"),
        ("graph,vertex,c\na,3,x\n", ":2: graph \"a\" has 3 vertices, from 0, but this is \"3\""),
        ("graph,vertex,c\na,0,\"x\n", ":2: a quote must be closed on its line, but one is not"),
        (
            "graph,vertex,c\na,0,x\n\n0,0,y\n",
            ":4: each vertex may have one row, but this is the second one of vertex 0 of graph \"0\"",
        ),
        ("graph,vertex,c\na,0,x\na,2,y\n", ": must have a row for each vertex, but vertex 1 of graph \"a\" has none"),
    ];
    for (text, wanted) in cases {
        let path = file(text);
        let message = read_properties(&mut plain(), &path).unwrap_err().to_string();
        assert_eq!(message.strip_prefix(&path.display().to_string()), Some(wanted));
    }
}

#[test]
fn sets_with_qualifiers_can_be_divided_and_joined() {
    let raw = molecules(&["CCCl", "CBr", "c1ccccc1N"]);
    let table = Qualifiers::settle(&raw, &QualifierChoice::Auto).unwrap();
    let set = table.apply(raw.clone()).unwrap();
    let joined = Dataset::join(&[&set.subset(&[0]), &set.subset(&[1, 2])]).unwrap();
    assert_eq!((joined.fingerprint(), &joined.qualifiers), (set.fingerprint(), &table));
    assert!(Dataset::join(&[&set, &raw]).is_err());
    let mut sorted = set.clone();
    sorted.sort_edges();
    assert_eq!(sorted.graphs[2].all_qualifiers(), set.graphs[2].all_qualifiers());
}

#[test]
fn a_set_that_was_written_with_merged_halogens_is_qualified_again() {
    let raw = molecules(&["CCCl", "CBr", "c1ccccc1N"]);
    let table = Qualifiers::settle(&raw, &QualifierChoice::Auto).unwrap();
    let set = table.apply(raw).unwrap();
    let mut lines = Vec::new();
    crate::write::to_jsonl(&set, &mut lines).unwrap();
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    let back = read_from(Path::new("x"), std::io::Cursor::new(lines), &options).unwrap();
    assert!(back.qualifiers.is_empty());
    assert_eq!(Qualifiers::settle(&back, &QualifierChoice::Auto).unwrap().names().count(), table.len());
    assert_eq!(table.apply(back).unwrap(), set);
}

#[test]
fn without_bonds_all_rings_are_one_value() {
    let options = ReadOptions { edge_labels: crate::read::EdgeLabels::Ignore, ..ReadOptions::default() };
    let set = crate::read::read_smiles(&["c1ccccc1N".to_owned(), "C1CC1".to_owned()], &options).unwrap();
    assert_eq!(names(&set, "ring"), ["chain", "cycle"]);
}

proptest::proptest! {
    #[test]
    fn any_file_is_read_or_refused(text in "(graph,vertex,c\n)?([ab,012\"\n]|a,[012],x\n|b,[012],\n){0,9}") {
        let mut set = plain();
        if read_properties(&mut set, &file(&text)).is_ok() {
            set.check();
        }
    }

    #[test]
    fn a_table_gives_a_subset_the_bits_that_it_has_in_the_whole(keep in proptest::collection::vec(0..6_usize, 1..6)) {
        let raw = molecules(&["CC[NH3+]", "c1ccccc1Cl", "C1CC1F", "CC[O-]", "[Na+].[I-]", "C[N+](=O)[O-]"]);
        let table = Qualifiers::settle(&raw, &QualifierChoice::Auto).unwrap();
        let mut part = raw.subset(&keep);
        part.forget_unused_labels();
        let (part, whole) = (table.apply(part).unwrap(), table.apply(raw).unwrap().subset(&keep));
        for (one, other) in part.graphs.iter().zip(&whole.graphs) {
            proptest::prop_assert_eq!(one.all_qualifiers(), other.all_qualifiers());
        }
    }
}
