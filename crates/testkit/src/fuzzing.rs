//! The fuzz targets: read bytes as one of the formats, and check what must hold.
//!
//! They are here so that an ordinary test also reads the seeds, which include every input that ever failed. The first
//! byte chooses options, the rest is the file. A TU folder is one text: `=== A`, `=== node_labels` and so on start its
//! files. Models are crafted in `crates/einsicht/tests/crafted_models.rs`, which may explain them.

use einsicht_data::patterns::read_patterns;
use einsicht_data::read::{EdgeLabels, Format, Hydrogens, OnBad, ReadOptions, Stream, TargetChoice, Task, read};
use einsicht_data::write::to_jsonl;
use einsicht_data::{Dataset, SplitFile, chem, generate};
use einsicht_model::params::TrainSettings;
use einsicht_train::grid::Grid;
use std::path::Path;
use std::sync::LazyLock;

/// Declares the fuzz targets: each with its name, which is also that of the folder with its seeds.
macro_rules! readers {
    ($($(#[$doc:meta])* $reader:ident = $name:literal,)+) => {
        /// A fuzz target.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reader {
            $($(#[$doc])* $reader,)+
        }

        impl Reader {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$reader),+];

            /// Its name: that of the fuzz target and of the folder with its seeds.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$reader => $name,)+
                }
            }
        }
    };
}

readers! {
    /// TU folders.
    Tu = "tu",
    /// `t/v/e` transactions.
    Gspan = "gspan",
    /// Tables: comma- and tab-separated, and `.smi`.
    Table = "table",
    /// SD files.
    Sdf = "sdf",
    /// JSON lines.
    Jsonl = "jsonl",
    /// One SMILES string.
    Smiles = "smiles",
    /// A file of splits.
    Split = "split",
    /// A list of patterns.
    Patterns = "patterns",
    /// A grid of parameters.
    Grid = "grid",
}

impl Reader {
    /// Reads the bytes and says whether they were good.
    ///
    /// # Panics
    /// If the reader panics or breaks a promise: a finding.
    pub fn run(self, bytes: &[u8]) -> bool {
        let (&choice, file) = bytes.split_first().unwrap_or((&0, &[]));
        match self {
            Self::Smiles => smiles(file),
            Self::Split => in_file("split.json", file, |path| {
                let file = SplitFile::read(path);
                file.is_ok_and(|file| (0..file.len().min(3)).all(|trial| file.split(trial, &CYCLE).is_ok()))
            }),
            Self::Patterns => in_file("patterns.jsonl", file, |path| {
                let patterns = read_patterns(path, &ReadOptions::default());
                patterns.is_ok_and(|patterns| patterns.iter().all(|p| CYCLE.names().bind(p).is_ok()))
            }),
            Self::Grid => {
                Grid::from_bytes(file).and_then(|grid| grid.points(&grid.base(&TrainSettings::default(), 0)?)).is_ok()
            }
            Self::Tu => in_folder(|folder| {
                for part in String::from_utf8_lossy(file).split("=== ").skip(1) {
                    let (name, text) = part.split_once('\n').unwrap_or((part, ""));
                    if name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') && name.len() < 40 {
                        write(&folder.join(format!("F_{name}.txt")), text.as_bytes());
                    }
                }
                read_one(folder, Format::Tu, choice)
            }),
            Self::Gspan => in_file("f.gspan", file, |path| read_one(path, Format::Gspan, choice)),
            Self::Sdf => in_file("f.sdf", file, |path| read_one(path, Format::Sdf, choice)),
            Self::Jsonl => in_file("f.jsonl", file, |path| read_one(path, Format::Jsonl, choice)),
            Self::Table => {
                let format = [Format::Csv, Format::Tsv, Format::Smi][choice as usize % 3];
                in_file("f.csv", file, |path| read_one(path, format, choice))
            }
        }
    }
}

static CYCLE: LazyLock<Dataset> = LazyLock::new(|| generate::generate(generate::Synthetic::Cycle, 0));

fn smiles(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(molecule) = chem::parse_smiles(text) else { return false };
    let atoms = molecule.atoms.len();
    assert!(molecule.bonds.iter().all(|bond| (bond.from as usize) < atoms && (bond.to as usize) < atoms));
    true
}

/// Options by the bits of a byte; a seed that starts with `@` (0x40) has the defaults.
fn options(format: Format, choice: u8) -> ReadOptions {
    let bit = |at: u8| choice >> at & 1 == 1;
    ReadOptions {
        format: Some(format),
        on_bad: if bit(0) { OnBad::Skip } else { OnBad::Stop },
        repair: bit(1),
        targets: if bit(2) { TargetChoice::All } else { TargetChoice::Usual },
        edge_labels: if bit(3) { EdgeLabels::Ignore } else { EdgeLabels::Auto },
        hydrogens: bit(4).then_some(Hydrogens::Drop),
        task: if bit(5) { Task::Classify } else { Task::Auto },
        ..ReadOptions::default()
    }
}

/// Reads the data, and what JSON lines make of them: that must be the same.
fn read_one(path: &Path, format: Format, choice: u8) -> bool {
    let options = options(format, choice);
    let outcome = read(path, &options);
    in_parts(path, &options);
    let Ok(dataset) = outcome else { return false };
    dataset.check();
    let mut lines = Vec::new();
    to_jsonl(&dataset, &mut lines).expect("writing to memory cannot fail");
    in_file("again.jsonl", &lines, |path| {
        let options = ReadOptions { targets: TargetChoice::All, ..ReadOptions::default() };
        let again = read(path, &options).expect("what we wrote can be read");
        assert_eq!(Dataset { source: dataset.source.clone(), ..again }, dataset);
    });
    true
}

/// Reads the data part by part: the same rows, or the same refusal. (What a part alone is too short for, such as
/// telling targets from numbers, is left out.)
fn in_parts(path: &Path, options: &ReadOptions) {
    let options = ReadOptions { targets: TargetChoice::Nothing, ..options.clone() };
    let whole = read(path, &options).ok();
    let Ok(mut stream) = Stream::open(path, &options) else {
        assert!(whole.is_none(), "what can be read whole can be read in parts");
        return;
    };
    let mut origins = Vec::new();
    loop {
        match stream.next_part(2) {
            Ok(Some(part)) => {
                part.check();
                origins.extend(part.origins);
            }
            Ok(None) => break,
            Err(error) => {
                assert!(whole.is_none(), "in parts: {error}");
                return;
            }
        }
    }
    if let Some(whole) = whole {
        assert_eq!(origins, whole.origins);
    }
}

fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder can be made");
    work(folder.path())
}

fn in_file<T>(name: &str, bytes: &[u8], work: impl FnOnce(&Path) -> T) -> T {
    in_folder(|folder| {
        let path = folder.join(name);
        write(&path, bytes);
        work(&path)
    })
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file can be written");
}
