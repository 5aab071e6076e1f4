//! One prediction as cells of a table and as JSON.

use einsicht::learn::model::{Prediction, Predictions};
use einsicht::learn::task::{Task, TaskKind};
use serde_json::{Map, Value, json};

/// A prediction for scripts.
pub(super) fn row_json(tasks: &[Task], id: &str, predictions: &Predictions, row: usize) -> Value {
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
    let mut object = if let ([task], [prediction]) = (tasks, &all[..]) {
        one(task, prediction)
    } else {
        let named: Map<String, Value> =
            tasks.iter().zip(&all).map(|(task, prediction)| (task.name.clone(), one(task, prediction))).collect();
        json!({ "targets": named })
    };
    object["id"] = json!(id);
    object["patterns"] = json!(predictions.patterns_present[row]);
    object
}

/// Mean and standard deviation over the members: of the probabilities, or of the value; by task if there are several.
pub(super) fn spread_json(tasks: &[Task], predictions: &Predictions, members: &[Vec<f64>], row: usize) -> Value {
    let say = |outputs: &Vec<f64>| Predictions { outputs: outputs.clone(), ..predictions.clone() }.row(tasks, row);
    let said: Vec<Vec<Prediction>> = members.iter().map(say).collect();
    let mean_and_spread = |values: Vec<f64>| {
        let len = values.len() as f64;
        let mean = values.iter().sum::<f64>() / len;
        (mean, (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / len).sqrt())
    };
    let one = |(at, task): (usize, &Task)| {
        let number = |class: usize| {
            let of = |said: &Vec<Prediction>| match &said[at] {
                Prediction::Class { probabilities, .. } => probabilities[class],
                Prediction::Value(value) => *value,
            };
            mean_and_spread(said.iter().map(of).collect())
        };
        match &task.kind {
            TaskKind::Classes(names) => {
                let both: Vec<(f64, f64)> = (0..names.len()).map(number).collect();
                let named = |pick: fn(&(f64, f64)) -> f64| -> Map<String, Value> {
                    names.iter().zip(&both).map(|(name, pair)| (name.clone(), json!(pick(pair)))).collect()
                };
                json!({ "mean": named(|pair| pair.0), "spread": named(|pair| pair.1) })
            }
            TaskKind::Number { .. } => {
                let (mean, spread) = number(0);
                json!({ "mean": mean, "spread": spread })
            }
        }
    };
    let each: Vec<Value> = tasks.iter().enumerate().map(one).collect();
    match (tasks, &each[..]) {
        ([_], [only]) => only.clone(),
        _ => Value::Object(tasks.iter().map(|task| task.name.clone()).zip(each).collect()),
    }
}

/// Columns of the table: the prediction of each task, then its probabilities; the row of the source comes last.
pub(super) fn header(tasks: &[Task]) -> Vec<String> {
    let mut columns = vec!["id".to_owned()];
    for task in tasks {
        columns.push(task.name.clone());
        if let TaskKind::Classes(names) = &task.kind {
            columns.extend(names.iter().map(|name| format!("P({name})")));
        }
    }
    columns
}

/// The cells of one row of the table, but for the last.
pub(super) fn cells(tasks: &[Task], id: &str, predictions: &Predictions, row: usize, digits: usize) -> Vec<String> {
    let mut cells = vec![id.to_owned()];
    for (task, prediction) in tasks.iter().zip(predictions.row(tasks, row)) {
        match (&task.kind, prediction) {
            (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
                cells.push(names[class].clone());
                cells.extend(probabilities.iter().map(|p| format!("{p:.digits$}")));
            }
            (_, Prediction::Value(value)) => cells.push(format!("{value:.digits$}")),
            (_, Prediction::Class { class, .. }) => cells.push(class.to_string()),
        }
    }
    cells
}
