//! Interventional Shapley values of the mean answer of trees, for all rows of a baseline at once.
//!
//! For a row `x` and a reference `r` a leaf is reached by the coalition `S` if every feature on its path is in `S` where only `x` passes its questions, and
//! outside of `S` where only `r` does. With `a` features of the first kind (*for*) and `b` of the second (*against*) its answer counts
//! `(a - 1)! b! / (a + b)!` for each of the first and `-a! (b - 1)! / (a + b)!` for each of the second: the game of one leaf, solved
//! (Lundberg et al., 2020). One walk through a tree serves all references: those with the same answers so far are a *class*, bits of a mask, which is split where
//! answers part; branches that no class can reach are left out. Rows with the same answers so far walk together as well: what a leaf counts is computed once for all of
//! them, and each row gets the same numbers in the same order, to the bit, as if it walked alone. Cost: for each leaf and each set of answers of rows the classes
//! times the depth, and one addition per row, leaf and feature.

use super::References;
use einsicht_graph::stop;
use einsicht_learn::heads::{ForestPart, TreeNode};
use std::ops::Range;

/// Trees, with the references that go left at each node.
pub(super) struct ReferenceTrees<'m> {
    forest: ForestPart<'m>,
    goes_left: Vec<u128>,
    weights: LeafWeights,
    /// The different weights of references, each with the references that have it.
    planes: Vec<(f64, u128)>,
    /// Of each answer the numbers before this one are left out.
    first: usize,
}

/// References at most: the bits of a mask.
const MOST_REFERENCES: usize = 128;

/// References that gave the same answers so far.
#[derive(Clone, Copy)]
struct Class {
    references: u128,
    /// Features of the path that only the rows pass.
    number: usize,
}

/// A feature on the path to a node, with its questions so far.
#[derive(Clone, Copy)]
struct Step {
    feature: usize,
    /// Whether the row passes all its questions.
    row: bool,
    /// The references that do.
    references: u128,
}

impl<'m> ReferenceTrees<'m> {
    /// # Panics
    /// If there are more than [`MOST_REFERENCES`].
    pub(super) fn new(forest: ForestPart<'m>, first: usize, references: &References) -> Self {
        assert!(references.rows.len() <= MOST_REFERENCES, "at most {MOST_REFERENCES} references");
        let left = |node: usize| match forest.node(node) {
            TreeNode::Leaf(_) => 0,
            TreeNode::Split { column, threshold, .. } => {
                let bit = |(at, row): (usize, &Vec<f64>)| u128::from(row[column] <= threshold) << at;
                references.rows.iter().enumerate().map(bit).fold(0, |mask, bit| mask | bit)
            }
        };
        let goes_left = (0..forest.num_nodes()).map(left).collect();
        let (weights, planes) = (LeafWeights::new(references.features()), planes(&references.weights));
        Self { forest, goes_left, weights, planes, first }
    }

    /// Numbers per answer.
    pub(super) fn width(&self) -> usize {
        self.forest.width() - self.first
    }

    /// The weight of some references.
    fn weight(&self, references: u128) -> f64 {
        let of_plane = |(weight, own): &(f64, u128)| weight * f64::from((references & own).count_ones());
        self.planes.iter().fold(0.0, |sum, plane| sum + of_plane(plane))
    }

    /// The values of all features for each row, row after row, feature by feature, [`Self::width`] numbers each: those of the mean answer of all trees.
    pub(super) fn values(&self, rows: &[Vec<f64>], references: &References) -> Vec<f64> {
        let per_row = references.features() * self.width();
        let values = vec![0.0; rows.len() * per_row];
        let all = Class { references: u128::MAX >> (MOST_REFERENCES - references.rows.len()), number: 0 };
        let (path, sums, classes) = (Vec::new(), Vec::new(), vec![all]);
        let mut walk = Walk { trees: self, rows, references, path, classes, sums, values, per_row };
        let mut together: Vec<u32> = (0..rows.len() as u32).collect();
        for &root in self.forest.roots() {
            walk.visit(root as usize, 0..1, &mut together);
        }
        let trees = self.forest.roots().len() as f64;
        walk.values.iter_mut().for_each(|value| *value /= trees);
        walk.values
    }
}

struct Walk<'a, 'm> {
    trees: &'a ReferenceTrees<'m>,
    rows: &'a [Vec<f64>],
    references: &'a References,
    path: Vec<Step>,
    /// A stack: a node has a range of it.
    classes: Vec<Class>,
    /// For each step of the path a sum over references, then what the leaf counts for it.
    sums: Vec<f64>,
    values: Vec<f64>,
    /// Numbers of each row in `values`.
    per_row: usize,
}

/// A question of a node: its feature, and what is known of the feature on the path.
#[derive(Clone, Copy)]
struct Question {
    feature: usize,
    /// Where the feature is on the path.
    known: Option<usize>,
    before: Step,
}

impl Walk<'_, '_> {
    /// Visits a node that some classes of references reach with some coalition, with rows that gave the same answers so far. Their order may change.
    fn visit(&mut self, node: usize, classes: Range<usize>, together: &mut [u32]) {
        let (column, threshold, children) = match self.trees.forest.node(node) {
            TreeNode::Leaf(answer) => return self.leaf(answer, classes, together),
            TreeNode::Split { column, threshold, left, right } => (column, threshold, [left, right]),
        };
        let feature = self.references.feature(column);
        let known = self.path.iter().position(|step| step.feature == feature);
        let before = known.map_or(Step { feature, row: true, references: u128::MAX }, |at| self.path[at]);
        let question = Question { feature, known, before };
        let left = self.trees.goes_left[node];
        if !before.row {
            // They failed an earlier question of this feature: the answer to this one does not matter.
            self.answer(question, (children[0], left, false), &classes, together);
            return self.answer(question, (children[1], !left, false), &classes, together);
        }
        let rows = self.rows;
        let at = partition(together, |row| rows[row as usize][column] <= threshold);
        let (go_left, go_right) = together.split_at_mut(at);
        self.answer(question, (children[0], left, true), &classes, go_left);
        self.answer(question, (children[0], left, false), &classes, go_right);
        self.answer(question, (children[1], !left, false), &classes, go_left);
        self.answer(question, (children[1], !left, true), &classes, go_right);
    }

    /// Visits a child, with the references that go there and rows that do, or do not.
    fn answer(
        &mut self,
        question: Question,
        (child, references, row): (usize, u128, bool),
        classes: &Range<usize>,
        rows: &mut [u32],
    ) {
        if rows.is_empty() {
            return;
        }
        let Question { feature, known, before } = question;
        let step = Step { feature, row, references: before.references & references };
        let from = self.classes.len();
        let fails = if row { self.split(classes.clone(), before.references, references) } else { false };
        if !row {
            for at in classes.clone() {
                let class = self.classes[at];
                self.push(class.references & step.references, class.number);
            }
        }
        let reached = from..self.classes.len();
        self.go_on((child, step), (known, before), (fails, reached), rows);
        self.classes.truncate(from);
    }

    /// Pushes the classes of a child that the rows go to, and says whether a class fails the feature for the first time there.
    fn split(&mut self, classes: Range<usize>, before: u128, references: u128) -> bool {
        let mut fails = false;
        for at in classes {
            let Class { references: all, number } = self.classes[at];
            if all & before == 0 {
                // It failed an earlier question of the feature.
                self.push(all, number);
                continue;
            }
            self.push(all & references, number);
            self.push(all & !references, number + 1);
            fails |= all & !references != 0;
        }
        fails
    }

    fn push(&mut self, references: u128, number: usize) {
        if references != 0 {
            self.classes.push(Class { references, number });
        }
    }

    /// Visits a child with the classes that reach it, if there are any.
    fn go_on(
        &mut self,
        (child, step): (usize, Step),
        (known, before): (Option<usize>, Step),
        (fails, reached): (bool, Range<usize>),
        rows: &mut [u32],
    ) {
        if reached.is_empty() {
            return;
        }
        match known {
            Some(at) => {
                self.path[at] = step;
                self.visit(child, reached, rows);
                self.path[at] = before;
            }
            // Passed by the rows and by all: such a feature is neither for nor against.
            None if step.row && !fails => self.visit(child, reached, rows),
            None => {
                self.path.push(step);
                self.visit(child, reached, rows);
                self.path.pop();
            }
        }
    }

    fn leaf(&mut self, answer: &[f64], classes: Range<usize>, together: &[u32]) {
        stop::work(1 + classes.len() + together.len());
        let against = self.path.iter().filter(|step| !step.row).count();
        self.sums.clear();
        self.sums.resize(self.path.len(), 0.0);
        let mut sum_against = 0.0;
        for &Class { references, number } in &self.classes[classes] {
            let weight = self.trees.weight(references);
            if number > 0 {
                let each = weight * self.trees.weights.of(number, against);
                for (sum, step) in self.sums.iter_mut().zip(&self.path) {
                    // A class passes a feature or fails it as a whole.
                    *sum += if step.row && step.references & references == 0 { each } else { 0.0 };
                }
            }
            if against > 0 {
                sum_against += weight * self.trees.weights.of(against, number);
            }
        }
        for (step, sum) in self.path.iter().zip(&mut self.sums) {
            *sum = if step.row { *sum } else { -sum_against };
        }
        let answer = &answer[self.trees.first..];
        for &row in together {
            let own = &mut self.values[row as usize * self.per_row..][..self.per_row];
            for (step, weight) in self.path.iter().zip(&self.sums) {
                let values = &mut own[step.feature * answer.len()..][..answer.len()];
                for (value, answer) in values.iter_mut().zip(answer) {
                    *value += weight * answer;
                }
            }
        }
    }
}

/// The different weights, each with the references that have it.
fn planes(weights: &[f64]) -> Vec<(f64, u128)> {
    let mut planes: Vec<(f64, u128)> = Vec::new();
    for (at, &weight) in weights.iter().enumerate() {
        match planes.iter_mut().find(|(known, _)| *known == weight) {
            Some((_, references)) => *references |= 1 << at,
            None => planes.push((weight, 1 << at)),
        }
    }
    planes
}

/// Puts the rows that hold first, and returns their number.
fn partition(rows: &mut [u32], holds: impl Fn(u32) -> bool) -> usize {
    let mut first = 0;
    for at in 0..rows.len() {
        if holds(rows[at]) {
            rows.swap(first, at);
            first += 1;
        }
    }
    first
}

/// `(a - 1)! b! / (a + b)!` for all numbers of features.
struct LeafWeights {
    features: usize,
    table: Vec<f64>,
}

impl LeafWeights {
    fn new(features: usize) -> Self {
        let mut table = vec![0.0; (features + 1) * (features + 1)];
        for one in 1..=features {
            // 1 / a for b = 0, then times b / (a + b).
            let mut weight = 1.0 / one as f64;
            for other in 0..=features - one {
                if other > 0 {
                    weight *= other as f64 / (one + other) as f64;
                }
                table[one * (features + 1) + other] = weight;
            }
        }
        Self { features, table }
    }

    fn of(&self, one: usize, other: usize) -> f64 {
        self.table[one * (self.features + 1) + other]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaf_weights_are_quotients_of_factorials() {
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        let weights = LeafWeights::new(9);
        for a in 1..=9 {
            for b in 0..=9 - a {
                let wanted = factorial(a - 1) * factorial(b) / factorial(a + b);
                assert!((weights.of(a, b) - wanted).abs() < 1e-15, "{a} {b}");
            }
        }
    }
}
