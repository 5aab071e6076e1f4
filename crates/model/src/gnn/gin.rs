//! The graph isomorphism network (GIN): rounds of summing neighbours, each followed by two dense layers with ReLU.
//!
//! A round gives every vertex `relu(L2 relu(L1 ((1 + epsilon) x + sum of x over its neighbours)))`, where each dense
//! layer may be followed by a normalization (`norm.rs`); the output of a graph (its readout) pools the values of its
//! vertices after the last round, or after every round, by sum or mean. If edge labels are relations, each relation has
//! its own sum over neighbours and its own weights in `L1`.
//!
//! The network owns no parameters: they are one flat slice, round after round: `epsilon`, `L1`, `L2`, a dense layer
//! being its weights (one row per *input*), its offsets, and the parameters of its normalization. Everything is
//! computed graph by graph, which keeps the numbers of a graph in the nearest cache, and in one order, so that threads
//! change no bit. Checked against finite differences here and against PyTorch Geometric in `python/tests`.

use super::matrix::{Matrix, multiply_add};
use super::norm::{NormTrace, Normalization};
use crate::side::GraphInput;
use einsicht_data::random::Random;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Pooling of the vertices of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Sum.
    Sum,
    /// Mean.
    Mean,
}

/// The rounds that are pooled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// The last one.
    Last,
    /// All of them, concatenated.
    All,
}

/// The shape of a graph isomorphism network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gin {
    /// Vertex labels, one-hot encoded.
    pub labels: usize,
    /// Attributes of a vertex.
    pub attributes: usize,
    /// Relations: kinds of edges with their own sums.
    pub relations: usize,
    /// Rounds of message passing, at least one.
    pub rounds: usize,
    /// Units of every layer, at least one.
    pub units: usize,
    /// Pooling of the vertices.
    pub pooling: Pooling,
    /// The rounds that are pooled.
    pub readout: Readout,
    /// What follows each dense layer.
    pub normalization: Normalization,
}

/// The values of a forward pass over one graph, for the backward pass.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Values of the vertices before the first round and after each.
    values: Vec<Vec<f64>>,
    /// For each round the input of its first layer.
    sums: Vec<Vec<f64>>,
    /// For each round the output of its first layer.
    middle: Vec<Vec<f64>>,
    /// For each round what the normalizations behind its two layers keep.
    norms: Vec<[NormTrace; 2]>,
}

/// The positions of the parameters of one round.
struct Round {
    inputs: usize,
    epsilon: usize,
    first: Matrix,
    second: Matrix,
    /// Where the parameters of the normalizations behind both layers are.
    norms: [Range<usize>; 2],
}

impl Gin {
    fn width_before(&self, round: usize) -> usize {
        if round == 0 { self.labels + self.attributes } else { self.units }
    }

    fn round(&self, round: usize) -> Round {
        let of_norm = self.normalization.num_parameters(self.units);
        let len = |inputs: usize| {
            1 + Matrix::len(inputs * self.relations, self.units) + Matrix::len(self.units, self.units) + 2 * of_norm
        };
        let at: usize = (0..round).map(|earlier| len(self.width_before(earlier))).sum();
        let inputs = self.width_before(round);
        let first = Matrix { at: at + 1, inputs: inputs * self.relations, outputs: self.units };
        let second = Matrix { at: first.end() + of_norm, inputs: self.units, outputs: self.units };
        let norms = [first.end()..first.end() + of_norm, second.end()..second.end() + of_norm];
        Round { inputs, epsilon: at, first, second, norms }
    }

    /// Number of parameters.
    pub fn num_parameters(&self) -> usize {
        self.round(self.rounds - 1).norms[1].end
    }

    /// Width of the readout.
    pub fn outputs(&self) -> usize {
        match self.readout {
            Readout::Last => self.units,
            Readout::All => self.units * self.rounds,
        }
    }

    /// Random parameters: uniform between plus and minus one over the root of a layer's inputs, `epsilon` 0.
    pub fn random_parameters(&self, random: &mut Random) -> Vec<f64> {
        let mut parameters = Vec::with_capacity(self.num_parameters());
        for round in (0..self.rounds).map(|round| self.round(round)) {
            parameters.push(0.0);
            for layer in [round.first, round.second] {
                let reach = 1.0 / (layer.inputs as f64).sqrt();
                parameters.extend((0..layer.size()).map(|_| reach * (2.0 * random.unit() - 1.0)));
                parameters.extend(self.normalization.first_parameters(self.units));
            }
        }
        parameters
    }

    /// Computes the readout of a graph.
    ///
    /// # Panics
    /// If the graph has other labels or attributes than the network.
    pub fn forward(&self, parameters: &[f64], graph: &GraphInput, trace: &mut Trace, output: &mut [f64]) {
        let vertices = graph.num_vertices();
        trace.values.resize_with(self.rounds + 1, Vec::new);
        trace.sums.resize_with(self.rounds, Vec::new);
        trace.middle.resize_with(self.rounds, Vec::new);
        trace.norms.resize_with(self.rounds, Default::default);
        graph.features(self.labels, self.attributes, &mut trace.values[0]);
        output.fill(0.0);
        for at in 0..self.rounds {
            let round = self.round(at);
            let (before, after) = trace.values.split_at_mut(at + 1);
            let (x, y) = (&before[at], &mut after[0]);
            self.add_neighbours(graph, 1.0 + parameters[round.epsilon], x, round.inputs, &mut trace.sums[at]);
            let [norm_first, norm_second] = &mut trace.norms[at];
            round.first.forward(parameters, &trace.sums[at], &mut trace.middle[at]);
            self.normalize(&parameters[round.norms[0].clone()], &mut trace.middle[at], norm_first);
            relu(&mut trace.middle[at]);
            round.second.forward(parameters, &trace.middle[at], y);
            self.normalize(&parameters[round.norms[1].clone()], y, norm_second);
            relu(y);
            if let Some(first) = self.readout_at(at) {
                for row in y.chunks_exact(self.units) {
                    for (sum, value) in output[first..].iter_mut().zip(row) {
                        *sum += value;
                    }
                }
            }
        }
        let factor = self.pooling_factor(vertices);
        for value in output {
            *value *= factor;
        }
    }

    /// Backpropagates the gradient of the readout and adds that of the parameters to `gradient`. `trace` is that of the
    /// forward pass with the same parameters.
    pub(crate) fn add_gradient(
        &self,
        parameters: &[f64],
        graph: &GraphInput,
        trace: &Trace,
        gradients: &[f64],
        gradient: &mut [f64],
    ) {
        let vertices = graph.num_vertices();
        let factor = self.pooling_factor(vertices);
        let mut back = vec![0.0; vertices * self.units];
        let (mut middle, mut sums) = (Vec::new(), Vec::new());
        for at in (0..self.rounds).rev() {
            let round = self.round(at);
            if let Some(first) = self.readout_at(at) {
                for row in back.chunks_exact_mut(self.units) {
                    for (derivative, of_output) in row.iter_mut().zip(&gradients[first..]) {
                        *derivative += factor * of_output;
                    }
                }
            }
            let norm_backward = |layer: usize, rows: &mut [f64], gradient: &mut [f64]| {
                let (trace, range) = (&trace.norms[at][layer], round.norms[layer].clone());
                let of_norm = &mut gradient[range.clone()];
                self.normalization.backward(&parameters[range], self.units, trace, rows, of_norm);
            };
            relu_backward(&mut back, &trace.values[at + 1]);
            norm_backward(1, &mut back, gradient);
            round.second.add_gradient(&trace.middle[at], &back, gradient);
            round.second.backward(parameters, &back, &mut middle);
            relu_backward(&mut middle, &trace.middle[at]);
            norm_backward(0, &mut middle, gradient);
            round.first.add_gradient(&trace.sums[at], &middle, gradient);
            round.first.backward(parameters, &middle, &mut sums);
            let x = &trace.values[at];
            back.clear();
            back.resize(vertices * round.inputs, 0.0);
            gradient[round.epsilon] +=
                self.add_neighbours_backward(graph, 1.0 + parameters[round.epsilon], x, &sums, &mut back);
        }
    }

    fn normalize(&self, parameters: &[f64], rows: &mut [f64], trace: &mut NormTrace) {
        self.normalization.forward(parameters, self.units, rows, trace);
    }

    /// For each vertex and relation its own values times `own`, plus those of its neighbours in the graph's order.
    fn add_neighbours(&self, graph: &GraphInput, own: f64, x: &[f64], width: usize, sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(graph.num_vertices() * width * self.relations, 0.0);
        for (vertex, row) in sums.chunks_exact_mut(width * self.relations).enumerate() {
            for block in row.chunks_exact_mut(width) {
                for (sum, value) in block.iter_mut().zip(&x[vertex * width..]) {
                    *sum = own * value;
                }
            }
            for (neighbour, relation) in graph.neighbours(vertex, self.relations) {
                let block = &mut row[relation * width..][..width];
                for (sum, value) in block.iter_mut().zip(&x[neighbour * width..]) {
                    *sum += value;
                }
            }
        }
    }

    /// The backward pass of [`Self::add_neighbours`]; returns the derivative with respect to `own`.
    fn add_neighbours_backward(&self, graph: &GraphInput, own: f64, x: &[f64], sums: &[f64], back: &mut [f64]) -> f64 {
        let width = (x.len() / graph.num_vertices().max(1)).max(1);
        let mut of_own = 0.0;
        for (vertex, row) in sums.chunks_exact(width * self.relations).enumerate() {
            for block in row.chunks_exact(width) {
                for ((to, derivative), value) in back[vertex * width..].iter_mut().zip(block).zip(&x[vertex * width..])
                {
                    *to += own * derivative;
                    of_own += derivative * value;
                }
            }
            for (neighbour, relation) in graph.neighbours(vertex, self.relations) {
                let block = &row[relation * width..][..width];
                for (to, derivative) in back[neighbour * width..].iter_mut().zip(block) {
                    *to += derivative;
                }
            }
        }
        of_own
    }

    /// Position of the pooled values of a round in the readout.
    fn readout_at(&self, round: usize) -> Option<usize> {
        match self.readout {
            Readout::All => Some(round * self.units),
            Readout::Last => (round + 1 == self.rounds).then_some(0),
        }
    }

    fn pooling_factor(&self, vertices: usize) -> f64 {
        match self.pooling {
            Pooling::Sum => 1.0,
            Pooling::Mean => 1.0 / vertices.max(1) as f64,
        }
    }
}

fn relu(values: &mut [f64]) {
    for value in values {
        *value = if *value > 0.0 { *value } else { 0.0 };
    }
}

/// The derivative of ReLU: 0 where the value is 0.
fn relu_backward(gradients: &mut [f64], values: &[f64]) {
    for (derivative, value) in gradients.iter_mut().zip(values) {
        *derivative = if *value > 0.0 { *derivative } else { 0.0 };
    }
}

impl Matrix {
    fn forward(self, parameters: &[f64], from: &[f64], to: &mut Vec<f64>) {
        let (weights, offsets) = self.parts(parameters);
        to.clear();
        for _ in 0..from.len() / self.inputs {
            to.extend_from_slice(offsets);
        }
        multiply_add([from.len() / self.inputs, self.inputs, self.outputs], from, [self.inputs, 1], weights, to);
    }

    fn add_gradient(self, from: &[f64], gradients: &[f64], gradient: &mut [f64]) {
        let (weights, offsets) = gradient[self.at..self.end()].split_at_mut(self.inputs * self.outputs);
        let rows = gradients.len() / self.outputs;
        multiply_add([self.inputs, rows, self.outputs], from, [1, self.inputs], gradients, weights);
        for row in gradients.chunks_exact(self.outputs) {
            for (sum, derivative) in offsets.iter_mut().zip(row) {
                *sum += derivative;
            }
        }
    }

    fn backward(self, parameters: &[f64], gradients: &[f64], back: &mut Vec<f64>) {
        let (weights, _) = self.parts(parameters);
        let rows = gradients.len() / self.outputs;
        let mut turned = vec![0.0; weights.len()];
        for (input, row) in weights.chunks_exact(self.outputs).enumerate() {
            for (output, &weight) in row.iter().enumerate() {
                turned[output * self.inputs + input] = weight;
            }
        }
        back.clear();
        back.resize(rows * self.inputs, 0.0);
        multiply_add([rows, self.outputs, self.inputs], gradients, [self.outputs, 1], &turned, back);
    }
}

#[cfg(test)]
#[path = "gin_tests.rs"]
mod tests;
