//! What the fuzz target of models does, which includes this file. A model that can be read must read back from what it
//! is written as, predict, be explained by every method, and be shown.
//!
//! An even first byte: the rest is a whole file. An odd one: the rest are changes of a good file, three bytes each, a
//! place and what is put there, so that the fuzzer need not find out how files are made, and seeds outlive changes of
//! the format. Both get the right digest, which would refuse them all.

use einsicht::data::split::seeded::{Fractions, default_split};
use einsicht::explain::{
    AttributionMethod, AttributionRequest, ForestRequest, LimeOptions, Provenance, Scale, ShapleyBaseline,
    ShapleyOptions, Subject, SurrogateRequest, add_effects, attributions, effects, forest_importance, importances,
    member_spread, surrogate_trees,
};
use einsicht::forest::ForestParams;
use einsicht::model::gnn::Gnn;
use einsicht::report::{ReportOptions, report};
use einsicht::train::fit::fit_without_effects;
use einsicht::{Dataset, FitOptions, Model, Synthetic, TrainParams, generate};
use einsicht_testkit::model_bytes::seal;
use std::sync::LazyLock;

/// A linear model with a forest, and one with a graph network.
static GOOD: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [Gnn::None, Gnn::Gin].map(small));

/// Graphs of both classes.
static FEW: LazyLock<Dataset> = LazyLock::new(|| generate(Synthetic::Cycle, 0).subset(&(290..310).collect::<Vec<_>>()));

fn small(gnn: Gnn) -> Vec<u8> {
    let few = &*FEW;
    let split = default_split(few, Fractions::default(), 0).expect("parts");
    let base = if gnn == Gnn::None { TrainParams::default() } else { TrainParams::gin() };
    let params = TrainParams { sizes: vec![1, 2], max_edges: 2, max_iterations: 2, trees: 2, gnn_units: 2, ..base };
    let params = params.check().expect("good parameters");
    let mut model = fit_without_effects(few, &split, &params, &FitOptions::default()).expect("a model");
    add_effects(&mut model, few);
    model.to_bytes().expect("a file")
}

/// Reads the bytes and says whether they were a model.
///
/// # Panics
/// If anything that reads the model does, or it reads back as another: a finding.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let (&choice, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let mut file = rest.to_vec();
    if !choice.is_multiple_of(2) {
        file.clone_from(&GOOD[choice as usize / 2 % 2]);
        let len = file.len();
        let (changes, _) = rest.as_chunks::<3>();
        for &[low, high, new] in changes {
            file[usize::from(u16::from_le_bytes([low, high])) % len] = new;
        }
    }
    seal(&mut file);
    let Ok(model) = Model::from_bytes(&file) else { return false };
    let again = model.to_bytes().expect("a model that was read can be written");
    assert_eq!(Model::from_bytes(&again).expect("what we wrote can be read"), model);
    model.document().expect("a model that was read can be shown");
    if model.check_data(&FEW).is_ok() {
        (0..model.entries.len().min(3)).for_each(|entry| explain(&Subject { model: &model, entry, dataset: &FEW }));
        assert_eq!(model.member_outputs(&FEW, &[0]).len(), model.members.len());
        let provenance = Provenance::of(&model, &FEW);
        let options = ReportOptions { max_graphs: 2, orders: 2, trees: 2, ..ReportOptions::default() };
        // That a model has nothing to show of these graphs is an answer.
        let _ = report(&model, &FEW, &provenance, &options);
    }
    true
}

/// Predictions for two graphs, with all that explains them.
fn explain(subject: &Subject<'_>) {
    let (model, rows) = (subject.model, &[0, 1]);
    let predictions = model.predict(subject.entry, subject.dataset, rows);
    assert_eq!(predictions.row(&model.tasks, 1).len(), model.tasks.len());
    assert!(effects(subject, &Provenance::of(model, subject.dataset)).patterns.len() <= model.patterns.len());
    importances(model, subject.entry);
    member_spread(subject, rows);
    let options = ShapleyOptions { orders: 2, ..ShapleyOptions::default() };
    for method in [
        AttributionMethod::Shapley { baseline: ShapleyBaseline::Background, options: options.clone() },
        AttributionMethod::Shapley { baseline: ShapleyBaseline::Absent, options },
        AttributionMethod::Lime(LimeOptions::default()),
    ] {
        let found = attributions(&AttributionRequest { subject: *subject, rows, scale: Scale::of(model), method });
        assert_eq!(found.graphs.len(), rows.len());
    }
    let tasks: Vec<usize> = (0..model.tasks.len()).collect();
    surrogate_trees(&SurrogateRequest { subject: *subject, tasks: &tasks, rows, max_depth: 2 });
    let params = ForestParams { trees: 2, ..ForestParams::default() };
    forest_importance(&ForestRequest { subject: *subject, tasks: &tasks, rows, params });
}
