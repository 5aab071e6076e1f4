//! Two models side by side: which graphs they predict differently, who is right, and which subgraphs they share.
//!
//! Promise: both models are judged on the same graphs, those that neither was fitted on without an out-of-fold
//! prediction; each by its own held-out predictions, as on its own page. A difference comes with a paired bootstrap
//! interval over these graphs. Same models, data and options, same bytes.

mod graphs;
mod subgraphs;
mod tasks;

use super::ReportOptions;
use super::content::title;
use super::diagnostics::Decided;
use super::judged::{self, Group, Judged, ShownEstimate};
use super::patterns::Labels;
use einsicht_data::Dataset;
use einsicht_explain::Provenance;
use einsicht_explain::Subject;
use einsicht_explain::effects;
use einsicht_model::effects::Effects;
use einsicht_model::{Model, Prediction};
use graphs::ComparedGraph;
use serde::Serialize;
use subgraphs::{ComparedPattern, SharedPattern};
use tasks::ComparedTask;

/// One of two models that are compared, with the data as it reads them.
#[derive(Clone, Copy, Debug)]
pub struct ComparedModel<'a> {
    /// Its name for people: that of its file.
    pub name: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The graphs, in the same order for both.
    pub dataset: &'a Dataset,
    /// What the model knows of them.
    pub provenance: &'a Provenance,
}

/// Why two models cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum CompareError {
    #[error("both models must have a target in common, but one predicts {ours} and the other {theirs}")]
    NoCommonTarget { ours: String, theirs: String },
    #[error("both models must read the same graphs, but one reads {ours} and the other {theirs} of them")]
    DifferentGraphs { ours: usize, theirs: usize },
}

/// The content of the page: field names are those that its script reads.
#[derive(Serialize)]
pub(super) struct Comparison {
    pub(super) title: String,
    tasks: Vec<ComparedTask>,
    models: [ShownModel; 2],
    /// Subgraphs of both.
    pub(super) shared: Vec<SharedPattern>,
    /// Graphs, the most different predictions of the first common target first.
    pub(super) graphs: Vec<ComparedGraph>,
    total: usize,
    legend: Vec<(String, String)>,
    warnings: Vec<String>,
    program: String,
    command: String,
}

#[derive(Serialize)]
struct ShownModel {
    name: String,
    facts: Vec<(&'static str, String)>,
    estimate: Option<ShownEstimate>,
    effects_of: String,
    patterns: Vec<ComparedPattern>,
}

/// A model with everything that is computed once.
struct Side<'a> {
    of: ComparedModel<'a>,
    subject: Subject<'a>,
    judged: Judged<'a>,
    decided: Decided,
    effects: Effects,
    labels: Labels<'a>,
}

impl<'a> Side<'a> {
    fn new(of: ComparedModel<'a>) -> Self {
        let ComparedModel { model, dataset, provenance, .. } = of;
        let subject = Subject { model, entry: model.chosen, dataset };
        let judged = Judged::new(model, dataset, &|_| ());
        let rows: Vec<usize> = (0..dataset.len()).collect();
        let outputs = judged.outputs(model.chosen, &model.predict(model.chosen, dataset, &rows).outputs);
        let decided = Decided::new(model, model.chosen, outputs, dataset.len());
        let effects = effects(&subject, provenance);
        Self { of, subject, judged, decided, effects, labels: Labels::new(model.names(), dataset.names()) }
    }

    fn prediction(&self, row: usize, task: usize) -> &Prediction {
        &self.decided.of(row)[task]
    }

    /// Whether a graph is judged: some model has predicted it without having seen it.
    fn is_judged(&self, row: usize) -> bool {
        self.judged.group(row) != Group::Fitted
    }

    fn shown(&self, common: &[[usize; 2]], side: usize) -> ShownModel {
        let Subject { model, .. } = self.subject;
        let (patterns, params) = (model.best().iterate.patterns.len(), &model.params);
        let facts = vec![
            ("subgraphs", patterns.to_string()),
            ("edges per subgraph", format!("{} to {}", params.min_edges, params.max_edges)),
            ("predictions by", super::facts::head(model)),
            ("trained on", super::facts::training_data(model)),
        ];
        let tasks: Vec<usize> = common.iter().map(|pair| pair[side]).collect();
        ShownModel {
            name: self.of.name.to_owned(),
            facts,
            estimate: judged::estimate(model),
            effects_of: self.effects.graphs_in_words(),
            patterns: subgraphs::patterns(self, &tasks),
        }
    }
}

/// Everything that the page of two models shows.
pub(super) fn comparison(
    models: [ComparedModel<'_>; 2],
    options: &ReportOptions,
    progress: &dyn Fn(f64),
) -> Result<Comparison, CompareError> {
    let [ours, theirs] = models.map(|one| one.dataset);
    if ours.ids != theirs.ids {
        return Err(CompareError::DifferentGraphs { ours: ours.len(), theirs: theirs.len() });
    }
    let common = tasks::common(models.map(|one| one.model))?;
    let sides = models.map(Side::new);
    progress(0.3);
    let mut warnings: Vec<String> = models.iter().flat_map(|one| one.provenance.for_comparison().cloned()).collect();
    warnings.dedup();
    let shown = tasks::most_different(&sides, common[0], options.max_graphs);
    if shown.len() < ours.len() {
        warnings.push(format!(
            "{} of {} graphs are shown one by one, those whose predictions differ most; figures are computed on all \
             (--max-graphs)",
            shown.len(),
            ours.len()
        ));
    }
    let graphs = graphs::graphs(&sides, &common, &shown, options, progress);
    Ok(Comparison {
        title: title(ours),
        tasks: common.iter().map(|&pair| tasks::task(&sides, pair, options.seed)).collect(),
        shared: subgraphs::shared(&sides),
        graphs,
        total: ours.len(),
        legend: sides[0].labels.palette.legend(),
        models: [0, 1].map(|side| sides[side].shown(&common, side)),
        warnings,
        program: options.program.clone(),
        command: options.command.clone(),
    })
}
