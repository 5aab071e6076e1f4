//! Heads: models on the chosen patterns that replace the network in prediction.
//!
//! A head reads fixed patterns: a linear model with a ridge penalty, a forest, or a weighted mean of both. Its outputs
//! have the form of the network's (logits, standardised numbers), so that everything behind it (metrics, prediction,
//! explanation) sees no difference. Promise: same values, targets, weights and seed give the same head on any number of
//! threads. Not in the paper; measurements are in `docs/decisions/`.

mod flat;
pub mod forest_code;
mod forests;
mod lazy_forests;
mod linear;
mod parts;

pub use flat::FlatForest;
pub(crate) use flat::LEAF;
pub use forests::{Forests, GrowOn, TaskForest};
pub use lazy_forests::LazyForests;
pub use linear::Linear;
pub use linear::Pair;

pub use crate::features::Table;
pub use parts::{ForestPart, LinearPart, TreeNode};

use crate::task::Task;
use crate::task::metrics::class_probabilities;
use serde::{Deserialize, Serialize};

/// The model on the chosen patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadKind {
    /// The network of the paper, as it was trained. A model has no [`Head`] then: `head` is `None`.
    #[default]
    Network,
    /// A linear model with a ridge penalty.
    Linear,
    /// A random forest; for numbers boosted trees.
    Forest,
    /// A weighted mean of the linear model and the forest; its weight is fitted on graphs outside the fit: out of fold,
    /// or the validation set.
    Blend,
}

impl HeadKind {
    /// Whether it has a linear part.
    pub fn has_linear(self) -> bool {
        match self {
            Self::Linear | Self::Blend => true,
            Self::Network | Self::Forest => false,
        }
    }

    /// Whether it has forests.
    pub fn has_forests(self) -> bool {
        match self {
            Self::Forest | Self::Blend => true,
            Self::Network | Self::Linear => false,
        }
    }

    /// Whether it is fitted after the choice of patterns; if not, it is the network that chose them.
    pub fn is_fitted(self) -> bool {
        match self {
            Self::Linear | Self::Forest | Self::Blend => true,
            Self::Network => false,
        }
    }
}

/// How heads are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadParams {
    /// Which head.
    pub kind: HeadKind,
    /// Ridge penalty of the linear model, for a loss that is a mean.
    pub ridge: f64,
    /// Number of trees.
    pub trees: usize,
    /// Seed of the forest.
    pub seed: u64,
}

/// A fitted head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The linear part.
    pub linear: Option<Linear>,
    /// The forest part.
    pub forests: Option<LazyForests>,
    /// What the trees count in the mean of both parts, from 0 to 1: of probabilities for classes, of the numbers
    /// themselves for numbers. 0 or 1 if there is one part.
    pub forest_weight: f64,
}

/// Weights of the forest that are tried; the first of equally good ones is taken.
pub const FOREST_WEIGHTS: [f64; 5] = [0.5, 0.75, 1.0, 0.25, 0.0];

impl Head {
    /// Sets the weight of the forest, if there is a linear model beside it.
    pub fn set_forest_weight(&mut self, forest_weight: f64) {
        if self.linear.is_some() && self.forests.is_some() {
            self.forest_weight = forest_weight;
        }
    }

    /// Outputs of each part for a table of features, row after row: the linear model's, then the forest's.
    pub fn part_outputs(&self, table: Table<'_>) -> Vec<Vec<f64>> {
        let linear = self.linear.iter().map(|linear| linear.outputs(table));
        linear.chain(self.forests.iter().map(|forests| forests.outputs(table))).collect()
    }

    /// A head that gives the same outputs, bit for bit, for every row whose values are each that of `one` or that of
    /// `other`, faster: for explanations, which evaluate thousands of such rows.
    #[must_use]
    pub fn between(&self, one: &[f64], other: &[f64]) -> Self {
        let narrow = |task: &TaskForest| TaskForest { forest: task.forest.between(one, other), ..*task };
        let forests = self.forests.as_ref().map(|f| Forests { tasks: f.tasks.iter().map(narrow).collect() }.into());
        Self { linear: self.linear.clone(), forests, forest_weight: self.forest_weight }
    }

    /// Whether it has forests of which nobody has said from what they are grown.
    pub fn lacks_forests(&self) -> bool {
        self.forests.as_ref().is_some_and(LazyForests::is_absent)
    }

    /// Gives it the forests that it lacks, grown or to be grown.
    pub fn set_forests(&mut self, forests: LazyForests) {
        debug_assert!(self.lacks_forests(), "forests that are at hand stay");
        self.forests = Some(forests);
    }

    /// Grows forests that are not at hand, on all threads.
    pub fn prepare(&self) {
        if let Some(forests) = &self.forests {
            forests.prepare();
        }
    }

    /// Its linear part as a head of its own, unless it counts nothing.
    #[must_use]
    pub fn linear_alone(&self) -> Option<Self> {
        let linear = self.linear.clone().filter(|_| self.forest_weight < 1.0)?;
        Some(Self { linear: Some(linear), forests: None, forest_weight: 0.0 })
    }

    /// Outputs for a table of features, row after row.
    pub fn outputs(&self, table: Table<'_>) -> Vec<f64> {
        match (&self.linear, &self.forests) {
            (Some(linear), Some(forests)) => {
                blend(&linear.outputs(table), &forests.outputs(table), self.forest_weight, &forests.widths())
            }
            (Some(linear), None) => linear.outputs(table),
            (None, Some(forests)) => forests.outputs(table),
            (None, None) => unreachable!("a head has a part: its kind is fitted, and files without one are refused"),
        }
    }
}

/// The outputs of a head from those of its parts, as [`Head::part_outputs`] gives them.
pub(crate) fn blend_parts(parts: &[Vec<f64>], forest_weight: f64, tasks: &[Task]) -> Vec<f64> {
    match parts {
        [linear, forest] => {
            let widths: Vec<(usize, bool)> =
                tasks.iter().map(|task| (task.outputs(), task.is_classification())).collect();
            blend(linear, forest, forest_weight, &widths)
        }
        parts => parts.concat(),
    }
}

/// The mean of two sets of outputs, the second with this weight: of probabilities for classes, of the numbers
/// themselves for numbers.
pub fn blend(a: &[f64], b: &[f64], forest_weight: f64, widths: &[(usize, bool)]) -> Vec<f64> {
    let mean = |x: f64, y: f64| (1.0 - forest_weight) * x + forest_weight * y;
    let mut blended = Vec::with_capacity(a.len());
    let mut at = 0;
    while at < a.len() {
        for &(width, is_classes) in widths {
            let (x, y) = (&a[at..at + width], &b[at..at + width]);
            if is_classes {
                let both = class_probabilities(x).into_iter().zip(class_probabilities(y));
                push_logits(&both.map(|(p, q)| mean(p, q)).collect::<Vec<f64>>(), &mut blended);
            } else {
                blended.push(mean(x[0], y[0]));
            }
            at += width;
        }
    }
    blended
}

/// Probabilities as outputs: one logit for two classes, else the logarithm of each.
fn push_logits(probabilities: &[f64], outputs: &mut Vec<f64>) {
    match probabilities {
        [first, second] => outputs.push(libm::log(*second) - libm::log(*first)),
        all => outputs.extend(all.iter().map(|p| libm::log(*p))),
    }
}

#[cfg(test)]
mod tests;
