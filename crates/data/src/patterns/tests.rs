//! Patterns by name, in files and in vocabularies.

use super::*;
use proptest::prelude::*;

/// A file that goes away.
fn file(end: &str, text: &str) -> tempfile::TempPath {
    let file = tempfile::Builder::new().suffix(end).tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file.into_temp_path()
}

fn vocabulary(tokens: &[&str], names: &[(&str, &str)]) -> Vocabulary {
    let mut vocabulary = Vocabulary::from_tokens(tokens.iter().copied());
    for (token, name) in names {
        vocabulary.set_name(*token, *name);
    }
    vocabulary
}

#[test]
fn a_pattern_finds_its_labels_in_another_vocabulary_by_name() {
    let here = vocabulary(&["6", "8"], &[("6", "C"), ("8", "O")]);
    let there = vocabulary(&["O", "N", "C"], &[]);
    let (bonds, none) = (vocabulary(&["double", "single"], &[]), vocabulary(&[NO_LABEL], &[]));
    let carbonyl = NamedPattern { vertices: vec!["C".into(), "O".into()], edges: vec![(0, 1, "double".into())] };
    let found = Names::plain(&here, &bonds).bind(&carbonyl).unwrap();
    assert_eq!(Names::plain(&here, &bonds).pattern(&found), carbonyl);
    assert_eq!(Names::plain(&there, &none).bind(&carbonyl).unwrap().vertex_labels(), [Label(0), Label(2)]);
    let unknown = NamedPattern { vertices: vec!["C".into(), "Xe".into()], edges: vec![(0, 1, String::new())] };
    assert_eq!(Names::plain(&there, &none).bind(&unknown), Err(UnknownLabel::Vertex("Xe".into())));
    let unlabelled = NamedPattern { edges: vec![(0, 1, String::new())], ..carbonyl };
    assert_eq!(Names::plain(&there, &bonds).bind(&unlabelled), Err(UnknownLabel::Edge(String::new())));
}

#[test]
fn a_name_that_two_labels_share_is_not_used() {
    let vocabulary = vocabulary(&["1", "2", "3"], &[("1", "x"), ("2", "x")]);
    assert_eq!([0, 1, 2].map(|l| word(&vocabulary, Label(l))), ["1", "2", "3"]);
    assert_eq!(find(&vocabulary, "x"), None);
}

#[test]
fn transactions_and_json_lines_hold_the_same_pattern() {
    let transactions = file("same.gspan", "t # 0\nv 0 C\nv 1 O\ne 0 1 double\n");
    let lines = file(
        "same.jsonl",
        "{\"pattern\": {\"vertices\": [\"C\", \"O\"], \"edges\": [[0, 1, \"double\"]]}, \"support\": 3}\n\n",
    );
    let options = ReadOptions::default();
    let patterns = read_patterns(&transactions, &options).unwrap();
    assert_eq!(patterns, read_patterns(&lines, &options).unwrap());
    assert_eq!(patterns.len(), 1);
}

#[test]
fn what_is_not_a_pattern_is_refused_with_file_and_line() {
    let cases = [
        ("loose.gspan", "t # 0\nv 0 C\nv 1 O\n", ":1: a pattern must be connected, but this one has 2 components"),
        (
            "empty.jsonl",
            "{\"pattern\": {\"vertices\": [], \"edges\": []}}\n",
            ":1: a pattern must have at least one vertex, but this one has none",
        ),
        ("line.jsonl", "{\"pattern\": 3}\n", ":1: must be a JSON object as in docs/formats.md, but at column 13: "),
        (
            "edge.jsonl",
            "\n{\"pattern\": {\"vertices\": [\"C\"], \"edges\": [[0, 4, \"\"]]}}\n",
            ":2: an edge must join vertices of its graph, but there is no vertex 4",
        ),
    ];
    for (name, text, expected) in cases {
        let path = file(name, text);
        let error = read_patterns(&path, &ReadOptions::default()).unwrap_err();
        let message = error.to_string();
        let message = message.strip_prefix(&path.display().to_string()).unwrap();
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(error.place().path, path.to_path_buf());
    }
}

proptest! {
    #[test]
    fn a_pattern_that_was_written_is_read_back(pattern in einsicht_testkit::strategy::connected_graph(
        einsicht_testkit::strategy::Shape::EDGE_LABELS,
    )) {
        let labels = vocabulary(&["a b", "\"", "c"], &[("c", "\u{e9}")]);
        let named = Names::plain(&labels, &labels).pattern(&pattern);
        let text = serde_json::to_string(&named).unwrap();
        let back: NamedPattern = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Names::plain(&labels, &labels).bind(&back).unwrap(), pattern);
    }
}

/// Some molecules with their qualifiers.
fn qualified() -> crate::Dataset {
    let smiles = ["NCCCl", "c1ccccc1Br", "[NH3+]CC"].map(String::from);
    let raw = crate::read::read_smiles(&smiles, &ReadOptions::default()).unwrap();
    Qualifiers::settle(&raw, &crate::QualifierChoice::Auto).unwrap().apply(raw).unwrap()
}

#[test]
fn qualifiers_are_written_and_read_by_name() {
    let set = qualified();
    let names = set.names();
    for graph in &set.graphs {
        let text = serde_json::to_string(&names.pattern(graph)).unwrap();
        let back: NamedPattern = serde_json::from_str(&text).unwrap();
        assert_eq!(names.bind(&back).unwrap(), *graph);
    }
    let text = r#"{"vertices":[{"label":"N","qualifiers":["H2","D1"]},"C"],"edges":[[0,1,"single"]]}"#;
    let amine: NamedPattern = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&amine).unwrap(), text);
    let bound = names.bind(&amine).unwrap();
    assert_eq!(names.one_line(&bound), "N[H2,D1]-C");
    assert_eq!(names.smarts(&bound).unwrap(), "[#7;H2;D1]-[#6]");
    assert_eq!(names.words(&bound), "N with 2 H, 1 neighbour - C");
    assert_eq!(
        Names::plain(names.vertex_labels, names.edge_labels).bind(&amine),
        Err(UnknownLabel::Qualifier("H2".into()))
    );
}

#[test]
fn a_halogen_may_be_called_by_its_element() {
    let set = qualified();
    let names = set.names();
    let bind = |text: &str| names.bind(&serde_json::from_str(text).unwrap());
    let chlorine = bind(r#"{"vertices": ["Cl"], "edges": []}"#).unwrap();
    assert_eq!(bind(r#"{"vertices": [{"label": "X", "qualifiers": ["Cl"]}], "edges": []}"#).unwrap(), chlorine);
    assert_eq!((names.one_line(&chlorine), names.words(&chlorine)), ("Cl".into(), "chlorine".into()));
    let any = bind(r#"{"vertices": ["X"], "edges": []}"#).unwrap();
    assert_eq!((names.one_line(&any), names.words(&any)), ("X".into(), "halogen".into()));
    assert_eq!(names.smarts(&any).unwrap(), "[F,Cl,Br,I]");
    assert_eq!(bind(r#"{"vertices": ["F"], "edges": []}"#), Err(UnknownLabel::Vertex("F".into())));
    let unknown = r#"{"vertices": [{"label": "C", "qualifiers": ["H7"]}], "edges": []}"#;
    assert_eq!(bind(unknown).unwrap_err().to_string(), "qualifier \"H7\"");
}

#[test]
fn a_single_vertex_is_a_pattern() {
    let path = file("atom.gspan", "t # 0\nv 0 C\n");
    let patterns = read_patterns(&path, &ReadOptions::default()).unwrap();
    assert_eq!(serde_json::to_string(&patterns[0]).unwrap(), r#"{"vertices":["C"],"edges":[]}"#);
}

#[test]
fn smarts_is_read_as_the_pattern_that_it_was_written_from() {
    let minimum = |graph: &Graph| einsicht_graph::DfsCode::minimum_of(graph).unwrap();
    let smiles =
        ["NCCCl", "c1ccccc1Br", "[NH3+]CC", "C1CC1C#N", "O=C([O-])c1ccc2[nH]ccc2c1", "ClC(F)(Br)I"].map(String::from);
    for labels in
        [vec![], vec!["aromatic"], vec!["charge"], vec!["charge", "hydrogens"], vec!["aromatic", "charge", "hydrogens"]]
    {
        let labels = labels.into_iter().map(String::from).collect::<Vec<_>>();
        let options = ReadOptions { molecule_labels: Some(labels.try_into().unwrap()), ..ReadOptions::default() };
        let raw = crate::read::read_smiles(&smiles, &options).unwrap();
        for choice in [crate::QualifierChoice::Auto, crate::QualifierChoice::None] {
            let set = Qualifiers::settle(&raw, &choice).unwrap().apply(raw.clone()).unwrap();
            let names = set.names();
            for graph in &set.graphs {
                let smarts = names.smarts(graph).unwrap();
                let line = format!(r#"{{"pattern": {}}}"#, serde_json::to_string(&smarts).unwrap());
                let read: Line = serde_json::from_str(&line).unwrap();
                let bound = names.bind(&read.pattern).unwrap_or_else(|unknown| panic!("{smarts}: {unknown}"));
                assert_eq!(minimum(&bound), minimum(graph), "{smarts}");
            }
        }
    }
}

#[test]
fn smarts_means_the_same_where_labels_are_elements_only() {
    let set = qualified();
    let names = set.names();
    let bind = |text: &str| names.bind(&serde_json::from_value(serde_json::json!(text)).unwrap());
    assert_eq!(bind("[#6a]").unwrap(), bind("[#6;a]").unwrap());
    assert_eq!(bind("[#7+]").unwrap(), bind("[#7;+1]").unwrap());
    assert_eq!(bind("[#6A]"), Err(UnknownLabel::Qualifier("aliphatic".into())));
    assert_eq!(bind("[#6+0]"), Err(UnknownLabel::Qualifier("+0".into())));
    assert_eq!(bind("[#6h2]"), Err(UnknownLabel::Vertex("CH2".into())));
    let problem = serde_json::from_value::<NamedPattern>(serde_json::json!("CC")).unwrap_err().to_string();
    assert!(problem.starts_with("a subgraph in SMARTS must be atoms like [#6]"), "{problem}");
}
