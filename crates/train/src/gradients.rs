//! The loss that training minimises and its gradients with respect to every weight of a model.
//!
//! The numbers come from the code that trains, so that other software can check them:
//! `python/tests/with_torch/test_autograd_torch.py` does so. Nothing in training reads this.

use crate::Objective;
use einsicht_data::Dataset;
use einsicht_model::Model;
use einsicht_model::features::graphs_at;
use einsicht_model::forward::mining;
use einsicht_model::forward::mining::sums_of_columns;
use einsicht_model::heads::Pair;
use einsicht_model::task::{TargetError, Targets};
use einsicht_model::{Iterate, PairWeights};
use serde::Serialize;

/// The loss at some weights, and its gradients there; weight decay is part of both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gradients {
    /// The weighted loss of all labelled cells, plus decay.
    pub loss: f64,
    /// `delta`: gradient of the data loss with respect to each hidden unit, graph after graph.
    pub delta: Vec<f64>,
    /// With respect to the weights of each pattern.
    pub weights: Vec<Vec<f64>>,
    /// With respect to the bias of the mining layer.
    pub bias: Vec<f64>,
    /// With respect to the parameters of the network.
    pub network: Vec<f64>,
}

/// Gradients at these weights for the graphs at these positions; `graph_weights` has one number for each.
///
/// # Panics
/// If a position is not one of the data set.
pub fn gradients(
    model: &Model,
    iterate: &Iterate,
    dataset: &Dataset,
    rows: &[usize],
    graph_weights: &[f64],
) -> Result<Gradients, TargetError> {
    let targets = Targets::gather(&model.tasks, dataset, rows)?;
    let graphs = graphs_at(dataset, rows);
    let supports = model.supports(iterate, dataset, &graphs);
    let network = model.network_over(model.encode(dataset, rows));
    let decay = model.params.weight_decay * targets.total_weight(graph_weights);
    let mut objective = Objective::new(&targets, graph_weights, &network, model.params.activation, decay);
    let values = model.params.values();
    let mut sums = objective.zero_sums();
    let weights = iterate.patterns.iter().map(|p| &p.weights[..]);
    sums_of_columns(&mut sums, supports.iter().map(|s| values.column(s)).zip(weights));
    for (pair, Pair { columns, means }) in iterate.pairs.iter().zip(iterate.pairs_of_columns()) {
        let column = PairWeights::column(means, columns.map(|at| supports[at].graphs()), rows.len());
        mining::add_dense(&mut sums, &column, &pair.weights);
    }
    let data_loss = objective.data_loss(&sums, &iterate.bias, &iterate.network);
    let loss = objective.with_decay(data_loss, iterate.squares());
    let (delta, of_network) = objective.delta_and_network_gradient(&iterate.network);
    let pulled = |gradients: &[f64], weights: &[f64]| {
        gradients.iter().zip(weights).map(|(derivative, weight)| derivative + decay * weight).collect::<Vec<f64>>()
    };
    let mut bias = vec![0.0; iterate.bias.len()];
    mining::bias_gradient(delta, &mut bias);
    let mut of_pattern = vec![0.0; iterate.bias.len()];
    let mut of_patterns = Vec::with_capacity(supports.len());
    for (support, pattern) in supports.iter().zip(&iterate.patterns) {
        mining::pattern_gradient(delta, values.column(support), &mut of_pattern);
        of_patterns.push(pulled(&of_pattern, &pattern.weights));
    }
    let network = pulled(of_network, &iterate.network);
    Ok(Gradients { loss, delta: delta.to_vec(), weights: of_patterns, bias, network })
}
