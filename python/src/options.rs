//! Options of readers from keyword arguments: names and values are those of the program.

use crate::errors::value;
use crate::model::Model;
use einsicht::ReadOptions;
use einsicht::data::read::{MoleculeLabels, TargetChoice, VertexNames};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The options that a dictionary names; the others keep their defaults, or are those of the model that `like` names.
pub(crate) fn read_options(keywords: &Bound<'_, PyDict>) -> PyResult<ReadOptions> {
    let mut options = ReadOptions::default();
    for (key, given) in keywords {
        let key: String = key.extract()?;
        if given.is_none() {
            continue;
        }
        match key.as_str() {
            "format" => options.format = Some(parsed(&given)?),
            "target" => {
                options.targets = match given.extract::<String>() {
                    Ok(all) if all == "*" => TargetChoice::All,
                    Ok(one) => TargetChoice::Named(vec![one]),
                    Err(_) => TargetChoice::Named(given.extract()?),
                };
            }
            "features" => options.features = words(&given)?,
            "smiles" => options.smiles = Some(given.extract()?),
            "task" => options.task = parsed(&given)?,
            "edge_labels" => options.edge_labels = parsed(&given)?,
            "vertex_names" => {
                options.vertex_names = Some(VertexNames::from(given.extract::<PathBuf>()?.to_string_lossy().as_ref()));
            }
            "edge_names" => options.edge_names = Some(given.extract()?),
            "hydrogens" => options.hydrogens = Some(parsed(&given)?),
            "largest_fragment" => options.largest_fragment = given.extract()?,
            "coordinates" => options.coordinates = parsed(&given)?,
            "on_bad" => options.on_bad = parsed(&given)?,
            "repair" => options.repair = given.extract()?,
            "molecule_labels" => {
                let labels = MoleculeLabels::try_from(words(&given)?);
                options.molecule_labels = Some(labels.map_err(value)?);
            }
            "like" => {}
            _ => return Err(PyTypeError::new_err(format!("{key} is not an option of the readers"))),
        }
    }
    match keywords.get_item("like")?.filter(|given| !given.is_none()) {
        Some(model) => Ok(model.cast::<Model>()?.get().inner.read_options(options)),
        None => Ok(options),
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    given.extract::<String>()?.parse().map_err(value)
}

/// A list of words, or one word.
fn words(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    given.extract::<String>().map(|word| vec![word]).or_else(|_| given.extract())
}
