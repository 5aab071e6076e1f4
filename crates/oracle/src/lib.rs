//! Verification: re-proves the claims of a model from the data, by exhaustive search.
//!
//! The model claims: the supports of its patterns; their support classes; that at the recorded state *no pattern of all
//! that exist* had a higher score than the chosen ones; its metrics. Each claim is checked with plain code that shares
//! neither tree nor pruning with the search. How far the final parameters are from a stationary point is reported, not
//! judged. The forward pass is written again here, on purpose.

mod basis;
mod enumerate;
mod list;
mod listed_search;
mod qualified;
mod repeat;
mod replay;

pub use enumerate::all_patterns;
pub use repeat::retrain;

use basis::Basis;
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split};
use einsicht_graph::{DfsCode, Graph};
use einsicht_model::features::{graphs_at, supports_in};
use einsicht_model::params::{Penalty, TrainParams};
use einsicht_model::task::metrics::metrics_within;
use einsicht_model::task::{TargetError, Targets};
use einsicht_model::{Check, Model, Pattern, SourceRows, codes_of_path};
use einsicht_model::{PatternWeights, StoppedBy};
use einsicht_search::SupportClass;
use einsicht_train::fit::FitError;
use einsicht_train::{DataError, TrainError};
use replay::{Patterns, Recomputation};
use std::collections::{BTreeMap, BTreeSet};

/// The outcome of all checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// All claims, in the order in which they were checked.
    pub checks: Vec<Check>,
    /// Whether the whole training was repeated by exhaustive search; of large models only the choices that are recorded
    /// are.
    pub repeated: bool,
    /// What the file claims and no check here covers.
    pub unchecked: Vec<Unchecked>,
    /// What was checked if only a part was asked for.
    pub covered: Option<Covered>,
    /// Norms of the gradient at the chosen entry with respect to patterns, bias and network: 0 where stationary.
    pub gradient_norms: [f64; 3],
}

impl Verification {
    /// Whether every claim that was checked holds.
    pub fn verified(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }
}

/// A claim that was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// What is not known to be true, for people.
    pub what: String,
    /// Whether a training from the parameters and rows in the file checks it: see [`retrain`].
    pub by_retraining: bool,
}

/// Why nothing could be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum VerifyError {
    #[error("the model was trained on row {row}, but the data set has no graph from that row")]
    NoSuchRow { row: u32 },
    #[error("the {which} labels of the data set must be those of the model")]
    OtherLabels { which: &'static str },
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl From<DataError> for VerifyError {
    fn from(error: DataError) -> Self {
        Self::Train(error.into())
    }
}

/// A part of the checks that takes little time: some recorded steps, against some subgraphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Recorded steps to check, at most.
    pub steps: usize,
    /// Chooses the steps and the subgraphs.
    pub seed: u64,
}

/// What a part covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The entries of the path whose steps were checked, increasing.
    pub entries: Vec<usize>,
    /// Recorded steps of the whole model.
    pub steps: usize,
    /// Subgraphs that were scored in each step, those of the model among them.
    pub subgraphs: usize,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// All subgraphs of so many graphs are listed.
    Listed {
        /// Graphs that are done.
        done: usize,
        /// All graphs.
        graphs: usize,
    },
    /// Properties of the vertices of so many listed subgraphs are listed.
    Qualified {
        /// Subgraphs that are done.
        done: usize,
        /// All subgraphs.
        subgraphs: usize,
    },
    /// A recorded step is checked.
    Step {
        /// From 1 on.
        step: usize,
        /// All that are checked.
        steps: usize,
    },
    /// The training is repeated.
    Repeating,
}

/// How to verify.
pub struct VerifyOptions<'a> {
    /// Only a part.
    pub part: Option<Part>,
    /// Told about each stage, from any thread.
    pub watch: &'a (dyn Fn(Stage) + Sync),
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        Self { part: None, watch: &|_| () }
    }
}

/// About how many connected sets of edges [`verify`] lists, if no part is asked for: hundreds of thousands take a
/// second.
pub fn estimated_work(model: &Model, dataset: &Dataset) -> Result<f64, VerifyError> {
    check_labels(model, dataset)?;
    let [fitted, ..] = positions(model, dataset)?;
    Ok(enumerate::estimated_sets(&graphs_at(dataset, &fitted), model.params.max_edges))
}

/// Checks every claim of the model against the data set that it was trained on.
pub fn verify(model: &Model, dataset: &Dataset) -> Result<Verification, VerifyError> {
    verify_with(model, dataset, &VerifyOptions::default())
}

/// The same, or a part of it, watched.
pub fn verify_with(model: &Model, dataset: &Dataset, options: &VerifyOptions<'_>) -> Result<Verification, VerifyError> {
    check_labels(model, dataset)?;
    let parts = positions(model, dataset)?;
    let graphs = graphs_at(dataset, &parts[0]);
    let targets = Targets::gather(&model.tasks, dataset, &parts[0])?;
    let ones = vec![1.0; graphs.len()];
    let weights = model.graph_weights.as_deref().unwrap_or(&ones);
    let split = split_of(model, dataset)?;
    let mut basis = Basis::new(model, dataset, &split)?;
    let mut checks = vec![check_fingerprint(model, dataset)];
    checks.append(&mut basis.checks);

    let part = options.part.map(|part| Sample::new(model, part));
    let patterns = match &part {
        None => list::all(model, &graphs, options.watch),
        Some(part) => list::some(model, &graphs, part.seed),
    };
    checks.push(check_supports(model, &targets, &graphs, &patterns));
    if part.is_none() {
        checks.push(check_classes(model, &graphs, &patterns));
    }
    let encoded = model.encode(dataset, &parts[0]);
    let summary = model.summary_rows(&encoded);
    let network = model.network_over(encoded);
    let recomputed = Recomputation { model, targets: &targets, weights, patterns: &patterns, network, summary };
    let steps = part.as_ref().map_or(model.entries.len(), |part| part.entries.len());
    let mut step = 0;
    for at in 0..model.entries.len() {
        if part.as_ref().is_none_or(|part| part.entries.contains(&at)) {
            step += 1;
            (options.watch)(Stage::Step { step, steps });
            checks.push(check_choice(&recomputed, at, part.is_some()));
            checks.extend(check_optimum(&recomputed, at));
        }
        checks.push(check_fit(&recomputed, at));
    }
    checks.push(check_predictions(model, dataset, &parts)?);
    checks.extend(check_path(model));
    let mut again = None;
    if part.is_none() {
        (options.watch)(Stage::Repeating);
        again = repeat::repeat(model, dataset, &split, &patterns)?;
        if again.is_none() {
            basis.open_without_retraining("weights and out-of-fold predictions from earlier passes");
        }
    }
    checks.extend(again.iter().flat_map(|again| repeat::compare(model, again)));
    let gradient_norms = recomputed.gradient_norms(&model.best().iterate);
    let covered = part.map(|Sample { entries, steps, .. }| Covered { entries, steps, subgraphs: patterns.len() });
    let unchecked = basis.unchecked;
    Ok(Verification { checks, repeated: again.is_some(), unchecked, covered, gradient_norms })
}

fn check_labels(model: &Model, dataset: &Dataset) -> Result<(), VerifyError> {
    for (which, ours, theirs) in
        [("vertex", &model.vertex_labels, &dataset.vertex_labels), ("edge", &model.edge_labels, &dataset.edge_labels)]
    {
        if ours.tokens() != theirs.tokens() {
            return Err(VerifyError::OtherLabels { which });
        }
    }
    Ok(())
}

/// The steps of a part.
struct Sample {
    entries: Vec<usize>,
    steps: usize,
    seed: u64,
}

impl Sample {
    fn new(model: &Model, part: Part) -> Self {
        let recorded = model.entries.iter().enumerate().filter(|(_, entry)| entry.before.is_some());
        let mut entries: Vec<usize> = recorded.map(|(at, _)| at).collect();
        let steps = entries.len();
        Random::new(part.seed).shuffle(&mut entries);
        entries.truncate(part.steps);
        entries.sort_unstable();
        Self { entries, steps, seed: part.seed }
    }
}

/// Positions in the data set of the rows that the model was fitted on, of the rows that have an out-of-fold prediction,
/// and of the test set.
fn positions(model: &Model, dataset: &Dataset) -> Result<[Vec<usize>; 3], VerifyError> {
    let SourceRows { train, valid, test } = &model.rows;
    let seen = train.iter().chain(valid).zip(&model.seen.folds.of);
    let held_out: Vec<u32> = seen.filter(|(_, fold)| fold.is_some()).map(|(row, _)| *row).collect();
    let at = by_row(dataset);
    Ok([find(&at, &model.fitted_rows())?, find(&at, &held_out)?, find(&at, test)?])
}

fn split_of(model: &Model, dataset: &Dataset) -> Result<Split, VerifyError> {
    let (at, SourceRows { train, valid, test }) = (by_row(dataset), &model.rows);
    Ok(Split { train: find(&at, train)?, valid: find(&at, valid)?, test: find(&at, test)?, skipped: 0 })
}

fn by_row(dataset: &Dataset) -> BTreeMap<u32, usize> {
    dataset.origins.iter().enumerate().map(|(at, origin)| (origin.row, at)).collect()
}

fn find(at: &BTreeMap<u32, usize>, rows: &[u32]) -> Result<Vec<usize>, VerifyError> {
    rows.iter().map(|row| at.get(row).copied().ok_or(VerifyError::NoSuchRow { row: *row })).collect()
}

fn check_fingerprint(model: &Model, dataset: &Dataset) -> Check {
    let found = dataset.fingerprint().to_string();
    let ok = found == model.fingerprint;
    let detail = if ok { found } else { format!("the model was trained on {}, this is {found}", model.fingerprint) };
    Check { name: "data set".to_owned(), ok, detail }
}

/// Supports three ways: stored, by the matcher, by listing.
fn check_supports(model: &Model, targets: &Targets, graphs: &[Graph], patterns: &Patterns) -> Check {
    let codes: Vec<DfsCode> = model.patterns.iter().map(|p| p.code.clone()).collect();
    let mut wrong = 0;
    for (pattern, support) in model.patterns.iter().zip(supports_in(graphs, &codes, model.params.values())) {
        let listed = patterns.get(&pattern.code).map_or(&[][..], |(graphs, _)| graphs.as_slice());
        let by_class = einsicht_model::counts_by_class(&model.tasks, targets, &support);
        let agree = support.graphs() == listed && support.len() == pattern.support && by_class == pattern.by_class;
        wrong += usize::from(!agree);
    }
    let detail = format!("{} patterns of the model in {} graphs, {wrong} wrong", codes.len(), graphs.len());
    Check { name: "supports".to_owned(), ok: wrong == 0, detail }
}

fn check_classes(model: &Model, graphs: &[Graph], patterns: &Patterns) -> Check {
    let mut members: BTreeMap<&(Vec<u32>, Vec<u32>), Vec<DfsCode>> = BTreeMap::new();
    for (code, support) in patterns {
        members.entry(support).or_default().push(code.clone());
    }
    let class_of = |code: &DfsCode| {
        let members = patterns.get(code).and_then(|support| members.get(support)).cloned();
        SupportClass::from_members(members.unwrap_or_default())
    };
    let whole_of = |pattern: &Pattern| {
        let (at, _) = patterns.get(&pattern.code)?;
        pattern.whole_in(&at.iter().map(|&at| &graphs[at as usize]).collect::<Vec<_>>(), &model.params)
    };
    let of_path: BTreeSet<&DfsCode> = codes_of_path(&model.entries).collect();
    let is_right = |pattern: &&Pattern| {
        let whole = if of_path.contains(&pattern.code) { whole_of(pattern) } else { None };
        class_of(&pattern.code) == pattern.class && whole == pattern.whole
    };
    let wrong = model.patterns.len() - model.patterns.iter().filter(is_right).count();
    let detail = format!("{} patterns listed, {} distinct supports, {wrong} wrong", patterns.len(), members.len());
    Check { name: "support classes".to_owned(), ok: wrong == 0, detail }
}

/// The last step of a size. Of a part only some competitors are known: a shortlist of theirs is not that of all.
fn check_choice(recomputed: &Recomputation<'_>, at: usize, is_part: bool) -> Check {
    let entry = &recomputed.model.entries[at];
    let name = match entry.lambda {
        None => format!("choice of entry {at} (at most {} patterns)", entry.size),
        Some(lambda) => format!("choice of entry {at} (penalty {lambda})"),
    };
    let Some(before) = &entry.before else {
        // A pair of patterns has entered, and no step was accepted after it.
        let of_pair = |p: &PatternWeights| entry.iterate.pairs.iter().any(|pair| pair.codes.contains(&p.code));
        let ok = entry.iterate.patterns.is_empty() || entry.iterate.patterns.iter().any(of_pair);
        let detail = "no step was accepted, so no pattern may be in use but those that entered with a pair";
        return Check { name, ok, detail: detail.to_owned() };
    };
    if is_part && before.lambda.is_none() && recomputed.model.params.judged_candidates() > 0 {
        let entrants = entry.iterate.patterns.iter().map(|p| &p.code);
        let (scored, outranked) = recomputed.outranked(before, entrants);
        let detail = format!("{scored} competitors scored, {outranked} of the chosen have too small a gradient");
        return Check { name, ok: outranked == 0, detail };
    }
    let replay = recomputed.replay(before);
    let same_step = replay.step == Some(before.step);
    let stored = entry.iterate.patterns.iter().map(|p| p.code.clone()).collect();
    // The fit of a linear model with a penalty may end with some of them at zero.
    let same_patterns =
        replay.chosen == stored || (recomputed.model.params.is_convex() && stored.is_subset(&replay.chosen));
    let detail = match (same_step, same_patterns) {
        (true, true) => {
            format!("{} competitors scored, the best {} are those of the model", replay.scored, stored.len())
        }
        (true, false) => {
            let missing = replay.chosen.symmetric_difference(&stored).count();
            format!("{} competitors scored, {missing} of the best are not in the model", replay.scored)
        }
        (false, _) => format!("the first accepted step size is {:?}, not {}", replay.step, before.step),
    };
    Check { name, ok: same_step && same_patterns, detail }
}

/// A linear model with a penalty claims to be the best of all: its optimality conditions hold for every pattern.
fn check_optimum(recomputed: &Recomputation<'_>, at: usize) -> Option<Check> {
    let entry = &recomputed.model.entries[at];
    let lambda =
        entry.lambda.filter(|_| recomputed.model.params.is_convex() && entry.stopped_by == StoppedBy::Converged)?;
    let violation = recomputed.violation(&entry.iterate, lambda);
    Some(Check {
        name: format!("optimum of entry {at} (penalty {lambda})"),
        ok: violation <= 1e-6 * lambda.max(1.0),
        detail: format!("the largest violation of the optimality conditions over all patterns is {violation:.1e}"),
    })
}

/// The metrics of the training set. Once folds have chosen, forests of other entries are grown for a test set alone:
/// without one their entries have none.
fn check_fit(recomputed: &Recomputation<'_>, at: usize) -> Check {
    let Model { params, rows, picked, chosen, entries, .. } = recomputed.model;
    let entry = &entries[at];
    let has_forests = entry.head.as_ref().is_some_and(|head| head.forests.is_some());
    let may_lack = params.is_refitted() && rows.test.is_empty() && has_forests && (*picked || at != *chosen);
    let is_left_out = may_lack && entry.train.is_empty();
    let detail =
        if is_left_out { "none: folds have chosen another entry" } else { "recomputed from the listed supports" };
    Check {
        name: format!("training metrics of entry {at}"),
        ok: is_left_out || recomputed.metrics(at) == entry.train,
        detail: detail.to_owned(),
    }
}

/// A path of sizes is complete if each size has an entry that the observer did not cut short.
fn check_path(model: &Model) -> Option<Check> {
    let sizes = &model.params.sizes;
    let is_whole = model.entries.len() == sizes.len()
        && model.entries.iter().zip(sizes).all(|(e, size)| e.size == *size && e.stopped_by != StoppedBy::Observer);
    let detail = format!("{} of {} sizes", model.entries.len(), sizes.len());
    let check = Check { name: "path".to_owned(), ok: model.complete == is_whole, detail };
    (model.params.penalty == Penalty::L0).then_some(check)
}

fn check_predictions(model: &Model, dataset: &Dataset, parts: &[Vec<usize>; 3]) -> Result<Check, TargetError> {
    let mut wrong = 0;
    let folds: Vec<u32> = model.seen.folds.of.iter().flatten().copied().collect();
    for (at, entry) in model.entries.iter().enumerate() {
        for (part, (rows, stored)) in parts.iter().zip([&entry.train, &entry.valid, &entry.test]).enumerate() {
            // Metrics of the training set that are missing: `check_fit` has seen to it.
            if rows.is_empty() || (part == 0 && stored.is_empty()) {
                continue;
            }
            let targets = Targets::gather(&model.tasks, dataset, rows)?;
            let is_right = |outputs: &[f64], folds: &[u32]| {
                metrics_within(&model.tasks, &targets, outputs, &entry.decision, folds) == *stored
            };
            // Where folds chose, other models have predicted the held-out graphs: their outputs are stored.
            if part != 1 || !model.params.is_refitted() {
                wrong += usize::from(!is_right(&model.predict(at, dataset, rows).outputs, &[]));
            }
            if part == 1 {
                wrong += usize::from(!is_right(&model.seen.outputs[at], &folds));
            }
        }
    }
    let detail = format!("metrics of {} entries by the matcher, {wrong} wrong", model.entries.len());
    Ok(Check { name: "predictions".to_owned(), ok: wrong == 0, detail })
}
