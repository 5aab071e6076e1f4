//! How qualifiers are drawn: hydrogens and charge at the letter of an atom, everything else as a few words beside it.
//!
//! Promise: people see words, never bits, and the element of a halogen where it is known. In a pattern everything is
//! drawn that it requires, and nothing else: an atom without a mark may have any number of hydrogens and neighbours. A
//! molecule of the data is drawn as chemists do: hydrogens of heteroatoms and charges. A qualifier without a name is
//! not drawn.

use super::palette::{Mark, Palette};
use einsicht_data::{Names, Qualifiers};
use einsicht_graph::{Graph, VertexId};

/// What a drawn graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A graph of the data.
    Graph,
    /// A pattern: its qualifiers are requirements.
    Pattern,
}

/// How one value of a property is drawn.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// Which halogen, instead of their common label.
    Element(Mark),
    Hydrogens(u32),
    Charge(i32),
    Words(String),
}

/// What is drawn at a vertex besides its letter or disc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Annotation {
    /// Number of hydrogens, at least one.
    pub(super) hydrogens: Option<u32>,
    /// Charge, not 0.
    pub(super) charge: Option<i32>,
    /// Lines of words.
    pub(super) lines: Vec<String>,
}

impl Annotation {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How all values of a table are drawn, by bit; `element` is how an element is drawn.
pub(super) fn tags(names: Names<'_>, is_chemical: bool, element: impl Fn(&str) -> Mark) -> Vec<Tag> {
    let table = names.qualifiers;
    let tag = |(bit, value): (usize, &einsicht_data::qualify::QualifierValue)| {
        let (property, token) = (value.property.as_str(), value.token.as_str());
        let number = || token.parse().ok();
        match property {
            "element" => Tag::Element(element(token)),
            "hydrogens" if is_chemical => number().map_or_else(|| Tag::Words(table.words(bit)), Tag::Hydrogens),
            "charge" if is_chemical => token.parse().map_or_else(|_| Tag::Words(table.words(bit)), Tag::Charge),
            "ring" if token == "ring" => Tag::Words("non-aromatic ring".to_owned()),
            "ring" => Tag::Words(table.words(bit)),
            "degree" | "hydrogens" | "charge" if table.is_of_molecules() => Tag::Words(table.words(bit)),
            _ => Tag::Words(table.name(bit)),
        }
    };
    table.values().iter().enumerate().map(tag).collect()
}

impl Palette {
    /// What is drawn at a vertex besides its letter or disc.
    pub(super) fn annotation(&self, graph: &Graph, vertex: VertexId, kind: Kind) -> Annotation {
        let mut found = Annotation::default();
        let neighbors = || graph.neighbors(vertex).iter();
        let has_hydrogens = neighbors().any(|n| self.mark(graph, n.vertex).word == "H");
        let has_letter = !self.mark(graph, vertex).is_silent || graph.num_vertices() <= 2 || graph.degree(vertex) == 0;
        for tag in Qualifiers::bits(graph.qualifiers(vertex)).filter_map(|bit| self.tags.get(bit)) {
            match (tag, kind) {
                (Tag::Hydrogens(0), Kind::Pattern) => found.lines.push("no H".to_owned()),
                (Tag::Hydrogens(count), Kind::Pattern) if has_hydrogens => {
                    found.lines.push(format!("{count} H in all"));
                }
                (Tag::Hydrogens(count @ 1..), Kind::Pattern) => found.hydrogens = Some(*count),
                (Tag::Hydrogens(count @ 1..), Kind::Graph) if has_letter && !has_hydrogens => {
                    found.hydrogens = Some(*count);
                }
                (Tag::Charge(0), Kind::Pattern) => found.lines.push("no charge".to_owned()),
                (Tag::Charge(0) | Tag::Element(_) | Tag::Hydrogens(_), _) | (Tag::Words(_), Kind::Graph) => {}
                (Tag::Charge(charge), _) => found.charge = Some(*charge),
                (Tag::Words(words), Kind::Pattern) => found.lines.push(words.clone()),
            }
        }
        found
    }

    /// How the label of a vertex is drawn; a halogen as its element, where it is known.
    pub(super) fn mark(&self, graph: &Graph, vertex: VertexId) -> &Mark {
        let label = graph.vertex_label(vertex).index();
        let element = || {
            Qualifiers::bits(graph.qualifiers(vertex)).find_map(|bit| match self.tags.get(bit) {
                Some(Tag::Element(mark)) => Some(mark),
                _ => None,
            })
        };
        if self.halogen == Some(label) { element().unwrap_or(&self.vertices[label]) } else { &self.vertices[label] }
    }
}
