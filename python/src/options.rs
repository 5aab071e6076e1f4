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
        if given.is_none() || key == "like" {
            continue;
        }
        let Some(wanted) = wanted(&key) else {
            return Err(PyTypeError::new_err(format!("{key} is not an option of the readers")));
        };
        set(&mut options, &key, &given).map_err(|error| {
            let is_type = error.is_instance_of::<PyTypeError>(given.py());
            let repr = given.repr().map_or_else(|_| "something else".to_owned(), |repr| repr.to_string());
            if is_type { PyTypeError::new_err(format!("{key} must be {wanted}, got {repr}")) } else { error }
        })?;
    }
    match keywords.get_item("like")?.filter(|given| !given.is_none()) {
        Some(model) => Ok(model.cast::<Model>()?.get().inner.read_options(options)),
        None => Ok(options),
    }
}

/// What an option must be, in the words of Python; none if there is no such option.
fn wanted(key: &str) -> Option<&'static str> {
    Some(match key {
        "format" => "the name of a format",
        "target" => "the name of a column, a list of names, or \"*\"",
        "features" => "a list of names of columns",
        "smiles" => "the name of a column",
        "task" => "one of \"auto\", \"classify\", \"regress\"",
        "edge_labels" => "one of \"auto\", \"use\", \"ignore\"",
        "vertex_names" | "edge_names" => "the name of a file",
        "hydrogens" => "one of \"keep\", \"drop\"",
        "largest_fragment" | "repair" => "True or False",
        "coordinates" => "one of \"leave-out\", \"keep\"",
        "on_bad" => "one of \"stop\", \"skip\", \"nan\"",
        "molecule_labels" => "a list of some of \"charge\", \"aromatic\", \"hydrogens\"",
        _ => return None,
    })
}

fn set(options: &mut ReadOptions, key: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
    match key {
        "format" => options.format = Some(parsed(given)?),
        "target" => {
            options.targets = match given.extract::<String>() {
                Ok(all) if all == "*" => TargetChoice::All,
                Ok(one) => TargetChoice::Named(vec![one]),
                Err(_) => TargetChoice::Named(given.extract()?),
            };
        }
        "features" => options.features = words(given)?,
        "smiles" => options.smiles = Some(given.extract()?),
        "task" => options.task = parsed(given)?,
        "edge_labels" => options.edge_labels = parsed(given)?,
        "vertex_names" => {
            options.vertex_names = Some(VertexNames::from(given.extract::<PathBuf>()?.to_string_lossy().as_ref()));
        }
        "edge_names" => options.edge_names = Some(given.extract()?),
        "hydrogens" => options.hydrogens = Some(parsed(given)?),
        "largest_fragment" => options.largest_fragment = given.extract()?,
        "coordinates" => options.coordinates = parsed(given)?,
        "on_bad" => options.on_bad = parsed(given)?,
        "repair" => options.repair = given.extract()?,
        _ => options.molecule_labels = Some(MoleculeLabels::try_from(words(given)?).map_err(value)?),
    }
    Ok(())
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    given.extract::<String>()?.parse().map_err(value)
}

/// A list of words, or one word.
fn words(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    given.extract::<String>().map(|word| vec![word]).or_else(|_| given.extract())
}
