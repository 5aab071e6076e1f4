//! A trained model: every entry of the path, its patterns, and the data that it was trained on.
//!
//! Promise: a model is self-contained. It needs no training data to predict, and it holds enough to be
//! checked against them. Equal input, parameters and seed give equal models.

pub mod applicability;
mod background;
mod check;
pub mod class_values;
mod evaluation;
mod fitted;
mod pattern;
mod predict;
mod seen;
mod side_inputs;

pub use background::Background;
pub use class_values::{ClassKind, ClassValues};
pub use evaluation::{Evaluation, HonestEvaluation, TargetEvaluation};
pub use fitted::{FittedGraphs, ForestSource, Occurrences};
pub use pattern::Pattern;
pub use pattern::counts_by_class;
pub use predict::{Prediction, Predictions, Unfamiliar, mostly_foreign, rows_along};
pub use seen::{SeenGraphs, Sorted};
pub use side_inputs::{ModelSide, SideInput};

use crate::effects::Effects;
use crate::folds::Estimate;
use crate::forward::network::Network;
use crate::gnn::GnnBranch;
use crate::params::{Penalty, TrainParams};
use crate::side::GraphInput;
use crate::task::metrics::{Metric, Metrics};
use crate::task::{Task, num_outputs};
use crate::{Iterate, Member, PathEntry, StoppedBy};
use einsicht_data::read::{self, ReadOptions, Reading, ReadingError};
use einsicht_data::{Dataset, Names, QualifierError, Qualifiers, Split, Vocabulary};
use einsicht_graph::DfsCode;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A claim of a model and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The claim.
    pub name: String,
    /// Whether it holds.
    pub ok: bool,
    /// What was found.
    pub detail: String,
}

/// The rows of the source in each set of the split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRows {
    /// Training set, in the order of training.
    pub train: Vec<u32>,
    /// Validation set.
    pub valid: Vec<u32>,
    /// Test set.
    pub test: Vec<u32>,
}

impl SourceRows {
    /// The rows of a split data set.
    pub fn of(dataset: &Dataset, split: &Split) -> Self {
        let rows = |part: &[usize]| part.iter().map(|&at| dataset.origins[at].row).collect();
        Self { train: rows(&split.train), valid: rows(&split.valid), test: rows(&split.test) }
    }
}

/// Why a data set cannot be what a model reads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum QualifyError {
    #[error(transparent)]
    Reading(#[from] ReadingError),
    #[error(transparent)]
    Qualifier(#[from] QualifierError),
}

/// A trained model.
///
/// `persist` says which of its arrays a file holds beside what is serialised here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The prediction tasks.
    pub tasks: Vec<Task>,
    /// Vertex labels of the training data.
    pub vertex_labels: Vocabulary,
    /// Edge labels of the training data.
    pub edge_labels: Vocabulary,
    /// The classes of each task as the caller of the training wrote them; empty if their names by rank tell.
    pub class_values: Vec<Option<ClassValues>>,
    /// How the graphs of the training were read.
    pub reading: Reading,
    /// What the qualifiers of its patterns mean.
    pub qualifiers: Qualifiers,
    /// Parameters of the training, including the seed.
    pub params: TrainParams,
    /// Fingerprint of the data set; see [`Dataset::fingerprint`].
    pub fingerprint: String,
    /// The rows of each set of the split.
    pub rows: SourceRows,
    /// Graphs of the training and validation sets, and predictions of models that had not seen them.
    pub seen: SeenGraphs,
    /// How well the procedure predicts, the choice of the entry included.
    pub estimate: Estimate,
    /// Effects of the subgraphs of the chosen entry, if somebody has computed them.
    pub effects: Option<Effects>,
    /// For each entry of the path what explanations compare a graph with.
    #[serde(skip)]
    pub backgrounds: Vec<Background>,
    /// What heads read of the graphs that it was fitted on.
    #[serde(skip)]
    pub fitted: Arc<FittedGraphs>,
    /// Weight of each graph that it was fitted on, if they are not all 1.
    #[serde(skip)]
    pub graph_weights: Option<Vec<f64>>,
    /// All patterns that occur in an entry or in the state before it, by [`DfsCode::cmp_by_size`].
    pub patterns: Vec<Pattern>,
    /// The path.
    pub entries: Vec<PathEntry>,
    /// Whether the path is complete; false if the training was stopped before its end.
    pub complete: bool,
    /// The metric that chose among the entries.
    pub metric: Metric,
    /// Index of the chosen entry.
    pub chosen: usize,
    /// Whether somebody picked that entry, instead of held-out graphs: see [`Self::picking`].
    pub picked: bool,
    /// The chosen entries of trainings on bootstrap resamples.
    pub members: Vec<Member>,
    /// The encoding for the graph network, the summary or the features, if there are any.
    #[serde(rename = "gnn")]
    pub side: Option<ModelSide>,
}

/// One entry of the path without weights: what `einsicht train --json` lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntrySummary<'a> {
    /// Size of the entry: the number of patterns that it may use.
    pub size: usize,
    /// Its penalty, on a regularization path of the group lasso.
    pub lambda: Option<f64>,
    /// Patterns that it uses.
    pub patterns: usize,
    /// Metrics on the training set.
    pub train: &'a Metrics,
    /// Metrics on the validation set.
    pub valid: &'a Metrics,
    /// Metrics on the test set.
    pub test: &'a Metrics,
    /// Passes at this size.
    pub iterations: usize,
    /// Patterns that the search visited, if known.
    pub visited: Option<u64>,
    /// Why there were no more passes.
    pub stopped_by: StoppedBy,
}

/// The patterns of the entries of a path, with those before their last steps.
pub fn codes_of_path(entries: &[PathEntry]) -> impl Iterator<Item = &DfsCode> {
    entries.iter().flat_map(|entry| {
        let before = entry.before.iter().flat_map(|before| &before.iterate.patterns);
        entry.iterate.patterns.iter().chain(before).map(|pattern| &pattern.code)
    })
}

impl Model {
    /// Names of labels and qualifiers.
    pub fn names(&self) -> Names<'_> {
        let Self { vertex_labels, edge_labels, qualifiers, .. } = self;
        Names { vertex_labels, edge_labels, qualifiers }
    }

    /// The path without weights; `visited` holds the cost of each entry, if it is known.
    pub fn path_summary(&self, visited: &[u64]) -> Vec<EntrySummary<'_>> {
        let entries = self.entries.iter().enumerate().map(|(at, entry)| EntrySummary {
            size: entry.size,
            lambda: entry.lambda,
            patterns: entry.iterate.patterns.len(),
            train: &entry.train,
            valid: &entry.valid,
            test: &entry.test,
            iterations: entry.iterations,
            visited: visited.get(at).copied(),
            stopped_by: entry.stopped_by,
        });
        entries.collect()
    }

    /// The chosen entry.
    ///
    /// # Panics
    /// Never: a model has a chosen entry.
    pub fn best(&self) -> &PathEntry {
        &self.entries[self.chosen]
    }

    /// The same model with another chosen entry, whatever held-out graphs said. What was computed for the choice
    /// (estimate, effects, similarity to the training graphs) is gone.
    ///
    /// # Panics
    /// If there is no such entry.
    #[must_use]
    pub fn picking(&self, entry: usize) -> Self {
        assert!(entry < self.entries.len(), "an entry of the path");
        if entry == self.chosen {
            return self.clone();
        }
        let seen = SeenGraphs { counts: Vec::new(), ..self.seen.clone() };
        Self { chosen: entry, picked: true, estimate: Estimate::default(), effects: None, seen, ..self.clone() }
    }

    /// The entry of a size, if the path has it; on a path of penalties the one with the most patterns among those
    /// with at most `size`, and of these the last.
    pub fn entry_of_size(&self, size: usize) -> Option<usize> {
        match self.params.penalty {
            Penalty::L0 => self.entries.iter().position(|entry| entry.size == size),
            Penalty::L1 => {
                let patterns = |at: &usize| self.entries[*at].iterate.patterns.len();
                // `max_by_key` keeps the last of equal ones.
                (0..self.entries.len()).filter(|at| patterns(at) <= size).max_by_key(patterns)
            }
        }
    }

    /// The network of every entry. A graph network in it has no graphs: see [`Self::network_over`].
    pub fn network(&self) -> Network {
        self.network_over(Vec::new())
    }

    /// The network of every entry; a graph network in it reads these graphs.
    pub fn network_over(&self, graphs: Vec<GraphInput>) -> Network {
        let network = self.params.network(num_outputs(&self.tasks));
        let attributes = self.side.as_ref().map_or(0, |side| side.encoder.mean.len());
        match self.params.gin_shape(self.vertex_labels.len(), attributes, self.edge_labels.len()) {
            None => network,
            Some(gin) => network.with_gnn_branch(GnnBranch { gin, graphs: Arc::new(graphs), fitted: true }),
        }
    }

    /// A data set as the model reads it: with the properties of its vertices that patterns of the model may require.
    /// Its graphs must have been read as those of the training.
    pub fn qualify(&self, dataset: Dataset) -> Result<Dataset, QualifyError> {
        self.reading.check(self.names(), &dataset)?;
        Ok(self.qualifiers.apply(dataset)?)
    }

    /// Options for reading data for this model: as its training graphs were read, where the options leave it open, with
    /// the features that it reads.
    #[must_use]
    pub fn read_options(&self, options: ReadOptions) -> ReadOptions {
        let mut options = self.reading.complete(self.names(), options);
        if options.features.is_empty() {
            options.features = self.features().map(|feature| feature.name.clone()).collect();
        }
        options
    }

    /// As what targets of other data are read for this model.
    pub fn task_to_read(&self) -> read::Task {
        match self.tasks.iter().filter(|task| task.is_classification()).count() {
            0 => read::Task::Regress,
            all if all == self.tasks.len() => read::Task::Classify,
            // Each target is judged by its values, as in training.
            _ => read::Task::Auto,
        }
    }

    /// The statistics of a pattern.
    pub fn pattern(&self, code: &DfsCode) -> Option<&Pattern> {
        self.place(code).map(|at| &self.patterns[at])
    }

    /// The place of a pattern in the list of all.
    pub fn place(&self, code: &DfsCode) -> Option<usize> {
        self.patterns.binary_search_by(|p| p.code.cmp_by_size(code)).ok()
    }

    /// The places of the patterns of an iterate in the list of all, increasing.
    pub fn places(&self, iterate: &Iterate) -> Vec<usize> {
        iterate.patterns.iter().filter_map(|pattern| self.place(&pattern.code)).collect()
    }
}
