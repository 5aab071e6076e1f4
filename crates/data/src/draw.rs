//! A pattern on one line, for people: `C-C(-N)=O`, `C1-C-C-C-C-C-1`.
//!
//! A vertex is its name, an edge `-`, branches stand in parentheses and a number marks where a ring is closed: `C-1` is
//! an edge back to the vertex that carries a 1. Where the data have several edge labels, bonds are written as chemists
//! do (`-`, `=`, `#`, `:`) and any other label as `~x~`. A name that could be taken for something else is put into
//! brackets. What a vertex must have stands in brackets behind its name: `C-N[H2]`; a halogen that is known is called
//! by its element.
//!
//! Promise: isomorphic patterns given by their minimum DFS code have the same text, and different patterns over one
//! pair of vocabularies and table have different texts, unless two labels have the same name. The inverse, which only
//! the tests need, is in the tests.

use crate::names::Names;
use crate::qualify::{HALOGEN, Phrase, Qualifiers, halogen_name};
use einsicht_graph::{EdgeId, Graph, VertexId};
use std::cmp::Reverse;
/// Draws a connected pattern on one line, with its qualifiers.
pub(crate) fn one_line(pattern: &Graph, names: Names<'_>) -> String {
    let has_rings = pattern.num_edges() >= pattern.num_vertices();
    let vertex = |v: VertexId, rings: &str| {
        let (label, set) = called(pattern, v, names);
        let mut text = name(label, has_rings);
        if set != 0 {
            let listed = Qualifiers::bits(set).map(|bit| escaped(&names.qualifiers.name(bit)).replace(',', "\\,"));
            text += &format!("[{}]", listed.collect::<Vec<_>>().join(","));
        }
        text + rings
    };
    drawn(pattern, vertex, |e| edge_text(pattern, e, names))
}

/// A connected pattern in words: `N with 2 H - C in a ring`. Branches and rings are as in [`one_line`], the number of a
/// ring behind the name.
pub(crate) fn words(pattern: &Graph, names: Names<'_>) -> String {
    let has_rings = pattern.num_edges() >= pattern.num_vertices();
    let vertex = |v: VertexId, rings: &str| {
        let (label, set) = called(pattern, v, names);
        let full = halogen_name(label).filter(|_| names.qualifiers.merges_halogens());
        let is_any_halogen = label == HALOGEN && names.qualifiers.merges_halogens();
        let label = full.map_or_else(|| name(label, has_rings), str::to_owned);
        let mut text = if is_any_halogen { "halogen".to_owned() } else { label } + rings;
        let of = |phrase| Qualifiers::bits(set).filter(move |&bit| names.qualifiers.phrase(bit) == phrase);
        let joined = |phrase| of(phrase).map(|bit| names.qualifiers.words(bit)).collect::<Vec<_>>().join(", ");
        let (with, after) = (joined(Phrase::With), joined(Phrase::After));
        if !with.is_empty() {
            text += &format!(" with {with}");
        }
        if !after.is_empty() {
            text += if with.is_empty() { " " } else { ", " };
            text += &after;
        }
        text
    };
    drawn(pattern, vertex, |e| format!(" {} ", edge_text(pattern, e, names)))
}

/// The name of a vertex and what else it must have: an element is a name.
fn called<'a>(pattern: &Graph, v: VertexId, names: Names<'a>) -> (&'a str, u64) {
    let (label, set) = (names.vertex_labels.name(pattern.vertex_label(v)), pattern.qualifiers(v));
    let element = names.qualifiers.element(set).filter(|_| label == HALOGEN);
    element.unwrap_or((label, set))
}

fn edge_text(pattern: &Graph, e: EdgeId, names: Names<'_>) -> String {
    match names.edge_labels.len() {
        ..=1 => "-".to_owned(),
        _ => bond(names.edge_labels.name(pattern.edges()[e.index()].label)),
    }
}

/// Draws a pattern: `vertex` writes a vertex with the marks of its rings, `edge` an edge.
fn drawn(pattern: &Graph, vertex: impl Fn(VertexId, &str) -> String, edge: impl Fn(EdgeId) -> String) -> String {
    let walk = Walk::new(pattern);
    let mut text = String::new();
    let mut stack = Vec::new();
    stack.extend(walk.root.map(Piece::Vertex));
    while let Some(piece) = stack.pop() {
        let here = match piece {
            Piece::Text(piece) => {
                text += piece;
                continue;
            }
            Piece::Edge(e) => {
                text += &edge(e);
                continue;
            }
            Piece::Vertex(v) => v,
        };
        text += &vertex(here, &ring_marks(&walk.opening[here.index()]));
        for &(number, e) in &walk.closing[here.index()] {
            text += &edge(e);
            text += &number.to_string();
        }
        for (at, &(e, child)) in walk.children[here.index()].iter().enumerate().rev() {
            let last = at + 1 == walk.children[here.index()].len();
            let (open, close) = if last { ("", "") } else { ("(", ")") };
            stack.extend([Piece::Text(close), Piece::Vertex(child), Piece::Edge(e), Piece::Text(open)]);
        }
    }
    text
}

/// What is still to be written.
#[derive(Clone, Copy)]
enum Piece {
    Text(&'static str),
    Edge(EdgeId),
    Vertex(VertexId),
}

/// Numbers of the rings that are closed at a vertex further on: `1`, `12` are two rings, so larger numbers
/// are set apart.
fn ring_marks(numbers: &[usize]) -> String {
    numbers.iter().map(|&n| if n < 10 { n.to_string() } else { format!("%{n}") }).collect()
}

/// A name, in brackets if it could be misread.
fn name(name: &str, has_rings: bool) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '*' || c == '+' || c == '.';
    let digit = |c: char| c.is_ascii_digit();
    // `a1` is a vertex where a ring begins, and where there are rings, `-1` closes one.
    let looks_like_ring = name.ends_with(digit) && (has_rings || !name.chars().all(digit));
    if !name.is_empty() && name.chars().all(plain) && !looks_like_ring {
        name.to_owned()
    } else {
        format!("[{}]", escaped(name))
    }
}

/// A text that can stand in brackets.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn bond(name: &str) -> String {
    match name {
        "single" => "-".to_owned(),
        "double" => "=".to_owned(),
        "triple" => "#".to_owned(),
        "aromatic" => ":".to_owned(),
        other => format!("~{}~", self::name(other, false)),
    }
}

/// A depth-first walk over the pattern: what is drawn where.
struct Walk {
    root: Option<VertexId>,
    /// The branches at each vertex, the largest last.
    children: Vec<Vec<(EdgeId, VertexId)>>,
    /// Numbers of the rings that begin at each vertex.
    opening: Vec<Vec<usize>>,
    /// Numbers and edges of the rings that end at each vertex.
    closing: Vec<Vec<(usize, EdgeId)>>,
}

impl Walk {
    fn new(pattern: &Graph) -> Self {
        let n = pattern.num_vertices();
        let root = root(pattern);
        let mut walk =
            Self { root, children: vec![Vec::new(); n], opening: vec![Vec::new(); n], closing: vec![Vec::new(); n] };
        // Place in the order of the walk, the vertices in that order, and the way they were reached.
        let (mut time, mut order) = (vec![usize::MAX; n], Vec::new());
        let mut stack: Vec<(VertexId, usize)> = Vec::new();
        if let Some(root) = root {
            time[root.index()] = 0;
            order.push(root);
            stack.push((root, 0));
        }
        while let Some((here, next)) = stack.last_mut() {
            let here = *here;
            let Some(neighbor) = pattern.neighbors(here).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if time[neighbor.vertex.index()] == usize::MAX {
                time[neighbor.vertex.index()] = order.len();
                order.push(neighbor.vertex);
                walk.children[here.index()].push((neighbor.edge, neighbor.vertex));
                stack.push((neighbor.vertex, 0));
            }
        }
        let mut sizes = vec![1_usize; n];
        for &v in order.iter().rev() {
            sizes[v.index()] += walk.children[v.index()].iter().map(|(_, child)| sizes[child.index()]).sum::<usize>();
            // Stable: among branches of one size the order of the walk stays.
            walk.children[v.index()].sort_by_key(|(_, child)| sizes[child.index()]);
        }
        walk.close_rings(pattern, &time);
        walk
    }

    /// Numbers the edges that the walk did not follow, in the order in which their upper ends are drawn.
    fn close_rings(&mut self, pattern: &Graph, time: &[usize]) {
        let mut number = 0;
        let mut stack = Vec::from_iter(self.root);
        while let Some(here) = stack.pop() {
            stack.extend(self.children[here.index()].iter().rev().map(|&(_, child)| child));
            for neighbor in pattern.neighbors(here) {
                let below = time[neighbor.vertex.index()] > time[here.index()];
                let followed = self.children[here.index()].iter().any(|&(edge, _)| edge == neighbor.edge);
                if below && !followed {
                    number += 1;
                    self.opening[here.index()].push(number);
                    self.closing[neighbor.vertex.index()].push((number, neighbor.edge));
                }
            }
        }
    }
}

/// Where to begin: at an end of the pattern, if it has one, that is farthest from what is farthest from it.
fn root(pattern: &Graph) -> Option<VertexId> {
    let least = pattern.vertices().map(|v| pattern.degree(v)).min()?;
    let ends = pattern.vertices().filter(|&v| pattern.degree(v) == least);
    ends.min_by_key(|&v| (Reverse(distance_to_farthest(pattern, v)), v))
}

fn distance_to_farthest(pattern: &Graph, from: VertexId) -> usize {
    let mut reached = vec![false; pattern.num_vertices()];
    reached[from.index()] = true;
    let (mut ring, mut steps) = (vec![from], 0);
    loop {
        let mut next = Vec::new();
        for neighbor in ring.iter().flat_map(|&v| pattern.neighbors(v)) {
            if !std::mem::replace(&mut reached[neighbor.vertex.index()], true) {
                next.push(neighbor.vertex);
            }
        }
        if next.is_empty() {
            return steps;
        }
        (ring, steps) = (next, steps + 1);
    }
}

#[cfg(test)]
mod tests;
