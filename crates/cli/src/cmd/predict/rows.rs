//! One prediction as cells of a table and as JSON: of the targets that were picked, each under its name.

use einsicht::model::task::{Task, TaskKind};
use einsicht::model::{Prediction, Predictions};
use serde_json::{Map, Value, json};

/// A prediction for scripts, with the counts.
pub(super) fn row_json(tasks: &[Task], picked: &[usize], id: &str, predictions: &Predictions, row: usize) -> Value {
    let mut object = prediction_json(tasks, picked, predictions, row);
    object["id"] = json!(id);
    object["patterns"] = json!(predictions.patterns_present[row]);
    object["unknown_vertices"] = json!(predictions.unknown_vertices[row]);
    object["applicability"] = json!(predictions.applicability.get(row));
    object
}

/// A prediction alone; by target if the model has several.
pub(super) fn prediction_json(tasks: &[Task], picked: &[usize], predictions: &Predictions, row: usize) -> Value {
    let one = |task: &Task, prediction: &Prediction| match (&task.kind, prediction) {
        (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
            let named: Map<String, Value> =
                names.iter().zip(probabilities).map(|(name, p)| (name.clone(), json!(p))).collect();
            json!({ "class": names[*class], "probabilities": named })
        }
        (_, Prediction::Value(value)) => json!({ "value": value }),
        (_, Prediction::Class { class, .. }) => json!({ "class": class }),
    };
    let all = predictions.row(tasks, row);
    if let ([task], [prediction]) = (tasks, &all[..]) {
        return one(task, prediction);
    }
    let named = |&at: &usize| (tasks[at].name.clone(), one(&tasks[at], &all[at]));
    json!({ "targets": picked.iter().map(named).collect::<Map<String, Value>>() })
}

/// Names of the columns besides the targets: vertices with labels that the model does not know, subgraphs of the model,
/// and the similarity to the nearest graph that the model was fitted on.
const COUNTS: [&str; 3] = ["unknown_vertices", "subgraphs", "applicability"];

/// How much of a prediction a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cmd) enum Detail {
    /// All, for files.
    Whole,
    /// What fits a screen: of several targets with two classes each only the probability of the second.
    Screen,
}

impl Detail {
    /// Digits behind the point.
    pub(super) fn digits(self) -> usize {
        if self == Self::Whole { 6 } else { 4 }
    }
}

/// A number of a target with so many digits behind the point. A small one has an exponent, so that as many digits of it
/// stay: concentrations may be in mol/l.
pub(super) fn decimal(value: f64, digits: usize) -> String {
    match value.abs() {
        size if size != 0.0 && size < 1e-3 || size >= 1e15 => format!("{value:.digits$e}"),
        _ => format!("{value:.digits$}"),
    }
}

/// Columns of the table: for each target the prediction, then its probabilities; then the counts.
pub(in crate::cmd) fn header(tasks: &[Task], picked: &[usize], detail: Detail) -> Vec<String> {
    let mut columns = vec!["id".to_owned()];
    for &at in picked {
        let Task { name, kind } = &tasks[at];
        columns.push(name.clone());
        if let TaskKind::Classes(classes) = kind {
            let shown = classes[hidden(classes.len(), picked, detail)..].iter();
            columns.extend(shown.map(|class| format!("P({name}={class})")));
        }
    }
    columns.into_iter().chain(COUNTS.map(str::to_owned)).collect()
}

/// The first probabilities of a target that are not shown.
fn hidden(classes: usize, picked: &[usize], detail: Detail) -> usize {
    usize::from(detail == Detail::Screen && picked.len() > 1 && classes == 2)
}

/// The cells of one row of the table.
pub(in crate::cmd) fn cells(
    tasks: &[Task],
    picked: &[usize],
    id: &str,
    (predictions, row): (&Predictions, usize),
    detail: Detail,
) -> Vec<String> {
    let digits = detail.digits();
    let mut cells = vec![id.to_owned()];
    let all = predictions.row(tasks, row);
    for &at in picked {
        match (&tasks[at].kind, &all[at]) {
            (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
                cells.push(names[*class].clone());
                let shown = probabilities[hidden(names.len(), picked, detail)..].iter();
                cells.extend(shown.map(|p| format!("{p:.digits$}")));
            }
            (_, Prediction::Value(value)) => cells.push(decimal(*value, digits)),
            (_, Prediction::Class { class, .. }) => cells.push(class.to_string()),
        }
    }
    cells.extend([predictions.unknown_vertices[row], predictions.patterns_present[row]].map(|count| count.to_string()));
    cells.push(predictions.applicability.get(row).map_or_else(String::new, |near| format!("{near:.3}")));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_their_digits() {
        assert_eq!([decimal(1.97e-9, 6), decimal(-0.25, 4), decimal(0.0, 4)], ["1.970000e-9", "-0.2500", "0.0000"]);
    }
}
