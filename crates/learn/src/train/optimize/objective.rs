//! The loss that training minimises, as a function of the mining layer's sums, of `b` and of `theta`.
//!
//! Promise: every function here that returns a loss returns the same bits for the same parameters, so that
//! line searches, checks and `verify` compare like with like. Nothing is allocated after the first loss.

use crate::forward::activation::Activation;
use crate::forward::mining;
use crate::forward::network::{Network, Workspace};
use crate::forward::row_dedup::{RowDedup, fill_rows};
use crate::task::Targets;
use crate::task::loss::LogSums;
use einsicht_search::feature::Column;

/// The training part with a network behind the mining layer, and room for one pass.
#[derive(Clone, Debug)]
pub(crate) struct Objective<'a> {
    targets: &'a Targets,
    weights: &'a [f64],
    network: &'a Network,
    activation: Activation,
    /// Weight decay for a loss that is a sum.
    decay: f64,
    h: Vec<f64>,
    hidden: Vec<f64>,
    delta: Vec<f64>,
    network_gradient: Vec<f64>,
    workspace: Workspace,
    /// Of the outputs in the workspace; see [`Targets::loss_and_tails`].
    tails: Vec<f64>,
    /// Rows with the same sums at the last loss.
    dedup: RowDedup,
    log_sums: LogSums,
}

impl<'a> Objective<'a> {
    pub(crate) fn new(
        targets: &'a Targets,
        weights: &'a [f64],
        network: &'a Network,
        activation: Activation,
        decay: f64,
    ) -> Self {
        let cells = targets.rows() * network.inputs();
        Self {
            targets,
            weights,
            network,
            activation,
            decay,
            h: vec![0.0; cells],
            hidden: vec![0.0; cells],
            delta: vec![0.0; cells],
            network_gradient: vec![0.0; network.num_parameters()],
            workspace: network.workspace(targets.rows()),
            tails: vec![0.0; targets.rows() * network.outputs()],
            dedup: RowDedup::new(targets.rows(), network.beside().is_none()),
            log_sums: LogSums::default(),
        }
    }

    /// Weight decay for a loss that is a sum.
    pub(crate) fn decay(&self) -> f64 {
        self.decay
    }

    /// How many parameters of the network a gradient reaches; they come first.
    pub(crate) fn num_fitted(&self) -> usize {
        self.network.num_fitted()
    }

    /// What the mining layer gave at the last loss, row after row.
    pub(crate) fn hidden(&self) -> &[f64] {
        &self.hidden
    }

    /// Room for the sums of the mining layer over all rows.
    pub(crate) fn room(&self) -> Vec<f64> {
        vec![0.0; self.h.len()]
    }

    /// The whole loss. `squares` is the sum of squares of all that decays, see `Iterate::squares`.
    pub(crate) fn with_decay(&self, data_loss: f64, squares: f64) -> f64 {
        data_loss + 0.5 * self.decay * squares
    }

    /// Loss of the data, without decay.
    pub(crate) fn data_loss(&mut self, sums: &[f64], bias: &[f64], network: &[f64]) -> f64 {
        mining::add_bias(sums, bias, &mut self.h);
        self.dedup.find(sums, bias.len());
        let (activation, h, width) = (self.activation, &self.h, bias.len());
        fill_rows(&mut self.hidden, width, self.dedup.first(), |row, hidden| {
            activation.apply(&h[row * width..][..width], hidden);
        });
        self.data_loss_of_network(network)
    }

    /// Loss of the data where only the network changed since the last call of [`Self::data_loss`].
    pub(crate) fn data_loss_of_network(&mut self, network: &[f64]) -> f64 {
        let first = self.dedup.first();
        self.network.forward_dedup(network, &self.hidden, first, &mut self.workspace);
        let (outputs, tails) = (self.workspace.output(), &mut self.tails);
        match first {
            None => self.targets.loss_and_tails(outputs, self.weights, tails),
            Some(first) => self.targets.loss_and_tails_dedup(outputs, self.weights, first, &mut self.log_sums, tails),
        }
    }

    /// Gradient of the data loss with respect to the network, at the network of the last loss.
    pub(crate) fn network_gradient(&mut self, network: &[f64]) -> &[f64] {
        self.gradient_at_output();
        self.network.backward(network, &self.hidden, &mut self.workspace, &mut self.network_gradient, None);
        &self.network_gradient
    }

    /// `delta` and the gradient with respect to the network, at the parameters of the last loss.
    pub(crate) fn delta_and_network_gradient(&mut self, network: &[f64]) -> (&[f64], &[f64]) {
        self.gradient_at_output();
        let gradient = &mut self.network_gradient;
        self.network.backward(network, &self.hidden, &mut self.workspace, gradient, Some(&mut self.delta));
        for (slope, &value) in self.delta.iter_mut().zip(&self.hidden) {
            *slope *= self.activation.derivative_at_value(value);
        }
        (&self.delta, &self.network_gradient)
    }

    fn gradient_at_output(&mut self) {
        let (output, slopes) = self.workspace.output_and_gradient();
        slopes.copy_from_slice(&self.tails);
        self.targets.tails_to_gradient(output, self.weights, slopes);
    }

    /// Bounds of the curvature of the loss by each output, at the outputs of the last loss.
    pub(crate) fn curvatures(&self) -> Vec<f64> {
        self.targets.curvatures(self.outputs(), self.weights)
    }

    /// Outputs of the last loss, row after row.
    pub(crate) fn outputs(&self) -> &[f64] {
        self.workspace.output()
    }
}

/// Sums of the mining layer: all patterns added in order.
pub(crate) fn sums_of<'p>(sums: &mut [f64], patterns: impl Iterator<Item = (Column<'p>, &'p [f64])>) {
    sums.fill(0.0);
    for (column, weights) in patterns {
        mining::add_pattern(sums, column, weights);
    }
}
