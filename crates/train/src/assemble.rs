//! From a finished path to a model: its patterns with their classes, what it keeps of the graphs of the fit, what
//! explanations compare with.
//!
//! Promise: everything comes from the path, the split data and the search that the training used; nothing is fitted
//! here but forests that the choice asks for.

use crate::data::{SideData, TrainData};
use einsicht_data::{Dataset, Split};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::folds::Choice;
use einsicht_model::gnn::Gnn;
use einsicht_model::params::TrainParams;
use einsicht_model::task::Targets;
use einsicht_model::task::metrics::metrics_of_decision;
use einsicht_model::{
    Background, FittedGraphs, ForestSource, Member, Model, ModelSide, PathEntry, Pattern, SeenGraphs, SourceRows,
    applicability, choose, codes_of_path, counts_by_class,
};
use einsicht_search::{Search, SearchError, SupportClass};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The data and parameters of a training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The data set.
    pub(crate) dataset: &'a Dataset,
    pub(crate) split: &'a Split,
    /// Its targets.
    pub(crate) data: &'a TrainData,
    /// Parameters of the training.
    pub(crate) params: &'a TrainParams,
    /// What held-out graphs have chosen.
    pub(crate) choice: &'a Choice,
}

impl Source<'_> {
    /// The graphs of the fit, in its order.
    fn fitted_rows(&self) -> Vec<usize> {
        let valid: &[usize] = if self.params.is_refitted() { &self.split.valid } else { &[] };
        [&self.split.train[..], valid].concat()
    }
}

/// The model of a path; `None` if the path is empty. `search` is that of the training.
pub(crate) fn model_of_path(
    source: Source<'_>,
    entries: Vec<PathEntry>,
    search: &mut dyn Search,
) -> Result<Option<Model>, SearchError> {
    let metric = source.choice.metric;
    let best = choose(&entries, metric);
    // Where folds choose, they have, unless the training ended before that size.
    let of_folds = source.params.is_refitted().then_some(source.choice.chosen).filter(|at| *at < entries.len());
    let Some(chosen) = of_folds.or(best) else { return Ok(None) };
    let mut codes: Vec<DfsCode> = codes_of_path(&entries).cloned().collect();
    codes.sort_by(DfsCode::cmp_by_size);
    codes.dedup();
    let (mut patterns, mut supports) = (Vec::with_capacity(codes.len()), Vec::with_capacity(codes.len()));
    let mut classes = Classes::default();
    for code in codes {
        let (pattern, support) = pattern(code, source.data, search, &mut classes)?;
        patterns.push(pattern);
        supports.push(support);
    }
    let rows = source.fitted_rows();
    patterns.par_iter_mut().zip(&supports).for_each(|(pattern, support)| {
        let graphs = support.graphs().iter().map(|&at| &source.dataset.graphs[rows[at as usize]]);
        pattern.whole = pattern.whole_in(&graphs.collect::<Vec<_>>(), source.params);
    });
    let reads = source.params.reads_vertices() || !source.dataset.features.is_empty();
    let side = source.data.side.as_ref().filter(|_| reads);
    let mut model = Model {
        tasks: source.data.tasks.clone(),
        vertex_labels: source.dataset.vertex_labels.clone(),
        edge_labels: source.dataset.edge_labels.clone(),
        class_values: Vec::new(),
        reading: source.dataset.reading.clone(),
        qualifiers: source.dataset.qualifiers.clone(),
        params: source.params.clone(),
        fingerprint: source.dataset.fingerprint().to_string(),
        rows: SourceRows::of(source.dataset, source.split),
        seen: seen_graphs(&source, entries.len()),
        estimate: source.choice.estimate.clone(),
        effects: None,
        backgrounds: Vec::new(),
        fitted: Arc::default(),
        graph_weights: source.data.weights.iter().any(|w| *w != 1.0).then(|| source.data.weights.clone()),
        patterns,
        entries,
        complete: true,
        metric,
        chosen,
        picked: false,
        members: Vec::new(),
        side: side.map(|side| ModelSide { encoder: side.encoder.clone(), means: Vec::new() }),
    };
    model.fitted = Arc::new(fitted_graphs(&model, &supports, source.data));
    grow_other_forests_later(&mut model, source.data);
    describe_fitted_graphs(&mut model, &supports, side, &source.data.train);
    Ok(Some(model))
}

/// Adds the entries of trainings on resamples; their patterns join those of the path. `search` is that of a training
/// on the same graphs.
pub fn add_members(
    model: &mut Model,
    members: Vec<Member>,
    data: &TrainData,
    search: &mut dyn Search,
) -> Result<(), SearchError> {
    let mut classes = Classes::default();
    for code in members.iter().flat_map(|member| &member.iterate.patterns).map(|pattern| &pattern.code) {
        if let Err(index) = model.patterns.binary_search_by(|p| p.code.cmp_by_size(code)) {
            model.patterns.insert(index, pattern(code.clone(), data, search, &mut classes)?.0);
        }
    }
    model.members = members;
    Ok(())
}

/// The graphs that a model has seen, for the first entries of its path.
fn seen_graphs(source: &Source<'_>, entries: usize) -> SeenGraphs {
    let rows = [&source.split.train[..], &source.split.valid].concat();
    let points = &source.choice.points[..entries];
    SeenGraphs {
        hashes: source.dataset.row_hashes(&rows),
        folds: source.choice.folds.clone(),
        parts: points.iter().map(|point| point.parts.clone()).collect(),
        outputs: points.iter().map(|point| point.outputs.clone()).collect(),
        counts: Vec::new(),
    }
}

/// The training has grown the forests of the entry that folds have chosen; those of the others are grown when they are
/// asked for. A path that was continued may have grown those of the entry that was chosen before: nothing of that
/// stays.
fn grow_other_forests_later(model: &mut Model, data: &TrainData) {
    let source = ForestSource {
        fitted: Arc::clone(&model.fitted),
        weights: Arc::new(data.weights.clone()),
        params: model.params.head_params(),
        values: model.params.values(),
    };
    let are_left_out = model.params.is_refitted() && data.test.rows() == 0;
    for (at, PathEntry { iterate, head, train, .. }) in model.entries.iter_mut().enumerate() {
        let Some(head) = head.as_mut().filter(|head| head.forests.is_some()) else { continue };
        if are_left_out && at != model.chosen {
            train.clear();
        }
        if let (true, Some(forests)) = (head.lacks_forests(), source.later(iterate)) {
            head.set_forests(forests);
        }
    }
    model.prepare(model.chosen);
}

/// Keeps what later questions need of the graphs that the model was fitted on, from the supports of all its patterns in
/// them: counts, means and backgrounds.
fn describe_fitted_graphs(model: &mut Model, supports: &[Arc<Support>], side: Option<&SideData>, targets: &Targets) {
    let graphs = targets.rows();
    let of_entry = |entry: &PathEntry| -> Vec<Arc<Support>> {
        model.places(&entry.iterate).into_iter().map(|at| supports[at].clone()).collect()
    };
    let counts = applicability::capped_counts(&of_entry(model.best()), graphs);
    let (mut means, mut backgrounds) = (Vec::new(), Vec::with_capacity(model.entries.len()));
    let mut of_chosen = None;
    for (at, entry) in model.entries.iter().enumerate() {
        let supports = of_entry(entry);
        let beside = side.map_or_else(Vec::new, |side| model.rows_beside(&entry.iterate, &side.train));
        means.push(mean_row(&beside, graphs));
        let outputs = || {
            let values = model.values(&supports, graphs);
            if at == model.chosen || entry.head.as_ref().is_none_or(|head| head.forests.is_none()) {
                return model.outputs_of_values_and_rows(at, &values, &beside, graphs);
            }
            let read = if model.params.gnn == Gnn::None { &[] } else { &beside[..] };
            model.network_outputs(&entry.iterate, &values, read, graphs)
        };
        if at == model.chosen && entry.train.is_empty() {
            of_chosen = Some(metrics_of_decision(&model.tasks, targets, &outputs(), &entry.decision));
        }
        backgrounds.push(Background::new(&supports, &beside, graphs, || by_first_output(&outputs(), graphs)));
    }
    model.seen.counts = counts;
    model.backgrounds = backgrounds;
    if let Some(metrics) = of_chosen {
        model.entries[model.chosen].train = metrics;
    }
    if let Some(side) = &mut model.side {
        side.means = means;
    }
}

/// What is kept of the graphs of the fit, from the supports of all patterns: those of all entries where forests are
/// grown again, else those of the chosen one.
fn fitted_graphs(model: &Model, supports: &[Arc<Support>], data: &TrainData) -> FittedGraphs {
    let grows = model.best().head.as_ref().is_some_and(|head| head.forests.is_some());
    let entries = if grows { &model.entries[..] } else { std::slice::from_ref(model.best()) };
    let used: FxHashSet<&DfsCode> =
        entries.iter().flat_map(|entry| &entry.iterate.patterns).map(|pattern| &pattern.code).collect();
    let places: Vec<usize> = (0..model.patterns.len()).filter(|&at| used.contains(&model.patterns[at].code)).collect();
    let codes = places.iter().map(|&at| model.patterns[at].code.clone()).collect();
    let supports: Vec<Arc<Support>> = places.iter().map(|&at| Arc::clone(&supports[at])).collect();
    let mut fitted = FittedGraphs::new(codes, &supports, data.train.rows(), model.params.values());
    if grows {
        fitted.targets = Some(data.train.clone());
        fitted.summary = data.side.as_ref().map_or_else(Vec::new, |side| model.summary_rows(&side.train));
    }
    fitted
}

/// Support classes by graphs and counts: patterns of a path often have the same. Never iterated over.
type Classes = FxHashMap<(Vec<u32>, Vec<u32>), SupportClass>;

fn pattern(
    code: DfsCode,
    data: &TrainData,
    search: &mut dyn Search,
    classes: &mut Classes,
) -> Result<(Pattern, Arc<Support>), SearchError> {
    let support = search.lookup(&code)?;
    let class = match classes.entry((support.graphs().to_vec(), support.counts().to_vec())) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(new) => new.insert(search.class(&support)?).clone(),
    };
    let by_class = counts_by_class(&data.tasks, &data.train, &support);
    Ok((Pattern { code, class, support: support.len(), by_class, whole: None }, support))
}

/// The graphs in the order of their first output.
fn by_first_output(outputs: &[f64], graphs: usize) -> Vec<usize> {
    let first = |graph: &usize| outputs[graph * outputs.len() / graphs];
    let mut order: Vec<usize> = (0..graphs).collect();
    order.sort_by(|a, b| first(a).total_cmp(&first(b)));
    order
}

fn mean_row(rows: &[f64], count: usize) -> Vec<f64> {
    let width = rows.len() / count.max(1);
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width.max(1)) {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value / count as f64;
        }
    }
    mean
}
