//! Embeddings made from smaller ones: of one edge from the graph, of a pattern from those without its last edge.
//!
//! Promise: every embedding is made exactly once, in a fixed order. Tested through the miner against the oracle.

use super::list::{Embedding, EmbeddingList};
use crate::canon::DfsEdge;
use crate::database::{Database, TypeLabels};
use crate::ids::Label;
use crate::stop;
use std::collections::BTreeMap;

/// The frequent patterns of one edge with their embeddings, in the order of their codes.
pub(crate) fn one_edge_patterns<E: Embedding>(db: &Database, min_support: usize) -> Vec<(DfsEdge, EmbeddingList<E>)> {
    let mut found: BTreeMap<(Label, u32), EmbeddingList<E>> = BTreeMap::new();
    for graph in 0..db.num_graphs() as u32 {
        for (from, to, from_label, ty) in db.one_edge_embeddings(graph) {
            found.entry((from_label, ty)).or_default().push(graph, E::EMPTY.with(0, from.0).with(1, to.0));
        }
    }
    let frequent = found.into_iter().filter(|(_, embeddings)| embeddings.graphs().len() >= min_support);
    frequent
        .map(|((from_label, ty), embeddings)| {
            let TypeLabels { edge: edge_label, vertex: to_label } = db.labels_of(ty);
            (DfsEdge { from: 0, to: 1, from_label, edge_label, to_label }, embeddings)
        })
        .collect()
}

/// The frequent patterns of a single vertex with their embeddings, in the order of their labels.
pub(crate) fn one_vertex_patterns<E: Embedding>(db: &Database, min_support: usize) -> Vec<(Label, EmbeddingList<E>)> {
    let mut found: BTreeMap<Label, EmbeddingList<E>> = BTreeMap::new();
    for graph in 0..db.num_graphs() as u32 {
        for vertex in 0..db.num_vertices(graph) {
            let label = db.vertex_label(db.base(graph) + vertex as usize);
            found.entry(label).or_default().push(graph, E::EMPTY.with(0, vertex));
        }
    }
    found.into_iter().filter(|(_, embeddings)| embeddings.graphs().len() >= min_support).collect()
}

/// Extends the embeddings in one graph by one given edge.
pub(crate) fn extend_embeddings<E: Embedding>(
    db: &Database,
    graph: u32,
    embeddings: &[E],
    edge: &DfsEdge,
    mut keep: impl FnMut(E),
) {
    let base = db.base(graph);
    let ty = db.type_of(edge.edge_label, edge.to_label);
    for some in embeddings.chunks(stop::CHUNK) {
        stop::work(1 + some.len());
        for embedding in some {
            let adjacent = db.neighbors(base + embedding.get(edge.from as usize) as usize);
            // Few neighbours: looking at each is faster than searching for the first of this type.
            for a in adjacent.iter().filter(|a| Some(a.ty) == ty) {
                if edge.is_forward() {
                    if !embedding.contains(a.vertex) {
                        keep(embedding.with(edge.to as usize, a.vertex));
                    }
                } else if embedding.get(edge.to as usize) == a.vertex {
                    keep(*embedding);
                }
            }
        }
    }
}

/// All embeddings of a single vertex in one graph.
pub(crate) fn vertex_embeddings<E: Embedding>(db: &Database, graph: u32, label: Label, embeddings: &mut Vec<E>) {
    let base = db.base(graph);
    let with_label = (0..db.num_vertices(graph)).filter(|&v| db.vertex_label(base + v as usize) == label);
    embeddings.clear();
    embeddings.extend(with_label.map(|vertex| E::EMPTY.with(0, vertex)));
}

/// All embeddings of a code in one graph, recomputed from its first edge. `buffer` is working memory.
pub(crate) fn enumerate_embeddings<E: Embedding>(
    db: &Database,
    graph: u32,
    code: &[DfsEdge],
    embeddings: &mut Vec<E>,
    buffer: &mut Vec<E>,
) {
    embeddings.clear();
    let first = code[0];
    let ty = db.type_of(first.edge_label, first.to_label);
    let base = db.base(graph);
    for from in 0..db.num_vertices(graph) {
        if db.vertex_label(base + from as usize) == first.from_label {
            for a in db.neighbors(base + from as usize).iter().filter(|a| Some(a.ty) == ty) {
                embeddings.push(E::EMPTY.with(0, from).with(1, a.vertex));
            }
        }
    }
    for edge in &code[1..] {
        buffer.clear();
        extend_embeddings(db, graph, embeddings, edge, |embedding| buffer.push(embedding));
        std::mem::swap(embeddings, buffer);
    }
}
