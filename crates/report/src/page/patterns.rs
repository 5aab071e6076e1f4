//! The subgraphs of the page: drawings, counts and equivalent patterns.

use super::entry::rounded;
use super::graphs::{self, Picture, ShownGraph};
use crate::draw::{Palette, draw_in_rings};
use einsicht_data::{Dataset, Names, Part, Qualifiers, Vocabulary};
use einsicht_explain::Provenance;
use einsicht_explain::{Over, PatternLocator};
use einsicht_graph::matching::Scratch;
use einsicht_graph::{DfsCode, Graph};
use einsicht_model::task::TaskKind;
use einsicht_model::{Model, Pattern};
use serde::Serialize;

/// Equivalent patterns that are drawn at most, of the minimal and of the maximal ones.
const MEMBERS: usize = 4;
/// Graphs that are tried for the ring of a piece of a ring.
const EXAMPLES: usize = 30;
/// Occurrences that are tried in each of them.
const OCCURRENCES: usize = 4;

#[derive(Serialize)]
pub(super) struct ShownPattern {
    text: String,
    words: String,
    smarts: Option<String>,
    edges: usize,
    support: usize,
    by_class: Vec<Vec<usize>>,
    /// For each task with classes, if it has two, the odds ratio of the second in the training data.
    odds_ratios: Vec<Option<f64>>,
    /// Number of patterns with the same support in the training set.
    class_size: u64,
    picture: Picture,
    /// Whether the drawing has the rest of a ring in grey.
    is_in_ring: bool,
    minimal: Vec<Picture>,
    maximal: Vec<Picture>,
}

/// Names of labels and qualifiers, and how they are drawn.
pub(super) struct Labels<'a> {
    vertex: Vocabulary,
    edge: Vocabulary,
    qualifiers: &'a Qualifiers,
    pub(super) palette: Palette,
}

impl<'a> Labels<'a> {
    /// The labels of the first, with names from the second where they have none.
    pub(super) fn new(ours: Names<'a>, theirs: Names<'_>) -> Self {
        let vertex = named(ours.vertex_labels, theirs.vertex_labels);
        let edge = named(ours.edge_labels, theirs.edge_labels);
        let qualifiers = ours.qualifiers;
        let palette = Palette::of(Names { vertex_labels: &vertex, edge_labels: &edge, qualifiers });
        Self { vertex, edge, qualifiers, palette }
    }

    fn names(&self) -> Names<'_> {
        Names { vertex_labels: &self.vertex, edge_labels: &self.edge, qualifiers: self.qualifiers }
    }
}

/// A vocabulary with the names of another, if it has none of its own.
fn named(vocabulary: &Vocabulary, names_of: &Vocabulary) -> Vocabulary {
    let mut named = vocabulary.clone();
    if vocabulary.names().is_empty() {
        named.set_names(names_of.names().clone());
    }
    named
}

/// What the patterns of the page are made from.
pub(super) struct PatternRequest<'a> {
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) labels: &'a Labels<'a>,
    /// How labels of the data set are drawn.
    pub(super) in_data: &'a Palette,
    pub(super) graphs: &'a [ShownGraph],
    /// The rows of these graphs.
    pub(super) shown: &'a [usize],
    pub(super) totals: &'a [Option<[usize; 2]>],
}

impl PatternRequest<'_> {
    /// All patterns of the model, at any size.
    pub(super) fn patterns(&self) -> Vec<ShownPattern> {
        let codes: Vec<DfsCode> = self.model.patterns.iter().map(|pattern| pattern.code.clone()).collect();
        let in_data = self.model.codes_in(&graphs::all_patterns(self.model), self.dataset);
        let locator = PatternLocator::of_codes(self.model, self.dataset, codes, Over::Subgraph);
        let shown = |(at, pattern): (usize, &Pattern)| {
            let in_ring = in_data[at].as_ref().and_then(|code| self.in_ring(at, &code.to_graph(), &locator));
            self.pattern(pattern, in_ring)
        };
        self.model.patterns.iter().enumerate().map(shown).collect()
    }

    /// A piece of a ring with the rest of the ring, from the smallest of a few graphs that contain it.
    fn in_ring(&self, at: usize, pattern: &Graph, locator: &PatternLocator) -> Option<Picture> {
        let containing = self.graphs.iter().zip(self.shown).filter(|(graph, _)| graph.present.contains(&at));
        let mut examples: Vec<&Graph> = containing.take(EXAMPLES).map(|(_, &row)| &self.dataset.graphs[row]).collect();
        examples.sort_by_key(|graph| graph.num_vertices());
        let mut scratch = Scratch::default();
        let mut drawn = examples.into_iter().flat_map(|example| {
            let occurrences = locator.occurrences(at, example, OCCURRENCES, &mut scratch);
            let drawings = occurrences.into_iter().filter_map(|o| draw_in_rings(pattern, example, &o, self.in_data));
            drawings.collect::<Vec<_>>()
        });
        drawn.next().map(Picture::from)
    }

    fn pattern(&self, pattern: &Pattern, in_ring: Option<Picture>) -> ShownPattern {
        let names = self.labels.names();
        let drawn = |code: &DfsCode| graphs::picture(&code.to_graph(), &self.labels.palette);
        let others = |codes: &[DfsCode]| -> Vec<Picture> {
            codes.iter().filter(|code| **code != pattern.code).take(MEMBERS).map(drawn).collect()
        };
        let graph = pattern.code.to_graph();
        let ratio =
            |(with, totals): (&Vec<usize>, &Option<[usize; 2]>)| totals.and_then(|totals| odds_ratio(with, totals));
        ShownPattern {
            text: names.one_line(&graph),
            words: names.words(&graph),
            smarts: names.smarts(&graph),
            edges: pattern.code.num_edges(),
            support: pattern.support,
            by_class: pattern.by_class.clone(),
            odds_ratios: pattern.by_class.iter().zip(self.totals).map(ratio).collect(),
            class_size: pattern.class.size,
            is_in_ring: in_ring.is_some(),
            picture: in_ring.unwrap_or_else(|| drawn(&pattern.code)),
            minimal: others(&pattern.class.minimal),
            maximal: others(pattern.largest()),
        }
    }
}

/// For each task with classes, the graphs of each class that the model was fitted on, if there are two classes.
pub(super) fn class_totals(model: &Model, dataset: &Dataset, provenance: &Provenance) -> Vec<Option<[usize; 2]>> {
    let mut rows = provenance.rows_of(Part::Train);
    if model.params.is_refitted() {
        rows.extend(provenance.rows_of(Part::Valid));
    }
    let mut totals: Vec<[usize; 2]> = vec![[0; 2]; model.tasks.len()];
    for row in &rows {
        for (counts, truth) in totals.iter_mut().zip(graphs::truth(model, dataset, *row)) {
            let class = truth.and_then(|truth| truth.as_u64()).unwrap_or(u64::MAX);
            if let Some(count) = usize::try_from(class).ok().and_then(|class| counts.get_mut(class)) {
                *count += 1;
            }
        }
    }
    let of_task = |(task, counts): (&einsicht_model::task::Task, [usize; 2])| match &task.kind {
        TaskKind::Classes(names) => Some((names.len() == 2 && !rows.is_empty()).then_some(counts)),
        TaskKind::Number { .. } => None,
    };
    model.tasks.iter().zip(totals).filter_map(of_task).collect()
}

/// The odds ratio of the second class with and without the pattern; 1/2 is added to each count (Haldane-Anscombe
/// correction) so that none is 0.
fn odds_ratio(with: &[usize], totals: [usize; 2]) -> Option<f64> {
    let [first, second] = *with else { return None };
    let count = |n: usize| n as f64 + 0.5;
    let without = |class: usize, n: usize| count(totals[class].saturating_sub(n));
    Some(rounded(count(second) * without(0, first) / (count(first) * without(1, second))))
}
