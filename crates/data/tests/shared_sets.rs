//! The TU folders and transaction files beside the repository have the figures that their README states.

use einsicht_data::read::{EdgeLabels, ReadOptions, read};
use einsicht_data::{Dataset, TargetValues};
use einsicht_testkit::shared::shared;
use std::collections::BTreeMap;

/// Graphs, vertices, edges, vertex labels, edge labels, attribute columns.
type Counts = (usize, usize, usize, usize, usize, usize);

fn counts(dataset: &Dataset) -> Counts {
    (
        dataset.len(),
        dataset.graphs.iter().map(einsicht_graph::Graph::num_vertices).sum(),
        dataset.graphs.iter().map(einsicht_graph::Graph::num_edges).sum(),
        dataset.vertex_labels.len(),
        if dataset.edge_labels.tokens() == [""] { 0 } else { dataset.edge_labels.len() },
        dataset.attributes.as_ref().map_or(0, |attributes| attributes.columns),
    )
}

fn classes(dataset: &Dataset) -> String {
    let Some(target) = dataset.targets.first() else { return "none".into() };
    let TargetValues::Classes { classes, values } = &target.values else { return "numbers".into() };
    let mut counts = BTreeMap::new();
    for value in values.iter().flatten() {
        *counts.entry(*value).or_insert(0) += 1;
    }
    let shown: Vec<String> =
        counts.iter().map(|(&c, n)| format!("{}: {n}", classes.token(einsicht_graph::Label(c)))).collect();
    shown.join(", ")
}

#[test]
fn tu_folders_have_the_stated_figures() {
    let enzymes = "1: 100, 2: 100, 3: 100, 4: 100, 5: 100, 6: 100";
    let sets: [(&str, Counts, &str); 11] = [
        ("BZR", (405, 14479, 15535, 10, 0, 3), "-1: 319, 1: 86"),
        ("COX2", (467, 19252, 20289, 8, 0, 3), "-1: 365, 1: 102"),
        ("DHFR", (756, 32075, 33676, 9, 0, 3), "-1: 295, 1: 461"),
        ("ENZYMES", (600, 19580, 37282, 3, 0, 18), enzymes),
        ("PTC_MR", (344, 4915, 5054, 18, 4, 0), "-1: 192, 1: 152"),
        ("MUTAG", (188, 3371, 3721, 7, 4, 0), "-1: 63, 1: 125"),
        ("NCI1", (4110, 122_747, 132_753, 37, 0, 0), "0: 2053, 1: 2057"),
        ("PROTEINS", (1113, 43471, 81044, 3, 0, 1), "1: 663, 2: 450"),
        ("AIDS", (2000, 31385, 32390, 38, 3, 4), "0: 400, 1: 1600"),
        ("Cycle", (600, 14022, 20936, 2, 0, 0), "0: 300, 1: 300"),
        ("Cycle_XOR", (600, 23579, 33086, 2, 0, 0), "0: 300, 1: 300"),
    ];
    for (name, wanted, wanted_classes) in sets {
        let Some(path) = shared(&format!("data/tu/{name}")) else { return };
        let start = std::time::Instant::now();
        let dataset = read(&path, &ReadOptions::default()).unwrap();
        println!("{name}: read in {:.3} s", start.elapsed().as_secs_f64());
        assert_eq!(dataset.name, name);
        assert_eq!(counts(&dataset), wanted, "{name}");
        assert_eq!(classes(&dataset), wanted_classes, "{name}");
        assert_eq!(dataset.origins[0].row, 0);
    }
}

#[test]
fn transaction_files_have_the_stated_figures() {
    let sets: [(&str, Counts, &str); 6] = [
        ("Chemical_340", (340, 9189, 9317, 66, 4, 0), "none"),
        ("Compound_422", (422, 16714, 17854, 21, 4, 0), "none"),
        ("cpdb", (684, 9672, 9985, 23, 3, 0), "-1: 343, 1: 341"),
        ("mutagenicity", (4337, 131_488, 135_739, 14, 3, 0), "-1: 1936, 1: 2401"),
        ("bergstrom", (185, 3870, 4114, 7, 4, 0), "numbers"),
        ("karthikeyan", (4450, 98973, 106_558, 13, 3, 0), "numbers"),
    ];
    for (name, wanted, wanted_classes) in sets {
        let Some(path) = shared(&format!("data/gspan/{name}")) else { return };
        let start = std::time::Instant::now();
        let dataset = read(&path, &ReadOptions::default()).unwrap();
        println!("{name}: read in {:.3} s", start.elapsed().as_secs_f64());
        assert_eq!(counts(&dataset), wanted, "{name}");
        assert_eq!(classes(&dataset), wanted_classes, "{name}");
        let ignored = read(&path, &ReadOptions { edge_labels: EdgeLabels::Ignore, ..Default::default() }).unwrap();
        assert_eq!(counts(&ignored).4, 0);
    }
}

#[test]
fn the_melting_points_have_the_stated_means() {
    for (name, wanted) in [("bergstrom", 151.4), ("karthikeyan", 165.3)] {
        let Some(path) = shared(&format!("data/gspan/{name}")) else { return };
        let dataset = read(&path, &ReadOptions::default()).unwrap();
        let TargetValues::Numbers { values } = &dataset.targets[0].values else { panic!("numbers") };
        let mean = values.iter().flatten().sum::<f64>() / values.len() as f64;
        assert!((mean - wanted).abs() < 0.05, "{name} {mean}");
    }
}
