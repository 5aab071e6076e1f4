//! Turns the graphs of a builder into a data set: names and ranks of labels, targets, dropped hydrogens, distinct ids.

use super::DatasetBuilder;
use super::properties::PropertyWords;
use crate::dataset::interner::Interner;
use crate::dataset::properties::PropertyColumn;
use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Attributes, Dataset, NO_LABEL, Origin, Target};
use crate::qualify::Qualifiers;
use crate::read::ReadError;
use crate::read::names::{read_names, read_vertex_names};
use crate::read::options::{Coordinates, EdgeLabels, Hydrogens, OnBadTarget, TargetChoice};
use crate::reading::Reading;
use einsicht_graph::{Graph, Label};
use std::collections::BTreeSet;

/// Whether vertex labels have names.
pub(crate) enum LabelNames {
    /// Not needed, or there is no label.
    Unneeded,
    /// At least one label has a name.
    Present,
    /// All labels are numbers: these.
    Missing(Vec<String>),
}

impl DatasetBuilder<'_> {
    /// Ranks and names labels and classes and applies the other options. Ids become distinct.
    pub fn finish(mut self) -> Result<Dataset, ReadError> {
        let path = self.path.clone();
        if self.graphs.is_empty() {
            let first = self.skipped.first().map(|skipped| skipped.reason.clone());
            return Err(ReadError::NoGraphs { path, skipped: self.skipped.len(), first });
        }
        if self.options.edge_labels == EdgeLabels::Use && !self.has_edge_labels() {
            return Err(ReadError::NoEdgeLabels { path });
        }
        self.read_names()?;
        if let LabelNames::Missing(labels) = self.label_names() {
            return Err(ReadError::NamelessHydrogens { path, labels });
        }
        let mut dataset = self.build()?;
        dataset.ids = distinct(dataset.ids, &dataset.origins);
        Ok(dataset)
    }

    /// Whether the vertex labels of the graphs so far have names, which dropping hydrogens needs.
    pub(crate) fn label_names(&self) -> LabelNames {
        if self.options.hydrogens != Some(Hydrogens::Drop) {
            return LabelNames::Unneeded;
        }
        // Labels of graphs that were skipped do not count.
        let mut is_used = vec![false; self.vertex_words.words().len()];
        for label in self.graphs.iter().flat_map(Graph::vertex_labels) {
            is_used[label.index()] = true;
        }
        let used = self.vertex_words.words().iter().zip(is_used).filter(|(_, is_used)| *is_used);
        let names: Vec<&str> = used.map(|(word, _)| self.name_of(word)).collect();
        match names.iter().all(|name| name.parse::<i64>().is_ok()) {
            _ if names.is_empty() => LabelNames::Unneeded,
            true => LabelNames::Missing(names.into_iter().map(str::to_owned).collect()),
            false => LabelNames::Present,
        }
    }

    /// Names from files, once.
    pub(crate) fn read_names(&mut self) -> Result<(), ReadError> {
        if std::mem::replace(&mut self.names_are_read, true) {
            return Ok(());
        }
        if let Some(names) = &self.options.vertex_names {
            self.vertex_names.extend(read_vertex_names(names)?);
        }
        if let Some(path) = &self.options.edge_names {
            self.edge_names.extend(read_names(path)?);
        }
        for (names, usual) in [&mut self.vertex_names, &mut self.edge_names].into_iter().zip(&self.options.usual_names)
        {
            for (token, name) in usual {
                names.entry(token.clone()).or_insert_with(|| name.clone());
            }
        }
        Ok(())
    }

    fn name_of<'w>(&'w self, word: &'w str) -> &'w str {
        self.vertex_names.get(word).map_or(word, String::as_str)
    }

    pub(super) fn build(mut self) -> Result<Dataset, ReadError> {
        if self.options.hydrogens == Some(Hydrogens::Drop) {
            self.drop_hydrogens();
        }
        let (mut vertex_labels, mut edge_labels) = self.rank();
        let targets = self.targets()?;
        let properties = self.property_columns();
        let attributes = self.attribute_columns.map(|columns| {
            let mut attributes = Attributes::new(columns, std::mem::take(&mut self.attributes));
            if self.options.coordinates == Coordinates::LeaveOut {
                let named = self.coordinates.take().map(|named| named.into_iter().filter(|at| *at < columns).collect());
                attributes.coordinates = named.unwrap_or_else(|| attributes.detect(&self.graphs));
            }
            attributes
        });
        vertex_labels.set_names(self.vertex_names);
        edge_labels.set_names(self.edge_names);
        let mut dataset = Dataset {
            name: self.name,
            source: self.source,
            graphs: self.graphs,
            ids: self.ids,
            origins: self.origins,
            vertex_labels,
            edge_labels,
            attributes,
            features: self.features,
            properties,
            qualifiers: Qualifiers::default(),
            targets,
            reading: self.reading,
            skipped: self.skipped,
            repaired: self.repaired,
        };
        Reading::settle(&mut dataset);
        dataset.check();
        Ok(dataset)
    }

    fn targets(&mut self) -> Result<Vec<Target>, ReadError> {
        let columns = std::mem::take(&mut self.columns).into_iter();
        let targets = columns.map(|column| column.finish(&self.source, self.options.task, &self.origins));
        match (self.options.on_bad_target, &self.options.targets) {
            (OnBadTarget::Stop, _) => targets.collect(),
            (OnBadTarget::LeaveOut, TargetChoice::All) => Ok(targets.flatten().collect()),
            (OnBadTarget::LeaveOut, _) => Ok(targets.collect::<Result<_, _>>().unwrap_or_default()),
        }
    }

    /// The properties, by name.
    fn property_columns(&mut self) -> Vec<PropertyColumn> {
        let words = std::mem::take(&mut self.properties).into_iter();
        let kept = words.filter(|property| property.is_declared() || !self.declared_properties);
        let mut columns: Vec<PropertyColumn> = kept.map(PropertyWords::finish).collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        columns
    }

    /// Removes hydrogens that are bound to one other atom (hydrogen suppression).
    fn drop_hydrogens(&mut self) {
        let shown: Vec<String> = self.vertex_words.words().iter().map(|word| self.name_of(word).to_owned()).collect();
        let is_hydrogen = |label: Label| shown[label.index()] == "H";
        let named = self.vertex_names.iter().filter(|(token, name)| *name == "H" && token != name);
        self.reading.dropped = named.map(|(token, name)| (token.clone(), name.clone())).collect();
        let columns = self.attribute_columns.unwrap_or(0);
        for (at, (graph, attributes)) in self.graphs.iter_mut().zip(&mut self.attributes).enumerate() {
            let keep: Vec<bool> = graph
                .vertices()
                .map(|v| {
                    let is_terminal = matches!(graph.neighbors(v), [only] if !is_hydrogen(only.vertex_label));
                    !(is_hydrogen(graph.vertex_label(v)) && is_terminal)
                })
                .collect();
            if keep.iter().all(|&keep| keep) {
                continue;
            }
            *graph = part_of(graph, &keep);
            self.properties.iter_mut().for_each(|property| property.keep(at, &keep));
            let rows = attributes.chunks(columns.max(1)).zip(&keep);
            *attributes = rows.filter(|(_, keep)| **keep).flat_map(|(row, _)| row.iter().copied()).collect();
        }
    }

    /// Replaces the numbers of words by ranks among the words in use.
    fn rank(&mut self) -> (Vocabulary, Vocabulary) {
        let mut vertex_used = vec![false; self.vertex_words.words().len()];
        let mut edge_used = vec![false; self.edge_words.words().len()];
        vertex_used[..self.declared_vertices.unwrap_or(0)].fill(true);
        edge_used[..self.declared_edges.unwrap_or(0)].fill(true);
        for graph in &self.graphs {
            graph.vertex_labels().iter().for_each(|label| vertex_used[label.index()] = true);
            graph.edges().iter().for_each(|edge| edge_used[edge.label.index()] = true);
        }
        let vocabulary = |words: &Interner, used: &[bool]| {
            let words = words.words().iter().zip(used).filter(|(_, used)| **used);
            Vocabulary::from_tokens(words.map(|(word, _)| &**word))
        };
        let vertex_labels = vocabulary(&self.vertex_words, &vertex_used);
        let mut edge_labels = vocabulary(&self.edge_words, &edge_used);
        if edge_labels.is_empty() {
            edge_labels = Vocabulary::from_tokens([NO_LABEL]);
        }
        let ranks = |words: &Interner, vocabulary: &Vocabulary| -> Vec<Label> {
            words.words().iter().map(|word| vocabulary.label(word).unwrap_or_default()).collect()
        };
        let vertex_rank = ranks(&self.vertex_words, &vertex_labels);
        let edge_rank = ranks(&self.edge_words, &edge_labels);
        let is_identity = |rank: &[Label]| rank.iter().enumerate().all(|(word, label)| label.index() == word);
        if !is_identity(&vertex_rank) || !is_identity(&edge_rank) {
            for graph in &mut self.graphs {
                graph.map_labels(|label| vertex_rank[label.index()], |label| edge_rank[label.index()]);
            }
        }
        (vertex_labels, edge_labels)
    }
}

/// The part of a graph on the kept vertices.
fn part_of(graph: &Graph, keep: &[bool]) -> Graph {
    let mut builder = Graph::builder();
    let mut moved = vec![None; keep.len()];
    for vertex in graph.vertices().filter(|v| keep[v.index()]) {
        moved[vertex.index()] = builder.add_vertex(graph.vertex_label(vertex)).ok();
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (moved[edge.from.index()], moved[edge.to.index()]) {
            let added = builder.add_edge(from, to, edge.label);
            debug_assert!(added.is_ok(), "a part of a simple graph is simple");
        }
    }
    builder.build()
}

/// Makes ids distinct: one that came before gets its row behind it, `name@7`.
fn distinct(ids: Vec<String>, origins: &[Origin]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::with_capacity(ids.len());
    for (mut id, origin) in ids.into_iter().zip(origins) {
        while !seen.insert(id.clone()) {
            id = format!("{id}@{}", origin.row);
        }
        distinct.push(id);
    }
    distinct
}
