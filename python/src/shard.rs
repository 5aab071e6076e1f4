//! `Shard`: one share of the search tree of a training that is spread over several places, and how the training asks.
//!
//! Questions and answers are bytes; Python carries them and does not look inside.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::prepare::{Prepared, prepare};
use crate::targets::TargetIn;
use crate::watch;
use einsicht::FitOptions;
use einsicht::learn::fit::worker_over;
use einsicht::search::{SearchError, SearchWorker, Shards, Partition};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// One share of the search tree of a training.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Shard {
    inner: Mutex<SearchWorker>,
    threads: Option<usize>,
}

#[pymethods]
impl Shard {
    /// Share number `at` of `of` for the training that `fit` would start with the same arguments.
    #[new]
    #[pyo3(signature = (graphs, targets, wishes, seed, *, at, of, num_train = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        wishes: &str,
        seed: u64,
        at: u32,
        of: u32,
        num_train: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let share =
            Partition::new(at, of).ok_or_else(|| value(format!("there must be more than {at} shares, got {of}")))?;
        let Prepared { dataset, split, params } = prepare(graphs, &targets, wishes, seed, num_train)?;
        let options = FitOptions { threads: threads.unwrap_or_else(watch::cores), memory: None };
        let shard = watch::run(py, threads, || worker_over(&dataset, &split, params.get(), &options, share))?;
        Ok(Self { inner: Mutex::new(shard.map_err(value)?), threads })
    }

    /// Answers a question of the training.
    fn answer<'py>(&self, py: Python<'py>, question: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let answer = watch::run(py, self.threads, || {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).answer(question)
        })?;
        Ok(PyBytes::new(py, &answer.map_err(value)?))
    }
}

/// Shards behind a Python function from a question to the list of all answers.
pub(crate) struct PythonShards {
    pub(crate) ask: Py<PyAny>,
    /// What the function raised, for whoever started the training.
    pub(crate) raised: Arc<Mutex<Option<PyErr>>>,
}

impl Shards for PythonShards {
    fn ask(&mut self, question: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        Python::attach(|py| {
            let answers = self.ask.bind(py).call1((PyBytes::new(py, question),)).and_then(|all| all.extract());
            answers.map_err(|error| {
                let reason = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                SearchError::NoAnswer { worker: 0, reason }
            })
        })
    }
}
