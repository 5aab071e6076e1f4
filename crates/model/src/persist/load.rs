//! Reading a model file without trusting any byte of it.
//!
//! Promise: a file that loads is consistent, so that prediction cannot panic or loop; everything else is refused with
//! the reason. Here is what must be known to read on, in `content.rs` what arrays must be, in [`Model::check`] the
//! rest. Tested in `tests/model_file.rs`, by the crafted models of the program's tests, and by fuzzing.

use super::arrays::{Arrays, Tensors};
use super::codes::Codes;
use super::content::through;
use super::header::{EntryHeader, Header, Labels, MemberHeader, PairHeader};
use super::{FORMAT, KEY, ModelError, digest, refuse};
use crate::class_values::{ClassValues, fit_tasks};
use crate::folds::Folds;
use crate::heads::HeadKind;
use crate::params::{NetworkKind, TrainParams};
use crate::side::{Encoder, FeatureScale};
use crate::task::{Task, TaskKind, num_outputs};
use crate::{BeforeStep, FittedGraphs, Iterate, Member, Model, ModelGnn, PairWeights, PathEntry, Pattern};
use crate::{PatternWeights, SeenGraphs};
use einsicht_data::{Names, Vocabulary};
use einsicht_graph::DfsCode;
use safetensors::SafeTensors;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
struct Peek {
    format: u64,
}

pub(super) fn load(file: &[u8]) -> Result<Model, ModelError> {
    // The container begins with the length of its header, in eight bytes, and the header. Of any other file it would
    // say that its header is too large.
    if file.len() > 8 && file[8] != b'{' {
        return Err(ModelError::NotAModel { reason: "it does not start like one".to_owned() });
    }
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(|e| refuse(&e))?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or(ModelError::Foreign)?;
    // Files of other formats may have no digest.
    match serde_json::from_str(text) {
        Ok(Peek { format }) if format > u64::from(FORMAT) => return Err(ModelError::Newer { found: format }),
        Ok(Peek { format }) if format < u64::from(FORMAT) => return Err(ModelError::Older),
        _ => digest::check(file)?,
    }
    let unreadable = |e: serde_json::Error| ModelError::Header { reason: e.to_string() };
    let header: Header = serde_json::from_str(text).map_err(unreadable)?;
    let mut arrays = Arrays::Out(Tensors::of(file)?);
    let model = through(&mut arrays, header.into_model()?)?;
    arrays.check_that_all_came_out()?;
    model.check()?;
    Ok(model)
}

impl Header {
    /// The model that lacks its arrays.
    fn into_model(self) -> Result<Model, ModelError> {
        self.check()?;
        let params = checked(self.params)?;
        let (vertex, edge) = (vocabulary(self.vertex_labels, "vertex"), vocabulary(self.edge_labels, "edge"));
        let (vertex_labels, edge_labels, qualifiers) = (vertex?, edge?, self.qualifiers);
        let names = Names { vertex_labels: &vertex_labels, edge_labels: &edge_labels, qualifiers: &qualifiers };
        let patterns = Codes::new(names, &params, &self.tasks).patterns(self.patterns)?;
        let params = params.for_outputs(num_outputs(&self.tasks));
        let listed = Listed { patterns: &patterns, hidden: params.hidden };
        let entries = self.entries.into_iter().enumerate().map(|(at, entry)| listed.entry(at, entry));
        let entries: Vec<PathEntry> = entries.collect::<Result<_, _>>()?;
        if self.chosen >= entries.len() {
            return Err(ModelError::Chosen { chosen: self.chosen, entries: entries.len() });
        }
        let member = |(at, member): (usize, &MemberHeader)| {
            let iterate = listed.iterate(&format!("member.{at}"), &member.patterns, &member.pairs)?;
            Ok(Member { iterate, head: None })
        };
        let members = self.members.iter().enumerate().map(member).collect::<Result<_, ModelError>>()?;
        let fitted = FittedGraphs { codes: fitted_codes(&self.fitted, &patterns)?, ..FittedGraphs::default() };
        let seen = SeenGraphs { folds: Folds { of: Vec::new(), count: self.folds }, ..SeenGraphs::default() };
        let encoder = Encoder { mean: Vec::new(), scale: Vec::new(), features: self.features };
        Ok(Model {
            tasks: self.tasks,
            vertex_labels,
            edge_labels,
            class_values: self.class_values,
            reading: self.reading,
            qualifiers,
            params,
            fingerprint: self.fingerprint,
            rows: self.rows,
            seen,
            estimate: self.estimate,
            effects: self.effects,
            backgrounds: Vec::new(),
            fitted: Arc::new(fitted),
            graph_weights: None,
            patterns,
            entries,
            complete: self.complete,
            metric: self.metric,
            chosen: self.chosen,
            picked: self.picked,
            members,
            gnn: Some(ModelGnn { encoder, means: Vec::new() }),
        })
    }

    /// What must hold between the fields.
    fn check(&self) -> Result<(), ModelError> {
        check_tasks(&self.tasks, &self.class_values)?;
        check_features(&self.features, self.params.head)
    }
}

/// The patterns that indices of the header mean.
struct Listed<'a> {
    patterns: &'a [Pattern],
    hidden: usize,
}

impl Listed<'_> {
    fn entry(&self, at: usize, header: EntryHeader) -> Result<PathEntry, ModelError> {
        let name = format!("entry.{at}");
        if header.patterns.len() > header.size && header.lambda.is_none() {
            return Err(ModelError::Order { what: format!("the number of patterns of {name}") });
        }
        let iterate = self.iterate(&name, &header.patterns, &header.pairs)?;
        let mut before = None;
        if let Some(of) = header.before {
            let iterate = self.iterate(&format!("{name}.before"), &of.patterns, &of.pairs)?;
            before = Some(BeforeStep { size: of.size, lambda: of.lambda, step: of.step, iterate });
        }
        Ok(PathEntry {
            size: header.size,
            lambda: header.lambda,
            iterate,
            head: None,
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

    fn iterate(&self, name: &str, indices: &[usize], pairs: &[PairHeader]) -> Result<Iterate, ModelError> {
        let in_range = indices.last().is_none_or(|&last| last < self.patterns.len());
        if !in_range || !indices.is_sorted_by(|a, b| a < b) {
            return Err(ModelError::Order { what: format!("patterns of {name}") });
        }
        let code = |&index: &usize| PatternWeights { code: self.patterns[index].code.clone(), weights: Vec::new() };
        let pairs = pairs.iter().map(|pair| self.pair(name, indices, pair)).collect::<Result<_, _>>()?;
        Ok(Iterate { patterns: indices.iter().map(code).collect(), pairs, ..Iterate::default() })
    }

    /// A pair of patterns that are in use.
    fn pair(&self, name: &str, indices: &[usize], header: &PairHeader) -> Result<PairWeights, ModelError> {
        let [first, second] = header.patterns;
        let in_use = first < second && header.patterns.iter().all(|index| indices.contains(index));
        if !in_use || header.weights.len() != self.hidden {
            return Err(ModelError::Order { what: format!("pairs of {name}") });
        }
        let codes = header.patterns.iter().map(|&index| self.patterns[index].code.clone()).collect();
        Ok(PairWeights { codes, means: header.means, weights: header.weights.clone() })
    }
}

/// The patterns whose occurrences in the graphs of the fit are stored.
fn fitted_codes(indices: &[usize], patterns: &[Pattern]) -> Result<Vec<DfsCode>, ModelError> {
    if !indices.is_sorted_by(|a, b| a < b) || indices.last().is_some_and(|last| *last >= patterns.len()) {
        return Err(ModelError::Order { what: "patterns of the graphs of the fit".to_owned() });
    }
    Ok(indices.iter().map(|&index| patterns[index].code.clone()).collect())
}

fn vocabulary(labels: Labels, which: &'static str) -> Result<Vocabulary, ModelError> {
    labels.vocabulary().ok_or(ModelError::Vocabulary { which })
}

/// The parameters, if they are allowed. Without a network the mining layer has one unit per output, however many those
/// are, so `hidden` is no limit then.
fn checked(params: TrainParams) -> Result<TrainParams, ModelError> {
    let hidden = if params.network == NetworkKind::None { 1 } else { params.hidden };
    Ok(TrainParams { hidden, ..params }.check()?.get().clone())
}

/// Features have different names and finite numbers, and a head reads them.
fn check_features(features: &[FeatureScale], head: HeadKind) -> Result<(), ModelError> {
    let names: std::collections::BTreeSet<&String> = features.iter().map(|feature| &feature.name).collect();
    if names.len() < features.len() || (!features.is_empty() && !head.is_fitted()) {
        return Err(ModelError::Order { what: "the features".to_owned() });
    }
    let is_good = |feature: &FeatureScale| feature.mean.is_finite() && feature.scale > 0.0 && feature.scale.is_finite();
    match features.iter().position(|feature| !is_good(feature)) {
        None => Ok(()),
        Some(at) => Err(ModelError::NotFinite { name: "features".to_owned(), at }),
    }
}

fn check_tasks(tasks: &[Task], values: &[Option<ClassValues>]) -> Result<(), ModelError> {
    if tasks.is_empty() {
        return Err(ModelError::Task { task: "(none)".to_owned() });
    }
    tasks.iter().try_for_each(check_task)?;
    if fit_tasks(values, tasks) { Ok(()) } else { Err(ModelError::ClassValues) }
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
