//! The content of the page as plain data: field names here are those that its script reads.

use super::ReportOptions;
use super::entry::{self, Entry, EntryRequest};
use super::facts;
use super::graphs::{self, ShownGraph};
use super::judged::{self, Judged, ShownEstimate, ShownGroup};
use super::patterns::{self, Labels, ShownPattern};
use super::reading;
use einsicht_data::Dataset;
use einsicht_data::summary::Summary;
use einsicht_explain::Provenance;
use einsicht_explain::Subject;
use einsicht_explain::ValueFunction;
use einsicht_explain::output_name;
use einsicht_explain::{Quantity, Scale};
use einsicht_model::metrics::Metric;
use einsicht_model::task::{Task, TaskKind};
use einsicht_model::{Model, SideInput};
use einsicht_search::feature::Feature;
use serde::Serialize;

/// Attributions are shown for so many quantities at most: more would make the page too large.
const MOST_QUANTITIES: usize = 12;

/// Parts of the work, about: recognising graphs, and finding subgraphs in them.
const OF_SORTING: f64 = 0.05;
const OF_MATCHING: f64 = 0.05;

#[derive(Serialize)]
pub(super) struct Content {
    pub(super) title: String,
    pub(super) tasks: Vec<ShownTask>,
    pub(super) quantities: Vec<ShownQuantity>,
    pub(super) legend: Vec<(String, String)>,
    /// How subgraphs and their drawings are read, as sentences.
    pub(super) reading: Vec<String>,
    /// What the model reads of a subgraph: `presence`, `count` or `mni`.
    pub(super) feature: Feature,
    pub(super) facts: Vec<(String, String)>,
    /// For each target with classes its name and the graphs of each class.
    pub(super) class_counts: Vec<(String, Vec<(String, usize)>)>,
    /// For each task what it predicts, its values in the data set, and what guessing would give, as far as they are
    /// known.
    pub(super) stories: Vec<[Option<String>; 3]>,
    pub(super) warnings: Vec<String>,
    /// The metric that selected the model.
    pub(super) metric: &'static str,
    /// The metric of the permutation importance.
    pub(super) permutation_metric: &'static str,
    /// For each metric its key, its name and what it means.
    pub(super) metric_texts: Vec<(&'static str, &'static str, &'static str)>,
    pub(super) chosen: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) patterns: Vec<ShownPattern>,
    pub(super) graphs: Vec<ShownGraph>,
    /// What is said of counts, each sentence once; graphs have indices.
    pub(super) said: Vec<String>,
    /// Number of outputs of the model, explained or not.
    pub(super) outputs: usize,
    /// Number of graphs of the data set, shown or not.
    pub(super) total: usize,
    /// What the model reads besides the subgraphs: the last attributions of every graph are theirs.
    pub(super) side_inputs: Vec<ShownSideInput>,
    /// How well the training predicts, the choice included.
    pub(super) estimate: Option<ShownEstimate>,
    /// The graphs of the data set by what the model knows of them.
    pub(super) groups: Vec<ShownGroup>,
    /// What the held-out predictions of the training are called.
    pub(super) held_out: &'static str,
    /// The graphs that the model was fitted on, in words.
    pub(super) fitted_on: &'static str,
    /// Program, command, data and parameters.
    pub(super) settings: Vec<(String, String)>,
}

#[derive(Serialize)]
pub(super) struct ShownSideInput {
    name: String,
    /// Of a column its value for each shown graph.
    values: Option<Vec<f64>>,
}

fn side_inputs(model: &Model, dataset: &Dataset, shown: &[usize]) -> Vec<ShownSideInput> {
    let values = |name: &str| {
        let column = dataset.feature(name)?;
        Some(shown.iter().map(|&row| entry::rounded(column.values[row])).collect())
    };
    let one = |side: SideInput| ShownSideInput {
        values: if side.is_column { values(&side.name) } else { None },
        name: side.name,
    };
    model.side_inputs().into_iter().map(one).collect()
}

#[derive(Serialize)]
pub(super) struct ShownTask {
    name: String,
    /// Names of the classes; empty for regression.
    classes: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct ShownQuantity {
    task: usize,
    class: Option<usize>,
    name: String,
}

/// Everything that the page shows about a model and a data set.
pub(super) fn content(
    model: &Model,
    dataset: &Dataset,
    provenance: &Provenance,
    options: &ReportOptions,
    progress: &dyn Fn(f64),
) -> Content {
    let function = ValueFunction::new(model, model.chosen, Scale::of(model));
    let kept = kept(&function, options);
    let shown = entry::evenly(dataset.len(), options.max_graphs);
    let [in_data, in_model] = labels(model, dataset);
    let judged = Judged::new(model, dataset, &|part| progress(part * OF_SORTING));
    let supports = model.supports(&graphs::all_patterns(model), dataset, &dataset.graphs);
    let progress = |part: f64| progress(OF_SORTING + OF_MATCHING + (1.0 - OF_SORTING - OF_MATCHING) * part);
    progress(0.0);
    let request = |entry: usize| {
        let subject = Subject { model, entry, dataset };
        EntryRequest { subject, provenance, judged: &judged, shown: &shown, kept: &kept, supports: &supports, options }
    };
    let entries = entries(&(0..model.entries.len()).map(request).collect::<Vec<_>>(), &progress);
    let (graphs, said) = graphs::graphs(model, dataset, &judged, &shown, &in_data.palette);
    let (summary, totals) = (Summary::of(dataset), patterns::class_totals(model, dataset, provenance));
    Content {
        title: title(dataset),
        tasks: shown_tasks(model),
        quantities: shown_quantities(&function, &kept),
        legend: in_data.palette.legend(),
        reading: reading::sentences(model, &in_model.palette),
        feature: model.params.feature,
        facts: facts::facts(&summary, dataset, provenance, &judged),
        class_counts: facts::class_counts(&summary),
        stories: model.tasks.iter().map(|task| facts::story(task, &summary)).collect(),
        warnings: warnings(dataset, provenance, [kept.len(), function.quantities().len()], &graphs),
        metric: model.metric.name(),
        permutation_metric: entry::permutation_metric(model).name(),
        metric_texts: Metric::ALL.iter().map(|metric| facts::metric_text(*metric)).collect(),
        chosen: model.chosen,
        patterns: patterns::PatternRequest {
            model,
            dataset,
            labels: &in_model,
            in_data: &in_data.palette,
            shown: &shown,
            graphs: &graphs,
            totals: &totals,
        }
        .patterns(),
        graphs,
        said,
        outputs: function.quantities().len(),
        total: dataset.len(),
        entries,
        side_inputs: side_inputs(model, dataset, &shown),
        estimate: judged::estimate(model),
        groups: judged.in_words(),
        held_out: judged::held_out_name(model),
        fitted_on: judged::fitted_on(model),
        settings: facts::settings(model, options),
    }
}

/// The name of the data set.
pub(super) fn title(dataset: &Dataset) -> String {
    if dataset.name.is_empty() { "graphs".to_owned() } else { dataset.name.clone() }
}

/// Labels of the data set and of the model, each with the names of the other where it has none.
fn labels<'a>(model: &'a Model, dataset: &'a Dataset) -> [Labels<'a>; 2] {
    let (ours, theirs) = (model.names(), dataset.names());
    [Labels::new(theirs, ours), Labels::new(ours, theirs)]
}

/// All entries of the path, one after the other.
fn entries(requests: &[EntryRequest<'_>], progress: &dyn Fn(f64)) -> Vec<Entry> {
    let (all, mut done) = (requests.iter().map(EntryRequest::cost).sum::<f64>(), 0.0);
    let mut entries = Vec::with_capacity(requests.len());
    for request in requests {
        entries.push(request.compute());
        done += request.cost();
        progress(done / all);
    }
    entries
}

/// The quantities that are explained: those of the tasks that were named, else the first ones.
fn kept(function: &ValueFunction<'_>, options: &ReportOptions) -> Vec<usize> {
    let is_wanted = |at: &usize| options.tasks.is_empty() || options.tasks.contains(&function.quantities()[*at].task);
    (0..function.quantities().len()).filter(is_wanted).take(MOST_QUANTITIES).collect()
}

/// What is missing, unknown or left out, as sentences.
fn warnings(
    dataset: &Dataset,
    provenance: &Provenance,
    [kept, quantities]: [usize; 2],
    graphs: &[ShownGraph],
) -> Vec<String> {
    let mut warnings = provenance.for_comparison().cloned().collect::<Vec<_>>();
    if kept < quantities {
        warnings.push(format!(
            "effects and attributions are shown for {kept} of the model's {quantities} outputs; --target shows others"
        ));
    }
    if graphs.len() < dataset.len() {
        let (shown, all) = (graphs.len(), dataset.len());
        warnings.push(format!(
            "{shown} of {all} graphs, evenly spaced, are shown one by one (--max-graphs); metrics use all graphs"
        ));
    }
    if !dataset.skipped.is_empty() {
        warnings.push(format!("{} rows could not be read and were skipped", dataset.skipped.len()));
    }
    let without = graphs.iter().filter(|graph| graph.present.is_empty()).count();
    if without > 0 {
        warnings.push(format!("{without} graphs contain none of the model's subgraphs at any size"));
    }
    warnings
}

fn shown_tasks(model: &Model) -> Vec<ShownTask> {
    let shown = |task: &Task| ShownTask { name: task.name.clone(), classes: classes(&task.kind) };
    model.tasks.iter().map(shown).collect()
}

fn shown_quantities(function: &ValueFunction<'_>, kept: &[usize]) -> Vec<ShownQuantity> {
    let name = |quantity: &Quantity| output_name(function.model(), quantity, function.scale());
    let shown = |q: &Quantity| ShownQuantity { task: q.task, class: q.class, name: name(q) };
    kept.iter().map(|&at| shown(&function.quantities()[at])).collect()
}

fn classes(kind: &TaskKind) -> Vec<String> {
    match kind {
        TaskKind::Classes(names) => names.clone(),
        TaskKind::Number { .. } => Vec::new(),
    }
}
