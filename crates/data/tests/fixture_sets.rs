//! The small real sets of the repository, and what the common options make of them.

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::read::{EdgeLabels, Hydrogens, ReadOptions, TargetChoice, Task, VertexNames, read};
use einsicht_data::{Dataset, DatasetBuilder, Origin, TargetKind, TargetValues};
use einsicht_graph::{Graph, Label};
use einsicht_testkit::fixture;

/// Graphs, vertices, edges, vertex labels, edge labels.
fn counts(dataset: &Dataset) -> [usize; 5] {
    let vertices = dataset.graphs.iter().map(Graph::num_vertices).sum();
    let edges = dataset.graphs.iter().map(Graph::num_edges).sum();
    [dataset.len(), vertices, edges, dataset.vertex_labels.len(), dataset.edge_labels.len()]
}

#[test]
fn the_fixtures_have_their_figures() {
    let sets = [
        ("MUTAG", [188, 3371, 3721, 7, 4], 2),
        ("ENZYMES_60", [60, 1957, 3762, 3, 1], 6),
        ("cpdb_100.gspan", [100, 1030, 1033, 12, 3], 2),
        ("bergstrom_60.gspan", [60, 1203, 1265, 7, 4], 0),
    ];
    for (name, wanted, wanted_classes) in sets {
        let dataset = read(&fixture(name), &ReadOptions::default()).unwrap();
        assert_eq!(counts(&dataset), wanted, "{name}");
        let classes = match &dataset.targets[0].values {
            TargetValues::Classes { classes, .. } => classes.len(),
            TargetValues::Numbers { .. } => 0,
        };
        assert_eq!(classes, wanted_classes, "{name}");
    }
    let enzymes = read(&fixture("ENZYMES_60"), &ReadOptions::default()).unwrap();
    let attributes = enzymes.attributes.unwrap();
    assert_eq!((attributes.columns, attributes.values[0][0], attributes.values[0][17]), (18, 11.0, 2.0));
}

#[test]
fn people_see_names_where_names_are_given() {
    let options = ReadOptions {
        vertex_names: Some(VertexNames::File(fixture("mutag-atoms.txt"))),
        edge_names: Some(fixture("mutag-bonds.txt")),
        ..Default::default()
    };
    let mutag = read(&fixture("MUTAG"), &options).unwrap();
    let names = |vocabulary: &einsicht_data::Vocabulary| -> Vec<String> {
        (0..vocabulary.len() as u32).map(|label| vocabulary.name(Label(label)).to_owned()).collect()
    };
    assert_eq!(names(&mutag.vertex_labels), ["C", "N", "O", "F", "I", "Cl", "Br"]);
    assert_eq!(names(&mutag.edge_labels), ["aromatic", "single", "double", "triple"]);
    let options = ReadOptions { vertex_names: Some("atomic-numbers".into()), ..Default::default() };
    let cpdb = read(&fixture("cpdb_100.gspan"), &options).unwrap();
    assert_eq!(names(&cpdb.vertex_labels)[..4], ["B", "C", "N", "O"]);
    assert_eq!(cpdb.vertex_labels.names().len(), cpdb.vertex_labels.len());
}

#[test]
fn edge_labels_can_be_ignored() {
    let options = ReadOptions { edge_labels: EdgeLabels::Ignore, ..Default::default() };
    let mutag = read(&fixture("MUTAG"), &options).unwrap();
    assert_eq!(mutag.edge_labels.tokens(), [""]);
    assert_eq!(counts(&mutag)[2], 3721);
    let options = ReadOptions { edge_labels: EdgeLabels::Use, ..Default::default() };
    assert!(read(&fixture("ENZYMES_60"), &options).is_err());
}

#[test]
fn a_task_can_be_set_and_targets_can_be_left_out() {
    let options = ReadOptions { task: Task::Regress, ..Default::default() };
    let mutag = read(&fixture("MUTAG"), &options).unwrap();
    let TargetValues::Numbers { values } = &mutag.targets[0].values else { panic!("numbers") };
    assert_eq!(values[..2], [Some(1.0), Some(-1.0)]);
    let options = ReadOptions { targets: TargetChoice::Nothing, ..Default::default() };
    for name in ["MUTAG", "cpdb_100.gspan"] {
        assert!(read(&fixture(name), &options).unwrap().targets.is_empty());
    }
}

#[test]
fn terminal_hydrogens_are_dropped_and_others_stay() {
    let options = ReadOptions { hydrogens: Some(Hydrogens::Drop), ..Default::default() };
    let mut builder = DatasetBuilder::new("x", "x", &options);
    let y = builder.add_target("y", TargetKind::Guess);
    builder.set_attribute_columns(1);
    // Water beside molecular hydrogen, and a hydrogen between two boron atoms.
    let atoms = ["H", "O", "H", "H", "H", "B", "H", "B"];
    builder.begin(Origin::default(), "0");
    for (at, atom) in atoms.iter().enumerate() {
        builder.vertex(atom).unwrap();
        builder.attributes(&[at as f64]);
    }
    for (from, to) in [(0, 1), (1, 2), (3, 4), (5, 6), (6, 7)] {
        builder.edge(from, to, "-").unwrap();
    }
    builder.value(y, "1");
    builder.end();
    let dataset = builder.finish().unwrap();
    let graph = &dataset.graphs[0];
    let kept: Vec<&str> = graph.vertex_labels().iter().map(|&label| dataset.vertex_labels.token(label)).collect();
    assert_eq!(kept, ["O", "H", "H", "B", "H", "B"]);
    assert_eq!(graph.num_edges(), 3);
    assert_eq!(&*dataset.attributes.unwrap().values[0], [1.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn labels_of_dropped_hydrogens_and_skipped_graphs_are_removed() {
    let options = ReadOptions { hydrogens: Some(Hydrogens::Drop), ..Default::default() };
    let mut builder = DatasetBuilder::new("x", "x", &options);
    builder.begin(Origin::default(), "0");
    builder.vertex("Xe").unwrap();
    builder.skip(Origin::default(), "bad");
    builder.begin(Origin { row: 1, line: 0 }, "1");
    for atom in ["C", "H"] {
        builder.vertex(atom).unwrap();
    }
    builder.edge(0, 1, "-").unwrap();
    builder.end();
    let dataset = builder.finish().unwrap();
    assert_eq!(dataset.vertex_labels.tokens(), ["C"]);
    assert_eq!(dataset.edge_labels.tokens(), [""]);
}

#[test]
fn repeated_ids_get_their_row() {
    let options = ReadOptions::default();
    let mut builder = DatasetBuilder::new("x", "x", &options);
    for row in 0..3 {
        builder.begin(Origin { row, line: 0 }, "aspirin");
        builder.end();
    }
    assert_eq!(builder.finish().unwrap().ids, ["aspirin", "aspirin@1", "aspirin@2"]);
}
