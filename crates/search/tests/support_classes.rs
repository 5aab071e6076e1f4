//! Support classes of the library against those of brute force.

use einsicht_graph::DfsCode;
use einsicht_graph::mine::Counts;
use einsicht_search::{Search, SupportClass};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::oracle::{Language, Occurrence};
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeMap;

#[test]
fn minimal_and_maximal_members_are_those_of_brute_force() {
    let mut dice = Dice::new(11);
    let mut several = 0;
    for shape in [Shape::PLAIN, Shape::UNLABELLED, Shape::EDGE_LABELS] {
        for _ in 0..20 {
            let graphs = dice.graphs(shape, 6);
            let mut qualified = graphs.clone();
            for graph in &mut qualified {
                dice.qualify(graph);
            }
            let all = Language { min_edges: 0, max_edges: 3, max_qualifiers: 2, max_qualified_edges: 2 };
            for mut search in [
                Exhaustive::new(&graphs, 5, 1),
                Exhaustive::with_counts(&graphs, 5, 1),
                Exhaustive::of_language(
                    &graphs,
                    Language { max_qualifiers: 0, max_edges: 4, ..all },
                    1,
                    Counts::Copies,
                ),
                Exhaustive::of_language(&qualified[..graphs.len().min(2)], all, 1, Counts::Off),
            ] {
                let mut classes: BTreeMap<Occurrence, Vec<DfsCode>> = BTreeMap::new();
                for (code, occurrence) in search.patterns() {
                    classes.entry(occurrence.clone()).or_default().push(code.clone());
                }
                for (occurrence, members) in classes {
                    let expected = search.class(&occurrence.detached()).unwrap();
                    several += usize::from(expected.minimal.len() > 1 && expected.maximal.len() > 1);
                    assert_eq!(SupportClass::from_members(members), expected);
                }
            }
        }
    }
    assert!(several > 10);
}
