//! Subgraphs that go with a target. Everything is decided by [`einsicht::associations`].
//!
//! Tested in `python/tests/test_significance.py`.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::targets::{TargetIn, targets_from};
use einsicht::associations::{Associations, Question};
use einsicht::data::{QualifierChoice, Qualifiers};
use einsicht::model::params::MinSupport;
use einsicht::significance::{SignificanceError, Strata};
use pyo3::prelude::*;

/// What to test.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    min_edges: usize,
    max_edges: usize,
    min_support: String,
    qualifiers: String,
    permutations: u32,
    alpha: f64,
    seed: u64,
    threads: Option<usize>,
}

/// Which graphs are exchanged: a word, or a number for each graph.
#[derive(FromPyObject)]
pub(crate) enum StrataIn {
    Named(String),
    Given(Vec<u32>),
}

/// All that was found, as a JSON document.
#[pyfunction]
pub(crate) fn significant(
    py: Python<'_>,
    graphs: &Graphs,
    target: TargetIn<'_>,
    strata: Option<StrataIn>,
    options: Options,
) -> PyResult<String> {
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(&[target], dataset.len())?;
    let qualifiers: QualifierChoice = options.qualifiers.parse().map_err(value)?;
    let dataset = Qualifiers::chosen_for(dataset, &qualifiers).map_err(value)?;
    let min_support = options.min_support.parse::<MinSupport>().map_err(value)?;
    let strata = match strata {
        None => None,
        Some(StrataIn::Given(of)) => Some(of),
        Some(StrataIn::Named(word)) => Some(word.parse::<Strata>().map_err(value)?.of(&dataset)),
    };
    let Options { min_edges, max_edges, permutations, alpha, seed, threads, .. } = options;
    let question = Question { min_edges, max_edges, min_support, qualifiers, permutations, alpha, seed };
    let found = run_detached(py, threads, || {
        let found = Associations::of(&dataset, &dataset.targets[0], strata.as_deref(), &question)?;
        Ok::<String, SignificanceError>(found.document(&question).to_string())
    })?;
    found.map_err(value)
}
