//! What is known of the graphs of a batch besides their predictions: whether the training has seen them, what models
//! that had not seen them say, and how much the trainings on bootstrap resamples differ. Each as cells of a table and
//! as JSON.

use super::rows::{decimal, prediction_json};
use einsicht::model::task::{Task, TaskKind};
use einsicht::model::{Prediction, Predictions};
use einsicht::{Dataset, Model};
use serde_json::{Map, Value, json};

/// The column that says whether a graph was in the training.
const SEEN: &str = "seen";

/// What is known of the graphs of a batch.
pub(super) struct Beside {
    /// Whether the training has seen each graph.
    pub(super) seen: Vec<bool>,
    /// For each graph its row in `out_of_fold`, if it has one.
    held_out: Vec<Option<usize>>,
    /// By models that had not seen the graph.
    out_of_fold: Predictions,
    /// By each training on a resample.
    members: Vec<Predictions>,
}

impl Beside {
    /// Of a batch, with the decision of its predictions.
    pub(super) fn of(model: &Model, entry: usize, part: &Dataset, predictions: &Predictions) -> Self {
        let rows: Vec<usize> = (0..part.len()).collect();
        let sorted = model.sort_by_seen(part, &rows);
        let (mut seen, mut held_out) = (vec![true; part.len()], vec![None; part.len()]);
        sorted.unseen.iter().for_each(|&at| seen[at] = false);
        let decision = &predictions.decision;
        let of = |outputs| Predictions { outputs, decision: decision.clone(), ..Predictions::default() };
        let mut out_of_fold = Predictions::default();
        if has_out_of_fold(model, entry) {
            sorted.out_of_fold.iter().enumerate().for_each(|(row, &at)| held_out[at] = Some(row));
            out_of_fold = of(model.out_of_fold_outputs(entry, &sorted));
        }
        let members = model.member_outputs(part, &rows).into_iter().map(of).collect();
        Self { seen, held_out, out_of_fold, members }
    }

    /// Cells of the columns of [`header`].
    pub(super) fn cells(
        &self,
        model: &Model,
        entry: usize,
        picked: &[usize],
        row: usize,
        digits: usize,
    ) -> Vec<String> {
        let mut cells = self.spread_cells(&model.tasks, picked, row, digits);
        cells.push(if self.seen[row] { "yes" } else { "no" }.to_owned());
        if !has_out_of_fold(model, entry) {
            return cells;
        }
        let said = self.held_out[row].map(|at| self.out_of_fold.row(&model.tasks, at));
        for &at in picked {
            match (&model.tasks[at].kind, said.as_ref().map(|said| &said[at])) {
                (TaskKind::Classes(names), Some(Prediction::Class { probabilities, .. })) => {
                    cells.extend(probabilities[first_class(names)..].iter().map(|p| format!("{p:.digits$}")));
                }
                (_, Some(Prediction::Value(value))) => cells.push(decimal(*value, digits)),
                (kind, _) => {
                    let columns =
                        if let TaskKind::Classes(names) = kind { names.len() - first_class(names) } else { 1 };
                    cells.extend(std::iter::repeat_n(String::new(), columns));
                }
            }
        }
        cells
    }

    /// How much the members differ in each target: of classes, in the probability of the predicted one.
    pub(super) fn spread_cells(&self, tasks: &[Task], picked: &[usize], row: usize, digits: usize) -> Vec<String> {
        if self.members.is_empty() {
            return Vec::new();
        }
        let said = self.said(tasks, row);
        let one = |&at: &usize| {
            // Of two classes both differ alike; of more, that of the class that the members favour.
            let classes = match &tasks[at].kind {
                TaskKind::Classes(names) => names.len(),
                TaskKind::Number { .. } => 1,
            };
            let favoured =
                (0..classes).map(|class| mean_and_spread(&said, at, class)).max_by(|a, b| a.0.total_cmp(&b.0));
            favoured.map_or_else(String::new, |(_, spread)| decimal(spread, digits))
        };
        picked.iter().map(one).collect()
    }

    /// What each member says of a graph.
    fn said(&self, tasks: &[Task], row: usize) -> Vec<Vec<Prediction>> {
        self.members.iter().map(|member| member.row(tasks, row)).collect()
    }

    /// Adds all of it to the JSON of a prediction.
    pub(super) fn add_to(&self, object: &mut Value, model: &Model, entry: usize, picked: &[usize], row: usize) {
        object["seen"] = json!(self.seen[row]);
        if has_out_of_fold(model, entry) {
            let known = self.held_out[row].map(|at| prediction_json(&model.tasks, picked, &self.out_of_fold, at));
            object["out_of_fold"] = known.unwrap_or_default();
        }
        if !self.members.is_empty() {
            object["bootstrap"] = self.spread_json(&model.tasks, row);
        }
    }

    /// Mean and standard deviation over the members: of the probabilities, or of the value; by task if there are
    /// several.
    fn spread_json(&self, tasks: &[Task], row: usize) -> Value {
        let said = self.said(tasks, row);
        let one = |(at, task): (usize, &Task)| match &task.kind {
            TaskKind::Classes(names) => {
                let both: Vec<(f64, f64)> = (0..names.len()).map(|class| mean_and_spread(&said, at, class)).collect();
                let named = |pick: fn(&(f64, f64)) -> f64| -> Map<String, Value> {
                    names.iter().zip(&both).map(|(name, pair)| (name.clone(), json!(pick(pair)))).collect()
                };
                json!({ "mean": named(|pair| pair.0), "spread": named(|pair| pair.1) })
            }
            TaskKind::Number { .. } => {
                let (mean, spread) = mean_and_spread(&said, at, 0);
                json!({ "mean": mean, "spread": spread })
            }
        };
        let each: Vec<Value> = tasks.iter().enumerate().map(one).collect();
        match (tasks, &each[..]) {
            ([_], [only]) => only.clone(),
            _ => Value::Object(tasks.iter().map(|task| task.name.clone()).zip(each).collect()),
        }
    }
}

/// Columns of the table: the spread over the members, whether the graph was in the training, and the predictions of
/// models that had not seen it.
pub(super) fn header(model: &Model, entry: usize, picked: &[usize]) -> Vec<String> {
    let mut columns = spread_header(model, picked);
    columns.push(SEEN.to_owned());
    if !has_out_of_fold(model, entry) {
        return columns;
    }
    for Task { name, kind } in picked.iter().map(|&at| &model.tasks[at]) {
        match kind {
            TaskKind::Classes(classes) => {
                let shown = classes[first_class(classes)..].iter();
                columns.extend(shown.map(|class| format!("out_of_fold P({name}={class})")));
            }
            TaskKind::Number { .. } => columns.push(format!("out_of_fold {name}")),
        }
    }
    columns
}

/// Columns of the spread over the members, if there are any.
pub(super) fn spread_header(model: &Model, picked: &[usize]) -> Vec<String> {
    let picked = if model.members.is_empty() { &[][..] } else { picked };
    picked.iter().map(|&at| format!("spread {}", model.tasks[at].name)).collect()
}

/// Whether the model has predictions of models that had not seen its graphs.
pub(super) fn has_out_of_fold(model: &Model, entry: usize) -> bool {
    model.seen.outputs.get(entry).is_some_and(|outputs| !outputs.is_empty())
}

/// Of two classes the second tells all.
fn first_class(classes: &[String]) -> usize {
    usize::from(classes.len() == 2)
}

/// Over the members, of the probability of a class or of the value.
fn mean_and_spread(said: &[Vec<Prediction>], task: usize, class: usize) -> (f64, f64) {
    let of = |said: &Vec<Prediction>| match &said[task] {
        Prediction::Class { probabilities, .. } => probabilities[class],
        Prediction::Value(value) => *value,
    };
    let values: Vec<f64> = said.iter().map(of).collect();
    let len = values.len() as f64;
    let mean = values.iter().sum::<f64>() / len;
    (mean, (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / len).sqrt())
}
