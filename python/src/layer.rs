//! `Layer`: the mining layer of a network that lives in Python. Search and hard-thresholding step are the library's.
//!
//! Patterns travel as five-tuples in the labels of the layer's own graphs; other graphs are matched by the names of
//! their labels. The search runs with the interpreter lock released; the loss is evaluated in the calling thread, since
//! PyTorch keeps what it records per thread. Tested in `python/tests/with_torch/test_torch_layer.py`.

use crate::errors::{param, value};
use crate::graphs::Graphs;
use crate::interruptible::run_detached;
use crate::model::matrix;
use crate::patterns::named_code;
use crate::prepare::fit_options;
use einsicht::data::Names;
use einsicht::data::Qualifiers;
use einsicht::data::read::Reading;
use einsicht::graph::DfsCode;
use einsicht::graph::matching::{PatternSet, Scratch};
use einsicht::model::PatternWeights;
use einsicht::model::features::{codes_by_name, supports_of};
use einsicht::search::bound::Delta;
use einsicht::search::code_tuples::{from_tuples, to_tuples};
use einsicht::search::feature::Values;
use einsicht::search::{BudgetedSearch, SearchError, SearchStats, SkipReason};
use einsicht::train::external::{ExternalLayer, StepRules};
use einsicht::train::fit::search_over;
use einsicht::{Graph, TrainParams, Vocabulary};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A pattern as five-tuples `(from, to, from label, edge label, to label)`; for a single vertex and for qualifiers see
/// [`einsicht::search::code_tuples`].
type Code = Vec<[u32; 5]>;

/// Vertices, and edges by their ends.
type Covered = (Vec<u32>, Vec<(u32, u32)>);

/// Pattern, gradient, score.
type Candidate = (Code, Vec<f64>, f64);

/// Patterns visited, and subtrees skipped by the name of the reason.
type Counters = (u64, BTreeMap<&'static str, u64>);

/// A search over some graphs; its tree is kept between calls.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Layer {
    inner: Mutex<ExternalLayer<BudgetedSearch>>,
    labels: [Vocabulary; 2],
    qualifiers: Qualifiers,
    reading: Reading,
    graphs: usize,
    params: TrainParams,
    threads: Option<usize>,
}

impl Layer {
    fn rules(&self, size: usize, is_mean: bool) -> PyResult<StepRules> {
        if size == 0 {
            return Err(value("size must be at least 1, got 0"));
        }
        // Steps are scaled by the number of terms of a loss that is a sum; a mean is one term.
        Ok(StepRules::new(&self.params, size, if is_mean { 1.0 } else { self.graphs as f64 }))
    }

    /// Runs a query of the search with the interpreter lock released.
    fn query<R: Send>(
        &self,
        py: Python<'_>,
        query: impl FnOnce(&mut ExternalLayer<BudgetedSearch>) -> Result<R, SearchError> + Send,
    ) -> PyResult<R> {
        let answer =
            run_detached(py, self.threads, || query(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))?;
        answer.map_err(value)
    }

    fn names(&self) -> Names<'_> {
        let [vertex_labels, edge_labels] = &self.labels;
        Names { vertex_labels, edge_labels, qualifiers: &self.qualifiers }
    }

    /// Refuses graphs that were read another way than those of the layer.
    fn check_reading(&self, graphs: &Graphs) -> PyResult<()> {
        self.reading.check(self.names(), &graphs.dataset()).map_err(value)
    }

    fn values(&self) -> Values {
        self.params.values()
    }

    /// Row after row the value of each code in the graphs of these supports.
    fn table(&self, supports: &[std::sync::Arc<einsicht::graph::Support>], rows: usize) -> Vec<f64> {
        let mut table = vec![0.0; rows * supports.len()];
        for (at, support) in supports.iter().enumerate() {
            for (graph, value) in self.values().column(support).cells() {
                table[graph * supports.len() + at] = value;
            }
        }
        table
    }
}

#[pymethods]
impl Layer {
    /// A layer over these graphs; `params` is a JSON object of training parameters that differ from preset `ein`.
    #[new]
    #[pyo3(signature = (graphs, params, threads = None))]
    fn new(py: Python<'_>, graphs: &Graphs, params: &str, threads: Option<usize>) -> PyResult<Self> {
        let mut params = params_from(params)?.check().map_err(param)?.get().clone();
        let options = fit_options(threads, None)?;
        let dataset = params.qualify(graphs.dataset().into_owned()).map_err(value)?;
        let search =
            run_detached(py, threads, || search_over(dataset.graphs.clone(), &params, &options))?.map_err(value)?;
        Ok(Self {
            inner: Mutex::new(ExternalLayer::new(search, params.unit, params.values())),
            graphs: dataset.len(),
            labels: [dataset.vertex_labels, dataset.edge_labels],
            qualifiers: dataset.qualifiers,
            reading: dataset.reading,
            params,
            threads,
        })
    }

    /// The exact search: all patterns that can be among the `size` best after a step. Gives the candidates, best first,
    /// the gradient and score of each active pattern, the threshold, and counters.
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn search(
        &self,
        py: Python<'_>,
        delta: PyReadonlyArray2<'_, f64>,
        active: Vec<(Code, Vec<f64>)>,
        size: usize,
        is_mean: bool,
    ) -> PyResult<(Vec<Candidate>, Vec<(Vec<f64>, f64)>, f64, Counters)> {
        let (rules, active) = (self.rules(size, is_mean)?, weights(active)?);
        let (delta, hidden) = numbers(&delta)?;
        let found = self.query(py, |inner| inner.search(Delta::new(&delta, hidden)?, &active, &rules))?;
        let candidates = found.candidates.into_iter().map(|c| (to_tuples(&c.code), c.gradient, c.score)).collect();
        let active = found.active.into_iter().map(|a| (a.gradient, a.score)).collect();
        Ok((candidates, active, found.zeta, counters(&found.stats)))
    }

    /// The search, then one hard-thresholding step. `loss` takes the sums of the layer, without bias, for all graphs.
    /// Gives the accepted step size, if one was, and the patterns with their weights.
    #[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "a call and a tuple for Python")]
    fn step(
        &self,
        py: Python<'_>,
        delta: PyReadonlyArray2<'_, f64>,
        active: Vec<(Code, Vec<f64>)>,
        size: usize,
        is_mean: bool,
        loss_before: f64,
        loss: Bound<'_, PyAny>,
    ) -> PyResult<(Option<f64>, Vec<(Code, Vec<f64>)>, Counters)> {
        let (rules, active) = (self.rules(size, is_mean)?, weights(active)?);
        let (delta, hidden) = numbers(&delta)?;
        let prepare_step = self.query(py, |inner| inner.prepare_step(Delta::new(&delta, hidden)?, &active, rules))?;
        let mut raised = None;
        let stepped = prepare_step.step(loss_before, |sums| {
            let evaluate =
                || loss.call1((matrix(py, sums.to_vec(), [sums.len() / hidden, hidden])?,))?.extract::<f64>();
            // A loss of NaN is never accepted, so no step is accepted after an exception.
            let answer = if raised.is_some() { Ok(f64::NAN) } else { evaluate() };
            answer.unwrap_or_else(|error| {
                raised = Some(error);
                f64::NAN
            })
        });
        if let Some(error) = raised {
            return Err(error);
        }
        let patterns = stepped.patterns.into_iter().map(|(p, _)| (to_tuples(&p.code), p.weights)).collect();
        Ok((stepped.step, patterns, counters(&stepped.stats)))
    }

    /// The value of each pattern in each graph of the layer; one row per graph.
    fn columns<'py>(&self, py: Python<'py>, codes: Vec<Code>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let codes = read_codes(&codes)?;
        let supports =
            self.query(py, |inner| codes.iter().map(|code| inner.support(code)).collect::<Result<Vec<_>, _>>())?;
        rows(py, self.table(&supports, self.graphs), [self.graphs, codes.len()])
    }

    /// The value of each pattern in each graph of another set; one row per graph.
    fn match_in<'py>(&self, py: Python<'py>, graphs: &Graphs, codes: Vec<Code>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let codes = read_codes(&codes)?;
        self.check_reading(graphs)?;
        let table = run_detached(py, self.threads, || {
            let dataset = graphs.with_qualifiers(&self.qualifiers).map_err(value)?;
            let codes = codes_by_name(self.names(), &codes, &dataset);
            PyResult::Ok(self.table(&supports_of(&codes, &dataset.graphs, self.values()), dataset.len()))
        })??;
        rows(py, table, [graphs.len(), codes.len()])
    }

    /// For each pattern the vertices and the edges that it covers in one graph of another set, from its first `limit`
    /// embeddings.
    fn covered(&self, graphs: &Graphs, at: usize, codes: Vec<Code>, limit: usize) -> PyResult<Vec<Covered>> {
        let codes = read_codes(&codes)?;
        let count = graphs.len();
        if at >= count {
            return Err(value(format!("at must be less than {count}, the number of graphs, got {at}")));
        }
        self.check_reading(graphs)?;
        let dataset = graphs.qualified_graph(at, &self.qualifiers)?;
        let codes = codes_by_name(self.names(), &codes, &dataset);
        let mut scratch = Scratch::default();
        let of = |code: &Option<DfsCode>| {
            code.as_ref().map_or_else(Covered::default, |code| covered(code, &dataset.graphs[0], limit, &mut scratch))
        };
        Ok(codes.iter().map(of).collect())
    }

    /// A pattern as JSON: vertices, edges, one-line text, words, SMARTS.
    fn pattern(&self, code: Code) -> PyResult<String> {
        let code = from_tuples(&code).map_err(value)?;
        let [vertices, edges] = self.labels.each_ref().map(Vocabulary::len);
        let is_known = code.vertex_labels().iter().all(|label| label.index() < vertices)
            && code.edges().iter().all(|edge| edge.edge_label.index() < edges)
            && code.qualifiers().iter().all(|qualifier| (qualifier.value as usize) < self.qualifiers.len());
        if !is_known {
            return Err(value("labels and qualifiers of the pattern must be those of the layer's graphs"));
        }
        Ok(json!(named_code(self.names(), &code)).to_string())
    }

    /// Labels of vertices and edges, and qualifiers, as the numbers in codes count them, and what is read of a
    /// subgraph; as JSON.
    fn tokens(&self) -> String {
        let [vertex, edge] = self.labels.each_ref().map(Vocabulary::tokens);
        let (qualifiers, values) = (&self.qualifiers, self.values());
        json!({ "vertex_labels": vertex, "edge_labels": edge, "qualifiers": qualifiers, "values": values }).to_string()
    }

    /// Most five-tuples that a code can have: edges, or a vertex, and qualifiers.
    fn code_length(&self) -> usize {
        self.params.max_edges + if self.qualifiers.is_empty() { 0 } else { self.params.max_qualifiers }
    }

    /// Number of graphs.
    fn __len__(&self) -> usize {
        self.graphs
    }
}

/// The vertices and edges that a pattern covers in a graph, each once, increasing.
fn covered(code: &DfsCode, graph: &Graph, limit: usize, scratch: &mut Scratch) -> Covered {
    let set = PatternSet::new(std::slice::from_ref(code));
    let mut edges = set.distinct_embeddings(0, graph, limit, scratch).concat();
    edges.sort_unstable();
    edges.dedup();
    let edges: Vec<(u32, u32)> =
        edges.into_iter().map(|edge| &graph.edges()[edge.index()]).map(|e| (e.from.0, e.to.0)).collect();
    let mut vertices: Vec<u32> = if code.edges().is_empty() {
        set.embeddings(0, graph, limit, scratch).into_iter().flatten().map(|vertex| vertex.0).collect()
    } else {
        edges.iter().flat_map(|&(from, to)| [from, to]).collect()
    };
    vertices.sort_unstable();
    vertices.dedup();
    (vertices, edges)
}

fn read_codes(codes: &[Code]) -> PyResult<Vec<DfsCode>> {
    codes.iter().map(|code| from_tuples(code).map_err(value)).collect()
}

fn weights(active: Vec<(Code, Vec<f64>)>) -> PyResult<Vec<PatternWeights>> {
    let one =
        |(code, weights): (Code, Vec<f64>)| Ok(PatternWeights { code: from_tuples(&code).map_err(value)?, weights });
    active.into_iter().map(one).collect()
}

fn numbers(delta: &PyReadonlyArray2<'_, f64>) -> PyResult<(Vec<f64>, usize)> {
    let array = delta.as_array();
    let hidden = array.ncols();
    if hidden == 0 {
        return Err(value("delta must have at least one hidden unit, but has none"));
    }
    Ok((array.iter().copied().collect(), hidden))
}

fn rows(py: Python<'_>, table: Vec<f64>, shape: [usize; 2]) -> PyResult<Bound<'_, PyArray2<f64>>> {
    PyArray1::from_vec(py, table).reshape(shape)
}

fn counters(stats: &SearchStats) -> Counters {
    (stats.visited, SkipReason::ALL.map(|reason| (reason.name(), stats.skips[reason])).into())
}

/// The parameters of preset `ein` with those that a JSON object gives.
fn params_from(settings: &str) -> PyResult<TrainParams> {
    let given: serde_json::Map<String, serde_json::Value> = serde_json::from_str(settings).map_err(value)?;
    TrainParams::ein().with(given.iter().map(|(name, value)| (name.as_str(), value))).map_err(param)
}
