//! Explanations as text, JSON and table.

use super::{Found, Method, Why};
use crate::io::output::table;
use einsicht::Model;
use einsicht::explain::game::Quantity;
use einsicht::explain::place::Places;
use einsicht::explain::surrogate::along_the_way;
use einsicht::graph::matching::Scratch;
use einsicht::learn::forest::{Forest, Tree};
use einsicht::learn::metrics::most_likely;
use einsicht::learn::predict::Prediction;
use einsicht::learn::task::TaskKind;
use serde_json::{Map, Value, json};

/// What trees answer: shares of all classes from a tree, the model's own outputs from a forest.
pub(super) fn answers_of(model: &Model, is_tree: bool) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for (task, described) in model.tasks.iter().enumerate() {
        let name = &described.name;
        match &described.kind {
            TaskKind::Classes(names) if is_tree || names.len() > 2 => {
                quantities.extend(names.iter().enumerate().map(|(class, word)| Quantity {
                    task,
                    class: Some(class),
                    name: format!("share of {name} = {word}"),
                }));
            }
            TaskKind::Classes(names) => {
                quantities.push(Quantity { task, class: Some(1), name: format!("logit of {name} = {}", names[1]) });
            }
            TaskKind::Number { .. } => quantities.push(Quantity { task, class: None, name: name.clone() }),
        }
    }
    quantities
}

/// What a tree answers, what its root answers, and what the questions on the way add.
pub(super) fn way(tree: &Tree, row: &[f64]) -> Why {
    let (output, base) = (tree.predict(row).to_vec(), tree.value(0).to_vec());
    Why { output, base, values: along_the_way(tree, row), errors: None, interactions: None }
}

/// The mean of that over a forest.
pub(super) fn mean_way(forest: &Forest, row: &[f64]) -> Why {
    let count = forest.trees.len() as f64;
    let (output, base) = (vec![0.0; forest.width], vec![0.0; forest.width]);
    let values = vec![0.0; row.len() * forest.width];
    let mut mean = Why { output, base, values, errors: None, interactions: None };
    let add = |to: &mut [f64], from: &[f64]| {
        for (sum, value) in to.iter_mut().zip(from) {
            *sum += value / count;
        }
    };
    for tree in &forest.trees {
        let one = way(tree, row);
        add(&mut mean.output, &one.output);
        add(&mut mean.base, &one.base);
        add(&mut mean.values, &one.values);
    }
    mean
}

/// Puts the answers of several tasks side by side.
pub(super) fn join(of_task: &[Why], players: usize) -> Why {
    let mut values = Vec::new();
    for player in 0..players {
        for why in of_task {
            let width = why.output.len();
            values.extend_from_slice(&why.values[player * width..(player + 1) * width]);
        }
    }
    Why {
        output: of_task.iter().flat_map(|why| why.output.clone()).collect(),
        base: of_task.iter().flat_map(|why| why.base.clone()).collect(),
        values,
        errors: None,
        interactions: None,
    }
}

impl Found<'_> {
    fn value(&self, why: &Why, pattern: usize, quantity: usize) -> f64 {
        why.values[pattern * self.quantities.len() + quantity]
    }

    /// The quantity that matters most for a graph: that of the predicted class of the first task.
    fn main_quantity(&self, why: &Why) -> usize {
        let first: Vec<usize> = (0..self.quantities.len()).filter(|&q| self.quantities[q].task == 0).collect();
        let outputs: Vec<f64> = first.iter().map(|&q| why.output[q]).collect();
        first.get(most_likely(&outputs)).copied().unwrap_or(0)
    }

    fn baseline(&self) -> &'static str {
        match (self.options.method, self.options.baseline) {
            (Method::Shapley, super::Which::Background) => "background",
            (Method::Shapley | Method::Lime, _) => "absent",
            (Method::Tree | Method::Forest, _) => "root",
        }
    }

    pub(super) fn json(&self) -> Value {
        let patterns: Vec<Value> = (self.model.entries[self.entry].iterate.patterns.iter().zip(&self.names))
            .map(|(pattern, name)| {
                let known = self.model.pattern(&pattern.code);
                json!({
                    "name": name,
                    "smarts": self.model.names().smarts(&pattern.code),
                    "edges": pattern.code.num_edges(),
                    "support": known.map(|known| known.support),
                    "alike": known.map(|known| known.class.size),
                })
            })
            .collect();
        let mut whole = json!({
            "method": format!("{:?}", self.options.method).to_lowercase(),
            "baseline": self.baseline(),
            "size": self.model.entries[self.entry].size,
            "quantities": self.quantities.iter().map(|q| q.name.clone()).collect::<Vec<_>>(),
            "patterns": patterns,
            "graphs": self.graphs_json(),
            "warnings": self.warnings,
        });
        if !self.trees.is_empty() {
            let trees = self.model.tasks.iter().zip(&self.trees).map(|(task, surrogate)| {
                json!({ "target": task.name, "fidelity": surrogate.fidelity, "tree": self.tree_json(&surrogate.tree, 0) })
            });
            whole["trees"] = trees.collect();
        }
        if !self.importance.is_empty() {
            let named = |values: &Vec<f64>| -> Value {
                self.names
                    .iter()
                    .zip(values)
                    .map(|(name, value)| (name.clone(), json!(value)))
                    .collect::<Map<_, _>>()
                    .into()
            };
            let importance = self.model.tasks.iter().zip(&self.importance);
            whole["importance"] =
                importance.map(|(task, values)| json!({ "target": task.name, "values": named(values) })).collect();
        }
        whole
    }

    fn tree_json(&self, tree: &Tree, at: usize) -> Value {
        let node = &tree.nodes[at];
        let mut value = json!({ "rows": node.rows, "impurity": node.impurity, "value": tree.value(at) });
        if let Some(split) = &node.split {
            value["pattern"] = json!(self.names[split.column as usize]);
            value["column"] = json!(split.column);
            value["threshold"] = json!(split.threshold);
            value["absent"] = self.tree_json(tree, split.left as usize);
            value["present"] = self.tree_json(tree, split.right as usize);
        }
        value
    }

    fn graphs_json(&self) -> Vec<Value> {
        let places = Places::new(self.model, &self.model.entries[self.entry].iterate, self.dataset);
        let mut scratch = Scratch::default();
        let width = self.names.len();
        let mut graphs = Vec::with_capacity(self.rows.len());
        for (at, (&row, why)) in self.rows.iter().zip(&self.whys).enumerate() {
            let of = |list: &Vec<f64>, q: usize| -> Value {
                let values = (0..width).map(|p| (self.names[p].clone(), json!(list[p * self.quantities.len() + q])));
                values.collect::<Map<_, _>>().into()
            };
            let one = |q: usize| {
                let mut value = json!({
                    "quantity": self.quantities[q].name,
                    "output": why.output[q],
                    "base": why.base[q],
                    "values": of(&why.values, q),
                });
                if let Some(errors) = &why.errors {
                    value["errors"] = of(errors, q);
                }
                if let Some(pairs) = &why.interactions {
                    let cell = |i: usize, j: usize| pairs[(i * width + j) * self.quantities.len() + q];
                    value["interactions"] = (0..width)
                        .map(|i| json!((0..width).map(|j| cell(i, j)).collect::<Vec<_>>()))
                        .collect::<Vec<_>>()
                        .into();
                }
                value
            };
            let mut graph = one(self.main_quantity(why));
            graph["id"] = json!(self.dataset.ids[row]);
            graph["presence"] = json!(self.table[at * width..(at + 1) * width]);
            if self.quantities.len() > 1 {
                graph["all"] = (0..self.quantities.len()).map(one).collect();
            }
            if self.options.places {
                let patterns = self.model.entries[self.entry].iterate.patterns.len();
                let found = (0..patterns).map(|pattern| {
                    let sets = places.embeddings(pattern, &self.dataset.graphs[row], 1000, &mut scratch);
                    let sets: Vec<Vec<u32>> =
                        sets.iter().map(|edges| edges.iter().map(|edge| edge.index() as u32).collect()).collect();
                    (self.names[pattern].clone(), json!(sets))
                });
                graph["places"] = found.collect::<Map<_, _>>().into();
            }
            graphs.push(graph);
        }
        graphs
    }

    pub(super) fn csv(&self) -> String {
        let quote = |cell: String| {
            if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
        };
        let line = |cells: Vec<String>| cells.into_iter().map(quote).collect::<Vec<_>>().join(",") + "\n";
        let mut header = vec!["id".to_owned(), "quantity".to_owned(), "output".to_owned(), "base".to_owned()];
        header.extend(self.names.iter().cloned());
        let mut text = line(header);
        for (&row, why) in self.rows.iter().zip(&self.whys) {
            for (q, quantity) in self.quantities.iter().enumerate() {
                let mut cells = vec![self.dataset.ids[row].clone(), quantity.name.clone()];
                cells.extend([why.output[q], why.base[q]].map(|value| value.to_string()));
                cells.extend((0..self.names.len()).map(|pattern| self.value(why, pattern, q).to_string()));
                text += &line(cells);
            }
        }
        text
    }

    pub(super) fn text(&self) -> String {
        const SHOWN: usize = 10;
        if let Some(path) = &self.options.csv {
            return format!("{} explanations in {}\n", self.rows.len(), path.display());
        }
        match self.options.method {
            Method::Tree => return self.trees_text(),
            Method::Forest => return self.importance_text(),
            Method::Shapley | Method::Lime => {}
        }
        let mut text = match (self.options.method, self.baseline()) {
            (Method::Lime, _) => "what a line around the graph adds for each subgraph\n".to_owned(),
            (_, "background") => {
                "shares of the output beyond that of other training graphs (baseline: background)\n".to_owned()
            }
            _ => "shares of the output beyond that of a graph without any of the subgraphs (baseline: absent)\n"
                .to_owned(),
        };
        for (at, (&row, why)) in self.rows.iter().zip(&self.whys).take(SHOWN).enumerate() {
            text += &self.graph_text(at, row, why);
        }
        if self.rows.len() > SHOWN {
            text += &format!("\nand {} more; --graph chooses, --csv writes them all\n", self.rows.len() - SHOWN);
        }
        text
    }

    fn graph_text(&self, at: usize, row: usize, why: &Why) -> String {
        let q = self.main_quantity(why);
        let mut text = format!("\ngraph {}: {}", self.dataset.ids[row], self.prediction(row));
        text += &format!("\n{} {:.3} = base {:.3}", self.quantities[q].name, why.output[q], why.base[q]);
        let mut order: Vec<usize> = (0..self.names.len()).filter(|&p| self.value(why, p, q) != 0.0).collect();
        order.sort_by(|&a, &b| self.value(why, b, q).abs().total_cmp(&self.value(why, a, q).abs()));
        if order.is_empty() {
            let none = self.table[at * self.names.len()..(at + 1) * self.names.len()].iter().all(|value| *value == 0.0);
            return text + if none { ": it contains none of the subgraphs\n" } else { ": no subgraph has a share\n" };
        }
        text += " + what follows\n";
        let largest = self.value(why, order[0], q).abs();
        let rows: Vec<Vec<String>> = order
            .iter()
            .map(|&p| {
                let value = self.value(why, p, q);
                let error =
                    why.errors.as_ref().map_or(String::new(), |e| format!("± {:.3}", e[p * self.quantities.len() + q]));
                let bar = (10.0 * value.abs() / largest).round() as usize;
                let drawn = if value < 0.0 {
                    format!("{:>10}|", "-".repeat(bar))
                } else {
                    format!("{:>10}|{}", "", "+".repeat(bar))
                };
                vec![self.names[p].clone(), format!("{value:+.3}"), error, drawn]
            })
            .collect();
        // The bars end in blanks that a right-aligned column would turn around.
        let plain = rows.iter().map(|row| row[..3].to_vec()).collect::<Vec<_>>();
        let lines = table(&[], &plain, 1);
        let width = lines.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        for (line, row) in lines.lines().zip(&rows) {
            text += &format!("  {line}{}  {}\n", " ".repeat(width - line.chars().count()), row[3].trim_end());
        }
        text
    }

    fn prediction(&self, row: usize) -> String {
        let predictions = self.model.predict(self.entry, self.dataset, &[row]);
        let told =
            self.model.tasks.iter().zip(predictions.row(&self.model.tasks, 0)).map(|(task, prediction)| {
                match (&task.kind, prediction) {
                    (TaskKind::Classes(names), Prediction::Class { class, probabilities }) => {
                        format!("{} = {} ({:.1} %)", task.name, names[class], 100.0 * probabilities[class])
                    }
                    (_, Prediction::Value(value)) => format!("{} = {value:.3}", task.name),
                    (_, Prediction::Class { class, .. }) => format!("{} = {class}", task.name),
                }
            });
        told.collect::<Vec<_>>().join(", ")
    }

    fn trees_text(&self) -> String {
        let mut text = String::new();
        for (task, surrogate) in self.model.tasks.iter().zip(&self.trees) {
            let what = match task.kind {
                TaskKind::Classes(_) => "of the predictions are repeated by these rules",
                TaskKind::Number { .. } => "of the variance of the predictions is explained by these rules",
            };
            text += &format!("{}: {:.1} % {what}\n\n", task.name, 100.0 * surrogate.fidelity);
            let kind = &task.kind;
            self.node_text(&surrogate.tree, kind, 0, "", &mut text);
            text.push('\n');
        }
        text
    }

    fn node_text(&self, tree: &Tree, kind: &TaskKind, at: usize, indent: &str, text: &mut String) {
        let node = &tree.nodes[at];
        let Some(split) = &node.split else {
            let answer = match kind {
                TaskKind::Classes(names) => {
                    let class = most_likely(tree.value(at));
                    let share = tree.value(at)[class];
                    let sure = if share < 1.0 { format!(" ({:.0} %)", 100.0 * share) } else { String::new() };
                    format!("{}{sure}", names[class])
                }
                TaskKind::Number { .. } => format!("{:.3}", tree.value(at)[0]),
            };
            *text += &format!("{indent}-> {answer}, {} graphs\n", node.rows);
            return;
        };
        let name =
            self.model.names().draw(&self.model.entries[self.entry].iterate.patterns[split.column as usize].code);
        let (yes, no) = match self.model.params.values().count_above(split.threshold) {
            1 => (format!("with {name}"), format!("without {name}")),
            times => (format!("with {name}, {times} times or more"), format!("with {name} less often, or not at all")),
        };
        let deeper = format!("{indent}   ");
        *text += &format!("{indent}{yes}\n");
        self.node_text(tree, kind, split.right as usize, &deeper, text);
        *text += &format!("{indent}{no}\n");
        self.node_text(tree, kind, split.left as usize, &deeper, text);
    }

    fn importance_text(&self) -> String {
        let mut text = String::new();
        for (task, values) in self.model.tasks.iter().zip(&self.importance) {
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let rows: Vec<Vec<String>> = order
                .iter()
                .map(|&p| {
                    let bar = "#".repeat((40.0 * values[p]).round() as usize);
                    vec![self.names[p].clone(), bar, format!("{:.3}", values[p])]
                })
                .collect();
            text += &format!("{}: importance in a forest of 500 trees that imitates the model\n", task.name);
            text += &table(&[], &rows, 2);
            text.push('\n');
        }
        text
    }
}
