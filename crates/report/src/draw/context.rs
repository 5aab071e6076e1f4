//! The ring around a piece of a ring: a chemist reads a zigzag of aromatic bonds as a chain, and the ring it comes from
//! at once.
//!
//! Promise: what is added is taken from a real graph that contains the pattern, and is drawn grey; the pattern itself
//! stays as it is. Only aromatic bonds are completed, since only they must be in a ring.

use super::Bond;
use super::palette::Palette;
use super::svg::{Drawing, draw_with_rest};
use einsicht_graph::matching::{Occurrence, PatternSet, Scratch};
use einsicht_graph::{DfsCode, EdgeId, Graph, VertexId};
use std::collections::VecDeque;

/// Occurrences that are tried in an example.
const OCCURRENCES: usize = 12;

/// Draws a pattern with the rest of its aromatic rings in a graph where it occurs, both with labels of the palette.
/// Nothing if the pattern has no piece of a ring.
///
/// # Panics
/// If a label is not one of the palette's.
pub(crate) fn draw_in_rings(
    pattern: &Graph,
    example: &Graph,
    occurrence: &Occurrence,
    palette: &Palette,
) -> Option<Drawing> {
    if !has_open_ring(pattern, palette) {
        return None;
    }
    let images = align(pattern, example, occurrence)?;
    with_rest(pattern, images, (example, occurrence), palette)
}

/// The same in the first of some pieces of real graphs that contains the pattern; what it requires of its vertices need
/// not be known there.
///
/// # Panics
/// If a label is not one of the palette's.
pub(crate) fn draw_in_known_rings(pattern: &Graph, examples: &[Graph], palette: &Palette) -> Option<Drawing> {
    if !has_open_ring(pattern, palette) {
        return None;
    }
    let mut bare = pattern.clone();
    bare.set_qualifiers(Vec::new());
    let (set, mut scratch) = (PatternSet::new(&[DfsCode::minimum_of(&bare)?]), Scratch::default());
    examples.iter().find_map(|example| {
        let occurrences = set.occurrences(0, example, OCCURRENCES, &mut scratch);
        occurrences.into_iter().find_map(|occurrence| {
            let images = align(&bare, example, &occurrence)?;
            with_rest(pattern, images, (example, &occurrence), palette)
        })
    })
}

/// Whether a graph has a whole aromatic ring.
pub(crate) fn has_ring(graph: &Graph, palette: &Palette) -> bool {
    palette.is_chemical() && aromatic_edges(graph, palette).any(|edge| shortest_way(graph, edge, palette).is_some())
}

/// A pattern whose vertices have these images in an occurrence, with the rest of the rings around it; nothing if there
/// is none.
fn with_rest(
    pattern: &Graph,
    images: Vec<VertexId>,
    (example, occurrence): (&Graph, &Occurrence),
    palette: &Palette,
) -> Option<Drawing> {
    let mut edges = occurrence.edges.clone();
    for &edge in &occurrence.edges {
        if is_aromatic(example, edge, palette) {
            edges.extend(ring_around(example, edge, &edges, palette));
        }
    }
    let rest = &edges[occurrence.edges.len()..];
    if rest.is_empty() {
        return None;
    }
    let whole = joined(pattern, example, images, rest)?;
    Some(draw_with_rest(&whole, palette, [pattern.num_vertices(), pattern.num_edges()]))
}

fn bond(graph: &Graph, edge: EdgeId, palette: &Palette) -> Option<Bond> {
    palette.bonds[graph.edges()[edge.index()].label.index()]
}

fn is_aromatic(graph: &Graph, edge: EdgeId, palette: &Palette) -> bool {
    bond(graph, edge, palette) == Some(Bond::Aromatic)
}

/// Whether an aromatic bond of a pattern is in no ring of the pattern.
fn has_open_ring(pattern: &Graph, palette: &Palette) -> bool {
    palette.is_chemical() && aromatic_edges(pattern, palette).any(|edge| shortest_way(pattern, edge, palette).is_none())
}

fn aromatic_edges<'a>(graph: &'a Graph, palette: &'a Palette) -> impl Iterator<Item = EdgeId> {
    let edges = (0..graph.num_edges()).map(|edge| EdgeId(edge as u32));
    edges.filter(move |&edge| is_aromatic(graph, edge, palette))
}

/// The images of the pattern's vertices in an occurrence.
fn align(pattern: &Graph, example: &Graph, occurrence: &Occurrence) -> Option<Vec<VertexId>> {
    let mut images = Vec::with_capacity(pattern.num_vertices());
    extend(pattern, example, occurrence, &mut images).then_some(images)
}

fn extend(pattern: &Graph, example: &Graph, occurrence: &Occurrence, images: &mut Vec<VertexId>) -> bool {
    if images.len() == pattern.num_vertices() {
        return true;
    }
    let here = VertexId(images.len() as u32);
    for &image in &occurrence.vertices {
        let required = pattern.qualifiers(here);
        let is_same = pattern.vertex_label(here) == example.vertex_label(image)
            && required & example.qualifiers(image) == required
            && !images.contains(&image);
        let mut known = pattern.neighbors(here).iter().filter(|neighbor| neighbor.vertex.index() < images.len());
        let fits = known.all(|neighbor| {
            let label = pattern.edges()[neighbor.edge.index()].label;
            let found = example.edge_between(image, images[neighbor.vertex.index()]);
            found.is_some_and(|found| {
                example.edges()[found.edge.index()].label == label && occurrence.edges.contains(&found.edge)
            })
        });
        if is_same && fits {
            images.push(image);
            if extend(pattern, example, occurrence, images) {
                return true;
            }
            images.pop();
        }
    }
    false
}

/// The edges of the smallest aromatic ring through an edge that are not known; nothing if they are all known or there
/// is no ring.
fn ring_around(graph: &Graph, edge: EdgeId, known: &[EdgeId], palette: &Palette) -> Vec<EdgeId> {
    let way = shortest_way(graph, edge, palette).unwrap_or_default();
    way.into_iter().filter(|edge| !known.contains(edge)).collect()
}

/// The shortest way over aromatic atoms from one end of an edge to the other, without the edge. Its bonds need not be
/// aromatic: that which two rings share may be a single one (azulene), and the way around both is no ring.
fn shortest_way(graph: &Graph, edge: EdgeId, palette: &Palette) -> Option<Vec<EdgeId>> {
    let is_aromatic_atom =
        |vertex: VertexId| graph.neighbors(vertex).iter().any(|neighbor| is_aromatic(graph, neighbor.edge, palette));
    let (from, to) = (graph.edges()[edge.index()].from, graph.edges()[edge.index()].to);
    let mut before: Vec<Option<(VertexId, EdgeId)>> = vec![None; graph.num_vertices()];
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        for neighbor in graph.neighbors(here) {
            let is_new = before[neighbor.vertex.index()].is_none() && neighbor.vertex != from;
            if neighbor.edge != edge && is_new && is_aromatic_atom(neighbor.vertex) {
                before[neighbor.vertex.index()] = Some((here, neighbor.edge));
                queue.push_back(neighbor.vertex);
            }
        }
    }
    let (mut way, mut here) = (Vec::new(), to);
    while here != from {
        let (earlier, edge) = before[here.index()]?;
        way.push(edge);
        here = earlier;
    }
    Some(way)
}

/// The pattern with further edges of the example, its own vertices and edges first.
fn joined(pattern: &Graph, example: &Graph, mut images: Vec<VertexId>, rest: &[EdgeId]) -> Option<Graph> {
    let mut builder = Graph::builder();
    let mut qualifiers = pattern.all_qualifiers().to_vec();
    for vertex in pattern.vertices() {
        builder.add_vertex(pattern.vertex_label(vertex)).ok()?;
    }
    for edge in pattern.edges() {
        builder.add_edge(edge.from, edge.to, edge.label).ok()?;
    }
    for &edge in rest {
        let edge = &example.edges()[edge.index()];
        let mut ends = [VertexId(0); 2];
        for (end, image) in ends.iter_mut().zip([edge.from, edge.to]) {
            *end = if let Some(known) = images.iter().position(|known| *known == image) {
                VertexId(known as u32)
            } else {
                images.push(image);
                builder.add_vertex(example.vertex_label(image)).ok()?
            };
        }
        builder.add_edge(ends[0], ends[1], edge.label).ok()?;
    }
    let mut whole = builder.build();
    if !qualifiers.is_empty() {
        qualifiers.resize(whole.num_vertices(), 0);
        whole.set_qualifiers(qualifiers);
    }
    Some(whole)
}
