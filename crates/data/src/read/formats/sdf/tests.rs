use crate::dataset::{Dataset, TargetValues};
use crate::read::{Format, OnBad, ReadError, ReadOptions, TargetChoice, read, read_from, target_columns};

/// A record with one carbon, or with what is given instead of it, and data fields.
fn record(title: &str, symbol: &str, fields: &str) -> String {
    let atom = format!("    0.0000    0.0000    0.0000 {symbol:<3} 0  0\n");
    format!("{title}\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n{atom}M  END\n{fields}$$$$\n")
}

fn read_sdf(name: &str, text: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let path = std::env::temp_dir().join(format!("einsicht-sdf-{}-{name}.sdf", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let columns = target_columns(&path, options);
    let result = read(&path, options);
    std::fs::remove_file(path).unwrap();
    if result.is_ok() {
        columns.unwrap();
    }
    result
}

#[test]
fn data_fields_are_targets_and_the_title_is_the_id() {
    let text = [
        record("methane", "C", "> <y>\n1.5\n\n>  <note>  (1)\nlong\ntext\n\n"),
        record("", "N", ">  25  <y>\n\n> <z>\n7\n\n"),
    ]
    .concat();
    let choice = |targets| ReadOptions { targets, ..ReadOptions::default() };
    let set = read_sdf("fields", &text, &choice(TargetChoice::Named(vec!["z".into(), "y".into()]))).unwrap();
    assert_eq!(set.ids, ["methane", "1"]);
    assert_eq!((set.origins[1].row, set.origins[1].line), (1, 15));
    let TargetValues::Numbers { values } = &set.targets[1].values else { panic!("numbers") };
    assert_eq!(values, &[Some(1.5), None]);
    assert!(read_sdf("usual", &text, &ReadOptions::default()).unwrap().targets.is_empty());
    assert_eq!(read_sdf("all", &text, &choice(TargetChoice::All)).unwrap().targets.len(), 3);
    let error = read_sdf("unknown", &text, &choice(TargetChoice::Named(vec!["x".into()]))).unwrap_err().to_string();
    assert!(error.ends_with("named \"x\", but there are only \"y\", \"note\", \"z\""), "{error}");
}

#[test]
fn the_only_field_is_the_target() {
    let text = [record("a", "C", "> <Class>\nyes\n\n> <ID>\n1\n\n"), record("b", "C", "> <Class>\nno\n\n")].concat();
    let set = read_sdf("only", &text, &ReadOptions::default()).unwrap();
    assert_eq!(set.targets.len(), 1);
    assert_eq!(set.targets[0].name, "Class");
}

#[test]
fn a_record_that_is_no_molecule_stops_or_is_skipped() {
    let text = [record("good", "C", ""), record("odd", "Xx", ""), record("fine", "O", "")].concat();
    let error = read_sdf("stop", &text, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains(":8: row 1 must be a molecule, but \"odd\" is not: line 5 of the mol block"), "{error}");
    let skip = ReadOptions { on_bad: OnBad::Skip, ..ReadOptions::default() };
    let set = read_sdf("skip", &text, &skip).unwrap();
    assert_eq!(set.origins.iter().map(|origin| origin.row).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(set.skipped.len(), 1);
}

#[test]
fn a_file_without_an_end_is_one_record() {
    let text = record("only", "C", "").replace("$$$$\n", "");
    assert_eq!(read_sdf("mol", &text, &ReadOptions::default()).unwrap().ids, ["only"]);
    let blank = record("only", "C", "") + "\n\n";
    assert_eq!(read_sdf("blank", &blank, &ReadOptions::default()).unwrap().len(), 1);
}

#[test]
fn fields_of_a_stream_are_refused_and_its_name_is_never_opened() {
    let text = record("methane", "C", "> <y>\n1.5\n\n");
    let from_stream = |targets| {
        let options = ReadOptions { format: Some(Format::Sdf), targets, ..ReadOptions::default() };
        // The name is that of a file that exists.
        read_from("Cargo.toml".as_ref(), std::io::Cursor::new(text.clone().into_bytes()), &options)
    };
    for targets in [TargetChoice::Usual, TargetChoice::Nothing] {
        assert_eq!(from_stream(targets).unwrap().len(), 1);
    }
    for targets in [TargetChoice::All, TargetChoice::Named(vec!["y".into()])] {
        assert!(matches!(from_stream(targets), Err(ReadError::IsStream { .. })));
    }
}
