//! How the labels of a data set are drawn: as chemical elements and bonds if all of them are, else as coloured discs.

use super::Bond;
use einsicht_data::Vocabulary;
use einsicht_data::chem::{Element, element_of_label};
use einsicht_graph::Label;

/// Number of colours of labels that are no elements.
const COLOURS: usize = 10;

/// How the labels of a data set are drawn.
#[derive(Clone, Debug)]
pub struct Palette {
    pub(super) vertices: Vec<Mark>,
    /// Bond types of the edge labels whose names are bonds.
    pub(super) bonds: Vec<Option<Bond>>,
    /// Text beside edges; empty where none is needed.
    pub(super) edge_words: Vec<String>,
    pub(super) is_chemical: bool,
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
    /// Decides how labels are drawn: as elements if all of them are, else as coloured discs.
    pub fn new(vertex_labels: &Vocabulary, edge_labels: &Vocabulary) -> Self {
        let names = |vocabulary: &Vocabulary| -> Vec<String> {
            (0..vocabulary.len() as u32).map(|label| vocabulary.name(Label(label)).to_owned()).collect()
        };
        let elements: Vec<Option<Element>> = names(vertex_labels).iter().map(|name| element_of_label(name)).collect();
        let is_chemical = !elements.is_empty() && elements.iter().all(Option::is_some);
        let mark = |(at, (word, element)): (usize, (String, Option<Element>))| match element.filter(|_| is_chemical) {
            Some(element) => {
                let is_silent = element.symbol() == "C" && word.eq_ignore_ascii_case("c");
                Mark { word, class: element_class(element.symbol()).to_owned(), is_silent }
            }
            None => Mark { word, class: format!("c{}", at % COLOURS), is_silent: false },
        };
        let edges = names(edge_labels);
        let bonds: Vec<Option<Bond>> = edges.iter().map(|name| Bond::from_name(name)).collect();
        let needs_words = edges.len() > 1;
        let edge_words = edges
            .iter()
            .zip(&bonds)
            .map(|(name, bond)| if bond.is_none() && needs_words { name.clone() } else { String::new() })
            .collect();
        let vertices = names(vertex_labels).into_iter().zip(elements).enumerate().map(mark).collect();
        Self { vertices, bonds, edge_words, is_chemical }
    }

    /// Whether graphs are drawn as molecules.
    pub fn is_chemical(&self) -> bool {
        self.is_chemical
    }

    /// Names of the labels with their CSS classes, for a legend; empty for molecules.
    pub fn legend(&self) -> Vec<(String, String)> {
        let marks = self.vertices.iter().filter(|_| !self.is_chemical);
        marks.map(|mark| (mark.word.clone(), mark.class.clone())).collect()
    }
}

fn element_class(symbol: &str) -> &'static str {
    match symbol {
        "N" => "N",
        "O" => "O",
        "S" | "Se" => "S",
        "P" => "P",
        "F" | "Cl" => "X",
        "Br" => "Br",
        "I" => "I",
        _ => "a",
    }
}
