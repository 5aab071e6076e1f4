//! What the page shows, as plain data: names here are those that its script reads.

use super::Options;
use super::entry::{self, Entry};
use super::graphs::{self, Picture, ShownGraph};
use crate::draw::Palette;
use crate::game::{Game, Scale};
use crate::kinship::Kinship;
use einsicht_data::chem::pattern_to_smarts;
use einsicht_data::draw::on_one_line;
use einsicht_data::summary::{Summary, ValueSummary};
use einsicht_data::{Dataset, Part, Vocabulary};
use einsicht_graph::DfsCode;
use einsicht_learn::heads::HeadKind;
use einsicht_learn::metrics::Metric;
use einsicht_learn::model::{Model, Pattern};
use einsicht_learn::task::TaskKind;
use serde::Serialize;

/// Beyond so many numbers a graph, a page would be nothing but numbers.
const MOST_QUANTITIES: usize = 12;

#[derive(Serialize)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) tasks: Vec<ShownTask>,
    pub(super) quantities: Vec<ShownQuantity>,
    pub(super) legend: Vec<(String, String)>,
    pub(super) facts: Vec<(String, String)>,
    pub(super) balance: Vec<(String, Vec<(String, usize)>)>,
    pub(super) warnings: Vec<String>,
    pub(super) metric: &'static str,
    /// The metric of the permutation importance.
    pub(super) shuffled: &'static str,
    pub(super) meanings: Vec<(&'static str, &'static str, &'static str)>,
    pub(super) chosen: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) patterns: Vec<ShownPattern>,
    pub(super) graphs: Vec<ShownGraph>,
    /// Number of graphs of the data, shown or not.
    pub(super) total: usize,
    /// Whose the last share of every graph is, where something is read besides the subgraphs.
    pub(super) beside: Option<&'static str>,
    /// Whether the models have learnt from the validation part after the choice.
    pub(super) seen: bool,
    pub(super) exact_up_to: usize,
    pub(super) orders: usize,
    pub(super) made: Vec<(String, String)>,
}

#[derive(Serialize)]
pub(super) struct ShownTask {
    name: String,
    /// Names of the classes; empty for numbers.
    classes: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct ShownQuantity {
    pub(super) task: usize,
    pub(super) class: Option<usize>,
    pub(super) name: String,
}

#[derive(Serialize)]
pub(super) struct ShownPattern {
    text: String,
    smarts: Option<String>,
    edges: usize,
    support: usize,
    by_class: Vec<Vec<usize>>,
    odds: Option<f64>,
    alike: u64,
    picture: Picture,
    minimal: Vec<Picture>,
    maximal: Vec<Picture>,
    examples: Vec<usize>,
}

/// Everything about a model and a data set that the page shows.
pub(super) fn page(model: &Model, dataset: &Dataset, kinship: &Kinship, options: &Options) -> Page {
    let game = Game::new(model, model.chosen, Scale::Logit);
    let kept = game.quantities().len().min(MOST_QUANTITIES);
    let shown = dataset.len().min(options.max_graphs.max(1));
    let theirs = [&dataset.vertex_labels, &dataset.edge_labels];
    let ours = [&model.vertex_labels, &model.edge_labels];
    let (in_data, in_model) = (Words::new(theirs, ours), Words::new(ours, theirs));
    let mut warnings = kinship.sentences().cloned().collect::<Vec<_>>();
    if kept < game.quantities().len() {
        warnings.push(format!("reasons are given for the first {kept} of {} outputs", game.quantities().len()));
    }
    if shown < dataset.len() {
        warnings.push(format!("the first {shown} of {} graphs are shown; metrics are of all", dataset.len()));
    }
    if !dataset.skipped.is_empty() {
        warnings.push(format!("{} rows of the source could not be read and were left out", dataset.skipped.len()));
    }
    let entries: Vec<Entry> =
        (0..model.entries.len()).map(|at| entry::entry(model, at, dataset, kinship, shown, kept, options)).collect();
    let graphs = graphs::graphs(model, dataset, kinship, shown, &in_data.palette);
    let none = graphs.iter().filter(|graph| graph.present.is_empty()).count();
    if none > 0 {
        warnings.push(format!("{none} graphs contain none of the model's subgraphs at any size"));
    }
    let summary = Summary::of(dataset);
    let totals = totals(model, dataset, kinship);
    let quantities = game.quantities()[..kept].iter();
    Page {
        title: if dataset.name.is_empty() { "graphs".to_owned() } else { dataset.name.clone() },
        tasks: model
            .tasks
            .iter()
            .map(|task| ShownTask { name: task.name.clone(), classes: classes(&task.kind) })
            .collect(),
        quantities: quantities.map(|q| ShownQuantity { task: q.task, class: q.class, name: q.name.clone() }).collect(),
        legend: in_data.palette.legend(),
        facts: facts(&summary, dataset, kinship),
        balance: balance(&summary),
        warnings,
        metric: model.metric.name(),
        shuffled: entry::metric_of(model).name(),
        meanings: Metric::ALL.iter().map(|metric| meaning(*metric)).collect(),
        chosen: model.chosen,
        patterns: model.patterns.iter().enumerate().map(|(at, p)| pattern(&in_model, at, p, &graphs, totals)).collect(),
        graphs,
        total: dataset.len(),
        entries,
        beside: model.name_beside(),
        seen: model.has_seen_validation(model.chosen),
        exact_up_to: options.shapley.exact_up_to,
        orders: options.shapley.orders,
        made: made(model, options),
    }
}

fn classes(kind: &TaskKind) -> Vec<String> {
    match kind {
        TaskKind::Classes(names) => names.clone(),
        TaskKind::Number { .. } => Vec::new(),
    }
}

/// A vocabulary with the names of another, if it has none of its own.
fn named(vocabulary: &Vocabulary, names_of: &Vocabulary) -> Vocabulary {
    let mut named = vocabulary.clone();
    if vocabulary.names().is_empty() {
        named.set_names(names_of.names().clone());
    }
    named
}

/// The labels of a model as people know them.
struct Words {
    vertex: Vocabulary,
    edge: Vocabulary,
    palette: Palette,
}

impl Words {
    /// Labels of the first, with names from the second where they have none.
    fn new(ours: [&Vocabulary; 2], theirs: [&Vocabulary; 2]) -> Self {
        let (vertex, edge) = (named(ours[0], theirs[0]), named(ours[1], theirs[1]));
        Self { palette: Palette::new(&vertex, &edge), vertex, edge }
    }
}

fn pattern(
    words: &Words,
    at: usize,
    pattern: &Pattern,
    graphs: &[ShownGraph],
    totals: Option<[usize; 2]>,
) -> ShownPattern {
    const MEMBERS: usize = 4;
    let drawn = |code: &DfsCode| graphs::picture(&code.to_graph(), &words.palette);
    let others = |codes: &[DfsCode]| -> Vec<Picture> {
        codes.iter().filter(|code| **code != pattern.code).take(MEMBERS).map(drawn).collect()
    };
    let graph = pattern.code.to_graph();
    let containing = graphs.iter().enumerate().filter(|(_, graph)| graph.present.contains(&at)).map(|(row, _)| row);
    ShownPattern {
        text: on_one_line(&graph, &words.vertex, &words.edge),
        smarts: pattern_to_smarts(&graph, &words.vertex, &words.edge),
        edges: pattern.code.num_edges(),
        support: pattern.support,
        by_class: pattern.by_class.clone(),
        odds: totals.and_then(|totals| odds(pattern.by_class.first()?, totals)),
        alike: pattern.class.size,
        picture: drawn(&pattern.code),
        minimal: others(&pattern.class.minimal),
        maximal: others(&pattern.class.maximal),
        examples: containing.take(6).collect(),
    }
}

/// Graphs of the training by class, if the first task has two.
fn totals(model: &Model, dataset: &Dataset, kinship: &Kinship) -> Option<[usize; 2]> {
    let two = matches!(&model.tasks.first()?.kind, TaskKind::Classes(names) if names.len() == 2);
    let rows: Vec<usize> = (0..dataset.len()).filter(|&row| kinship.parts[row] == Some(Part::Train)).collect();
    if !two || rows.is_empty() {
        return None;
    }
    let mut counts = [0; 2];
    for truth in rows.iter().filter_map(|&row| graphs::truth(model, dataset, row).swap_remove(0)) {
        counts[truth.as_u64()? as usize] += 1;
    }
    Some(counts)
}

/// How much more likely, in odds, the second class is with the pattern than without; half a graph is added to each count so
/// that nothing is divided by zero.
fn odds(with: &[usize], totals: [usize; 2]) -> Option<f64> {
    let [first, second] = *with else { return None };
    let count = |n: usize| n as f64 + 0.5;
    let without = |class: usize, n: usize| count(totals[class].saturating_sub(n));
    Some(entry::rounded(count(second) * without(0, first) / (count(first) * without(1, second))))
}

fn facts(summary: &Summary, dataset: &Dataset, kinship: &Kinship) -> Vec<(String, String)> {
    let mean = |total: u64| total as f64 / summary.graphs.max(1) as f64;
    let mut facts = vec![
        ("graphs".to_owned(), summary.graphs.to_string()),
        (
            "vertices a graph".to_owned(),
            format!("{:.1} ({}–{})", mean(summary.vertices.total), summary.vertices.least, summary.vertices.most),
        ),
        (
            "edges a graph".to_owned(),
            format!("{:.1} ({}–{})", mean(summary.edges.total), summary.edges.least, summary.edges.most),
        ),
        ("vertex labels".to_owned(), dataset.vertex_labels.len().to_string()),
        ("edge labels".to_owned(), dataset.edge_labels.tokens().iter().filter(|t| !t.is_empty()).count().to_string()),
    ];
    for (part, name) in
        [(Part::Train, "for training"), (Part::Valid, "for choosing"), (Part::Test, "held back for the test")]
    {
        let count = kinship.parts.iter().filter(|of| **of == Some(part)).count();
        if count > 0 {
            facts.push((name.to_owned(), count.to_string()));
        }
    }
    if summary.oddities.disconnected_graphs > 0 {
        facts.push(("graphs of several pieces".to_owned(), summary.oddities.disconnected_graphs.to_string()));
    }
    if summary.oddities.edgeless_graphs + summary.oddities.empty_graphs > 0 {
        let count = summary.oddities.edgeless_graphs + summary.oddities.empty_graphs;
        facts.push(("graphs without an edge".to_owned(), count.to_string()));
    }
    for target in &summary.targets {
        if let ValueSummary::Numbers { least, mean, most, deviation } = target.values {
            let text = format!("{mean:.3} ± {deviation:.3} ({least:.3} to {most:.3})");
            facts.push((target.name.clone(), text));
        }
        if target.missing > 0 {
            facts.push((format!("{} not measured", target.name), target.missing.to_string()));
        }
    }
    facts
}

fn balance(summary: &Summary) -> Vec<(String, Vec<(String, usize)>)> {
    let classes = summary.targets.iter().filter_map(|target| match &target.values {
        ValueSummary::Classes(counts) => Some((target.name.clone(), counts.clone())),
        ValueSummary::Numbers { .. } => None,
    });
    classes.collect()
}

/// A metric: its name in files, for people, and what it means.
fn meaning(metric: Metric) -> (&'static str, &'static str, &'static str) {
    let (name, sentence) = match metric {
        Metric::Accuracy => ("accuracy", "share of graphs whose class is predicted rightly"),
        Metric::BalancedAccuracy => ("balanced accuracy", "accuracy within each class, averaged over the classes"),
        Metric::Auc => {
            ("ROC AUC", "chance that a graph of a class scores higher than one that is not; 0.5 is guessing")
        }
        Metric::PrAuc => ("PR AUC", "precision averaged over recall; guessing gives the share of the class"),
        Metric::Loss => ("loss", "mean loss a graph, as in training; smaller is better"),
        Metric::Rmse => ("RMSE", "root of the mean squared error, in the units of the target"),
        Metric::Mae => ("MAE", "mean absolute error, in the units of the target"),
        Metric::R2 => ("R²", "share of the variance that is explained; 1 is perfect, 0 is the mean"),
    };
    (metric.name(), name, sentence)
}

fn made(model: &Model, options: &Options) -> Vec<(String, String)> {
    let params = &model.params;
    let entry = |name: &str, value: String| (name.to_owned(), value);
    vec![
        entry("program", options.program.clone()),
        entry("again", options.command.clone()),
        entry("data fingerprint", model.fingerprint.clone()),
        entry("trained on", format!("{} graphs, chosen on {}", model.rows.train.len(), model.rows.valid.len())),
        entry("edges of a subgraph", format!("at most {}", params.max_edges)),
        entry("smallest support", params.min_support.to_string()),
        entry("sizes", model.entries.iter().map(|e| e.size.to_string()).collect::<Vec<_>>().join(", ")),
        entry("hidden units", params.hidden.to_string()),
        entry("read by", read_by(params.head).to_owned()),
        entry("chosen by", format!("{} on the validation part{}", model.metric.name(), afterwards(model))),
        entry("seed of the training", params.seed.to_string()),
        entry("seed of this report", options.seed.to_string()),
    ]
}

/// What happened to the validation part after the choice.
fn afterwards(model: &Model) -> &'static str {
    if model.has_seen_validation(model.chosen) {
        ", which the model then learnt from too; what is told of that part was reached before"
    } else {
        ""
    }
}

fn read_by(head: HeadKind) -> &'static str {
    match head {
        HeadKind::Network => "the network that chose the subgraphs",
        HeadKind::Linear => "a linear model",
        HeadKind::Forest => "a random forest",
        HeadKind::Blend => "the mean of a linear model and a random forest",
    }
}
