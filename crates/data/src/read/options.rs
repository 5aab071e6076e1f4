//! Options of reading, common to the program, Rust and Python.
//!
//! Promise: an option means the same for every format that it applies to; other formats ignore it. Plain public data
//! with defaults; any combination is legal.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Declares the formats: what each is, its word in options, and the extensions of its files.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal $extensions:expr;)+) => {
        /// A file format. Each may also be gzipped.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name in options.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// Extensions of its files, below `.gz`.
            fn extensions(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &$extensions,)+
                }
            }
        }

        words!(Format, "the format", $($word => $name),+);
    };
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is not one of the allowed ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be one of {allowed}, got \"{got}\"")]
pub struct UnknownWord {
    /// What the word was meant to choose.
    pub what: &'static str,
    /// The allowed words.
    pub allowed: String,
    /// The word that was given.
    pub got: String,
}

impl UnknownWord {
    /// `got` is none of these words.
    pub(crate) fn new(what: &'static str, allowed: &[&str], got: impl Into<String>) -> Self {
        Self { what, allowed: allowed.join(", "), got: got.into() }
    }
}

macro_rules! words {
    ($type:ident, $what:literal, $($word:literal => $value:ident),+) => {
        impl $type {
            /// Its words in options.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$value),)+
                    _ => Err(UnknownWord::new($what, Self::WORDS, word)),
                }
            }
        }
    };
}

formats! {
    /// A folder of the TU collection: `NAME_A.txt`, `NAME_graph_indicator.txt` and so on.
    Tu = "tu" [];
    /// `t/v/e` transactions as for gSpan.
    Gspan = "gspan" ["gspan", "tve", "lg"];
    /// A comma-separated table with a SMILES column.
    Csv = "csv" ["csv"];
    /// A tab-separated table with a SMILES column.
    Tsv = "tsv" ["tsv"];
    /// Lines of SMILES and a name.
    Smi = "smi" ["smi", "smiles", "ism"];
    /// An SD file.
    Sdf = "sdf" ["sdf", "sd", "mol"];
    /// Our own JSON lines.
    Jsonl = "jsonl" ["jsonl", "ndjson"];
}

impl Format {
    /// The format that the extension of a file names, below `.gz`.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let (_, extension) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
        Self::ALL.iter().copied().find(|format| format.extensions().contains(&extension))
    }

    /// Whether a data set is a folder, and no single file.
    pub(crate) fn is_folder(self) -> bool {
        self == Self::Tu
    }

    /// Whether targets have names in the source. Only asked of standard input, which is no folder: of files, what was
    /// read says it, and a TU folder has no names though this says so.
    pub fn names_targets(self) -> bool {
        self != Self::Gspan
    }
}

words!(Task, "the task", "auto" => Auto, "classify" => Classify, "regress" => Regress);
words!(EdgeLabels, "edge labels", "auto" => Auto, "use" => Use, "ignore" => Ignore);
words!(Hydrogens, "hydrogens", "keep" => Keep, "drop" => Drop);
words!(Coordinates, "coordinates", "leave-out" => LeaveOut, "keep" => Keep);
words!(OnBad, "on_bad", "stop" => Stop, "skip" => Skip, "nan" => Nan);

/// Which targets to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetChoice {
    /// The default of the format: see `docs/formats.md`.
    #[default]
    Usual,
    /// None: for mining and for predicting.
    Nothing,
    /// All of them.
    All,
    /// These, in this order.
    Named(Vec<String>),
}

/// Whether targets are classes or numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Decided by the values: see `docs/formats.md`.
    #[default]
    Auto,
    /// Classes.
    Classify,
    /// Numbers.
    Regress,
}

/// How edge labels are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeLabels {
    /// Used if there are any.
    #[default]
    Auto,
    /// Used; a set without any is refused.
    Use,
    /// All edges have the same label.
    Ignore,
}

/// Where the names of vertex labels come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexNames {
    /// A file with lines of `label name`.
    File(PathBuf),
    /// The labels are atomic numbers.
    AtomicNumbers,
}

impl From<&str> for VertexNames {
    fn from(word: &str) -> Self {
        if word == "atomic-numbers" { Self::AtomicNumbers } else { Self::File(PathBuf::from(word)) }
    }
}

/// What happens to explicit hydrogens: hydrogen atoms that are vertices of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hydrogens {
    /// They are kept.
    Keep,
    /// Those with exactly one neighbour that is not a hydrogen are removed.
    Drop,
}

/// What happens to vertex attributes that are coordinates in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// They stay in the data set, and models do not read them: they follow the frame, not the molecule.
    #[default]
    LeaveOut,
    /// They are attributes like others.
    Keep,
}

/// What happens to targets whose values cannot be read as classes or numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadTarget {
    /// Reading ends with the error.
    #[default]
    Stop,
    /// Where all targets are read ([`TargetChoice::All`]), those are left out; else the data set has no targets at all.
    LeaveOut,
}

/// What happens to a graph that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBad {
    /// Reading ends with the error.
    #[default]
    Stop,
    /// It is skipped, counted and reported.
    Skip,
    /// It is reported as skipped, and a graph without vertices and targets takes its place, so that rows stay aligned:
    /// see [`crate::Dataset::missing`].
    Nan,
}

/// What the vertex label of an atom contains besides the element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct MoleculeLabels {
    /// The formal charge.
    pub charge: bool,
    /// Whether the atom is aromatic.
    pub aromatic: bool,
    /// The number of hydrogens.
    pub hydrogens: bool,
}

impl MoleculeLabels {
    /// The words that are set.
    fn words(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.charge, "charge"), (self.aromatic, "aromatic"), (self.hydrogens, "hydrogens")];
        all.into_iter().filter(|(set, _)| *set).map(|(_, word)| word)
    }
}

impl fmt::Display for MoleculeLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words().collect::<Vec<_>>().join(", ");
        if words.is_empty() { f.write_str("elements only") } else { write!(f, "elements and {words}") }
    }
}

impl From<MoleculeLabels> for Vec<String> {
    fn from(labels: MoleculeLabels) -> Self {
        labels.words().map(str::to_owned).collect()
    }
}

impl TryFrom<Vec<String>> for MoleculeLabels {
    type Error = UnknownWord;

    fn try_from(words: Vec<String>) -> Result<Self, UnknownWord> {
        let mut labels = Self::default();
        for word in words {
            match word.as_str() {
                "charge" => labels.charge = true,
                "aromatic" => labels.aromatic = true,
                "hydrogens" => labels.hydrogens = true,
                _ => {
                    return Err(UnknownWord::new("molecule_labels", &["charge", "aromatic", "hydrogens"], word));
                }
            }
        }
        Ok(labels)
    }
}

/// One of several processes that divide a source: it reads every `of`-th row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 0.
    pub index: u32,
    /// How many there are, at least 1.
    pub of: u32,
}

impl FromStr for Shard {
    type Err = UnknownWord;

    /// Reads `i/N`, counted from 1.
    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let refused = || UnknownWord::new("the shard", &["1/N to N/N"], word);
        let (at, of) = word.split_once('/').ok_or_else(refused)?;
        let number = |word: &str| word.parse::<u32>().map_err(|_| refused());
        let (at, of) = (number(at)?, number(of)?);
        if (1..=of).contains(&at) { Ok(Self { index: at - 1, of }) } else { Err(refused()) }
    }
}

/// All options of reading.
///
/// ```
/// use einsicht_data::read::{ReadOptions, TargetChoice};
/// let options = ReadOptions { targets: TargetChoice::Named(vec!["Class".into()]), ..Default::default() };
/// assert!(!options.repair);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; detected if absent.
    pub format: Option<Format>,
    /// Which targets to read.
    pub targets: TargetChoice,
    /// The column with the SMILES; found by its name if absent.
    pub smiles: Option<String>,
    /// Columns to read as features beside the graphs; if empty, those that the source declares as such (JSON lines
    /// only).
    pub features: Vec<String>,
    /// Whether targets are classes or numbers.
    pub task: Task,
    /// How edge labels are used.
    pub edge_labels: EdgeLabels,
    /// Names of vertex labels.
    pub vertex_names: Option<VertexNames>,
    /// Names of edge labels: a file with lines of `label name`.
    pub edge_names: Option<PathBuf>,
    /// What happens to explicit hydrogens. By default labelled sets keep them and molecules drop them, as chemists do.
    pub hydrogens: Option<Hydrogens>,
    /// Whether molecules lose all but their largest fragment: counter-ions, solvents.
    pub largest_fragment: bool,
    /// What happens to vertex attributes that are coordinates in space.
    pub coordinates: Coordinates,
    /// What happens to a graph that cannot be read.
    pub on_bad: OnBad,
    /// What happens to targets whose values cannot be read.
    pub on_bad_target: OnBadTarget,
    /// Whether to remove self loops and double edges, and to complete edges given in one direction only,
    /// instead of refusing them. Corrections are counted.
    pub repair: bool,
    /// What vertex labels of molecules hold; the element alone if absent.
    pub molecule_labels: Option<MoleculeLabels>,
    /// Names of vertex labels and of edge labels that have none, in the source or by the options above.
    pub usual_names: [BTreeMap<String, String>; 2],
    /// Read only some of the rows; the others are passed over unparsed.
    pub shard: Option<Shard>,
}

impl ReadOptions {
    /// Whether a row of the source is read.
    pub fn takes(&self, row: u32) -> bool {
        self.shard.is_none_or(|shard| row % shard.of.max(1) == shard.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_word() {
        for &format in Format::ALL {
            assert_eq!(format.word().parse(), Ok(format));
        }
        assert_eq!(
            "xls".parse::<Format>().unwrap_err().to_string(),
            "the format must be one of tu, gspan, csv, tsv, smi, sdf, jsonl, got \"xls\""
        );
    }

    #[test]
    fn every_row_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=3).map(|at| format!("{at}/3").parse().unwrap()).collect();
        let takes = |shard: &Shard, row| ReadOptions { shard: Some(*shard), ..Default::default() }.takes(row);
        assert!((0..100).all(|row| shards.iter().filter(|shard| takes(shard, row)).count() == 1));
        for bad in ["0/3", "4/3", "1", "1/0", "a/b", "-1/2", "1/2/3"] {
            let error = bad.parse::<Shard>().unwrap_err().to_string();
            assert_eq!(error, format!("the shard must be one of 1/N to N/N, got \"{bad}\""));
        }
    }
}
