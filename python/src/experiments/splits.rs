//! Splits by a scheme, and scaffolds. Everything is decided by [`einsicht::data::split`].
//!
//! Tested in `python/tests/against_libraries/test_model_selection.py`.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::targets::{TargetIn, targets_from};
use einsicht::data::Split;
use einsicht::data::chem::scaffold_groups as groups_by_scaffold;
use einsicht::data::split::seeded::Fractions;
use einsicht::data::split::{Scheme, SplitPlan};
use pyo3::prelude::*;

/// Indices of the training, validation and test graphs.
pub(crate) type SplitIndices = (Vec<usize>, Vec<usize>, Vec<usize>);

/// The splits of a scheme, repeat by repeat, fold by fold; without folds one per repeat, with fractions.
#[pyfunction]
#[pyo3(signature = (
    graphs, targets, scheme, *, folds = None, valid = 0.0, test = 0.0, repeats = 1, similarity = None, groups = None,
    seed = 0
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn make_splits(
    py: Python<'_>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    scheme: &str,
    folds: Option<usize>,
    valid: f64,
    test: f64,
    repeats: usize,
    similarity: Option<f64>,
    groups: Option<Vec<u32>>,
    seed: u64,
) -> PyResult<Vec<SplitIndices>> {
    let usual = SplitPlan::new(scheme.parse::<Scheme>().map_err(value)?);
    let similarity = similarity.unwrap_or(usual.similarity);
    let plan = SplitPlan { folds, fractions: Fractions { valid, test }, repeats, similarity, seed, ..usual };
    let mut dataset = graphs.dataset().into_owned();
    dataset.targets = targets_from(&targets, dataset.len())?;
    if let Some(groups) = groups.as_ref().filter(|groups| groups.len() != dataset.len()) {
        let (found, wanted) = (groups.len(), dataset.len());
        return Err(value(format!("groups must have one value per graph, but there are {found} for {wanted}")));
    }
    let made = run_detached(py, None, || plan.splits(&dataset, groups.as_deref()))?.map_err(value)?;
    Ok(made.splits.into_iter().map(|Split { train, valid, test, .. }| (train, valid, test)).collect())
}

/// For each graph the number of its scaffold, counted from 0 in the order in which they first come.
#[pyfunction]
pub(crate) fn scaffold_groups(py: Python<'_>, graphs: &Graphs) -> PyResult<Vec<u32>> {
    run_detached(py, None, || groups_by_scaffold(&graphs.dataset()))
}
