//! TU folders of every make: what is optional may be absent, files may be gzipped, names come from the files.

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::read::{ReadOptions, TargetChoice, read};
use einsicht_data::write::write_tu;
use einsicht_data::{Dataset, ReadError, TargetValues};
use einsicht_testkit::fixture;
use std::io::Write;
use std::path::PathBuf;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("einsicht-tu-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, files: &[(&str, &str)]) -> Self {
        for (name, text) in files {
            let path = self.0.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self
    }

    fn read(&self, options: &ReadOptions) -> Result<Dataset, ReadError> {
        read(&self.0, options)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LEAST: [(&str, &str); 3] =
    [("set_A.txt", "1,2\n2,1\n"), ("set_graph_indicator.txt", "1\n1\n2\n"), ("set_graph_labels.txt", "0\n1\n")];

#[test]
fn without_node_labels_all_vertices_have_one_label() {
    let dataset = Folder::new("least").with(&LEAST).read(&ReadOptions::default()).unwrap();
    assert_eq!(dataset.name, "set");
    assert_eq!(
        (dataset.vertex_labels.tokens(), dataset.edge_labels.tokens()),
        (&["*".to_owned()][..], &[String::new()][..])
    );
    assert_eq!((dataset.graphs[0].num_edges(), dataset.graphs[1].num_vertices()), (1, 1));
    assert_eq!(dataset.ids, ["0", "1"]);
    assert_eq!(dataset.origins[1].line, 3);
}

#[test]
fn the_subfolder_raw_is_found() {
    let files = LEAST.map(|(name, text)| (format!("raw/{name}"), text));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let folder = Folder::new("raw").with(&files).with(&[("processed/x.pt", "")]);
    assert_eq!(folder.read(&ReadOptions::default()).unwrap().len(), 2);
}

#[test]
fn vertices_of_a_graph_need_not_be_neighbours_in_the_file() {
    let folder = Folder::new("mixed").with(&LEAST).with(&[
        ("set_graph_indicator.txt", "2\n1\n2\n1\n"),
        ("set_A.txt", "1, 3\n2, 4\n3, 1\n4, 2\n"),
        ("set_node_labels.txt", "5\n6\n7\n8\n"),
    ]);
    let dataset = folder.read(&ReadOptions::default()).unwrap();
    let labels: Vec<&str> =
        dataset.graphs[0].vertex_labels().iter().map(|&label| dataset.vertex_labels.token(label)).collect();
    assert_eq!(labels, ["6", "8"]);
    assert_eq!(dataset.graphs.iter().map(einsicht_graph::Graph::num_edges).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn graph_attributes_are_targets_of_a_regression() {
    let folder = Folder::new("regression").with(&LEAST).with(&[("set_graph_attributes.txt", " 0.5,  1\nnan, 2\n")]);
    let all = folder.read(&ReadOptions { targets: TargetChoice::All, ..Default::default() }).unwrap();
    let names: Vec<&str> = all.targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["label", "attribute_1", "attribute_2"]);
    assert_eq!(all.targets[1].values, TargetValues::Numbers { values: vec![Some(0.5), None] });
    let usual = folder.read(&ReadOptions::default()).unwrap();
    assert_eq!(usual.targets.len(), 1);
    std::fs::remove_file(folder.0.join("set_graph_labels.txt")).unwrap();
    let usual = folder.read(&ReadOptions::default()).unwrap();
    assert_eq!(usual.targets.len(), 2);
    let choice = TargetChoice::Named(vec!["attribute_2".into()]);
    let named = folder.read(&ReadOptions { targets: choice, ..Default::default() }).unwrap();
    assert_eq!(named.targets[0].values, TargetValues::Numbers { values: vec![Some(1.0), Some(2.0)] });
}

#[test]
fn labels_of_several_columns_are_one_label_and_real_graph_labels_are_numbers() {
    let folder = Folder::new("columns").with(&LEAST).with(&[
        ("set_node_labels.txt", "1, 0\n1,1\n1 ,0\n"),
        ("set_edge_labels.txt", "3,4\n3, 4\n"),
        ("set_graph_labels.txt", "0.25\n1\n"),
    ]);
    let dataset = folder.read(&ReadOptions::default()).unwrap();
    assert_eq!(dataset.vertex_labels.tokens(), ["1,0", "1,1"]);
    assert_eq!(dataset.edge_labels.tokens(), ["3,4"]);
    assert!(matches!(dataset.targets[0].values, TargetValues::Numbers { .. }));
}

#[test]
fn any_file_may_be_gzipped() {
    let folder = Folder::new("gzip").with(&LEAST);
    let plain = folder.read(&ReadOptions::default()).unwrap();
    for (name, text) in LEAST {
        let file = std::fs::File::create(folder.0.join(format!("{name}.gz"))).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
        std::fs::remove_file(folder.0.join(name)).unwrap();
    }
    assert_eq!(folder.read(&ReadOptions::default()).unwrap(), plain);
}

#[test]
fn what_was_written_is_read_back() {
    for name in ["MUTAG", "ENZYMES_60"] {
        let dataset = read(&fixture(name), &ReadOptions::default()).unwrap();
        let folder = Folder::new(name);
        write_tu(&dataset, &folder.0).unwrap();
        let again = folder.read(&ReadOptions::default()).unwrap();
        assert_eq!(again.fingerprint(), dataset.fingerprint(), "{name}");
    }
}
