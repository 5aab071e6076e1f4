//! Reading a model file without trusting any byte of it.
//!
//! Promise: a file that loads is consistent, so that prediction cannot panic or loop; everything else is refused with
//! the reason. Here is what must be known to read on, in `content.rs` what arrays must be, in [`Model::check`] the
//! rest. Tested in `tests/model_file.rs`, by the crafted models of the program's tests, and by fuzzing.

use super::arrays::{Arrays, Tensors};
use super::codes::Codes;
use super::content::through;
use super::{FORMAT, KEY, ModelError, digest, refuse};
use crate::Model;
use crate::class_values::{ClassValues, fit_tasks};
use crate::heads::HeadKind;
use crate::params::{NetworkKind, TrainParams};
use crate::side::FeatureScale;
use crate::task::{Task, TaskKind, num_outputs};
use safetensors::SafeTensors;
use serde_json::Value;

pub(super) fn load(file: &[u8]) -> Result<Model, ModelError> {
    // The container begins with the length of its header, in eight bytes, and the header. Of any other file it would
    // say that its header is too large.
    if file.len() > 8 && file[8] != b'{' {
        return Err(ModelError::NotAModel { reason: "it does not start like one".to_owned() });
    }
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(|e| refuse(&e))?;
    let text = metadata.metadata().as_ref().and_then(|m| m.get(KEY)).ok_or(ModelError::Foreign)?;
    let header = serde_json::from_str::<Value>(text);
    // Files of other formats may have no digest.
    match header.as_ref().ok().and_then(|header| header["format"].as_u64()) {
        Some(found) if found > u64::from(FORMAT) => return Err(ModelError::Newer { found }),
        Some(found) if found < u64::from(FORMAT) => return Err(ModelError::Older),
        _ => digest::check(file)?,
    }
    let unreadable = |e: serde_json::Error| ModelError::Header { reason: e.to_string() };
    let mut header = header.map_err(unreadable)?;
    let format = header.as_object_mut().and_then(|fields| fields.remove("format"));
    if format != Some(FORMAT.into()) {
        return Err(ModelError::Header { reason: "its format must be a number".to_owned() });
    }
    let mut arrays = Arrays::Out(Tensors::of(file)?);
    let model = through(&mut arrays, prepared(serde_json::from_value(header).map_err(unreadable)?)?)?;
    arrays.check_that_all_came_out()?;
    model.check()?;
    Ok(model)
}

/// A model that lacks its arrays, with the settled parameters, if what it says of them can be true.
fn prepared(mut model: Model) -> Result<Model, ModelError> {
    if model != model.without_arrays() {
        return Err(ModelError::Header { reason: "numbers of entries must be in tensors".to_owned() });
    }
    check_tasks(&model.tasks, &model.class_values)?;
    check_features(&model.features().collect::<Vec<_>>(), model.params.head)?;
    model.params = checked(model.params)?;
    Codes::new(model.names(), &model.params, &model.tasks).check(&model.patterns)?;
    model.params = model.params.for_outputs(num_outputs(&model.tasks));
    if model.chosen >= model.entries.len() {
        return Err(ModelError::Chosen { chosen: model.chosen, entries: model.entries.len() });
    }
    Ok(model)
}

/// The parameters, if they are allowed. Without a network the mining layer has one unit per output, however many those
/// are, so `hidden` is no limit then.
fn checked(params: TrainParams) -> Result<TrainParams, ModelError> {
    let hidden = if params.network == NetworkKind::None { 1 } else { params.hidden };
    Ok(TrainParams { hidden, ..params }.check()?.get().clone())
}

/// Features have different names and finite numbers, and a head reads them.
fn check_features(features: &[&FeatureScale], head: HeadKind) -> Result<(), ModelError> {
    let names: std::collections::BTreeSet<&String> = features.iter().map(|feature| &feature.name).collect();
    if names.len() < features.len() || (!features.is_empty() && !head.is_fitted()) {
        return Err(ModelError::Order { what: "the features".to_owned() });
    }
    let is_good =
        |feature: &&FeatureScale| feature.mean.is_finite() && feature.scale > 0.0 && feature.scale.is_finite();
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
