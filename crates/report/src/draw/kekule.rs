//! Kekulization: aromatic rings as alternating single and double bonds, as a chemist writes them.
//!
//! Every aromatic carbon without a double bond must get exactly one; nitrogen may; oxygen and sulphur never do. If no
//! such assignment exists (the graph is a fragment of a molecule), aromatic bonds stay aromatic.

use super::Bond;
use einsicht_graph::{Edge, Graph, VertexId};

/// Replaces aromatic bonds by single and double ones, component by component, where that is possible.
pub(super) fn kekulize(graph: &Graph, symbols: &[&str], bonds: &[Bond]) -> Vec<Bond> {
    let mut matching = Matching {
        graph,
        bonds,
        double_bonds: symbols.iter().enumerate().map(|(v, symbol)| double_bond(graph, bonds, v, symbol)).collect(),
        partner: vec![None; graph.num_vertices()],
    };
    let mut is_solved = vec![false; graph.num_vertices()];
    let mut seen = vec![false; graph.num_vertices()];
    for start in graph.vertices() {
        let part = aromatic_component(graph, bonds, start, &mut seen);
        // A fragment of a ring has no double bonds: their positions are unknown.
        let in_ring = |v: &usize| {
            let neighbors = graph.neighbors(VertexId(*v as u32)).iter();
            neighbors.filter(|n| bonds[n.edge.index()] == Bond::Aromatic).count() >= 2
        };
        if part.len() >= 2 && part.iter().all(in_ring) && matching.solve(&part) {
            for &v in &part {
                is_solved[v] = true;
            }
        }
    }
    let written = |(edge, &bond): (&Edge, &Bond)| {
        let (from, to) = (edge.from.index(), edge.to.index());
        match bond {
            Bond::Aromatic if is_solved[from] && matching.partner[from] == Some(to) => Bond::Double,
            Bond::Aromatic if is_solved[from] => Bond::Single,
            other => other,
        }
    };
    graph.edges().iter().zip(bonds).map(written).collect()
}

/// The vertices that are connected to a vertex by aromatic bonds.
fn aromatic_component(graph: &Graph, bonds: &[Bond], start: VertexId, seen: &mut [bool]) -> Vec<usize> {
    let mut part = Vec::new();
    let mut stack = vec![start.index()];
    while let Some(here) = stack.pop() {
        if std::mem::replace(&mut seen[here], true) {
            continue;
        }
        part.push(here);
        let next = graph.neighbors(VertexId(here as u32)).iter().filter(|n| bonds[n.edge.index()] == Bond::Aromatic);
        stack.extend(next.map(|n| n.vertex.index()).filter(|&v| !seen[v]));
    }
    part.sort_unstable();
    part
}

/// Whether an atom must, may or must not get a double bond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DoubleBond {
    Must,
    May,
    Rarely,
    Never,
}

fn double_bond(graph: &Graph, bonds: &[Bond], vertex: usize, symbol: &str) -> DoubleBond {
    let neighbors = graph.neighbors(VertexId(vertex as u32));
    let has_double = neighbors.iter().any(|n| bonds[n.edge.index()] == Bond::Double);
    let letter = symbol.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    match letter.to_ascii_lowercase().as_str() {
        _ if has_double => DoubleBond::Never,
        "c" => DoubleBond::Must,
        "n" | "p" | "as" if neighbors.len() == 2 => DoubleBond::May,
        "n" | "p" | "as" => DoubleBond::Rarely,
        _ => DoubleBond::Never,
    }
}

/// Attempts to find a partner for an atom, after which a part stays aromatic.
const MOST_STEPS: usize = 5000;

/// Backtracking search for a partner of every atom that needs a double bond.
struct Matching<'a> {
    graph: &'a Graph,
    bonds: &'a [Bond],
    double_bonds: Vec<DoubleBond>,
    partner: Vec<Option<usize>>,
}

/// An atom that needs a partner, and the partners that are still to be tried.
struct Paired {
    atom: usize,
    left: std::vec::IntoIter<usize>,
}

impl Matching<'_> {
    /// Gives every atom that must have a double bond a partner, the atom with the fewest choices first.
    fn solve(&mut self, part: &[usize]) -> bool {
        let mut paired: Vec<Paired> = Vec::new();
        for _ in 0..MOST_STEPS {
            let waiting =
                part.iter().copied().filter(|&v| self.double_bonds[v] == DoubleBond::Must && self.partner[v].is_none());
            let Some(atom) = waiting.min_by_key(|&v| (self.choices(v).len(), v)) else { return true };
            paired.push(Paired { atom, left: self.choices(atom).into_iter() });
            // The next choice of the last atom that has one.
            loop {
                let Some(last) = paired.last_mut() else { return false };
                if let Some(there) = self.partner[last.atom].take() {
                    self.partner[there] = None;
                }
                if let Some(there) = last.left.next() {
                    self.partner[last.atom] = Some(there);
                    self.partner[there] = Some(last.atom);
                    break;
                }
                paired.pop();
            }
        }
        false
    }

    fn choices(&self, vertex: usize) -> Vec<usize> {
        let neighbors = self.graph.neighbors(VertexId(vertex as u32)).iter();
        let aromatic = neighbors.filter(|n| self.bonds[n.edge.index()] == Bond::Aromatic).map(|n| n.vertex.index());
        let mut free: Vec<usize> =
            aromatic.filter(|&v| self.double_bonds[v] != DoubleBond::Never && self.partner[v].is_none()).collect();
        free.sort_by_key(|&v| (self.double_bonds[v], v));
        free
    }
}
