//! Which subgraphs two models share.
//!
//! Promise: equal means the same graph with the same labels and qualifiers, whatever the labels are numbered; the same
//! graphs means that two different subgraphs have the same counts in all graphs of the data set, so that no prediction
//! of these graphs can tell them apart.

use super::super::graphs::{self, Picture};
use super::Side;
use einsicht_graph::{DfsCode, Support};
use serde::Serialize;
use std::sync::Arc;

/// A subgraph of one model.
#[derive(Serialize)]
pub(super) struct ComparedPattern {
    text: String,
    words: String,
    smarts: Option<String>,
    support: Option<usize>,
    picture: Picture,
    /// For each common target its effect, on the output that it changes most: the value, its interval, and the name of
    /// the output.
    effects: Vec<Option<ShownEffect>>,
}

#[derive(Serialize)]
struct ShownEffect {
    value: f64,
    interval: Option<[f64; 2]>,
    output: String,
    by_amount: bool,
}

/// A subgraph of both models: its index in each.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(in super::super) struct SharedPattern {
    pub(in super::super) indices: [usize; 2],
    /// Whether it is the same subgraph, or another one in the same graphs.
    pub(in super::super) is_equal: bool,
}

/// The subgraphs of a model, with their effects on these targets.
pub(super) fn patterns(side: &Side<'_>, tasks: &[usize]) -> Vec<ComparedPattern> {
    let model = side.subject.model;
    let names = model.names();
    let effect = |pattern: usize, task: usize| {
        let own = side.effects.quantities_of(&[task]);
        let size = |q: &usize| side.effects.value(pattern, *q).map_or(0.0, f64::abs);
        let q = own.into_iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
        Some(ShownEffect {
            value: side.effects.value(pattern, q)?,
            interval: side.effects.interval(pattern, q),
            output: side.effects.quantities[q].name.clone(),
            by_amount: side.effects.is_by_amount(pattern),
        })
    };
    let shown = |(at, code): (usize, &DfsCode)| ComparedPattern {
        text: names.one_line(code),
        words: names.words(code),
        smarts: names.smarts(code),
        support: model.pattern(code).map(|pattern| pattern.support),
        picture: graphs::picture(&code.to_graph(), &side.labels.palette),
        effects: tasks.iter().map(|&task| effect(at, task)).collect(),
    };
    side.subject.iterate().patterns.iter().map(|pattern| &pattern.code).enumerate().map(shown).collect()
}

/// The subgraphs of both models: equal ones, then others of which each is in the same graphs.
pub(super) fn shared(sides: &[Side<'_>; 2]) -> Vec<SharedPattern> {
    // The labels of one data set are the common language; it is the one of the first model.
    let dataset = sides[0].subject.dataset;
    let codes = sides.each_ref().map(|side| side.subject.model.codes_in(side.subject.iterate(), dataset));
    let supports: [Vec<Arc<Support>>; 2] = sides.each_ref().map(|side| {
        let subject = &side.subject;
        subject.model.supports(subject.iterate(), subject.dataset, &subject.dataset.graphs)
    });
    let is_equal = |a: usize, b: usize| codes[0][a].is_some() && codes[0][a] == codes[1][b];
    let in_same = |a: usize, b: usize| {
        let [a, b] = [&supports[0][a], &supports[1][b]];
        !a.graphs().is_empty() && a.graphs() == b.graphs() && a.counts() == b.counts()
    };
    let mut found: Vec<SharedPattern> = Vec::new();
    for (wanted, holds) in [(true, &is_equal as &dyn Fn(usize, usize) -> bool), (false, &in_same)] {
        for a in 0..codes[0].len() {
            let free = |side: usize, at: usize| found.iter().all(|known| known.indices[side] != at);
            let b = (0..codes[1].len()).find(|&b| free(1, b) && holds(a, b)).filter(|_| free(0, a));
            found.extend(b.map(|b| SharedPattern { indices: [a, b], is_equal: wanted }));
        }
    }
    found
}
