//! The only place where our errors become exceptions.
//!
//! What is wrong with values is a `ValueError`, what is wrong with files an `OSError` (`FileNotFoundError` where a file
//! is missing). The texts are the library's own: what must hold, what was given, where.

use einsicht::model::params::{ParamError, Spelling};
use einsicht::train::grid::GridError;
use einsicht::{PlanError, ReadError};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use std::fmt::Display;
use std::io::ErrorKind;

/// A value that must not be.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A parameter that must not be, in the spelling of Python.
pub(crate) fn param(error: ParamError) -> PyErr {
    value(error.message(Spelling::Keyword))
}

/// A grid that must not be; its parameters in the spelling of Python.
pub(crate) fn grid(error: GridError) -> PyErr {
    match error {
        GridError::Param(error) => param(error),
        error => value(error),
    }
}

/// A plan that cannot be carried out.
pub(crate) fn plan(error: PlanError) -> PyErr {
    match error {
        PlanError::Param(error) => param(error),
        PlanError::Grid(error) => grid(error),
        error => value(error),
    }
}

/// Data that cannot be read.
pub(crate) fn read(error: ReadError) -> PyErr {
    match &error {
        ReadError::Open { source, .. } if source.kind() == ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(error.to_string())
        }
        ReadError::Open { .. } | ReadError::Read { .. } => PyOSError::new_err(error.to_string()),
        ReadError::WordAmongNumbers { .. } => value(format!("{error}; task=\"classify\" takes every value as a class")),
        _ => value(error),
    }
}
