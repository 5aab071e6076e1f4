//! `inspect --json` gives for all 27 sets of `../shared/data` the figures of other programs.

use super::Program;
use einsicht_testkit::{large_shared, repo_root};
use serde_json::Value;
use toml::Table;

/// Fields of the table that have the same name in the document.
const SAME: [&str; 8] =
    ["graphs", "vertices", "edges", "classes", "vertex_labels", "edge_labels", "attribute_columns", "skipped"];
const ODDITIES: [&str; 4] = ["empty_graphs", "edgeless_graphs", "disconnected_graphs", "isolated_vertices"];

#[test]
fn inspect_gives_the_published_numbers_of_all_sets() {
    let Some(data) = large_shared("data") else { return };
    let sets: Table = std::fs::read_to_string(repo_root().join("testdata/shared_sets.toml")).unwrap().parse().unwrap();
    let sets = sets["set"].as_array().unwrap();
    assert_eq!(sets.len(), 27);
    let program = Program::new();
    for set in sets.iter().map(|set| set.as_table().unwrap()) {
        let path = data.join(set["path"].as_str().unwrap());
        let document = program.json(&format!("inspect {} --json", path.canonicalize().unwrap().display()));
        check(set, &document);
    }
}

fn check(set: &Table, document: &Value) {
    let path = set["path"].as_str().unwrap();
    let expect = |name: &str, found: &Value| {
        if let Some(wanted) = set.get(name) {
            assert_eq!(&serde_json::to_value(wanted).unwrap(), found, "{name} of {path}");
        }
    };
    for name in SAME {
        expect(name, &document[name]);
    }
    for name in ODDITIES {
        expect(name, &document["oddities"][name]);
    }
    let sizes = &document["vertices_per_graph"];
    expect("sizes", &Value::from(vec![sizes["least"].clone(), sizes["most"].clone()]));
    expect("mean_vertices", &rounded(&sizes["mean"], 2));
    expect("mean_edges", &rounded(&document["edges_per_graph"]["mean"], 2));
    let targets = document["targets"].as_array().unwrap();
    expect("targets", &targets.len().into());
    let count = |value: &Value| value.as_u64().unwrap();
    expect("rows", &(count(&document["graphs"]) + count(&document["skipped"])).into());
    // The number of fragments was counted over all rows, also those that are no molecule.
    let skipped = document["skipped_rows"].as_array().unwrap().iter();
    let salts = skipped.filter(|row| row["reason"].as_str().unwrap().split('"').nth(1).unwrap().contains('.')).count();
    expect("rows_of_several_fragments", &(count(&document["oddities"]["disconnected_graphs"]) + salts as u64).into());
    for (name, wanted) in set.get("numbers").and_then(toml::Value::as_table).into_iter().flatten() {
        let wanted = serde_json::to_value(wanted).unwrap();
        let digits = wanted.to_string().split('.').nth(1).map_or(0, str::len);
        let found = rounded(&targets[0][name], digits.max(1));
        assert_eq!(found, wanted, "{name} of {path}");
    }
    for (name, wanted) in set.get("positive").and_then(toml::Value::as_table).into_iter().flatten() {
        let target = targets.iter().find(|target| target["name"] == name.as_str()).unwrap();
        let found = Value::from(vec![target["labelled"].clone(), target["classes"]["1"].clone()]);
        assert_eq!(found, serde_json::to_value(wanted).unwrap(), "{name} of {path}");
    }
}

fn rounded(value: &Value, digits: usize) -> Value {
    let text = format!("{:.digits$}", value.as_f64().unwrap());
    text.parse::<f64>().unwrap().into()
}
