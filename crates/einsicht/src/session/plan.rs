//! What is to be trained: plain data, and what follows from it once the graphs are read.
//!
//! Promise: equal plans on equal graphs give equal bytes, whoever makes them: the program and Python only build plans.
//! A source is read once. Files of subgraphs and everything that is said to people are the caller's.

use super::Inputs;
use einsicht_data::patterns::{BoundPatterns, NamedPattern, UnknownLabel};
use einsicht_data::qualify::QualifierError;
use einsicht_data::read::TargetChoice;
use einsicht_data::{ClassWeight, Dataset, NoClasses, ReadError, ReadOptions, Split, SplitError, SplitFile, read};
use einsicht_graph::DfsCode;
use einsicht_model::params::{CheckedParams, ParamError, TrainParams, TrainSettings};
use einsicht_model::task::{SingleGraph, TargetError, check_targets};
use einsicht_train::fit::{test_split, usual_split};
use einsicht_train::grid::{Grid, GridError, Point};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What is to be trained.
///
/// ```no_run
/// use einsicht::{Plan, fit};
///
/// let model = fit(&Plan::of_file("assay.csv").target("toxic"), &())?;
/// std::fs::write("toxic.einsicht", model.to_bytes()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the graphs come from.
    pub source: Source,
    /// Parameters that differ from the defaults of their preset.
    pub settings: TrainSettings,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Which graphs are trained on, choose and test.
    pub split: SplitChoice,
    /// Weights of the classes.
    pub class_weight: ClassWeight,
    /// Further weights, one per graph of the source.
    pub weights: Option<Vec<f64>>,
    /// Subgraphs that are never chosen.
    pub exclude: Vec<NamedPattern>,
    /// Subgraphs that are in every model.
    pub require: Vec<NamedPattern>,
    /// Trainings that follow.
    pub resampling: Resampling,
}

/// Where graphs come from.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each training")]
pub enum Source {
    /// A file or folder.
    File(PathBuf, ReadOptions),
    /// A data set in memory.
    Graphs(Dataset),
}

/// Which graphs are trained on, choose and test.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SplitChoice {
    /// All graphs where folds choose the model; else a fifth of them is the validation set.
    #[default]
    Usual,
    /// The same, with this fraction of the graphs in a test set.
    Test(f64),
    /// A trial of a split file.
    File(PathBuf, usize),
    /// These positions.
    Rows(Split),
}

/// Trainings that follow the one that makes the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resampling {
    /// On bootstrap resamples.
    pub bootstrap: usize,
    /// With permuted targets.
    pub permute: usize,
}

/// Why a plan cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum PlanError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Grid(#[from] GridError),
    #[error(transparent)]
    Split(#[from] SplitError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("qualifiers: {0}")]
    Qualifier(#[from] QualifierError),
    #[error("class_weight: {0}")]
    Classes(#[from] NoClasses),
    #[error("weights must be one per graph, but there are {weights} for {graphs} graphs")]
    Weights { weights: usize, graphs: usize },
    #[error("subgraphs to require must have labels and qualifiers of the graphs, but {unknown} of them have others")]
    Required { unknown: usize },
    #[error("{list}: {problem}")]
    Subgraph { list: &'static str, problem: SubgraphProblem },
}

/// Why nobody can mean a subgraph: it would change nothing in silence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SubgraphProblem {
    #[error("a subgraph must be connected and have at least one vertex, but number {at} does not")]
    NotConnected { at: usize },
    #[error("the graphs have edge labels, so each edge of a subgraph must have one, but number {at} lacks one")]
    NoEdgeLabel { at: usize },
    #[error(
        "no subgraph of these graphs can require \"{word}\", but number {at} does: R needs A;R or a, and A needs \
         molecules whose labels say what is aromatic"
    )]
    Word { at: usize, word: String },
}

/// A plan and its graphs: nothing is left to read.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The graphs, with the properties that subgraphs may require.
    pub dataset: Dataset,
    /// Which of them are trained on, choose and test.
    pub split: Split,
    /// The parameters.
    pub params: CheckedParams,
    /// Weights of the training set, where its graphs do not all count the same.
    pub weights: Option<Vec<f64>>,
    /// Where these come from.
    pub class_weight: ClassWeight,
    /// Trainings that follow.
    pub resampling: Resampling,
    /// What is odd about the plan or the graphs.
    pub notes: Vec<Note>,
}

/// Something odd that hinders nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A class, or a value, of a single graph.
    Single(SingleGraph),
    /// So many excluded subgraphs have labels that the graphs do not have.
    UnknownExcluded(usize),
}

/// A plan for every point of a grid, and its graphs.
#[derive(Clone, Debug)]
pub struct PreparedGrid {
    /// The graphs, with the properties that subgraphs may require.
    pub dataset: Dataset,
    /// The points, in order.
    pub points: Vec<Point>,
    /// What is odd about the plan or the graphs.
    pub notes: Vec<Note>,
}

/// Graphs and parameters that know each other.
struct Bound {
    dataset: Dataset,
    params: TrainParams,
    notes: Vec<Note>,
}

impl Prepared {
    /// What a session works on.
    pub fn inputs(&self) -> Inputs<'_> {
        let Self { dataset, split, params, weights, class_weight, resampling, .. } = self;
        let (class_weight, resampling) = (*class_weight, *resampling);
        Inputs { dataset, split, params, weights: weights.as_deref(), class_weight, resampling }
    }
}

impl Plan {
    /// A training on a file with the default parameters.
    pub fn of_file(path: impl AsRef<Path>) -> Self {
        Self::of(Source::File(path.as_ref().to_owned(), ReadOptions::default()))
    }

    /// A training on a data set with the default parameters.
    pub fn of_graphs(dataset: Dataset) -> Self {
        Self::of(Source::Graphs(dataset))
    }

    /// A training on a source with the default parameters.
    pub fn of(source: Source) -> Self {
        Self {
            source,
            settings: TrainSettings::default(),
            seed: 0,
            split: SplitChoice::Usual,
            class_weight: ClassWeight::None,
            weights: None,
            exclude: Vec::new(),
            require: Vec::new(),
            resampling: Resampling::default(),
        }
    }

    /// The same with this column of a file as a further target.
    #[must_use]
    pub fn target(mut self, column: &str) -> Self {
        if let Source::File(_, options) = &mut self.source {
            match &mut options.targets {
                TargetChoice::Named(names) => names.push(column.to_owned()),
                other => *other = TargetChoice::Named(vec![column.to_owned()]),
            }
        }
        self
    }

    /// The same with this seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same with this split.
    #[must_use]
    pub fn split(self, split: SplitChoice) -> Self {
        Self { split, ..self }
    }

    /// The same with a parameter set, by its name in [`einsicht_model::params`]; `preset` is one of them.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Result<Self, ParamError> {
        self.settings.set(name, value.into())?;
        Ok(self)
    }

    /// The same on these graphs.
    #[must_use]
    pub fn on(self, dataset: Dataset) -> Self {
        Self { source: Source::Graphs(dataset), ..self }
    }

    /// Refuses parameters that are wrong at a point of a grid; nothing is read for it.
    pub fn check(&self, grid: &Grid) -> Result<(), PlanError> {
        grid.points(&grid.base(&self.settings, self.seed)?)?;
        Ok(())
    }

    /// Reads the graphs and gets everything ready for a training.
    pub fn prepare(mut self) -> Result<Prepared, PlanError> {
        self.settings.params(self.seed)?.check()?; // before the data are read, unless they are given
        let dataset = self.read()?;
        // Which graphs are isomorphic is decided before subgraphs may require properties, as `einsicht split` decides
        // it.
        let as_read = matches!(self.split, SplitChoice::Test(_)).then(|| dataset.clone());
        let Bound { dataset, params, notes } = self.bind(dataset, self.settings.params(self.seed)?)?;
        let params = params.check()?;
        let split = match &self.split {
            SplitChoice::Usual => usual_split(&dataset, params.get())?,
            SplitChoice::Test(test) => test_split(as_read.as_ref().unwrap_or(&dataset), params.get(), *test)?,
            SplitChoice::File(file, trial) => SplitFile::read(file)?.split(*trial, &dataset)?,
            SplitChoice::Rows(split) => split.clone(),
        };
        let weights = self.weights_of(&dataset, &split)?;
        let Self { class_weight, resampling, .. } = self;
        Ok(Prepared { dataset, split, params, weights, class_weight, resampling, notes })
    }

    /// The same for every point of a grid, whatever splits they are trained on.
    pub fn prepare_grid(mut self, grid: &Grid) -> Result<PreparedGrid, PlanError> {
        self.check(grid)?;
        let dataset = self.read()?;
        let Bound { dataset, params, notes } = self.bind(dataset, grid.base(&self.settings, self.seed)?)?;
        Ok(PreparedGrid { dataset, points: grid.points(&params)?, notes })
    }

    fn read(&mut self) -> Result<Dataset, ReadError> {
        match std::mem::replace(&mut self.source, Source::Graphs(Dataset::default())) {
            Source::File(path, options) => read(&path, &options),
            Source::Graphs(dataset) => Ok(dataset),
        }
    }

    /// Gives the graphs the properties that subgraphs may require, and the parameters the subgraphs of the plan.
    fn bind(&self, dataset: Dataset, mut params: TrainParams) -> Result<Bound, PlanError> {
        let mut notes: Vec<Note> = check_targets(&dataset)?.into_iter().map(Note::Single).collect();
        let dataset = params.qualify(dataset)?;
        let BoundPatterns { codes, unknown } = bound("exclude", &self.exclude, &dataset)?;
        params.exclude = codes;
        notes.extend((unknown > 0).then_some(Note::UnknownExcluded(unknown)));
        let BoundPatterns { codes, unknown } = bound("require", &self.require, &dataset)?;
        params.require = codes;
        if unknown > 0 { Err(PlanError::Required { unknown }) } else { Ok(Bound { dataset, params, notes }) }
    }

    /// The weights of the training set. A validation set that nobody has chosen is counted into those of the classes.
    fn weights_of(&self, dataset: &Dataset, split: &Split) -> Result<Option<Vec<f64>>, PlanError> {
        let counted = match self.split {
            SplitChoice::Usual | SplitChoice::Test(_) => &split.valid[..],
            SplitChoice::File(..) | SplitChoice::Rows(_) => &[],
        };
        let mut weights = self.class_weight.weights(dataset, &[&split.train, counted].concat())?;
        if let Some(weights) = &mut weights {
            weights.truncate(split.train.len());
        }
        let Some(given) = &self.weights else { return Ok(weights) };
        if given.len() != dataset.len() {
            return Err(PlanError::Weights { weights: given.len(), graphs: dataset.len() });
        }
        let given = split.train.iter().map(|&row| given[row]);
        Ok(Some(match weights {
            Some(weights) => weights.into_iter().zip(given).map(|(of_class, given)| of_class * given).collect(),
            None => given.collect(),
        }))
    }
}

/// Subgraphs by the names of their labels, in the labels of a data set.
fn bound(list: &'static str, patterns: &[NamedPattern], dataset: &Dataset) -> Result<BoundPatterns, PlanError> {
    let names = dataset.names();
    for (at, pattern) in patterns.iter().enumerate() {
        let problem = match names.bind(pattern) {
            Ok(graph) if DfsCode::minimum_of(&graph).is_none() => SubgraphProblem::NotConnected { at },
            Err(UnknownLabel::Edge(label)) if label.is_empty() => SubgraphProblem::NoEdgeLabel { at },
            Err(UnknownLabel::Qualifier(word)) if ["aliphatic", "cycle"].contains(&&*word) => {
                SubgraphProblem::Word { at, word }
            }
            _ => continue,
        };
        return Err(PlanError::Subgraph { list, problem });
    }
    Ok(names.bind_all(patterns))
}
