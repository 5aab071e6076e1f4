//! One forward pass over a batch of graphs, from the weighted sums of the mining layer to the outputs, and the way
//! back.
//!
//! Promise: equal parameters and equal sums give equal bits, with and without merging of equal rows, for any batch that
//! contains the row. Nothing is allocated after the first pass.

use super::activation::Activation;
use super::mining;
use super::network::{Network, Workspace};
use super::row_dedup::{RowDedup, fill_rows};
use crate::features::join_columns;

/// The values of a batch at every layer, kept for the backward pass.
#[derive(Clone, Debug)]
pub struct ForwardPass {
    activation: Activation,
    /// `h`: the sums of the mining layer plus its bias.
    h: Vec<f64>,
    /// `sigma(h)`.
    hidden: Vec<f64>,
    workspace: Workspace,
    /// Rows with equal sums.
    dedup: RowDedup,
}

/// What a pass starts from where the rows of the graph network are known.
#[derive(Clone, Copy)]
pub struct GivenRows<'a> {
    /// The sums of the mining layer.
    pub sums: &'a [f64],
    /// The rows of the graph network; empty without one.
    pub gnn_rows: &'a [f64],
    /// The bias of the mining layer.
    pub bias: &'a [f64],
    /// The parameters of the network.
    pub theta: &'a [f64],
}

impl ForwardPass {
    /// Buffers for this many rows.
    pub fn new(network: &Network, activation: Activation, rows: usize) -> Self {
        let cells = rows * network.inputs();
        Self {
            activation,
            h: vec![0.0; cells],
            hidden: vec![0.0; cells],
            workspace: network.workspace(rows),
            dedup: RowDedup::new(rows, false),
        }
    }

    /// Computes rows with equal sums once. For batches that are evaluated again and again; with a graph network rows
    /// differ, so there nothing is merged.
    #[must_use]
    pub fn merging_equal_rows(mut self, network: &Network) -> Self {
        let rows = self.h.len() / network.inputs();
        self.dedup = RowDedup::new(rows, network.gnn_branch().is_none());
        self
    }

    /// Computes the outputs for these sums of the mining layer.
    pub fn run(&mut self, network: &Network, sums: &[f64], bias: &[f64], theta: &[f64]) {
        self.activate(sums, bias);
        self.run_network(network, theta);
    }

    /// The same where only the parameters of the network have changed since the last pass.
    pub fn run_network(&mut self, network: &Network, theta: &[f64]) {
        network.forward_dedup(theta, &self.hidden, self.dedup.first(), &mut self.workspace);
    }

    /// The same as [`Self::run`] where the rows of the graph network, if there is one, are given.
    pub(crate) fn run_with_gnn_rows(&mut self, network: &Network, given: GivenRows<'_>) {
        let GivenRows { sums, gnn_rows, bias, theta } = given;
        self.activate(sums, bias);
        let rows = self.h.len() / bias.len();
        let mut joined = Vec::with_capacity(gnn_rows.len() + self.hidden.len());
        join_columns(gnn_rows, &self.hidden, rows, &mut joined);
        network.feed_forward(theta, &joined, None, &mut self.workspace);
    }

    fn activate(&mut self, sums: &[f64], bias: &[f64]) {
        mining::add_bias(sums, bias, &mut self.h);
        self.dedup.find(sums, bias.len());
        let (activation, h, width) = (self.activation, &self.h, bias.len());
        fill_rows(&mut self.hidden, width, self.dedup.first(), |row, hidden| {
            activation.apply(&h[row * width..][..width], hidden);
        });
    }

    /// Number of values of the mining layer: rows times hidden units.
    pub fn cells(&self) -> usize {
        self.h.len()
    }

    /// `sigma(h)` of the last pass, row after row.
    pub fn hidden(&self) -> &[f64] {
        &self.hidden
    }

    /// The outputs of the last pass, row after row.
    pub fn outputs(&self) -> &[f64] {
        self.workspace.output()
    }

    /// The outputs, and where a loss writes its gradient with respect to them.
    pub fn outputs_and_gradient(&mut self) -> (&[f64], &mut [f64]) {
        self.workspace.output_and_gradient()
    }

    /// For each row the first one with equal sums; `None` if rows are not merged.
    pub fn first_rows(&self) -> Option<&[u32]> {
        self.dedup.first()
    }

    /// Gradient with respect to the network, from that with respect to the outputs.
    pub fn backward_to_network(&mut self, network: &Network, theta: &[f64], gradient: &mut [f64]) {
        network.backward(theta, &self.hidden, &mut self.workspace, gradient, None);
    }

    /// Gradient with respect to the network and to `h` (`delta`), from that with respect to the outputs.
    pub fn backward(&mut self, network: &Network, theta: &[f64], gradient: &mut [f64], delta: &mut [f64]) {
        network.backward(theta, &self.hidden, &mut self.workspace, gradient, Some(delta));
        for (derivative, &value) in delta.iter_mut().zip(&self.hidden) {
            *derivative *= self.activation.derivative_at_value(value);
        }
    }
}
