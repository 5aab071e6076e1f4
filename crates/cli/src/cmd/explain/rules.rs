//! Surrogate trees and forests as text: they are about all graphs; the way of a graph through them is its own.

use super::Explanation;
use super::text::Places;
use crate::io::output::{counted, screen_width, table, wrapped};
use einsicht::explain::Surrogate;
use einsicht::forest::{Split, Tree};
use einsicht::model::metrics::most_likely;
use einsicht::model::task::TaskKind;
use einsicht::report::wording::yes_and_no;

/// A surrogate tree with less fidelity is called a rough one.
const ROUGH: f64 = 0.8;

impl Explanation<'_> {
    pub(super) fn trees_text(&self) -> String {
        let mut text = String::new();
        for (&task, surrogate) in self.tasks.iter().zip(&self.trees) {
            let task = &self.subject.model.tasks[task];
            let what = match task.kind {
                TaskKind::Classes(_) => "of the predictions are reproduced by this tree",
                TaskKind::Number { .. } => "of the variance of the predictions is explained by this tree",
            };
            let rough = if surrogate.fidelity < ROUGH { "; too low to stand for the model" } else { "" };
            let line = format!("{}: {:.1} % {what}{rough}", task.name, 100.0 * surrogate.fidelity);
            text += &wrapped(&line, screen_width());
            text.push('\n');
            self.add_node(&surrogate.tree, &task.kind, 0, "", &mut text);
            text.push('\n');
        }
        text + &self.ways_text()
    }

    /// What the tree says about each graph that was named, and why: the answers on its way.
    fn ways_text(&self) -> String {
        let (mut text, width) = (String::new(), screen_width());
        if self.options.graph.is_empty() {
            return text;
        }
        text += &wrapped(&self.about_all("tree", "its path for"), width);
        for at in 0..self.rows.len() {
            text += &self.graph_line(at, width);
            for (&task, surrogate) in self.tasks.iter().zip(&self.trees) {
                text += &self.way_text(at, task, surrogate, width);
            }
        }
        text + "\n"
    }

    fn way_text(&self, at: usize, task: usize, Surrogate { tree, .. }: &Surrogate, width: usize) -> String {
        let task = &self.subject.model.tasks[task];
        let (mut node, mut text, row) = (0, String::new(), self.found.features_of(at));
        while let Some(split) = &tree.nodes[node].split {
            let is_more = row[split.column as usize] > split.threshold;
            let [yes, no] = self.answers(split);
            text += &wrapped(&format!("  {}", if is_more { yes } else { no }), width);
            node = if is_more { split.right } else { split.left } as usize;
        }
        let said = format!("  -> the tree says {} = {}", task.name, answer(tree.value(node), &task.kind));
        text + &wrapped(&said, width)
    }

    /// That a surrogate is about all graphs, and what follows about those that were named.
    fn about_all(&self, surrogate: &str, own: &str) -> String {
        let all = counted(self.subject.dataset.len(), "graph");
        let named = if self.rows.len() == 1 { "the named graph" } else { "each named graph" };
        format!("the {surrogate} describes all {all}, whatever --graph names; {own} {named}:")
    }

    fn add_node(&self, tree: &Tree, kind: &TaskKind, at: usize, indent: &str, text: &mut String) {
        let node = &tree.nodes[at];
        let Some(split) = &node.split else {
            let graphs = counted(node.rows as usize, "graph");
            *text += &format!("{indent}-> {}, {graphs}\n", answer(tree.value(at), kind));
            return;
        };
        let [yes, no] = self.answers(split);
        let deeper = format!("{indent}   ");
        *text += &wrapped(&format!("{indent}{yes}"), screen_width());
        self.add_node(tree, kind, split.right as usize, &deeper, text);
        *text += &wrapped(&format!("{indent}{no}"), screen_width());
        self.add_node(tree, kind, split.left as usize, &deeper, text);
    }

    /// Both answers to a question.
    fn answers(&self, split: &Split) -> [String; 2] {
        let model = self.subject.model;
        let pattern = &model.entries[self.subject.entry].iterate.patterns[split.column as usize];
        let values = model.params.values();
        yes_and_no(values, values.count_above(split.threshold), &model.names().one_line(&pattern.code))
    }

    pub(super) fn importance_text(&self) -> String {
        let mut text = String::new();
        for (&task, values) in self.tasks.iter().zip(&self.importance) {
            let name = &self.subject.model.tasks[task].name;
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let row = |&feature: &usize| {
                let bar = "#".repeat((40.0 * values[feature]).round() as usize);
                vec![self.found.names[feature].clone(), bar, format!("{:.3}", values[feature])]
            };
            let title = format!("{name}: importance in a forest of 500 trees fitted to the predictions");
            text += &wrapped(&title, screen_width());
            text += &table(&[], &order.iter().map(row).collect::<Vec<_>>(), 2);
            text.push('\n');
        }
        text + &self.forest_ways_text()
    }

    /// What the questions on the ways of each graph that was named add to the forest's answer.
    fn forest_ways_text(&self) -> String {
        let (mut text, width) = (String::new(), screen_width());
        if self.options.graph.is_empty() {
            return text;
        }
        let own = "what the splits on the paths through its trees add to the answer for";
        text += &wrapped(&self.about_all("forest", own), width);
        let mut places = Places::new(&self.subject);
        for at in 0..self.rows.len() {
            text += &self.graph_line(at, width);
            for &task in self.shown_tasks() {
                text += &self.attribution_text(at, task, width, &mut places);
            }
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
