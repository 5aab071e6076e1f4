//! Weights of graphs that make all classes count the same.
//!
//! Promise: scikit-learn's `class_weight="balanced"`: a graph weighs `graphs / (classes * graphs of its class)`,
//! counted over the graphs that have a value; with several targets the weights are multiplied, and a missing value
//! weighs 1. Compared with the Python package in `python/tests/promises/test_conveniences.py`.

use super::{Dataset, TargetValues};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the classes of the training graphs are weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassWeight {
    /// All graphs count the same.
    #[default]
    None,
    /// All classes count the same.
    Balanced,
}

impl ClassWeight {
    /// One weight for each of the graphs at these positions; nothing if they all count the same.
    pub fn weights(self, dataset: &Dataset, rows: &[usize]) -> Result<Option<Vec<f64>>, NoClasses> {
        if self == Self::None {
            return Ok(None);
        }
        let weights = dataset.balanced_weights(rows)?;
        Ok(weights.iter().any(|weight| *weight != 1.0).then_some(weights))
    }
}

/// Weights of classes where a target has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("class weights need classes, but target {target} is a number")]
pub struct NoClasses {
    /// Name of the target.
    pub target: String,
}

impl Dataset {
    /// One weight for each of the graphs at these positions.
    pub(crate) fn balanced_weights(&self, rows: &[usize]) -> Result<Vec<f64>, NoClasses> {
        let mut weights = vec![1.0; rows.len()];
        for target in &self.targets {
            let TargetValues::Classes { values, .. } = &target.values else {
                return Err(NoClasses { target: target.name.clone() });
            };
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            rows.iter().filter_map(|&row| values[row]).for_each(|class| *counts.entry(class).or_insert(0) += 1);
            let labelled: usize = counts.values().sum();
            for (weight, &row) in weights.iter_mut().zip(rows) {
                if let Some(class) = values[row] {
                    *weight *= labelled as f64 / (counts.len() * counts[&class]) as f64;
                }
            }
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Target, Vocabulary};

    #[test]
    fn each_class_weighs_the_same() {
        let classes = Vocabulary::from_tokens(["a", "b"]);
        let values = [0, 0, 0, 1].map(Some).into_iter().chain([None]).collect();
        let mut dataset = Dataset {
            targets: vec![Target { name: "t".into(), values: TargetValues::Classes { classes, values } }],
            ..Dataset::default()
        };
        let third = 4.0 / 6.0;
        assert_eq!(dataset.balanced_weights(&[0, 1, 2, 3, 4]).unwrap(), [third, third, third, 2.0, 1.0]);
        assert_eq!(dataset.balanced_weights(&[0, 3]).unwrap(), [1.0, 1.0]);
        assert_eq!(ClassWeight::Balanced.weights(&dataset, &[0, 3]).unwrap(), None);
        assert_eq!(ClassWeight::Balanced.weights(&dataset, &[0, 1, 3]).unwrap(), Some(vec![0.75, 0.75, 1.5]));
        assert_eq!(ClassWeight::None.weights(&dataset, &[0, 1, 3]).unwrap(), None);
        dataset.targets[0].values = TargetValues::Numbers { values: vec![None; 5] };
        let refused = dataset.balanced_weights(&[0]).unwrap_err().to_string();
        assert_eq!(refused, "class weights need classes, but target t is a number");
    }
}
