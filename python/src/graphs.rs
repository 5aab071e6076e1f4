//! `Graphs`: a data set, or a view of one. A view is a list of rows; graphs are copied only when they are used.
//!
//! Promise: a view behaves as if its graphs had been read alone, down to the numbers of its labels. Immutable, so
//! threads may share it.

use crate::errors;
use crate::interruptible::run_detached;
use crate::options::read_options;
use crate::targets::{TargetOut, targets_to};
use einsicht::data::read::{EdgeLabels, OnBad, Reading, WholeNumbers, from_jsonl, read_smiles_with, target_of_values};
use einsicht::data::write::to_jsonl;
use einsicht::data::{DatasetBuilder, FeatureColumn, FeatureError, Origin, PropertyColumn, QualifierError, Qualifiers};
use einsicht::model::side::EncodeError;
use einsicht::report::draw::{Palette, draw};
use einsicht::{Dataset, Model, ReadOptions, VertexId};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A vertex list and an edge list, with labels as tokens.
type LabelledGraph = (Vec<String>, Vec<(u32, u32, String)>);

/// A graph, or the reason why it cannot be read.
#[derive(FromPyObject)]
enum GraphIn {
    Labelled(LabelledGraph),
    Bad(String),
}

/// Properties by name: for each graph one word per vertex, or none.
type Properties = BTreeMap<String, Vec<Vec<Option<String>>>>;

/// Names of columns, and for each graph one number per column.
type FeatureTable = (Vec<String>, Vec<Vec<f64>>);

/// Graphs with labels, and targets where the source has some.
#[pyclass(frozen, module = "einsicht._core")]
pub(crate) struct Graphs {
    base: Arc<Dataset>,
    /// Rows of the base; all of them if absent.
    rows: Option<Vec<usize>>,
}

impl Graphs {
    pub(crate) fn of(dataset: Dataset) -> Self {
        Self { base: Arc::new(dataset), rows: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.base.len(), Vec::len)
    }

    /// The data set as if it had been read alone.
    pub(crate) fn dataset(&self) -> Cow<'_, Dataset> {
        match &self.rows {
            None => Cow::Borrowed(&self.base),
            Some(rows) => {
                let mut part = self.base.subset(rows);
                part.forget_unused_labels();
                Cow::Owned(part)
            }
        }
    }

    /// The data set as a model reads it, with the qualifiers of the model's table, if the graphs were read as those of
    /// its training: every use of a model with graphs goes through here, or through [`Self::qualified_graph`]. Copies
    /// the graphs only if the table changes something.
    pub(crate) fn qualified(&self, model: &Model) -> PyResult<Cow<'_, Dataset>> {
        // Before the table, which would refuse properties that another way of reading has not.
        model.reading.check(model.names(), &self.dataset()).map_err(errors::value)?;
        let dataset = self.with_qualifiers(&model.qualifiers).map_err(errors::value)?;
        model.check_data(&dataset).map_err(|error| match error {
            EncodeError::NoFeature { .. } => errors::value(format!(
                "{error}: give the graphs with it, as in GraphSet.from_smiles(smiles, features=frame[[\"{}\"]])",
                model.features().map(|feature| feature.name.as_str()).collect::<Vec<_>>().join("\", \"")
            )),
            _ => errors::value(error),
        })?;
        Ok(dataset)
    }

    /// The data set with the qualifiers of a table. Copies the graphs only if the table changes something.
    pub(crate) fn with_qualifiers(&self, table: &Qualifiers) -> Result<Cow<'_, Dataset>, QualifierError> {
        let dataset = self.dataset();
        if table.is_identity() { Ok(dataset) } else { table.apply(dataset.into_owned()).map(Cow::Owned) }
    }

    /// One graph as a data set of its own with the qualifiers of a table. The labels are those of the whole set, so
    /// that they keep their colours.
    pub(crate) fn qualified_graph(&self, at: usize, table: &Qualifiers) -> PyResult<Dataset> {
        table.apply(self.base.subset(&[self.row(at)?])).map_err(errors::value)
    }

    fn row(&self, at: usize) -> PyResult<usize> {
        if at >= self.len() {
            return Err(PyIndexError::new_err(format!("there are {} graphs, got index {at}", self.len())));
        }
        Ok(self.rows.as_ref().map_or(at, |rows| rows[at]))
    }
}

#[pymethods]
impl Graphs {
    /// Reads a file or a folder.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = read_options(options)?;
        run_detached(py, None, || einsicht::read(&path, &options))?.map(Self::of).map_err(errors::read)
    }

    /// What was decided about targets of whole numbers that may be classes or a scale, and what decides otherwise.
    fn close_calls(&self) -> Vec<String> {
        let calls = self.base.targets.iter().filter_map(WholeNumbers::of);
        let otherwise =
            |call: &WholeNumbers| if call.as_classes { ("regress", "numbers") } else { ("classify", "classes") };
        calls
            .map(|call| (otherwise(&call), call))
            .map(|((task, other), call)| format!("{call}; task=\"{task}\" reads them as {other}"))
            .collect()
    }

    /// Reads a list of SMILES; None is a row without one. `features` are names of columns, and for each row one number
    /// per column.
    #[staticmethod]
    #[pyo3(signature = (smiles, options, features = None))]
    fn from_smiles(
        py: Python<'_>,
        smiles: Vec<Option<String>>,
        options: &Bound<'_, PyDict>,
        features: Option<FeatureTable>,
    ) -> PyResult<Self> {
        let options = read_options(options)?;
        let smiles: Vec<String> = smiles.into_iter().map(Option::unwrap_or_default).collect();
        let features = feature_columns(features, smiles.len())?;
        run_detached(py, None, || read_smiles_with(&smiles, &features, &options))?.map(Self::of).map_err(errors::read)
    }

    /// Graphs from labels as tokens. `keywords` are those of the constructor, as JSON, to be kept with the graphs;
    /// `attributes` holds for each graph its values, vertex after vertex, `properties` by name for each graph one word
    /// per vertex, or None; `features` as in `from_smiles`.
    #[staticmethod]
    #[pyo3(signature = (name, graphs, attributes, options, properties = None, keywords = None, features = None))]
    #[expect(clippy::too_many_arguments, reason = "the interpreter is one of them")]
    fn build(
        py: Python<'_>,
        name: &str,
        graphs: Vec<GraphIn>,
        attributes: Option<(usize, Vec<Vec<f64>>)>,
        options: &Bound<'_, PyDict>,
        properties: Option<Properties>,
        keywords: Option<&str>,
        features: Option<FeatureTable>,
    ) -> PyResult<Self> {
        let options = read_options(options)?;
        let features = feature_columns(features, graphs.len())?;
        let properties = properties.unwrap_or_default();
        let mut builder = DatasetBuilder::new(name, name, &options);
        builder.set_reading(reading(&options, keywords)?);
        if let Some((columns, _)) = &attributes {
            builder.set_attribute_columns(*columns);
        }
        builder.set_features(features.iter().map(|column| &column.name));
        for (row, graph) in graphs.iter().enumerate() {
            if row % 1024 == 0 {
                py.check_signals()?;
            }
            let origin = Origin { row: row as u32, line: 0 };
            let (vertices, edges) = match graph {
                GraphIn::Labelled(graph) => graph,
                GraphIn::Bad(reason) => {
                    builder.skip(origin, reason);
                    continue;
                }
            };
            builder.begin(origin, &row.to_string());
            let refuse = |error| errors::value(format!("graph {row}: {error}"));
            for label in vertices {
                builder.vertex(label).map_err(refuse)?;
            }
            for (from, to, label) in edges {
                builder.edge(*from, *to, label).map_err(refuse)?;
            }
            if let Some((columns, values)) = &attributes {
                let given = values.get(row).map_or(&[][..], Vec::as_slice);
                if given.len() != columns * vertices.len() {
                    let wanted = format!("graph {row}: {} vertices need {columns} attributes each", vertices.len());
                    return Err(errors::value(format!("{wanted}, but there are {} values", given.len())));
                }
                builder.attributes(given);
            }
            for (name, words) in &properties {
                let given = words.get(row).map_or(&[][..], Vec::as_slice);
                set_property(&mut builder, name, given, vertices.len())
                    .map_err(|problem| errors::value(format!("graph {row}: {problem}")))?;
            }
            let mut columns = features.iter().enumerate();
            match columns.try_for_each(|(at, column)| builder.feature(at, &column.word(row))) {
                Ok(()) => builder.end(),
                Err(problem) if options.on_bad == OnBad::Stop => {
                    return Err(errors::value(format!("graph {row}: {problem}")));
                }
                Err(problem) => builder.skip(origin, problem.to_string()),
            }
        }
        builder.finish().map(Self::of).map_err(errors::read)
    }

    /// The graphs of all sets, one after the other; views of one set stay a view of it.
    #[staticmethod]
    fn join(sets: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        if let Some(first) = sets.first().filter(|first| sets.iter().all(|set| Arc::ptr_eq(&set.base, &first.base))) {
            let all = |set: &PyRef<'_, Self>| set.rows.clone().unwrap_or_else(|| (0..set.base.len()).collect());
            return Ok(Self { base: Arc::clone(&first.base), rows: Some(sets.iter().flat_map(all).collect()) });
        }
        let parts: Vec<Cow<'_, Dataset>> = sets.iter().map(|set| set.dataset()).collect();
        let parts: Vec<&Dataset> = parts.iter().map(AsRef::as_ref).collect();
        Dataset::join(&parts).map(Self::of).map_err(errors::value)
    }

    /// The graphs with these indices, in this order.
    fn take(&self, indices: Vec<usize>) -> PyResult<Self> {
        let rows = indices.into_iter().map(|at| self.row(at)).collect::<PyResult<_>>()?;
        Ok(Self { base: Arc::clone(&self.base), rows: Some(rows) })
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// Labels of the vertices and edges of one graph, as tokens.
    fn graph(&self, at: usize) -> PyResult<LabelledGraph> {
        let Dataset { graphs, vertex_labels, edge_labels, .. } = &*self.base;
        let graph = &graphs[self.row(at)?];
        let vertices = graph.vertex_labels().iter().map(|&label| vertex_labels.token(label).to_owned()).collect();
        let edge = |e: &einsicht::Edge| (e.from.0, e.to.0, edge_labels.token(e.label).to_owned());
        Ok((vertices, graph.edges().iter().map(edge).collect()))
    }

    /// Attributes of the vertices of one graph, vertex after vertex, and how many each vertex has.
    fn attributes(&self, at: usize) -> PyResult<Option<(usize, Vec<f64>)>> {
        let row = self.row(at)?;
        Ok(self.base.attributes.as_ref().map(|all| (all.columns, all.values[row].to_vec())))
    }

    /// Properties of the vertices of one graph, by name: one word per vertex, or None.
    fn properties(&self, at: usize) -> PyResult<BTreeMap<String, Vec<Option<String>>>> {
        let row = self.row(at)?;
        let vertices = self.base.graphs[row].num_vertices();
        let words = |column: &PropertyColumn| (0..vertices).map(|v| column.token(row, v).map(str::to_owned)).collect();
        Ok(self.base.properties.iter().map(|column| (column.name.clone(), words(column))).collect())
    }

    /// The columns beside the graphs.
    fn features(&self) -> Vec<(String, Vec<f64>)> {
        let rows: Vec<usize> = (0..self.len()).filter_map(|at| self.row(at).ok()).collect();
        let values = |column: &FeatureColumn| rows.iter().map(|&row| column.values[row]).collect();
        self.base.features.iter().map(|column| (column.name.clone(), values(column))).collect()
    }

    /// The same graphs with these columns instead; every number must be finite, but those of missing graphs.
    fn with_features(&self, features: FeatureTable) -> PyResult<Self> {
        let mut dataset = self.dataset().into_owned();
        let mut features = feature_columns(Some(features), dataset.len())?;
        let missing = dataset.missing();
        for column in &mut features {
            for (at, value) in column.values.iter_mut().enumerate() {
                if missing.binary_search(&at).is_ok() {
                    *value = 0.0;
                } else if !value.is_finite() {
                    let word = if value.is_nan() { String::new() } else { value.to_string() };
                    let problem = FeatureError { column: column.name.clone(), word };
                    return Err(errors::value(format!("graph {at}: {problem}")));
                }
            }
        }
        dataset.features = features;
        Ok(Self::of(dataset))
    }

    /// Names of the properties of vertices, and the values of each.
    fn property_values(&self) -> Vec<(String, Vec<String>)> {
        let columns = &self.dataset().properties;
        columns.iter().map(|column| (column.name.clone(), column.tokens().to_vec())).collect()
    }

    /// Identifier of each graph in its source.
    fn ids(&self) -> Vec<String> {
        (0..self.len()).filter_map(|at| self.row(at).ok()).map(|row| self.base.ids[row].clone()).collect()
    }

    /// Identifier of one graph.
    fn id(&self, at: usize) -> PyResult<String> {
        Ok(self.base.ids[self.row(at)?].clone())
    }

    /// Positions of the graphs that stand for rows that could not be read.
    fn missing(&self) -> Vec<usize> {
        let missing = self.base.missing();
        match &self.rows {
            None => missing,
            Some(rows) => (0..rows.len()).filter(|&at| missing.binary_search(&rows[at]).is_ok()).collect(),
        }
    }

    /// Row of the source of each graph.
    fn source_rows(&self) -> Vec<u32> {
        (0..self.len()).filter_map(|at| self.row(at).ok()).map(|row| self.base.origins[row].row).collect()
    }

    /// How the graphs were read, as JSON.
    fn reading(&self) -> PyResult<String> {
        serde_json::to_string(&self.base.reading).map_err(errors::value)
    }

    /// Rows of the source that were skipped, and why.
    fn skipped(&self) -> Vec<(u32, String)> {
        self.base.skipped.iter().map(|skipped| (skipped.origin.row, skipped.reason.clone())).collect()
    }

    /// Numbers of vertices and of edges of each graph.
    fn sizes(&self) -> Vec<(usize, usize)> {
        let rows = (0..self.len()).filter_map(|at| self.row(at).ok());
        rows.map(|row| (self.base.graphs[row].num_vertices(), self.base.graphs[row].num_edges())).collect()
    }

    /// Tokens of vertex labels and their display names.
    fn vertex_labels(&self) -> Vec<(String, String)> {
        labels(&self.dataset().vertex_labels)
    }

    /// Tokens of edge labels and their display names.
    fn edge_labels(&self) -> Vec<(String, String)> {
        labels(&self.dataset().edge_labels)
    }

    /// Targets of the source.
    fn targets<'py>(&self, py: Python<'py>) -> Vec<TargetOut<'py>> {
        match &self.rows {
            None => targets_to(py, &self.base.targets),
            Some(rows) => {
                let part: Vec<_> = self.base.targets.iter().map(|target| target.subset(rows)).collect();
                targets_to(py, &part)
            }
        }
    }

    /// The same graphs with these targets: names, and for each graph a word or none. As in a table, the words decide
    /// between classes and numbers, unless `task` does; they stay as they are.
    fn with_values(&self, columns: Vec<(String, Vec<Option<String>>)>, task: &str) -> PyResult<Self> {
        let mut dataset = self.dataset().into_owned();
        let task = task.parse().map_err(errors::value)?;
        let target = |(name, values): &(String, Vec<_>)| target_of_values(name, values, task).map_err(errors::read);
        dataset.targets = columns.iter().map(target).collect::<PyResult<_>>()?;
        if let Some(target) = dataset.targets.iter().find(|target| target.values.len() != dataset.graphs.len()) {
            return Err(errors::value(format!("target {} must have one value per graph", target.name)));
        }
        Ok(Self::of(dataset))
    }

    /// Hash of all graphs (not their targets), independent of their source and of the order of edges.
    fn fingerprint(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let mut part = self.dataset().into_owned();
            part.targets.clear();
            part.forget_unused_labels();
            part.sort_edges();
            part.fingerprint().to_string()
        })
    }

    /// Everything as JSON lines, for pickling.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        py.detach(|| to_jsonl(&self.dataset(), &mut bytes))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Reads what `to_bytes` gave.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        py.detach(|| from_jsonl(Path::new("pickled graphs"), bytes)).map(Self::of).map_err(errors::read)
    }

    /// The drawing of one graph.
    fn svg(&self, at: usize, title: &str) -> PyResult<String> {
        let (base, row) = (&*self.base, self.row(at)?);
        let palette = Palette::new(&base.vertex_labels, &base.edge_labels);
        Ok(draw(&base.graphs[row], &palette).file(&base.graphs[row], &[], title))
    }

    /// Neighbours of a vertex of a graph: number of the neighbour and label of the edge.
    fn neighbors(&self, at: usize, vertex: u32) -> PyResult<Vec<(u32, String)>> {
        let graph = &self.base.graphs[self.row(at)?];
        if vertex as usize >= graph.num_vertices() {
            let count = graph.num_vertices();
            return Err(PyIndexError::new_err(format!("there are {count} vertices, got index {vertex}")));
        }
        let labels = &self.base.edge_labels;
        let neighbor = |n: &einsicht::graph::Neighbor| (n.vertex.0, labels.token(n.edge_label).to_owned());
        Ok(graph.neighbors(VertexId(vertex)).iter().map(neighbor).collect())
    }
}

fn feature_columns(features: Option<FeatureTable>, graphs: usize) -> PyResult<Vec<FeatureColumn>> {
    let Some((names, rows)) = features else { return Ok(Vec::new()) };
    if rows.len() != graphs || rows.iter().any(|row| row.len() != names.len()) {
        return Err(errors::value(format!("features must have {} numbers for each of {graphs} graphs", names.len())));
    }
    let column = |(at, name): (usize, String)| FeatureColumn { name, values: rows.iter().map(|row| row[at]).collect() };
    Ok(names.into_iter().enumerate().map(column).collect())
}

/// How graphs of another library were converted: labels of atoms are the caller's work, so options that name them say
/// what they are.
fn reading(options: &ReadOptions, keywords: Option<&str>) -> PyResult<Reading> {
    if options.largest_fragment {
        return Err(errors::value("largest_fragment needs SMILES or a file, but these are graphs of another library"));
    }
    Ok(Reading {
        ignores_edge_labels: options.edge_labels == EdgeLabels::Ignore,
        hydrogens: options.hydrogens,
        molecule_labels: options.molecule_labels,
        keywords: keywords.map(serde_json::from_str).transpose().map_err(errors::value)?.unwrap_or_default(),
        ..Reading::default()
    })
}

/// Gives the vertices of the current graph their values of a property.
fn set_property(
    builder: &mut DatasetBuilder<'_>,
    name: &str,
    words: &[Option<String>],
    vertices: usize,
) -> Result<(), String> {
    if words.len() != vertices {
        return Err(format!("{vertices} vertices need one value of {name} each, but there are {}", words.len()));
    }
    let property = builder.add_property(name);
    for (vertex, word) in words.iter().enumerate() {
        if let Some(word) = word {
            builder.property(property, vertex as u32, word);
        }
    }
    Ok(())
}

fn labels(vocabulary: &einsicht::Vocabulary) -> Vec<(String, String)> {
    let name = |token: &String| vocabulary.names().get(token).unwrap_or(token).clone();
    vocabulary.tokens().iter().map(|token| (token.clone(), name(token))).collect()
}
