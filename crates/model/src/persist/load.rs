//! Reading a model file without trusting any byte of it.
//!
//! Promise: a file that loads is consistent, so that prediction cannot panic or loop; everything else is refused with the
//! reason. Tested in `tests/model_file.rs` and by fuzzing.

use super::codes::Codes;
use super::header::{Header, Labels};
use super::tensors::Tensors;
use super::weights::Weights;
use super::{
    ATTRIBUTE_MEAN, FORMAT, GRAPH_WEIGHTS, KEY, ModelError, NO_FOLD, SEEN_FOLDS, SEEN_HASHES, background, fitted,
    heads, refuse,
};
use crate::PathEntry;
use crate::applicability::capped_counts;
use crate::class_values::{ClassValues, fit_tasks};
use crate::folds::{Estimate, Folds};
use crate::gnn::{Gin, GnnBranch};
use crate::heads::{HeadKind, blend_parts};
use crate::params::{NetworkKind, TrainParams};
use crate::side::{DISTANT_LABELS, FeatureScale, Summary};
use crate::task::{Task, TaskKind, num_outputs};
use crate::{FittedGraphs, ForestSource, Model, Pattern, SeenGraphs, SourceRows};
use einsicht_data::{Fingerprint, Names, Vocabulary};
use einsicht_graph::DfsCode;
use safetensors::SafeTensors;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
struct Peek {
    format: u64,
}

pub(super) fn load(file: &[u8]) -> Result<Model, ModelError> {
    // The container begins with the length of its header, in eight bytes, and the header. Of any other file the container would say that its
    // header is too large.
    if file.len() > 8 && file[8] != b'{' {
        return Err(ModelError::NotAModel { reason: "it does not begin like one".to_owned() });
    }
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(|e| refuse(&e))?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or(ModelError::Foreign)?;
    let unreadable = |e: serde_json::Error| ModelError::Header { reason: e.to_string() };
    let peek: Peek = serde_json::from_str(text).map_err(unreadable)?;
    if peek.format > u64::from(FORMAT) {
        return Err(ModelError::Newer { found: peek.format });
    }
    if peek.format < u64::from(FORMAT) {
        return Err(ModelError::Older);
    }
    let header: Header = serde_json::from_str(text).map_err(unreadable)?;
    let tensors = SafeTensors::deserialize(file).map_err(|e| refuse(&e))?;
    model(header, &tensors, file.len())
}

fn model(header: Header, tensors: &SafeTensors<'_>, file: usize) -> Result<Model, ModelError> {
    check_header(&header)?;
    let params = checked(header.params)?;
    let (vertex, edge) = (vocabulary(header.vertex_labels, "vertex"), vocabulary(header.edge_labels, "edge"));
    let (vertex_labels, edge_labels, qualifiers) = (vertex?, edge?, header.qualifiers);
    let names = Names { vertex_labels: &vertex_labels, edge_labels: &edge_labels, qualifiers: &qualifiers };
    let patterns = Codes::new(names, &params, &header.tasks).patterns(header.patterns)?;
    let params = params.for_outputs(num_outputs(&header.tasks));
    let (num_tensors, tensors) = (tensors.len(), Tensors::new(tensors, file));
    let widths = Widths::new(&params, (&header.tasks, header.features.len()), [&vertex_labels, &edge_labels], &tensors);
    let num_fitted = header.rows.train.len() + if params.is_refitted() { header.rows.valid.len() } else { 0 };
    let graph_weights = graph_weights(&tensors, num_fitted)?;
    let codes = fitted_codes(&header.fitted, &patterns)?;
    let of_fit = (num_fitted, graph_weights.as_ref());
    let (fitted, regrown) = fitted_and_regrown(&tensors, &params, (&header.tasks, widths.summary), codes, of_fit)?;
    let weights = Weights {
        tensors,
        tasks: &header.tasks,
        head: params.head,
        patterns: &patterns,
        hidden: params.hidden,
        network_len: widths.network,
        gnn_len: widths.gnn,
        of_summary: widths.summary,
        regrown,
    };
    let entries = weights.entries(header.entries, header.chosen)?;
    // Counts, estimate and effects are about a choice by held-out graphs.
    let counted = (!header.picked).then_some((&*fitted, &entries[header.chosen]));
    let seen = seen(&weights, (&header.rows, header.folds), &entries, counted)?;
    let backgrounds = weights.backgrounds(&entries, widths.beside, num_fitted)?;
    let gnn =
        weights.gnn(widths.attributes, (header.features, header.frequent_labels), widths.beside, entries.len())?;
    let model = Model {
        members: weights.members(&header.members)?,
        tasks: header.tasks,
        vertex_labels,
        class_values: header.class_values,
        reading: header.reading,
        qualifiers,
        edge_labels,
        params,
        fingerprint: header.fingerprint,
        rows: header.rows,
        seen,
        estimate: header.estimate,
        effects: header.effects,
        backgrounds,
        fitted,
        graph_weights,
        patterns,
        entries,
        metric: header.metric,
        chosen: header.chosen,
        picked: header.picked,
        complete: header.complete,
        gnn,
    };
    check_number_of_tensors(&model, num_tensors).map(|()| model)
}

/// What must hold between the fields of the header.
fn check_header(header: &Header) -> Result<(), ModelError> {
    check_tasks(&header.tasks, &header.class_values)?;
    if header.picked && (header.effects.is_some() || header.estimate != Estimate::default()) {
        return Err(ModelError::Picked);
    }
    check_frequent_labels(header)?;
    check_features(&header.features, header.params.head)
}

/// Where distances are read, there are as many different labels as their summary has columns for; else none. What is auto was settled by the folds.
fn check_frequent_labels(header: &Header) -> Result<(), ModelError> {
    let labels = header.vertex_labels.tokens.len();
    let wanted = if header.params.summary == Summary::Distances { labels.min(DISTANT_LABELS) } else { 0 };
    let distinct: std::collections::BTreeSet<&u32> =
        header.frequent_labels.iter().filter(|label| (**label as usize) < labels).collect();
    let is_good = distinct.len() == wanted && header.frequent_labels.len() == wanted;
    let is_settled = header.params.summary != Summary::Auto;
    if is_good && is_settled { Ok(()) } else { Err(ModelError::Order { what: "the frequent labels".to_owned() }) }
}

/// What is known of the graphs of the fit, so many with these weights, and what forests are grown from again.
fn fitted_and_regrown(
    tensors: &Tensors<'_>,
    params: &TrainParams,
    (tasks, summary): (&[Task], usize),
    codes: Vec<DfsCode>,
    (graphs, weights): (usize, Option<&Vec<f64>>),
) -> Result<(Arc<FittedGraphs>, Option<ForestSource>), ModelError> {
    let grows = matches!(params.head, HeadKind::Forest | HeadKind::Blend);
    let values = params.values();
    let read = grows.then_some((tasks, summary));
    let fitted = Arc::new(fitted::load(tensors, graphs, (codes, values.needs_counts()), read)?);
    let regrown = grows.then(|| {
        let weights = Arc::new(weights.cloned().unwrap_or_else(|| vec![1.0; graphs]));
        ForestSource { fitted: Arc::clone(&fitted), weights, params: params.head_params(), values }
    });
    Ok((fitted, regrown))
}

/// The weights of the graphs of the fit, if they differ.
fn graph_weights(tensors: &Tensors<'_>, graphs: usize) -> Result<Option<Vec<f64>>, ModelError> {
    if !tensors.has(GRAPH_WEIGHTS) {
        return Ok(None);
    }
    let weights = tensors.f64(GRAPH_WEIGHTS, &[graphs])?;
    // A tree may draw a graph as often as there are graphs.
    let most = weights.iter().fold(0.0, |most: f64, weight| most.max(*weight)) * graphs as f64 * graphs as f64;
    if weights.iter().any(|weight| *weight < 0.0) || !most.is_finite() {
        let wanted = format!("{GRAPH_WEIGHTS} that are not negative and have a finite sum");
        return Err(ModelError::Tensor { wanted, found: "they are not that".to_owned() });
    }
    Ok(Some(weights))
}

/// The patterns whose occurrences in the graphs of the fit are stored.
fn fitted_codes(indices: &[usize], patterns: &[Pattern]) -> Result<Vec<DfsCode>, ModelError> {
    if !indices.is_sorted_by(|a, b| a < b) || indices.last().is_some_and(|last| *last >= patterns.len()) {
        return Err(ModelError::Order { what: "patterns of the graphs of the fit".to_owned() });
    }
    Ok(indices.iter().map(|&index| patterns[index].code.clone()).collect())
}

/// Counts of an entry's patterns in the graphs of the fit.
fn fitted_counts(fitted: &FittedGraphs, entry: &PathEntry) -> Result<Vec<u8>, ModelError> {
    let places = fitted.places(entry.iterate.patterns.iter().map(|pattern| &pattern.code));
    let places = places.ok_or(ModelError::Order { what: "patterns of the chosen entry in the fit".to_owned() })?;
    Ok(capped_counts(&fitted.supports(&places), fitted.graphs))
}

fn vocabulary(labels: Labels, which: &'static str) -> Result<Vocabulary, ModelError> {
    labels.vocabulary().ok_or(ModelError::Vocabulary { which })
}

/// The graphs that the model has seen.
fn seen(
    weights: &Weights<'_>,
    (rows, count): (&SourceRows, usize),
    entries: &[PathEntry],
    counted: Option<(&FittedGraphs, &PathEntry)>,
) -> Result<SeenGraphs, ModelError> {
    let graphs = rows.train.len() + rows.valid.len();
    let hashes = weights.tensors.u32(SEEN_HASHES)?;
    let folds = weights.tensors.u32(SEEN_FOLDS)?;
    let is_fold = |fold: &u32| *fold == NO_FOLD || (*fold as usize) < count;
    if hashes.len() != 4 * graphs || folds.len() != graphs || !folds.iter().all(is_fold) {
        let wanted = format!("a hash and a fold of {graphs} graphs in {count} folds");
        return Err(ModelError::Tensor { wanted, found: format!("{SEEN_HASHES} and {SEEN_FOLDS} are not that") });
    }
    let hash = |words: &[u32]| Fingerprint(words.iter().fold(0, |hash, word| hash << 32 | u128::from(*word)));
    let of: Vec<Option<u32>> = folds.iter().map(|&fold| (fold != NO_FOLD).then_some(fold)).collect();
    let held_out = of.iter().flatten().count() * num_outputs(weights.tasks);
    let parts = if weights.head == HeadKind::Blend { 2 } else { 1 };
    let mut seen = SeenGraphs { folds: Folds { of, count }, ..SeenGraphs::default() };
    if let Some((fitted, chosen)) = counted {
        seen.counts = fitted_counts(fitted, chosen)?;
    }
    seen.hashes = hashes.chunks_exact(4).map(hash).collect();
    for (at, entry) in entries.iter().enumerate() {
        let part = |part: usize| weights.tensors.f64(&format!("entry.{at}.out_of_fold.{part}"), &[held_out]);
        let parts: Vec<Vec<f64>> = (0..parts).map(part).collect::<Result<_, _>>()?;
        let forest_weight = entry.head.as_ref().map_or(0.0, |head| head.forest_weight);
        seen.outputs.push(blend_parts(&parts, forest_weight, weights.tasks));
        seen.parts.push(parts);
    }
    Ok(seen)
}

/// Lengths that follow from the parameters, the tasks and the vocabularies.
struct Widths {
    attributes: usize,
    /// Parameters of the layers behind the mining layer.
    network: usize,
    /// Parameters of the graph network, if there is one.
    gnn: Option<usize>,
    /// Columns of the summary and of the features.
    summary: usize,
    /// Columns of these or of the graph network.
    beside: usize,
}

impl Widths {
    fn new(
        params: &TrainParams,
        (tasks, features): (&[Task], usize),
        [vertex, edge]: [&Vocabulary; 2],
        tensors: &Tensors<'_>,
    ) -> Self {
        let attributes = tensors.f64_list(ATTRIBUTE_MEAN).map_or(0, |list| list.len());
        let gin = params.gin_shape(vertex.len(), attributes, edge.len());
        let gnn = gin.as_ref().map(Gin::num_parameters);
        let summary = params.summary.width(vertex.len(), attributes) + features;
        let beside = summary + gin.as_ref().map_or(0, Gin::outputs);
        let network = gin.into_iter().fold(params.network(num_outputs(tasks)), |network, gin| {
            network.with_gnn_branch(GnnBranch { gin, graphs: Arc::default(), fitted: true })
        });
        Self { attributes, network: network.num_feed_forward(), gnn, summary, beside }
    }
}

/// Each tensor of the file must belong to the model.
fn check_number_of_tensors(model: &Model, found: usize) -> Result<(), ModelError> {
    let iterates_of = |entry: &PathEntry| 1 + usize::from(entry.before.is_some());
    let iterates = model.entries.iter().map(iterates_of).sum::<usize>() + model.members.len();
    let of_iterate = if model.network().gnn_branch().is_some() { 4 } else { 3 };
    let of_gnn = model.gnn.as_ref().map_or(0, |gnn| 2 + gnn.means.len());
    let (kind, tasks) = (model.params.head, model.tasks.len());
    // Of the entries the chosen one has its forests in the file.
    let of_heads = (model.entries.len() - 1) * heads::num_tensors(kind, 0)
        + (1 + model.members.len()) * heads::num_tensors(kind, tasks);
    let of_seen = 2 + model.seen.parts.iter().map(Vec::len).sum::<usize>() + fitted::num_tensors(&model.fitted);
    let of_backgrounds = model.entries.len() * background::num_tensors(model.gnn.is_some());
    let of_weights = usize::from(model.graph_weights.is_some());
    let wanted = of_iterate * iterates + of_heads + of_weights + of_gnn + of_seen + of_backgrounds;
    if found == wanted {
        return Ok(());
    }
    Err(ModelError::Tensor { wanted: format!("{wanted} tensors"), found: format!("it holds {found}") })
}

/// The parameters, if they are allowed. Without a network the mining layer has one unit per output, however many those
/// are, so `hidden` is no limit then.
fn checked(params: TrainParams) -> Result<TrainParams, ModelError> {
    let hidden = if params.network == NetworkKind::None { 1 } else { params.hidden };
    Ok(TrainParams { hidden, ..params }.check()?.get().clone())
}

/// Features have different names and finite numbers, and a head reads them.
fn check_features(features: &[FeatureScale], head: HeadKind) -> Result<(), ModelError> {
    let names: std::collections::BTreeSet<&String> = features.iter().map(|feature| &feature.name).collect();
    if names.len() < features.len() || (!features.is_empty() && head == HeadKind::Network) {
        return Err(ModelError::Order { what: "the features".to_owned() });
    }
    let is_good = |feature: &FeatureScale| feature.mean.is_finite() && feature.scale > 0.0 && feature.scale.is_finite();
    match features.iter().position(|feature| !is_good(feature)) {
        None => Ok(()),
        Some(at) => Err(ModelError::NotFinite { name: "features".to_owned(), at }),
    }
}

fn check_tasks(tasks: &[Task], values: &[Option<ClassValues>]) -> Result<(), ModelError> {
    if tasks.is_empty() {
        return Err(ModelError::Task { task: "(none)".to_owned() });
    }
    tasks.iter().try_for_each(check_task)?;
    if fit_tasks(values, tasks) { Ok(()) } else { Err(ModelError::ClassValues) }
}

fn check_task(task: &Task) -> Result<(), ModelError> {
    let good = match &task.kind {
        TaskKind::Classes(names) => {
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            names.len() >= 2 && distinct.len() == names.len()
        }
        TaskKind::Number { mean, scale } => mean.is_finite() && *scale > 0.0 && scale.is_finite(),
    };
    if good { Ok(()) } else { Err(ModelError::Task { task: task.name.clone() }) }
}
