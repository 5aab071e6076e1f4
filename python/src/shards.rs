//! `Shard`: the graphs of one worker, for a training over graphs that no single machine mines; what each worker holds,
//! and the way to all of them.
//!
//! Requests, replies and shards are bytes; Python transports them and does not read them. Tested in
//! `python/tests/promises/test_dask_shards.py`.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::interruptible::{default_threads, run_detached};
use crate::prepare::prepare;
use crate::targets::TargetIn;
use einsicht::graph::stop;
use einsicht::search::{GraphShard, SearchError, ShardSource, Shards};
use einsicht::train::fit::Fit;
use einsicht::{FitOptions, Prepared};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// The graphs of one worker.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Shard {
    inner: Mutex<GraphShard>,
    threads: Option<usize>,
}

#[pymethods]
impl Shard {
    /// A shard from the bytes that `shards` gave.
    #[new]
    #[pyo3(signature = (source, *, threads = None))]
    fn new(py: Python<'_>, source: &[u8], threads: Option<usize>) -> PyResult<Self> {
        let shard = run_detached(py, threads, || {
            let mut source = ShardSource::from_bytes(source).map_err(value)?;
            source.params.threads = threads.unwrap_or_else(default_threads);
            GraphShard::new(&source).map_err(value)
        })??;
        Ok(Self { inner: Mutex::new(shard), threads })
    }

    /// Answers a request of the training.
    fn answer<'py>(&self, py: Python<'py>, request: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let reply = run_detached(py, self.threads, || {
            self.inner.lock().unwrap_or_else(PoisonError::into_inner).answer(request)
        })?;
        Ok(PyBytes::new(py, &reply.map_err(value)?))
    }
}

/// What each of at most `count` workers holds for the training that `fit` would start with the same arguments, or for
/// one of its folds.
#[pyfunction]
#[pyo3(signature = (graphs, targets, settings, seed, *, count, fold = None, num_train = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn shards<'py>(
    py: Python<'py>,
    graphs: &Graphs,
    targets: Vec<TargetIn<'_>>,
    settings: &str,
    seed: u64,
    count: usize,
    fold: Option<usize>,
    num_train: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let Prepared { dataset, split, params, .. } = prepare(graphs, &targets, settings, seed, num_train, None)?;
    let sources = run_detached(py, None, || {
        let fit = Fit::new(&dataset, &split, &params, None, &FitOptions::default()).map_err(value)?;
        let sources = fit.shards(fold, count).map_err(value)?;
        Ok::<_, PyErr>(sources.iter().map(ShardSource::to_bytes).collect::<Vec<_>>())
    })??;
    Ok(sources.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

/// Workers behind a Python function from one request for each shard and the number of a fold (None for the training
/// that makes the model) to the list of all replies.
#[derive(Clone)]
pub(crate) struct PythonShards {
    ask: Arc<Py<PyAny>>,
    fold: Option<usize>,
    /// The exception of the function, for the caller of the training.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl PythonShards {
    pub(crate) fn new(ask: Py<PyAny>, raised: &Arc<Mutex<Option<PyErr>>>) -> Self {
        Self { ask: Arc::new(ask), fold: None, raised: Arc::clone(raised) }
    }

    /// The same workers for a fold, or for the training that makes the model.
    pub(crate) fn for_fold(&self, fold: Option<usize>) -> Self {
        Self { fold, ..self.clone() }
    }
}

impl Shards for PythonShards {
    fn ask(&mut self, requests: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SearchError> {
        stop::check();
        Python::attach(|py| {
            let requests: Vec<_> = requests.iter().map(|request| PyBytes::new(py, request)).collect();
            let replies = self.ask.bind(py).call1((requests, self.fold)).and_then(|replies| replies.extract());
            replies.map_err(|error| {
                let reason = error.to_string();
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                SearchError::NoAnswer { worker: 0, reason }
            })
        })
    }
}
