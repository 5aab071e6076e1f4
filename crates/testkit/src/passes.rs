//! Sequences of search passes as in a training: delta moves, the best competitors become active.
//!
//! For comparing searches over whole sequences of queries; [`bits`] is what must be equal.

use crate::strategy::{Dice, Shape};
use einsicht_graph::Graph;
use einsicht_search::{ActivePattern, SearchResult};

/// Hidden units of every delta here.
pub const HIDDEN: usize = 3;

/// Everything in a result that must be equal, floats as bits.
pub fn bits(found: &SearchResult) -> impl PartialEq + std::fmt::Debug + use<> {
    let all = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let candidates: Vec<_> = found
        .candidates
        .iter()
        .map(|c| {
            let support = (c.support.graphs().to_vec(), c.support.counts().to_vec());
            (c.code.clone(), support, all(&c.gradient), c.score.to_bits())
        })
        .collect();
    let active: Vec<_> = found.active.iter().map(|a| (all(&a.gradient), a.score.to_bits())).collect();
    (candidates, active, found.zeta.to_bits())
}

/// Passes over one set: delta moves, the best competitors become active.
pub struct Wander {
    dice: Dice,
    /// One row per graph.
    pub delta: Vec<f64>,
    /// How far delta moves in a pass.
    stride: f64,
    /// The patterns in use.
    pub active: Vec<ActivePattern>,
}

impl Wander {
    /// A first delta for this many graphs.
    pub fn new(seed: u64, graphs: usize) -> Self {
        let mut dice = Dice::new(seed);
        // Whole numbers at first, so that many scores are equal.
        let delta = (0..graphs * HIDDEN).map(|_| f64::from(dice.below(5)) - 2.0).collect();
        Self { dice, delta, stride: 1.0, active: Vec::new() }
    }

    /// Moves delta; the `size` best competitors of the result become active.
    pub fn go_on(&mut self, found: &SearchResult, size: usize) {
        for value in &mut self.delta {
            *value += self.stride * (f64::from(self.dice.below(2001)) / 1000.0 - 1.0);
        }
        self.stride *= 0.3;
        let mut ranked: Vec<(f64, ActivePattern)> = found
            .candidates
            .iter()
            .map(|c| {
                let weights = c.gradient.iter().map(|g| -0.1 * g).collect();
                (c.score, ActivePattern { code: c.code.clone(), support: c.support.clone(), weights, pinned: false })
            })
            .collect();
        ranked.extend(self.active.drain(..).zip(&found.active).map(|(a, s)| (s.score, a)));
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.code.cmp_by_size(&b.1.code)));
        self.active = ranked.into_iter().take(size).map(|(_, a)| a).collect();
    }
}

/// A dozen small random graphs.
pub fn set(seed: u64) -> Vec<Graph> {
    let mut dice = Dice::new(seed);
    let shape = Shape { vertices: 7, edges: 9, vertex_labels: 2, edge_labels: 2 };
    (0..12).map(|_| dice.connected_graph(shape)).collect()
}

/// Half a dozen smaller ones whose vertices have properties.
pub fn qualified_set(seed: u64) -> Vec<Graph> {
    let mut dice = Dice::new(seed);
    let shape = Shape { vertices: 5, edges: 6, vertex_labels: 2, edge_labels: 1 };
    let mut graphs: Vec<Graph> = (0..6).map(|_| dice.connected_graph(shape)).collect();
    for graph in &mut graphs {
        dice.qualify(graph);
    }
    graphs
}
