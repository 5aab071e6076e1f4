//! A pattern on one line, for people: `C-C(-N)=O`, `C1-C-C-C-C-C-1`.
//!
//! A vertex is its name, an edge `-`, branches stand in parentheses and a number marks where a ring is
//! closed: `C-1` is an edge back to the vertex that carries a 1. Where the data have several edge labels, bonds
//! are written as chemists do (`-`, `=`, `#`, `:`) and any other label as `~x~`. A name that could be taken for
//! something else is put into brackets.
//!
//! Promise: isomorphic patterns given by their minimum DFS code have the same text, and different patterns over one pair of
//! vocabularies have different texts, unless two labels have the same name. The inverse, which only the tests need, is
//! in the tests.

use crate::dataset::vocabulary::Vocabulary;
use einsicht_graph::{EdgeId, Graph, VertexId};
use std::cmp::Reverse;

/// Draws a connected pattern on one line.
///
/// ```
/// use einsicht_data::{Vocabulary, draw::on_one_line};
/// use einsicht_graph::{Graph, Label};
/// let (atoms, bonds) = (Vocabulary::from_tokens(["C", "O"]), Vocabulary::from_tokens(["double", "single"]));
/// let mut builder = Graph::builder();
/// let [a, b, c] = [0, 0, 1].map(|label| builder.add_vertex(Label(label)).unwrap());
/// builder.add_edge(a, b, Label(1)).unwrap();
/// builder.add_edge(b, c, Label(0)).unwrap();
/// assert_eq!(on_one_line(&builder.build(), &atoms, &bonds), "C-C=O");
/// ```
///
/// # Panics
/// If a label is not one of the vocabularies.
pub fn on_one_line(pattern: &Graph, vertex_labels: &Vocabulary, edge_labels: &Vocabulary) -> String {
    let walk = Walk::new(pattern);
    let has_rings = walk.closing.iter().any(|here| !here.is_empty());
    let vertex = |v: VertexId| name(vertex_labels.name(pattern.vertex_label(v)), has_rings);
    let edge = |e: EdgeId| match edge_labels.len() {
        ..=1 => "-".to_owned(),
        _ => bond(edge_labels.name(pattern.edges()[e.index()].label)),
    };
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
        text += &vertex(here);
        text += &ring_marks(&walk.opening[here.index()]);
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
        format!("[{}]", name.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"))
    }
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
