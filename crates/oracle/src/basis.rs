//! What the figures of a model rest on: its rows, hashes, folds, names and targets, the choice and the estimate; and
//! which claims nothing here could check.
//!
//! A figure says nothing without the graphs that it was computed on, and a check that a file can switch off says
//! nothing unless it tells. So each check that was not made has a sentence.

use super::{Unchecked, VerifyError};
use einsicht_data::{Dataset, Split, Vocabulary};
use einsicht_model::folds::{Choice, Folds};
use einsicht_model::params::Penalty;
use einsicht_model::task::{Targets, tasks_of};
use einsicht_model::{Check, Model, choose};
use einsicht_train::TrainData;
use einsicht_train::fit::{test_split, usual_split};
use std::collections::BTreeSet;

/// What was found, and what stays open.
#[derive(Default)]
pub(super) struct Basis {
    pub(super) checks: Vec<Check>,
    pub(super) unchecked: Vec<Unchecked>,
}

impl Basis {
    /// Of a model whose rows are in the data at these positions.
    pub(super) fn new(model: &Model, dataset: &Dataset, split: &Split) -> Result<Self, VerifyError> {
        let mut basis = Self::default();
        basis.rows(model, dataset, split);
        basis.seen(model, dataset, split);
        basis.names(model, dataset);
        basis.targets(model, dataset, split)?;
        basis.choice(model, dataset, split)?;
        if model.picked {
            basis.open("the choice of the size, which somebody picked");
        }
        if !model.complete {
            basis.open("that the path had to end before its last size");
        }
        if !model.members.is_empty() {
            basis.open_without_retraining("the bootstrap members");
        }
        Ok(basis)
    }

    pub(super) fn open(&mut self, what: impl Into<String>) {
        self.unchecked.push(Unchecked { what: what.into(), by_retraining: false });
    }

    pub(super) fn open_without_retraining(&mut self, what: &str) {
        self.unchecked.push(Unchecked { what: what.to_owned(), by_retraining: true });
    }

    fn note(&mut self, name: &str, ok: bool, detail: impl Into<String>) {
        self.checks.push(Check { name: name.to_owned(), ok, detail: detail.into() });
    }

    /// No graph may be in two parts, or twice in one.
    fn rows(&mut self, model: &Model, dataset: &Dataset, split: &Split) {
        let Split { train, valid, test, .. } = split;
        let rows = [&train[..], valid, test].concat();
        let twice = rows.len() - rows.iter().collect::<BTreeSet<_>>().len();
        let detail = format!(
            "{} training, {} validation, {} test rows, {twice} of them twice",
            train.len(),
            valid.len(),
            test.len()
        );
        self.note("rows of the parts", twice == 0, detail);
        if !is_drawn(model, dataset, split) {
            self.open("how the rows were drawn (no split by the seed in the file)");
        }
    }

    /// By these hashes a model recognises graphs that it has seen, and by these folds it takes their predictions.
    fn seen(&mut self, model: &Model, dataset: &Dataset, split: &Split) {
        let rows = [&split.train[..], &split.valid].concat();
        let hashes = dataset.row_hashes(&rows);
        let wrong = hashes.len().abs_diff(model.seen.hashes.len())
            + hashes.iter().zip(&model.seen.hashes).filter(|(ours, theirs)| ours != theirs).count();
        self.note("hashes of the graphs seen", wrong == 0, format!("{} graphs, {wrong} wrong", rows.len()));
        let folds = folds(model, dataset, split);
        let detail = format!("{} folds from the rows and the seed", folds.count);
        self.note("folds", folds == model.seen.folds, detail);
    }

    /// Names of labels, where the data have any.
    fn names(&mut self, model: &Model, dataset: &Dataset) {
        let (mut wrong, mut unknown) = (Vec::new(), 0);
        for (ours, theirs) in
            [(&model.vertex_labels, &dataset.vertex_labels), (&model.edge_labels, &dataset.edge_labels)]
        {
            wrong.extend(misnamed(ours, theirs));
            unknown += ours.names().keys().filter(|token| !theirs.names().contains_key(*token)).count();
        }
        let detail = if wrong.is_empty() { "as in the data".to_owned() } else { wrong.join(", ") };
        self.note("names of labels", wrong.is_empty(), detail);
        if unknown > 0 {
            self.open(format!("the names of {unknown} labels, which the data do not have"));
        }
    }

    /// Names, classes and scales of the targets.
    fn targets(&mut self, model: &Model, dataset: &Dataset, split: &Split) -> Result<(), VerifyError> {
        let ok = tasks_of(dataset, &fitted_split(model, split))? == model.tasks;
        self.note("targets", ok, "names, classes and scales from the rows");
        Ok(())
    }

    /// The choice of the entry and the estimate follow from the out-of-fold outputs in the file.
    fn choice(&mut self, model: &Model, dataset: &Dataset, split: &Split) -> Result<(), VerifyError> {
        let rows = [&split.train[..], &split.valid].concat();
        let targets = Targets::gather(&model.tasks, dataset, &rows)?;
        let folds = folds(model, dataset, split);
        let held_out: Vec<usize> = folds.with_fold().iter().map(|&row| row as usize).collect();
        let metric = TrainData::metric(&model.tasks, &targets.subset(&held_out), &model.params)?;
        self.note("metric of the choice", metric == model.metric, metric.name());
        if folds != model.seen.folds || metric != model.metric {
            return Ok(()); // these are wrong already, and the outputs may not fit the folds
        }
        let again = Choice::new((&model.tasks, &targets, metric), &model.params, folds, &model.seen.parts);
        let is_refitted = model.params.is_refitted();
        let points = again.points.iter().map(|point| &point.outputs);
        let ok = points.eq(&model.seen.outputs)
            && again.points.len() == model.entries.len()
            && again.points.iter().zip(&model.entries).all(|(point, entry)| {
                !is_refitted || (point.decision == entry.decision && point.metrics == entry.valid)
            });
        self.note("out-of-fold decisions and figures", ok, "from the out-of-fold outputs and the targets");
        if model.picked {
            return Ok(()); // there is no estimate
        }
        let chosen = if is_refitted { Some(again.chosen) } else { choose(&model.entries, metric) };
        let (same_choice, same_estimate) = (chosen == Some(model.chosen), again.estimate == model.estimate);
        // The choice was made among the whole path; of a path that was cut short, or ended before its last penalty, the
        // file has a part.
        if model.entries.len() < num_points(model) && !(same_choice && same_estimate) {
            self.open("the choice and the estimate, which were made from a longer path than the file has");
            return Ok(());
        }
        self.note("choice by out-of-fold outputs", same_choice, "from the out-of-fold outputs and the targets");
        self.note("estimate by out-of-fold outputs", same_estimate, "from the out-of-fold outputs and the targets");
        Ok(())
    }
}

fn num_points(model: &Model) -> usize {
    match model.params.penalty {
        Penalty::L0 => model.params.sizes.len(),
        Penalty::L1 => model.params.lambdas,
    }
}

/// The split whose training set the model was fitted on.
fn fitted_split(model: &Model, split: &Split) -> Split {
    if !model.params.is_refitted() {
        return split.clone();
    }
    Split { train: [&split.train[..], &split.valid].concat(), valid: Vec::new(), ..split.clone() }
}

fn folds(model: &Model, dataset: &Dataset, split: &Split) -> Folds {
    if model.params.is_refitted() {
        Folds::of_split(dataset, split, &model.params)
    } else {
        Folds::of_validation_set(split)
    }
}

/// Whether the rows are those that a training draws by its seed: all of them, or some percent in a test set.
fn is_drawn(model: &Model, dataset: &Dataset, split: &Split) -> bool {
    let rows = split.train.len() + split.valid.len() + split.test.len();
    if split.test.is_empty() {
        return usual_split(dataset, &model.params).is_ok_and(|drawn| is_same(&drawn, split));
    }
    // Sizes of strata are rounded.
    let about = (100 * split.test.len()).div_ceil(rows);
    (about.saturating_sub(2).max(1)..about + 3).any(|percent| {
        test_split(dataset, &model.params, percent as f64 / 100.0).is_ok_and(|drawn| is_same(&drawn, split))
    })
}

fn is_same(a: &Split, b: &Split) -> bool {
    (&a.train, &a.valid, &a.test) == (&b.train, &b.valid, &b.test)
}

/// What labels are called in the model, where they are called otherwise in the data.
fn misnamed(ours: &Vocabulary, theirs: &Vocabulary) -> Vec<String> {
    let other = |(token, name): (&String, &String)| {
        let right = theirs.names().get(token).filter(|right| *right != name)?;
        Some(format!("{token} is {right}, not {name}"))
    };
    ours.names().iter().filter_map(other).collect()
}
