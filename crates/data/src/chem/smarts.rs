//! A pattern of a chemical vocabulary as SMARTS, so that a chemist can search with it elsewhere.
//!
//! Promise: if every vertex label names an element, a SMARTS engine with RDKit's aromaticity finds the text in exactly
//! the molecules whose graphs contain the pattern. A label that says nothing about aromaticity matches both kinds of
//! atom (`[#6]`), unless the vocabulary has aromatic labels at all; likewise one without a charge has none (`[#7+0]`)
//! where others have one. Qualifiers that SMARTS cannot say, such as a property of the user's own, have no text at all.
//! Bonds of unknown or directed kind become `~`, any bond: there the text may match more.
//!
//! Knows nothing of how graphs are mined. The inverse is `read`. Tested with RDKit in
//! `python/tests/against_libraries/test_rdkit_smarts.py`.

mod atom;
mod read;

pub use atom::element_of_label;
pub(crate) use atom::parse_label;
pub use read::SmartsError;
pub(crate) use read::read_smarts;

use crate::dataset::vocabulary::Vocabulary;
use crate::names::Names;
use atom::{AtomLabel, Said, atom_smarts};
use einsicht_graph::{Graph, Label, VertexId};
use std::fmt::Write;

/// A pattern as SMARTS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smarts {
    /// The text.
    pub text: String,
    /// The vertex of each atom of the text, in its order.
    pub atoms: Vec<VertexId>,
}

/// The pattern as SMARTS, or `None` if a vertex label is not an element, or a qualifier none that SMARTS knows.
pub(crate) fn smarts_of(pattern: &Graph, names: Names<'_>) -> Option<Smarts> {
    let Names { vertex_labels, edge_labels, qualifiers } = names;
    let said = Said { aromatic: has_aromatic_labels(vertex_labels), charge: has_charged_labels(vertex_labels) };
    let atom =
        |v: VertexId| atom_smarts(vertex_labels.name(pattern.vertex_label(v)), said, pattern.qualifiers(v), qualifiers);
    let atoms: Vec<String> = pattern.vertices().map(atom).collect::<Option<_>>()?;
    let bonds: Vec<&str> = pattern.edges().iter().map(|e| bond_smarts(edge_labels.name(e.label))).collect();
    let closures = ring_closures(pattern);
    let mut seen = vec![false; pattern.num_vertices()];
    let (mut text, mut order) = (String::new(), Vec::new());
    for start in pattern.vertices() {
        if seen[start.index()] {
            continue;
        }
        let mut stack = vec![Piece::Atom(start)];
        if !text.is_empty() {
            text.push('.');
        }
        while let Some(piece) = stack.pop() {
            let vertex = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Atom(vertex) => vertex,
            };
            seen[vertex.index()] = true;
            text.push_str(&atoms[vertex.index()]);
            order.push(vertex);
            let mut pieces = Vec::new();
            for neighbor in pattern.neighbors(vertex) {
                let bond = bonds[neighbor.edge.index()];
                match closures[neighbor.edge.index()] {
                    Some(number @ 1..10) => write!(text, "{bond}{number}").ok()?,
                    Some(number @ 10..100) => write!(text, "{bond}%{number}").ok()?,
                    Some(number) => write!(text, "{bond}%({number})").ok()?,
                    None if seen[neighbor.vertex.index()] => {}
                    None => {
                        pieces.extend([Piece::Text("("), Piece::Text(bond), Piece::Atom(neighbor.vertex)]);
                        pieces.push(Piece::Text(")"));
                    }
                }
            }
            // The last branch has no parentheses.
            if let [.., open, _, _, close] = pieces.as_mut_slice() {
                (*open, *close) = (Piece::Text(""), Piece::Text(""));
            }
            stack.extend(pieces.into_iter().rev());
        }
    }
    Some(Smarts { text, atoms: order })
}

/// Whether labels of atoms say that they are aromatic.
pub(crate) fn has_aromatic_labels(labels: &Vocabulary) -> bool {
    atoms(labels).any(|atom| atom.aromatic)
}

/// Whether labels of atoms say their charge.
pub(crate) fn has_charged_labels(labels: &Vocabulary) -> bool {
    atoms(labels).any(|atom| atom.charge.is_some())
}

fn atoms(labels: &Vocabulary) -> impl Iterator<Item = AtomLabel> {
    (0..labels.len() as u32).filter_map(|at| parse_label(labels.name(Label(at))))
}

/// What is still to be written.
#[derive(Clone, Copy)]
enum Piece {
    Text(&'static str),
    Atom(VertexId),
}

fn bond_smarts(name: &str) -> &'static str {
    match name {
        "single" => "-",
        "double" => "=",
        "triple" => "#",
        "quadruple" => "$",
        "aromatic" => ":",
        _ => "~",
    }
}

/// For each edge that closes a ring of the depth-first walk from the first vertex of each component:
/// its number from 1. All other edges make a forest.
fn ring_closures(pattern: &Graph) -> Vec<Option<usize>> {
    let mut closures = vec![None; pattern.num_edges()];
    let mut used = vec![false; pattern.num_edges()];
    let mut seen = vec![false; pattern.num_vertices()];
    let mut count = 0;
    for start in pattern.vertices() {
        if seen[start.index()] {
            continue;
        }
        seen[start.index()] = true;
        let mut stack = vec![(start, 0)];
        while let Some((vertex, next)) = stack.last_mut() {
            let Some(neighbor) = pattern.neighbors(*vertex).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if std::mem::replace(&mut used[neighbor.edge.index()], true) {
                continue;
            }
            if std::mem::replace(&mut seen[neighbor.vertex.index()], true) {
                count += 1;
                closures[neighbor.edge.index()] = Some(count);
            } else {
                stack.push((neighbor.vertex, 0));
            }
        }
    }
    closures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern from tokens and edges `(from, to, token)`.
    fn smarts(atoms: &[&str], edges: &[(u32, u32, &str)]) -> Option<String> {
        let vertices = Vocabulary::from_tokens(atoms.iter().copied());
        let bonds = Vocabulary::from_tokens(edges.iter().map(|e| e.2));
        let mut builder = Graph::builder();
        for atom in atoms {
            builder.add_vertex(vertices.label(atom).unwrap()).unwrap();
        }
        for &(from, to, bond) in edges {
            builder.add_edge(VertexId(from), VertexId(to), bonds.label(bond).unwrap()).unwrap();
        }
        Names::plain(&vertices, &bonds).smarts(&builder.build())
    }

    #[test]
    fn branches_rings_and_components_are_written() {
        assert_eq!(
            smarts(&["C", "O", "N", "S"], &[(0, 1, "double"), (0, 2, "single"), (0, 3, "single")]).unwrap(),
            "[#6](=[#8])(-[#7])-[#16]"
        );
        let ring: Vec<_> = (0..5).map(|v| (v, (v + 1) % 5, "aromatic")).collect();
        assert_eq!(smarts(&["C", "C", "C", "C", "N"], &ring).unwrap(), "[#6]:1:[#6]:[#6]:[#6]:[#7]:1");
        assert_eq!(smarts(&["C", "C", "O"], &[(0, 1, "")]).unwrap(), "[#6]~[#6].[#8]");
    }

    #[test]
    fn the_vertex_of_each_atom_is_known() {
        let elements = ["C", "O", "N", "S"];
        let (vertices, bonds) = (Vocabulary::from_tokens(elements), Vocabulary::from_tokens([""]));
        for edges in [[(0, 3), (3, 1), (1, 2)], [(2, 0), (2, 3), (3, 1)], [(1, 0), (1, 3), (1, 2)]] {
            let mut builder = Graph::builder();
            for element in elements {
                builder.add_vertex(vertices.label(element).unwrap()).unwrap();
            }
            for (from, to) in edges {
                builder.add_edge(VertexId(from), VertexId(to), Label(0)).unwrap();
            }
            let found = Names::plain(&vertices, &bonds).smarts_with_atoms(&builder.build()).unwrap();
            let numbers = found.atoms.iter().map(|v| ["#6", "#8", "#7", "#16"][v.index()]);
            let in_text = found.text.split('[').skip(1).map(|rest| rest.split(']').next().unwrap());
            assert!(numbers.eq(in_text), "{}", found.text);
        }
    }

    #[test]
    fn aromatic_and_charged_labels_make_plain_ones_aliphatic_and_neutral() {
        assert_eq!(smarts(&["c", "C+"], &[(0, 1, "single")]).unwrap(), "[#6a+0]-[#6A+1]");
        assert_eq!(smarts(&["O-", "N", "C"], &[(0, 1, "single"), (1, 2, "double")]).unwrap(), "[#8-1]-[#7+0]=[#6+0]");
        assert_eq!(smarts(&["CH3", "OH0"], &[(0, 1, "single")]).unwrap(), "[#6h3]-[#8h0]");
    }

    #[test]
    fn a_label_that_is_no_element_has_no_smarts() {
        assert_eq!(smarts(&["C", "7"], &[(0, 1, "single")]), None);
    }

    #[test]
    fn a_long_path_does_not_exhaust_the_stack() {
        let atoms = vec!["C"; 20_000];
        let edges: Vec<_> = (1..20_000).map(|v| (v - 1, v, "single")).collect();
        assert_eq!(smarts(&atoms, &edges).unwrap().matches("[#6]").count(), 20_000);
    }
}
