//! How the labels of a data set are drawn: as chemical elements and bonds if all of them are, else as coloured discs.

use super::Bond;
use super::tags::{Tag, tags};
use einsicht_data::chem::element_of_label;
use einsicht_data::{Names, Qualifiers, Vocabulary};
use einsicht_graph::Label;

/// Number of colours of labels that are no elements.
const COLOURS: usize = 10;
/// The common label of halogens.
const HALOGEN: &str = "X";

/// How the labels of a data set are drawn.
#[derive(Clone, Debug)]
pub struct Palette {
    pub(super) vertices: Vec<Mark>,
    /// Bond types of the edge labels whose names are bonds.
    pub(super) bonds: Vec<Option<Bond>>,
    /// Text beside edges; empty where none is needed.
    pub(super) edge_words: Vec<String>,
    pub(super) is_chemical: bool,
    /// How qualifiers are drawn, by bit.
    pub(super) tags: Vec<Tag>,
    /// The common label of halogens, if they have one.
    pub(super) halogen: Option<usize>,
}

/// How one vertex label is drawn.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Name of the label.
    pub(super) word: String,
    /// CSS class of its letter or disc.
    pub(super) class: String,
    /// Carbon is drawn without a letter.
    pub(super) is_silent: bool,
}

impl Palette {
    /// Decides how labels are drawn, as [`Self::of`] does, where there are no qualifiers.
    pub fn new(vertex_labels: &Vocabulary, edge_labels: &Vocabulary) -> Self {
        Self::of(Names { vertex_labels, edge_labels, qualifiers: &Qualifiers::default() })
    }

    /// Decides how labels and qualifiers are drawn: as elements if all labels are, else as coloured discs.
    pub fn of(names: Names<'_>) -> Self {
        let words = |vocabulary: &Vocabulary| -> Vec<String> {
            (0..vocabulary.len() as u32).map(|label| vocabulary.name(Label(label)).to_owned()).collect()
        };
        let vertices = words(names.vertex_labels);
        let merged = vertices.iter().position(|word| word == HALOGEN);
        let halogen = merged.filter(|_| names.qualifiers.merges_halogens());
        let is_element = |at: usize| halogen == Some(at) || element_of_label(&vertices[at]).is_some();
        let is_chemical = !vertices.is_empty() && (0..vertices.len()).all(is_element);
        let mark = |at: usize, word: &str| {
            let element = element_of_label(word).filter(|_| is_chemical);
            let is_silent = element.is_some_and(|e| e.symbol() == "C") && word.eq_ignore_ascii_case("c");
            let class = match element {
                Some(element) => element_class(element.symbol()).to_owned(),
                None if is_chemical => HALOGEN_CLASS.to_owned(),
                None => format!("c{}", at % COLOURS),
            };
            Mark { word: word.to_owned(), class, is_silent }
        };
        let tags = tags(names, is_chemical, |symbol| mark(halogen.unwrap_or(0), symbol));
        let edges = words(names.edge_labels);
        let bonds: Vec<Option<Bond>> = edges.iter().map(|name| Bond::from_name(name)).collect();
        let needs_words = edges.len() > 1;
        let edge_words = edges
            .iter()
            .zip(&bonds)
            .map(|(name, bond)| if bond.is_none() && needs_words { name.clone() } else { String::new() })
            .collect();
        let vertices = vertices.iter().enumerate().map(|(at, word)| mark(at, word)).collect();
        Self { vertices, bonds, edge_words, is_chemical, tags, halogen }
    }

    /// Whether graphs are drawn as molecules.
    pub(crate) fn is_chemical(&self) -> bool {
        self.is_chemical
    }

    /// Names of the labels with their CSS classes, for a legend; empty for molecules.
    pub fn legend(&self) -> Vec<(String, String)> {
        let marks = self.vertices.iter().filter(|_| !self.is_chemical);
        marks.map(|mark| (mark.word.clone(), mark.class.clone())).collect()
    }
}

/// Class of halogens.
const HALOGEN_CLASS: &str = "X";

fn element_class(symbol: &str) -> &'static str {
    match symbol {
        "N" => "N",
        "O" => "O",
        "S" | "Se" => "S",
        "P" => "P",
        "F" | "Cl" => HALOGEN_CLASS,
        "Br" => "Br",
        "I" => "I",
        _ => "a",
    }
}
