//! Support classes of the library against those of brute force.

use einsicht_graph::DfsCode;
use einsicht_search::{Search, SupportClass};
use einsicht_testkit::exhaustive::Exhaustive;
use einsicht_testkit::oracle::Occurrence;
use einsicht_testkit::strategy::{Dice, Shape};
use std::collections::BTreeMap;

#[test]
fn minimal_and_maximal_members_are_those_of_brute_force() {
    let mut dice = Dice::new(11);
    let mut several = 0;
    for shape in [Shape::PLAIN, Shape::UNLABELLED, Shape::EDGE_LABELS] {
        for _ in 0..20 {
            let graphs = dice.graphs(shape, 6);
            for mut search in [Exhaustive::new(&graphs, 5, 1), Exhaustive::with_counts(&graphs, 5, 1)] {
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
