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
use einsicht::data::Split;
use einsicht::learn::fit::{Fit, settled, worker_over};
use einsicht::search::{Partition, SearchError, SearchWorker, Shards, Workers};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The search of one partition of the tree for a training.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Worker {
    inner: Mutex<SearchWorker>,
    threads: Option<usize>,
}

#[pymethods]
impl Worker {
    /// Partition number `index` of `count` for the training that `fit` would start with the same arguments, or for one of its folds.
    #[new]
    #[pyo3(signature = (graphs, targets, settings, seed, *, index, count, fold = None, num_train = None, threads = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        graphs: &Graphs,
        targets: Vec<TargetIn<'_>>,
        settings: &str,
        seed: u64,
        index: u32,
        count: u32,
        fold: Option<usize>,
        num_train: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let partition = Partition::new(index, count)
            .ok_or_else(|| value(format!("there must be more than {index} partitions, got {count}")))?;
        let Prepared { dataset, split, params } = prepare(graphs, &targets, settings, seed, num_train)?;
        let options = FitOptions { threads: threads.unwrap_or_else(default_threads), memory: None };
        let worker = run_detached(py, threads, || {
            let params = settled(&dataset, &split, &params).map_err(value)?;
            let split = match fold {
                None => split,
                Some(fold) => {
                    let of_fold = Fit::new(&dataset, &split, &params, None, &options).map_err(value)?.fold_split(fold);
                    let of_fold = of_fold.ok_or_else(|| value(format!("there is no fold {fold}")))?;
                    Split { train: of_fold.train, ..Split::default() }
                }
            };
            worker_over(&dataset, &split, params.get(), &options, partition).map_err(value)
        })??;
        Ok(Self { inner: Mutex::new(worker), threads })
    }

    /// Answers a request of the training.
    fn answer<'py>(&self, py: Python<'py>, request: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = run_detached(py, self.threads, || {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).answer(request)
        })?;
        Ok(PyBytes::new(py, &reply.map_err(value)?))
    }
}

/// Workers behind a Python function from a request (or one request for each shard) and the number of a fold (None for the training that makes
/// the model) to the list of all replies.
#[derive(Clone)]
pub(crate) struct PythonWorkers {
    ask: Arc<Py<PyAny>>,
    fold: Option<usize>,
    /// Stops the searches of folds once it is set.
    stop: Arc<AtomicBool>,
    /// The exception of the function, for the caller of the training.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl PythonWorkers {
    pub(crate) fn new(ask: Py<PyAny>, raised: &Arc<Mutex<Option<PyErr>>>) -> Self {
        Self { ask: Arc::new(ask), fold: None, stop: Arc::default(), raised: Arc::clone(raised) }
    }

    /// The same workers for a fold.
    pub(crate) fn for_fold(&self, fold: usize, stop: &Arc<AtomicBool>) -> Self {
        Self { fold: Some(fold), stop: Arc::clone(stop), ..self.clone() }
    }

    fn call(&self, call: impl FnOnce(Python<'_>) -> PyResult<Vec<Vec<u8>>>) -> Result<Vec<Vec<u8>>, SearchError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(SearchError::Stopped);
        }
        Python::attach(|py| {
            call(py).map_err(|error| {
                let reason = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                SearchError::NoAnswer { worker: 0, reason }
            })
        })
    }
}

impl Workers for PythonWorkers {
    fn ask(&mut self, request: &[u8]) -> Result<Vec<Vec<u8>>, SearchError> {
        self.call(|py| self.ask.bind(py).call1((PyBytes::new(py, request), self.fold))?.extract())
    }
}

impl Shards for PythonWorkers {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        self.call(|py| {
            let requests: Vec<_> = requests.iter().map(|request| PyBytes::new(py, request)).collect();
            self.ask.bind(py).call1((requests, self.fold))?.extract()
        })
    }
}
