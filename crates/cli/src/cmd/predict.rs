//! `einsicht predict`: what a model says about graphs.

use crate::failure::{Failure, Outcome};
use crate::file::write_whole;
use crate::input::Input;
use crate::model::{check, entry, load, unless};
use crate::options::General;
use crate::output::{Output, table};
use crate::progress::Progress;
use clap::Args;
use einsicht::data::read::TargetChoice;
use einsicht::learn::predict::{Prediction, Predictions};
use einsicht::learn::task::{Task, TaskKind};
use einsicht::{Dataset, Model};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Predict with a model, and be warned where it knows too little.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht predict mutag.einsicht new.smi
  einsicht predict bace.einsicht library.csv.gz -o predictions.csv
  einsicht predict bzr.einsicht BZR --split BZR.json --part test --size 5 --json")]
pub(crate) struct Predict {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Write a table with one row a graph.
    #[arg(short, long, value_name = "CSV")]
    output: Option<PathBuf>,
    /// Use the model of this size instead of the chosen one.
    #[arg(long, value_name = "S")]
    size: Option<usize>,
}

impl Predict {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let dataset = self.input.read_part(unless(&model, TargetChoice::Nothing), general.seed, output)?;
        check(&model, &dataset)?;
        let rows: Vec<usize> = (0..dataset.len()).collect();
        let predictions = {
            let _progress = Progress::start(output, "predicting");
            model.predict(at, &dataset, &rows)
        };
        let unknown = predictions.has_unknown_label.iter().filter(|unknown| **unknown).count();
        let without = predictions.patterns_present.iter().filter(|present| **present == 0).count();
        for (count, what) in
            [(unknown, "have labels that the model has never seen"), (without, "contain none of its subgraphs")]
        {
            if count > 0 {
                output.say(&format!("warning: {count} of {} graphs {what}", dataset.len()));
            }
        }
        if let Some(path) = &self.output {
            write_whole(path, csv(&model, &dataset, &predictions).as_bytes())?;
        }
        output.result(
            || self.text(&model, &dataset, &predictions),
            || {
                let members = model.member_outputs(&dataset, &rows);
                let one = |&row: &usize| {
                    let mut object = row_json(&model.tasks, &dataset.ids[row], &predictions, row);
                    if !members.is_empty() {
                        object["bootstrap"] = spread_json(&model.tasks, &predictions, &members, row);
                    }
                    object
                };
                let list: Vec<Value> = rows.iter().map(one).collect();
                json!({
                    "predictions": list,
                    "unknown_labels": unknown,
                    "no_pattern": without,
                    "skipped": dataset.skipped.len(),
                })
            },
        )?;
        Ok(Outcome::Done)
    }

    fn text(&self, model: &Model, dataset: &Dataset, predictions: &Predictions) -> String {
        const SHOWN: usize = 20;
        if let Some(path) = &self.output {
            return format!("{} predictions in {}\n", dataset.len(), path.display());
        }
        let header = header(&model.tasks);
        let rows: Vec<Vec<String>> = (0..dataset.len().min(SHOWN))
            .map(|row| cells(&model.tasks, &dataset.ids[row], predictions, row, 4))
            .collect();
        let mut text = table(&header.iter().map(String::as_str).collect::<Vec<_>>(), &rows, 1);
        if dataset.len() > SHOWN {
            text += &format!("and {} more; -o writes them all\n", dataset.len() - SHOWN);
        }
        text
    }
}

fn row_json(tasks: &[Task], id: &str, predictions: &Predictions, row: usize) -> Value {
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
fn spread_json(tasks: &[Task], predictions: &Predictions, members: &[Vec<f64>], row: usize) -> Value {
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

/// Columns of the table: the prediction of each task, then its probabilities.
fn header(tasks: &[Task]) -> Vec<String> {
    let mut columns = vec!["id".to_owned()];
    for task in tasks {
        columns.push(task.name.clone());
        if let TaskKind::Classes(names) = &task.kind {
            columns.extend(names.iter().map(|name| format!("P({name})")));
        }
    }
    columns
}

fn cells(tasks: &[Task], id: &str, predictions: &Predictions, row: usize, digits: usize) -> Vec<String> {
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

fn csv(model: &Model, dataset: &Dataset, predictions: &Predictions) -> String {
    let quote = |cell: &String| {
        if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    };
    let line = |cells: Vec<String>| cells.iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(header(&model.tasks));
    for row in 0..dataset.len() {
        text += &line(cells(&model.tasks, &dataset.ids[row], predictions, row, 6));
    }
    text
}
