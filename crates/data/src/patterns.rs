//! Patterns in files: small connected graphs by the names of their labels, so that patterns of one data set can be
//! matched in another.
//!
//! A line of a pattern file is a JSON object with a key `pattern`, such as
//! `{"pattern": {"vertices": ["C", "O"], "edges": [[0, 1, "double"]]}, "support": 12}`; further keys are ignored.
//! Any file that can be read as a data set will do too: each of its graphs is a pattern.
//!
//! Promise: what is handed out is connected and has at least one edge. A label is called by its display
//! name, or by its token where two labels share that name, and is recognised by either.

use crate::dataset::builder::NO_LABEL;
use crate::dataset::vocabulary::Vocabulary;
use crate::read::lines::Lines;
use crate::read::{Place, ReadError, ReadOptions, read};
use einsicht_graph::{Graph, Label, VertexId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A pattern by the names of its labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamedPattern {
    /// Label of each vertex.
    pub vertices: Vec<String>,
    /// Edges: two vertices, by their place in `vertices`, and the label; empty where edges have none.
    pub edges: Vec<(u32, u32, String)>,
}

/// Why a pattern file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternFileError {
    /// The file, or one of its lines, cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A pattern has no edge.
    #[error("{place}: a pattern must have at least one edge, but this one has none")]
    NoEdge {
        /// Where it starts.
        place: Place,
    },
    /// A pattern falls apart.
    #[error("{place}: a pattern must be connected, but this one has {components} components")]
    NotConnected {
        /// Where it starts.
        place: Place,
        /// How many parts it has.
        components: usize,
    },
}

impl PatternFileError {
    /// The file, and the line where there is one.
    pub fn place(&self) -> Place {
        match self {
            Self::Read(error) => error.place(),
            Self::NoEdge { place } | Self::NotConnected { place, .. } => place.clone(),
        }
    }
}

/// A label of a pattern that a data set does not have: no graph of the set contains the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownLabel {
    /// A vertex label.
    Vertex(String),
    /// An edge label.
    Edge(String),
}

impl fmt::Display for UnknownLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(label) => write!(f, "vertex label \"{label}\""),
            Self::Edge(label) => write!(f, "edge label \"{label}\""),
        }
    }
}

impl NamedPattern {
    /// Names the labels of a pattern.
    ///
    /// # Panics
    /// If a label is not one of the vocabularies.
    pub fn new(pattern: &Graph, vertex_labels: &Vocabulary, edge_labels: &Vocabulary) -> Self {
        Self {
            vertices: pattern.vertex_labels().iter().map(|&l| word(vertex_labels, l).to_owned()).collect(),
            edges: pattern.edges().iter().map(|e| (e.from.0, e.to.0, word(edge_labels, e.label).to_owned())).collect(),
        }
    }

    /// The pattern in the labels of a data set. Where that has no edge labels, those of the pattern are ignored.
    ///
    /// # Panics
    /// If this is not a simple graph, which [`read_patterns`] never hands out.
    pub fn bind(&self, vertex_labels: &Vocabulary, edge_labels: &Vocabulary) -> Result<Graph, UnknownLabel> {
        let mut builder = Graph::builder();
        for name in &self.vertices {
            let label = find(vertex_labels, name).ok_or_else(|| UnknownLabel::Vertex(name.clone()))?;
            builder.add_vertex(label).expect("a pattern of bounded size");
        }
        let has_edge_labels = edge_labels.tokens() != [NO_LABEL];
        for (from, to, name) in &self.edges {
            let label = if has_edge_labels { find(edge_labels, name) } else { Some(Label(0)) };
            let label = label.ok_or_else(|| UnknownLabel::Edge(name.clone()))?;
            builder.add_edge(VertexId(*from), VertexId(*to), label).expect("a simple graph");
        }
        Ok(builder.build())
    }

    /// Says why this is not a connected simple graph with an edge, if so.
    fn check(&self, place: impl Fn() -> Place) -> Result<(), PatternFileError> {
        let refused = |error| ReadError::from_graph(place(), 0, &error);
        let mut builder = Graph::builder();
        for _ in &self.vertices {
            builder.add_vertex(Label(0)).map_err(refused)?;
        }
        for &(from, to, _) in &self.edges {
            builder.add_edge(VertexId(from), VertexId(to), Label(0)).map_err(refused)?;
        }
        let components = builder.build().components().into_iter().max().map_or(0, |last| last as usize + 1);
        if components > 1 {
            return Err(PatternFileError::NotConnected { place: place(), components });
        }
        if self.edges.is_empty() { Err(PatternFileError::NoEdge { place: place() }) } else { Ok(()) }
    }
}

/// What a label is called: its name, unless another label has the same one.
fn word(vocabulary: &Vocabulary, label: Label) -> &str {
    let name = vocabulary.name(label);
    if by_name(vocabulary, name) == Some(label) { name } else { vocabulary.token(label) }
}

/// The only label with this name.
fn by_name(vocabulary: &Vocabulary, name: &str) -> Option<Label> {
    let mut named = (0..vocabulary.len() as u32).map(Label).filter(|&label| vocabulary.name(label) == name);
    named.next().filter(|_| named.next().is_none())
}

/// The label with this name, or else with this token.
fn find(vocabulary: &Vocabulary, word: &str) -> Option<Label> {
    by_name(vocabulary, word).or_else(|| vocabulary.label(word))
}

#[derive(Deserialize)]
struct Line {
    pattern: NamedPattern,
}

/// Reads patterns: JSON lines as described above, or any data set (`options` say how).
pub fn read_patterns(path: &Path, options: &ReadOptions) -> Result<Vec<NamedPattern>, PatternFileError> {
    if path.is_dir() || !starts_with_pattern(path)? {
        let dataset = read(path, options)?;
        let patterns = dataset.graphs.iter().zip(&dataset.origins).map(|(graph, origin)| {
            let pattern = NamedPattern::new(graph, &dataset.vertex_labels, &dataset.edge_labels);
            pattern.check(|| Place::new(path, origin.line)).map(|()| pattern)
        });
        return patterns.collect();
    }
    let mut lines = Lines::open(path)?;
    let mut patterns = Vec::new();
    while lines.advance()? {
        if lines.bytes().trim_ascii().is_empty() {
            continue;
        }
        let line: Line =
            serde_json::from_slice(lines.bytes()).map_err(|source| ReadError::Json { place: lines.place(), source })?;
        line.pattern.check(|| lines.place())?;
        patterns.push(line.pattern);
    }
    Ok(patterns)
}

/// Whether the first line with text is a JSON object with a key `pattern`.
fn starts_with_pattern(path: &Path) -> Result<bool, ReadError> {
    let mut lines = Lines::open(path)?;
    while lines.advance()? {
        let line = lines.bytes().trim_ascii();
        if !line.is_empty() {
            let object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line);
            return Ok(line[0] == b'{' && object.map_or(true, |object| object.contains_key("pattern")));
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A file that goes away.
    fn file(end: &str, text: &str) -> tempfile::TempPath {
        let file = tempfile::Builder::new().suffix(end).tempfile().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file.into_temp_path()
    }

    fn vocabulary(tokens: &[&str], names: &[(&str, &str)]) -> Vocabulary {
        let mut vocabulary = Vocabulary::from_tokens(tokens.iter().copied());
        for (token, name) in names {
            vocabulary.set_name(*token, *name);
        }
        vocabulary
    }

    #[test]
    fn a_pattern_finds_its_labels_in_another_vocabulary_by_name() {
        let here = vocabulary(&["6", "8"], &[("6", "C"), ("8", "O")]);
        let there = vocabulary(&["O", "N", "C"], &[]);
        let (bonds, none) = (vocabulary(&["double", "single"], &[]), vocabulary(&[NO_LABEL], &[]));
        let carbonyl = NamedPattern { vertices: vec!["C".into(), "O".into()], edges: vec![(0, 1, "double".into())] };
        let found = carbonyl.bind(&here, &bonds).unwrap();
        assert_eq!(NamedPattern::new(&found, &here, &bonds), carbonyl);
        assert_eq!(carbonyl.bind(&there, &none).unwrap().vertex_labels(), [Label(0), Label(2)]);
        let unknown = NamedPattern { vertices: vec!["C".into(), "Xe".into()], edges: vec![(0, 1, String::new())] };
        assert_eq!(unknown.bind(&there, &none), Err(UnknownLabel::Vertex("Xe".into())));
        let unlabelled = NamedPattern { edges: vec![(0, 1, String::new())], ..carbonyl };
        assert_eq!(unlabelled.bind(&there, &bonds), Err(UnknownLabel::Edge(String::new())));
    }

    #[test]
    fn a_name_that_two_labels_share_is_not_used() {
        let vocabulary = vocabulary(&["1", "2", "3"], &[("1", "x"), ("2", "x")]);
        assert_eq!([0, 1, 2].map(|l| word(&vocabulary, Label(l))), ["1", "2", "3"]);
        assert_eq!(find(&vocabulary, "x"), None);
    }

    #[test]
    fn transactions_and_json_lines_hold_the_same_pattern() {
        let transactions = file("same.gspan", "t # 0\nv 0 C\nv 1 O\ne 0 1 double\n");
        let lines = file(
            "same.jsonl",
            "{\"pattern\": {\"vertices\": [\"C\", \"O\"], \"edges\": [[0, 1, \"double\"]]}, \"support\": 3}\n\n",
        );
        let options = ReadOptions::default();
        let patterns = read_patterns(&transactions, &options).unwrap();
        assert_eq!(patterns, read_patterns(&lines, &options).unwrap());
        assert_eq!(patterns.len(), 1);
    }

    #[test]
    fn what_is_not_a_pattern_is_refused_with_file_and_line() {
        let cases = [
            ("loose.gspan", "t # 0\nv 0 C\nv 1 O\n", ":1: a pattern must be connected, but this one has 2 components"),
            ("atom.gspan", "t # 0\nv 0 C\n", ":1: a pattern must have at least one edge, but this one has none"),
            ("line.jsonl", "{\"pattern\": 3}\n", ":1: must be a JSON object as in docs/formats.md, but at column 13: "),
            (
                "edge.jsonl",
                "\n{\"pattern\": {\"vertices\": [\"C\"], \"edges\": [[0, 4, \"\"]]}}\n",
                ":2: an edge must join vertices of its graph, but there is no vertex 4",
            ),
        ];
        for (name, text, expected) in cases {
            let path = file(name, text);
            let error = read_patterns(&path, &ReadOptions::default()).unwrap_err();
            let message = error.to_string();
            let message = message.strip_prefix(&path.display().to_string()).unwrap();
            assert!(message.starts_with(expected), "{message}");
            assert_eq!(error.place().path, path.to_path_buf());
        }
    }

    proptest! {
        #[test]
        fn a_pattern_that_was_written_is_read_back(pattern in einsicht_testkit::strategy::connected_graph(
            einsicht_testkit::strategy::Shape::EDGE_LABELS,
        )) {
            let labels = vocabulary(&["a b", "\"", "c"], &[("c", "\u{e9}")]);
            let named = NamedPattern::new(&pattern, &labels, &labels);
            let text = serde_json::to_string(&named).unwrap();
            let back: NamedPattern = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(back.bind(&labels, &labels).unwrap(), pattern);
        }
    }
}
