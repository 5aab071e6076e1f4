//! The graphs of the page: drawings, true targets, and where the patterns are embedded.

use super::judged::{Group, Judged};
use super::packed;
use crate::draw::{Drawing, Palette, draw, draw_pattern};
use crate::wording::copies_and_occurrences;
use einsicht_data::{Dataset, TargetValues};
use einsicht_explain::{MOST_OCCURRENCES, Over, PatternLocator, Place};
use einsicht_graph::Graph;
use einsicht_graph::matching::Scratch;
use einsicht_model::Model;
use einsicht_model::task::TaskKind;
use einsicht_model::{Iterate, PatternWeights};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A drawing: width, height and content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Picture(i32, i32, String);

impl From<Drawing> for Picture {
    fn from(drawing: Drawing) -> Self {
        Self(drawing.width, drawing.height, drawing.body)
    }
}

pub(super) fn picture(pattern: &Graph, palette: &Palette) -> Picture {
    draw_pattern(pattern, palette).into()
}

#[derive(Serialize)]
pub(super) struct ShownGraph {
    id: String,
    /// Where its prediction comes from.
    pub(super) group: Group,
    /// Whether the model itself was fitted on it.
    is_fitted_on: bool,
    /// For each task the class index or the number.
    pub(super) truth: Vec<Option<Value>>,
    picture: Picture,
    /// Coordinates of the vertices, x and y in turn.
    points: Vec<i32>,
    /// Ends of the edges, in turn.
    ends: Vec<u32>,
    /// Patterns of the page that it contains.
    pub(super) present: Vec<usize>,
    /// For each of these the parts of the graph that its occurrences cover, six per character. The parts of a graph are
    /// its edges, then its vertices.
    cover: Vec<String>,
    /// For each of these the share of each of them, one character from 1 to 63 for the largest; empty if all have the
    /// same.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<String>>,
    /// For each of these the index of what its count says, and its number of occurrences if that is another, unless
    /// nothing is to be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Vec<usize>>,
}

/// All patterns of all sizes of a model, without weights, so that they are matched once.
pub(super) fn all_patterns(model: &Model) -> Iterate {
    let weights = |code: &einsicht_graph::DfsCode| PatternWeights { code: code.clone(), weights: Vec::new() };
    Iterate { patterns: model.patterns.iter().map(|p| weights(&p.code)).collect(), ..Iterate::default() }
}

/// Some graphs of the data set, and what is said of counts.
pub(super) fn graphs(
    model: &Model,
    dataset: &Dataset,
    judged: &Judged<'_>,
    shown: &[usize],
    palette: &Palette,
) -> (Vec<ShownGraph>, Vec<String>) {
    let all = all_patterns(model);
    let codes = model.patterns.iter().map(|pattern| pattern.code.clone()).collect();
    let locator = PatternLocator::of_codes(model, dataset, codes, Over::Subgraph);
    let drawn: Vec<Graph> = shown.iter().map(|&row| dataset.graphs[row].clone()).collect();
    let supports = model.supports(&all, dataset, &drawn);
    let table = model.values(&supports, shown.len());
    let width = all.patterns.len();
    let found: Vec<(ShownGraph, Vec<String>)> = shown
        .par_iter()
        .enumerate()
        .map_init(Scratch::default, |scratch, (at, &row)| {
            let graph = &dataset.graphs[row];
            let values = &table[at * width..(at + 1) * width];
            let present: Vec<usize> = (0..width).filter(|&p| values[p] != 0.0).collect();
            let places: Vec<Place> =
                present.iter().map(|&p| locator.place(p, graph, MOST_OCCURRENCES, scratch)).collect();
            let drawing = draw(graph, palette);
            let read = model.params.values();
            let said = |(&p, place): (&usize, &Place)| {
                copies_and_occurrences(read, read.count_of(values[p]), place.occurrences, MOST_OCCURRENCES)
            };
            let counts: Vec<String> = present.iter().zip(&places).map(said).collect();
            let parts: Vec<Vec<(usize, f64)>> = places.iter().map(|place| parts(place, graph)).collect();
            let shares: Vec<String> = parts.iter().map(|parts| shares(parts)).collect();
            let shown = ShownGraph {
                id: dataset.ids[row].clone(),
                group: judged.group(row),
                is_fitted_on: judged.is_fitted_on(row),
                truth: judged.truth(row).to_vec(),
                points: drawing.points.iter().flat_map(|&(x, y)| [x, y]).collect(),
                ends: graph.edges().iter().flat_map(|edge| [edge.from.0, edge.to.0]).collect(),
                cover: parts.iter().map(|parts| packed::set(parts.iter().map(|(part, _)| *part))).collect(),
                shares: shares.iter().any(|shares| !shares.is_empty()).then_some(shares),
                counts: None,
                picture: drawing.into(),
                present,
            };
            (shown, counts)
        })
        .collect();
    with_counts(found)
}

/// Gives the graphs what is said of their counts, each sentence once.
fn with_counts(found: Vec<(ShownGraph, Vec<String>)>) -> (Vec<ShownGraph>, Vec<String>) {
    let sentences: BTreeSet<&String> = found.iter().flat_map(|(_, counts)| counts).collect();
    let sentences: Vec<String> = sentences.into_iter().cloned().collect();
    let at = |text: &String| sentences.binary_search(text).unwrap_or(0);
    let graphs = found.into_iter().map(|(graph, counts)| {
        let is_said = counts.iter().any(|said| !said.is_empty());
        ShownGraph { counts: is_said.then(|| counts.iter().map(at).collect()), ..graph }
    });
    let graphs = graphs.collect();
    (graphs, sentences)
}

/// For each task the class index or the number of a graph.
pub(super) fn truth(model: &Model, dataset: &Dataset, row: usize) -> Vec<Option<Value>> {
    let of_task = |task: &einsicht_model::task::Task| {
        let target = dataset.targets.iter().find(|target| target.name == task.name)?;
        match (&task.kind, &target.values) {
            (TaskKind::Classes(names), TargetValues::Classes { classes, values }) => {
                let word = &classes.tokens()[values[row]? as usize];
                names.iter().position(|name| name == word).map(|at| json!(at))
            }
            (TaskKind::Number { .. }, TargetValues::Numbers { values }) => values[row].map(|value| json!(value)),
            _ => None,
        }
    };
    model.tasks.iter().map(of_task).collect()
}

/// The parts of a graph that a place covers, increasing, with their shares: edges, or vertices where it has none. The
/// number of a vertex comes after those of all edges, so that nobody needs to know the pattern to read it.
fn parts(place: &Place, graph: &Graph) -> Vec<(usize, f64)> {
    if place.edges.is_empty() {
        place.vertices.iter().map(|(vertex, share)| (graph.num_edges() + vertex.index(), *share)).collect()
    } else {
        place.edges.iter().map(|(edge, share)| (edge.index(), *share)).collect()
    }
}

/// Their shares, unless all are the same.
fn shares(parts: &[(usize, f64)]) -> String {
    let largest = parts.iter().fold(0.0_f64, |most, (_, share)| most.max(*share));
    if parts.iter().all(|(_, share)| *share > 0.999 * largest) {
        return String::new();
    }
    parts.iter().map(|(_, share)| packed::letter((63.0 * share / largest).round().max(1.0) as usize)).collect()
}
