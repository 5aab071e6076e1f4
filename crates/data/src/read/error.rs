//! Why a file did not become a data set.
//!
//! Promise: every text states what must hold, what was found, and where (file and line); the facts are
//! fields, so that callers can use them. Each variant has a broken file under `testdata/broken/`
//! that causes it, and a test that fails when a variant has none.

use super::options::Format;
use crate::dataset::features::FeatureError;
use einsicht_graph::GraphError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, counted after decompression; 0 for the file as a whole.
    pub line: u64,
}

impl Place {
    /// A line of a file.
    pub fn new(path: &Path, line: u64) -> Self {
        Self { path: path.to_owned(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.line > 0 { write!(f, ":{}", self.line) } else { Ok(()) }
    }
}

/// Why a file did not become a data set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum ReadError {
    // What can be wrong with any file.
    #[error("cannot open {}: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{place}: cannot read further: {source}")]
    Read { place: Place, source: io::Error },
    #[error("{}: must be a file, but is a folder", path.display())]
    IsFolder { path: PathBuf },
    #[error("{}: must be a folder, but is a file", path.display())]
    IsFile { path: PathBuf },
    #[error("{}: must not be empty, but has 0 bytes", path.display())]
    EmptyFile { path: PathBuf },
    #[error("{place}: gzipped data must be complete, but the file ends within them")]
    TruncatedGzip { place: Place },
    #[error("{place}: gzipped data must be intact, but these are not: {source}")]
    CorruptGzip { place: Place, source: io::Error },
    #[error("{place}: text must be UTF-8, but byte {byte} of this line is not")]
    NotUtf8 { place: Place, byte: usize },
    #[error("{place}: a line may have at most {most} bytes, but this one has more")]
    LongLine { place: Place, most: u64 },
    #[error(
        "{}: cannot detect the format from the name or the first line; it must be one of {}",
        path.display(),
        Format::WORDS.join(", ")
    )]
    UnknownFormat { path: PathBuf },
    #[error(
        "{}: there must be at least one graph, but there is none{}",
        path.display(),
        all_skipped(*skipped, first.as_deref())
    )]
    NoGraphs { path: PathBuf, skipped: usize, first: Option<String> },
    #[error(
        "{}: to read targets or columns an SD file must be a file, since finding their names takes a pass of its own, \
         but it is a stream",
        path.display()
    )]
    IsStream { path: PathBuf },
    #[error("{}: must be a data set, but is a model", path.display())]
    IsModel { path: PathBuf },

    // TU folders.
    #[error("{}: a TU folder must hold NAME_A.txt, but no file here ends in _A.txt", path.display())]
    NotTu { path: PathBuf },
    #[error("{}: a TU folder must hold one set, but there are several: {}", path.display(), names.join(", "))]
    SeveralSets { path: PathBuf, names: Vec<String> },
    #[error("{}: this file must exist, but does not", path.display())]
    MissingFile { path: PathBuf },
    #[error("{}: must have a line for each of the {wanted} {of}, but has {lines} lines", path.display())]
    LineCount { path: PathBuf, of: &'static str, wanted: u64, lines: u64 },
    #[error("{place}: {what} must be between {first} and {last}, but is {found}")]
    OutOfRange { place: Place, what: &'static str, first: u64, last: u64, found: u64 },
    #[error(
        "{place}: an edge must stay within one graph, but vertex {from} is in graph {from_graph} and vertex {to} in \
         graph {to_graph}"
    )]
    EdgeBetweenGraphs { place: Place, from: u64, to: u64, from_graph: u64, to_graph: u64 },
    #[error("{place}: every edge must be given in both directions, but {from}, {to} comes without {to}, {from}")]
    OneWayEdge { place: Place, from: u64, to: u64 },
    #[error(
        "{place}: both directions of an edge must have the same label, but {from}, {to} has {label} and line \
         {other_line} says {other_label}"
    )]
    LabelsDisagree { place: Place, from: u64, to: u64, label: String, other_line: u64, other_label: String },

    // Any format that spells out vertices and edges.
    #[error("{place}: {what} must be a {kind}, but is \"{found}\"")]
    NotANumber { place: Place, what: &'static str, kind: &'static str, found: String },
    #[error("{place}: {what} must be at most 4294967295, but is {found}")]
    TooLarge { place: Place, what: &'static str, found: String },
    #[error("{place}: there must be {wanted} {what}, but there are {found}")]
    FieldCount { place: Place, what: &'static str, wanted: usize, found: usize },
    #[error("{place}: an edge must join two different vertices, but this one joins vertex {vertex} to itself")]
    SelfLoop { place: Place, vertex: u64 },
    #[error("{place}: two vertices may share only one edge, but {from} and {to} have a second one")]
    DoubleEdge { place: Place, from: u64, to: u64 },
    #[error("{place}: an edge must join vertices of its graph, but there is no vertex {vertex}")]
    NoSuchVertex { place: Place, vertex: u64 },
    #[error("{place}: a graph may have at most 2^31 vertices and edges")]
    HugeGraph { place: Place },
    #[error("{place}: a line must start with t, v or e, but this one starts with \"{found}\"")]
    UnknownRecord { place: Place, found: String },
    #[error("{place}: a graph must start with a t line, but a line {record} comes first here")]
    OutsideGraph { place: Place, record: char },
    #[error("{place}: vertices must be numbered consecutively, so this must be {wanted}, but is {found}")]
    VertexOrder { place: Place, wanted: u64, found: u64 },

    // JSON lines and other JSON.
    #[error(
        "{place}: must be a JSON object as in docs/formats.md, but at column {}: {}", source.column(), reason(source)
    )]
    Json { place: Place, source: serde_json::Error },
    #[error("{place}: the first line must be a header with \"einsicht\": 1, but says {found}")]
    Header { place: Place, found: String },
    #[error("{place}: {what} must be one of those in the header, but is \"{found}\"")]
    NotInHeader { place: Place, what: &'static str, found: String },

    // Tables and molecules.
    #[error("{}: there must be a column named \"{column}\", but {}", path.display(), columns(exist))]
    UnknownColumn { path: PathBuf, column: String, exist: Vec<String> },
    #[error("{}: the column of molecules, \"{column}\", can be neither a target nor a feature", path.display())]
    Molecules { path: PathBuf, column: String },
    #[error(
        "{}: a column that is read must have a unique name, but {count} columns are named \"{column}\"", path.display()
    )]
    SameName { path: PathBuf, column: String, count: usize },
    #[error("{}: the first line must name the columns, but is \"{found}\"", path.display())]
    NoTableHeader { path: PathBuf, found: String },
    #[error("{}: there must be one column of molecules, but there are several: {}", path.display(), quoted(columns))]
    SeveralSmiles { path: PathBuf, columns: Vec<String> },
    #[error(
        "{place}: cells must have one separator, but the header has {found}, and none or several of these give a \
         column of SMILES"
    )]
    Separator { place: Place, found: String },
    #[error(
        "{place}: a cell that starts with a quote must end with one, before a separator or the end of the line, but a \
         cell that starts here does not"
    )]
    LostQuote { place: Place },
    #[error("{place}: row {row} must be a molecule, but \"{text}\" is not: {reason}")]
    BadMolecule { place: Place, row: u32, text: String, reason: String },

    #[error("{place}: in row {row}, {source}")]
    Feature { place: Place, row: u32, source: FeatureError },

    // Options that do not fit the data.
    #[error("{}: column \"{column}\" must be a target or a feature, but is named as both", path.display())]
    FeatureAndTarget { path: PathBuf, column: String },
    #[error("{}: edge labels are required, but there are none", path.display())]
    NoEdgeLabels { path: PathBuf },
    #[error(
        "{}: to drop hydrogens, labels must have names, but there are only numbers: {}",
        path.display(),
        quoted(labels)
    )]
    NamelessHydrogens { path: PathBuf, labels: Vec<String> },
    #[error("{place}: a line must be a label and its name, but is \"{found}\"")]
    BadName { place: Place, found: String },
    #[error("{place}: a label may have only one name, but {label} has a second one")]
    SecondName { place: Place, label: String },
    #[error(
        "{place}: target \"{target}\" looks like numbers, so each value must be a number or empty, but this one \
         is \"{found}\""
    )]
    WordAmongNumbers { place: Place, target: String, found: String },
    #[error(
        "{}: target \"{target}\" must be classes or numbers, but its {rows} values are {distinct} different words such \
         as \"{example}\"",
        path.display()
    )]
    NotATarget { path: PathBuf, target: String, rows: usize, distinct: usize, example: String },
}

/// What is wrong with some JSON, without the place: a line of it is line 1 to the parser, whatever it is in the file.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// How many rows were skipped, and why the first one was.
fn all_skipped(skipped: usize, first: Option<&str>) -> String {
    let rows = match skipped {
        0 => return String::new(),
        1 => "1 row was skipped".to_owned(),
        more => format!("{more} rows were skipped"),
    };
    first.map_or_else(|| format!(": {rows}"), |reason| format!(": {rows}, the first because {reason}"))
}

fn columns(exist: &[String]) -> String {
    if exist.is_empty() { "there is none".to_owned() } else { format!("there are only {}", quoted(exist)) }
}

fn quoted(names: &[String]) -> String {
    const MOST: usize = 30;
    let mut text: Vec<String> = names.iter().take(MOST).map(|name| format!("\"{name}\"")).collect();
    if names.len() > MOST {
        text.push(format!("and {} more", names.len() - MOST));
    }
    text.join(", ")
}

impl ReadError {
    /// The file, and the line where there is one.
    pub fn place(&self) -> Place {
        match self {
            Self::Open { path, .. }
            | Self::IsFolder { path }
            | Self::IsFile { path }
            | Self::EmptyFile { path }
            | Self::UnknownFormat { path }
            | Self::IsModel { path }
            | Self::IsStream { path }
            | Self::NoGraphs { path, .. }
            | Self::NotTu { path }
            | Self::SeveralSets { path, .. }
            | Self::MissingFile { path }
            | Self::LineCount { path, .. }
            | Self::UnknownColumn { path, .. }
            | Self::SameName { path, .. }
            | Self::Molecules { path, .. }
            | Self::NoTableHeader { path, .. }
            | Self::SeveralSmiles { path, .. }
            | Self::NoEdgeLabels { path }
            | Self::NamelessHydrogens { path, .. }
            | Self::FeatureAndTarget { path, .. }
            | Self::NotATarget { path, .. } => Place::new(path, 0),
            Self::Read { place, .. }
            | Self::TruncatedGzip { place }
            | Self::CorruptGzip { place, .. }
            | Self::NotUtf8 { place, .. }
            | Self::LongLine { place, .. }
            | Self::OutOfRange { place, .. }
            | Self::EdgeBetweenGraphs { place, .. }
            | Self::OneWayEdge { place, .. }
            | Self::LabelsDisagree { place, .. }
            | Self::NotANumber { place, .. }
            | Self::TooLarge { place, .. }
            | Self::FieldCount { place, .. }
            | Self::SelfLoop { place, .. }
            | Self::DoubleEdge { place, .. }
            | Self::NoSuchVertex { place, .. }
            | Self::HugeGraph { place }
            | Self::UnknownRecord { place, .. }
            | Self::OutsideGraph { place, .. }
            | Self::VertexOrder { place, .. }
            | Self::Json { place, .. }
            | Self::Header { place, .. }
            | Self::NotInHeader { place, .. }
            | Self::Separator { place, .. }
            | Self::LostQuote { place }
            | Self::BadMolecule { place, .. }
            | Self::Feature { place, .. }
            | Self::WordAmongNumbers { place, .. }
            | Self::BadName { place, .. }
            | Self::SecondName { place, .. } => place.clone(),
        }
    }

    /// An error of the graph builder in the numbering of the file, whose vertices start at `first`.
    pub(crate) fn from_graph(place: Place, first: u64, error: &GraphError) -> Self {
        let vertex = |v: u32| u64::from(v) + first;
        match *error {
            GraphError::SelfLoop { vertex: v } => Self::SelfLoop { place, vertex: vertex(v) },
            GraphError::DoubleEdge { from, to } => Self::DoubleEdge { place, from: vertex(from), to: vertex(to) },
            GraphError::NoSuchVertex { vertex: v, .. } => Self::NoSuchVertex { place, vertex: vertex(v) },
            _ => Self::HugeGraph { place },
        }
    }
}
