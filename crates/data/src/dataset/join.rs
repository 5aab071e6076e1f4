//! Joins data sets, and removes unused labels: labels are ranked again.
//!
//! Promise: graphs keep their vertices, edges, words, names and origins; only the numbers of labels change. A target
//! that some of the sets have is missing in the graphs of the others. Tested on sets with different labels.

use super::features::FeatureColumn;
use super::properties::PropertyColumn;
use super::vocabulary::Vocabulary;
use super::{Attributes, Dataset, Repaired, Target, TargetValues};
use crate::reading::ReadingError;
use einsicht_graph::{Edge, Graph, Label};
use std::collections::{BTreeMap, BTreeSet};

/// Why data sets cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum JoinError {
    #[error("all graphs must have the same number of vertex attributes, but some have {first} and others {other}")]
    Attributes { first: usize, other: usize },
    #[error("all graphs must have the same features, but some have {first} and others {other}")]
    Features { first: String, other: String },
    #[error(
        "a target must be classes in all sets or numbers in all, but {name} is both: read them with the same task, or \
         name the target otherwise in one"
    )]
    Targets { name: String },
    #[error(
        "all graphs must have the same qualifiers, but these sets were given different ones; join them before that"
    )]
    Qualifiers,
    #[error(transparent)]
    Reading(#[from] ReadingError),
}

impl Dataset {
    /// The graphs of all these sets, one after the other. Names of labels come from the first set
    /// that has one.
    pub fn join(sets: &[&Self]) -> Result<Self, JoinError> {
        let columns = |set: &Self| set.attributes.as_ref().map_or(0, |attributes| attributes.columns);
        let first = sets.first().map_or(0, |set| columns(set));
        if let Some(other) = sets.iter().map(|set| columns(set)).find(|&other| other != first) {
            return Err(JoinError::Attributes { first, other });
        }
        let qualifiers = sets.first().map(|set| set.qualifiers.clone()).unwrap_or_default();
        if sets.iter().any(|set| set.qualifiers != qualifiers) {
            return Err(JoinError::Qualifiers);
        }
        let mut reading = sets.first().map(|set| set.reading.clone()).unwrap_or_default();
        for set in sets {
            reading = reading.join(&set.reading)?;
        }
        let properties: Vec<_> = sets.iter().map(|set| (&*set.properties, set.len())).collect();
        let mut joined = Self {
            name: sets.first().map(|set| set.name.clone()).unwrap_or_default(),
            source: sets.first().map(|set| set.source.clone()).unwrap_or_default(),
            vertex_labels: union(sets.iter().map(|set| &set.vertex_labels)),
            edge_labels: union(sets.iter().map(|set| &set.edge_labels)),
            attributes: (first > 0).then(|| Attributes::new(first, Vec::new())),
            features: features(sets)?,
            targets: targets(sets)?,
            properties: PropertyColumn::join(&properties),
            qualifiers,
            reading,
            repaired: Repaired::default(),
            ..Self::default()
        };
        for set in sets {
            let vertex = ranks(&set.vertex_labels, &joined.vertex_labels);
            let edge = ranks(&set.edge_labels, &joined.edge_labels);
            for graph in &set.graphs {
                let mut graph = graph.clone();
                graph.map_labels(|label| vertex[label.index()], |label| edge[label.index()]);
                joined.graphs.push(graph);
            }
            joined.ids.extend_from_slice(&set.ids);
            joined.origins.extend_from_slice(&set.origins);
            joined.repaired += set.repaired;
            // Rows that were left out belong to their source; those in whose place a graph stands belong to it.
            let missing: BTreeSet<u32> = set.missing().into_iter().map(|at| set.origins[at].row).collect();
            joined.skipped.extend(set.skipped.iter().filter(|skipped| missing.contains(&skipped.origin.row)).cloned());
            if let (Some(all), Some(more)) = (&mut joined.attributes, &set.attributes) {
                all.values.extend_from_slice(&more.values);
            }
        }
        // Those of the first set: a small one cannot be judged.
        if let (Some(all), Some(first)) =
            (&mut joined.attributes, sets.first().and_then(|first| first.attributes.as_ref()))
        {
            all.coordinates.clone_from(&first.coordinates);
        }
        joined.check();
        Ok(joined)
    }

    /// Sorts the edges of every graph, so that graphs that differ only in the order or direction of edges become equal.
    pub fn sort_edges(&mut self) {
        for graph in &mut self.graphs {
            let ends = |edge: &Edge| (edge.from.min(edge.to), edge.from.max(edge.to), edge.label);
            let mut edges: Vec<_> = graph.edges().iter().map(ends).collect();
            edges.sort_unstable();
            let mut builder = Graph::builder();
            // A part of a simple graph, in the order of its vertices: nothing can be refused.
            for &label in graph.vertex_labels() {
                let _ = builder.add_vertex(label);
            }
            for (from, to, label) in edges {
                let _ = builder.add_edge(from, to, label);
            }
            let qualifiers = graph.all_qualifiers().to_vec();
            *graph = builder.build();
            graph.set_qualifiers(qualifiers);
        }
    }

    /// Removes labels that no graph has: a subset becomes what it would be if it had been read alone.
    /// Values of properties likewise.
    pub fn forget_unused_labels(&mut self) {
        self.properties.iter_mut().for_each(PropertyColumn::forget_unused);
        let mut vertices = vec![false; self.vertex_labels.len()];
        let mut edges = vec![false; self.edge_labels.len()];
        for graph in &self.graphs {
            graph.vertex_labels().iter().for_each(|label| vertices[label.index()] = true);
            graph.edges().iter().for_each(|edge| edges[edge.label.index()] = true);
        }
        if vertices.iter().chain(&edges).all(|&used| used) {
            return;
        }
        let vertex_labels = kept(&self.vertex_labels, &vertices);
        let mut edge_labels = kept(&self.edge_labels, &edges);
        if edge_labels.is_empty() {
            edge_labels = Vocabulary::from_tokens([super::NO_LABEL]);
        }
        let vertex = ranks(&self.vertex_labels, &vertex_labels);
        let edge = ranks(&self.edge_labels, &edge_labels);
        for graph in &mut self.graphs {
            graph.map_labels(|label| vertex[label.index()], |label| edge[label.index()]);
        }
        (self.vertex_labels, self.edge_labels) = (vertex_labels, edge_labels);
    }
}

/// The features of all sets, which must have the same.
fn features(sets: &[&Dataset]) -> Result<Vec<FeatureColumn>, JoinError> {
    let names = |set: &Dataset| set.features.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let first = sets.first().map(|set| names(set)).unwrap_or_default();
    if let Some(other) = sets.iter().map(|set| names(set)).find(|other| *other != first) {
        let words = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(JoinError::Features { first: words(&first), other: words(&other) });
    }
    let values = |at: usize| sets.iter().flat_map(|set| &set.features[at].values).copied().collect();
    Ok(first.into_iter().enumerate().map(|(at, name)| FeatureColumn { name, values: values(at) }).collect())
}

/// The targets that any of the sets has, in the order in which they first come.
fn targets(sets: &[&Dataset]) -> Result<Vec<Target>, JoinError> {
    let mut joined: Vec<Target> = Vec::new();
    for name in sets.iter().flat_map(|set| set.targets.iter().map(|target| &target.name)) {
        if joined.iter().all(|known| known.name != *name) {
            let parts: Vec<(Option<&TargetValues>, usize)> = sets
                .iter()
                .map(|set| (set.targets.iter().find(|target| target.name == *name).map(|t| &t.values), set.len()))
                .collect();
            let values = values(&parts).ok_or_else(|| JoinError::Targets { name: name.clone() })?;
            joined.push(Target { name: name.clone(), values });
        }
    }
    Ok(joined)
}

/// The values of a target in sets of so many graphs, none of which need have it; nothing if it is classes here and
/// numbers there.
fn values(parts: &[(Option<&TargetValues>, usize)]) -> Option<TargetValues> {
    let classes = parts.iter().filter_map(|(part, _)| match part {
        Some(TargetValues::Classes { classes, .. }) => Some(classes),
        _ => None,
    });
    if classes.clone().next().is_none() {
        let of_part = |(part, len): &(Option<&TargetValues>, usize)| match part {
            Some(TargetValues::Numbers { values }) => values.clone(),
            _ => vec![None; *len],
        };
        return Some(TargetValues::Numbers { values: parts.iter().flat_map(of_part).collect() });
    }
    let all = union(classes);
    let mut joined = Vec::new();
    for (part, len) in parts {
        match part {
            Some(TargetValues::Classes { classes, values }) => {
                let rank = ranks(classes, &all);
                joined.extend(values.iter().map(|value| value.map(|class| rank[class as usize].0)));
            }
            Some(TargetValues::Numbers { .. }) => return None,
            None => joined.resize(joined.len() + len, None),
        }
    }
    Some(TargetValues::Classes { classes: all, values: joined })
}

/// The labels that are in use, with their names.
fn kept(vocabulary: &Vocabulary, used: &[bool]) -> Vocabulary {
    let tokens = vocabulary.tokens().iter().zip(used).filter(|(_, used)| **used).map(|(token, _)| token);
    let mut kept = Vocabulary::from_tokens(tokens);
    kept.set_names(vocabulary.names().clone());
    kept
}

/// All labels of all vocabularies.
fn union<'a>(vocabularies: impl Iterator<Item = &'a Vocabulary> + Clone) -> Vocabulary {
    let mut all = Vocabulary::from_tokens(vocabularies.clone().flat_map(Vocabulary::tokens));
    let mut names = BTreeMap::new();
    for (token, name) in vocabularies.flat_map(Vocabulary::names) {
        names.entry(token.clone()).or_insert_with(|| name.clone());
    }
    all.set_names(names);
    all
}

/// For each label of `from` that of `to` with the same token; the first one for tokens that `to` lacks, which no graph
/// has.
fn ranks(from: &Vocabulary, to: &Vocabulary) -> Vec<Label> {
    from.tokens().iter().map(|token| to.label(token).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, ReadOptions, read_from};
    use std::io::Cursor;
    use std::path::Path;

    const FIRST: &str = "t # a\nv 0 C\nv 1 N\ne 0 1 x\n";
    const SECOND: &str = "t # b\nv 0 B\nv 1 N\ne 0 1 y\n";

    fn dataset(text: &str) -> Dataset {
        let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
        read_from(Path::new("x"), Cursor::new(text.to_owned().into_bytes()), &options).unwrap()
    }

    #[test]
    fn joined_sets_are_what_one_file_would_have_given() {
        let joined = Dataset::join(&[&dataset(FIRST), &dataset(SECOND)]).unwrap();
        assert_eq!(joined.fingerprint(), dataset(&format!("{FIRST}{SECOND}")).fingerprint());
        assert_eq!(joined.ids, ["a", "b"]);
    }

    #[test]
    fn a_part_that_forgot_the_labels_of_the_rest_is_as_if_read_alone() {
        let mut part = dataset(&format!("{FIRST}{SECOND}")).subset(&[1]);
        assert_ne!(part.fingerprint(), dataset(SECOND).fingerprint());
        part.forget_unused_labels();
        assert_eq!(part.fingerprint(), dataset(SECOND).fingerprint());
    }

    #[test]
    fn the_order_of_edges_can_be_forgotten() {
        let [mut one, mut other] = ["e 0 1 x\ne 1 2 y\n", "e 2 1 y\ne 0 1 x\n"]
            .map(|edges| dataset(&format!("t # a\nv 0 C\nv 1 N\nv 2 C\n{edges}")));
        assert_ne!(one.fingerprint(), other.fingerprint());
        one.sort_edges();
        other.sort_edges();
        assert_eq!(one.fingerprint(), other.fingerprint());
        assert_eq!(one.graphs[0].num_edges(), 2);
    }

    #[test]
    fn sets_with_and_without_attributes_do_not_mix() {
        let mut with = dataset(FIRST);
        with.attributes = Some(Attributes::new(1, vec![Box::from([0.5, 1.5])]));
        let error = Dataset::join(&[&with, &dataset(SECOND)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "all graphs must have the same number of vertex attributes, but some have 1 and others 0"
        );
        assert_eq!(Dataset::join(&[&with, &with]).unwrap().attributes.unwrap().values.len(), 2);
    }

    #[test]
    fn targets_are_joined_by_name_and_missing_where_a_set_has_none() {
        let target = |name: &str, values: TargetValues| Target { name: name.to_owned(), values };
        let classes = |words: &[&str]| {
            let classes = Vocabulary::from_tokens(words.iter().copied());
            let values = words.iter().map(|word| classes.label(word).map(|label| label.0)).collect();
            TargetValues::Classes { classes, values }
        };
        let (mut one, mut other) = (dataset(FIRST), dataset(SECOND));
        one.targets =
            vec![target("a", TargetValues::Numbers { values: vec![Some(0.5)] }), target("b", classes(&["y"]))];
        other.targets =
            vec![target("b", classes(&["x"])), target("c", TargetValues::Numbers { values: vec![Some(2.0)] })];
        let joined = Dataset::join(&[&one, &other]).unwrap();
        let names: Vec<&str> = joined.targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(joined.targets[0].values, TargetValues::Numbers { values: vec![Some(0.5), None] });
        let tokens = Vocabulary::from_tokens(["x", "y"]);
        assert_eq!(joined.targets[1].values, TargetValues::Classes { classes: tokens, values: vec![Some(1), Some(0)] });
        assert_eq!(joined.targets[2].values, TargetValues::Numbers { values: vec![None, Some(2.0)] });
        other.targets[0].name = "a".to_owned();
        let error = Dataset::join(&[&one, &other]).unwrap_err().to_string();
        assert!(error.starts_with("a target must be classes in all sets or numbers in all, but a is both"), "{error}");
    }

    #[test]
    fn features_must_be_the_same() {
        let mut with = dataset(FIRST);
        let rows = with.len();
        with.features = vec![FeatureColumn { name: "dose".to_owned(), values: vec![0.5; rows] }];
        let error = Dataset::join(&[&with, &dataset(SECOND)]).unwrap_err();
        assert_eq!(error.to_string(), "all graphs must have the same features, but some have dose and others none");
        assert_eq!(Dataset::join(&[&with, &with]).unwrap().features[0].values, vec![0.5; 2 * rows]);
    }
}
