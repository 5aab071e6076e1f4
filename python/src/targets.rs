//! Conversion of targets from and to Python: a name, the names of classes if it has classes, and one number per graph.
//!
//! Python sends classes as indices into a list of names and missing values as NaN; classes are ranked here, as for
//! files.

use crate::errors::value;
use einsicht::{Label, Target, TargetValues, Vocabulary};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Name, names of classes (none for regression), values.
pub(crate) type TargetIn<'py> = (String, Option<Vec<String>>, PyReadonlyArray1<'py, f64>);

/// The same for Python.
pub(crate) type TargetOut<'py> = (String, Option<Vec<String>>, Bound<'py, PyArray1<f64>>);

/// Targets of `graphs` graphs, as the library stores them.
pub(crate) fn targets_from(given: &[TargetIn<'_>], graphs: usize) -> PyResult<Vec<Target>> {
    given.iter().map(|target| target_from(target, graphs)).collect()
}

fn target_from((name, classes, values): &TargetIn<'_>, graphs: usize) -> PyResult<Target> {
    let given = values.as_array();
    if given.len() != graphs {
        return Err(value(format!(
            "target {name} must have one value per graph, but there are {} for {graphs}",
            given.len()
        )));
    }
    let values = match classes {
        None => TargetValues::Numbers { values: given.iter().map(|&v| (!v.is_nan()).then_some(v)).collect() },
        Some(names) => {
            let classes = Vocabulary::from_tokens(names.iter().map(String::as_str));
            let rank = |&v: &f64| match v {
                v if v.is_nan() => Ok(None),
                v if v >= 0.0 && (v as usize) < names.len() => {
                    Ok(classes.label(&names[v as usize]).map(|label| label.0))
                }
                v => Err(value(format!("a class of target {name} must be one of {}, got {v}", names.len()))),
            };
            let values = given.iter().map(rank).collect::<PyResult<_>>()?;
            TargetValues::Classes { classes, values }
        }
    };
    Ok(Target { name: name.clone(), values })
}

/// Targets as Python sees them.
pub(crate) fn targets_to<'py>(py: Python<'py>, targets: &[Target]) -> Vec<TargetOut<'py>> {
    let one = |target: &Target| match &target.values {
        TargetValues::Numbers { values } => {
            let numbers: Vec<f64> = values.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
            (target.name.clone(), None, PyArray1::from_vec(py, numbers))
        }
        TargetValues::Classes { classes, values } => {
            let names = (0..classes.len()).map(|at| classes.token(Label(at as u32)).to_owned()).collect();
            let numbers: Vec<f64> = values.iter().map(|v| v.map_or(f64::NAN, f64::from)).collect();
            (target.name.clone(), Some(names), PyArray1::from_vec(py, numbers))
        }
    };
    targets.iter().map(one).collect()
}
