//! Rules and importances for the model as a whole, from trees that learn what it says.
//!
//! As in the paper: trees are fitted to the model's own answers on all graphs at hand, so they say how the model decides, not
//! how the data are. *Fidelity* is how well the tree repeats the model on these graphs.

use crate::game::Game;
use einsicht_data::random::Random;
use einsicht_learn::forest::{Columns, Forest, ForestParams, Response, Tree, TreeParams};
use einsicht_learn::metrics::{Metric, Metrics, metrics, most_likely};
use einsicht_learn::task::{Targets, Task, TaskKind};
use rayon::prelude::*;

/// A tree that imitates one task of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Surrogate {
    /// The tree; its columns are the patterns of the entry.
    pub tree: Tree,
    /// Share of the graphs on which tree and model choose the same class, or for numbers the share of the variance of the
    /// model's answers that the tree explains.
    pub fidelity: f64,
}

/// The answers of a model that trees learn from.
#[derive(Clone, Debug)]
pub struct Answers<'a> {
    table: Vec<f64>,
    rows: usize,
    columns: Columns,
    outputs: Vec<f64>,
    tasks: &'a [Task],
}

impl<'a> Answers<'a> {
    /// Asks the model about every row of a table of values.
    ///
    /// # Panics
    /// If the table is not `rows` rows of the game's players.
    pub fn new(game: &Game<'a>, table: &[f64], rows: usize) -> Self {
        let (players, patterns) = (game.players(), game.patterns());
        // Rules are about patterns only, whatever else plays.
        let of_patterns: Vec<f64> = table.chunks(players.max(1)).flat_map(|row| row[..patterns].to_vec()).collect();
        Self {
            columns: Columns::new(&of_patterns, rows, patterns),
            table: of_patterns,
            rows,
            outputs: game.outputs(table, rows),
            tasks: &game.model().tasks,
        }
    }

    /// The model's outputs for one task, row by row.
    fn cell(&self, task: usize, row: usize) -> &[f64] {
        let width: usize = self.tasks.iter().map(Task::outputs).sum();
        let first: usize = self.tasks[..task].iter().map(Task::outputs).sum();
        &self.outputs[row * width + first..][..self.tasks[task].outputs()]
    }

    /// The class that the model chooses for each row.
    fn chosen(&self, task: usize) -> Vec<u32> {
        let choose = |row| most_likely(&einsicht_learn::metrics::class_probabilities(self.cell(task, row))) as u32;
        (0..self.rows).map(choose).collect()
    }

    /// The number that the model gives each row: a logit, or the target in its units.
    fn numbers(&self, task: usize) -> Vec<f64> {
        let (mean, scale) = match self.tasks[task].kind {
            TaskKind::Number { mean, scale } => (mean, scale),
            TaskKind::Classes(_) => (0.0, 1.0),
        };
        (0..self.rows).map(|row| self.cell(task, row)[0] * scale + mean).collect()
    }

    fn row(&self, row: usize) -> &[f64] {
        let width = self.columns.width();
        &self.table[row * width..(row + 1) * width]
    }

    /// The tree that imitates the model best, by the usual greedy choice, with at most `max_depth` questions on a way.
    ///
    /// # Panics
    /// If there is no such task or no row.
    pub fn tree(&self, task: usize, max_depth: usize) -> Surrogate {
        let params = TreeParams { max_depth: Some(max_depth), ..TreeParams::default() };
        let weights = vec![1.0; self.rows];
        let grow = |response| Tree::grow(&self.columns, response, &weights, &params, &mut Random::new(0));
        if let TaskKind::Classes(names) = &self.tasks[task].kind {
            let labels = self.chosen(task);
            let mut tree = grow(Response::Classes { labels: &labels, classes: names.len() });
            join_equal_leaves(&mut tree);
            let same = |row: &usize| most_likely(tree.predict(self.row(*row))) as u32 == labels[*row];
            let fidelity = (0..self.rows).filter(same).count() as f64 / self.rows as f64;
            return Surrogate { tree, fidelity };
        }
        let numbers = self.numbers(task);
        let tree = grow(Response::Numbers(&numbers));
        let mean = numbers.iter().fold(0.0, |sum, y| sum + y / self.rows as f64);
        let total = numbers.iter().fold(0.0, |sum, y| sum + (y - mean) * (y - mean));
        let left = (0..self.rows).fold(0.0, |sum, row| {
            let error = numbers[row] - tree.predict(self.row(row))[0];
            sum + error * error
        });
        Surrogate { tree, fidelity: if total > 0.0 { 1.0 - left / total } else { 1.0 } }
    }

    /// Mean decrease of impurity in a forest that imitates the model: its outputs for two classes or a number, as in the
    /// paper, and its choice among several classes.
    ///
    /// # Panics
    /// If there is no such task or no row.
    pub fn forest(&self, task: usize, params: &ForestParams) -> Forest {
        let weights = vec![1.0; self.rows];
        match &self.tasks[task].kind {
            TaskKind::Classes(names) if names.len() > 2 => {
                let labels = self.chosen(task);
                Forest::grow(
                    &self.columns,
                    Response::Classes { labels: &labels, classes: names.len() },
                    &weights,
                    params,
                )
            }
            _ => Forest::grow(&self.columns, Response::Numbers(&self.numbers(task)), &weights, params),
        }
    }
}

/// Removes questions whose answers do not change what the tree chooses: rules that people read should say nothing twice.
fn join_equal_leaves(tree: &mut Tree) {
    // Children come after their parents.
    for at in (0..tree.nodes.len()).rev() {
        if let Some(split) = tree.nodes[at].split {
            let (left, right) = (split.left as usize, split.right as usize);
            let are_leaves = tree.nodes[left].split.is_none() && tree.nodes[right].split.is_none();
            if are_leaves && most_likely(tree.value(left)) == most_likely(tree.value(right)) {
                tree.nodes[at].split = None;
            }
        }
    }
}

/// What each question on the way of a row adds to the answer: sums to the answer of the leaf minus that of the root.
/// One number a pattern for every number of an answer.
pub fn along_the_way(tree: &Tree, row: &[f64]) -> Vec<f64> {
    let mut added = vec![0.0; row.len() * tree.width];
    let mut at = 0;
    while let Some(split) = &tree.nodes[at].split {
        let next = if row[split.column as usize] <= split.threshold { split.left } else { split.right } as usize;
        for k in 0..tree.width {
            added[split.column as usize * tree.width + k] += tree.value(next)[k] - tree.value(at)[k];
        }
        at = next;
    }
    added
}

/// How much worse a model becomes when one pattern's values are shuffled among the graphs: the mean over `repeats` of what
/// the metric loses. Positive means that the pattern helps.
///
/// # Panics
/// If the table is not as many rows of the game's players as there are targets.
pub fn permutation(
    game: &Game<'_>,
    table: &[f64],
    targets: &Targets,
    metric: Metric,
    repeats: usize,
    seed: u64,
) -> Option<Vec<f64>> {
    /// Columns whose shuffles are looked at together.
    const TOGETHER: usize = 16;
    let (model, rows, width) = (game.model(), targets.rows(), game.players());
    let judge = |outputs: &[f64]| -> Option<f64> {
        let found: Metrics = metrics(&model.tasks, targets, outputs);
        let value = *found.get(metric.name())?;
        Some(if metric.larger_is_better() { value } else { -value })
    };
    let as_they_are = game.outputs(table, rows);
    let of_row = as_they_are.len() / rows.max(1);
    let whole = judge(&as_they_are)?;
    let columns: Vec<usize> = (0..game.patterns()).collect();
    let mut losses = Vec::with_capacity(columns.len());
    for columns in columns.chunks(TOGETHER) {
        let mut shuffles: Vec<(usize, Vec<usize>)> = Vec::with_capacity(columns.len() * repeats);
        for &column in columns {
            let mut random = Random::stream(seed, column as u64);
            for _ in 0..repeats {
                let mut order: Vec<usize> = (0..rows).collect();
                random.shuffle(&mut order);
                shuffles.push((column, order));
            }
        }
        let mut outputs = vec![as_they_are.clone(); shuffles.len()];
        // Graph by graph: one after the other the shuffles give it another value in one column, or none, and then there is
        // nothing to ask.
        let of_graph = |row: usize| {
            let graph = &table[row * width..(row + 1) * width];
            let value = |at: usize| table[shuffles[at].1[row] * width + shuffles[at].0];
            let moved: Vec<usize> = (0..shuffles.len()).filter(|&at| value(at) != graph[shuffles[at].0]).collect();
            let mut asked = Vec::with_capacity(moved.len() * width);
            for &at in &moved {
                let from = asked.len();
                asked.extend_from_slice(graph);
                asked[from + shuffles[at].0] = value(at);
            }
            let found = game.outputs(&asked, moved.len());
            (moved, found)
        };
        let of_graphs: Vec<(Vec<usize>, Vec<f64>)> = (0..rows).into_par_iter().map(of_graph).collect();
        for (row, (moved, found)) in of_graphs.iter().enumerate() {
            for (at, found) in moved.iter().zip(found.chunks_exact(of_row.max(1))) {
                outputs[*at][row * of_row..(row + 1) * of_row].copy_from_slice(found);
            }
        }
        for outputs in outputs.chunks_exact(repeats) {
            let mut loss = 0.0;
            for outputs in outputs {
                loss += (whole - judge(outputs)?) / repeats as f64;
            }
            losses.push(loss);
        }
    }
    Some(losses)
}

#[cfg(test)]
mod tests;
