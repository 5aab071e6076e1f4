//! Explanations as text.

use super::{Explanation, Method};
use crate::output::table;
use einsicht::explain::counts::yes_and_no;
use einsicht::explain::{Attribution, BaselineKind};
use einsicht::learn::forest::Tree;
use einsicht::learn::metrics::most_likely;
use einsicht::learn::model::Prediction;
use einsicht::learn::task::TaskKind;

/// Graphs that are shown at most.
const SHOWN: usize = 10;

impl Explanation<'_> {
    pub(super) fn text(&self) -> String {
        if let Some(path) = &self.options.csv {
            return format!("{} explanations in {}\n", self.rows.len(), path.display());
        }
        match self.options.method {
            Method::Tree => self.trees_text(),
            Method::Forest => self.importance_text(),
            Method::Shapley | Method::Lime => self.graphs_text(),
        }
    }

    fn graphs_text(&self) -> String {
        let title = match (self.options.method, self.found.baseline) {
            (Method::Lime, _) => "coefficients of a local linear surrogate (LIME)",
            (_, BaselineKind::Background) => {
                "Shapley values, relative to the mean over a background sample (baseline: background)"
            }
            _ => "Shapley values, relative to a graph without any of the subgraphs (baseline: absent)",
        };
        let mut text = format!("{title}\n");
        for (at, (&row, attribution)) in self.rows.iter().zip(&self.found.graphs).take(SHOWN).enumerate() {
            text += &self.graph_text(at, row, attribution);
        }
        if self.rows.len() > SHOWN {
            text += &format!("\nand {} more; --graph selects one, --csv writes all\n", self.rows.len() - SHOWN);
        }
        text
    }

    fn graph_text(&self, at: usize, row: usize, attribution: &Attribution) -> String {
        let q = self.found.main_quantity(attribution);
        let value = |feature: usize| self.found.value(attribution, feature, q);
        let mut text = format!("\ngraph {}: {}", self.subject.dataset.ids[row], self.prediction(row));
        let name = &self.found.quantities[q].name;
        text += &format!("\n{name} {:.3} = base {:.3}", attribution.output[q], attribution.base[q]);
        let mut order: Vec<usize> = (0..self.found.names.len()).filter(|&feature| value(feature) != 0.0).collect();
        order.sort_by(|&a, &b| value(b).abs().total_cmp(&value(a).abs()));
        let Some(&first) = order.first() else {
            let is_empty = self.found.features_of(at).iter().all(|value| *value == 0.0);
            let why = if is_empty { "it contains none of the subgraphs" } else { "no subgraph contributes" };
            return format!("{text}: {why}\n");
        };
        text += " + contributions\n";
        let largest = value(first).abs();
        let (mut cells, mut bars) = (Vec::new(), Vec::new());
        for &feature in &order {
            let at = feature * self.found.quantities.len() + q;
            let error = attribution.errors.as_ref().map_or(String::new(), |errors| format!("± {:.3}", errors[at]));
            cells.push(vec![self.found.names[feature].clone(), format!("{:+.3}", value(feature)), error]);
            bars.push(bar(value(feature), largest));
        }
        // The bars are no column of the table, which would align them to the right.
        let lines = table(&[], &cells, 1);
        let width = lines.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        for (line, bar) in lines.lines().zip(&bars) {
            text += &format!("  {line}{}  {}\n", " ".repeat(width - line.chars().count()), bar.trim_end());
        }
        text
    }

    fn prediction(&self, row: usize) -> String {
        let model = self.subject.model;
        let predictions = model.predict(self.subject.entry, self.subject.dataset, &[row]);
        let of_tasks = model.tasks.iter().zip(predictions.row(&model.tasks, 0)).map(|(task, prediction)| {
            match (&task.kind, prediction) {
                (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
                    format!("{} = {} ({:.1} %)", task.name, names[class], 100.0 * probabilities[class])
                }
                (_, Prediction::Value(value)) => format!("{} = {value:.3}", task.name),
                (_, Prediction::Class { class, .. }) => format!("{} = {class}", task.name),
            }
        });
        of_tasks.collect::<Vec<_>>().join(", ")
    }

    fn trees_text(&self) -> String {
        let mut text = String::new();
        for (task, surrogate) in self.subject.model.tasks.iter().zip(&self.trees) {
            let what = match task.kind {
                TaskKind::Classes(_) => "of the predictions are reproduced by this tree",
                TaskKind::Number { .. } => "of the variance of the predictions is explained by this tree",
            };
            text += &format!("{}: {:.1} % {what}\n\n", task.name, 100.0 * surrogate.fidelity);
            self.add_node(&surrogate.tree, &task.kind, 0, "", &mut text);
            text.push('\n');
        }
        text
    }

    fn add_node(&self, tree: &Tree, kind: &TaskKind, at: usize, indent: &str, text: &mut String) {
        let node = &tree.nodes[at];
        let Some(split) = &node.split else {
            *text += &format!("{indent}-> {}, {} graphs\n", answer(tree.value(at), kind), node.rows);
            return;
        };
        let model = self.subject.model;
        let pattern = &model.entries[self.subject.entry].iterate.patterns[split.column as usize];
        let name = model.names().draw(&pattern.code);
        let values = model.params.values();
        let [yes, no] = yes_and_no(values, values.count_above(split.threshold), &name);
        let deeper = format!("{indent}   ");
        *text += &format!("{indent}{yes}\n");
        self.add_node(tree, kind, split.right as usize, &deeper, text);
        *text += &format!("{indent}{no}\n");
        self.add_node(tree, kind, split.left as usize, &deeper, text);
    }

    fn importance_text(&self) -> String {
        let mut text = String::new();
        for (task, values) in self.subject.model.tasks.iter().zip(&self.importance) {
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let row = |&feature: &usize| {
                let bar = "#".repeat((40.0 * values[feature]).round() as usize);
                vec![self.found.names[feature].clone(), bar, format!("{:.3}", values[feature])]
            };
            text += &format!("{}: importance in a forest of 500 trees fitted to the predictions\n", task.name);
            text += &table(&[], &order.iter().map(row).collect::<Vec<_>>(), 2);
            text.push('\n');
        }
        text
    }
}

/// The answer of a leaf: the most frequent class with its fraction, or the mean.
fn answer(value: &[f64], kind: &TaskKind) -> String {
    match kind {
        TaskKind::Classes(names) => {
            let class = most_likely(value);
            let fraction = value[class];
            let purity = if fraction < 1.0 { format!(" ({:.0} %)", 100.0 * fraction) } else { String::new() };
            format!("{}{purity}", names[class])
        }
        TaskKind::Number { .. } => format!("{:.3}", value[0]),
    }
}

/// A bar to the left of the line for negative values, to its right for positive ones.
fn bar(value: f64, largest: f64) -> String {
    let length = (10.0 * value.abs() / largest).round() as usize;
    if value < 0.0 { format!("{:>10}|", "-".repeat(length)) } else { format!("{:>10}|{}", "", "+".repeat(length)) }
}
