//! Texts of the page about the data set, the metrics and the settings.

use super::ReportOptions;
use super::judged::{Group, Judged};
use crate::story::{balance_in_words, guessing_in_words, target_in_words};
use einsicht_data::summary::{Summary, ValueSummary};
use einsicht_data::{Dataset, Part};
use einsicht_explain::Provenance;
use einsicht_model::Model;
use einsicht_model::heads::HeadKind;
use einsicht_model::metrics::Metric;
use einsicht_model::params::Prefer;
use einsicht_model::task::Task;
use einsicht_search::feature::Feature;

/// Rows of the table about the data set: name and value.
pub(super) fn facts(
    summary: &Summary,
    dataset: &Dataset,
    provenance: &Provenance,
    judged: &Judged<'_>,
) -> Vec<(String, String)> {
    let mean = |total: u64| total as f64 / summary.graphs.max(1) as f64;
    let range = |total, least, most| format!("{:.1} ({least}–{most})", mean(total));
    let (vertices, edges) = (&summary.vertices, &summary.edges);
    let edge_labels = dataset.edge_labels.tokens().iter().filter(|token| !token.is_empty()).count();
    let mut facts = vec![
        ("graphs".to_owned(), summary.graphs.to_string()),
        ("vertices per graph".to_owned(), range(vertices.total, vertices.least, vertices.most)),
        ("edges per graph".to_owned(), range(edges.total, edges.least, edges.most)),
        ("vertex labels".to_owned(), dataset.vertex_labels.len().to_string()),
        ("edge labels".to_owned(), edge_labels.to_string()),
    ];
    let seen = [Group::OutOfFold, Group::Fitted].map(|group| judged.rows_of(group).len()).iter().sum::<usize>();
    let known = [("seen in the training", seen), ("never seen by the model", judged.rows_of(Group::Unseen).len())];
    let sets = [(Part::Train, "training set"), (Part::Valid, "validation set"), (Part::Test, "test set")];
    let counts = sets.map(|(part, name)| (name, provenance.rows_of(part).len()));
    let oddities = &summary.oddities;
    let odd = [
        ("disconnected graphs", oddities.disconnected_graphs),
        ("graphs without an edge", oddities.edgeless_graphs + oddities.empty_graphs),
    ];
    for (name, count) in known.into_iter().chain(counts).chain(odd) {
        if count > 0 {
            facts.push((name.to_owned(), count.to_string()));
        }
    }
    for target in &summary.targets {
        if let ValueSummary::Numbers { least, mean, most, deviation } = target.values {
            let text = format!("{mean:.3} ± {deviation:.3} ({least:.3} to {most:.3})");
            facts.push((target.name.clone(), text));
        }
        if target.missing > 0 {
            facts.push((format!("{}: missing values", target.name), target.missing.to_string()));
        }
    }
    facts
}

/// What a task predicts, its values in the data set, and what guessing would give.
pub(super) fn story(task: &Task, summary: &Summary) -> [Option<String>; 3] {
    let (balance, guessing) = (balance_in_words(task, summary), guessing_in_words(task, summary));
    [Some(target_in_words(task)), balance, guessing]
}

/// For each target with classes its name and the graphs of each class.
pub(super) fn class_counts(summary: &Summary) -> Vec<(String, Vec<(String, usize)>)> {
    let classes = summary.targets.iter().filter_map(|target| match &target.values {
        ValueSummary::Classes(counts) => Some((target.name.clone(), counts.clone())),
        ValueSummary::Numbers { .. } => None,
    });
    classes.collect()
}

/// A metric: its key, its name, and what it means.
pub(super) fn metric_text(metric: Metric) -> (&'static str, &'static str, &'static str) {
    let (name, sentence) = match metric {
        Metric::Accuracy => ("accuracy", "fraction of graphs whose predicted class is correct"),
        Metric::BalancedAccuracy => ("balanced accuracy", "accuracy within each class, averaged over the classes"),
        Metric::Auc => (
            "ROC AUC",
            "probability that a graph of a class gets a higher score than a graph of another class; 0.5 is chance \
             level",
        ),
        Metric::PrAuc => ("PR AUC", "precision averaged over recall; chance level is the fraction of the class"),
        Metric::Loss => ("loss", "mean loss per graph, as in training; smaller is better"),
        Metric::Rmse => ("RMSE", "root mean squared error, in the units of the target"),
        Metric::Mae => ("MAE", "mean absolute error, in the units of the target"),
        Metric::R2 => ("R²", "fraction of the variance explained; 1 is perfect, 0 equals predicting the mean"),
    };
    (metric.name(), name, sentence)
}

/// Program, command, data and parameters: name and value.
pub(super) fn settings(model: &Model, options: &ReportOptions) -> Vec<(String, String)> {
    let params = &model.params;
    let sizes = model.entries.iter().map(|entry| entry.size.to_string()).collect::<Vec<_>>().join(", ");
    let settings = [
        ("program", options.program.clone()),
        ("command", options.command.clone()),
        ("data fingerprint", model.fingerprint.clone()),
        ("training data", training_data(model)),
        ("edges per subgraph", format!("{} to {}", params.min_edges, params.max_edges)),
        ("vertex properties", qualifiers(model)),
        ("value of a subgraph", value(params.feature).to_owned()),
        ("minimum support", params.min_support.to_string()),
        ("sizes", sizes),
        ("hidden units", params.hidden.to_string()),
        ("predictions by", head(model)),
        ("size selected by", selected_by(model)),
        ("training seed", params.seed.to_string()),
        ("report seed", options.seed.to_string()),
    ];
    settings.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The properties that subgraphs may require of vertices; nothing if there are none.
fn qualifiers(model: &Model) -> String {
    let properties = model.qualifiers.properties();
    let most = model.params.max_qualifiers;
    if properties.is_empty() {
        String::new()
    } else {
        format!("{}; at most {most} per subgraph", properties.join(", "))
    }
}

fn value(feature: Feature) -> &'static str {
    match feature {
        Feature::Presence => "presence: contained or not",
        Feature::Count => "count: a lower bound on the number of copies",
        Feature::Mni => "minimum-image (MNI) count, not a number of copies",
    }
}

/// The graphs of the training, and which of them are held out.
pub(super) fn training_data(model: &Model) -> String {
    let (train, valid) = (model.rows.train.len(), model.rows.valid.len());
    let sets = if valid > 0 {
        format!("{train} graphs in the training set, {valid} in the validation set")
    } else {
        format!("{train} graphs")
    };
    match model.seen.folds.count {
        folds @ 2.. => format!("{sets}; each was held out in one of {folds} folds"),
        _ if valid > 0 => sets,
        _ => format!("{sets}; {} of them were held out once", model.seen.folds.with_fold().len()),
    }
}

/// What chose the size, and what happened after that.
fn selected_by(model: &Model) -> String {
    let metric = metric_text(model.metric).1;
    let held_out = match (model.seen.folds.count, model.rows.valid.is_empty()) {
        (2.., _) => "the out-of-fold predictions",
        (_, false) => "the validation set",
        (_, true) => "the held-out graphs",
    };
    if !model.params.is_refitted() {
        return format!("{metric} of {held_out}");
    }
    let rule = match model.params.prefer {
        Prefer::Accurate => ", the smallest size shown to be as good as the largest",
        Prefer::Sparse => ", the smallest size within one standard error of the best",
    };
    let all = model.rows.train.len() + model.rows.valid.len();
    format!("{metric} of {held_out}{rule}; after that, subgraphs and head were fitted on all {all} graphs")
}

/// What predicts, in words.
pub(super) fn head(model: &Model) -> String {
    let classes = model.tasks.iter().filter(|task| task.is_classification()).count();
    let trees = match classes {
        0 => "boosted trees",
        all if all == model.tasks.len() => "a random forest",
        _ => "trees (random forests for classes, boosted trees for numbers)",
    };
    match model.params.head {
        HeadKind::Network => "the network that selected the subgraphs".to_owned(),
        HeadKind::Linear => "a linear model".to_owned(),
        HeadKind::Forest => trees.to_owned(),
        HeadKind::Blend => format!("a weighted mean of a linear model and {trees}"),
    }
}
