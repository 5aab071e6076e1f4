//! Properties of vertices while a data set is built: words until the end.

use super::DatasetBuilder;
use crate::dataset::interner::Interner;
use crate::dataset::properties::{Cells, PropertyColumn};
use std::collections::BTreeMap;

/// A property that was added to a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertySlot(usize);

/// A property, its words in the order in which they first came, and for each graph those of its vertices.
#[derive(Clone, Debug)]
pub(super) struct PropertyWords {
    name: String,
    words: Interner,
    /// Number of declared words, if they are declared.
    declared: Option<usize>,
    graphs: Vec<Cells>,
}

impl PropertyWords {
    /// The same property without graphs.
    pub(super) fn emptied(&self) -> Self {
        let words = self.words.first(self.declared.unwrap_or(0));
        Self { name: self.name.clone(), words, declared: self.declared, graphs: Vec::new() }
    }

    /// Adds a graph; the vertices beyond the cells have no value.
    pub(super) fn push(&mut self, mut cells: Vec<Option<u32>>, num_vertices: usize) {
        cells.resize(num_vertices, None);
        self.graphs.push(Cells::new(&cells));
    }

    /// Removes the vertices that are not kept from one graph.
    pub(super) fn keep(&mut self, graph: usize, keep: &[bool]) {
        let kept = self.graphs[graph].values().into_iter().zip(keep).filter(|(_, keep)| **keep);
        self.graphs[graph] = Cells::new(&kept.map(|(value, _)| value).collect::<Vec<_>>());
    }

    pub(super) fn finish(self) -> PropertyColumn {
        PropertyColumn::from_numbers(self.name, self.words.words(), self.declared.unwrap_or(0), &self.graphs)
    }

    /// Whether the source declares it.
    pub(super) fn is_declared(&self) -> bool {
        self.declared.is_some()
    }
}

impl DatasetBuilder<'_> {
    /// Adds a property of vertices, or finds the one with this name. A new one has no values in the graphs so far.
    pub fn add_property(&mut self, name: &str) -> PropertySlot {
        if let Some(at) = self.properties.iter().position(|property| property.name == name) {
            return PropertySlot(at);
        }
        if let (true, Some(current)) = (self.declared_properties, &mut self.current) {
            current.undeclared.get_or_insert_with(|| ("a property", name.to_owned()));
        }
        let graphs = vec![Cells::new(&[]); self.graphs.len()];
        self.properties.push(PropertyWords {
            name: name.to_owned(),
            words: Interner::default(),
            declared: None,
            graphs,
        });
        if let Some(current) = &mut self.current {
            current.properties.push(Vec::new());
        }
        PropertySlot(self.properties.len() - 1)
    }

    /// Declares the properties and their values: these and no others exist. Comes before the first graph.
    pub(crate) fn declare_properties(&mut self, properties: &BTreeMap<String, Vec<String>>) {
        for (name, words) in properties {
            let PropertySlot(at) = self.add_property(name);
            let property = &mut self.properties[at];
            property.declared = Some(property.words.intern_all(words));
        }
        self.declared_properties = true;
    }

    /// Sets a property of a vertex that was added to the current graph.
    ///
    /// # Panics
    /// If no graph was begun.
    pub fn property(&mut self, property: PropertySlot, vertex: u32, word: &str) {
        let column = &mut self.properties[property.0];
        let (number, declared) = (column.words.intern(word), column.declared);
        self.check_declared("a value of a property", word, number, declared);
        let cells = &mut self.current().properties[property.0];
        if cells.len() <= vertex as usize {
            cells.resize(vertex as usize + 1, None);
        }
        cells[vertex as usize] = Some(number);
    }
}
