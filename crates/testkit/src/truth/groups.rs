//! Groups of atoms, written as patterns are shown: `C1:C:C:C:C:C:1`, `O=C-N`, `C-C(-F)-F`.

use einsicht_data::Dataset;
use einsicht_graph::matching::{Occurrence, PatternSet, Scratch};
use einsicht_graph::{Graph, VertexId};
use std::iter::Peekable;
use std::str::Chars;

/// A connected group of labelled vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    labels: Vec<String>,
    /// Two vertices and the bond between them.
    bonds: Vec<(usize, usize, &'static str)>,
}

impl Group {
    /// Reads a group.
    ///
    /// # Panics
    /// If the text is not one: it is part of a test.
    pub fn new(text: &str) -> Self {
        let mut group = Self { labels: Vec::new(), bonds: Vec::new() };
        let mut open = [usize::MAX; 10];
        group.chain(None, &mut text.chars().peekable(), &mut open);
        group
    }

    fn chain(&mut self, mut last: Option<usize>, text: &mut Peekable<Chars<'_>>, open: &mut [usize; 10]) {
        loop {
            match text.next() {
                None | Some(')') => return,
                Some('(') => self.chain(last, text, open),
                Some(first) if first.is_ascii_uppercase() && last.is_none() => {
                    last = Some(self.atom(first, text, open));
                }
                Some(bond) => {
                    let word = match bond {
                        '-' => "single",
                        '=' => "double",
                        '#' => "triple",
                        ':' => "aromatic",
                        other => panic!("{other} is no bond"),
                    };
                    let from = last.expect("a bond follows an atom");
                    let next = text.next().expect("an atom or a ring follows a bond");
                    if let Some(ring) = next.to_digit(10) {
                        self.bonds.push((open[ring as usize], from, word));
                    } else {
                        let to = self.atom(next, text, open);
                        self.bonds.push((from, to, word));
                        last = Some(to);
                    }
                }
            }
        }
    }

    /// Reads the rest of an atom: its symbol, and the number of a ring that begins here.
    fn atom(&mut self, first: char, text: &mut Peekable<Chars<'_>>, open: &mut [usize; 10]) -> usize {
        let mut symbol = first.to_string();
        while let Some(more) = text.next_if(char::is_ascii_lowercase) {
            symbol.push(more);
        }
        self.labels.push(symbol);
        let at = self.labels.len() - 1;
        if let Some(ring) = text.next_if(char::is_ascii_digit).and_then(|digit| digit.to_digit(10)) {
            open[ring as usize] = at;
        }
        at
    }

    /// The group in the labels of a data set; `None` if that lacks one of them.
    pub fn pattern(&self, dataset: &Dataset) -> Option<Graph> {
        let mut builder = Graph::builder();
        let mut vertices: Vec<VertexId> = Vec::new();
        for label in &self.labels {
            vertices.push(builder.add_vertex(dataset.vertex_labels.label(label)?).ok()?);
        }
        for &(one, other, bond) in &self.bonds {
            builder.add_edge(vertices[one], vertices[other], dataset.edge_labels.label(bond)?).ok()?;
        }
        Some(builder.build())
    }

    /// All occurrences in each graph of a data set, whose labels must not be qualified.
    pub fn occurrences(&self, dataset: &Dataset) -> Vec<Vec<Occurrence>> {
        let set = self.pattern(dataset).and_then(|pattern| PatternSet::from_graphs(&[pattern]).ok());
        let Some(set) = set else { return vec![Vec::new(); dataset.len()] };
        let mut scratch = Scratch::default();
        dataset.graphs.iter().map(|graph| set.occurrences(0, graph, usize::MAX, &mut scratch)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_branches_and_bonds_are_read() {
        let ring = Group::new("C1:C:C:C:C:C:1");
        assert_eq!((ring.labels.len(), ring.bonds.len()), (6, 6));
        assert!(ring.bonds.contains(&(0, 5, "aromatic")));
        let branched = Group::new("C-C(-F)(=O)-Cl");
        assert_eq!(branched.labels, ["C", "C", "F", "O", "Cl"]);
        assert_eq!(branched.bonds, [(0, 1, "single"), (1, 2, "single"), (1, 3, "double"), (1, 4, "single")]);
    }
}
