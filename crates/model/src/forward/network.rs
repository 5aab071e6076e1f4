//! The feed-forward network behind the mining layer: any number of linear layers, by default one.
//!
//! The network owns no parameters: `theta` is one flat slice, layer after layer, so that line searches and
//! files need no special cases. Backpropagation is written by hand and checked against finite differences. A graph
//! network may run beside the mining layer: its readout comes first in the input, its parameters last in `theta`.

use crate::forward::activation::Activation;
use crate::forward::dense;
use crate::gnn::{GnnBranch, GnnBuffers};
use einsicht_data::random::Random;

/// The shape of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Numbers of units: the input, layers in between, the output.
    widths: Vec<usize>,
    /// Between linear layers; the output is linear.
    activation: Activation,
    /// The graph network beside the mining layer.
    gnn: Option<GnnBranch>,
}

/// The buffers of a forward and a backward pass over a batch, allocated once and reused.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Values of each layer after the input, the last one being the output.
    values: Vec<Vec<f64>>,
    /// Gradient of the loss with respect to each of `values` (before its activation).
    gradients: Vec<Vec<f64>>,
    gnn: GnnBuffers,
}

impl Workspace {
    /// The output of the last forward pass, row after row.
    pub fn output(&self) -> &[f64] {
        self.values.last().map_or(&[], Vec::as_slice)
    }

    /// The output, and the buffer of the gradient with respect to it, for a loss to fill in.
    ///
    /// # Panics
    /// Never: a network has at least one layer.
    pub fn output_and_gradient(&mut self) -> (&[f64], &mut [f64]) {
        let (values, gradients) = (self.values.last(), self.gradients.last_mut());
        (values.expect("an output layer"), gradients.expect("an output layer"))
    }
}

impl Network {
    /// A network with `inputs` and `outputs` and the given hidden layers with ReLU.
    ///
    /// # Panics
    /// If a layer has no unit.
    pub fn new(inputs: usize, layers: &[usize], outputs: usize) -> Self {
        let widths: Vec<usize> = [&[inputs], layers, &[outputs]].concat();
        assert!(widths.iter().all(|&w| w > 0), "every layer has a unit");
        Self { widths, activation: Activation::Relu, gnn: None }
    }

    /// The identity: the inputs are the outputs.
    ///
    /// # Panics
    /// If there is no unit.
    pub fn identity(units: usize) -> Self {
        assert!(units > 0, "every layer has a unit");
        Self { widths: vec![units], activation: Activation::Relu, gnn: None }
    }

    /// The same with a graph network beside the mining layer. Passes are then over all its graphs, row by row.
    #[must_use]
    pub fn with_gnn_branch(mut self, beside: GnnBranch) -> Self {
        self.widths[0] += beside.gin.outputs();
        self.gnn = Some(beside);
        self
    }

    /// The graph network beside the mining layer.
    pub fn gnn_branch(&self) -> Option<&GnnBranch> {
        self.gnn.as_ref()
    }

    /// The same with a graph network that is fitted, or kept fixed.
    #[must_use]
    pub fn with_gnn_fitted(mut self, fitted: bool) -> Self {
        if let Some(branch) = &mut self.gnn {
            branch.fitted = fitted;
        }
        self
    }

    /// Number of inputs from the mining layer.
    pub fn inputs(&self) -> usize {
        self.widths[0] - self.gnn.as_ref().map_or(0, |branch| branch.gin.outputs())
    }

    /// Number of parameters of the layers behind the mining layer, without the graph network.
    pub fn num_feed_forward(&self) -> usize {
        self.widths.windows(2).map(|w| dense::num_parameters(w[0], w[1])).sum()
    }

    /// Number of parameters that a backward pass reaches; they come first.
    pub fn num_fitted(&self) -> usize {
        let of_gnn = self.gnn.as_ref().filter(|branch| branch.fitted).map_or(0, |branch| branch.gin.num_parameters());
        self.num_feed_forward() + of_gnn
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Number of parameters of all layers.
    pub fn num_parameters(&self) -> usize {
        self.num_feed_forward() + self.gnn.as_ref().map_or(0, |branch| branch.gin.num_parameters())
    }

    /// Random parameters: uniform between plus and minus one over the root of a layer's inputs.
    pub fn random_parameters(&self, random: &mut Random) -> Vec<f64> {
        let mut theta = Vec::with_capacity(self.num_parameters());
        for w in self.widths.windows(2) {
            let reach = 1.0 / (w[0] as f64).sqrt();
            theta.extend((0..dense::num_parameters(w[0], w[1])).map(|_| reach * (2.0 * random.unit() - 1.0)));
        }
        if let Some(branch) = &self.gnn {
            theta.extend(branch.gin.random_parameters(random));
        }
        theta
    }

    /// Buffers for batches of this many rows.
    pub fn workspace(&self, rows: usize) -> Workspace {
        // Without layers there is still an output.
        let widths = if self.widths.len() == 1 { &self.widths } else { &self.widths[1..] };
        let buffers = || widths.iter().map(|w| vec![0.0; w * rows]).collect::<Vec<_>>();
        Workspace { values: buffers(), gradients: buffers(), gnn: GnnBuffers::default() }
    }

    /// Computes the outputs of all rows of `input`.
    pub fn forward(&self, theta: &[f64], input: &[f64], workspace: &mut Workspace) {
        let Some(branch) = &self.gnn else { return self.feed_forward(theta, input, None, workspace) };
        let mut buffers = std::mem::take(&mut workspace.gnn);
        branch.forward(&theta[self.num_feed_forward()..], input, &mut buffers);
        self.feed_forward(theta, &buffers.joined, None, workspace);
        workspace.gnn = buffers;
    }

    /// The same, where `first` gives the first row with the same input; ignored with a graph network, whose rows
    /// differ.
    pub(crate) fn forward_dedup(&self, theta: &[f64], input: &[f64], first: Option<&[u32]>, workspace: &mut Workspace) {
        if self.gnn.is_none() {
            self.feed_forward(theta, input, first, workspace);
        } else {
            self.forward(theta, input, workspace);
        }
    }

    /// The layers behind the mining layer; `input` has the rows of the graph network, if there is one. `first` as in
    /// [`dense::forward`].
    pub fn feed_forward(&self, theta: &[f64], input: &[f64], first: Option<&[u32]>, workspace: &mut Workspace) {
        if self.widths.len() == 1 {
            workspace.values[0].copy_from_slice(input);
            return;
        }
        let mut at = 0;
        let last = self.widths.len() - 2;
        for (layer, w) in self.widths.windows(2).enumerate() {
            let (before, here) = workspace.values.split_at_mut(layer);
            let (from, to) = (before.last().map_or(input, Vec::as_slice), &mut here[0]);
            let len = dense::num_parameters(w[0], w[1]);
            dense::forward(&theta[at..at + len], w[0], w[1], from, first, to);
            at += len;
            if layer < last {
                for value in to.iter_mut() {
                    *value = self.activation.value(*value);
                }
            }
        }
    }

    /// Backpropagates the gradient of the outputs (in the workspace, see [`Workspace::output_and_gradient`]) to the
    /// parameters and to the input. The last forward pass must have been over the same `theta` and `input`.
    pub fn backward(
        &self,
        theta: &[f64],
        input: &[f64],
        workspace: &mut Workspace,
        gradient: &mut [f64],
        input_gradient: Option<&mut [f64]>,
    ) {
        gradient.fill(0.0);
        let (of_layers, of_gnn) = gradient.split_at_mut(self.num_feed_forward());
        let Some(branch) = &self.gnn else {
            return self.feed_back(theta, input, workspace, of_layers, input_gradient);
        };
        let mut buffers = std::mem::take(&mut workspace.gnn);
        let mut gradients = std::mem::take(&mut buffers.gradients);
        self.feed_back(theta, &buffers.joined, workspace, of_layers, Some(&mut gradients));
        buffers.gradients = gradients;
        branch.backward(&theta[self.num_feed_forward()..], &buffers, of_gnn, input_gradient);
        workspace.gnn = buffers;
    }

    /// The backward pass of [`Self::feed_forward`]; `gradient` is zero before it.
    pub fn feed_back(
        &self,
        theta: &[f64],
        input: &[f64],
        workspace: &mut Workspace,
        gradient: &mut [f64],
        input_gradient: Option<&mut [f64]>,
    ) {
        let mut at = self.num_feed_forward();
        for (layer, w) in self.widths.windows(2).enumerate().rev() {
            let len = dense::num_parameters(w[0], w[1]);
            at -= len;
            let (before, here) = workspace.gradients.split_at_mut(layer);
            let from = if layer == 0 { input } else { &workspace.values[layer - 1] };
            dense::add_gradient(w[0], w[1], from, &here[0], &mut gradient[at..at + len]);
            if let Some(back) = before.last_mut() {
                dense::backward(&theta[at..at + len], w[0], w[1], &here[0], back);
                for (derivative, &value) in back.iter_mut().zip(from) {
                    *derivative *= self.activation.derivative_at_value(value);
                }
            }
        }
        if let Some(back) = input_gradient {
            if self.widths.len() == 1 {
                back.copy_from_slice(&workspace.gradients[0]);
                return;
            }
            let len = dense::num_parameters(self.widths[0], self.widths[1]);
            dense::backward(&theta[..len], self.widths[0], self.widths[1], &workspace.gradients[0], back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loss with a simple gradient: half the sum of squares of the outputs.
    fn half_squares(network: &Network, theta: &[f64], input: &[f64], workspace: &mut Workspace) -> f64 {
        network.forward(theta, input, workspace);
        let (output, gradients) = workspace.output_and_gradient();
        gradients.copy_from_slice(output);
        output.iter().fold(0.0, |sum, y| sum + 0.5 * y * y)
    }

    fn central_difference(point: &mut [f64], at: usize, mut loss: impl FnMut(&[f64]) -> f64) -> f64 {
        let (kept, step) = (point[at], 1e-6);
        point[at] = kept + step;
        let above = loss(point);
        point[at] = kept - step;
        let below = loss(point);
        point[at] = kept;
        (above - below) / (2.0 * step)
    }

    #[test]
    fn gradients_agree_with_finite_differences_at_any_depth() {
        let layered = [&[][..], &[5], &[4, 3]].map(|layers| Network::new(3, layers, 2));
        for network in layered.into_iter().chain([Network::identity(3)]) {
            let mut random = Random::new(1);
            let mut theta = network.random_parameters(&mut random);
            let mut input: Vec<f64> = (0..12).map(|_| random.unit()).collect();
            let mut workspace = network.workspace(4);
            half_squares(&network, &theta, &input, &mut workspace);
            let (mut gradient, mut back) = (vec![0.0; theta.len()], vec![0.0; input.len()]);
            network.backward(&theta, &input, &mut workspace, &mut gradient, Some(&mut back));
            for at in 0..theta.len() {
                let found =
                    central_difference(&mut theta, at, |theta| half_squares(&network, theta, &input, &mut workspace));
                assert!((found - gradient[at]).abs() < 1e-7);
            }
            for at in 0..input.len() {
                let found =
                    central_difference(&mut input, at, |input| half_squares(&network, &theta, input, &mut workspace));
                assert!((found - back[at]).abs() < 1e-7);
            }
        }
    }
}
