//! Interventional Shapley values of the mean answer of trees, for all rows of a baseline at once.
//!
//! For a row `x` and a reference `r` a leaf is reached by the coalition `S` if every feature on its path is in `S`
//! where only `x` passes its questions, and outside of `S` where only `r` does. With `a` features of the first kind
//! (*for*) and `b` of the second (*against*) its answer counts `(a - 1)! b! / (a + b)!` for each of the first and `-a!
//! (b - 1)! / (a + b)!` for each of the second: the game of one leaf, solved (Lundberg et al., 2020). One walk through
//! a tree serves all rows and all references: rows with the same answers so far are a *group*, references with the same
//! answers so far a *class*; each has a mask of the features of the path that it fails. Both are split where answers
//! part, apart from each other, and meet at the leaves: a group and a class reach a leaf together if no feature fails
//! both. Groups that no reference can go on with are left out on the way. Each row gets the same numbers in the same
//! order, to the bit, with other rows as alone. Cost: a few operations for each group and class that reach a leaf
//! together, and one addition per row, leaf and feature.

use super::References;
use einsicht_graph::stop;
use einsicht_model::heads::{ForestPart, TreeNode};
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
    /// The most features on a path.
    longest: usize,
}

/// References at most: the bits of a mask.
const MOST_REFERENCES: usize = 128;
/// Words of a mask of the features of a path, for all trees but strange ones, and for these.
const WORDS: usize = 1;
const MOST_WORDS: usize = 32;

/// Features of a path, by their positions on it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mask<const N: usize>([u64; N]);

impl<const N: usize> Mask<N> {
    fn with(mut self, position: usize) -> Self {
        self.0[position / 64] |= 1 << (position % 64);
        self
    }

    #[inline]
    fn has(self, position: usize) -> bool {
        self.0[position / 64] >> (position % 64) & 1 == 1
    }

    /// Calls a function with each position, increasing.
    #[inline]
    fn each(self, mut act: impl FnMut(usize)) {
        for word in 0..N {
            let mut bits = self.0[word];
            while bits != 0 {
                act(64 * word + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

/// References that gave the same answers so far.
#[derive(Clone, Copy)]
struct Class<const N: usize> {
    /// The features that they fail, and how many these are.
    fails: Mask<N>,
    number: usize,
    weight: f64,
    references: u128,
}

/// Rows that gave the same answers so far.
#[derive(Clone, Copy)]
struct Group<const N: usize> {
    /// The features that they fail, and how many these are.
    fails: Mask<N>,
    number: usize,
    /// The references that pass all these features.
    references: u128,
    /// Where they are in the list of rows.
    start: usize,
    end: usize,
}

/// A feature on the path to a node.
#[derive(Clone, Copy)]
struct Step {
    feature: usize,
    /// The references that pass all its questions.
    references: u128,
}

impl<'m> ReferenceTrees<'m> {
    /// Nothing if a path has too many features.
    ///
    /// # Panics
    /// If there are more than [`MOST_REFERENCES`].
    pub(super) fn new(forest: ForestPart<'m>, first: usize, references: &References) -> Option<Self> {
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
        let longest = longest_path(forest, references);
        (longest <= 64 * MOST_WORDS).then_some(Self { forest, goes_left, weights, planes, first, longest })
    }

    /// Numbers per answer.
    pub(super) fn width(&self) -> usize {
        self.forest.width() - self.first
    }

    fn weight(&self, references: u128) -> f64 {
        let of_plane = |(weight, own): &(f64, u128)| weight * f64::from((references & own).count_ones());
        self.planes.iter().fold(0.0, |sum, plane| sum + of_plane(plane))
    }

    /// The values of all features for each row, row after row, feature by feature, [`Self::width`] numbers each: those
    /// of the mean answer of all trees.
    pub(super) fn values(&self, rows: &[Vec<f64>], references: &References) -> Vec<f64> {
        if self.longest <= 64 * WORDS {
            self.values_by_masks::<WORDS>(rows, references)
        } else {
            self.values_by_masks::<MOST_WORDS>(rows, references)
        }
    }

    /// The same with masks of so many words.
    fn values_by_masks<const N: usize>(&self, rows: &[Vec<f64>], references: &References) -> Vec<f64> {
        let per_row = references.features() * self.width();
        let (fails, all) = (Mask([0; N]), u128::MAX >> (MOST_REFERENCES - references.rows.len()));
        let mut walk = Walk {
            trees: self,
            rows,
            references,
            order: (0..rows.len() as u32).collect(),
            path: Vec::new(),
            position: vec![None; references.features()],
            classes: vec![Class { fails, number: 0, weight: self.weight(all), references: all }],
            groups: vec![Group { fails, number: 0, references: all, start: 0, end: rows.len() }],
            failing: Vec::new(),
            sums: Vec::new(),
            parts: Vec::new(),
            values: vec![0.0; rows.len() * per_row],
            per_row,
        };
        for &root in self.forest.roots() {
            walk.visit(root as usize, 0..1, 0..1);
        }
        let trees = self.forest.roots().len() as f64;
        walk.values.iter_mut().for_each(|value| *value /= trees);
        walk.values
    }
}

/// The most features on a path of a forest.
fn longest_path(forest: ForestPart<'_>, references: &References) -> usize {
    let mut longest = 0;
    let mut open: Vec<(usize, Vec<usize>)> = forest.roots().iter().map(|&root| (root as usize, Vec::new())).collect();
    while let Some((node, mut features)) = open.pop() {
        if let TreeNode::Split { column, left, right, .. } = forest.node(node) {
            let feature = references.feature(column);
            if !features.contains(&feature) {
                features.push(feature);
            }
            open.push((left, features.clone()));
            open.push((right, features));
        } else {
            longest = longest.max(features.len());
        }
    }
    longest
}

struct Walk<'a, 'm, const N: usize> {
    trees: &'a ReferenceTrees<'m>,
    rows: &'a [Vec<f64>],
    references: &'a References,
    /// All rows; a group has a range of them.
    order: Vec<u32>,
    path: Vec<Step>,
    /// For each feature its position on the path.
    position: Vec<Option<usize>>,
    /// Stacks: a node has a range of each.
    classes: Vec<Class<N>>,
    groups: Vec<Group<N>>,
    /// For each position of the path to a leaf the classes that fail its feature.
    failing: Vec<u128>,
    /// For each position a sum over references.
    sums: Vec<f64>,
    /// What a leaf adds to some numbers of a row.
    parts: Vec<(usize, f64)>,
    values: Vec<f64>,
    /// Numbers of each row in `values`.
    per_row: usize,
}

impl<const N: usize> Walk<'_, '_, N> {
    /// Visits a node with the classes and groups that come there.
    fn visit(&mut self, node: usize, classes: Range<usize>, groups: Range<usize>) {
        let (column, threshold, children) = match self.trees.forest.node(node) {
            TreeNode::Leaf(answer) => return self.leaf(answer, classes, groups),
            TreeNode::Split { column, threshold, left, right } => (column, threshold, [left, right]),
        };
        let feature = self.references.feature(column);
        let known = self.position[feature];
        let position = known.unwrap_or(self.path.len());
        let before = known.map_or(Step { feature, references: u128::MAX }, |at| self.path[at]);
        if known.is_none() {
            self.path.push(before);
            self.position[feature] = Some(position);
        }
        let (first_cut, first_class, first_group) =
            (self.split_rows(&groups, position, column, threshold), self.classes.len(), self.groups.len());
        for (side, child) in children.into_iter().enumerate() {
            let left = self.trees.goes_left[node];
            let to = if side == 0 { left } else { !left };
            self.path[position].references = before.references & to;
            self.groups_of_child(&groups, &first_cut, position, (side, to & before.references));
            if self.groups.len() > first_group {
                self.classes_of_child(classes.clone(), position, to);
                self.visit(child, first_class..self.classes.len(), first_group..self.groups.len());
            }
            self.classes.truncate(first_class);
            self.groups.truncate(first_group);
        }
        if known.is_none() {
            self.path.pop();
            self.position[feature] = None;
        } else {
            self.path[position] = before;
        }
    }

    /// Orders the rows of each group: those that go left first. Returns where the others begin; groups that failed the
    /// feature before are as they were.
    fn split_rows(&mut self, groups: &Range<usize>, position: usize, column: usize, threshold: f64) -> Vec<usize> {
        let mut cuts = Vec::with_capacity(groups.len());
        for at in groups.clone() {
            let Group { fails, start, end, .. } = self.groups[at];
            let rows = self.rows;
            let goes_left = |row: u32| rows[row as usize][column] <= threshold;
            cuts.push(if fails.has(position) {
                start
            } else {
                start + partition(&mut self.order[start..end], goes_left)
            });
        }
        cuts
    }

    /// Pushes the groups of a child: rows that go there pass the question, others fail the feature, unless they did
    /// before.
    fn groups_of_child(
        &mut self,
        groups: &Range<usize>,
        cuts: &[usize],
        position: usize,
        (side, passing): (usize, u128),
    ) {
        for (at, &cut) in groups.clone().zip(cuts) {
            let group = self.groups[at];
            let references = group.references & passing;
            if group.fails.has(position) {
                // The answer to this question does not matter.
                if references != 0 {
                    self.groups.push(Group { references, ..group });
                }
                continue;
            }
            let fails = Group { fails: group.fails.with(position), number: group.number + 1, references, ..group };
            let parts = [(group.start, cut), (cut, group.end)];
            for (part, (start, end)) in parts.into_iter().enumerate() {
                if start == end {
                    continue;
                }
                if part == side {
                    self.groups.push(Group { start, end, ..group });
                } else if references != 0 {
                    self.groups.push(Group { start, end, ..fails });
                }
            }
        }
    }

    /// Pushes the classes of a child: references that go there, then those that fail the feature.
    fn classes_of_child(&mut self, classes: Range<usize>, position: usize, to: u128) {
        for at in classes {
            let class = self.classes[at];
            let passing = class.references & to;
            if class.fails.has(position) || passing == class.references {
                self.classes.push(class);
                continue;
            }
            let failing = Class { fails: class.fails.with(position), number: class.number + 1, ..class };
            if passing == 0 {
                self.classes.push(failing);
                continue;
            }
            let weight = self.trees.weight(passing);
            self.classes.push(Class { references: passing, weight, ..class });
            let references = class.references & !to;
            self.classes.push(Class { references, weight: self.trees.weight(references), ..failing });
        }
    }

    fn leaf(&mut self, answer: &[f64], classes: Range<usize>, groups: Range<usize>) {
        let answer = &answer[self.trees.first..];
        self.failing.clear();
        self.failing.resize(self.path.len(), 0);
        for (at, class) in self.classes[classes.clone()].iter().enumerate() {
            class.fails.each(|position| self.failing[position] |= 1 << at);
        }
        for at in groups {
            let group = self.groups[at];
            self.count_leaf(&group, classes.clone(), answer);
            for &row in &self.order[group.start..group.end] {
                let own = &mut self.values[row as usize * self.per_row..][..self.per_row];
                for &(at, amount) in &self.parts {
                    own[at] += amount;
                }
            }
            stop::work(1 + classes.len() + group.end - group.start);
        }
    }

    /// What a leaf counts for the features of a group: for each number of a feature that it changes, the amount.
    fn count_leaf(&mut self, group: &Group<N>, classes: Range<usize>, answer: &[f64]) {
        let (against, weights) = (group.number, &self.trees.weights);
        self.sums.clear();
        self.sums.resize(self.path.len(), 0.0);
        let (sums, mut sum_against) = (&mut self.sums[..], 0.0);
        // There are at most as many classes as references.
        let mut reaching = u128::MAX >> (MOST_REFERENCES - classes.len());
        group.fails.each(|position| reaching &= !self.failing[position]);
        let classes = &self.classes[classes];
        // HOT: most of the time of a page.
        while reaching != 0 {
            let class = &classes[reaching.trailing_zeros() as usize];
            reaching &= reaching - 1;
            if class.number > 0 {
                let each = class.weight * weights.of(class.number, against);
                class.fails.each(|position| sums[position] += each);
            }
            if against > 0 {
                sum_against += class.weight * weights.of(against, class.number);
            }
        }
        self.parts.clear();
        let width = answer.len();
        for (position, (step, sum)) in self.path.iter().zip(&self.sums).enumerate() {
            let weight = if group.fails.has(position) { -sum_against } else { *sum };
            if weight != 0.0 {
                for (number, answer) in answer.iter().enumerate() {
                    self.parts.push((step.feature * width + number, weight * answer));
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
