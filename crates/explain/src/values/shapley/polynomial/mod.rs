//! Exact Shapley values in polynomial time, at any number of features, where the model has a head.
//!
//! A quantity is a sum of parts, and Shapley values are sums over parts. Exact are: a linear model on its own scale
//! (`linear`, in this file), the mean answer of trees, that is, the probability of a forest and the number of boosted
//! trees (`trees.rs`), and the probability of a linear model of two classes (`logistic.rs`, to 1e-8). So exact are all
//! numbers, the logits of a linear head, and the probabilities of a forest; those of the weighted mean of both too if
//! there are two classes, with columns that interact as well (`blocks.rs`). Of the mean of both for several classes the
//! trees are exact, and the linear part is left. Not exact are logits of forests, probabilities of a linear model of
//! several classes, and networks, nor trees with thousands of features on a path: [`Polynomial::cover`] says so, and
//! they go the general way. Tested against all coalitions, and against the package `shap`.

mod blocks;
mod logistic;
mod nodes;
mod trees;

use super::Attribution;
use crate::values::Scale;
use crate::values::function::ValueFunction;
use blocks::centred;
use einsicht_model::heads::{ForestPart, Head, LinearPart, Pair};
use einsicht_model::task::TaskKind;
use logistic::Logistic;
use rayon::prelude::*;
use trees::ReferenceTrees;

/// Batches of rows per thread: one, since rows that walk through trees together share work.
const BATCHES: usize = 1;

/// The reference rows as a head reads them, with their weights.
struct References {
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// The feature that each column belongs to: patterns have one column each, side inputs one or more.
    feature_of: Vec<usize>,
}

impl References {
    fn feature(&self, column: usize) -> usize {
        self.feature_of[column]
    }

    /// Number of features, those of no use included.
    fn features(&self) -> usize {
        self.feature_of.iter().max().map_or(0, |last| last + 1)
    }
}

/// One part of one task.
enum Part<'m> {
    /// Answers of trees for some quantities, times a factor.
    Trees { trees: ReferenceTrees<'m>, quantities: Vec<usize>, factor: f64 },
    /// What is computed row by row.
    OfRow(RowPart<'m>),
}

enum RowPart<'m> {
    /// Weights of the columns for a quantity, times a factor.
    Linear { quantity: usize, weights: &'m [f64], factor: f64 },
    /// Two columns of a linear model that interact, with a weight for a quantity.
    Pair { quantity: usize, pair: &'m Pair, weight: f64 },
    /// The probability of the second of two classes of a linear model.
    Logistic { quantity: usize, logistic: Logistic<'m>, factor: f64 },
}

/// How much of a quantity is computed here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cover {
    Whole,
    /// Its trees; its linear part, with this weight, is left.
    Trees {
        /// The weight of the linear part.
        linear: f64,
    },
    Nothing,
}

/// The parts of all quantities that have exact values in polynomial time.
pub(super) struct Polynomial<'m> {
    references: References,
    parts: Vec<Part<'m>>,
    covers: Vec<Cover>,
    base: Vec<f64>,
}

impl<'m> Polynomial<'m> {
    /// For a value function and the rows of a baseline; nothing if no quantity is covered.
    pub(super) fn new(function: &ValueFunction<'m>, baseline: &[(Vec<f64>, f64)]) -> Option<Self> {
        let head = function.head()?;
        let references = References {
            rows: baseline.iter().map(|(row, _)| function.columns(row)).collect(),
            weights: baseline.iter().map(|(_, weight)| *weight).collect(),
            feature_of: function.feature_of_columns(),
        };
        let quantities = function.quantities().len();
        let mut covers = vec![Cover::Nothing; quantities];
        let (mut parts, mut output) = (Vec::new(), 0);
        for (task, described) in function.model().tasks.iter().enumerate() {
            let own: Vec<usize> = (0..quantities).filter(|&q| function.quantities()[q].task == task).collect();
            let found = TaskParts { head, references: &references, own: &own, task, output, scale: function.scale() };
            if let Some((found, cover)) = found.of(&described.kind) {
                parts.extend(found);
                for &quantity in &own {
                    covers[quantity] = cover;
                }
            }
            output += described.outputs();
        }
        if covers.iter().all(|cover| *cover == Cover::Nothing) {
            return None;
        }
        let mut base = vec![0.0; quantities];
        let rows: Vec<f64> = baseline.iter().flat_map(|(row, _)| row.iter().copied()).collect();
        let outputs = function.evaluate(&rows, baseline.len());
        for (outputs, (_, weight)) in outputs.chunks_exact(quantities).zip(baseline) {
            for (base, output) in base.iter_mut().zip(outputs) {
                *base += weight * output;
            }
        }
        Some(Self { references, parts, covers, base })
    }

    /// How much of a quantity is computed here.
    pub(super) fn cover(&self, quantity: usize) -> Cover {
        self.covers[quantity]
    }

    /// Whether the values of all quantities are computed here.
    pub(super) fn covers_all(&self) -> bool {
        self.covers.iter().all(|cover| *cover == Cover::Whole)
    }

    /// Whether what is left of all quantities is linear inside of a softmax.
    pub(super) fn leaves_linear(&self) -> bool {
        !self.covers.contains(&Cover::Nothing)
    }

    /// The attributions of some rows; zeros for quantities that are not covered. Those of a row do not depend on the
    /// others.
    pub(super) fn attributions(&self, function: &ValueFunction<'_>, rows: &[Vec<f64>]) -> Vec<Attribution> {
        let together = rows.len().div_ceil(BATCHES * rayon::current_num_threads()).max(1);
        rows.par_chunks(together).flat_map_iter(|rows| self.attributions_of(function, rows)).collect()
    }

    fn attributions_of(&self, function: &ValueFunction<'_>, rows: &[Vec<f64>]) -> Vec<Attribution> {
        let quantities = self.covers.len();
        let outputs = function.evaluate(&rows.concat(), rows.len());
        let mut found: Vec<Attribution> = outputs
            .chunks_exact(quantities)
            .map(|output| {
                let empty = Attribution::new(function.features(), quantities);
                Attribution { output: output.to_vec(), base: self.base.clone(), ..empty }
            })
            .collect();
        let columns: Vec<Vec<f64>> = rows.iter().map(|row| function.columns(row)).collect();
        for part in &self.parts {
            part.add(&columns, &self.references, &mut found);
        }
        found
    }
}

/// What the parts of one task are made from.
struct TaskParts<'a, 'm> {
    head: &'m Head,
    references: &'a References,
    /// The quantities of the task.
    own: &'a [usize],
    task: usize,
    /// Its first output.
    output: usize,
    scale: Scale,
}

impl<'m> TaskParts<'_, 'm> {
    /// The parts of the task's quantities, and how much of them these are; nothing if there are none.
    fn of(&self, kind: &TaskKind) -> Option<(Vec<Part<'m>>, Cover)> {
        // A part that is added to heads must be read here too.
        let Head { linear: _, forests: _, forest_weight } = self.head;
        let (linear, forest) = (self.head.linear_part(), self.head.forest_part(self.task));
        if linear.is_none() && forest.is_none() {
            return None;
        }
        let of_linear = 1.0 - forest_weight;
        let mut parts = Vec::new();
        match (kind, self.scale) {
            (TaskKind::Number { scale, .. }, _) => {
                parts.extend(linear.iter().flat_map(|&linear| self.linear(linear, of_linear * scale)));
                if let Some(forest) = forest {
                    parts.push(self.trees(forest, |_| forest_weight * scale)?);
                }
            }
            (TaskKind::Classes(_), Scale::Logit) => {
                parts.extend(self.linear(linear.filter(|_| forest.is_none())?, 1.0));
            }
            (TaskKind::Classes(names), Scale::Probability) => {
                let factor = |per_frequency: f64| forest_weight * per_frequency;
                let trees = match forest {
                    Some(forest) => Some(self.trees(forest, factor)?),
                    None => None,
                };
                if linear.is_some() && names.len() > 2 {
                    // No formula is known for a softmax of sums.
                    return trees.map(|trees| (vec![trees], Cover::Trees { linear: of_linear }));
                }
                if let Some(linear) = linear {
                    let pairs: Vec<(&Pair, f64)> = linear.pairs(self.output).collect();
                    if !blocks::are_small(pairs.iter().map(|(pair, _)| *pair)) {
                        return None;
                    }
                    let [quantity] = *self.own else { return None };
                    let (weights, offset) = (linear.weights(self.output), linear.offset(self.output));
                    let logistic = Logistic::new(weights, offset, pairs, self.references);
                    parts.push(Part::OfRow(RowPart::Logistic { quantity, logistic, factor: of_linear }));
                }
                parts.extend(trees);
            }
        }
        Some((parts, Cover::Whole))
    }

    fn linear(&self, linear: LinearPart<'m>, factor: f64) -> Vec<Part<'m>> {
        let of = |(at, &quantity): (usize, &usize)| {
            Part::OfRow(RowPart::Linear { quantity, weights: linear.weights(self.output + at), factor })
        };
        let mut parts: Vec<Part<'m>> = self.own.iter().enumerate().map(of).collect();
        for (at, &quantity) in self.own.iter().enumerate() {
            let of_pair = |(pair, weight)| Part::OfRow(RowPart::Pair { quantity, pair, weight: factor * weight });
            parts.extend(linear.pairs(self.output + at).map(of_pair));
        }
        parts
    }

    /// Trees, with the factor that [`ForestPart::probability_per_frequency`] gives; nothing if they are too deep.
    fn trees(&self, forest: ForestPart<'m>, factor: impl Fn(f64) -> f64) -> Option<Part<'m>> {
        // Of two classes the second is explained.
        let first = forest.width() - self.own.len();
        let factor = factor(forest.probability_per_frequency());
        let trees = ReferenceTrees::new(forest, first, self.references)?;
        Some(Part::Trees { trees, quantities: self.own.to_vec(), factor })
    }
}

impl Part<'_> {
    /// Adds the values of the features of some rows.
    fn add(&self, rows: &[Vec<f64>], references: &References, found: &mut [Attribution]) {
        match self {
            Self::Trees { trees, quantities, factor } => {
                let (values, width) = (trees.values(rows, references), trees.width());
                // Without a feature there are no values.
                let per_row = (values.len() / rows.len()).max(1);
                for (values, attribution) in values.chunks_exact(per_row).zip(found) {
                    let all = attribution.output.len();
                    let of_features = attribution.values.chunks_exact_mut(all);
                    for (answer, values) in values.chunks_exact(width).zip(of_features) {
                        for (&quantity, answer) in quantities.iter().zip(answer) {
                            values[quantity] += factor * answer;
                        }
                    }
                }
            }
            Self::OfRow(part) => {
                for (row, attribution) in rows.iter().zip(found) {
                    let quantities = attribution.output.len();
                    part.add(row, references, &mut attribution.values, quantities);
                }
            }
        }
    }
}

impl RowPart<'_> {
    /// Adds the values of the features, feature by feature, `quantities` numbers each. A side input that is no feature
    /// never differs and has none.
    fn add(&self, row: &[f64], references: &References, values: &mut [f64], quantities: usize) {
        match self {
            Self::Linear { quantity, weights, factor } => {
                for (column, weight) in weights.iter().enumerate() {
                    let differences = references.rows.iter().zip(&references.weights);
                    let mean = differences.fold(0.0, |sum, (other, of)| sum + of * (row[column] - other[column]));
                    if let Some(value) = values.get_mut(references.feature(column) * quantities + quantity) {
                        *value += factor * weight * mean;
                    }
                }
            }
            Self::Pair { quantity, pair, weight } => {
                // A product of two numbers that change from (a, b) to (x, y): the first one's share is half of (x -
                // a)(y + b).
                let [x, y] = centred(pair, row);
                for (other, share) in references.rows.iter().zip(&references.weights) {
                    let [a, b] = centred(pair, other);
                    for (column, half) in pair.columns.into_iter().zip([(x - a) * (y + b), (y - b) * (x + a)]) {
                        values[references.feature(column) * quantities + quantity] += 0.5 * weight * share * half;
                    }
                }
            }
            Self::Logistic { quantity, logistic, factor } => {
                let found = logistic.values(row, references);
                for (value, values) in found.iter().zip(values.chunks_exact_mut(quantities)) {
                    values[*quantity] += factor * value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
