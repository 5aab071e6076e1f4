//! Which model of the path is chosen: the largest, unless held-out graphs show beyond chance that a smaller one is as
//! good.
//!
//! The oracle repeats the choice from the out-of-fold outputs by definition: pairs of graphs one by one, resamples
//! written out.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::random::Random;
use einsicht_data::{Dataset, Split, TargetValues};
use einsicht_model::folds::Choice;
use einsicht_model::params::{Prefer, TrainParams};
use einsicht_train::fit::{Fit, FitOptions};
use std::sync::Arc;

const SIZES: [usize; 4] = [1, 2, 4, 8];

fn choose(dataset: &Dataset, prefer: Prefer) -> Arc<Choice> {
    let split = Split { train: (0..dataset.len()).collect(), ..Split::default() };
    let params =
        TrainParams { trees: 5, sizes: SIZES.to_vec(), max_edges: 3, folds: 3, prefer, ..TrainParams::default() };
    let params = params.check().unwrap();
    let fit = Fit::new(dataset, &split, &params, None, &FitOptions::default()).unwrap();
    fit.choose().unwrap().unwrap()
}

fn classes(dataset: &mut Dataset) -> &mut Vec<Option<u32>> {
    match &mut dataset.targets[0].values {
        TargetValues::Classes { values, .. } => values,
        TargetValues::Numbers { .. } => panic!("classes"),
    }
}

/// The area under the curve of these rows, which may repeat: of all pairs within a fold, how many are in the right
/// order.
fn area(rows: &[usize], outputs: &[f64], labels: &[u32], folds: &[u32]) -> Option<f64> {
    let (mut right, mut pairs) = (0.0, 0.0);
    for &a in rows.iter().filter(|&&row| labels[row] == 1) {
        for &b in rows.iter().filter(|&&row| labels[row] == 0 && folds[row] == folds[a]) {
            pairs += 1.0;
            right += if outputs[a] > outputs[b] { 1.0 } else { 0.5 * f64::from(u8::from(outputs[a] == outputs[b])) };
        }
    }
    (pairs > 0.0).then(|| right / pairs)
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (values.len() as f64 - 1.0)).sqrt()
}

/// The chosen point by definition, and how many points the held-out graphs let compete.
fn by_definition(choice: &Choice, labels: &[u32]) -> (usize, usize) {
    let rows: Vec<usize> = (0..labels.len()).collect();
    let folds: Vec<u32> = choice.folds.of.iter().map(|fold| fold.unwrap()).collect();
    let last = choice.points.len() - 1;
    let outputs = |at: usize| &choice.points[at].outputs[..];
    let areas: Vec<f64> = (0..=last).map(|at| area(&rows, outputs(at), labels, &folds).unwrap()).collect();
    let resamples: Vec<Vec<usize>> = (0..200)
        .map(|at| {
            let mut random = Random::stream(0, (3 << 32) + at);
            rows.iter().map(|_| random.index(rows.len())).collect()
        })
        .collect();
    let loss = |at: usize, row: usize| {
        let sign = if labels[row] == 1 { 1.0 } else { -1.0 };
        (1.0 + (-sign * outputs(at)[row]).exp()).ln()
    };
    let competes = |at: usize| {
        let difference = |drawn: &Vec<usize>| {
            Some(area(drawn, outputs(at), labels, &folds)? - area(drawn, outputs(last), labels, &folds)?)
        };
        let error = deviation(&resamples.iter().filter_map(difference).collect::<Vec<f64>>());
        let saved: Vec<f64> = rows.iter().map(|&row| loss(last, row) - loss(at, row)).collect();
        let error_of_saved = deviation(&saved) / (rows.len() as f64).sqrt();
        let is_better = saved.iter().sum::<f64>() / rows.len() as f64 > 2.0 * error_of_saved;
        let gain = areas[at] - areas[last];
        at == last || is_better || gain + 0.002 >= 2.0 * error || (gain >= -0.002 && error <= 0.002)
    };
    let competing: Vec<usize> = (0..=last).filter(|&at| competes(at)).collect();
    let best = competing.iter().map(|&at| areas[at]).fold(0.0, f64::max);
    let chosen = competing.iter().copied().find(|&at| best - areas[at] <= 0.002).unwrap();
    (chosen, competing.len())
}

/// Whether no held-out graph is wrong; then the intervals must reach down to where so many graphs are still all right
/// one time in 40.
fn promises_no_more_than_graphs_can(choice: &Choice, labels: &[u32]) -> bool {
    let ones = labels.iter().filter(|label| **label == 1).count();
    let metrics = &choice.estimate.metrics;
    for (name, trials) in [("accuracy", labels.len()), ("auc", ones.min(labels.len() - ones))] {
        let found = metrics[name];
        assert!(found.low < found.high, "{name} {found:?}");
        if found.value == 1.0 && choice.points[choice.chosen].metrics[name] == 1.0 {
            assert!((found.low.powf(trials as f64) - 0.025).abs() < 1e-9 && found.high == 1.0, "{name} {found:?}");
        }
    }
    metrics["accuracy"].value == 1.0
}

#[test]
fn few_subgraphs_are_chosen_where_they_are_shown_to_be_enough_and_many_elsewhere() {
    let (mut small, mut noisy_peaks, mut faultless) = (0, 0, 0);
    for seed in 0..8 {
        let mut fixture = Fixture::new(seed, Kind::TwoClasses);
        let is_exact = seed % 2 == 0;
        if is_exact {
            // Whether both labels of vertices occur, which one subgraph, the edge between them, says.
            let both = |graph: &einsicht_graph::Graph| {
                let first = graph.vertex_label(graph.vertices().next().unwrap());
                u32::from(graph.vertices().any(|v| graph.vertex_label(v) != first))
            };
            let labels: Vec<Option<u32>> = fixture.dataset.graphs.iter().map(|graph| Some(both(graph))).collect();
            *classes(&mut fixture.dataset) = labels;
        }
        let labels: Vec<u32> = classes(&mut fixture.dataset).iter().map(|label| label.unwrap()).collect();
        let choice = choose(&fixture.dataset, Prefer::Accurate);
        assert_eq!(choice.metric.name(), "auc");
        let (chosen, competing) = by_definition(&choice, &labels);
        assert_eq!(choice.chosen, chosen, "seed {seed}");
        let auc = |at: usize| choice.points[at].metrics["auc"];
        let last = SIZES.len() - 1;
        small += usize::from(is_exact && chosen < last);
        let is_peak = (0..last).any(|at| auc(at) > auc(last) + 0.002);
        noisy_peaks += usize::from(!is_exact && is_peak && chosen == last && competing < SIZES.len());
        faultless += usize::from(promises_no_more_than_graphs_can(&choice, &labels));
    }
    assert!(faultless >= 1, "no model without an error");
    assert!(small >= 3, "few subgraphs suffice for an exact rule: {small}");
    assert!(noisy_peaks >= 1, "a peak that may be chance was not followed");
}
