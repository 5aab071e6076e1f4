//! The targets that two models have in common: who is right where, and how far their predictions are apart.

use super::{CompareError, Side};
use einsicht_data::random::Random;
use einsicht_model::task::{Task, TaskKind};
use einsicht_model::{Model, Prediction};
use serde::Serialize;

/// Resamples of the graphs for an interval.
const RESAMPLES: usize = 1000;
/// Graphs in the chart of both predictions at most.
const MOST_DOTS: usize = 600;

/// One common target.
#[derive(Serialize)]
pub(super) struct ComparedTask {
    name: String,
    /// Names of the classes; empty for numbers.
    classes: Vec<String>,
    /// Graphs with a value that both models are judged on.
    judged: usize,
    /// The metric, its value for each model, and the second minus the first with the ends of its 95 % interval.
    metric: &'static str,
    values: [f64; 2],
    difference: [f64; 3],
    /// Of the judged graphs: both right, only the first, only the second, none; nothing for numbers.
    cases: Option<[usize; 4]>,
    /// The part of all graphs with the same predicted class; for numbers the correlation of both predictions.
    agreement: f64,
    /// For some graphs the row, what both predict (the probability of the last class, or the number), and the truth.
    dots: Vec<(usize, f64, f64, Option<f64>)>,
}

/// The tasks of both models with the same name and the same classes, as indices.
pub(super) fn common([ours, theirs]: [&Model; 2]) -> Result<Vec<[usize; 2]>, CompareError> {
    let is_same = |a: &Task, b: &Task| {
        a.name == b.name
            && match (&a.kind, &b.kind) {
                (TaskKind::Classes(a), TaskKind::Classes(b)) => a == b,
                (TaskKind::Number { .. }, TaskKind::Number { .. }) => true,
                _ => false,
            }
    };
    let found = ours.tasks.iter().enumerate();
    let found = found.filter_map(|(at, task)| Some([at, theirs.tasks.iter().position(|other| is_same(task, other))?]));
    let found: Vec<[usize; 2]> = found.collect();
    let names = |model: &Model| model.tasks.iter().map(crate::story::target_in_words).collect::<Vec<_>>().join(", ");
    if found.is_empty() {
        return Err(CompareError::NoCommonTarget { ours: names(ours), theirs: names(theirs) });
    }
    Ok(found)
}

/// How far two predictions are apart: between probabilities half of the sum of differences, between numbers the
/// difference.
pub(super) fn distance(a: &Prediction, b: &Prediction) -> f64 {
    match (a, b) {
        (Prediction::Class { probabilities: a, .. }, Prediction::Class { probabilities: b, .. }) => {
            a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b).abs()) / 2.0
        }
        (Prediction::Value(a), Prediction::Value(b)) => (a - b).abs(),
        _ => 0.0,
    }
}

/// The rows whose predictions of a target differ most, the most different first.
pub(super) fn most_different(sides: &[Side<'_>; 2], pair: [usize; 2], most: usize) -> Vec<usize> {
    let apart = |row: usize| distance(sides[0].prediction(row, pair[0]), sides[1].prediction(row, pair[1]));
    let mut rows: Vec<(f64, usize)> = (0..sides[0].subject.dataset.len()).map(|row| (apart(row), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rows.truncate(most.max(1));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The probability of the last class, or the number.
fn number(prediction: &Prediction) -> f64 {
    match prediction {
        Prediction::Class { probabilities, .. } => probabilities.last().copied().unwrap_or(0.0),
        Prediction::Value(value) => *value,
    }
}

/// What is compared of one target.
pub(super) fn task(sides: &[Side<'_>; 2], pair: [usize; 2], seed: u64) -> ComparedTask {
    let described = &sides[0].subject.model.tasks[pair[0]];
    let classes = match &described.kind {
        TaskKind::Classes(names) => names.clone(),
        TaskKind::Number { .. } => Vec::new(),
    };
    let rows = 0..sides[0].subject.dataset.len();
    let truth = |row: usize| sides[0].judged.truth(row)[pair[0]].as_ref().and_then(serde_json::Value::as_f64);
    let of = |side: usize, row: usize| sides[side].prediction(row, pair[side]);
    // Of each judged graph what it adds to the metric of each model: 1 if it is right, or the squared error.
    let mut scores: Vec<[f64; 2]> = Vec::new();
    for row in rows.clone().filter(|&row| sides.iter().all(|side| side.is_judged(row))) {
        let Some(truth) = truth(row) else { continue };
        scores.push([0, 1].map(|side| match of(side, row) {
            Prediction::Class { class, .. } => f64::from(u8::from(*class as f64 == truth)),
            Prediction::Value(value) => (value - truth) * (value - truth),
        }));
    }
    let is_number = classes.is_empty();
    let metric = |sum: f64, count: usize| {
        let mean = sum / count.max(1) as f64;
        if is_number { mean.sqrt() } else { mean }
    };
    let values = [0, 1].map(|side| metric(scores.iter().fold(0.0, |sum, score| sum + score[side]), scores.len()));
    let case = |a: f64, b: f64| scores.iter().filter(|score| **score == [a, b]).count();
    let step = rows.len().div_ceil(MOST_DOTS).max(1);
    let dots = rows.clone().step_by(step).map(|row| (row, number(of(0, row)), number(of(1, row)), truth(row)));
    ComparedTask {
        name: described.name.clone(),
        judged: scores.len(),
        metric: if is_number { "RMSE" } else { "accuracy" },
        values,
        difference: difference(&scores, values[1] - values[0], seed, metric),
        cases: (!is_number).then(|| [case(1.0, 1.0), case(1.0, 0.0), case(0.0, 1.0), case(0.0, 0.0)]),
        agreement: agreement(rows.map(|row| [of(0, row), of(1, row)])),
        dots: dots.collect(),
        classes,
    }
}

/// A difference with the ends of its paired bootstrap interval.
fn difference(scores: &[[f64; 2]], value: f64, seed: u64, metric: impl Fn(f64, usize) -> f64) -> [f64; 3] {
    if scores.is_empty() {
        return [0.0; 3];
    }
    let mut random = Random::new(seed);
    let mut found: Vec<f64> = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let mut sums = [0.0; 2];
        for _ in 0..scores.len() {
            let score = scores[random.index(scores.len())];
            sums = [sums[0] + score[0], sums[1] + score[1]];
        }
        found.push(metric(sums[1], scores.len()) - metric(sums[0], scores.len()));
    }
    found.sort_by(f64::total_cmp);
    let cut = RESAMPLES / 40;
    [value, found[cut], found[RESAMPLES - 1 - cut]]
}

/// The part of equal classes, or the correlation of numbers; 0 if it is undefined.
fn agreement<'p>(pairs: impl Iterator<Item = [&'p Prediction; 2]>) -> f64 {
    let (mut same, mut count, mut numbers) = (0_usize, 0_usize, Vec::new());
    for pair in pairs {
        count += 1;
        match pair {
            [Prediction::Class { class: a, .. }, Prediction::Class { class: b, .. }] => same += usize::from(a == b),
            [a, b] => numbers.push([number(a), number(b)]),
        }
    }
    if numbers.is_empty() {
        return same as f64 / count.max(1) as f64;
    }
    let mean = |at: usize| numbers.iter().fold(0.0, |sum, pair| sum + pair[at]) / numbers.len() as f64;
    let means = [mean(0), mean(1)];
    let product =
        |a: usize, b: usize| numbers.iter().fold(0.0, |sum, pair| sum + (pair[a] - means[a]) * (pair[b] - means[b]));
    let both = (product(0, 0) * product(1, 1)).sqrt();
    if both > 0.0 { product(0, 1) / both } else { 0.0 }
}
