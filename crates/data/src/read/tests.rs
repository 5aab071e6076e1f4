//! Every way to be refused: one broken file under `testdata/broken/` for each, and the exact words.

use super::*;
use einsicht_graph::GraphError;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

fn broken(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/broken").join(path)
}

/// The error, with paths as they stand in the table below.
fn refusal(path: &str, options: &ReadOptions) -> (String, String) {
    let error = read(&broken(path), options).expect_err(path);
    let prefix = broken("").display().to_string();
    let debug = format!("{error:?}");
    let variant = debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned();
    // The place is a part of the text, so that people and programs get the same.
    assert!(error.to_string().contains(&error.place().to_string()), "{error}");
    (variant, error.to_string().replace(&prefix, ""))
}

/// File, the error's variant, and its text.
const CASES: &[(&str, &str, &str)] = &[
    ("file/absent.gspan", "Open", "cannot open file/absent.gspan: No such file or directory (os error 2)"),
    ("file/empty.gspan", "EmptyFile", "file/empty.gspan: must not be empty, but has 0 bytes"),
    (
        "file/unknown",
        "UnknownFormat",
        "file/unknown: cannot detect the format from the name or the first line; it must be one of tu, gspan, csv, \
         tsv, smi, sdf, jsonl",
    ),
    ("file/model", "IsModel", "file/model: must be a data set, but is a model"),
    (
        "gzip/truncated.gspan.gz",
        "TruncatedGzip",
        "gzip/truncated.gspan.gz:3: gzipped data must be complete, but the file ends within them",
    ),
    (
        "gzip/damaged.gspan.gz",
        "CorruptGzip",
        "gzip/damaged.gspan.gz:161: gzipped data must be intact, but these are not: corrupt gzip stream does not have \
         a matching checksum",
    ),
    ("gzip/empty.gspan.gz", "EmptyFile", "gzip/empty.gspan.gz: must not be empty, but has 0 bytes"),
    ("tu/no-set", "NotTu", "tu/no-set: a TU folder must hold NAME_A.txt, but no file here ends in _A.txt"),
    ("tu/two-sets", "SeveralSets", "tu/two-sets: a TU folder must hold one set, but there are several: X, Y"),
    ("tu/missing-adjacency", "MissingFile", "tu/missing-adjacency/X_A.txt: this file must exist, but does not"),
    (
        "tu/missing-indicator",
        "MissingFile",
        "tu/missing-indicator/X_graph_indicator.txt: this file must exist, but does not",
    ),
    (
        "tu/missing-graph-labels",
        "MissingFile",
        "tu/missing-graph-labels/X_graph_labels.txt: this file must exist, but does not",
    ),
    ("tu/empty-file", "EmptyFile", "tu/empty-file/X_node_labels.txt: must not be empty, but has 0 bytes"),
    (
        "tu/too-few-node-labels",
        "LineCount",
        "tu/too-few-node-labels/X_node_labels.txt: must have a line for each of the 5 lines of _graph_indicator, but \
         has 4 lines",
    ),
    (
        "tu/too-many-edge-labels",
        "LineCount",
        "tu/too-many-edge-labels/X_edge_labels.txt: must have a line for each of the 6 lines of _A, but has 7 lines",
    ),
    (
        "tu/too-many-graph-labels",
        "LineCount",
        "tu/too-many-graph-labels/X_graph_labels.txt: must have a line for each of the 2 graphs of _graph_indicator, \
         but has 3 lines",
    ),
    (
        "tu/too-few-attributes",
        "LineCount",
        "tu/too-few-attributes/X_node_attributes.txt: must have a line for each of the 5 lines of _graph_indicator, \
         but has 4 lines",
    ),
    (
        "tu/graph-attributes-differ",
        "LineCount",
        "tu/graph-attributes-differ/X_graph_attributes.txt: must have a line for each of the 2 lines of _graph_labels, \
         but has 3 lines",
    ),
    (
        "tu/ragged-attributes",
        "FieldCount",
        "tu/ragged-attributes/X_node_attributes.txt:3: there must be 2 attributes of a vertex, but there are 1",
    ),
    (
        "tu/vertex-out-of-range",
        "OutOfRange",
        "tu/vertex-out-of-range/X_A.txt:7: a vertex of an edge must be between 1 and 5, but is 6",
    ),
    ("tu/vertex-zero", "OutOfRange", "tu/vertex-zero/X_A.txt:1: a vertex of an edge must be between 1 and 5, but is 0"),
    (
        "tu/graph-out-of-range",
        "OutOfRange",
        "tu/graph-out-of-range/X_graph_indicator.txt:5: the graph of a vertex must be between 1 and 2, but is 3",
    ),
    (
        "tu/beyond-u32",
        "TooLarge",
        "tu/beyond-u32/X_A.txt:1: a vertex of an edge must be at most 4294967295, but is 4294967297",
    ),
    (
        "tu/edge-between-graphs",
        "EdgeBetweenGraphs",
        "tu/edge-between-graphs/X_A.txt:7: an edge must stay within one graph, but vertex 3 is in graph 1 and vertex 4 \
         in graph 2",
    ),
    (
        "tu/word-as-label",
        "NotANumber",
        "tu/word-as-label/X_node_labels.txt:2: a vertex label must be a whole number, but is \"O\"",
    ),
    (
        "tu/word-as-edge-label",
        "NotANumber",
        "tu/word-as-edge-label/X_edge_labels.txt:5: an edge label must be a whole number, but is \"single\"",
    ),
    (
        "tu/word-as-graph-label",
        "NotANumber",
        "tu/word-as-graph-label/X_graph_labels.txt:2: a graph label must be a finite number, but is \"active\"",
    ),
    (
        "tu/word-as-attribute",
        "NotANumber",
        "tu/word-as-attribute/X_node_attributes.txt:3: an attribute of a vertex must be a finite number, but \
         is \"nan\"",
    ),
    ("tu/word-as-edge", "NotANumber", "tu/word-as-edge/X_A.txt:1: an edge must be a pair of vertices, but is \"1 2\""),
    ("tu/empty-line", "NotANumber", "tu/empty-line/X_node_labels.txt:2: each line must be a number, but is \"\""),
    (
        "tu/self-loop",
        "SelfLoop",
        "tu/self-loop/X_A.txt:3: an edge must join two different vertices, but this one joins vertex 2 to itself",
    ),
    (
        "tu/double-edge",
        "DoubleEdge",
        "tu/double-edge/X_A.txt:7: two vertices may share only one edge, but 2 and 1 have a second one",
    ),
    (
        "tu/one-way-edge",
        "OneWayEdge",
        "tu/one-way-edge/X_A.txt:3: every edge must be given in both directions, but 2, 3 comes without 3, 2",
    ),
    (
        "tu/labels-disagree",
        "LabelsDisagree",
        "tu/labels-disagree/X_edge_labels.txt:4: both directions of an edge must have the same label, but 3, 2 has \
         2 and line 3 says 1",
    ),
    (
        "gspan/vertex-before-graph.gspan",
        "OutsideGraph",
        "gspan/vertex-before-graph.gspan:1: a graph must start with a t line, but a line v comes first here",
    ),
    (
        "gspan/self-loop.gspan",
        "SelfLoop",
        "gspan/self-loop.gspan:9: an edge must join two different vertices, but this one joins vertex 2 to itself",
    ),
    (
        "gspan/double-edge.gspan",
        "DoubleEdge",
        "gspan/double-edge.gspan:9: two vertices may share only one edge, but 2 and 1 have a second one",
    ),
    (
        "gspan/no-such-vertex.gspan",
        "NoSuchVertex",
        "gspan/no-such-vertex.gspan:8: an edge must join vertices of its graph, but there is no vertex 2",
    ),
    (
        "gspan/vertex-order.gspan",
        "VertexOrder",
        "gspan/vertex-order.gspan:3: vertices must be numbered consecutively, so this must be 1, but is 2",
    ),
    (
        "gspan/unknown-record.gspan",
        "UnknownRecord",
        "gspan/unknown-record.gspan:5: a line must start with t, v or e, but this one starts with \"d\"",
    ),
    (
        "gspan/too-few-words.gspan",
        "FieldCount",
        "gspan/too-few-words.gspan:2: there must be 2 words after v, but there are 1",
    ),
    (
        "gspan/word-as-vertex.gspan",
        "NotANumber",
        "gspan/word-as-vertex.gspan:2: the number of a vertex must be a whole number, but is \"a\"",
    ),
    (
        "gspan/beyond-u32.gspan",
        "TooLarge",
        "gspan/beyond-u32.gspan:4: the number of a vertex must be at most 4294967295, but is 4294967296",
    ),
    ("gspan/no-graphs.gspan", "NoGraphs", "gspan/no-graphs.gspan: there must be at least one graph, but there is none"),
    ("gspan/not-utf8.gspan", "NotUtf8", "gspan/not-utf8.gspan:3: text must be UTF-8, but byte 5 of this line is not"),
    (
        "gspan/names-as-targets.gspan",
        "NotATarget",
        "gspan/names-as-targets.gspan: target \"target\" must be classes or numbers, but its 120 values are 120 \
         different words such as \"molecule_0\"",
    ),
    (
        "jsonl/no-header.jsonl",
        "Header",
        "jsonl/no-header.jsonl:1: the first line must be a header with \"einsicht\": 1, but says no version",
    ),
    (
        "jsonl/other-version.jsonl",
        "Header",
        "jsonl/other-version.jsonl:1: the first line must be a header with \"einsicht\": 1, but says version 2",
    ),
    (
        "jsonl/not-json.jsonl",
        "Json",
        "jsonl/not-json.jsonl:2: must be a JSON object as in docs/formats.md, but at column 18: EOF while parsing an \
         object",
    ),
    (
        "jsonl/not-in-header.jsonl",
        "NotInHeader",
        "jsonl/not-in-header.jsonl:2: a vertex label must be one of those in the header, but is \"N\"",
    ),
    (
        "jsonl/beyond-u32.jsonl",
        "Json",
        "jsonl/beyond-u32.jsonl:2: must be a JSON object as in docs/formats.md, but at column 49: invalid value: \
         integer `4294967296`, expected u32",
    ),
    ("jsonl/no-graphs.jsonl", "NoGraphs", "jsonl/no-graphs.jsonl: there must be at least one graph, but there is none"),
];

/// Cases that need SMILES.
const TABLES: &[(&str, &str, &str)] = &[
    (
        "table/no-header.csv",
        "NoTableHeader",
        "table/no-header.csv: the first line must name the columns, but is \"CCO, 1\"",
    ),
    (
        "table/lost-quote.csv",
        "LostQuote",
        "table/lost-quote.csv:3: a cell that starts with a quote must end with one, before a separator or the end of \
         the line, but a cell that starts here does not",
    ),
    ("table/unparsable.csv", "BadMolecule", "table/unparsable.csv:3: row 1 must be a molecule, but \"C1CC\" is not: "),
];

/// Cases that need options.
fn with_options() -> Vec<(&'static str, ReadOptions, &'static str, &'static str)> {
    let options = ReadOptions::default;
    let named = |name: &str| TargetChoice::Named(vec![name.to_owned()]);
    let mut cases = vec![
        (
            "tu/self-loop",
            ReadOptions { format: Some(Format::Gspan), ..options() },
            "IsFolder",
            "tu/self-loop: must be a file, but is a folder",
        ),
        (
            "gspan/self-loop.gspan",
            ReadOptions { format: Some(Format::Tu), ..options() },
            "IsFile",
            "gspan/self-loop.gspan: must be a folder, but is a file",
        ),
        (
            "tu/huge-graph",
            ReadOptions { targets: TargetChoice::Nothing, ..options() },
            "OutOfRange",
            "tu/huge-graph/X_graph_indicator.txt:5: the graph of a vertex must be between 1 and 5, but is 4294967295",
        ),
        (
            "gspan/per-cent.gspan",
            options(),
            "WordAmongNumbers",
            "gspan/per-cent.gspan:3: target \"target\" looks like numbers, so each value must be a number or empty, \
             but this one is \"20%\"",
        ),
        (
            "gspan/word-as-number.gspan",
            ReadOptions { task: Task::Regress, ..options() },
            "NotANumber",
            "gspan/word-as-number.gspan:3: the target of a regression must be a finite number, but is \"high\"",
        ),
        (
            "tu/too-few-attributes",
            ReadOptions { targets: named("activity"), ..options() },
            "UnknownColumn",
            "tu/too-few-attributes/X_graph_labels.txt: there must be a column named \"activity\", but there are only \
             \"label\"",
        ),
        (
            "jsonl/feature-word.jsonl",
            options(),
            "Feature",
            "jsonl/feature-word.jsonl:3: in row 1, column \"dose\" is a feature and must be a finite number in every \
             row, but is \"high\"",
        ),
        (
            "jsonl/feature-word.jsonl",
            ReadOptions { features: vec!["dose".into(), "y".into()], targets: named("y"), ..options() },
            "FeatureAndTarget",
            "jsonl/feature-word.jsonl: column \"y\" must be a target or a feature, but is named as both",
        ),
        (
            "tu/self-loop",
            ReadOptions { edge_labels: EdgeLabels::Use, repair: true, ..options() },
            "NoEdgeLabels",
            "tu/self-loop: edge labels are required, but there are none",
        ),
        (
            "tu/self-loop",
            ReadOptions { hydrogens: Some(Hydrogens::Drop), repair: true, ..options() },
            "NamelessHydrogens",
            "tu/self-loop: to drop hydrogens, labels must have names, but there are only numbers: \"6\", \"8\", \"7\"",
        ),
        (
            "tu/self-loop",
            ReadOptions {
                vertex_names: Some(VertexNames::File(broken("names/no-name.txt"))),
                repair: true,
                ..options()
            },
            "BadName",
            "names/no-name.txt:2: a line must be a label and its name, but is \"8\"",
        ),
        (
            "tu/self-loop",
            ReadOptions { edge_names: Some(broken("names/second-name.txt")), repair: true, ..options() },
            "SecondName",
            "names/second-name.txt:3: a label may have only one name, but 6 has a second one",
        ),
    ];
    {
        cases.push((
            "table/several-smiles.csv",
            options(),
            "SeveralSmiles",
            "table/several-smiles.csv: there must be one column of molecules, but there are several: \"smiles\", \
             \"canonical_smiles\"",
        ));
        cases.push((
            "table/same-name.csv",
            ReadOptions { targets: named("smiles"), ..options() },
            "Molecules",
            "table/same-name.csv: the column of molecules, \"smiles\", can be neither a target nor a feature",
        ));
        cases.push((
            "table/same-name.csv",
            ReadOptions { targets: named("y"), ..options() },
            "SameName",
            "table/same-name.csv: a column that is read must have a unique name, but 2 columns are named \"y\"",
        ));
        cases.push((
            "table/separator.csv",
            options(),
            "Separator",
            "table/separator.csv:1: cells must have one separator, but the header has commas and semicolons, and none \
             or several of these give a column of SMILES",
        ));
        cases.push((
            "table/feature-gap.csv",
            ReadOptions { features: vec!["dose".into()], ..options() },
            "Feature",
            "table/feature-gap.csv:3: in row 1, column \"dose\" is a feature and must be a finite number in every row, \
             but is empty",
        ));
        cases.push((
            "table/unknown-column.csv",
            ReadOptions { targets: named("a"), ..options() },
            "UnknownColumn",
            "table/unknown-column.csv: there must be a column named \"a\", but there are only \"active\", \"a, b\"",
        ));
    }
    cases
}

#[test]
fn every_broken_file_is_refused_with_these_words() {
    for &(path, variant, text) in CASES {
        assert_eq!(refusal(path, &ReadOptions::default()), (variant.to_owned(), text.to_owned()));
    }
    for &(path, variant, text) in TABLES {
        let (found, words) = refusal(path, &ReadOptions::default());
        assert_eq!(found, variant);
        assert!(words.starts_with(text), "{words}");
    }
    for (path, options, variant, text) in with_options() {
        assert_eq!(refusal(path, &options), (variant.to_owned(), text.to_owned()));
    }
}

/// Errors that no small file can cause; each is caused here in another way.
#[test]
fn errors_without_a_file_have_their_text_too() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let path = Path::new("x");
    let read = Lines::new(path, b"one\ntw".chain(Failing)).and_then(|mut lines| {
        while lines.advance()? {}
        Ok(())
    });
    assert_eq!(read.unwrap_err().to_string(), "x:2: cannot read further: the disk is gone");
    let mut lines = Lines::new(path, &b"one\ntwotwo\n"[..]).unwrap().with_longest_line(4);
    assert!(lines.advance().unwrap());
    let long = lines.advance().unwrap_err();
    assert_eq!(long.to_string(), "x:2: a line may have at most 4 bytes, but this one has more");
    let huge = ReadError::from_graph(Place::new(path, 1), 0, &GraphError::TooLarge);
    assert_eq!(huge.to_string(), "x:1: a graph may have at most 2^31 vertices and edges");
}

const WITHOUT_A_FILE: [&str; 4] = ["Read", "LongLine", "HugeGraph", "IsStream"];

#[test]
fn every_variant_has_a_case() {
    let source = include_str!("error.rs");
    let body = source.split("pub enum ReadError {").nth(1).unwrap().split("\n}").next().unwrap();
    let variants: BTreeSet<&str> = body
        .lines()
        .filter_map(|line| line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase)))
        .filter_map(|line| line.split([' ', ',']).next())
        .collect();
    assert!(variants.len() > 30, "the enum was found: {variants:?}");
    let with_options = with_options();
    let mut covered: BTreeSet<&str> = CASES.iter().chain(TABLES).map(|case| case.1).collect();
    covered.extend(with_options.iter().map(|case| case.2));
    covered.extend(WITHOUT_A_FILE);
    assert_eq!(variants, covered);
}

#[test]
fn what_can_be_repaired_is_and_is_counted() {
    let options = ReadOptions { repair: true, ..Default::default() };
    for (path, counts) in [("tu/self-loop", [1, 0, 0]), ("tu/double-edge", [0, 1, 0]), ("tu/one-way-edge", [0, 0, 1])] {
        let dataset = read(&broken(path), &options).unwrap();
        let edges: Vec<usize> = dataset.graphs.iter().map(einsicht_graph::Graph::num_edges).collect();
        assert_eq!(edges, [2, 1], "{path}");
        let repaired = dataset.repaired;
        assert_eq!([repaired.self_loops, repaired.double_edges, repaired.one_way_edges], counts, "{path}");
    }
}

#[test]
fn a_row_whose_feature_is_no_number_can_be_skipped_or_keep_its_place() {
    let features = vec!["dose".to_owned()];
    let of = |on_bad| {
        read(
            &broken("table/feature-gap.csv"),
            &ReadOptions { on_bad, features: features.clone(), ..Default::default() },
        )
    };
    let skipped = of(OnBad::Skip).unwrap();
    assert_eq!((skipped.len(), skipped.skipped.len(), &skipped.features[0].values[..]), (1, 2, &[1.5][..]));
    assert!(skipped.skipped[1].reason.ends_with("but is \"high\""), "{:?}", skipped.skipped);
    assert_eq!(skipped.targets[0].name, "active", "the only other column");
    let kept = of(OnBad::Nan).unwrap();
    assert_eq!((kept.missing(), &kept.features[0].values[..]), (vec![1, 2], &[1.5, 0.0, 0.0][..]));
}

#[test]
fn a_graph_with_a_fault_can_be_skipped() {
    let options = ReadOptions { on_bad: OnBad::Skip, ..Default::default() };
    for path in ["tu/self-loop", "tu/double-edge", "tu/one-way-edge", "tu/labels-disagree"] {
        let dataset = read(&broken(path), &options).unwrap();
        assert_eq!((dataset.len(), dataset.origins[0].row, dataset.skipped[0].origin.row), (1, 1, 0), "{path}");
        assert!(dataset.skipped[0].reason.contains("X_"), "{path}");
        assert_eq!(dataset.vertex_labels.tokens(), ["6", "7"], "{path}");
    }
    // An edge between two graphs is no fault of one of them.
    assert!(read(&broken("tu/edge-between-graphs"), &options).is_err());
}
