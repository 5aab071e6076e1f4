//! The model file: what is saved reads back, equal models are equal files, broken files are refused with the reason.

use crate::common::{Fixture, Kind, model, params, usual};
use einsicht_data::ClassWeight;
use einsicht_data::random::Random;
use einsicht_model::params::{Penalty, TrainParams};
use einsicht_model::persist::ModelError;
use einsicht_model::{Model, Prediction, SourceRows};
use einsicht_testkit::model_bytes::{header, plain_tensors, rewritten, seal, with_bytes};
use einsicht_train::TrainState;
use einsicht_train::checkpoint::{Checkpoint, CheckpointError, Origin};
use safetensors::SafeTensors;
use safetensors::tensor::{TensorView, serialize};
use serde_json::{Value, json};

const KINDS: [Kind; 4] = [Kind::TwoClasses, Kind::ThreeClasses, Kind::Number, Kind::Several];

#[test]
fn a_model_reads_back_bit_for_bit_and_equal_models_are_equal_files() {
    for kind in KINDS {
        let fixture = Fixture::new(6, kind);
        for params in [params(), usual()] {
            let first = model(&fixture, params.clone());
            let file = first.to_bytes().unwrap();
            assert_eq!(Model::from_bytes(&file).unwrap(), first);
            assert_eq!(Model::from_bytes(&file).unwrap().to_bytes().unwrap(), file);
            assert_eq!(model(&fixture, params.clone()).to_bytes().unwrap(), file);
            let other = model(&fixture, TrainParams { seed: 1, ..params }).to_bytes().unwrap();
            assert_ne!(other, file);
        }
    }
}

#[test]
fn the_metadata_are_one_sorted_entry() {
    let file = model(&Fixture::new(6, Kind::TwoClasses), params()).to_bytes().unwrap();
    let (_, metadata) = SafeTensors::read_metadata(&file).unwrap();
    let entries = metadata.metadata().clone().unwrap();
    assert_eq!(entries.keys().collect::<Vec<_>>(), ["einsicht"]);
    let keys: Vec<usize> = ["\"chosen\"", "\"edge_labels\"", "\"entries\"", "\"fingerprint\"", "\"tasks\""]
        .map(|key| entries["einsicht"].find(key).unwrap())
        .to_vec();
    assert!(keys.is_sorted());
}

/// The file with a hub of 15 legs of two edges as its first pattern: it has 15! automorphisms.
fn with_legs(file: &[u8], header: &Value) -> Vec<u8> {
    let more = (0..14).flat_map(|leg| [json!([2, 3 + 2 * leg, 0, 0, 0]), json!([3 + 2 * leg, 4 + 2 * leg, 0, 0, 0])]);
    let legs: Value = [json!([0, 1, 0, 0, 0]), json!([1, 2, 0, 0, 0])].into_iter().chain(more).collect();
    let mut changed = header.clone();
    changed["params"]["max_edges"] = json!(31);
    changed["patterns"][0]["code"] = legs;
    rewritten(file, &changed, None)
}

#[test]
fn every_broken_file_is_refused_with_the_reason() {
    let model = model(&Fixture::new(6, Kind::TwoClasses), TrainParams { min_edges: 1, ..params() });
    let file = model.to_bytes().unwrap();
    let good = header(&file);
    let change = |pointer: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        rewritten(&file, &changed, None)
    };
    let bias = model.entries[0].iterate.bias.len();
    let nan = |name: &str, len: usize| rewritten(&file, &good, Some((name, Some(vec![f64::NAN; len]))));
    let edge = &good["patterns"][0]["code"][0];
    let (a, b) = (edge[2].as_u64().unwrap(), edge[4].as_u64().unwrap());
    let swapped = json!([[0, 1, b.max(a + 1), 0, a.min(b)]]);
    let mut json_entry = good["entries"][0].clone();
    json_entry["iterate"] = json!(model.entries[0].iterate);
    let mut no_format = good.clone();
    no_format.as_object_mut().unwrap().remove("format");
    let no_format = rewritten(&file, &no_format, None);
    let foreign = serialize(Vec::<(&str, TensorView<'_>)>::new(), None).unwrap();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", vec![], "not a complete model file"),
        ("truncated", file[..file.len() - 9].to_vec(), "not a complete model file"),
        ("longer", [&file[..], &[0]].concat(), "not a complete model file"),
        ("huge header", [&u64::MAX.to_le_bytes()[..], b"{}"].concat(), "not a complete model file"),
        ("foreign", foreign, "no metadata entry einsicht"),
        ("newer", change("/format", json!(9)), "format 9, but this version reads format 8"),
        ("older", change("/format", json!(1)), "written by an earlier version, whose files this version does not read"),
        ("no format", change("/format", json!("one")), "cannot be read"),
        ("other feature", change("/params/feature", json!("angles")), "cannot be read"),
        ("bad parameter", change("/params/hidden", json!(0)), "hidden must be"),
        ("one class", change("/tasks/0/kind", json!({"classes": ["a"]})), "task y must have"),
        ("no task", change("/tasks", json!([])), "task (none)"),
        ("tokens", change("/vertex_labels/tokens", json!(["1", "0"])), "labels must be different and in order of rank"),
        ("broken walk", change("/patterns/0/code", json!([[0, 2, 0, 0, 0]])), "must continue the depth-first walk"),
        ("not canonical", change("/patterns/0/code", swapped), "minimum DFS code"),
        ("unknown label", change("/patterns/0/code", json!([[0, 1, 0, 7, 0]])), "label outside the vocabulary"),
        (
            "qualifier",
            change("/patterns/0/code", json!([[0, 1, 0, 0, 1], [0, 0, 5, 1, 0]])),
            "label outside the vocabulary",
        ),
        ("vertex", change("/patterns/0/code", json!([[0, 0, 9, 0, 9]])), "label outside the vocabulary"),
        ("member", change("/patterns/0/class/minimal", json!([[[0, 1, 0, 9, 0]]])), "label outside the vocabulary"),
        ("repeated", change("/patterns/1/code", good["patterns"][0]["code"].clone()), "patterns must be strictly"),
        ("index", with_bytes(&file, &good, "entry.0.patterns", |at| at[1] = 9), "entry.0.patterns must be strictly"),
        ("repeated index", with_bytes(&file, &good, "entry.1.patterns", |at| at.fill(0)), "entry.1.patterns must be"),
        ("too many", change("/entries/1/size", json!(1)), "number of patterns of entry.1"),
        ("numbers in JSON", change("/entries/0", json_entry), "numbers of entries must be in tensors"),
        ("no format at all", no_format, "its format must be a number"),
        ("chosen", change("/chosen", json!(99)), "chosen entry must be one"),
        ("counts", change("/patterns/0/by_class", json!([[1]])), "count for each class of each task"),
        ("layers", change("/params/layers", json!(vec![1; 17])), "layers must be at most 16 whole numbers"),
        ("legs", with_legs(&file, &good), "too many automorphisms"),
        ("step", change("/entries/0/before/step", json!(-1.0)), "entry.0.before.step must be finite"),
        ("NaN", nan("entry.1.bias", bias), "entry.1.bias must be finite, but number 0 is not"),
        ("shape", nan("entry.1.bias", bias + 1), "with shape [3], but it is of f64 with shape [4]"),
        ("missing", rewritten(&file, &good, Some(("entry.0.network", None))), "it is missing"),
        (
            "background of no graph",
            with_bytes(&file, &good, "entry.0.background.graphs", |bytes| bytes.fill(0)),
            "a background of entry.0: 1 to 100 rows of",
        ),
        (
            "background of other data",
            with_bytes(&file, &good, "entry.1.background.graphs", |bytes| bytes[2] = 1),
            "from the 24 graphs of the training, but it has",
        ),
        ("no background", rewritten(&file, &good, Some(("entry.1.background.counts", None))), "it is missing"),
        ("superfluous", change("/entries/0/before", Value::Null), "tensors, but it holds"),
    ];
    for (name, broken, expected) in cases {
        let refused = Model::from_bytes(&broken).expect_err(name).to_string();
        assert!(refused.contains(expected), "{name}: {refused}");
    }
    assert!(matches!(Model::from_bytes(&file[..20]), Err(ModelError::NotAModel { .. })));
}

/// Without a network the mining layer has one unit per output, and those may be more than `hidden` allows.
#[test]
fn a_model_of_300_outputs_without_a_network_reads_back() {
    let mut fixture = Fixture::new(6, Kind::Number);
    let target = fixture.dataset.targets[0].clone();
    let named = |at: usize| einsicht_data::Target { name: format!("y{at}"), ..target.clone() };
    fixture.dataset.targets = (0..300).map(named).collect();
    let network = einsicht_model::params::NetworkKind::None;
    let first = model(&fixture, TrainParams { network, sizes: vec![1], max_iterations: 1, ..params() });
    assert_eq!(first.params.hidden, 300);
    assert_eq!(Model::from_bytes(&first.to_bytes().unwrap()).unwrap(), first);
}

#[test]
fn a_broken_forest_is_refused() {
    let model = model(&Fixture::new(6, Kind::Several), usual());
    let file = model.to_bytes().unwrap();
    let good = header(&file);
    let forest = format!("entry.{}.head.forest.1", model.chosen);
    let of = |what: &str| format!("fitted.{what}");
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("cut", with_bytes(&file, &good, &forest, |code| code.truncate(code.len() - 1)), "its lists do not form one"),
        ("a number", with_bytes(&file, &good, &forest, |code| code.extend([0; 8])), "its lists do not form one"),
        ("kind", rewritten(&file, &good, Some((&forest, Some(vec![0.0])))), "of u8, but it is of f64"),
        ("no linear model", rewritten(&file, &good, Some(("entry.0.head.linear", None))), "it is missing"),
        ("too far", with_bytes(&file, &good, &of("gaps"), |gaps| gaps[0] = 127), "its lists are not that"),
        ("count 0", with_bytes(&file, &good, &of("counts"), |counts| counts[0] = 0), "its lists are not that"),
        ("longer", with_bytes(&file, &good, &of("counts"), |counts| counts.push(1)), "its lists are too long"),
        ("class 7", with_bytes(&file, &good, &of("target.0"), |classes| classes[0] = 7), "of the labels of"),
        ("unknown", with_bytes(&file, &good, &of("target.0"), |classes| classes.fill(0)), "at least one of them known"),
    ];
    for (name, broken, expected) in cases {
        let refused = Model::from_bytes(&broken).expect_err(name).to_string();
        assert!(refused.contains(expected), "{name}: {refused}");
    }
}

/// What a file does not hold is grown again: each size predicts as before it was written, to the bit.
#[test]
fn every_size_of_a_loaded_model_predicts_as_before_it_was_written() {
    for kind in KINDS {
        let fixture = Fixture::new(6, kind);
        let first = model(&fixture, usual());
        let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
        let read = Model::from_bytes(&first.to_bytes().unwrap()).unwrap();
        let names: Vec<String> = plain_tensors(&first.to_bytes().unwrap()).into_iter().map(|t| t.name).collect();
        for at in 0..first.entries.len() {
            let in_file = names.contains(&format!("entry.{at}.head.forest.0"));
            assert_eq!(in_file, at == first.chosen);
            let (before, after) =
                (first.predict(at, &fixture.dataset, &rows), read.predict(at, &fixture.dataset, &rows));
            assert!(before.outputs.iter().zip(&after.outputs).all(|(a, b)| a.to_bits() == b.to_bits()));
            // The forests of another size join the file if it is picked.
            let picked = Model::from_bytes(&read.picking(at).to_bytes().unwrap()).unwrap();
            assert_eq!(picked.predict(at, &fixture.dataset, &rows), after);
        }
        assert!(first.entries.len() > 1);
    }
}

/// What the files of such models take; `cargo lab model-sizes` looks at real ones. If this fails, look for what grew
/// before the number is raised.
#[test]
fn a_model_takes_a_few_bytes_a_node_of_its_chosen_forest_and_not_more() {
    let fixture = Fixture::new(6, Kind::TwoClasses);
    let first = model(&fixture, TrainParams { trees: 100, ..usual() });
    let file = first.to_bytes().unwrap();
    let tensors = plain_tensors(&file);
    let forest = tensors.iter().find(|t| t.name.ends_with("head.forest.0")).expect("a forest");
    assert!(file.len() < 40_000, "{} bytes, {} of a forest before compression", file.len(), forest.data.len());
}

/// A digest refuses what happened to a file by accident, whatever the byte means.
#[test]
fn no_file_with_a_changed_byte_is_accepted() {
    let l1 = TrainParams { penalty: Penalty::L1, lambdas: 5, ..params() };
    let gin = TrainParams { sizes: vec![1, 2], max_iterations: 3, gnn_units: 3, gnn_rounds: 2, ..TrainParams::gin() };
    let mut random = Random::new(7);
    for params in [usual(), l1, TrainParams { max_edges: 2, ..gin }] {
        let file = model(&Fixture::new(6, Kind::TwoClasses), params).to_bytes().unwrap();
        assert!(Model::from_bytes(&file).is_ok());
        let mut damaged = 0;
        for _ in 0..200 {
            let mut other = file.clone();
            for _ in 0..=random.index(3) {
                other[random.index(file.len())] ^= 1 + random.index(255) as u8;
            }
            let refused = Model::from_bytes(&other).expect_err("a changed file");
            damaged += usize::from(other != file && matches!(refused, ModelError::Damaged));
        }
        // The others are no longer what JSON or safetensors can be.
        assert!(damaged > 20, "{damaged} of 200 found by the digest");
    }
}

#[test]
fn no_prefix_and_no_flipped_byte_makes_the_loader_panic() {
    let small = TrainParams { sizes: vec![1, 2], max_iterations: 2, ..params() };
    let file = model(&Fixture::new(6, Kind::TwoClasses), small).to_bytes().unwrap();
    for len in 0..file.len() {
        assert!(Model::from_bytes(&file[..len]).is_err());
    }
    for at in 0..file.len() {
        let mut flipped = file.clone();
        flipped[at] ^= 0x11;
        assert!(Model::from_bytes(&flipped).is_err(), "byte {at}");
        seal(&mut flipped);
        let _ = Model::from_bytes(&flipped);
    }
}

#[test]
fn predictions_reproduce_the_metrics_of_the_path() {
    for kind in KINDS {
        let fixture = Fixture::new(9, kind);
        let model = model(&fixture, params());
        for (at, entry) in model.entries.iter().enumerate() {
            for (rows, stored) in [
                (&fixture.parts.train, &entry.train),
                (&fixture.parts.valid, &entry.valid),
                (&fixture.parts.test, &entry.test),
            ] {
                assert_eq!(&model.evaluate(at, &fixture.dataset, rows).unwrap(), stored);
            }
        }
    }
}

#[test]
fn labels_are_matched_by_name_and_unknown_ones_are_noticed() {
    let fixture = Fixture::new(9, Kind::TwoClasses);
    let model = model(&fixture, params());
    let rows: Vec<usize> = (0..40).collect();
    let known = model.predict(model.chosen, &fixture.dataset, &rows);
    // The same graphs in a data set where the labels have other numbers.
    let mut renamed = fixture.dataset.clone();
    renamed.vertex_labels = einsicht_data::Vocabulary::from_tokens(["-5", "0", "1"]);
    for graph in &mut renamed.graphs {
        let mut builder = einsicht_graph::Graph::builder();
        for label in graph.vertex_labels() {
            builder.add_vertex(einsicht_graph::Label(label.0 + 1)).unwrap();
        }
        for edge in graph.edges() {
            builder.add_edge(edge.from, edge.to, edge.label).unwrap();
        }
        *graph = builder.build();
    }
    assert_eq!(model.predict(model.chosen, &renamed, &rows), known);
    // No label is known any more.
    renamed.vertex_labels = einsicht_data::Vocabulary::from_tokens(["x", "y", "z"]);
    let unknown = model.predict(model.chosen, &renamed, &rows);
    assert!(unknown.has_unknown_label.iter().all(|&unknown| unknown));
    assert!(unknown.patterns_present.iter().all(|&present| present == 0));
    let Prediction::Class { class, probabilities } = &unknown.row(&model.tasks, 0)[0] else { panic!("a class") };
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12 && *class < 2);
}

#[test]
fn a_checkpoint_continues_only_the_training_that_made_it() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let rows = SourceRows::of(&fixture.dataset, &fixture.parts);
    let name = fixture.dataset.fingerprint().to_string();
    let origin =
        Origin { fingerprint: name, rows: rows.clone(), params: vec![params()], class_weight: ClassWeight::None };
    let saved = Checkpoint::new(origin.clone(), TrainState::default());
    assert_eq!(Checkpoint::from_bytes(&saved.to_bytes().unwrap()), Ok(saved));
    assert_eq!(origin.check(&origin), Ok(()));
    let what = |now: Origin| match origin.check(&now) {
        Err(CheckpointError::Differs { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let of = |params: Vec<TrainParams>| Origin { params, ..origin.clone() };
    assert_eq!(what(of(vec![TrainParams { hidden: 7, ..params() }])), "hidden");
    assert_eq!(what(of(vec![params(), params()])), "the grid");
    assert_eq!(what(Origin { fingerprint: "0".to_owned(), ..origin.clone() }), "the data set");
    let fewer = SourceRows { train: vec![1], ..rows };
    assert_eq!(what(Origin { class_weight: ClassWeight::Balanced, ..origin.clone() }), "class_weight");
    assert_eq!(what(Origin { rows: fewer, ..origin.clone() }), "the training set");
    let two = of(vec![params(), params()]);
    let other = of(vec![params(), TrainParams { seed: 3, ..params() }]);
    assert_eq!(two.check(&other).unwrap_err().to_string().split(" was ").next().unwrap(), {
        "the saved state belongs to another training: seed of point 1"
    });
    assert!(Checkpoint::from_bytes(b"{\"format\":1").is_err());
}

#[test]
fn outputs_of_values_are_those_of_the_graphs_and_patterns_can_be_left_out() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let model = crate::common::model(&fixture, params());
    let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
    for (at, entry) in model.entries.iter().enumerate() {
        let supports = model.supports(&entry.iterate, &fixture.dataset, &fixture.dataset.graphs);
        let values = model.values(&supports, rows.len());
        let outputs = model.outputs_of_values(at, &values, rows.len());
        assert_eq!(outputs, model.predict(at, &fixture.dataset, &rows).outputs);
        assert!(outputs.iter().any(|output| *output != outputs[0]));
        // A graph without patterns is a row of zeros, whatever the other rows are.
        let width = entry.iterate.patterns.len();
        let mut two = vec![0.0; 2 * width];
        two[width..].copy_from_slice(&values[..width]);
        let left_out = model.outputs_of_values(at, &two, 2);
        assert_eq!((left_out[0], left_out[1]), (model.outputs_of_values(at, &two[..width], 1)[0], outputs[0]));
    }
}
