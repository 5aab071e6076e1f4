//! The game that explanations are about: patterns are players, the model's output is what they play for.
//!
//! A *quantity* is one number that a model says about a graph: the logit (or probability) of the second of two classes,
//! of each of several classes, or a number in the units of its target. Promise: the model is asked through
//! [`Model::outputs_of_values`] (and its sibling for graph networks and summaries) only, so that whatever stands behind it is explained as it is.

use einsicht_data::Dataset;
use einsicht_learn::heads::{Head, Table};
use einsicht_learn::metrics::class_probabilities;
use einsicht_learn::model::Model;
use einsicht_learn::task::TaskKind;

/// In what the output of a classifier is measured. Numbers are always in the units of their target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Before the logistic function or softmax: where the effects of patterns add up best.
    #[default]
    Logit,
    /// Between 0 and 1.
    Probability,
}

impl Scale {
    /// Its word in options and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logit => "logit",
            Self::Probability => "probability",
        }
    }
}

/// One number that a model says about a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Index of the task.
    pub task: usize,
    /// Index of the class it speaks for; absent for numbers.
    pub class: Option<usize>,
    /// Name for people.
    pub name: String,
}

/// One entry of a model as a game.
#[derive(Clone, Debug)]
pub struct Game<'m> {
    model: &'m Model,
    entry: usize,
    scale: Scale,
    quantities: Vec<Quantity>,
    /// What is read of each graph of the table besides the patterns, if that plays.
    rows_beside: Option<Vec<f64>>,
}

impl<'m> Game<'m> {
    /// The game of an entry.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn new(model: &'m Model, entry: usize, scale: Scale) -> Self {
        assert!(entry < model.entries.len(), "entry {entry} of {}", model.entries.len());
        let mut quantities = Vec::new();
        for (task, described) in model.tasks.iter().enumerate() {
            let word = scale.name();
            match &described.kind {
                TaskKind::Classes(names) => {
                    let spoken_for = if names.len() == 2 { 1..2 } else { 0..names.len() };
                    quantities.extend(spoken_for.map(|class| Quantity {
                        task,
                        class: Some(class),
                        name: format!("{word} of {} = {}", described.name, names[class]),
                    }));
                }
                TaskKind::Number { .. } => {
                    quantities.push(Quantity { task, class: None, name: described.name.clone() });
                }
            }
        }
        Self { model, entry, scale, quantities, rows_beside: None }
    }

    /// The game about the graphs of a data set, and the table of its players' values, one row a graph. If the model has a
    /// graph network or a summary, that is the last player: absent, it is what it is on average; its value in the table only names
    /// the graph it speaks about.
    ///
    /// # Panics
    /// If there is no such entry, or the model cannot read the data: see [`Model::check_data`].
    pub fn about(model: &'m Model, entry: usize, scale: Scale, dataset: &Dataset) -> (Self, Vec<f64>) {
        let mut game = Self::new(model, entry, scale);
        let iterate = &model.entries[entry].iterate;
        let rows = dataset.len();
        let values = model.values(&model.supports(iterate, dataset, &dataset.graphs), rows);
        if model.gnn.is_none() {
            return (game, values);
        }
        let all: Vec<usize> = (0..rows).collect();
        game.rows_beside = Some(model.rows_beside(iterate, &model.encode(dataset, &all)));
        let patterns = game.patterns();
        let mut table = Vec::with_capacity(rows * (patterns + 1));
        for row in 0..rows {
            table.extend_from_slice(&values[row * patterns..(row + 1) * patterns]);
            table.push((row + 1) as f64);
        }
        (game, table)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The entry of the path.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// Number of players: the patterns, and what is read besides them if that plays.
    pub fn players(&self) -> usize {
        self.patterns() + usize::from(self.rows_beside.is_some())
    }

    /// Number of players that are patterns; they come first.
    pub fn patterns(&self) -> usize {
        self.model.entries[self.entry].iterate.patterns.len()
    }

    /// What is explained.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// All quantities for any values of the patterns, one row after the other.
    pub fn evaluate(&self, values: &[f64], rows: usize) -> Vec<f64> {
        self.quantities_of(&self.outputs(values, rows), rows)
    }

    /// Network outputs for any values of the players, one row after the other.
    pub fn outputs(&self, values: &[f64], rows: usize) -> Vec<f64> {
        let (of_patterns, of_rest) = self.parts(values, rows);
        self.model.outputs_of_values_and_rows(self.entry, &of_patterns, &of_rest, rows)
    }

    /// The same game for rows whose values are each that of `one` or that of `other`: the same numbers, bit for bit, sooner
    /// where a head answers.
    pub fn between(&self, one: &[f64], other: &[f64]) -> Narrow<'_, 'm> {
        let head = self.model.entries[self.entry].head.as_ref().map(|head| {
            let whole = |values: &[f64]| {
                let (mut row, rest) = self.parts(values, 1);
                row.extend(rest);
                row
            };
            head.between(&whole(one), &whole(other))
        });
        Narrow { game: self, head }
    }

    /// The values of the patterns, and what is read besides them, one row after the other.
    fn parts(&self, values: &[f64], rows: usize) -> (Vec<f64>, Vec<f64>) {
        let mean = self.model.gnn.as_ref().map_or(&[][..], |gnn| &gnn.means[self.entry]);
        let Some(told) = &self.rows_beside else { return (values.to_vec(), mean.repeat(rows)) };
        let (players, patterns) = (self.players(), self.patterns());
        let mut parts = (Vec::with_capacity(rows * patterns), Vec::with_capacity(rows * mean.len()));
        for row in values.chunks_exact(players) {
            parts.0.extend_from_slice(&row[..patterns]);
            // The graph it speaks about, counted from 1; 0 where it does not play.
            let graph = row[patterns] as usize;
            parts.1.extend_from_slice(if graph == 0 { mean } else { &told[(graph - 1) * mean.len()..][..mean.len()] });
        }
        parts
    }

    /// All quantities from network outputs.
    pub fn quantities_of(&self, outputs: &[f64], rows: usize) -> Vec<f64> {
        let width = outputs.len().checked_div(rows).unwrap_or(0);
        let mut found = Vec::with_capacity(rows * self.quantities.len());
        for row in outputs.chunks_exact(width.max(1)) {
            let mut rest = row;
            for task in &self.model.tasks {
                let (cell, after) = rest.split_at(task.outputs());
                rest = after;
                match (&task.kind, self.scale) {
                    (TaskKind::Number { mean, scale }, _) => found.push(cell[0] * scale + mean),
                    (TaskKind::Classes(_), Scale::Logit) => found.extend(cell),
                    (TaskKind::Classes(_), Scale::Probability) => {
                        let probabilities = class_probabilities(cell);
                        found.extend(if cell.len() == 1 { &probabilities[1..] } else { &probabilities[..] });
                    }
                }
            }
        }
        found
    }
}

/// A game between two rows; see [`Game::between`].
pub struct Narrow<'g, 'm> {
    game: &'g Game<'m>,
    head: Option<Head>,
}

impl Narrow<'_, '_> {
    /// All quantities for values of the players, one row after the other.
    pub fn evaluate(&self, values: &[f64], rows: usize) -> Vec<f64> {
        let outputs = match &self.head {
            None => self.game.outputs(values, rows),
            Some(head) => {
                let (of_patterns, of_rest) = self.game.parts(values, rows);
                let (patterns, rest) = (self.game.patterns(), of_rest.len() / rows.max(1));
                let mut table = Vec::with_capacity(of_patterns.len() + of_rest.len());
                for row in 0..rows {
                    table.extend_from_slice(&of_patterns[row * patterns..][..patterns]);
                    table.extend_from_slice(&of_rest[row * rest..][..rest]);
                }
                head.outputs(Table { values: &table, rows })
            }
        };
        self.game.quantities_of(&outputs, rows)
    }
}
