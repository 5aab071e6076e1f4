//! A graph network with its graphs, as a branch beside the mining layer: further input columns of the network behind
//! both.
//!
//! The readout of the graphs is cached as long as the parameters have the same bits: line searches that do not change
//! them compute it once.

use super::Gin;
use crate::features::{join_columns, split_columns};
use crate::side::GraphInput;
use std::sync::Arc;

/// A graph network and the graphs of one set.
#[derive(Clone, Debug, PartialEq)]
pub struct GnnBranch {
    /// The shape of the graph network.
    pub gin: Gin,
    /// The graphs, in the order of the rows.
    pub graphs: Arc<Vec<GraphInput>>,
    /// Whether a backward pass reaches the parameters of the graph network; else their gradients are zero.
    pub fitted: bool,
}

/// Rows of a forward pass, with and without the values of the mining layer.
#[derive(Clone, Debug, Default)]
pub struct GnnBuffers {
    /// The parameters that gave `rows`.
    parameters: Vec<f64>,
    rows: Vec<f64>,
    /// Each row of a graph followed by its values of the mining layer.
    pub joined: Vec<f64>,
    /// Gradients with respect to `joined`.
    pub gradients: Vec<f64>,
}

impl GnnBranch {
    /// Joins the readout of the graphs and the values of the mining layer.
    pub fn forward(&self, parameters: &[f64], values: &[f64], buffers: &mut GnnBuffers) {
        let same = buffers.parameters.len() == parameters.len()
            && buffers.parameters.iter().zip(parameters).all(|(a, b)| a.to_bits() == b.to_bits());
        if !same {
            buffers.rows = self.gin.rows(parameters, &self.graphs);
            buffers.parameters.clear();
            buffers.parameters.extend_from_slice(parameters);
        }
        join_columns(&buffers.rows, values, self.graphs.len(), &mut buffers.joined);
        buffers.gradients.resize(buffers.joined.len(), 0.0);
    }

    /// Backpropagates: to the parameters, if they are fitted, and to the values of the mining layer.
    pub fn backward(
        &self,
        parameters: &[f64],
        buffers: &GnnBuffers,
        gradient: &mut [f64],
        value_gradient: Option<&mut [f64]>,
    ) {
        let (of_rows, of_values) = split_columns(&buffers.gradients, self.graphs.len(), self.gin.outputs());
        if self.fitted {
            gradient.copy_from_slice(&self.gin.gradient(parameters, &self.graphs, &of_rows));
        }
        if let Some(gradients) = value_gradient {
            gradients.copy_from_slice(&of_values);
        }
    }
}
