//! Graphs that two models predict differently, with the reasons of each.

use super::super::ReportOptions;
use super::super::entry::rounded;
use super::super::graphs::Picture;
use super::Side;
use super::tasks::distance;
use crate::draw::{Palette, draw};
use einsicht_explain::{
    AttributionMethod, AttributionRequest, Attributions, Scale, ShapleyBaseline, ShapleyOptions, attributions,
};
use einsicht_explain::{Over, spread};
use einsicht_model::Prediction;
use serde::Serialize;
use serde_json::Value;

/// Graphs that are drawn, with reasons.
const EXPLAINED: usize = 120;
/// Reasons of each model.
const REASONS: usize = 6;

#[derive(Serialize)]
pub(in super::super) struct ComparedGraph {
    pub(in super::super) id: String,
    row: usize,
    /// For each common target the class index or the number.
    truth: Vec<Option<Value>>,
    /// For each model and common target the predicted class with its probability, or the number alone.
    said: [Vec<(f64, Option<f64>)>; 2],
    /// Whether the models are judged on it.
    judged: [bool; 2],
    /// How far the predictions of the first common target are apart.
    distance: f64,
    /// The reasons of both models; only for the most different ones.
    reasons: Option<[Reasons; 2]>,
}

/// Why a model predicts what it does.
#[derive(Serialize)]
struct Reasons {
    /// The explained output.
    output: String,
    /// What each of the largest reasons adds: the index of the subgraph if it is one, and whether it is absent.
    list: Vec<(Option<usize>, bool, f64)>,
    picture: Picture,
}

/// The shown rows.
pub(super) fn graphs(
    sides: &[Side<'_>; 2],
    common: &[[usize; 2]],
    shown: &[usize],
    options: &ReportOptions,
    progress: &dyn Fn(f64),
) -> Vec<ComparedGraph> {
    let explained = &shown[..shown.len().min(EXPLAINED)];
    let found = [0, 1].map(|side| {
        let found = sides[side].attributions(explained, common[0][side], options);
        progress(0.5 + 0.25 * side as f64);
        found
    });
    let graph = |(at, &row): (usize, &usize)| {
        let reasons = (at < explained.len())
            .then(|| [0, 1].map(|side| sides[side].reasons(&found[side], at, row, common[0][side])));
        let said = |side: usize| common.iter().map(|pair| said(sides[side].prediction(row, pair[side]))).collect();
        ComparedGraph {
            id: sides[0].subject.dataset.ids[row].clone(),
            row,
            truth: common.iter().map(|pair| sides[0].judged.truth(row)[pair[0]].clone()).collect(),
            said: [said(0), said(1)],
            judged: [0, 1].map(|side| sides[side].is_judged(row)),
            distance: rounded(distance(sides[0].prediction(row, common[0][0]), sides[1].prediction(row, common[0][1]))),
            reasons,
        }
    };
    let graphs = shown.iter().enumerate().map(graph).collect();
    progress(1.0);
    graphs
}

fn said(prediction: &Prediction) -> (f64, Option<f64>) {
    match prediction {
        Prediction::Class { class, probabilities } => (*class as f64, Some(rounded(probabilities[*class]))),
        Prediction::Value(value) => (rounded(*value), None),
    }
}

impl Side<'_> {
    fn attributions(&self, rows: &[usize], task: usize, options: &ReportOptions) -> Attributions {
        let ReportOptions { exact_up_to, orders, seed, .. } = *options;
        let options = ShapleyOptions { exact_up_to, orders, seed, interactions: false };
        let method = AttributionMethod::Shapley { baseline: ShapleyBaseline::Background, options };
        let scale = Scale::of(self.subject.model);
        attributions(&AttributionRequest { subject: self.subject, rows, scale, method }).of_tasks(&[task])
    }

    fn reasons(&self, found: &Attributions, at: usize, row: usize, task: usize) -> Reasons {
        let quantity = found.main_quantity(&found.graphs[at], task);
        let values: Vec<f64> =
            (0..found.names.len()).map(|feature| found.value(&found.graphs[at], feature, quantity)).collect();
        let mut order: Vec<usize> = (0..values.len()).filter(|&feature| values[feature] != 0.0).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        let patterns = self.subject.iterate().patterns.len();
        let reason = |&feature: &usize| {
            let pattern = (feature < patterns).then_some(feature);
            let is_absent = pattern.is_some() && found.features_of(at)[feature] == 0.0;
            (pattern, is_absent, rounded(values[feature]))
        };
        let graph = &self.subject.dataset.graphs[row];
        let drawing = draw(graph, &Palette::of(self.subject.dataset.names()));
        Reasons {
            output: found.quantities[quantity].name.clone(),
            list: order.iter().take(REASONS).map(reason).collect(),
            picture: drawing.heated(graph, &spread(&self.subject, row, &values, Over::Subgraph)).into(),
        }
    }
}
