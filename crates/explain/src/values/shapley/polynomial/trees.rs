//! Interventional Shapley values of the mean answer of trees, for all rows of a baseline at once.
//!
//! For a row `x` and a reference `r` a leaf is reached by the coalition `S` if every feature on its path is in `S` where only `x` passes its questions, and
//! outside of `S` where only `r` does. With `a` features of the first kind (*for*) and `b` of the second (*against*) its answer counts
//! `(a - 1)! b! / (a + b)!` for each of the first and `-a! (b - 1)! / (a + b)!` for each of the second: the game of one leaf, solved
//! (Lundberg et al., 2020). One walk through a tree serves all references, which are the bits of a mask; branches that none of them can reach are
//! left out. Rows that passed the same questions so far walk together: what a leaf counts is computed once for all of them, and each row gets the same
//! numbers in the same order, to the bit, as if it walked alone. Cost: the leaves that some row shares with a reference, times the depth, for each
//! set of answers, and one addition per row, leaf and feature.

use super::References;
use einsicht_graph::stop;
use einsicht_learn::heads::{ForestPart, TreeNode};

/// Trees, with the references that go left at each node.
pub(super) struct ReferenceTrees<'m> {
    forest: ForestPart<'m>,
    goes_left: Vec<u128>,
    weights: LeafWeights,
    /// Of each answer the numbers before this one are left out.
    first: usize,
}

/// References at most: the bits of a mask.
const MOST_REFERENCES: usize = 128;

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
        Self { forest, goes_left, weights: LeafWeights::new(references.features()), first }
    }

    /// Numbers per answer.
    pub(super) fn width(&self) -> usize {
        self.forest.width() - self.first
    }

    /// The values of all features for each row, row after row, feature by feature, [`Self::width`] numbers each: those of the mean answer of all trees.
    pub(super) fn values(&self, rows: &[Vec<f64>], references: &References) -> Vec<f64> {
        let per_row = references.features() * self.width();
        let values = vec![0.0; rows.len() * per_row];
        let (path, sums) = (Vec::new(), Vec::new());
        let mut walk = Walk { trees: self, rows, references, path, sums, values, per_row };
        let all = u128::MAX >> (MOST_REFERENCES - references.rows.len());
        let mut together: Vec<u32> = (0..rows.len() as u32).collect();
        for &root in self.forest.roots() {
            walk.visit(root as usize, all, &mut together);
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
    /// Visits a node that the references of a mask reach with some coalition, with rows that gave the same answers so far. Their order may change.
    fn visit(&mut self, node: usize, alive: u128, together: &mut [u32]) {
        let (column, threshold, children) = match self.trees.forest.node(node) {
            TreeNode::Leaf(answer) => return self.leaf(answer, alive, together),
            TreeNode::Split { column, threshold, left, right } => (column, threshold, [left, right]),
        };
        let feature = self.references.feature(column);
        let known = self.path.iter().position(|step| step.feature == feature);
        let before = known.map_or(Step { feature, row: true, references: u128::MAX }, |at| self.path[at]);
        let question = Question { feature, known, before };
        let left = self.trees.goes_left[node];
        if !before.row {
            // They failed an earlier question of this feature: the answer to this one does not matter.
            self.answer(question, (children[0], left, false), alive, together);
            return self.answer(question, (children[1], !left, false), alive, together);
        }
        let rows = self.rows;
        let at = partition(together, |row| rows[row as usize][column] <= threshold);
        let (go_left, go_right) = together.split_at_mut(at);
        self.answer(question, (children[0], left, true), alive, go_left);
        self.answer(question, (children[0], left, false), alive, go_right);
        self.answer(question, (children[1], !left, false), alive, go_left);
        self.answer(question, (children[1], !left, true), alive, go_right);
    }

    /// Visits a child, with the references that go there and rows that do, or do not.
    fn answer(
        &mut self,
        question: Question,
        (child, references, row): (usize, u128, bool),
        alive: u128,
        rows: &mut [u32],
    ) {
        let Question { feature, known, before } = question;
        let step = Step { feature, row, references: before.references & references };
        let reach = if row { alive } else { alive & step.references };
        if reach == 0 || rows.is_empty() {
            return;
        }
        match known {
            Some(at) => {
                self.path[at] = step;
                self.visit(child, reach, rows);
                self.path[at] = before;
            }
            // Passed by the rows and by all: such a feature is neither for nor against.
            None if row && reach & !step.references == 0 => self.visit(child, reach, rows),
            None => {
                self.path.push(step);
                self.visit(child, reach, rows);
                self.path.pop();
            }
        }
    }

    fn leaf(&mut self, answer: &[f64], alive: u128, together: &[u32]) {
        stop::work(1 + alive.count_ones() as usize + together.len());
        let against = self.path.iter().filter(|step| !step.row).count();
        self.sums.clear();
        self.sums.resize(self.path.len(), 0.0);
        let (mut rest, mut sum_against) = (alive, 0.0);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let is_for = |step: &Step| step.row && step.references >> at & 1 == 0;
            let number = self.path.iter().filter(|step| is_for(step)).count();
            let weight = self.references.weights[at];
            if number > 0 {
                let each = weight * self.trees.weights.of(number, against);
                for (sum, step) in self.sums.iter_mut().zip(&self.path) {
                    *sum += if is_for(step) { each } else { 0.0 };
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
