//! Adam over mini-batches, for the parameters of the network: it makes a graph network affordable.
//!
//! The mining layer is fixed meanwhile: a batch reads its activations, which were computed once. Promise: which graphs
//! are in which batch depends on the seed and on the number of steps so far only, and the state is plain data, so a
//! resumed training continues bit for bit. The objective may rise: the paper's descent holds for `B` and `b` alone.
//!
//! What the rest of training sees may be an average of the weights of the last steps: it errs less than each of them,
//! and its validation loss is smooth enough for early stopping.

use einsicht_data::random::Random;
use einsicht_model::features::{join_columns, split_columns};
use einsicht_model::forward::network::Network;
use einsicht_model::params::TrainParams;
use einsicht_model::side::GraphInput;
use einsicht_model::task::Targets;
use serde::{Deserialize, Serialize};

/// Decay rate of the first moment.
const FIRST: f64 = 0.9;
/// Decay rate of the second moment.
const SECOND: f64 = 0.999;
/// Keeps the division finite.
const SMALL: f64 = 1e-8;
/// First stream of random numbers that shuffles an epoch.
const EPOCHS: u64 = 1 << 32;

/// The moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdamState {
    /// First moment: running mean of the gradient.
    pub first: Vec<f64>,
    /// Second moment: running mean of its square.
    pub second: Vec<f64>,
    /// Number of steps.
    pub steps: u64,
    /// The weights that are stepped, if the network is their average; empty where they start from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stepped: Vec<f64>,
}

impl AdamState {
    /// Lets the steps start from the weights of the network: for when these are no longer what the last steps left.
    pub(crate) fn start_over(&mut self) {
        self.stepped.clear();
    }
}

/// The training set with a fixed mining layer.
pub(crate) struct Adam<'a> {
    pub(crate) params: &'a TrainParams,
    pub(crate) network: &'a Network,
    pub(crate) targets: &'a Targets,
    pub(crate) weights: &'a [f64],
    /// Activations of the mining layer, row after row.
    pub(crate) hidden: &'a [f64],
}

impl Adam<'_> {
    /// Makes steps on all parameters of the network.
    pub(crate) fn run(&self, theta: &mut [f64], state: &mut AdamState, steps: usize) {
        state.first.resize(theta.len(), 0.0);
        state.second.resize(theta.len(), 0.0);
        let mut stepped = std::mem::take(&mut state.stepped);
        if stepped.is_empty() {
            stepped = theta.to_vec();
        }
        let rows = self.targets.rows();
        let batches = rows.div_ceil(self.params.batch_size) as u64;
        let mut order: Vec<usize> = Vec::new();
        let mut shuffled = None;
        for _ in 0..steps {
            let (epoch, batch) = (state.steps / batches, (state.steps % batches) as usize);
            if shuffled != Some(epoch) {
                order = (0..rows).collect();
                Random::stream(self.params.seed, EPOCHS + epoch).shuffle(&mut order);
                shuffled = Some(epoch);
            }
            let start = batch * self.params.batch_size;
            let gradient = self.gradient(&stepped, &order[start..rows.min(start + self.params.batch_size)]);
            self.step(&mut stepped, state, &gradient);
            // A mean over all steps at first, then over about as many as asked for.
            let share = 1.0 / state.steps.min(self.params.average_steps.max(1) as u64) as f64;
            for (average, weight) in theta.iter_mut().zip(&stepped) {
                *average = if share == 1.0 { *weight } else { *average + share * (weight - *average) };
            }
        }
        if self.params.average_steps > 1 {
            state.stepped = stepped;
        }
    }

    /// One step along the moments.
    fn step(&self, theta: &mut [f64], state: &mut AdamState, gradient: &[f64]) {
        state.steps += 1;
        let age = state.steps.min(100_000) as f64;
        let (warm_first, warm_second) = (1.0 - libm::pow(FIRST, age), 1.0 - libm::pow(SECOND, age));
        for (at, derivative) in gradient.iter().enumerate() {
            let derivative = derivative + self.params.weight_decay * theta[at];
            state.first[at] = FIRST * state.first[at] + (1.0 - FIRST) * derivative;
            state.second[at] = SECOND * state.second[at] + (1.0 - SECOND) * derivative * derivative;
            let scale = (state.second[at] / warm_second).sqrt() + SMALL;
            theta[at] -= self.params.learning_rate * (state.first[at] / warm_first) / scale;
        }
    }

    /// Gradient of the mean loss per label of the batch.
    fn gradient(&self, theta: &[f64], batch: &[usize]) -> Vec<f64> {
        let network = self.network;
        let width = self.hidden.len() / self.targets.rows();
        let hidden: Vec<f64> = batch.iter().flat_map(|&row| &self.hidden[row * width..][..width]).copied().collect();
        let targets = self.targets.subset(batch);
        let weights: Vec<f64> = batch.iter().map(|&row| self.weights[row]).collect();
        let total = targets.total_weight(&weights);
        let mut gradient = vec![0.0; theta.len()];
        if total <= 0.0 {
            return gradient;
        }
        let (of_layers, of_gnn) = gradient.split_at_mut(network.num_feed_forward());
        let mut workspace = network.workspace(batch.len());
        let loss_gradient = |workspace: &mut einsicht_model::forward::network::Workspace| {
            let (output, gradients) = workspace.output_and_gradient();
            targets.loss_and_gradient(output, &weights, gradients);
            for derivative in gradients {
                *derivative /= total;
            }
        };
        let Some(beside) = network.gnn_branch() else {
            network.feed_forward(theta, &hidden, None, &mut workspace);
            loss_gradient(&mut workspace);
            network.feed_back(theta, &hidden, &mut workspace, of_layers, None);
            return gradient;
        };
        let graphs: Vec<&GraphInput> = batch.iter().map(|&row| &beside.graphs[row]).collect();
        let of_gin = &theta[network.num_feed_forward()..];
        let (rows, traces) = beside.gin.traced_rows(of_gin, &graphs);
        let mut joined = Vec::new();
        join_columns(&rows, &hidden, batch.len(), &mut joined);
        network.feed_forward(theta, &joined, None, &mut workspace);
        loss_gradient(&mut workspace);
        let mut gradients = vec![0.0; joined.len()];
        network.feed_back(theta, &joined, &mut workspace, of_layers, Some(&mut gradients));
        let (of_rows, _) = split_columns(&gradients, batch.len(), beside.gin.outputs());
        beside.gin.add_traced_gradient(of_gin, &graphs, &traces, &of_rows, of_gnn);
        gradient
    }
}
