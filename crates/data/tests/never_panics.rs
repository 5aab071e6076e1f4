//! Whatever the bytes, reading ends with a data set that keeps its promise or with an error: never a panic.
//!
//! Real files are damaged at random: bytes and lines are changed, dropped, doubled and moved. (Fuzzing goes
//! deeper; this runs with every test.)

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::read::{Format, OnBad, ReadError, ReadOptions, TargetChoice, read, read_from};
use einsicht_data::{Dataset, write};
use einsicht_testkit::fixture;
use proptest::prelude::*;
use std::io::Cursor;
use std::path::Path;

/// A way to damage a text.
#[derive(Clone, Debug)]
enum Damage {
    SetByte(prop::sample::Index, u8),
    DropByte(prop::sample::Index),
    DropLine(prop::sample::Index),
    DoubleLine(prop::sample::Index),
    SetLine(prop::sample::Index, String),
    Cut(prop::sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    let words = prop_oneof![
        "[tve#] ?[0-9]{0,11} [0-9]{0,3}",
        "-?[0-9]{1,11}, ?[0-9]{1,3}",
        Just("t # -1".to_owned()),
        Just("1e999".to_owned()),
        Just("{\"vertices\":[],\"edges\":[[0,0]]}".to_owned()),
        ".{0,12}",
    ];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::SetByte(at, byte)),
        at().prop_map(Damage::DropByte),
        at().prop_map(Damage::DropLine),
        at().prop_map(Damage::DoubleLine),
        (at(), words).prop_map(|(at, line)| Damage::SetLine(at, line)),
        at().prop_map(Damage::Cut),
    ]
}

fn damaged(text: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for damage in damages {
        let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        match damage {
            Damage::SetByte(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
                continue;
            }
            Damage::DropByte(at) if !bytes.is_empty() => {
                bytes.remove(at.index(bytes.len()));
                continue;
            }
            Damage::Cut(at) if !bytes.is_empty() => {
                bytes.truncate(at.index(bytes.len()));
                continue;
            }
            Damage::DropLine(at) => {
                lines.remove(at.index(lines.len()));
            }
            Damage::DoubleLine(at) => {
                let at = at.index(lines.len());
                lines.insert(at, lines[at].clone());
            }
            Damage::SetLine(at, line) => {
                let at = at.index(lines.len());
                lines[at] = line.clone().into_bytes();
            }
            _ => continue,
        }
        bytes = lines.join(&b'\n');
    }
    bytes
}

fn options(skip: bool, repair: bool) -> ReadOptions {
    let on_bad = if skip { OnBad::Skip } else { OnBad::Stop };
    ReadOptions { on_bad, repair, ..Default::default() }
}

/// What was read keeps its promise; what was refused says where.
fn judge(result: Result<Dataset, ReadError>) {
    match result {
        Ok(dataset) => dataset.check(),
        Err(error) => assert!(error.to_string().contains(&error.place().path.display().to_string())),
    }
}

fn first_lines(name: &str, lines: usize) -> Vec<u8> {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    text.lines().take(lines).flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

fn read_bytes(bytes: Vec<u8>, format: Format, options: ReadOptions) -> Result<Dataset, ReadError> {
    read_from(Path::new("x"), Cursor::new(bytes), &ReadOptions { format: Some(format), ..options })
}

/// Ethanol and acetate, with a charge and fields.
const SD_FILE: &str = "ethanol\n\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n\
    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n\
    2.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n> <y>\n1.5\n\n$$$$\n\
acetate\n\n\n  4  3  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n\
    1.0000    0.0000    0.0000 C   0  0\n    2.0000    0.0000    0.0000 O   0  0\n\
    2.0000    1.0000    0.0000 O   0  0\n  1  2  1  0\n  2  3  2  0\n  2  4  1  0\nM  CHG  1   4  -1\nM  END\n\
> <y>\n2\n\n$$$$\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_transactions(damages in prop::collection::vec(damage(), 1..6), skip: bool, repair: bool) {
        let bytes = damaged(&first_lines("cpdb_100.gspan", 60), &damages);
        judge(read_bytes(bytes, Format::Gspan, options(skip, repair)));
    }

    #[test]
    fn damaged_json_lines(damages in prop::collection::vec(damage(), 1..6), skip: bool, repair: bool) {
        let first = first_lines("cpdb_100.gspan", 60);
        let small = read_bytes(first, Format::Gspan, ReadOptions::default()).unwrap();
        let mut text = Vec::new();
        write::to_jsonl(&small, &mut text).unwrap();
        let bytes = damaged(&text, &damages);
        judge(read_bytes(bytes, Format::Jsonl, options(skip, repair)));
    }

    #[test]
    fn damaged_molecules(damages in prop::collection::vec(damage(), 1..6), skip: bool, format in 0..3_usize) {
        let format = [Format::Csv, Format::Tsv, Format::Smi][format];
        let text = String::from_utf8(first_lines("esol_220.csv", 30)).unwrap();
        let text = if format == Format::Csv { text } else { text.replace(',', "\t") };
        judge(read_bytes(damaged(text.as_bytes(), &damages), format, options(skip, false)));
    }

    #[test]
    fn damaged_sd_files(damages in prop::collection::vec(damage(), 1..6), skip: bool) {
        let bytes = damaged(SD_FILE.as_bytes(), &damages);
        let options = ReadOptions { targets: TargetChoice::Nothing, ..options(skip, false) };
        judge(read_bytes(bytes, Format::Sdf, options));
    }

    #[test]
    fn damaged_tu_folders(damages in prop::collection::vec((0..5_usize, damage()), 1..5), skip: bool, repair: bool) {
        let files = [
            ("A", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"),
            ("graph_indicator", "1\n1\n1\n2\n2\n"),
            ("graph_labels", "1\n-1\n"),
            ("node_labels", "6\n8\n6\n6\n7\n"),
            ("node_attributes", "0.5, 1\n1, 1\n2, 3\n3, 1\n4, 1\n"),
        ];
        let folder = std::env::temp_dir().join(format!("einsicht-damaged-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (at, (kind, text)) in files.iter().enumerate() {
            let own: Vec<Damage> = damages.iter().filter(|(file, _)| *file == at).map(|(_, d)| d.clone()).collect();
            std::fs::write(folder.join(format!("x_{kind}.txt")), damaged(text.as_bytes(), &own)).unwrap();
        }
        judge(read(&folder, &options(skip, repair)));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
