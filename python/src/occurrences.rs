//! Where patterns of a model occur in a graph. Converts arguments and results; [`einsicht::explain`] finds the places.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::Model;
use einsicht::explain::{PatternLocator, Subject};
use einsicht::graph::matching::Scratch;
use pyo3::prelude::*;

#[pymethods]
impl Model {
    /// The first `limit` occurrences of a pattern of an entry in one graph, as different sets of edges: the vertices of each, increasing.
    #[pyo3(signature = (graphs, at, pattern, limit, entry = None))]
    fn occurrences(
        &self,
        graphs: &Graphs,
        at: usize,
        pattern: usize,
        limit: usize,
        entry: Option<usize>,
    ) -> PyResult<Vec<Vec<u32>>> {
        let entry = self.entry(entry)?;
        let count = self.inner.entries[entry].iterate.patterns.len();
        if pattern >= count {
            return Err(value(format!("pattern must be less than {count}, the number of patterns, got {pattern}")));
        }
        self.inner.reading.check(self.inner.names().0, &graphs.dataset()).map_err(value)?;
        let dataset = graphs.qualified_graph(at, &self.inner.qualifiers)?;
        let subject = Subject { model: &self.inner, entry, dataset: &dataset };
        let found =
            PatternLocator::new(&subject).occurrences(pattern, &dataset.graphs[0], limit, &mut Scratch::default());
        Ok(found.into_iter().map(|one| one.vertices.into_iter().map(|vertex| vertex.0).collect()).collect())
    }
}
