//! Writes a TU folder: vertices and graphs are numbered from 1, every edge is listed in both directions.
//!
//! Keeps the first target only; names of labels, ids and origins are lost. JSON lines keep everything.
//! Tested by reading back.

use super::{Pending, WriteError};
use crate::dataset::vocabulary::Vocabulary;
use crate::dataset::{Dataset, TargetValues};
use einsicht_graph::Label;
use std::fmt::{Display, Write};
use std::io::Write as _;
use std::path::Path;

/// Writes the files `NAME_*.txt` into a folder, which is created if needed; `NAME` is that of the data set.
pub fn write_tu(dataset: &Dataset, folder: &Path) -> Result<(), WriteError> {
    // Errors of the data are found before the first file is written.
    let files = texts(dataset)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError::Io { path, source }
    };
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    // All of them are complete before the first gets its name: a full disk leaves an earlier set as it was.
    let mut complete = Vec::with_capacity(files.len());
    for (kind, text) in files {
        let path = folder.join(format!("{}_{kind}.txt", dataset.name));
        let mut pending = Pending::create(&path).map_err(io(&path))?;
        pending.file().write_all(text.as_bytes()).map_err(io(&path))?;
        complete.push((path, pending));
    }
    complete.into_iter().try_for_each(|(path, pending)| pending.commit().map_err(io(&path)))
}

/// The files: kind and text.
fn texts(dataset: &Dataset) -> Result<Vec<(&'static str, String)>, WriteError> {
    let has_edge_labels = dataset.edge_labels.tokens() != [""];
    whole_numbers("vertex labels", &dataset.vertex_labels)?;
    let [mut edges, mut edge_labels, mut indicator, mut vertex_labels] = [const { String::new() }; 4];
    let mut first = 1;
    for (at, graph) in dataset.graphs.iter().enumerate() {
        for edge in graph.edges() {
            let (from, to) = (first + edge.from.index(), first + edge.to.index());
            line(&mut edges, format_args!("{from}, {to}\n{to}, {from}"));
            let token = dataset.edge_labels.token(edge.label);
            line(&mut edge_labels, format_args!("{token}\n{token}"));
        }
        for &label in graph.vertex_labels() {
            line(&mut indicator, at + 1);
            line(&mut vertex_labels, dataset.vertex_labels.token(label));
        }
        first += graph.num_vertices();
    }
    let mut files = vec![("A", edges), ("graph_indicator", indicator), ("node_labels", vertex_labels)];
    if has_edge_labels {
        whole_numbers("edge labels", &dataset.edge_labels)?;
        files.push(("edge_labels", edge_labels));
    }
    if let Some(attributes) = &dataset.attributes {
        let mut text = String::new();
        for row in attributes.values.iter().flat_map(|values| values.chunks(attributes.columns)) {
            line(&mut text, row.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        }
        files.push(("node_attributes", text));
    }
    files.extend(target_text(dataset)?);
    Ok(files)
}

/// The file of the first target, if there is one.
fn target_text(dataset: &Dataset) -> Result<Option<(&'static str, String)>, WriteError> {
    let missing = |at: usize| WriteError::NoTarget { id: dataset.ids[at].clone() };
    let mut text = String::new();
    Ok(match dataset.targets.first().map(|target| &target.values) {
        None => None,
        Some(TargetValues::Classes { classes, values }) => {
            whole_numbers("classes", classes)?;
            for (at, value) in values.iter().enumerate() {
                line(&mut text, classes.token(Label(value.ok_or_else(|| missing(at))?)));
            }
            Some(("graph_labels", text))
        }
        Some(TargetValues::Numbers { values }) => {
            for (at, value) in values.iter().enumerate() {
                line(&mut text, value.ok_or_else(|| missing(at))?);
            }
            Some(("graph_attributes", text))
        }
    })
}

fn whole_numbers(what: &'static str, vocabulary: &Vocabulary) -> Result<(), WriteError> {
    match vocabulary.tokens().iter().find(|token| token.parse::<i64>().is_err()) {
        Some(token) => Err(WriteError::NotANumber { what, token: token.clone() }),
        None => Ok(()),
    }
}

fn line(text: &mut String, content: impl Display) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{content}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Synthetic, generate};

    fn text(dataset: &Dataset, kind: &str) -> String {
        texts(dataset).unwrap().into_iter().find(|(name, _)| *name == kind).unwrap().1
    }

    #[test]
    fn every_edge_stands_twice_and_every_vertex_names_its_graph() {
        let dataset = generate(Synthetic::Cycle, 0);
        let edges: usize = dataset.graphs.iter().map(einsicht_graph::Graph::num_edges).sum();
        let vertices: usize = dataset.graphs.iter().map(einsicht_graph::Graph::num_vertices).sum();
        assert_eq!(text(&dataset, "A").lines().count(), 2 * edges);
        assert_eq!(text(&dataset, "graph_indicator").lines().count(), vertices);
        assert_eq!(text(&dataset, "graph_indicator").lines().last(), Some("600"));
        assert_eq!(text(&dataset, "graph_labels").lines().filter(|&line| line == "1").count(), 300);
    }

    #[test]
    fn words_and_missing_targets_are_refused() {
        let mut dataset = generate(Synthetic::Cycle, 0);
        dataset.targets[0].values = TargetValues::Numbers { values: vec![None; 600] };
        assert_eq!(
            texts(&dataset).unwrap_err().to_string(),
            "every graph of a TU folder must have a target, but graph \"1\" has none"
        );
        dataset.vertex_labels = Vocabulary::from_tokens(["C", "O"]);
        assert_eq!(
            texts(&dataset).unwrap_err().to_string(),
            "labels of a TU folder must be whole numbers, but one of the vertex labels is \"C\""
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        assert_eq!(
            texts(&generate(Synthetic::CycleXor, 9)).unwrap(),
            texts(&generate(Synthetic::CycleXor, 9)).unwrap()
        );
    }
}
