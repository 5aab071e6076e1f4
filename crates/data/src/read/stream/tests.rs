use super::*;
use crate::read::{OnBad, Shard, TargetChoice, read};
use einsicht_testkit::fixture;
use std::io::Cursor;

/// Everything about the graphs that does not depend on how labels are numbered.
fn rows(dataset: &Dataset) -> Vec<String> {
    let one = |at: usize| {
        let graph = &dataset.graphs[at];
        let vertices: Vec<&str> =
            graph.vertex_labels().iter().map(|&label| dataset.vertex_labels.token(label)).collect();
        let edge = |e: &einsicht_graph::Edge| (e.from.0, e.to.0, dataset.edge_labels.token(e.label).to_owned());
        let edges: Vec<_> = graph.edges().iter().map(edge).collect();
        let properties = |column: &crate::PropertyColumn| {
            let values: Vec<_> =
                (0..vertices.len()).map(|vertex| column.token(at, vertex).map(str::to_owned)).collect();
            Some((column.name.clone(), values)).filter(|_| !column.is_empty_at(at))
        };
        let properties: Vec<_> = dataset.properties.iter().filter_map(properties).collect();
        format!("{:?} {vertices:?} {edges:?} {properties:?}", dataset.origins[at])
    };
    (0..dataset.len()).map(one).collect()
}

/// The rows of all parts, the number of parts, the skipped rows, and the error at the end.
fn in_parts(mut stream: Stream<'_>, size: usize) -> (Vec<String>, usize, usize, Option<ReadError>) {
    let (mut all, mut parts, mut skipped) = (Vec::new(), 0, 0);
    loop {
        match stream.next_part(size) {
            Ok(Some(part)) => {
                part.check();
                all.extend(rows(&part));
                skipped += part.skipped.len();
                parts += 1;
            }
            Ok(None) => return (all, parts, skipped, None),
            Err(error) => return (all, parts, skipped, Some(error)),
        }
    }
}

const SMI: &str = "C one\nCC one\n\n# no\nC( bad\nCCO three\nN four\nCCN five\n";
const TABLE: &str = "smiles,y\nC,1\n\"C\nC\",2\nCO,3\nCC,4,5\nCN,5\nO,6\n";
const GSPAN: &str =
    "t # 0\nv 0 a\nt # 1\nv 0 a\nv 1 b\ne 0 1 x\nt # 2\nw\nt # 3\nv 0 c\nt # 4\nv 0 b\nt # -1\nrubbish\n";
const JSONL: &str = "{\"einsicht\":1}\n{\"vertices\":[\"a\"]}\n\
    {\"vertices\":[\"b\",\"a\"],\"properties\":{\"p\":[null,7]},\"edges\":[[0,1,\"x\"]]}\n\n{bad\n\
    {\"vertices\":[\"z\"],\"properties\":{\"p\":[3]}}\n";

/// A text of each format that has lines.
struct Example {
    format: Format,
    text: String,
    /// Rows that are skipped.
    skipped: usize,
    /// Graphs before the first of them.
    before: usize,
}

fn texts() -> Vec<Example> {
    let of = |&format: &Format| {
        let (text, skipped, before) = match format {
            Format::Tu => return None,
            Format::Gspan => (GSPAN.to_owned(), 1, 2),
            Format::Csv => (TABLE.to_owned(), 2, 1),
            Format::Tsv => (TABLE.replace(',', "\t"), 2, 1),
            Format::Smi => (SMI.to_owned(), 1, 2),
            Format::Sdf => (sd_file(), 1, 2),
            Format::Jsonl => (JSONL.to_owned(), 1, 2),
        };
        Some(Example { format, text, skipped, before })
    };
    Format::ALL.iter().filter_map(of).collect()
}

/// Four molecules of one carbon atom, the third with an atom that does not exist.
fn sd_file() -> String {
    let record = |name: &str, atom: &str| {
        format!(
            "{name}\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 {atom:<3} 0  0\n\
             M  END\n$$$$\n"
        )
    };
    [record("a", "C"), record("b", "N"), record("c", "Xx"), record("d", "O")].concat()
}

fn options(format: Format) -> ReadOptions {
    ReadOptions { format: Some(format), on_bad: OnBad::Skip, targets: TargetChoice::Nothing, ..Default::default() }
}

fn stream<'a>(text: &str, options: &'a ReadOptions) -> Stream<'a> {
    Stream::new(Path::new("x"), Cursor::new(text.to_owned().into_bytes()), options).unwrap()
}

fn read_whole(text: &str, options: &ReadOptions) -> Dataset {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(file.path(), options).unwrap()
}

#[test]
fn the_parts_together_are_the_whole_whatever_their_size() {
    for Example { format, text, skipped: bad, .. } in texts() {
        let options = options(format);
        let whole = read_whole(&text, &options);
        assert_eq!(whole.skipped.len(), bad, "{format}");
        for size in [1, 2, 3, 100] {
            let (all, _, skipped, error) = in_parts(stream(&text, &options), size);
            assert!(error.is_none(), "{format}: {error:?}");
            assert_eq!((all, skipped), (rows(&whole), whole.skipped.len()), "{format} in parts of {size}");
        }
    }
}

#[test]
fn every_row_is_in_one_shard_under_its_own_number() {
    for Example { format, text, .. } in texts() {
        let whole = rows(&read_whole(&text, &options(format)));
        let mut all = Vec::new();
        for index in 0..3 {
            let options = ReadOptions { shard: Some(Shard { index, of: 3 }), ..options(format) };
            all.extend(in_parts(stream(&text, &options), 2).0);
        }
        all.sort();
        let mut sorted = whole;
        sorted.sort();
        assert_eq!(all, sorted, "{format}");
    }
}

#[test]
fn what_comes_before_a_row_that_stops_is_handed_out() {
    for Example { format, text, before, .. } in texts() {
        let options = ReadOptions { on_bad: OnBad::Stop, ..options(format) };
        for size in [1, 100] {
            let (all, _, _, error) = in_parts(stream(&text, &options), size);
            assert_eq!(all.len(), before, "{format}");
            assert!(error.is_some(), "{format}");
        }
    }
}

#[test]
fn a_long_table_is_never_held_whole() {
    let text: String = std::iter::once("smiles\n".to_owned()).chain((0..5000).map(|_| "CCO\n".to_owned())).collect();
    let options = options(Format::Csv);
    let mut stream = stream(&text, &options);
    let mut largest = 0;
    let mut total = 0;
    while let Some(part) = stream.next_part(100).unwrap() {
        largest = largest.max(part.len());
        total += part.len();
    }
    assert_eq!(total, 5000);
    assert!(largest <= 100 + 1024, "rows are parsed 1024 at a time, so a part may have that many more: {largest}");
}

#[test]
fn a_source_without_graphs_is_refused_at_its_end_and_an_empty_shard_is_not() {
    let mut options = options(Format::Smi);
    let (all, _, skipped, error) = in_parts(stream("C(\nC(\n", &options), 10);
    assert_eq!((all.len(), skipped), (0, 2));
    assert_eq!(
        error.unwrap().to_string(),
        "x: there must be at least one graph, but there is none: 2 rows were skipped"
    );
    options.shard = Some(Shard { index: 4, of: 5 });
    assert!(in_parts(stream("C\n", &options), 10).3.is_none());
}

#[test]
fn a_quote_that_is_never_closed_and_a_line_without_end_are_refused_before_they_fill_the_memory() {
    let options = options(Format::Csv);
    for (quote, wanted) in
        [("\"", "x:2: a cell that starts with a quote"), ("", "x:2: a line may have at most 16777216 bytes")]
    {
        let text = format!("smiles,y\nC,{quote}{}", "x".repeat(17 << 20));
        let error = match Stream::new(Path::new("x"), Cursor::new(text.into_bytes()), &options) {
            Ok(stream) => in_parts(stream, 10).3.unwrap(),
            Err(error) => error,
        };
        assert!(error.to_string().starts_with(wanted), "{error}");
    }
}

#[test]
fn a_folder_is_one_part() {
    let options = ReadOptions { targets: TargetChoice::Nothing, ..Default::default() };
    let path = fixture("MUTAG");
    let (all, parts, _, error) = in_parts(Stream::open(&path, &options).unwrap(), 10);
    assert!(error.is_none());
    assert_eq!((all.len(), parts), (read(&path, &options).unwrap().len(), 1));
}
