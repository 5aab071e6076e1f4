//! Explanations: shares of the output, where they lie in a graph, rules, and the page.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::{Model, matrix};
use crate::targets::{TargetIn, targets_from};
use crate::watch;
use einsicht::data::Part;
use einsicht::explain::draw::{Drawing, Palette, draw};
use einsicht::explain::figure;
use einsicht::explain::game::{Game, Scale};
use einsicht::explain::kinship::Kinship;
use einsicht::explain::lime::{self, lime};
use einsicht::explain::place::{Places, Spread, spread};
use einsicht::explain::report::{self, report};
use einsicht::explain::shapley::{self, Background, Baseline};
use einsicht::explain::surrogate::{Answers, Surrogate};
use einsicht::graph::matching::Scratch;
use einsicht::learn::metrics::most_likely;
use einsicht::learn::task::TaskKind;
use numpy::PyArray2;
use pyo3::prelude::*;
use serde_json::json;

/// Embeddings of a pattern that are looked at in one graph.
const PLACES: usize = 10_000;

/// Shares of the outputs of some graphs. Lists of quantities come first, then those of patterns.
#[pyclass(frozen, get_all, module = "einsicht._core")]
pub(crate) struct Shares {
    /// Task, class (none for numbers) and name of each number that is explained.
    quantities: Vec<(usize, Option<usize>, String)>,
    /// What each quantity is, one row a graph.
    output: Py<PyArray2<f64>>,
    /// What it would be without anybody.
    base: Py<PyArray2<f64>>,
    /// One row a graph: for each pattern one share a quantity, pattern after pattern.
    values: Py<PyArray2<f64>>,
    /// Standard errors of the values where they were sampled; 0 where they are exact.
    errors: Py<PyArray2<f64>>,
    /// Values of the patterns in the graphs.
    table: Py<PyArray2<f64>>,
}

/// Rows of numbers while they are collected.
#[derive(Default)]
struct Rows {
    output: Vec<f64>,
    base: Vec<f64>,
    values: Vec<f64>,
    errors: Vec<f64>,
}

#[pymethods]
impl Model {
    /// Shares of the output, by Shapley values or LIME. `background` is a number of graphs to compare with, or 0 to compare
    /// with the absence of subgraphs.
    #[pyo3(signature = (graphs, *, entry, method, probability, background, exact_up_to, orders, seed, threads))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn explain(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        entry: Option<usize>,
        method: &str,
        probability: bool,
        background: usize,
        exact_up_to: usize,
        orders: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Shares> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let scale = if probability { Scale::Probability } else { Scale::Logit };
        let is_lime = match method {
            "shapley" => false,
            "lime" => true,
            other => return Err(value(format!("method must be shapley or lime, got \"{other}\""))),
        };
        let (quantities, players, rows, table) = watch::run(py, threads, || {
            let dataset = graphs.dataset();
            let (game, table) = Game::about(model, entry, scale, &dataset);
            let mut rows = Rows::default();
            let players = game.players();
            if is_lime {
                let options = lime::Options { seed, ..lime::Options::default() };
                for row in 0..dataset.len() {
                    let line = lime(&game, &table[row * players..(row + 1) * players], &options);
                    rows.errors.resize(rows.errors.len() + line.values.len(), 0.0);
                    rows.output.extend(line.output);
                    rows.base.extend(line.base);
                    rows.values.extend(line.values);
                }
            } else {
                let baseline = match background {
                    0 => Baseline::Absent,
                    most => Baseline::Background(Background::new(&table, dataset.len(), most, seed)),
                };
                let options = shapley::Options { baseline, exact_up_to, orders, interactions: false, seed };
                let explained = shapley::explain(&game, &table, dataset.len(), &options);
                for shares in (0..dataset.len()).map(|row| explained.row(row)) {
                    rows.output.extend(&shares.output);
                    rows.base.extend(&shares.base);
                    rows.values.extend(&shares.values);
                    match &shares.errors {
                        Some(errors) => rows.errors.extend(errors),
                        None => rows.errors.resize(rows.errors.len() + shares.values.len(), 0.0),
                    }
                }
            }
            (game.quantities().to_vec(), players, rows, table)
        })?;
        let count = quantities.len();
        let width = count * players;
        Ok(Shares {
            quantities: quantities.into_iter().map(|q| (q.task, q.class, q.name)).collect(),
            output: matrix(py, rows.output, count)?.unbind(),
            base: matrix(py, rows.base, count)?.unbind(),
            values: matrix(py, rows.values, width)?.unbind(),
            errors: matrix(py, rows.errors, width)?.unbind(),
            table: matrix(py, table, players)?.unbind(),
        })
    }

    /// Shares of the vertices and of the edges of one graph, from one share a pattern.
    #[pyo3(signature = (graphs, at, shares, entry = None))]
    fn spread(
        &self,
        graphs: &Graphs,
        at: usize,
        shares: Vec<f64>,
        entry: Option<usize>,
    ) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let Spread { vertices, edges } = self.spread_over(graphs, at, &shares, entry)?;
        Ok((vertices, edges))
    }

    /// One graph, coloured by the shares of its vertices and edges.
    #[pyo3(signature = (graphs, at, shares, title, entry = None))]
    fn draw_shares(
        &self,
        graphs: &Graphs,
        at: usize,
        shares: Vec<f64>,
        title: &str,
        entry: Option<usize>,
    ) -> PyResult<String> {
        let spread = self.spread_over(graphs, at, &shares, entry)?;
        let (base, row) = graphs.place(at)?;
        let palette = Palette::new(&base.vertex_labels, &base.edge_labels);
        Ok(draw(&base.graphs[row], &palette).weighted(&base.graphs[row], &spread, title))
    }

    /// A tree that imitates one task on these graphs: its nodes as JSON, and a drawing.
    #[pyo3(signature = (graphs, task, depth, entry = None, threads = None))]
    fn surrogate(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        task: usize,
        depth: usize,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(String, String)> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let Some(described) = model.tasks.get(task) else {
            return Err(value(format!("there are {} tasks, but number {task} was asked for", model.tasks.len())));
        };
        let Surrogate { tree, fidelity } = watch::run(py, threads, || {
            let dataset = graphs.dataset();
            let (game, table) = Game::about(model, entry, Scale::Logit, &dataset);
            Answers::new(&game, &table, dataset.len()).tree(task, depth)
        })?;
        let palette = Palette::new(&model.vertex_labels, &model.edge_labels);
        let patterns = model.entries[entry].iterate.patterns.iter();
        let drawings: Vec<Drawing> = patterns.map(|pattern| draw(&pattern.code.to_graph(), &palette)).collect();
        let answer = |leaf: usize| match &described.kind {
            TaskKind::Classes(names) => {
                let (shares, rows) = (tree.value(leaf), tree.nodes[leaf].rows);
                let class = most_likely(shares);
                [names[class].clone(), format!("{:.0} % of {rows}", 100.0 * shares[class])]
            }
            TaskKind::Number { .. } => {
                [format!("{:.3}", tree.value(leaf)[0]), format!("{} graphs", tree.nodes[leaf].rows)]
            }
        };
        let note = format!("repeats the model in {:.1} %", 100.0 * fidelity);
        let svg = figure::tree(&described.name, &note, (&tree, model.params.values()), &drawings, answer);
        Ok((json!({ "tree": tree, "fidelity": fidelity }).to_string(), svg))
    }

    /// The page about the model and these graphs. Warnings come with it.
    #[pyo3(signature = (graphs, targets, *, max_graphs, depth, seed, command, threads))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn report(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        max_graphs: usize,
        depth: usize,
        seed: u64,
        command: String,
        threads: Option<usize>,
    ) -> PyResult<(String, Vec<String>)> {
        let mut dataset = graphs.dataset().into_owned();
        dataset.targets = targets_from(&targets, dataset.len())?;
        let usual = report::Options::default();
        let shapley = shapley::Options { seed, ..usual.shapley.clone() };
        let options = report::Options { max_graphs, depth, shapley, seed, command, ..usual };
        watch::run(py, threads, || {
            let kinship = Kinship::of(&self.inner, &dataset);
            report(&self.inner, &dataset, &kinship, &options).map(|page| (page, kinship.warnings))
        })?
        .map_err(value)
    }

    /// For each graph whether it was in the training, validation or test part.
    fn parts(&self, graphs: &Graphs, targets: Vec<TargetIn<'_>>) -> PyResult<Vec<Option<&'static str>>> {
        let mut dataset = graphs.dataset().into_owned();
        dataset.targets = targets_from(&targets, dataset.len())?;
        let word = |part: Part| match part {
            Part::Train => "train",
            Part::Valid => "valid",
            Part::Test => "test",
            Part::All => "all",
        };
        Ok(Kinship::of(&self.inner, &dataset).parts.into_iter().map(|part| part.map(word)).collect())
    }

    /// The patterns of an entry as JSON: words, drawings as text, SMARTS, supports, class members and weights.
    #[pyo3(signature = (entry = None))]
    fn patterns(&self, entry: Option<usize>) -> PyResult<String> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let names = model.names();
        let name = |code: &einsicht::graph::DfsCode| names.draw(code);
        let one = |weights: &einsicht::learn::train::PatternWeights| {
            let known = model.pattern(&weights.code);
            json!({
                "text": name(&weights.code),
                "smarts": names.smarts(&weights.code),
                "pattern": names.pattern(&weights.code),
                "weights": weights.weights,
                "support": known.map(|p| p.support),
                "by_class": known.map(|p| &p.by_class),
                "class_size": known.map(|p| p.class.size),
                "minimal": known.map(|p| p.class.minimal.iter().map(name).collect::<Vec<_>>()),
                "maximal": known.map(|p| p.class.maximal.iter().map(name).collect::<Vec<_>>()),
            })
        };
        let patterns: Vec<_> = model.entries[entry].iterate.patterns.iter().map(one).collect();
        Ok(json!(patterns).to_string())
    }

    /// The drawing of one pattern of an entry.
    #[pyo3(signature = (at, entry = None))]
    fn pattern_svg(&self, at: usize, entry: Option<usize>) -> PyResult<String> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let patterns = &model.entries[entry].iterate.patterns;
        let Some(pattern) = patterns.get(at) else {
            return Err(value(format!("there are {} patterns, but number {at} was asked for", patterns.len())));
        };
        let (graph, names) = (pattern.code.to_graph(), model.names());
        let palette = Palette::new(names.vertex, names.edge);
        Ok(draw(&graph, &palette).file(&graph, &[], &names.draw(&pattern.code)))
    }
}

impl Model {
    fn spread_over(&self, graphs: &Graphs, at: usize, shares: &[f64], entry: Option<usize>) -> PyResult<Spread> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let iterate = &model.entries[entry].iterate;
        let (base, row) = graphs.place(at)?;
        let (places, mut scratch) = (Places::new(model, iterate, base), Scratch::default());
        let graph = &base.graphs[row];
        let mut covered = Vec::new();
        for (pattern, &share) in shares.iter().enumerate().take(iterate.patterns.len()) {
            let edges = if share == 0.0 { Vec::new() } else { places.covered(pattern, graph, PLACES, &mut scratch) };
            if !edges.is_empty() {
                covered.push((edges, share));
            }
        }
        Ok(spread(graph, &covered))
    }
}
