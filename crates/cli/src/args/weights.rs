//! `--class-weight`: how much the graphs of each class count in training.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use einsicht::Dataset;
use einsicht::data::ClassWeight;

/// Weights of the training graphs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Training options")]
pub(crate) struct WeightOptions {
    /// Class weights: balanced gives all classes the same total weight [default: all graphs weigh the same].
    ///
    /// As in scikit-learn, the weight of a graph is graphs / (classes * graphs of its class), counted over the training
    /// graphs.
    #[arg(long, value_name = "HOW")]
    class_weight: Option<WeightWord>,
}

/// The words of --class-weight.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum WeightWord {
    /// All classes have the same total weight.
    Balanced,
}

impl WeightOptions {
    pub(crate) fn class_weight(&self) -> ClassWeight {
        match self.class_weight {
            None => ClassWeight::None,
            Some(WeightWord::Balanced) => ClassWeight::Balanced,
        }
    }

    /// The weights of the graphs of a data set, if they do not all count the same.
    pub(crate) fn of_rows(&self, dataset: &Dataset, rows: &[usize]) -> Result<Option<Vec<f64>>, Failure> {
        let weights = self.class_weight().weights(dataset, rows);
        weights.map_err(|error| Failure::usage("--class-weight", format!("--class-weight: {error}")))
    }
}
