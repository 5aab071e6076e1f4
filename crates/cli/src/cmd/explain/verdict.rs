//! What is predicted for a graph, and whether that is right.
//!
//! Promise: a graph of the training is judged by the prediction of a model that had not seen it, which stands beside
//! the output of the model that is explained; without such a prediction it is not judged.

use super::Explanation;
use crate::cmd::tables::subgraphs::signed;
use einsicht::data::TargetValues;
use einsicht::explain::{MemberSpread, Subject};
use einsicht::model::task::TaskKind;
use einsicht::model::{Prediction, Sorted};
use einsicht::report::wording::figure;

impl Explanation<'_> {
    /// The predictions for the shown tasks, with how much they vary over the members, and the truth where it is known.
    pub(super) fn prediction(&self, at: usize) -> String {
        let Subject { model, entry, dataset } = self.subject;
        let row = self.rows[at];
        let predicted = model.predict(entry, dataset, &[row]).row(&model.tasks, 0);
        let sorted = model.sort_by_seen(dataset, &[row]);
        let held_out = self.held_out(&sorted);
        let is_judged = sorted.fitted.is_empty();
        let of_task = |&task: &usize| {
            let own = format!("{} = {}", model.tasks[task].name, self.said(at, task, &predicted[task]));
            let unseen = held_out.as_ref().map(|said| &said[task]);
            let unseen_text = unseen.map_or_else(String::new, |said| {
                format!("; out of fold, by a model that had not seen it: {}", self.plainly(task, said))
            });
            let fitted = if is_judged { "" } else { "; the model was fitted on it" };
            format!(
                "{own}{fitted}{unseen_text}{}",
                self.truth(row, task, unseen.unwrap_or(&predicted[task]), is_judged)
            )
        };
        self.shown_tasks().iter().map(of_task).collect::<Vec<_>>().join(", ")
    }

    /// The predictions of a model that had not seen the graph, if it is one of the training.
    fn held_out(&self, sorted: &Sorted) -> Option<Vec<Prediction>> {
        let Subject { model, entry, .. } = self.subject;
        let said = model.out_of_fold_predictions(entry, sorted);
        (!said.outputs.is_empty()).then(|| said.row(&model.tasks, 0))
    }

    /// A prediction, and how much it varies over the members.
    fn said(&self, at: usize, task: usize, predicted: &Prediction) -> String {
        let spread = self.spread.get(at).map(|of_graph| &of_graph[task]);
        let members = self.subject.model.members.len();
        let plain = self.plainly(task, predicted);
        match (predicted, spread) {
            (Prediction::Class { class, .. }, Some(all)) => {
                let MemberSpread { mean, deviation } = all[*class];
                let varies = format!("; {:.1} ± {:.1} % over {members} resamples)", 100.0 * mean, 100.0 * deviation);
                plain.strip_suffix(')').map_or_else(|| plain.clone(), |start| start.to_owned() + &varies)
            }
            (Prediction::Value(_), Some(all)) => {
                format!("{plain} ({} ± {} over {members} resamples)", figure(all[0].mean), figure(all[0].deviation))
            }
            (_, None) => plain,
        }
    }

    /// A class with its probability, or a number.
    fn plainly(&self, task: usize, predicted: &Prediction) -> String {
        match (&self.subject.model.tasks[task].kind, predicted) {
            (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
                format!("{} ({:.1} %)", names[*class], 100.0 * probabilities[*class])
            }
            (_, Prediction::Value(value)) => figure(*value),
            (_, Prediction::Class { class, .. }) => class.to_string(),
        }
    }

    /// The true class or number, if it is known, and whether a judged prediction is another class, or how far it is
    /// from the number.
    fn truth(&self, row: usize, task: usize, judged: &Prediction, is_judged: bool) -> String {
        let Subject { model, dataset, .. } = self.subject;
        let described = &model.tasks[task];
        let Some(target) = dataset.targets.iter().find(|target| target.name == described.name) else {
            return String::new();
        };
        match (&target.values, &described.kind, judged) {
            (TargetValues::Classes { classes, values }, TaskKind::Classes(names), Prediction::Class { class, .. }) => {
                let Some(known) = values[row].map(|value| &classes.tokens()[value as usize]) else {
                    return String::new();
                };
                let verdict = match (is_judged, names[*class] == *known) {
                    _ if !names.contains(known) => ", which is not a class of the model",
                    (true, false) => ", so WRONG",
                    (true, true) => ", so right",
                    (false, _) => "",
                };
                format!("; true {known}{verdict}")
            }
            (TargetValues::Numbers { values }, _, Prediction::Value(value)) => {
                values[row].map_or_else(String::new, |known| {
                    let off = if is_judged { format!(", {} off", signed(value - known)) } else { String::new() };
                    format!("; true {}{off}", figure(known))
                })
            }
            _ => String::new(),
        }
    }
}
