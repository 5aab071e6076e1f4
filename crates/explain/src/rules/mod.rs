//! Surrogate models: decision trees and random forests that are fitted to the predictions of a model.
//!
//! As in the paper: the trees learn the model's own answers on all graphs of a data set, so they describe how the model
//! decides, not how the data are distributed. *Fidelity* is how well a tree reproduces the model on these graphs. Rules
//! are about patterns only; a side input is left out. Tested on Cycle_XOR, whose tree is the truth table of its rings,
//! and against scikit-learn.

mod path;
mod predictions;

use crate::subject::Subject;
use crate::values::function::ValueFunction;
use crate::values::{Attribution, Attributions, BaselineKind, FeatureTable, Quantity, Scale};
use einsicht_forest::{Forest, ForestParams, Tree};
use einsicht_model::Model;
use einsicht_model::task::TaskKind;
pub use predictions::Predictions;

/// A decision tree that reproduces one task of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Surrogate {
    /// The tree; its columns are the patterns of the entry.
    pub tree: Tree,
    /// For classes the fraction of graphs for which tree and model predict the same class; for numbers the fraction of
    /// the variance of the model's predictions that the tree explains (R²).
    pub fidelity: f64,
}

/// A request for surrogate decision trees.
#[derive(Clone, Debug)]
pub struct SurrogateRequest<'a> {
    /// The model, and the graphs on which the trees learn its predictions.
    pub subject: Subject<'a>,
    /// The tasks, one tree each.
    pub tasks: &'a [usize],
    /// The graphs whose decision paths are attributed: rows of the data set.
    pub rows: &'a [usize],
    /// Most questions on a path from the root to a leaf.
    pub max_depth: usize,
}

/// Surrogate decision trees of some tasks.
#[derive(Clone, Debug)]
pub struct SurrogateTrees {
    /// One per requested task.
    pub trees: Vec<Surrogate>,
    /// What each question on a graph's decision path adds to the tree's answer.
    pub attributions: Attributions,
}

/// A request for the importance of patterns in a random forest that reproduces a model.
#[derive(Clone, Debug)]
pub struct ForestRequest<'a> {
    /// The model, and the graphs on which the forests learn its predictions.
    pub subject: Subject<'a>,
    /// The tasks, one forest each.
    pub tasks: &'a [usize],
    /// The graphs whose decision paths are attributed: rows of the data set.
    pub rows: &'a [usize],
    /// How forests are grown.
    pub params: ForestParams,
}

/// Importance of patterns in random forests, one per requested task.
#[derive(Clone, Debug)]
pub struct ForestImportance {
    /// For each task the mean decrease of impurity by each pattern; sums to 1.
    pub importance: Vec<Vec<f64>>,
    /// What the questions on a graph's decision paths add to the forest's answer, on average over its trees.
    pub attributions: Attributions,
}

/// Fits a decision tree to the predictions of each requested task.
///
/// # Panics
/// If there is no such entry, task or row, or no graph, or the model cannot read the data (see [`Model::check_data`]).
pub fn surrogate_trees(request: &SurrogateRequest<'_>) -> SurrogateTrees {
    let predictions = predictions_of(&request.subject);
    let trees: Vec<Surrogate> = request.tasks.iter().map(|&task| predictions.tree(task, request.max_depth)).collect();
    let quantities = answers(request.subject.model, request.tasks, true);
    let of_row = |row: &[f64]| trees.iter().map(|surrogate| path::of_tree(&surrogate.tree, row)).collect();
    let table = predictions.features().select(request.rows);
    let attributions = path_attributions(&request.subject, quantities, table, of_row);
    SurrogateTrees { trees, attributions }
}

/// Fits a random forest to the predictions of each requested task and measures the importance of every pattern in it.
///
/// # Panics
/// If there is no such entry or row, or no graph, or the model cannot read the data (see [`Model::check_data`]).
pub fn forest_importance(request: &ForestRequest<'_>) -> ForestImportance {
    let predictions = predictions_of(&request.subject);
    let forests: Vec<Forest> = request.tasks.iter().map(|&task| predictions.forest(task, &request.params)).collect();
    let patterns = predictions.features().width();
    let quantities = answers(request.subject.model, request.tasks, false);
    let of_row = |row: &[f64]| forests.iter().map(|forest| path::of_forest(forest, row)).collect();
    let table = predictions.features().select(request.rows);
    let attributions = path_attributions(&request.subject, quantities, table, of_row);
    ForestImportance { importance: forests.iter().map(|forest| forest.importance(patterns)).collect(), attributions }
}

/// The predictions of the model for all graphs of the subject.
fn predictions_of<'a>(subject: &Subject<'a>) -> Predictions<'a> {
    let (function, table) = ValueFunction::of_graphs(subject, Scale::Logit);
    let outputs = function.outputs(table.values(), table.rows());
    Predictions::new(&function, &table, outputs)
}

/// The quantities that trees answer: fractions of all classes from a tree, the model's own outputs from a forest.
fn answers(model: &Model, tasks: &[usize], is_tree: bool) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for &task in tasks {
        let described = &model.tasks[task];
        let name = &described.name;
        match &described.kind {
            TaskKind::Classes(names) if is_tree || names.len() > 2 => {
                quantities.extend(names.iter().enumerate().map(|(class, word)| Quantity {
                    task,
                    class: Some(class),
                    name: format!("share of {name} = {word}"),
                }));
            }
            TaskKind::Classes(names) => {
                quantities.push(Quantity { task, class: Some(1), name: format!("logit of {name} = {}", names[1]) });
            }
            TaskKind::Number { .. } => quantities.push(Quantity { task, class: None, name: name.clone() }),
        }
    }
    quantities
}

/// Attributions along decision paths; `of_row` gives those of each task.
fn path_attributions(
    subject: &Subject<'_>,
    quantities: Vec<Quantity>,
    table: FeatureTable,
    of_row: impl Fn(&[f64]) -> Vec<Attribution>,
) -> Attributions {
    let graphs = (0..table.rows()).map(|row| path::join(&of_row(table.row(row)), table.width())).collect();
    Attributions {
        quantities,
        names: subject.feature_names(table.width()),
        baseline: BaselineKind::Root,
        features: table.into_values(),
        graphs,
    }
}

#[cfg(test)]
mod tests;
