//! `einsicht._core`: the native part of the Python package. Convert, release the interpreter lock, call, convert.
//!
//! Nothing is decided here: parameters and their ranges, readers, training and explanations live in the crates below,
//! the scikit-learn interface lives in `python/einsicht`. Tested by pytest (`python/tests`); there is no Rust test,
//! because an extension module can only be linked into an interpreter.
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over owned values")]

mod errors;
mod experiments;
mod explain;
mod fit;
mod graphs;
mod interruptible;
mod layer;
mod model;
mod options;
mod patterns;
mod prepare;
mod shards;
mod targets;

use einsicht::model::params::PARAMETERS;
use pyo3::prelude::*;

/// Names of the parameters of training, `preset` first.
fn parameters() -> Vec<&'static str> {
    let options = PARAMETERS.iter().filter(|parameter| parameter.is_of_training());
    std::iter::once("preset").chain(options.map(|parameter| parameter.name)).collect()
}

/// The native part of einsicht. Use the package `einsicht`, which has the names for users.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<graphs::Graphs>()?;
    module.add_class::<layer::Layer>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<shards::Shard>()?;
    module.add_class::<explain::Attributions>()?;
    module.add_class::<fit::Fitted>()?;
    module.add_class::<fit::FitState>()?;
    module.add("PARAMETERS", parameters())?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(shards::shards, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::bootstrap, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::num_folds, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::read_splits, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::run_folds, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::run_trial, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::splits::make_splits, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::splits::scaffold_groups, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::stability, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::significance::significant, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::summarize, module)?)?;
    Ok(())
}
