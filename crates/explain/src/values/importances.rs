//! How much each feature moves the predictions: its mean absolute Shapley value over the background of a model.
//!
//! Promise: nothing cancels, so two subgraphs of which exactly one must be there both count, and so do columns beside
//! the graphs; what two subgraphs do together is shared by them. No graph is needed: a model from a file has the
//! importances of the model that was saved. Tested on a pair and on a column in
//! `python/tests/promises/test_conveniences.py`.

use super::ShapleyBaseline;
use super::function::{Scale, ValueFunction};
use super::shapley::{ShapleyOptions, shapley_values};
use einsicht_model::Model;

/// The importance of every feature of an entry, subgraphs first, in parts of 1, summed over all outputs; zeros if
/// nothing moves any.
///
/// # Panics
/// If there is no such entry.
pub fn importances(model: &Model, entry: usize) -> Vec<f64> {
    let (function, table, weights) = ValueFunction::of_background(model, entry, Scale::of(model));
    // As for effects: a network is asked by 16 random orders where more than 8 subgraphs differ.
    let options = ShapleyOptions { exact_up_to: 8, orders: 16, interactions: false, seed: model.params.seed };
    let values = shapley_values(&function, &table, ShapleyBaseline::Background, &options);
    let quantities = function.quantities().len();
    let mut found = vec![0.0; function.features()];
    for (row, weight) in weights.into_iter().enumerate() {
        let of_row = values.row(row).values.chunks_exact(quantities);
        for (sum, of_feature) in found.iter_mut().zip(of_row) {
            *sum += weight * of_feature.iter().fold(0.0, |sum, value| sum + value.abs());
        }
    }
    let all = found.iter().fold(0.0, |sum, importance| sum + importance);
    if all > 0.0 {
        for importance in &mut found {
            *importance /= all;
        }
    }
    found
}
