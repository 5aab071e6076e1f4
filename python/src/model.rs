//! `Model`: a trained model, its parameters, its path and its predictions. Immutable, so threads may share it; its
//! bytes are the model file of the program.

use crate::errors;
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::targets::{TargetIn, targets_from};
use einsicht::data::write::write_whole;
use einsicht::explain::importances;
use einsicht::model::heads::Head;
use einsicht::model::task::coverage::{first_unknown, target_counts};
use einsicht::model::task::num_outputs;
use einsicht::model::{Prediction, SideInput};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A trained model.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Model {
    pub(crate) inner: Arc<einsicht::Model>,
}

impl Model {
    pub(crate) fn of(model: einsicht::Model) -> Self {
        Self { inner: Arc::new(model) }
    }

    pub(crate) fn entry(&self, entry: Option<usize>) -> PyResult<usize> {
        let (entry, entries) = (entry.unwrap_or(self.inner.chosen), self.inner.entries.len());
        if entry < entries {
            return Ok(entry);
        }
        Err(errors::value(format!("the path has {entries} entries, got number {entry}")))
    }
}

#[pymethods]
impl Model {
    /// Reads a model file, checking everything.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| einsicht::Model::from_bytes(bytes)).map(Self::of).map_err(errors::value)
    }

    /// The model as a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_bytes()).map_err(errors::value)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Replaces a file by the model, atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = py.detach(|| self.inner.to_bytes()).map_err(errors::value)?;
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()));
        Ok(py.detach(|| write_whole(&path, &bytes).map_err(named))?)
    }

    /// The whole model as JSON, as `einsicht show --json` has it.
    fn to_json(&self) -> PyResult<String> {
        Ok(self.inner.document().map_err(errors::value)?.to_string())
    }

    /// Index of the chosen entry of the path.
    #[getter]
    fn chosen(&self) -> usize {
        self.inner.chosen
    }

    /// How the graphs of the training were read, as JSON.
    fn reading(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.reading).map_err(errors::value)
    }

    /// For each task the type, the type of the list and the order (ranks) of its classes as they were given, as JSON;
    /// empty if their names by rank tell.
    fn class_values(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.class_values).map_err(errors::value)
    }

    /// The same model with these types and orders, in the form of `class_values`.
    fn with_class_values(&self, values: &str) -> PyResult<Self> {
        let values = serde_json::from_str(values).map_err(errors::value)?;
        let model = einsicht::Model::clone(&self.inner).with_class_values(values);
        model
            .map(Self::of)
            .ok_or_else(|| errors::value("there must be a list of all classes for each task with classes"))
    }

    /// The same model with another entry of the path as the chosen one.
    fn picking(&self, entry: usize) -> PyResult<Self> {
        Ok(Self::of(self.inner.picking(self.entry(Some(entry))?)))
    }

    /// The tasks as JSON: name, and classes or mean and scale.
    fn tasks(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.tasks).map_err(errors::value)
    }

    /// The parameters as JSON, the seed among them.
    fn params(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.params).map_err(errors::value)
    }

    /// The preset and the parameters that deviate from its defaults, as JSON.
    fn settings(&self) -> String {
        json!(self.inner.params.settings()).to_string()
    }

    /// The path as JSON, as `einsicht train --json` has it.
    fn path(&self) -> String {
        json!(self.inner.path_summary(&[])).to_string()
    }

    /// The entry of a size, if the path has it.
    fn entry_of_size(&self, size: usize) -> Option<usize> {
        self.inner.entry_of_size(size)
    }

    /// For each task the predicted class, or value, of each graph, and for each task with classes their probabilities;
    /// then the number of graphs with labels that the model does not know, and of foreign ones: it knows none of their
    /// vertex labels, or none of their edge labels.
    #[pyo3(signature = (graphs, entry = None, threads = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        graphs: &Graphs,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(Vec<TaskPrediction<'py>>, usize, usize)> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let (rows, count) = (graphs.len(), model.tasks.len());
        let (predicted, [unknown_labels, foreign]) = run_detached(py, threads, || {
            let dataset = graphs.qualified(model)?;
            let places: Vec<usize> = (0..rows).collect();
            let predictions = model.predict(entry, &dataset, &places);
            let counts = [&predictions.has_unknown_label, &predictions.is_foreign]
                .map(|graphs| graphs.iter().filter(|graph| **graph).count());
            PyResult::Ok(((0..rows).map(|row| predictions.row(&model.tasks, row)).collect::<Vec<_>>(), counts))
        })??;
        Ok((by_task(py, &predicted, count)?, unknown_labels, foreign))
    }

    /// The same for graphs that the model has seen, by models that had not seen them, and the positions of these
    /// graphs. Graphs that it has never seen, or that no such model has predicted, are left out.
    #[pyo3(signature = (graphs, entry = None, threads = None))]
    fn out_of_fold<'py>(
        &self,
        py: Python<'py>,
        graphs: &Graphs,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(Vec<TaskPrediction<'py>>, Vec<usize>)> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let (predicted, held_out) = run_detached(py, threads, || {
            let dataset = graphs.qualified(model)?;
            let sorted = model.sort_by_seen(&dataset, &(0..dataset.len()).collect::<Vec<_>>());
            let predictions = model.out_of_fold_predictions(entry, &sorted);
            let rows = 0..sorted.out_of_fold.len();
            PyResult::Ok((rows.map(|row| predictions.row(&model.tasks, row)).collect::<Vec<_>>(), sorted.out_of_fold))
        })??;
        Ok((by_task(py, &predicted, model.tasks.len())?, held_out))
    }

    /// How well the training predicts graphs that it has not seen, as JSON: metrics with intervals, graphs and folds.
    fn estimate(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.estimate).map_err(errors::value)
    }

    /// Metrics as JSON, as `einsicht evaluate --json` has them. Classes that the model does not know are an error, or
    /// with `skip_unknown` left out and counted.
    #[pyo3(signature = (graphs, targets, skip_unknown, entry = None, threads = None))]
    fn evaluate(
        &self,
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        skip_unknown: bool,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let mut dataset = graphs.qualified(model)?.into_owned();
        dataset.targets = targets_from(&targets, dataset.len())?;
        let has = |name: &String| dataset.targets.iter().any(|target| target.name == *name);
        let tasks: Vec<usize> = (0..model.tasks.len()).filter(|&at| has(&model.tasks[at].name)).collect();
        let rows: Vec<usize> = (0..dataset.len()).collect();
        let found = run_detached(py, threads, || {
            let counts = target_counts(&model.tasks, &dataset, &rows).map_err(errors::value)?;
            match first_unknown(&model.tasks, &counts).filter(|_| !skip_unknown) {
                Some(unknown) => Err(errors::value(unknown)),
                None => model.evaluation(entry, &tasks, &dataset, &rows).map_err(errors::value),
            }
        })??;
        Ok(found.document().to_string())
    }

    /// Outputs before any decision: logits, or standardised regression targets; one row per graph.
    #[pyo3(signature = (graphs, entry = None, threads = None))]
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        graphs: &Graphs,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let places: Vec<usize> = (0..graphs.len()).collect();
        let predictions = run_detached(py, threads, || {
            graphs.qualified(model).map(|dataset| model.predict(entry, &dataset, &places))
        })??;
        matrix(py, predictions.outputs, [graphs.len(), num_outputs(&model.tasks)])
    }

    /// The count of each pattern of an entry in each graph (1 or 0 if the model reads presence); one row per graph.
    #[pyo3(signature = (graphs, entry = None, threads = None))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        graphs: &Graphs,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (entry, model) = (self.entry(entry)?, &self.inner);
        let iterate = &model.entries[entry].iterate;
        let counts = run_detached(py, threads, || {
            let dataset = graphs.qualified(model)?;
            PyResult::Ok(model.counts(&model.supports(iterate, &dataset, &dataset.graphs), dataset.len()))
        })??;
        matrix(py, counts, [graphs.len(), iterate.patterns.len()])
    }

    /// The linear part of an entry's head: for each output a row with the weight of each term and then the offset; and
    /// the pairs behind the other terms, by the places of their patterns. None without a linear part.
    #[pyo3(signature = (entry = None))]
    fn linear<'py>(&self, py: Python<'py>, entry: Option<usize>) -> PyResult<Option<Linear<'py>>> {
        let head = self.inner.entries[self.entry(entry)?].head.as_ref();
        let Some(part) = head.and_then(Head::linear_part) else { return Ok(None) };
        let outputs = num_outputs(&self.inner.tasks);
        let row = |output| part.of_output(output).iter().copied().chain([part.offset(output)]);
        let table: Vec<f64> = (0..outputs).flat_map(row).collect();
        let width = table.len() / outputs;
        let pairs = part.pairs(0).map(|(pair, _)| pair.columns).collect();
        Ok(Some((matrix(py, table, [outputs, width])?, pairs)))
    }

    /// What the linear part of an entry's head multiplies by these weights; one row per graph.
    #[pyo3(signature = (graphs, entry = None, threads = None))]
    fn linear_terms<'py>(
        &self,
        py: Python<'py>,
        graphs: &Graphs,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (entry, model, rows) = (self.entry(entry)?, &self.inner, graphs.len());
        let terms = run_detached(py, threads, || {
            PyResult::Ok(model.linear_terms(entry, graphs.qualified(model)?.as_ref()).unwrap_or_default())
        })??;
        let columns = terms.len() / rows.max(1);
        matrix(py, terms, [rows, columns])
    }

    /// What the model reads besides its patterns: names among those of features, number of columns, and whether it is a
    /// column of the data.
    fn side_inputs(&self) -> Vec<(String, usize, bool)> {
        let one = |side: SideInput| (side.feature_name(), side.columns.len(), side.is_column);
        self.inner.side_inputs().into_iter().map(one).collect()
    }

    /// The importance of every feature of an entry in parts of 1: its mean absolute Shapley value over the background.
    #[pyo3(signature = (entry = None, threads = None))]
    fn importances<'py>(
        &self,
        py: Python<'py>,
        entry: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let entry = self.entry(entry)?;
        let found = run_detached(py, threads, || importances(&self.inner, entry))?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// A copy of the file, for pickling; pickle keeps it once for all that share the model.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}

/// Weights and offset of each output, and pairs of patterns.
type Linear<'py> = (Bound<'py, PyArray2<f64>>, Vec<[usize; 2]>);

/// Values of one task, and probabilities of its classes.
type TaskPrediction<'py> = (Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray2<f64>>>);

/// The predictions of all tasks for each graph, by task.
fn by_task<'py>(py: Python<'py>, predicted: &[Vec<Prediction>], count: usize) -> PyResult<Vec<TaskPrediction<'py>>> {
    let mut tasks = Vec::with_capacity(count);
    for task in 0..count {
        let (mut values, mut all) = (Vec::with_capacity(predicted.len()), Vec::new());
        for row in predicted {
            match &row[task] {
                Prediction::Value(value) => values.push(*value),
                Prediction::Class { class, probabilities } => {
                    values.push(*class as f64);
                    all.extend_from_slice(probabilities);
                }
            }
        }
        let width = all.len() / predicted.len().max(1);
        let probabilities = if width > 0 { Some(matrix(py, all, [predicted.len(), width])?) } else { None };
        tasks.push((PyArray1::from_vec(py, values), probabilities));
    }
    Ok(tasks)
}

/// Rows of numbers, one after the other; there may be no column, but the rows are there.
pub(crate) fn matrix(py: Python<'_>, values: Vec<f64>, shape: [usize; 2]) -> PyResult<Bound<'_, PyArray2<f64>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}
