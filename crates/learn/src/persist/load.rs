//! Reading a model file, distrusting every byte of it.

use super::header::{self, EntryHeader, Header, PatternHeader, Tuples};
use super::{ATTRIBUTE_MEAN, ATTRIBUTE_SCALE, FORMAT, GRAPH_WEIGHTS, KEY, heads, refuse};
use crate::gnn::{Encoder, Gin, GnnBranch};
use crate::heads::{Head, HeadKind};
use crate::model::{Model, ModelGnn, Pattern};
use crate::params::{NetworkKind, ParamError, TrainParams};
use crate::task::{Task, TaskKind, num_outputs};
use crate::train::{BeforeStep, Iterate, Member, PathEntry, PatternWeights};
use einsicht_data::Vocabulary;
use einsicht_graph::DfsCode;
use einsicht_graph::pattern::{Canonical, MAX_VERTICES};
use einsicht_search::SupportClass;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use std::sync::Arc;

/// Why a file is not a model that this version can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not a safetensors file, or only a part of one.
    #[error("not a whole model file: {reason}")]
    NotAModel {
        /// What the container says.
        reason: String,
    },
    /// A safetensors file of something else.
    #[error("the file has no metadata entry {KEY}, so it is not one of our models")]
    Foreign,
    /// Written by a newer version.
    #[error("the file has format {found}, but this version reads formats up to {newest}: use a newer version", newest = FORMAT)]
    Newer {
        /// Format of the file.
        found: u64,
    },
    /// The JSON entry is not as it must be.
    #[error("the metadata of the model cannot be read: {reason}")]
    Header {
        /// What is wrong.
        reason: String,
    },
    /// A parameter out of range.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Tasks that make no sense.
    #[error("task {task} must have at least two different classes, or a finite mean and a scale above 0")]
    Task {
        /// Name of the task.
        task: String,
    },
    /// Tokens out of order or repeated.
    #[error("the {which} labels must be different and in order of rank")]
    Vocabulary {
        /// Vertex or edge.
        which: &'static str,
    },
    /// Not a pattern.
    #[error("pattern {pattern} is not a DFS code: {reason}")]
    Code {
        /// Its place in the list.
        pattern: usize,
        /// Why.
        reason: String,
    },
    /// A code that is not the smallest of its graph.
    #[error("pattern {pattern} is not written as the smallest code of its graph")]
    NotCanonical {
        /// Its place in the list.
        pattern: usize,
    },
    /// So many ways to walk over it that its code cannot be checked.
    #[error("pattern {pattern} looks the same in so many ways that its code cannot be checked")]
    TooSymmetric {
        /// Its place in the list.
        pattern: usize,
    },
    /// Counts by class that do not fit the tasks.
    #[error("pattern {pattern} must have a count for each class of each task")]
    ByClass {
        /// Its place in the list.
        pattern: usize,
    },
    /// A label that no vocabulary has, or too many edges.
    #[error("pattern {pattern} has a label outside the vocabulary or more than {max_edges} edges")]
    Outside {
        /// Its place in the list.
        pattern: usize,
        /// Largest number of edges.
        max_edges: usize,
    },
    /// Patterns or indices out of order.
    #[error("{what} must be strictly increasing and in range")]
    Order {
        /// Of what.
        what: String,
    },
    /// No entry, or no chosen one.
    #[error("the chosen entry must be one of the path, but it is {chosen} of {entries}")]
    Chosen {
        /// Index of the chosen entry.
        chosen: usize,
        /// Number of entries.
        entries: usize,
    },
    /// A tensor is missing, superfluous or of the wrong kind.
    #[error("the model must hold {wanted}, but {found}")]
    Tensor {
        /// What must be there.
        wanted: String,
        /// What is there.
        found: String,
    },
    /// A weight that is not a number.
    #[error("the numbers of {name} must be finite, but number {at} is not")]
    NotFinite {
        /// Name of the tensor or value.
        name: String,
        /// Position, from 0.
        at: usize,
    },
}

#[derive(Deserialize)]
struct Peek {
    format: u64,
}

pub(super) fn load(file: &[u8]) -> Result<Model, ModelError> {
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(|e| refuse(&e))?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or(ModelError::Foreign)?;
    let unreadable = |e: serde_json::Error| ModelError::Header { reason: e.to_string() };
    let peek: Peek = serde_json::from_str(text).map_err(unreadable)?;
    if peek.format > u64::from(FORMAT) {
        return Err(ModelError::Newer { found: peek.format });
    }
    let header: Header = serde_json::from_str(text).map_err(unreadable)?;
    let tensors = SafeTensors::deserialize(file).map_err(|e| refuse(&e))?;
    model(header, &tensors)
}

fn model(header: Header, tensors: &SafeTensors<'_>) -> Result<Model, ModelError> {
    let params = checked(header.params)?;
    if header.tasks.is_empty() {
        return Err(ModelError::Task { task: "(none)".to_owned() });
    }
    for task in &header.tasks {
        check_task(task)?;
    }
    let vertex_labels = header.vertex_labels.vocabulary().ok_or(ModelError::Vocabulary { which: "vertex" })?;
    let edge_labels = header.edge_labels.vocabulary().ok_or(ModelError::Vocabulary { which: "edge" })?;
    let classes = header.tasks.iter().filter_map(|task| match &task.kind {
        TaskKind::Classes(names) => Some(names.len()),
        TaskKind::Number { .. } => None,
    });
    let mut codes = Codes {
        vertex_labels: &vertex_labels,
        edge_labels: &edge_labels,
        max_edges: params.max_edges,
        classes: classes.collect(),
        canonical: Canonical::default(),
        branches: MOST_BRANCHES,
    };
    let mut patterns = Vec::with_capacity(header.patterns.len());
    for (at, pattern) in header.patterns.into_iter().enumerate() {
        patterns.push(codes.pattern(at, pattern)?);
    }
    if !patterns.is_sorted_by(|a: &Pattern, b| a.code.cmp_by_size(&b.code).is_lt()) {
        return Err(ModelError::Order { what: "patterns".to_owned() });
    }
    let outputs = num_outputs(&header.tasks);
    let params = params.for_outputs(outputs);
    // Only a list says how many there are: a table of no columns may claim any number of rows.
    let list = |t: safetensors::tensor::TensorView<'_>| if let [len] = t.shape() { *len } else { 0 };
    let attributes = tensors.tensor(ATTRIBUTE_MEAN).map_or(0, list);
    let gin = params.gin(vertex_labels.len(), attributes, edge_labels.len());
    let gnn_len = gin.as_ref().map(Gin::num_parameters);
    let of_summary = params.summary.width(vertex_labels.len(), attributes);
    let width_beside = of_summary + gin.as_ref().map_or(0, Gin::outputs);
    let network = gin.into_iter().fold(params.network(outputs), |network, gin| {
        network.with_gnn_branch(GnnBranch { gin, graphs: Arc::default(), fitted: true })
    });
    let network_len = network.num_feed_forward();
    let weights = Weights {
        tensors: Tensors(tensors),
        tasks: &header.tasks,
        head: params.head,
        patterns: &patterns,
        hidden: params.hidden,
        network_len,
        gnn_len,
        of_summary,
    };
    let mut entries = Vec::with_capacity(header.entries.len());
    for (at, entry) in header.entries.into_iter().enumerate() {
        entries.push(weights.entry(at, entry)?);
    }
    if header.chosen >= entries.len() {
        return Err(ModelError::Chosen { chosen: header.chosen, entries: entries.len() });
    }
    let graph_weights = match tensors.tensor(GRAPH_WEIGHTS) {
        Ok(_) => Some(weights.tensors.f64(GRAPH_WEIGHTS, &[header.rows.train.len()])?),
        Err(_) => None,
    };
    let mut members = Vec::with_capacity(header.members.len());
    for (at, places) in header.members.iter().enumerate() {
        let name = format!("member.{at}");
        members.push(Member { iterate: weights.iterate(&name, places)?, head: weights.head(&name, places.len())? });
    }
    let gnn = if width_beside > 0 { Some(weights.gnn(attributes, width_beside, entries.len())?) } else { None };
    let of_iterate = if gnn_len.is_some() { 4 } else { 3 };
    let of_entries: usize = entries.iter().map(|entry| 1 + usize::from(entry.before.is_some())).sum();
    let iterates = of_entries + members.len();
    let of_gnn = gnn.as_ref().map_or(0, |gnn| 2 + gnn.means.len());
    let of_heads = (entries.len() + members.len()) * heads::num_tensors(params.head, header.tasks.len());
    let wanted = of_iterate * iterates + of_heads + usize::from(graph_weights.is_some()) + of_gnn;
    if tensors.len() != wanted {
        return Err(ModelError::Tensor {
            wanted: format!("{wanted} tensors"),
            found: format!("it holds {}", tensors.len()),
        });
    }
    Ok(Model {
        tasks: header.tasks,
        vertex_labels,
        edge_labels,
        params,
        fingerprint: header.fingerprint,
        rows: header.rows,
        graph_weights,
        patterns,
        entries,
        metric: header.metric,
        chosen: header.chosen,
        complete: header.complete,
        gnn,
        members,
    })
}

/// The parameters, if they are allowed. Without a network the mining layer has one unit an output, however many those
/// are, so `hidden` is no limit then.
fn checked(params: TrainParams) -> Result<TrainParams, ModelError> {
    let hidden = if params.network == NetworkKind::None { 1 } else { params.hidden };
    Ok(TrainParams { hidden, ..params }.check()?.get().clone())
}

fn check_task(task: &Task) -> Result<(), ModelError> {
    let good = match &task.kind {
        TaskKind::Classes(names) => {
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            names.len() >= 2 && distinct.len() == names.len()
        }
        TaskKind::Number { mean, scale } => mean.is_finite() && *scale > 0.0 && scale.is_finite(),
    };
    if good { Ok(()) } else { Err(ModelError::Task { task: task.name.clone() }) }
}

/// Branches that the tests for smallest codes of one file may follow: a second or two. A pattern that was mined takes
/// hundreds; one that was made up can take more than there is time for.
const MOST_BRANCHES: u64 = 1 << 26;

struct Codes<'a> {
    vertex_labels: &'a Vocabulary,
    edge_labels: &'a Vocabulary,
    max_edges: usize,
    /// Number of classes of each task that has some.
    classes: Vec<usize>,
    canonical: Canonical,
    branches: u64,
}

impl Codes<'_> {
    fn pattern(&mut self, at: usize, header: PatternHeader) -> Result<Pattern, ModelError> {
        let mut list = |codes: &[Tuples]| codes.iter().map(|code| self.code(at, code)).collect::<Result<Vec<_>, _>>();
        let class =
            SupportClass { size: header.class_size, minimal: list(&header.minimal)?, maximal: list(&header.maximal)? };
        if !header.by_class.iter().map(Vec::len).eq(self.classes.iter().copied()) {
            return Err(ModelError::ByClass { pattern: at });
        }
        Ok(Pattern { code: self.code(at, &header.code)?, class, support: header.support, by_class: header.by_class })
    }

    fn code(&mut self, pattern: usize, tuples: &Tuples) -> Result<DfsCode, ModelError> {
        let code = header::code(tuples).map_err(|reason| ModelError::Code { pattern, reason })?;
        let known = |edge: &einsicht_graph::DfsEdge| {
            edge.from_label.index() < self.vertex_labels.len()
                && edge.to_label.index() < self.vertex_labels.len()
                && edge.edge_label.index() < self.edge_labels.len()
        };
        let fits = code.num_edges() <= self.max_edges && code.num_vertices() <= MAX_VERTICES;
        if !fits || !code.edges().iter().all(known) {
            return Err(ModelError::Outside { pattern, max_edges: self.max_edges });
        }
        match self.canonical.is_minimum_within(code.edges(), &mut self.branches) {
            Some(true) => Ok(code),
            Some(false) => Err(ModelError::NotCanonical { pattern }),
            None => Err(ModelError::TooSymmetric { pattern }),
        }
    }
}

struct Weights<'a> {
    tensors: Tensors<'a>,
    tasks: &'a [Task],
    head: HeadKind,
    patterns: &'a [Pattern],
    hidden: usize,
    network_len: usize,
    /// Absent without a graph network.
    gnn_len: Option<usize>,
    /// Columns of the summary.
    of_summary: usize,
}

impl Weights<'_> {
    fn gnn(&self, attributes: usize, outputs: usize, entries: usize) -> Result<ModelGnn, ModelError> {
        let (mean, scale) =
            (self.tensors.f64(ATTRIBUTE_MEAN, &[attributes])?, self.tensors.f64(ATTRIBUTE_SCALE, &[attributes])?);
        if let Some(at) = scale.iter().position(|scale| *scale <= 0.0) {
            return Err(ModelError::NotFinite { name: format!("1 / {ATTRIBUTE_SCALE}"), at });
        }
        let mean_row = |at: usize| self.tensors.f64(&format!("entry.{at}.mean_beside"), &[outputs]);
        let means = (0..entries).map(mean_row).collect::<Result<_, _>>()?;
        Ok(ModelGnn { encoder: Encoder { mean, scale }, means })
    }

    fn entry(&self, at: usize, header: EntryHeader) -> Result<PathEntry, ModelError> {
        let name = format!("entry.{at}");
        let too_many = header.patterns.len() > header.size && header.lambda.is_none();
        if too_many || (header.size == 0 && header.lambda.is_none() && self.gnn_len.is_none() && self.of_summary == 0) {
            return Err(ModelError::Order { what: format!("the number of patterns of {name}") });
        }
        if !header.decision.is_good(self.tasks.len()) {
            return Err(ModelError::NotFinite { name: format!("{name}.decision"), at: 0 });
        }
        let iterate = self.iterate(&name, &header.patterns)?;
        let before = match header.before {
            None => None,
            Some(before) => {
                if !(before.step > 0.0 && before.step.is_finite()) {
                    return Err(ModelError::NotFinite { name: format!("{name}.before.step"), at: 0 });
                }
                let iterate = self.iterate(&format!("{name}.before"), &before.patterns)?;
                Some(BeforeStep { size: before.size, lambda: before.lambda, step: before.step, iterate })
            }
        };
        let head = self.head(&name, header.patterns.len())?;
        Ok(PathEntry {
            size: header.size,
            lambda: header.lambda,
            iterate,
            head,
            before,
            iterations: header.iterations,
            kept: header.kept,
            stopped_by: header.stopped_by,
            train: header.train,
            valid: header.valid,
            test: header.test,
            decision: header.decision,
        })
    }

    fn head(&self, name: &str, patterns: usize) -> Result<Option<Head>, ModelError> {
        heads::load(&self.tensors, name, self.head, patterns + self.of_summary, self.tasks)
    }

    fn iterate(&self, name: &str, places: &[usize]) -> Result<Iterate, ModelError> {
        let in_range = places.last().is_none_or(|&last| last < self.patterns.len());
        if !in_range || !places.is_sorted_by(|a, b| a < b) {
            return Err(ModelError::Order { what: format!("patterns of {name}") });
        }
        let weights = self.tensors.f64(&format!("{name}.weights"), &[places.len(), self.hidden])?;
        let patterns = places.iter().zip(weights.chunks_exact(self.hidden)).map(|(&place, weights)| PatternWeights {
            code: self.patterns[place].code.clone(),
            weights: weights.to_vec(),
        });
        let mut network = self.tensors.f64(&format!("{name}.network"), &[self.network_len])?;
        if let Some(len) = self.gnn_len {
            network.extend(self.tensors.f64(&format!("{name}.gnn"), &[len])?);
        }
        Ok(Iterate {
            patterns: patterns.collect(),
            bias: self.tensors.f64(&format!("{name}.bias"), &[self.hidden])?,
            network,
        })
    }
}

/// The tensors of a file.
pub(super) struct Tensors<'a>(&'a SafeTensors<'a>);

impl Tensors<'_> {
    /// A tensor of finite numbers with this shape.
    pub(super) fn f64(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, ModelError> {
        let (words, _) = self.data(name, Dtype::F64, Some(shape))?.as_chunks::<8>();
        let values: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(ModelError::NotFinite { name: name.to_owned(), at }),
            None => Ok(values),
        }
    }

    /// A list of whole numbers of any length.
    pub(super) fn u32(&self, name: &str) -> Result<Vec<u32>, ModelError> {
        let (words, _) = self.data(name, Dtype::U32, None)?.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn data(&self, name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Result<&[u8], ModelError> {
        let wanted = || match shape {
            Some(shape) => format!("tensor {name} of {} with shape {shape:?}", kind(dtype)),
            None => format!("a list {name} of {}", kind(dtype)),
        };
        let Ok(tensor) = self.0.tensor(name) else {
            return Err(ModelError::Tensor { wanted: wanted(), found: "it is missing".to_owned() });
        };
        let fits = shape.map_or(tensor.shape().len() == 1, |shape| tensor.shape() == shape);
        if tensor.dtype() != dtype || !fits {
            let found = format!("it is of {} with shape {:?}", kind(tensor.dtype()), tensor.shape());
            return Err(ModelError::Tensor { wanted: wanted(), found });
        }
        Ok(tensor.data())
    }
}

/// The name of a number type, as Rust and numpy write it.
fn kind(dtype: Dtype) -> String {
    format!("{dtype:?}").to_lowercase()
}
