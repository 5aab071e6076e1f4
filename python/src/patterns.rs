//! Patterns for Python: vertices with their labels and qualifiers, edges, one-line text, words, SMARTS; where they
//! occur in a graph.
//!
//! Promise: no numbers of labels or qualifiers, and no halogen is called `X` where its element is known. What is
//! written here names the same pattern when it comes back (`exclude`, `require`). Tested in
//! `python/tests/test_qualifiers.py`.

use crate::errors::value;
use crate::graphs::Graphs;
use crate::model::Model;
use einsicht::data::Names;
use einsicht::data::patterns::{NamedPattern, NamedVertex};
use einsicht::explain::{Over, PatternLocator, Subject};
use einsicht::graph::DfsCode;
use einsicht::graph::matching::Scratch;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The property that tells halogens apart.
const ELEMENT: &str = "element";

/// A pattern as JSON; a vertex is an object with `label` and `qualifiers`.
pub(crate) fn named_code(names: Names<'_>, code: &DfsCode) -> Value {
    let NamedPattern { vertices, edges } = names.pattern(code);
    let vertex = |NamedVertex { mut label, mut qualifiers }: NamedVertex| {
        let element = qualifiers.iter().position(|name| names.qualifiers.bit(ELEMENT, name).is_some());
        if let Some(at) = element {
            // A pattern may call the halogen by its element: `NamedPattern` reads both.
            label = qualifiers.remove(at);
        }
        json!({ "label": label, "qualifiers": qualifiers })
    };
    json!({
        "text": names.one_line(code),
        "words": names.words(code),
        "smarts": names.smarts(code),
        "vertices": vertices.into_iter().map(vertex).collect::<Value>(),
        "edges": edges,
    })
}

#[pymethods]
impl Model {
    /// The first `limit` occurrences of a pattern of an entry in one graph, as different sets of edges: the vertices of
    /// each, increasing.
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
        self.inner.reading.check(self.inner.names(), &graphs.dataset()).map_err(value)?;
        let dataset = graphs.qualified_graph(at, &self.inner.qualifiers)?;
        let subject = Subject { model: &self.inner, entry, dataset: &dataset };
        let found = PatternLocator::new(&subject, Over::Subgraph).occurrences(
            pattern,
            &dataset.graphs[0],
            limit,
            &mut Scratch::default(),
        );
        Ok(found.into_iter().map(|one| one.vertices.into_iter().map(|vertex| vertex.0).collect()).collect())
    }
}
