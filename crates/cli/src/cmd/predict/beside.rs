//! What is known of the graphs of a batch besides their predictions: whether the training has seen them, what models
//! that had not seen them say, and how much the trainings on bootstrap resamples differ. Each as cells of a table and
//! as JSON.

use super::rows::{decimal, prediction_json};
use einsicht::explain::{MemberSpread, Subject, member_spread};
use einsicht::model::task::{Task, TaskKind};
use einsicht::model::{Prediction, Predictions};
use einsicht::{Dataset, Model};
use serde_json::{Value, json};

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
    /// For each graph and target, how much the trainings on resamples differ; empty if there are none.
    spread: Vec<Vec<Vec<MemberSpread>>>,
}

impl Beside {
    /// Of a batch.
    pub(super) fn of(model: &Model, entry: usize, part: &Dataset) -> Self {
        let rows: Vec<usize> = (0..part.len()).collect();
        let sorted = model.sort_by_seen(part, &rows);
        let (mut seen, mut held_out) = (vec![true; part.len()], vec![None; part.len()]);
        sorted.unseen.iter().for_each(|&at| seen[at] = false);
        let mut out_of_fold = Predictions::default();
        if has_out_of_fold(model, entry) {
            sorted.out_of_fold.iter().enumerate().for_each(|(row, &at)| held_out[at] = Some(row));
            out_of_fold = model.out_of_fold_predictions(entry, &sorted);
        }
        let spread = member_spread(&Subject { model, entry, dataset: part }, &rows);
        Self { seen, held_out, out_of_fold, spread }
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
        let mut cells = self.spread_cells(picked, row, digits);
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
    pub(super) fn spread_cells(&self, picked: &[usize], row: usize, digits: usize) -> Vec<String> {
        let Some(of_graph) = self.spread.get(row) else { return Vec::new() };
        // Of two classes both differ alike; of more, that of the class that the members favour.
        let favoured = |&at: &usize| of_graph[at].iter().max_by(|a, b| a.mean.total_cmp(&b.mean));
        let cell = |spread: Option<&MemberSpread>| spread.map_or_else(String::new, |s| decimal(s.deviation, digits));
        picked.iter().map(favoured).map(cell).collect()
    }

    /// Adds all of it to the JSON of a prediction.
    pub(super) fn add_to(&self, object: &mut Value, model: &Model, entry: usize, picked: &[usize], row: usize) {
        object["seen"] = json!(self.seen[row]);
        if has_out_of_fold(model, entry) {
            let known = self.held_out[row].map(|at| prediction_json(&model.tasks, picked, &self.out_of_fold, at));
            object["out_of_fold"] = known.unwrap_or_default();
        }
        if let Some(spread) = self.spread.get(row) {
            object["bootstrap"] = spread_json(&model.tasks, spread);
        }
    }
}

/// Mean and standard deviation over the members: of the probabilities, or of the value; by task if there are several.
fn spread_json(tasks: &[Task], spread: &[Vec<MemberSpread>]) -> Value {
    let one = |(task, numbers): (&Task, &Vec<MemberSpread>)| {
        let of = |pick: fn(&MemberSpread) -> f64| match &task.kind {
            TaskKind::Classes(names) => {
                names.iter().zip(numbers).map(|(name, number)| (name.clone(), json!(pick(number)))).collect()
            }
            TaskKind::Number { .. } => numbers.first().map(|number| json!(pick(number))).unwrap_or_default(),
        };
        json!({ "mean": of(|number| number.mean), "spread": of(|number| number.deviation) })
    };
    let each: Vec<Value> = tasks.iter().zip(spread).map(one).collect();
    match (tasks, &each[..]) {
        ([_], [only]) => only.clone(),
        _ => Value::Object(tasks.iter().map(|task| task.name.clone()).zip(each).collect()),
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
