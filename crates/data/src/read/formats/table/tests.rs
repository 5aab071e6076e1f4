//! Tables, good and broken.

use crate::dataset::{Dataset, TargetValues};
use crate::read::{MoleculeLabels, OnBad, ReadError, ReadOptions, TargetChoice, read};
use std::path::PathBuf;

/// Writes a table into a fresh file and reads it; `name` must be unlike that of every other test.
fn read_table(name: &str, text: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = file(name, text);
    let result = read(&path, options);
    std::fs::remove_file(path).unwrap();
    result
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("einsicht-table-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn named(names: &[&str]) -> ReadOptions {
    let targets = TargetChoice::Named(names.iter().map(|&name| name.into()).collect());
    ReadOptions { targets, ..ReadOptions::default() }
}

fn skip() -> ReadOptions {
    ReadOptions { on_bad: OnBad::Skip, ..ReadOptions::default() }
}

#[test]
fn semicolons_and_tabs_are_detected_from_the_header() {
    for (text, targets) in [
        ("smiles;active;kind\nCCO;1;a, b\nCC;0;c, d\n", 2),
        ("smiles\tactive\nCCO\t1\nCC\t0\n", 1),
        // A separator within a name does not count.
        ("smiles,\"active; yes\"\nCCO,1\nCC,0\n", 1),
        ("smiles,active; yes\nCCO,1\nCC,0\n", 1),
    ] {
        let options = ReadOptions { targets: crate::read::TargetChoice::All, ..ReadOptions::default() };
        let dataset = crate::read::read_from(
            "x.csv".as_ref(),
            text.as_bytes(),
            &ReadOptions { format: Some(crate::read::Format::Csv), ..options },
        );
        let dataset = dataset.unwrap();
        assert_eq!((dataset.len(), dataset.targets.len()), (2, targets), "{text}");
    }
}

#[test]
fn the_only_other_column_is_the_target() {
    let set = read_table("only.csv", "mol,Class\nCCO,1\nc1ccccc1,0\nCN,\n", &ReadOptions::default()).unwrap();
    assert_eq!((set.len(), set.targets.len()), (3, 1));
    assert_eq!(set.targets[0].name, "Class");
    let TargetValues::Classes { values, .. } = &set.targets[0].values else { panic!("classes") };
    assert_eq!(values, &[Some(1), Some(0), None]);
    assert_eq!(set.vertex_labels.tokens(), ["C", "N", "O"]);
    assert_eq!(set.edge_labels.tokens(), ["aromatic", "single"]);
    assert_eq!(set.ids, ["0", "1", "2"]);
    assert_eq!((set.origins[2].row, set.origins[2].line), (2, 4));
}

#[test]
fn several_other_columns_are_no_target_until_they_are_named() {
    let text = "smiles,\"a, b\",c\nC,1,0.5\nCC,2,1.5\n";
    assert!(read_table("several.csv", text, &ReadOptions::default()).unwrap().targets.is_empty());
    let set = read_table("named.csv", text, &named(&["c", "a, b"])).unwrap();
    assert_eq!(set.targets.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["c", "a, b"]);
    let all = ReadOptions { targets: TargetChoice::All, ..ReadOptions::default() };
    assert_eq!(read_table("all.csv", text, &all).unwrap().targets.len(), 2);
    let path = file("columns.csv", text);
    let columns = crate::read::target_columns(&path, &all).unwrap();
    assert_eq!(columns.all(), ["a, b", "c"]);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn one_of_two_columns_of_the_same_name_is_read_by_nobody() {
    let text = "smiles,y,y,z,,\nC,1,0,1,,\nCC,0,1,0,,\n";
    let all = ReadOptions { targets: TargetChoice::All, ..ReadOptions::default() };
    let feature = ReadOptions { features: vec!["y".into()], ..named(&["z"]) };
    for options in [named(&["z", "y"]), feature, all.clone()] {
        let error = read_table("same.csv", text, &options).unwrap_err().to_string();
        assert!(error.ends_with("must have a unique name, but 2 columns are named \"y\""), "{error}");
    }
    let smiles = ReadOptions { smiles: Some("z".into()), ..ReadOptions::default() };
    let error = read_table("samesmiles.csv", "z,z\nC,CC\n", &smiles).unwrap_err().to_string();
    assert!(error.ends_with("2 columns are named \"z\""), "{error}");
    // Others may be.
    assert_eq!(read_table("others.csv", text, &named(&["z"])).unwrap().targets.len(), 1);
    assert_eq!(read_table("nameless.csv", "smiles,y,,\nC,1,,\nCC,0,,\n", &all).unwrap().targets.len(), 3);
}

#[test]
fn an_id_column_names_the_graphs_and_is_no_target() {
    let set = read_table("id.tsv", "Name\tSMILES\ty\nethanol\tCCO\t1\n\tC\t0\n", &ReadOptions::default()).unwrap();
    assert_eq!(set.ids, ["ethanol", "1"]);
    assert_eq!(set.targets[0].name, "y");
}

#[test]
fn without_a_usual_name_the_first_column_of_molecules_is_taken() {
    let set = read_table("guess.csv", "key,drug,y\nA1,CCO,1\nB2,CN,0\n", &named(&["y"])).unwrap();
    assert_eq!(set.graphs[0].num_vertices(), 3);
    let options = ReadOptions { smiles: Some("drug".into()), ..named(&["y"]) };
    assert_eq!(read_table("chosen.csv", "smiles,drug,y\nX,CCO,1\n", &options).unwrap().graphs[0].num_vertices(), 3);
}

#[test]
fn a_table_without_a_header_is_refused() {
    for (name, text) in [("headless.csv", "CCO,1\nCN,0\n"), ("one.csv", "CCO\n")] {
        let error = read_table(name, text, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::NoTableHeader { .. }), "{error}");
        assert!(error.to_string().contains("must name the columns, but is \"CCO"), "{error}");
    }
}

#[test]
fn an_unknown_column_says_which_exist() {
    let text = "smiles,a,b\nC,1,0.5\n";
    let error = read_table("unknown.csv", text, &named(&["c"])).unwrap_err().to_string();
    assert!(error.ends_with("there must be a column named \"c\", but there are only \"a\", \"b\""), "{error}");
    let options = ReadOptions { smiles: Some("SMILES".into()), ..ReadOptions::default() };
    let error = read_table("wrong.csv", text, &options).unwrap_err().to_string();
    assert!(error.ends_with("named \"SMILES\", but there are only \"smiles\", \"a\", \"b\""), "{error}");
    let error = read_table("nothing.csv", "a,b\n1,2\n", &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("named \"smiles\", but there are only \"a\", \"b\""), "{error}");
}

#[test]
fn a_row_that_is_no_molecule_stops_or_is_skipped_with_its_reason() {
    let text = "smiles,y\nCCO,1\nCO(C)C,0\n\"\",1\nC(,0\nCN,0\n";
    let error = read_table("stop.csv", text, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains(":3: row 1 must be a molecule, but \"CO(C)C\" is not: "), "{error}");
    let set = read_table("skip.csv", text, &skip()).unwrap();
    assert_eq!(set.origins.iter().map(|o| o.row).collect::<Vec<_>>(), [0, 4]);
    assert_eq!(set.skipped.iter().map(|s| s.origin.row).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(set.skipped[0].reason.starts_with("\"CO(C)C\" is not a molecule: "), "{}", set.skipped[0].reason);
    let TargetValues::Classes { values, .. } = &set.targets[0].values else { panic!("classes") };
    assert_eq!(values, &[Some(1), Some(0)]);
}

#[test]
fn a_row_with_a_cell_too_few_stops_or_is_skipped() {
    let text = "smiles,y\nCCO,1\nCN\nC,0\n";
    let error = read_table("ragged.csv", text, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with(":3: there must be 2 cells, but there are 1"), "{error}");
    assert_eq!(read_table("raggedskip.csv", text, &skip()).unwrap().skipped.len(), 1);
}

#[test]
fn a_table_of_nothing_but_bad_rows_is_refused() {
    let error = read_table("bad.csv", "smiles,y\nX,1\n", &skip()).unwrap_err();
    assert!(matches!(error, ReadError::NoGraphs { skipped: 1, .. }), "{error}");
    let error = read_table("header.csv", "smiles,y\n", &skip()).unwrap_err();
    assert!(matches!(error, ReadError::NoGraphs { skipped: 0, .. }), "{error}");
}

#[test]
fn a_quote_that_is_not_closed_in_its_cell_is_refused_with_its_line() {
    let refused = |text: &str| read_table("quote.csv", text, &skip()).unwrap_err();
    for (text, line) in [
        ("smiles,y\nCCO,1\nCC,\"0\nCN,1\n", 3),
        ("smiles,\"y\nCCO,1\nCC,0\n", 1),
        ("smiles,y\r\n\"a\r\nb\",1\r\nCC,\"0", 4),
        // The next quoted cell closes it, in its middle.
        ("smiles,y\nCCO,\"1\nCC,0\n\"CN\",1\n", 2),
        // Far behind the rows that tell which column is what.
        (&format!("smiles,y\n{}CC,\"0\nC,1\n", "CCO,1\n".repeat(5000)), 5002),
    ] {
        let error = refused(text);
        assert!(matches!(&error, ReadError::LostQuote { place } if place.line == line), "{text:.40}: {error}");
    }
    // Quotes within a cell and doubled ones, separators and line ends in quotes are cells like others.
    let text = "\u{feff}\"smiles\",\"y, \"\"or\"\" z\"\nCCO,a\"b\nCC,\"c\nd\"\n\"CN\",\"\"\"\"\nC,\"x\"";
    let set = read_table("quotes.csv", text, &ReadOptions::default()).unwrap();
    assert_eq!(set.targets[0].name, "y, \"or\" z");
    let TargetValues::Classes { classes, .. } = &set.targets[0].values else { panic!("classes") };
    assert_eq!(classes.tokens(), ["\"", "a\"b", "c\nd", "x"]);
    assert_eq!(set.origins.iter().map(|origin| origin.line).collect::<Vec<_>>(), [2, 3, 5, 6]);
}

#[test]
fn lines_are_counted_from_1_whatever_ends_them() {
    let text = "smiles,y\nCCO,1\n\n\nCC,\"a\nb\"\nC(,1\n";
    for end in ["\n", "\r\n", "\r"] {
        let error = read_table("ends.csv", &text.replace('\n', end), &ReadOptions::default()).unwrap_err();
        let wanted = if end == "\r" { 6 } else { 7 };
        assert_eq!(error.place().line, wanted, "{end:?}: {error}");
    }
    // Also where a part of the file ends between the two bytes.
    for length in 8150..8200 {
        let text = format!("smiles,y\r\nC,{}\r\nCC,1\r\nC(,0", "x".repeat(length));
        let error = read_table("halves.csv", &text, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.place().line, 4);
    }
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let path = file("latin.csv", "");
    std::fs::write(&path, b"smiles,y\nC,\xe9\n").unwrap();
    let error = read(&path, &ReadOptions::default()).unwrap_err().to_string();
    std::fs::remove_file(path).unwrap();
    assert!(error.ends_with(":2: text must be UTF-8, but byte 3 of this line is not"), "{error}");
}

#[test]
fn lines_of_smiles_need_no_header_and_may_have_names() {
    let text = "CCO ethanol, pure\n\n# a comment\nc1ccccc1\n";
    let set = read_table("lines.smi", text, &ReadOptions::default()).unwrap();
    assert_eq!(set.ids, ["ethanol, pure", "1"]);
    assert_eq!((set.origins[1].row, set.origins[1].line), (1, 4));
    assert_eq!(read_table("header.smi", "SMILES Name\nC methane\n", &skip()).unwrap().ids, ["methane"]);
    let error = read_table("bad.smi", "C\nC(\n", &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains(":2: row 1 must be a molecule, but \"C(\" is not: "), "{error}");
}

#[test]
fn lines_of_smiles_under_a_header_of_columns_are_a_table() {
    let text = "smiles\tname\ty\r\nCCO\tethanol\t1\r\nC\t\t0\r\n";
    let set = read_table("columns.smi", text, &ReadOptions::default()).unwrap();
    assert_eq!((&set.ids[..], set.targets[0].name.as_str()), (&["ethanol".to_owned(), "1".to_owned()][..], "y"));
    let path = file("target-columns.smi", text);
    assert_eq!(crate::read::target_columns(&path, &ReadOptions::default()).unwrap().all(), ["y"]);
    std::fs::remove_file(path).unwrap();
    // A header of SMILES and names is none of a table, and lines without one are none.
    for text in ["SMILES\tName\nC\tmethane\nCC\n", "C\tmethane\nCC\t1\t2\n"] {
        let set = read_table("plain.smi", text, &ReadOptions::default()).unwrap();
        assert_eq!((set.ids[0].as_str(), set.targets.len()), ("methane", 0));
    }
}

#[test]
fn labels_can_say_more_than_the_element() {
    let labels = MoleculeLabels { charge: true, aromatic: true, hydrogens: false };
    let options = ReadOptions { molecule_labels: Some(labels), ..ReadOptions::default() };
    let set = read_table("labels.smi", "C[n+]1ccccc1\n", &options).unwrap();
    assert_eq!(set.vertex_labels.tokens(), ["C", "c", "n+"]);
}

#[test]
fn written_hydrogens_stay_if_asked_for() {
    let text = "[H]OC([H])([H])[H]\n";
    assert_eq!(read_table("fold.smi", text, &ReadOptions::default()).unwrap().graphs[0].num_vertices(), 2);
    let keep = ReadOptions { hydrogens: Some(crate::read::Hydrogens::Keep), ..ReadOptions::default() };
    assert_eq!(read_table("keep.smi", text, &keep).unwrap().graphs[0].num_vertices(), 6);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let rows: Vec<String> = (0..3000).map(|i| format!("{}O,{}\n", "C".repeat(i % 37 + 1), i % 2)).collect();
    let path = file("threads.csv", &format!("smiles,y\n{}", rows.concat()));
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read(&path, &ReadOptions::default()).unwrap())
    };
    assert_eq!(with(1), with(3));
    std::fs::remove_file(path).unwrap();
}
