//! Reading twice: in the same way, in another way that changes labels, and in another way that changes none.

use super::*;
use crate::read::{Format, VertexNames, from_jsonl, read_from, read_smiles};
use crate::write::to_jsonl;

const CARBONYL: &str = "t # 0\nv 0 6\nv 1 8\nv 2 1\ne 0 1 2\ne 0 2 1\n";

fn gspan(text: &'static str, options: ReadOptions) -> Dataset {
    let options = ReadOptions { format: Some(Format::Gspan), ..options };
    read_from("memory".as_ref(), text.as_bytes(), &options).unwrap()
}

fn smiles(options: &ReadOptions) -> Dataset {
    read_smiles(&["c1ccccc1O".to_owned(), "[2H]C".to_owned()], options).unwrap()
}

fn check(first: &Dataset, other: &Dataset) -> String {
    first.reading.check(first.names(), other).err().map(|error| error.to_string()).unwrap_or_default()
}

fn aromatic() -> ReadOptions {
    let labels = MoleculeLabels { aromatic: true, ..MoleculeLabels::default() };
    ReadOptions { molecule_labels: Some(labels), ..ReadOptions::default() }
}

fn ignoring() -> ReadOptions {
    ReadOptions { edge_labels: EdgeLabels::Ignore, ..ReadOptions::default() }
}

fn hydrogens(how: Hydrogens) -> ReadOptions {
    ReadOptions { hydrogens: Some(how), ..ReadOptions::default() }
}

#[test]
fn every_option_that_changes_labels_is_named() {
    let plain = smiles(&ReadOptions::default());
    let head = "graphs must be read as those of the training were, but";
    for (options, difference) in [
        (aromatic(), "molecule labels: elements only, and elements and aromatic here"),
        (ignoring(), "edge labels: they were used, and they are ignored here"),
        (hydrogens(Hydrogens::Keep), "explicit hydrogens: dropped, and kept here"),
    ] {
        assert_eq!(check(&plain, &smiles(&options)), format!("{head} {difference}"));
        assert_ne!(check(&smiles(&options), &plain), "");
        assert_eq!(check(&smiles(&options), &smiles(&options)), "");
    }
    let both = ReadOptions { edge_labels: EdgeLabels::Ignore, ..aromatic() };
    let error = check(&plain, &smiles(&both));
    assert!(error.contains("molecule labels") && error.contains("edge labels"), "{error}");
}

#[test]
fn open_options_are_completed_to_the_way_of_the_first_graphs() {
    for options in [aromatic(), ignoring(), hydrogens(Hydrogens::Keep), ReadOptions::default()] {
        let first = smiles(&options);
        let again = smiles(&first.reading.complete(first.names(), ReadOptions::default()));
        assert_eq!((again.reading.clone(), again.fingerprint()), (first.reading.clone(), first.fingerprint()));
    }
    let first =
        gspan(CARBONYL, ReadOptions { vertex_names: Some(VertexNames::AtomicNumbers), ..hydrogens(Hydrogens::Drop) });
    let again = gspan(CARBONYL, first.reading.complete(first.names(), ReadOptions::default()));
    assert_eq!((again.graphs[0].num_vertices(), again.fingerprint()), (2, first.fingerprint()));
}

#[test]
fn what_makes_no_difference_is_no_difference() {
    let bare = gspan("t # 0\nv 0 C\nv 1 O\ne 0 1\n", ReadOptions::default());
    let ignored = gspan("t # 0\nv 0 C\nv 1 O\ne 0 1 2\n", ignoring());
    assert_eq!((check(&bare, &ignored), check(&ignored, &bare)), (String::new(), String::new()));
    // Labelled graphs without hydrogens, for a model of molecules that dropped theirs.
    assert_eq!(
        check(&smiles(&ReadOptions::default()), &gspan("t # 0\nv 0 C\nv 1 O\ne 0 1 single\n", ReadOptions::default())),
        ""
    );
    let kept = gspan("t # 0\nv 0 C\nv 1 H\ne 0 1 single\n", ReadOptions::default());
    assert!(check(&smiles(&ReadOptions::default()), &kept).contains("explicit hydrogens"));
}

#[test]
fn hydrogens_that_were_all_vertices_must_all_be_vertices() {
    let read = |smiles: &str| read_smiles(&[smiles.to_owned()], &hydrogens(Hydrogens::Keep)).unwrap();
    let (all, some, none) = (read("[H]C([H])([H])O[H]"), read("[H]OC"), read("CO"));
    assert!(all.reading.all_hydrogens && !some.reading.all_hydrogens && !none.reading.all_hydrogens);
    for part in [&some, &none] {
        assert!(
            check(&all, part)
                .ends_with("hydrogens: all were vertices, and some are not (AddHs of RDKit makes them so) here")
        );
    }
    assert!(
        check(&none, &all).ends_with("hydrogens: none was a vertex, and all are (RemoveHs of RDKit removes them) here")
    );
    // A training that has seen both, and molecules without any.
    assert_eq!((check(&some, &all), check(&some, &none), check(&all, &read("ClCl"))), Default::default());
    assert!(!Dataset::join(&[&all, &some]).unwrap().reading.all_hydrogens);
    assert!(!smiles(&ReadOptions::default()).reading.all_hydrogens);
}

#[test]
fn a_label_with_two_names_is_refused() {
    let mut one =
        gspan(CARBONYL, ReadOptions { vertex_names: Some(VertexNames::AtomicNumbers), ..ReadOptions::default() });
    let unnamed = gspan(CARBONYL, ReadOptions::default());
    assert_eq!((check(&one, &unnamed), check(&unnamed, &one)), (String::new(), String::new()));
    let two = one.clone();
    one.vertex_labels.set_name("6", "carbon");
    assert!(check(&one, &two).ends_with("the name of vertex label: 6 was carbon, and it is C here"));
}

#[test]
fn it_is_written_down_with_the_graphs_and_sets_of_two_ways_do_not_join() {
    let first = smiles(&aromatic());
    let mut bytes = Vec::new();
    to_jsonl(&first, &mut bytes).unwrap();
    assert_eq!(from_jsonl("x".as_ref(), bytes).unwrap().reading, first.reading);
    let error = Dataset::join(&[&first, &smiles(&ReadOptions::default())]).unwrap_err().to_string();
    assert!(error.starts_with("graphs must be read as those before them were, but molecule labels"), "{error}");
    assert_eq!(Dataset::join(&[&first, &first]).unwrap().reading, first.reading);
}
