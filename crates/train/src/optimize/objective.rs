//! The loss that training minimises, as a function of the sums of the mining layer, of `b` and of `theta`.
//!
//! Promise: every function here that returns a loss returns the same bits for the same parameters, so that line
//! searches and checks compare equal quantities. Nothing is allocated after the first loss. The penalty of the group
//! lasso is added by the caller.

use einsicht_graph::stop;
use einsicht_model::forward::ForwardPass;
use einsicht_model::forward::activation::Activation;
use einsicht_model::forward::network::Network;
use einsicht_model::task::Targets;
use einsicht_model::task::loss::LogSums;

/// The training set with a network behind the mining layer, and the buffers of one pass.
#[derive(Clone, Debug)]
pub(crate) struct Objective<'a> {
    targets: &'a Targets,
    weights: &'a [f64],
    network: &'a Network,
    /// Weight decay for a loss that is a sum.
    decay: f64,
    pass: ForwardPass,
    delta: Vec<f64>,
    network_gradient: Vec<f64>,
    /// Exponentials of the last outputs; see [`Targets::loss_and_tails`].
    tails: Vec<f64>,
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
        let pass = ForwardPass::new(network, activation, targets.rows()).merging_equal_rows(network);
        Self {
            targets,
            weights,
            network,
            decay,
            delta: vec![0.0; pass.cells()],
            pass,
            network_gradient: vec![0.0; network.num_parameters()],
            tails: vec![0.0; targets.rows() * network.outputs()],
            log_sums: LogSums::default(),
        }
    }

    /// Weight decay for a loss that is a sum.
    pub(crate) fn decay(&self) -> f64 {
        self.decay
    }

    /// Number of network parameters that a gradient reaches; they come first.
    pub(crate) fn num_fitted(&self) -> usize {
        self.network.num_fitted()
    }

    /// Activations of the mining layer at the last loss, row after row.
    pub(crate) fn hidden(&self) -> &[f64] {
        self.pass.hidden()
    }

    /// A buffer for the sums of the mining layer over all rows, filled with zeros.
    pub(crate) fn zero_sums(&self) -> Vec<f64> {
        vec![0.0; self.pass.cells()]
    }

    /// The data loss plus weight decay. `squares` is the sum of squares of all weights that decay, see
    /// `Iterate::squares`.
    pub(crate) fn with_decay(&self, data_loss: f64, squares: f64) -> f64 {
        data_loss + 0.5 * self.decay * squares
    }

    /// Loss of the data, without weight decay but that of the bias.
    pub(crate) fn data_loss(&mut self, sums: &[f64], bias: &[f64], network: &[f64]) -> f64 {
        stop::work(sums.len());
        self.pass.run(self.network, sums, bias, network);
        self.loss_of_outputs()
    }

    /// Loss of the data if only the network has changed since the last call of [`Self::data_loss`].
    pub(crate) fn data_loss_of_network(&mut self, network: &[f64]) -> f64 {
        stop::work(self.delta.len());
        self.pass.run_network(self.network, network);
        self.loss_of_outputs()
    }

    fn loss_of_outputs(&mut self) -> f64 {
        let (outputs, tails) = (self.pass.outputs(), &mut self.tails);
        match self.pass.first_rows() {
            None => self.targets.loss_and_tails(outputs, self.weights, tails),
            Some(first) => self.targets.loss_and_tails_dedup(outputs, self.weights, first, &mut self.log_sums, tails),
        }
    }

    /// Gradient of the data loss with respect to the network, at the network of the last loss.
    pub(crate) fn network_gradient(&mut self, network: &[f64]) -> &[f64] {
        self.gradient_at_output();
        self.pass.backward_to_network(self.network, network, &mut self.network_gradient);
        &self.network_gradient
    }

    /// `delta` and the gradient with respect to the network, at the parameters of the last loss.
    pub(crate) fn delta_and_network_gradient(&mut self, network: &[f64]) -> (&[f64], &[f64]) {
        self.gradient_at_output();
        self.pass.backward(self.network, network, &mut self.network_gradient, &mut self.delta);
        (&self.delta, &self.network_gradient)
    }

    fn gradient_at_output(&mut self) {
        stop::work(self.delta.len());
        let (outputs, gradient) = self.pass.outputs_and_gradient();
        gradient.copy_from_slice(&self.tails);
        self.targets.tails_to_gradient(outputs, self.weights, gradient);
    }

    /// Bounds of the curvature of the loss by each output, at the outputs of the last loss.
    pub(crate) fn curvatures(&self) -> Vec<f64> {
        self.targets.curvatures(self.outputs(), self.weights)
    }

    /// Outputs at the last loss, row after row.
    pub(crate) fn outputs(&self) -> &[f64] {
        self.pass.outputs()
    }
}
