//! Patterns in files: small connected graphs by the names of their labels, so that patterns of one data set can be
//! matched in another.
//!
//! A line of a pattern file is a JSON object with a key `pattern`, such as `{"pattern": {"vertices": ["C", "O"],
//! "edges": [[0, 1, "double"]]}, "support": 12}`; further keys are ignored. A vertex with qualifiers is an object,
//! `{"label": "N", "qualifiers": ["H2"]}`. A pattern of molecules may also be SMARTS, `{"pattern": "[#6]=[#8]"}`, as
//! far as patterns can say it. Any file that can be read as a data set will do too: each of its graphs is a pattern.
//!
//! Promise: what is handed out is connected and has at least one vertex. A label is called by its display
//! name, or by its token where two labels share that name, and is recognised by either.

use crate::chem::{has_aromatic_labels, has_charged_labels, parse_label, read_smarts};
use crate::dataset::NO_LABEL;
use crate::dataset::vocabulary::Vocabulary;
use crate::names::Names;
use crate::qualify::{ALIPHATIC, AROMATIC, ELEMENT, HALOGEN, Qualifiers, RING_PROPERTY, UNCHARGED};
use crate::read::lines::Lines;
use crate::read::{Place, ReadError, ReadOptions, read};
use einsicht_graph::{DfsCode, Edge, Graph, Label, VertexId};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::path::Path;

/// A pattern by the names of its labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct NamedPattern {
    /// The vertices.
    pub vertices: Vec<NamedVertex>,
    /// Edges: two vertices, by their place in `vertices`, and the label; empty where edges have none.
    pub edges: Vec<(u32, u32, String)>,
}

impl<'de> Deserialize<'de> for NamedPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PatternVisitor)
    }
}

/// Takes an object with vertices and edges, or SMARTS.
struct PatternVisitor;

impl<'de> Visitor<'de> for PatternVisitor {
    type Value = NamedPattern;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("vertices and edges, or SMARTS")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NamedPattern, E> {
        read_smarts(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NamedPattern, A::Error> {
        #[derive(Deserialize)]
        struct Lists {
            vertices: Vec<NamedVertex>,
            edges: Vec<(u32, u32, String)>,
        }
        let Lists { vertices, edges } = Lists::deserialize(MapAccessDeserializer::new(map))?;
        Ok(NamedPattern { vertices, edges })
    }
}

/// A vertex of a pattern. In JSON its label alone, if it has no qualifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "VertexLine", into = "VertexLine")]
pub struct NamedVertex {
    /// Its label.
    pub label: String,
    /// Short names of what it must have ([`Qualifiers::name`]).
    pub qualifiers: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum VertexLine {
    Label(String),
    Qualified(QualifiedLine),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QualifiedLine {
    label: String,
    #[serde(default)]
    qualifiers: Vec<String>,
}

impl From<VertexLine> for NamedVertex {
    fn from(line: VertexLine) -> Self {
        match line {
            VertexLine::Label(label) => label.into(),
            VertexLine::Qualified(QualifiedLine { label, qualifiers }) => Self { label, qualifiers },
        }
    }
}

impl From<NamedVertex> for VertexLine {
    fn from(NamedVertex { label, qualifiers }: NamedVertex) -> Self {
        if qualifiers.is_empty() { Self::Label(label) } else { Self::Qualified(QualifiedLine { label, qualifiers }) }
    }
}

impl<S: Into<String>> From<S> for NamedVertex {
    fn from(label: S) -> Self {
        Self { label: label.into(), qualifiers: Vec::new() }
    }
}

/// Why a pattern file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum PatternFileError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{place}: a pattern must have at least one vertex, but this one has none")]
    NoVertex { place: Place },
    #[error("{place}: a pattern must be connected, but this one has {components} components")]
    NotConnected { place: Place, components: usize },
}

impl PatternFileError {
    /// The file, and the line where there is one.
    pub fn place(&self) -> Place {
        match self {
            Self::Read(error) => error.place(),
            Self::NoVertex { place } | Self::NotConnected { place, .. } => place.clone(),
        }
    }
}

/// A label or a qualifier of a pattern that a data set does not have: no graph of the set contains the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownLabel {
    /// A vertex label.
    Vertex(String),
    /// An edge label.
    Edge(String),
    /// A qualifier of a vertex.
    Qualifier(String),
}

impl fmt::Display for UnknownLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(label) => write!(f, "vertex label \"{label}\""),
            Self::Edge(label) => write!(f, "edge label \"{label}\""),
            Self::Qualifier(name) => write!(f, "qualifier \"{name}\""),
        }
    }
}

/// Named patterns in the labels of a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPatterns {
    /// Their canonical codes without repetition, the smallest first.
    pub codes: Vec<DfsCode>,
    /// How many have labels that the data set does not have.
    pub unknown: usize,
}

impl NamedPattern {
    /// Whether one of its vertices has a qualifier, or is any halogen.
    pub fn is_qualified(&self) -> bool {
        self.vertices.iter().any(|vertex| !vertex.qualifiers.is_empty() || vertex.label == crate::qualify::HALOGEN)
    }

    /// Names the labels and qualifiers of a pattern.
    pub(crate) fn named(pattern: &Graph, names: Names<'_>) -> Self {
        let vertex = |v: VertexId| NamedVertex {
            label: word(names.vertex_labels, pattern.vertex_label(v)).to_owned(),
            qualifiers: Qualifiers::bits(pattern.qualifiers(v)).map(|bit| names.qualifiers.name(bit)).collect(),
        };
        let edge = |e: &Edge| (e.from.0, e.to.0, word(names.edge_labels, e.label).to_owned());
        Self { vertices: pattern.vertices().map(vertex).collect(), edges: pattern.edges().iter().map(edge).collect() }
    }

    /// The pattern in these labels and qualifiers. Where there are no edge labels, those of the pattern are ignored.
    ///
    /// # Panics
    /// If this is not a simple graph, which [`read_patterns`] never hands out.
    pub(crate) fn bind_to(&self, names: Names<'_>) -> Result<Graph, UnknownLabel> {
        let mut builder = Graph::builder();
        let mut sets = Vec::new();
        for vertex in &self.vertices {
            let (label, set) = vertex.bind(names)?;
            builder.add_vertex(label).expect("a pattern of bounded size");
            sets.push(set);
        }
        let has_edge_labels = names.edge_labels.tokens() != [NO_LABEL];
        for (from, to, name) in &self.edges {
            let label = if has_edge_labels { find(names.edge_labels, name) } else { Some(Label(0)) };
            let label = label.ok_or_else(|| UnknownLabel::Edge(name.clone()))?;
            builder.add_edge(VertexId(*from), VertexId(*to), label).expect("a simple graph");
        }
        let mut graph = builder.build();
        graph.set_qualifiers(sets);
        Ok(graph)
    }

    /// Says why this is not a connected simple graph with a vertex, if so.
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
        if self.vertices.is_empty() { Err(PatternFileError::NoVertex { place: place() }) } else { Ok(()) }
    }
}

impl NamedVertex {
    /// Label and qualifiers. Where halogens have a common label, one of them may still be called by its element; where
    /// labels are elements only, `c` and `N+` are elements with a qualifier.
    fn bind(&self, names: Names<'_>) -> Result<(Label, u64), UnknownLabel> {
        let found = find(names.vertex_labels, &self.label).map(|label| (label, 0));
        let found = found.or_else(|| self.halogen(names)).or_else(|| self.taken_apart(names));
        let (label, mut set) = found.ok_or_else(|| UnknownLabel::Vertex(self.label.clone()))?;
        for name in &self.qualifiers {
            // What a label without it says where other labels have it.
            let is_said = match name.as_str() {
                ALIPHATIC => has_aromatic_labels(names.vertex_labels),
                UNCHARGED => has_charged_labels(names.vertex_labels),
                _ => false,
            };
            if is_said {
                continue;
            }
            let bit = names.qualifiers.bit_of_name(name).ok_or_else(|| UnknownLabel::Qualifier(name.clone()))?;
            set |= 1 << bit;
        }
        Ok((label, set))
    }

    fn halogen(&self, names: Names<'_>) -> Option<(Label, u64)> {
        let bit = names.qualifiers.bit(ELEMENT, &self.label)?;
        Some((find(names.vertex_labels, HALOGEN)?, 1 << bit))
    }

    fn taken_apart(&self, names: Names<'_>) -> Option<(Label, u64)> {
        let atom = parse_label(&self.label).filter(|atom| atom.hydrogens.is_none())?;
        let mut set = 0;
        if atom.aromatic {
            set |= 1 << names.qualifiers.bit(RING_PROPERTY, AROMATIC)?;
        }
        if let Some(charge) = atom.charge {
            set |= 1 << names.qualifiers.bit_of_name(&format!("{charge:+}"))?;
        }
        Some((find(names.vertex_labels, atom.element.symbol())?, set))
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
            let pattern = NamedPattern::named(graph, dataset.names());
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
mod tests;
