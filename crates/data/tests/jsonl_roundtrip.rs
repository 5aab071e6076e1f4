//! Any data set, written as JSON lines and read back, is the same data set.

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::Qualifiers;
use einsicht_data::read::{
    self, EdgeLabels, Format, Hydrogens, OnBad, ReadError, ReadOptions, Reading, TargetChoice, Task,
};
use einsicht_data::write::{to_jsonl, write_jsonl};
use einsicht_data::{
    Attributes, Dataset, FeatureColumn, Origin, PropertyColumn, Repaired, Skipped, Target, TargetValues, Vocabulary,
};
use einsicht_graph::{Graph, Label, VertexId};
use einsicht_testkit::shared::shared;
use proptest::prelude::*;
use std::io::Cursor;
use std::path::Path;

fn parse(bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let options = ReadOptions { format: Some(Format::Jsonl), ..options.clone() };
    read::read_from(Path::new("x.jsonl"), Cursor::new(bytes), &options)
}

fn there_and_back(dataset: &Dataset) -> Dataset {
    let mut bytes = Vec::new();
    to_jsonl(dataset, &mut bytes).unwrap();
    parse(bytes, &ReadOptions::default()).unwrap()
}

/// Words of every kind: numbers, quotes, escapes, other alphabets, nothing.
fn word() -> impl Strategy<Value = String> {
    prop_oneof!["-?[0-9]{1,3}", "[A-Z][a-z]?", ".{0,4}", Just("\"\\\n\u{1}".to_owned()), Just("nan".to_owned())]
}

fn vocabulary() -> impl Strategy<Value = Vocabulary> {
    (prop::collection::btree_set(word(), 1..5), any::<bool>()).prop_map(|(words, named)| {
        let mut vocabulary = Vocabulary::from_tokens(words.iter().cloned());
        if let Some(first) = words.first().filter(|_| named) {
            vocabulary.set_name(first.clone(), "a name");
        }
        vocabulary
    })
}

fn graph(vertex_labels: u32, edge_labels: u32) -> impl Strategy<Value = Graph> {
    let pairs = prop::collection::vec((0..6_u32, 0..6_u32, 0..edge_labels), 0..9);
    (prop::collection::vec(0..vertex_labels, 0..6), pairs).prop_map(|(labels, pairs)| {
        let mut builder = Graph::builder();
        for label in labels {
            builder.add_vertex(Label(label)).unwrap();
        }
        for (from, to, label) in pairs {
            // What is not a simple graph is refused and left out.
            let _ = builder.add_edge(VertexId(from), VertexId(to), Label(label));
        }
        builder.build()
    })
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("finite", |x| x.is_finite()), Just(-0.0), Just(5.0), -1e3..1e3]
}

fn target(graphs: usize) -> impl Strategy<Value = Target> {
    let numbers = prop::collection::vec(prop::option::of(number()), graphs);
    let numbers = numbers.prop_map(|values| TargetValues::Numbers { values });
    let classes = vocabulary().prop_flat_map(move |classes| {
        let values = prop::collection::vec(prop::option::of(0..classes.len() as u32), graphs);
        values.prop_map(move |values| TargetValues::Classes { classes: classes.clone(), values })
    });
    (word(), prop_oneof![numbers, classes]).prop_map(|(name, values)| Target { name, values })
}

/// Some properties, by a seed: words, numbers, missing values, a column without values.
fn properties(graphs: &[Graph], seed: u64) -> Vec<PropertyColumn> {
    let words = ["3", "-1", "007", "1.5", "", "\"", "red"];
    let column = |name: &str, shift: u64| {
        let value = |at: usize| words.get(((seed >> shift) as usize).wrapping_add(7 * at) % 11);
        let of = |graph: &Graph| graph.vertices().map(|v| value(v.index())).collect();
        PropertyColumn::from_words(name, &graphs.iter().map(of).collect::<Vec<Vec<_>>>())
    };
    let empty = graphs.iter().map(|graph| vec![None::<&str>; graph.num_vertices()]).collect::<Vec<_>>();
    let all = [PropertyColumn::from_words("0", &empty), column("a", 1), column("\"b", 5)];
    let mut some: Vec<_> = all.into_iter().take(seed as usize % 4).collect();
    some.sort_by(|a, b| a.name.cmp(&b.name));
    some
}

fn features(graphs: usize, seed: u64) -> Vec<FeatureColumn> {
    let value = |at: usize| (at as f64 - 0.3) * 10_f64.powi((seed % 40) as i32 - 20);
    let column = |name: &str| FeatureColumn { name: name.to_owned(), values: (0..graphs).map(value).collect() };
    [column("dose"), column("\"log P\"")].into_iter().take(seed as usize / 4 % 3).collect()
}

fn dataset() -> impl Strategy<Value = Dataset> {
    (vocabulary(), vocabulary(), 1..6_usize).prop_flat_map(|(vertex_labels, edge_labels, graphs)| {
        let numbers = (vertex_labels.len() as u32, edge_labels.len() as u32);
        (
            prop::collection::vec(graph(numbers.0, numbers.1), graphs),
            prop::collection::vec(target(graphs), 0..3),
            prop::collection::vec(any::<(u32, u64)>(), graphs),
            prop::collection::vec((any::<u32>(), ".{0,9}"), 0..3),
            prop::option::of((1..5_usize, any::<u64>())),
            ("[a-z/ ]{1,9}", any::<u64>()),
        )
            .prop_map(move |(graphs, targets, origins, skipped, attributes, (name, loops))| Dataset {
                source: (&name).into(),
                ids: (0..graphs.len()).map(|at| format!("{name}{at}")).collect(),
                name,
                origins: origins.into_iter().map(|(row, line)| Origin { row, line }).collect(),
                vertex_labels: vertex_labels.clone(),
                edge_labels: edge_labels.clone(),
                attributes: attributes.map(|(columns, seed)| {
                    let mut random = einsicht_data::random::Random::new(seed);
                    let values = graphs.iter().map(|graph| {
                        (0..columns * graph.num_vertices()).map(|_| random.normal()).collect::<Box<[f64]>>()
                    });
                    let attributes = Attributes::new(columns, values.collect());
                    let coordinates = if columns == 3 && seed % 2 == 0 { vec![0, 1, 2] } else { Vec::new() };
                    Attributes { coordinates, ..attributes }
                }),
                features: features(graphs.len(), loops),
                properties: properties(&graphs, loops),
                qualifiers: Qualifiers::default(),
                targets,
                reading: Reading { ignores_edge_labels: loops % 2 == 0, ..Reading::default() },
                skipped: skipped
                    .into_iter()
                    .map(|(row, reason)| Skipped { origin: Origin { row, line: 7 }, reason })
                    .collect(),
                repaired: Repaired { self_loops: loops, double_edges: 1, one_way_edges: 0 },
                graphs,
            })
    })
}

proptest! {
    #[test]
    fn any_data_set_comes_back_the_same(dataset in dataset()) {
        dataset.check();
        prop_assert_eq!(there_and_back(&dataset), dataset);
    }
}

#[test]
fn real_sets_come_back_the_same() {
    for name in ["tu/ENZYMES", "tu/MUTAG", "gspan/cpdb", "gspan/karthikeyan"] {
        let Some(path) = shared(&format!("data/{name}")) else { return };
        let dataset = read::read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(there_and_back(&dataset), dataset, "{name}");
    }
}

#[test]
fn a_file_is_gzipped_if_its_name_says_so_and_detected_again() {
    let text = "{\"einsicht\":1}\n{\"vertices\":[\"C\",\"O\"],\"edges\":[[0,1]]}\n";
    let dataset = parse(text.into(), &ReadOptions::default()).unwrap();
    let folder = std::env::temp_dir().join(format!("einsicht-jsonl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, gzip) in [("x.jsonl", false), ("x.jsonl.gz", true), ("no-extension", false)] {
        let path = folder.join(name);
        write_jsonl(&dataset, &path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[0] == 0x1f, gzip);
        assert_eq!(read::read(&path, &ReadOptions::default()).unwrap(), dataset);
    }
    assert!(write_jsonl(&dataset, &folder.join("no/such/folder.jsonl")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

const BY_HAND: &str = concat!(
    r#"{"einsicht": 1, "targets": [{"name": "active", "kind": "classes"}, {"name": "mp", "kind": "numbers"}]}"#,
    r#"

{"vertices": [6, "O", "H"], "edges": [[0, 1, "double"], [0, 2, "single"]], "targets": [true, 12]}
{"id": 7, "vertices": [6, 6], "edges": [[1, 0, "single"]], "targets": [null, 1.5]}
{"vertices": [6]}
"#
);

#[test]
fn a_file_written_by_hand_needs_little() {
    let dataset = parse(BY_HAND.into(), &ReadOptions::default()).unwrap();
    assert_eq!(dataset.ids, ["0", "7", "2"]);
    assert_eq!(dataset.origins[1], Origin { row: 1, line: 4 });
    assert_eq!(dataset.vertex_labels.tokens(), ["6", "H", "O"]);
    let TargetValues::Classes { classes, values } = &dataset.targets[0].values else { panic!("classes") };
    assert_eq!((classes.tokens(), &values[..]), (&["true".to_owned()][..], &[Some(0), None, None][..]));
    assert_eq!(dataset.targets[1].values, TargetValues::Numbers { values: vec![Some(12.0), Some(1.5), None] });
}

#[test]
fn the_common_options_work_here_too() {
    let options = ReadOptions {
        targets: TargetChoice::Named(vec!["mp".into()]),
        task: Task::Classify,
        edge_labels: EdgeLabels::Ignore,
        hydrogens: Some(Hydrogens::Drop),
        ..Default::default()
    };
    let dataset = parse(BY_HAND.into(), &options).unwrap();
    assert_eq!(dataset.targets.len(), 1);
    assert_eq!((dataset.vertex_labels.tokens().len(), dataset.edge_labels.tokens()), (2, &[String::new()][..]));
    assert_eq!(dataset.graphs[0].num_vertices(), 2);
}

#[test]
fn a_bad_line_is_refused_or_skipped() {
    let header = concat!(
        r#"{"einsicht":1,"vertex_labels":["C"],"edge_labels":[""],"#,
        r#""targets":[{"name":"y","kind":"classes","classes":["a"]}]}"#
    );
    let cases = [
        (
            r#"{"vertices":["C"],"targets":["a"]"#,
            "x.jsonl:2: must be a JSON object as in docs/formats.md, but at column 33: EOF",
        ),
        (r#"{"vertices":["N"]}"#, "x.jsonl:2: a vertex label must be one of those in the header, but is \"N\""),
        (r#"{"vertices":["C","C"],"edges":[[0,1,"x"]]}"#, "x.jsonl:2: an edge label must be one of those"),
        (
            r#"{"vertices":["C"],"targets":["b"]}"#,
            "x.jsonl:2: a class must be one of those in the header, but is \"b\"",
        ),
        (r#"{"vertices":["C"],"targets":["a","a"]}"#, "x.jsonl:2: there must be 1 targets, but there are 2"),
        (r#"{"vertices":["C"],"edges":[[0,1]]}"#, "x.jsonl:2: an edge must join vertices of its graph"),
        (r#"{"vertices":["C"],"edges":[[0,-1]]}"#, "x.jsonl:2: must be a JSON object"),
        (r#"{"vertices":["C"],"attributes":[[1.0]]}"#, "x.jsonl:2: there must be 0 vertices with attributes"),
        (
            r#"{"vertices":["C"],"colour":1}"#,
            "x.jsonl:2: must be a JSON object as in docs/formats.md, but at column 26: unknown field",
        ),
    ];
    for (line, wanted) in cases {
        let text = format!("{header}\n{line}\n{{\"vertices\":[\"C\"]}}\n");
        let error = parse(text.clone().into(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
        let skip = ReadOptions { on_bad: OnBad::Skip, ..Default::default() };
        let dataset = parse(text.into(), &skip).unwrap();
        assert_eq!((dataset.len(), dataset.skipped.len(), dataset.origins[0].row), (1, 1, 1), "{line}");
        assert_eq!(dataset.vertex_labels.tokens(), ["C"]);
    }
}

#[test]
fn another_version_or_no_header_is_refused() {
    let refused = |text: &str| parse(text.into(), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        refused("{\"einsicht\":2}\n"),
        "x.jsonl:1: the first line must be a header with \"einsicht\": 1, but says version 2"
    );
    assert!(refused("{\"vertices\":[]}\n").ends_with("but says no version"));
    assert!(refused("\n\n").ends_with("but says nothing"));
}

#[test]
fn properties_are_read_with_and_without_a_header() {
    let lines = "{\"vertices\":[\"C\",\"O\"],\"properties\":{\"hydrogens\":[3,null],\"size\":[1.5,\"big\"]}}\n\
        {\"vertices\":[\"C\"]}\n";
    let set = parse(format!("{{\"einsicht\":1}}\n{lines}").into(), &ReadOptions::default()).unwrap();
    let column = set.property("size").unwrap();
    assert_eq!((column.token(0, 0), column.token(0, 1), column.token(1, 0)), (Some("1.5"), Some("big"), None));
    assert_eq!(there_and_back(&set), set);
    let refused =
        |header: &str| parse(format!("{header}\n{lines}").into(), &ReadOptions::default()).unwrap_err().to_string();
    let error = refused(r#"{"einsicht":1,"properties":{"hydrogens":["3"]}}"#);
    assert!(error.contains("a property") && error.contains("size"), "{error}");
    let error = refused(r#"{"einsicht":1,"properties":{"hydrogens":[],"size":["1.5","big"]}}"#);
    assert!(error.contains("a value of a property") && error.contains('3'), "{error}");
}

#[test]
fn molecules_keep_their_hydrogens_and_charges() {
    let smiles = ["CC[NH3+]", "c1ccccc1"].map(String::from);
    let set = read::read_smiles(&smiles, &ReadOptions::default()).unwrap();
    let mut bytes = Vec::new();
    to_jsonl(&set, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains(r#""properties":{"charge":[null,null,1],"hydrogens":[3,2,3]}"#), "{text}");
    assert_eq!(there_and_back(&set), set);
}
