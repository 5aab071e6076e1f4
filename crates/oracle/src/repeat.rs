//! The whole training once more, by exhaustive search, from the parameters and rows of the model.
//!
//! Every choice of a pattern, in every pass of every fold and of the model itself, is made by scoring all patterns
//! (`listed_search.rs`); what is not a choice of patterns (line searches, fits, heads, folds, the choice of the size)
//! is computed by the code of the trainer. Promise: if all checks hold, the model is what its parameters and rows give.
//! Bootstrap members are not repeated.

use super::listed_search::ListedSearch;
use super::replay::Patterns;
use super::{VerifyError, list, split_of};
use einsicht_data::{Dataset, Split};
use einsicht_model::Check;
use einsicht_model::Model;
use einsicht_model::features::graphs_at;
use einsicht_model::params::{CheckedParams, NetworkKind, TrainParams};
use einsicht_train::fit::{Fit, FitError, FitOptions};
use einsicht_train::resample::Resampler;
use einsicht_train::side_by_side::Trainings;

/// Cells that all passes of all trainings may add up; with more, the training is not repeated.
const MOST_CELLS: u64 = 3_000_000_000;

/// The model by exhaustive search; nothing if that would take too long.
pub(super) fn repeat(
    model: &Model,
    dataset: &Dataset,
    split: &Split,
    patterns: &Patterns,
) -> Result<Option<Model>, VerifyError> {
    let params = checked(model)?;
    let fit = Fit::new(dataset, split, &params, weights_of(model, split), &FitOptions::default())?;
    let whole = fit.whole_split();
    let search = ListedSearch::new(patterns, whole.train.len());
    let passes: u64 = model.entries.iter().map(|entry| entry.iterations as u64).sum();
    let cells = (search.cells() as u64).saturating_mul(passes).saturating_mul(1 + fit.num_folds() as u64);
    if cells > MOST_CELLS || !model.complete {
        return Ok(None);
    }
    let mut results = Vec::with_capacity(fit.num_folds());
    for fold in 0..fit.num_folds() {
        let Some(of_fold) = fit.fold_split(fold) else { continue };
        let graphs = graphs_at(dataset, &of_fold.train);
        // The rows of a fold follow each other as in the whole, also where a file that lies has a row twice.
        let mut rest = whole.train.iter().enumerate();
        let positions: Vec<usize> =
            of_fold.train.iter().filter_map(|row| rest.find(|(_, known)| *known == row).map(|(at, _)| at)).collect();
        let listed = list::of_some_graphs(model, &graphs, &positions, patterns);
        let search = ListedSearch::new(&listed, graphs.len());
        results.push(fit.run_fold(fold, search)?);
    }
    let mut training = fit.start_with(search, fit.choice(&results), None)?;
    training.run()?;
    Ok(fit.model(&mut training)?.map(|mut again| {
        copy_what_the_caller_gave(model, &mut again);
        again
    }))
}

/// Trains again as the model was trained, with the pruned search, and its bootstrap resamples. Equal models have equal
/// bytes.
pub fn retrain(model: &Model, dataset: &Dataset, options: &FitOptions) -> Result<Model, VerifyError> {
    let (params, split) = (checked(model)?, split_of(model, dataset)?);
    let fit = Fit::new(dataset, &split, &params, weights_of(model, &split), options)?;
    let choice = fit.choose()?;
    let mut training = fit.start(choice.clone(), None)?;
    training.run()?;
    let mut again = fit.model(&mut training)?.ok_or(FitError::NoModel)?;
    copy_what_the_caller_gave(model, &mut again);
    if !model.members.is_empty() {
        let many = Resampler::new(&fit, choice)?;
        let members = many.train_all(0..model.members.len())?;
        many.add_members(&mut again, members)?;
    }
    Ok(as_picked(model, again))
}

/// The repeated model with the size that somebody picked, which is no claim of the training.
fn as_picked(model: &Model, again: Model) -> Model {
    if !model.picked || model.chosen >= again.entries.len() {
        return again;
    }
    // To pick the chosen one changes nothing, unless another was picked before.
    let other = (0..again.entries.len()).find(|at| *at != model.chosen).unwrap_or(model.chosen);
    again.picking(other).picking(model.chosen)
}

/// Takes over what no training finds out: keywords and types of the language that it was called from, and names of
/// labels, which are compared with those of the data.
fn copy_what_the_caller_gave(model: &Model, again: &mut Model) {
    again.vertex_labels.set_names(model.vertex_labels.names().clone());
    again.edge_labels.set_names(model.edge_labels.names().clone());
    again.class_values.clone_from(&model.class_values);
    again.reading.keywords.clone_from(&model.reading.keywords);
}

/// The weights that the training got.
fn weights_of(model: &Model, split: &Split) -> Option<Vec<f64>> {
    model.graph_weights.clone().map(|mut weights| {
        weights.truncate(split.train.len());
        weights
    })
}

/// The parameters of a model, as they were before what follows from the tasks.
fn checked(model: &Model) -> Result<CheckedParams, VerifyError> {
    let hidden = if model.params.network == NetworkKind::None { 1 } else { model.params.hidden };
    Ok(TrainParams { hidden, ..model.params.clone() }.check().map_err(FitError::from)?)
}

/// What of the model differs from the repeated one, part by part.
pub(super) fn compare(model: &Model, again: &Model) -> Vec<Check> {
    let again = &as_picked(model, again.clone());
    let mut checks = Vec::new();
    let mut note = |name: &str, ok: bool, detail: &str| {
        checks.push(Check { name: name.to_owned(), ok, detail: detail.to_owned() });
    };
    let same = "the same from parameters, rows and data";
    note(
        "targets and labels repeated",
        {
            model.tasks == again.tasks
                && model.vertex_labels == again.vertex_labels
                && model.edge_labels == again.edge_labels
                && model.qualifiers == again.qualifiers
                && model.reading.is_as(&again.reading, &model.edge_labels)
        },
        same,
    );
    note("parameters and rows repeated", model.params == again.params && model.rows == again.rows, same);
    note("graph weights repeated", model.graph_weights == again.graph_weights, same);
    note("folds and out-of-fold predictions repeated", model.seen == again.seen, "every fold by exhaustive search");
    note("estimate repeated", model.estimate == again.estimate, "from the out-of-fold predictions");
    // Bootstrap members, which are not repeated, have patterns of their own.
    let known = again.patterns.iter().all(|pattern| model.pattern(&pattern.code) == Some(pattern));
    let is_whole = !model.members.is_empty() || model.patterns.len() == again.patterns.len();
    note("subgraphs and classes repeated", known && is_whole, same);
    for (at, entry) in model.entries.iter().enumerate() {
        let ok = again.entries.get(at) == Some(entry);
        note(&format!("entry {at} repeated"), ok, "every pass by exhaustive search: weights, head, figures, decision");
    }
    note("path repeated", model.entries.len() == again.entries.len() && model.complete == again.complete, same);
    note(
        "chosen entry repeated",
        (model.metric, model.chosen) == (again.metric, again.chosen),
        "by held-out predictions",
    );
    note("backgrounds repeated", model.backgrounds == again.backgrounds, "from the graphs that it was fitted on");
    note("encoding of vertices repeated", model.side == again.side, same);
    checks
}
