//! A graph network beside the mining layer: `f(G) = FFN(GNN(G) (+) sigmoid(h(G)))`.
//!
//! Everything is written by hand on flat slices, graph by graph. Promise: sums over graphs run in one order, in chunks
//! of a fixed length, so the number of threads changes no bit.

mod branch;
mod gin;
mod matrix;
mod norm;

pub use branch::{GnnBranch, GnnBuffers};
pub use gin::Trace;
pub use gin::{Gin, Pooling, Readout};
pub use norm::Normalization;

use crate::side::GraphInput;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The graph network beside the mining layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gnn {
    /// None.
    #[default]
    None,
    /// A graph isomorphism network.
    Gin,
}

/// Graphs whose gradients are added up by one worker. Part of the result: it fixes the order of sums.
const CHUNK: usize = 4;

impl Gin {
    /// Readouts of all graphs, one after the other.
    pub fn rows(&self, parameters: &[f64], graphs: &[GraphInput]) -> Vec<f64> {
        let mut rows = vec![0.0; graphs.len() * self.outputs()];
        rows.par_chunks_mut(CHUNK * self.outputs()).zip(graphs.par_chunks(CHUNK)).for_each(|(rows, graphs)| {
            let mut trace = Trace::default();
            for (row, graph) in rows.chunks_exact_mut(self.outputs()).zip(graphs) {
                self.forward(parameters, graph, &mut trace, row);
            }
        });
        rows
    }

    /// Readouts of some graphs with the traces of their forward passes.
    pub fn traced_rows(&self, parameters: &[f64], graphs: &[&GraphInput]) -> (Vec<f64>, Vec<Trace>) {
        let mut rows = vec![0.0; graphs.len() * self.outputs()];
        let mut traces = vec![Trace::default(); graphs.len()];
        let pairs = rows.par_chunks_mut(self.outputs()).zip(&mut traces);
        pairs.zip(graphs).for_each(|((row, trace), graph)| self.forward(parameters, graph, trace, row));
        (rows, traces)
    }

    /// Backpropagates the gradients of the readouts and adds those of the parameters to `gradient`.
    pub fn add_traced_gradient(
        &self,
        parameters: &[f64],
        graphs: &[&GraphInput],
        traces: &[Trace],
        gradients: &[f64],
        gradient: &mut [f64],
    ) {
        let width = self.outputs();
        let chunks = graphs.par_chunks(CHUNK).zip(traces.par_chunks(CHUNK)).zip(gradients.par_chunks(CHUNK * width));
        let of_chunks: Vec<Vec<f64>> = chunks
            .map(|((graphs, traces), gradients)| {
                let mut sum = vec![0.0; parameters.len()];
                for ((graph, trace), gradients) in graphs.iter().zip(traces).zip(gradients.chunks_exact(width)) {
                    self.add_gradient(parameters, graph, trace, gradients, &mut sum);
                }
                sum
            })
            .collect();
        for part in of_chunks {
            for (sum, part) in gradient.iter_mut().zip(part) {
                *sum += part;
            }
        }
    }

    /// Gradient with respect to the parameters, from the gradients of the readouts of all graphs.
    pub fn gradient(&self, parameters: &[f64], graphs: &[GraphInput], gradients: &[f64]) -> Vec<f64> {
        /// Graphs whose traces are held at once.
        const HELD: usize = 64 * CHUNK;
        let mut gradient = vec![0.0; parameters.len()];
        for (graphs, gradients) in graphs.chunks(HELD).zip(gradients.chunks(HELD * self.outputs())) {
            let graphs: Vec<&GraphInput> = graphs.iter().collect();
            let (_, traces) = self.traced_rows(parameters, &graphs);
            self.add_traced_gradient(parameters, &graphs, &traces, gradients, &mut gradient);
        }
        gradient
    }
}
