//! The ten tables of molecules beside the repository have the figures that their README states, and the rows
//! that are left out are those that RDKit rejects.

use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, read};
use einsicht_graph::Graph;
use einsicht_testkit::{large_shared, shared};

/// File, molecules, tasks, mean vertices and edges to two decimals, molecules of several fragments.
const TABLES: [(&str, usize, usize, &str, &str, usize); 10] = [
    ("toxcast.csv.gz", 8576, 617, "18.78", "19.26", 1734),
    ("sider.csv", 1427, 27, "33.64", "35.36", 182),
    // The README counts 245 rows of several fragments here and 3087 in HIV; one of each is no molecule.
    ("tox21.csv", 7823, 12, "18.57", "19.29", 244),
    ("bbbp.csv", 2039, 1, "24.06", "25.95", 105),
    ("bace.csv", 1513, 1, "34.09", "36.86", 0),
    ("clintox.csv", 1478, 2, "26.16", "27.88", 14),
    ("hiv.csv.gz", 41120, 1, "25.51", "27.47", 3086),
    ("delaney.csv", 1128, 1, "13.29", "13.68", 0),
    ("freesolv.csv", 642, 1, "8.72", "8.39", 0),
    ("lipo.csv", 4200, 1, "27.04", "29.50", 1),
];

/// Rows that RDKit 2026.09.1 rejects.
const REJECTED: [(&str, &[u32]); 2] = [
    ("hiv.csv.gz", &[137, 987, 12882, 18293, 30784, 30785, 35728]),
    ("tox21.csv", &[1322, 2290, 2297, 3558, 4565, 4649, 5538, 6723]),
];

#[test]
fn tables_have_the_stated_figures() {
    for (name, molecules, tasks, vertices, edges, fragmented) in TABLES {
        let Some(path) = large_shared(&format!("data/molnet/{name}")) else { return };
        let options = ReadOptions { on_bad: OnBad::Skip, targets: TargetChoice::All, ..ReadOptions::default() };
        let set = read(&path, &options).unwrap();
        let mean = |count: fn(&Graph) -> usize| {
            let sum: usize = set.graphs.iter().map(count).sum();
            format!("{:.2}", sum as f64 / set.len() as f64)
        };
        assert_eq!((set.len(), set.targets.len()), (molecules, tasks), "{name}");
        // The stated means count heavy atoms; a few molecules hold hydrogens that stay atoms.
        assert_eq!((mean(Graph::num_vertices).as_str(), mean(Graph::num_edges).as_str()), (vertices, edges), "{name}");
        let several = set.graphs.iter().filter(|graph| graph.components().iter().any(|&c| c > 0)).count();
        assert_eq!(several, fragmented, "{name}");
        let skipped: Vec<u32> = set.skipped.iter().map(|skipped| skipped.origin.row).collect();
        let rejected = REJECTED.iter().find(|(table, _)| *table == name).map_or(&[][..], |(_, rows)| rows);
        assert_eq!(skipped, rejected, "{name}");
    }
}

/// Sixteen of stereoisomers, as RDKit counts them without stereo, and one of two protonation states: charges are
/// properties, not labels.
#[test]
fn bace_has_seventeen_groups_of_equal_graphs_with_different_classes() {
    let Some(path) = shared("data/molnet/bace.csv") else { return };
    let options = ReadOptions { targets: TargetChoice::Named(vec!["Class".into()]), ..ReadOptions::default() };
    let found = einsicht_data::Duplicates::of(&read(&path, &options).unwrap());
    assert_eq!(
        found.conflicts.iter().map(|(name, groups)| (name.as_str(), groups.len())).collect::<Vec<_>>(),
        [("Class", 17)]
    );
}
