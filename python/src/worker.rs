//! `Worker`: the search of one partition of the tree of subgraphs, for a distributed training; and the connection of the
//! training to all workers.
//!
//! Requests and replies are bytes; Python transports them and does not read them. Tested in `python/tests/test_dask.py`.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::{default_threads, run_detached};
use crate::prepare::{Prepared, prepare};
use crate::targets::TargetIn;
use einsicht::FitOptions;
use einsicht::learn::fit::worker_over;
use einsicht::search::{Partition, SearchError, SearchWorker, Workers};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// The search of one partition of the tree for a training.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Worker {
    inner: Mutex<SearchWorker>,
    threads: Option<usize>,
}

#[pymethods]
impl Worker {
    /// Partition number `index` of `count` for the training that `fit` would start with the same arguments.
    #[new]
    #[pyo3(signature = (graphs, targets, settings, seed, *, index, count, num_train = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        settings: &str,
        seed: u64,
        index: u32,
        count: u32,
        num_train: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let partition = Partition::new(index, count)
            .ok_or_else(|| value(format!("there must be more than {index} partitions, got {count}")))?;
        let Prepared { dataset, split, params } = prepare(graphs, &targets, settings, seed, num_train)?;
        let options = FitOptions { threads: threads.unwrap_or_else(default_threads), memory: None };
        let worker = run_detached(py, threads, || worker_over(&dataset, &split, params.get(), &options, partition))?;
        Ok(Self { inner: Mutex::new(worker.map_err(value)?), threads })
    }

    /// Answers a request of the training.
    fn answer<'py>(&self, py: Python<'py>, request: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = run_detached(py, self.threads, || {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).answer(request)
        })?;
        Ok(PyBytes::new(py, &reply.map_err(value)?))
    }
}

/// Workers behind a Python function from a request to the list of all replies.
pub(crate) struct PythonWorkers {
    pub(crate) ask: Py<PyAny>,
    /// The exception of the function, for the caller of the training.
    pub(crate) raised: Arc<Mutex<Option<PyErr>>>,
}

impl Workers for PythonWorkers {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        Python::attach(|py| {
            let replies = self.ask.bind(py).call1((PyBytes::new(py, request),)).and_then(|all| all.extract());
            replies.map_err(|error| {
                let reason = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                SearchError::NoAnswer { worker: 0, reason }
            })
        })
    }
}
