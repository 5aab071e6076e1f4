//! Explanations: attributions of outputs, vertices and edges, surrogate trees, and the report.
//!
//! Converts arguments and results; everything is computed in [`einsicht::explain`].

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::model::{Model, matrix};
use crate::patterns::named_code;
use crate::targets::{TargetIn, targets_from};
use einsicht::Dataset;
use einsicht::explain::{
    AttributionMethod, AttributionRequest, LimeOptions, Over, Provenance, Scale, ShapleyBaseline, ShapleyOptions,
    Spread, Subject, SurrogateRequest, attributions, effects, effects_about_first, spread, surrogate_trees,
};
use einsicht::report::wording::{few_graphs_in_words, pairs_in_words, yes_and_no};
use einsicht::report::{
    ComparedModel, Portraits, ReportError, ReportOptions, compare_report, report, spread_svg, surrogate_svg,
};
use numpy::PyArray2;
use pyo3::prelude::*;
use serde_json::json;

/// Attributions of the outputs of some graphs.
#[pyclass(frozen, get_all, module = "einsicht._core")]
pub(crate) struct Attributions {
    /// Task, class (none for regression) and name of each explained number.
    quantities: Vec<(usize, Option<usize>, String)>,
    /// Names of the features: subgraphs, and the side inputs of the model.
    names: Vec<String>,
    /// Number of features that are subgraphs; they come first.
    subgraphs: usize,
    /// The output, one row per graph, one column per quantity.
    output: Py<PyArray2<f64>>,
    /// The output at the baseline, likewise.
    base: Py<PyArray2<f64>>,
    /// One row per graph: for each feature one attribution per quantity, feature by feature.
    values: Py<PyArray2<f64>>,
    /// Standard errors of the values where they were sampled; 0 where they are exact.
    errors: Py<PyArray2<f64>>,
    /// Counts of the subgraphs as the model reads them (1 or 0 for presence), one row per graph; the value of a column
    /// beside the graphs; NaN for other side inputs.
    counts: Py<PyArray2<f64>>,
}

/// Options of `Model.explain`, a dict in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct AttributionOptions {
    entry: Option<usize>,
    /// The explained tasks.
    tasks: Vec<usize>,
    /// Tasks whose second class here is the first one in Python.
    turned: Vec<usize>,
    method: String,
    output: String,
    baseline: String,
    exact_up_to: usize,
    orders: usize,
    seed: u64,
    threads: Option<usize>,
}

impl AttributionOptions {
    fn scale(&self, model: &einsicht::Model) -> PyResult<Scale> {
        let scales = [Scale::Logit, Scale::Probability];
        let found = scales.into_iter().find(|scale| scale.name() == self.output);
        let found = found.or_else(|| (self.output == "auto").then(|| Scale::of(model)));
        found.ok_or_else(|| value(format!("output must be auto, logit or probability, got \"{}\"", self.output)))
    }

    fn baseline(&self) -> PyResult<ShapleyBaseline> {
        match self.baseline.as_str() {
            "background" => Ok(ShapleyBaseline::Background),
            "absent" => Ok(ShapleyBaseline::Absent),
            other => Err(value(format!("baseline must be background or absent, got \"{other}\""))),
        }
    }

    fn method(&self) -> PyResult<AttributionMethod> {
        let Self { exact_up_to, orders, seed, .. } = *self;
        match self.method.as_str() {
            "shapley" => Ok(AttributionMethod::Shapley {
                baseline: self.baseline()?,
                options: ShapleyOptions { exact_up_to, orders, interactions: false, seed },
            }),
            "lime" => Ok(AttributionMethod::Lime(LimeOptions { seed, ..LimeOptions::default() })),
            other => Err(value(format!("method must be shapley or lime, got \"{other}\""))),
        }
    }
}

/// What attributions are spread over, by its name.
fn over_of(name: &str) -> PyResult<Over> {
    match name {
        "subgraph" => Ok(Over::Subgraph),
        "class" => Ok(Over::Class),
        other => Err(value(format!("over must be subgraph or class, got \"{other}\""))),
    }
}

/// Options of `Model.surrogate`, a dict in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct SurrogateOptions {
    task: usize,
    depth: usize,
    entry: Option<usize>,
    threads: Option<usize>,
}

/// Options of `Model.report`, a dict in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ReportPageOptions {
    /// The explained tasks; empty for all.
    tasks: Vec<usize>,
    max_graphs: usize,
    depth: usize,
    seed: u64,
    command: String,
    threads: Option<usize>,
}

/// Options of `Model.compare`, a dict in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ComparePageOptions {
    /// What the two models are called.
    names: [String; 2],
    max_graphs: usize,
    seed: u64,
    threads: Option<usize>,
}

#[pymethods]
impl Model {
    /// Attributions of the outputs for these graphs, by Shapley values or LIME.
    fn explain(&self, py: Python<'_>, graphs: &Graphs, options: AttributionOptions) -> PyResult<Attributions> {
        let (entry, model) = (self.entry(options.entry)?, &self.inner);
        let (scale, method) = (options.scale(model)?, options.method()?);
        let dataset = self.qualified(graphs, &[])?;
        let found = run_detached(py, options.threads, || {
            let rows: Vec<usize> = (0..dataset.len()).collect();
            let subject = Subject { model, entry, dataset: &dataset };
            attributions(&AttributionRequest { subject, rows: &rows, scale, method })
                .of_tasks(&options.tasks)
                .about_first(model, &options.turned)
        })?;
        let patterns = model.entries[entry].iterate.patterns.len();
        let (features, quantities) = (found.names.len(), found.quantities.len());
        let concat = |of: fn(&einsicht::explain::Attribution) -> &[f64]| -> Vec<f64> {
            found.graphs.iter().flat_map(|graph| of(graph).to_vec()).collect()
        };
        let exact = vec![0.0; features * quantities];
        let errors = found.graphs.iter().flat_map(|graph| graph.errors.clone().unwrap_or_else(|| exact.clone()));
        let columns: Vec<_> =
            model.side_inputs().iter().map(|side| dataset.feature(&side.name).filter(|_| side.is_column)).collect();
        let read = model.params.values();
        let count = |(at, value): (usize, &f64)| match (at % features).checked_sub(patterns) {
            None => read.count_of(*value) as f64,
            Some(side) => columns[side].map_or(f64::NAN, |column| column.values[at / features]),
        };
        let counts = found.features.iter().enumerate().map(count).collect();
        let rows = dataset.len();
        Ok(Attributions {
            output: matrix(py, concat(|graph| &graph.output), [rows, quantities])?.unbind(),
            base: matrix(py, concat(|graph| &graph.base), [rows, quantities])?.unbind(),
            values: matrix(py, concat(|graph| &graph.values), [rows, features * quantities])?.unbind(),
            errors: matrix(py, errors.collect(), [rows, features * quantities])?.unbind(),
            counts: matrix(py, counts, [rows, features])?.unbind(),
            quantities: found.quantities.into_iter().map(|q| (q.task, q.class, q.name)).collect(),
            names: found.names,
            subgraphs: patterns,
        })
    }

    /// Attributions of the vertices and of the edges of one graph, from one attribution per feature.
    #[pyo3(signature = (graphs, at, values, over, entry = None))]
    fn spread(
        &self,
        graphs: &Graphs,
        at: usize,
        values: Vec<f64>,
        over: &str,
        entry: Option<usize>,
    ) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let dataset = graphs.qualified_graph(at, &self.inner.qualifiers)?;
        let subject = Subject { model: &self.inner, entry: self.entry(entry)?, dataset: &dataset };
        let Spread { vertices, edges } = spread(&subject, 0, &values, over_of(over)?);
        Ok((vertices, edges))
    }

    /// A drawing of one graph, coloured by the attributions of its vertices and edges.
    #[pyo3(signature = (graphs, at, values, over, title, entry = None))]
    fn draw_attributions(
        &self,
        graphs: &Graphs,
        at: usize,
        values: Vec<f64>,
        over: &str,
        title: &str,
        entry: Option<usize>,
    ) -> PyResult<String> {
        let dataset = graphs.qualified_graph(at, &self.inner.qualifiers)?;
        let subject = Subject { model: &self.inner, entry: self.entry(entry)?, dataset: &dataset };
        Ok(spread_svg(&subject, 0, &values, over_of(over)?, title))
    }

    /// A decision tree fitted to the predictions of one task for these graphs: its nodes as JSON, and a drawing.
    fn surrogate(&self, py: Python<'_>, graphs: &Graphs, options: SurrogateOptions) -> PyResult<(String, String)> {
        let SurrogateOptions { task, depth, entry, threads } = options;
        let (entry, model) = (self.entry(entry)?, &self.inner);
        if task >= model.tasks.len() {
            return Err(value(format!(
                "task must be less than {}, the number of tasks, got {task}",
                model.tasks.len()
            )));
        }
        let found = run_detached(py, threads, || {
            let dataset = graphs.qualified(model)?;
            let subject = Subject { model, entry, dataset: &dataset };
            PyResult::Ok(surrogate_trees(&SurrogateRequest { subject, tasks: &[task], rows: &[], max_depth: depth }))
        })?;
        let mut found = found?;
        let surrogate = found.trees.swap_remove(0);
        let svg = surrogate_svg(model, entry, task, &surrogate);
        let (names, read) = (model.names(), model.params.values());
        let patterns = &model.entries[entry].iterate.patterns;
        let answers = |node: &einsicht::forest::Node| {
            let split = node.split?;
            let name = names.one_line(&patterns[split.column as usize].code);
            Some(yes_and_no(read, read.count_above(split.threshold), &name))
        };
        let answers: Vec<Option<[String; 2]>> = surrogate.tree.nodes.iter().map(answers).collect();
        // What goes right has so many or more: `transform` has counts, whatever function of them the model reads.
        let least = |node: &einsicht::forest::Node| Some(read.count_above(node.split?.threshold));
        let counts: Vec<Option<usize>> = surrogate.tree.nodes.iter().map(least).collect();
        let fidelity = surrogate.fidelity;
        let found = json!({ "tree": surrogate.tree, "fidelity": fidelity, "answers": answers, "counts": counts });
        Ok((found.to_string(), svg))
    }

    /// Effects of the subgraphs on the predictions, and shares of subgraphs and side inputs, as JSON. The targets, if
    /// there are any, tell whether these are the graphs of the training.
    #[pyo3(signature = (graphs, targets, turned, entry = None, threads = None))]
    fn effects(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        turned: Vec<usize>,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let dataset = self.qualified(graphs, &targets)?;
        let found = run_detached(py, threads, || {
            let subject = Subject { model, entry, dataset: &dataset };
            effects_about_first(effects(&subject, &Provenance::of(model, &dataset)), model, &turned)
        })?;
        let mut all = serde_json::to_value(&found).map_err(value)?;
        all["pairs_text"] = json!(pairs_in_words(model, entry, &found, &found.quantities_of(&[])));
        Ok(all.to_string())
    }

    /// The report page about the model and these graphs, and its warnings.
    fn report(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        options: ReportPageOptions,
    ) -> PyResult<(String, Vec<String>)> {
        let dataset = self.qualified(graphs, &targets)?;
        let ReportPageOptions { tasks, max_graphs, depth, seed, command, threads } = options;
        let options = ReportOptions { tasks, max_graphs, depth, seed, command, ..ReportOptions::default() };
        run_detached(py, threads, || {
            let provenance = Provenance::of(&self.inner, &dataset);
            let page = report(&self.inner, &dataset, &provenance, &options)?;
            // A caller that gives no targets wants no comparison.
            let messages = match &dataset.targets[..] {
                [] => provenance.warnings,
                _ => provenance.for_comparison().cloned().collect(),
            };
            Ok::<_, ReportError>((page, messages))
        })?
        .map_err(value)
    }

    /// The page of this model and another one side by side on the same graphs, each as its model reads it, and its
    /// warnings.
    fn compare(
        &self,
        py: Python<'_>,
        other: &Self,
        graphs: [PyRef<'_, Graphs>; 2],
        targets: Vec<TargetIn<'_>>,
        options: ComparePageOptions,
    ) -> PyResult<(String, Vec<String>)> {
        let datasets = [self.qualified(&graphs[0], &targets)?, other.qualified(&graphs[1], &targets)?];
        let ComparePageOptions { names, max_graphs, seed, threads } = options;
        let options = ReportOptions { max_graphs, seed, ..ReportOptions::default() };
        let models = [&self.inner, &other.inner];
        run_detached(py, threads, || {
            let provenances = [0, 1].map(|at| Provenance::of(models[at], &datasets[at]));
            let compared = [0, 1].map(|at| ComparedModel {
                name: &names[at],
                model: models[at],
                dataset: &datasets[at],
                provenance: &provenances[at],
            });
            let page = compare_report(compared, &options, &|_| ())?;
            let messages = provenances.iter().flat_map(|provenance| provenance.warnings.clone()).collect();
            Ok::<_, ReportError>((page, messages))
        })?
        .map_err(value)
    }

    /// The effects of the chosen entry that the model holds, as JSON; `null` if it holds none.
    fn known_effects(&self, turned: Vec<usize>) -> PyResult<String> {
        let turn = |effects| effects_about_first(effects, &self.inner, &turned);
        serde_json::to_string(&self.inner.effects.clone().map(turn)).map_err(value)
    }

    /// That the graphs of the training are nearly all the same, if they are.
    fn few_graphs(&self) -> Option<String> {
        few_graphs_in_words(&self.inner)
    }

    /// For each graph the set it was in: training, validation or test.
    fn parts(&self, graphs: &Graphs, targets: Vec<TargetIn<'_>>) -> PyResult<Vec<Option<String>>> {
        let provenance = Provenance::of(&self.inner, &self.qualified(graphs, &targets)?);
        Ok(provenance.parts.into_iter().map(|part| part.map(|part| part.to_string())).collect())
    }

    /// The patterns of an entry as JSON: vertices, edges, one-line text, words, SMARTS, supports, class members and
    /// weights.
    #[pyo3(signature = (entry = None))]
    fn patterns(&self, entry: Option<usize>) -> PyResult<String> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let names = model.names();
        let name = |code: &einsicht::graph::DfsCode| names.one_line(code);
        let one = |weights: &einsicht::model::PatternWeights| {
            let known = model.pattern(&weights.code);
            json!({
                "named": named_code(names, &weights.code),
                "weights": weights.weights,
                "support": known.map(|p| p.support),
                "by_class": known.map(|p| &p.by_class),
                "class_size": known.map(|p| p.class.size),
                "minimal": known.map(|p| p.class.minimal.iter().map(name).collect::<Vec<_>>()),
                "maximal": known.map(|p| p.class.maximal.iter().map(name).collect::<Vec<_>>()),
                "whole": known.and_then(|p| p.whole.as_ref().map(name)),
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
            return Err(value(format!("at must be less than {}, the number of patterns, got {at}", patterns.len())));
        };
        let (graph, names) = (pattern.code.to_graph(), model.names());
        Ok(Portraits::of(model).draw(&graph).file(&graph, &[], &names.one_line(&pattern.code)))
    }
}

impl Model {
    /// The graphs as the model reads them, with these targets instead of their own.
    fn qualified(&self, graphs: &Graphs, targets: &[TargetIn<'_>]) -> PyResult<Dataset> {
        let mut dataset = graphs.qualified(&self.inner)?.into_owned();
        dataset.targets = targets_from(targets, dataset.len())?;
        Ok(dataset)
    }
}
