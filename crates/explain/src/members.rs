//! How much predictions vary over the members of a model: trainings on bootstrap resamples.
//!
//! Promise: mean and standard deviation are those of probabilities, or of numbers in the units of their target, with
//! the decision of the entry that predicts.

use crate::subject::Subject;
use einsicht_model::task::TaskKind;
use einsicht_model::{Prediction, Predictions};

/// Mean and standard deviation of one predicted number over the members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemberSpread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// For each row, for each task, the spread of the probability of each class, or of the number; empty if the model has
/// no members.
///
/// # Panics
/// If there is no such entry or row.
pub fn member_spread(subject: &Subject<'_>, rows: &[usize]) -> Vec<Vec<Vec<MemberSpread>>> {
    let Subject { model, entry, dataset } = *subject;
    let outputs = model.member_outputs(dataset, rows);
    if outputs.is_empty() {
        return Vec::new();
    }
    let members: Vec<Predictions> = outputs.into_iter().map(|outputs| model.decided(entry, outputs)).collect();
    let of_row = |row: usize| {
        let said: Vec<Vec<Prediction>> = members.iter().map(|member| member.row(&model.tasks, row)).collect();
        let of_task = |(task, described): (usize, &einsicht_model::task::Task)| {
            let numbers = match &described.kind {
                TaskKind::Classes(names) => names.len(),
                TaskKind::Number { .. } => 1,
            };
            (0..numbers).map(|at| spread(&said.iter().map(|all| number(&all[task], at)).collect::<Vec<_>>())).collect()
        };
        model.tasks.iter().enumerate().map(of_task).collect()
    };
    (0..rows.len()).map(of_row).collect()
}

/// The probability of a class, or the number.
fn number(prediction: &Prediction, class: usize) -> f64 {
    match prediction {
        Prediction::Class { probabilities, .. } => probabilities[class],
        Prediction::Value(value) => *value,
    }
}

fn spread(values: &[f64]) -> MemberSpread {
    let count = values.len() as f64;
    let mean = values.iter().fold(0.0, |sum, value| sum + value) / count;
    let variance = values.iter().fold(0.0, |sum, value| sum + (value - mean) * (value - mean)) / count;
    MemberSpread { mean, deviation: variance.sqrt() }
}
