//! Exact Shapley values in polynomial time, at any number of features, where the model has a head.
//!
//! A quantity is a sum of parts, and Shapley values are sums over parts. Exact are: a linear model on its own scale (`linear`, in this file), the
//! mean answer of trees, that is, the probability of a forest and the number of boosted trees (`trees.rs`), and the probability of a
//! linear model of two classes (`logistic.rs`, to 1e-8). So exact are all numbers, the logits of a linear head, and the
//! probabilities of a forest; those of the weighted mean of both too if there are two classes, with columns that interact as well (`blocks.rs`). Not exact are logits of forests, probabilities of a linear model of several classes, and
//! networks: [`Polynomial::covers`] says so, and they go the general way. Tested against all coalitions, and against the package `shap`.

mod blocks;
mod logistic;
mod trees;

use super::Attribution;
use crate::values::Scale;
use crate::values::function::ValueFunction;
use blocks::centred;
use einsicht_learn::heads::{Head, LinearPart, Pair};
use einsicht_learn::task::TaskKind;
use logistic::Logistic;
use trees::ReferenceTrees;

/// The reference rows as a head reads them, with their weights.
struct References {
    rows: Vec<Vec<f64>>,
    weights: Vec<f64>,
    /// The feature that each column belongs to: patterns have one column each, side inputs one or more.
    feature_of: Vec<usize>,
}

impl References {
    /// The feature that a column belongs to.
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
    /// Weights of the columns for a quantity, times a factor.
    Linear { quantity: usize, weights: &'m [f64], factor: f64 },
    /// Answers of trees: for each quantity the index of its answer, times a factor.
    Trees { trees: ReferenceTrees<'m>, answers: Vec<(usize, usize)>, factor: f64 },
    /// Two columns of a linear model that interact, with a weight for a quantity.
    Pair { quantity: usize, pair: &'m Pair, weight: f64 },
    /// The probability of the second of two classes of a linear model.
    Logistic { quantity: usize, logistic: Logistic<'m>, factor: f64 },
}

/// The parts of all quantities that have exact values in polynomial time.
pub(super) struct Polynomial<'m> {
    references: References,
    parts: Vec<Part<'m>>,
    covers: Vec<bool>,
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
        let mut covers = vec![false; quantities];
        let (mut parts, mut output) = (Vec::new(), 0);
        for (task, described) in function.model().tasks.iter().enumerate() {
            let own: Vec<usize> = (0..quantities).filter(|&q| function.quantities()[q].task == task).collect();
            let found = TaskParts { head, references: &references, own: &own, task, output, scale: function.scale() };
            if let Some(found) = found.of(&described.kind) {
                parts.extend(found);
                for &quantity in &own {
                    covers[quantity] = true;
                }
            }
            output += described.outputs();
        }
        if parts.is_empty() && !covers.contains(&true) {
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

    /// Whether the values of a quantity are computed here.
    pub(super) fn covers(&self, quantity: usize) -> bool {
        self.covers[quantity]
    }

    /// Whether those of all are.
    pub(super) fn covers_all(&self) -> bool {
        !self.covers.contains(&false)
    }

    /// The attribution of a row; zeros for quantities that are not covered.
    pub(super) fn attribution(&self, function: &ValueFunction<'_>, row: &[f64]) -> Attribution {
        let quantities = self.covers.len();
        let mut attribution = Attribution::new(function.features(), quantities);
        let columns = function.columns(row);
        for part in &self.parts {
            part.add(&columns, &self.references, &mut attribution.values, quantities);
        }
        attribution.output = function.evaluate(row, 1);
        attribution.base.clone_from(&self.base);
        attribution
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
    /// The parts of the task's quantities; nothing if one of them is not exact.
    fn of(&self, kind: &TaskKind) -> Option<Vec<Part<'m>>> {
        let (linear, forest) = (self.head.linear_part(), self.head.forest_part(self.task));
        let of_linear = 1.0 - self.head.forest_weight();
        let mut parts = Vec::new();
        match (kind, self.scale) {
            (TaskKind::Number { scale, .. }, _) => {
                parts.extend(linear.iter().flat_map(|&linear| self.linear(linear, of_linear * scale)));
                parts.extend(self.trees(|_| self.head.forest_weight() * scale));
            }
            (TaskKind::Classes(_), Scale::Logit) => {
                parts.extend(self.linear(linear.filter(|_| forest.is_none())?, 1.0));
            }
            (TaskKind::Classes(names), Scale::Probability) => {
                if let Some(linear) = linear {
                    let pairs: Vec<(&Pair, f64)> = linear.pairs(self.output).collect();
                    if !blocks::are_small(pairs.iter().map(|(pair, _)| *pair)) {
                        return None;
                    }
                    let [quantity] = *self.own else { return None };
                    debug_assert_eq!(names.len(), 2, "one quantity");
                    let (weights, offset) = (linear.weights(self.output), linear.offset(self.output));
                    let logistic = Logistic::new(weights, offset, pairs, self.references);
                    parts.push(Part::Logistic { quantity, logistic, factor: of_linear });
                }
                parts.extend(self.trees(|per_frequency| self.head.forest_weight() * per_frequency));
            }
        }
        Some(parts)
    }

    fn linear(&self, linear: LinearPart<'m>, factor: f64) -> Vec<Part<'m>> {
        let of = |(at, &quantity): (usize, &usize)| Part::Linear {
            quantity,
            weights: linear.weights(self.output + at),
            factor,
        };
        let mut parts: Vec<Part<'m>> = self.own.iter().enumerate().map(of).collect();
        for (at, &quantity) in self.own.iter().enumerate() {
            let of_pair = |(pair, weight)| Part::Pair { quantity, pair, weight: factor * weight };
            parts.extend(linear.pairs(self.output + at).map(of_pair));
        }
        parts
    }

    /// The trees, with the factor that [`ForestPart::probability_per_frequency`](einsicht_learn::heads::ForestPart::probability_per_frequency) gives.
    fn trees(&self, factor: impl Fn(f64) -> f64) -> Option<Part<'m>> {
        let forest = self.head.forest_part(self.task)?;
        // Of two classes the second is explained.
        let first = forest.width() - self.own.len();
        let answers = self.own.iter().enumerate().map(|(at, &quantity)| (quantity, first + at)).collect();
        let factor = factor(forest.probability_per_frequency());
        Some(Part::Trees { trees: ReferenceTrees::new(forest, self.references), answers, factor })
    }
}

impl Part<'_> {
    /// Adds the values of the features, feature by feature, `quantities` numbers each. A side input that is no feature never differs and has none.
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
                // A product of two numbers that change from (a, b) to (x, y): the first one's share is half of (x - a)(y + b).
                let [x, y] = centred(pair, row);
                for (other, share) in references.rows.iter().zip(&references.weights) {
                    let [a, b] = centred(pair, other);
                    for (column, half) in pair.columns.into_iter().zip([(x - a) * (y + b), (y - b) * (x + a)]) {
                        values[references.feature(column) * quantities + quantity] += 0.5 * weight * share * half;
                    }
                }
            }
            Self::Trees { trees, answers, factor } => {
                let found = trees.values(row, references);
                for (answer, values) in found.chunks_exact(trees.width()).zip(values.chunks_exact_mut(quantities)) {
                    for &(quantity, index) in answers {
                        values[quantity] += factor * answer[index];
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
