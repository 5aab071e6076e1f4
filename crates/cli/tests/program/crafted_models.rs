//! Crafted models: whatever a file with the right digest says, a command that reads it answers or refuses, and never
//! panics.

use crate::{Program, text};
use einsicht::Model;
use einsicht_testkit::cases;
use einsicht_testkit::model_bytes::{changed, header, places, plain_tensors, rewritten, with_bytes};
use serde_json::{Value, json};

const TRAININGS: [&str; 3] = [
    "--target either --columns dose --max-edges 1 --sizes 1,2,3 --set trees=3",
    "--target either --target end --target size --max-edges 2 --sizes 1,2 --set trees=3",
    "--target end --preset gin --max-edges 2 --sizes 1,2 --set max_iterations=3",
];

/// Molecules with two classes (oxygen or nitrogen, but not both), three classes, a number, and a column beside them.
fn molecules() -> String {
    let mut text = "smiles,either,end,size,dose\n".to_owned();
    for length in 1..=12 {
        for (at, (end, either)) in [("O", 1), ("N", 1), ("C", 0), ("ON", 0)].into_iter().enumerate() {
            let name = ["O", "N", "C"][at % 3];
            text += &format!("{}{end},{either},{name},{length}.5,{}.25\n", "C".repeat(length), length * 7 % 5);
        }
    }
    text
}

/// A program with data and a model, and the bytes of the model.
fn trained(options: &str) -> (Program, Vec<u8>) {
    let program = Program::new();
    program.write("data.csv", &molecules());
    program.trained_once(&format!("train data.csv {options} -q"), "good.einsicht");
    let file = std::fs::read(program.folder().join("good.einsicht")).unwrap();
    (program, file)
}

fn with(file: &[u8], place: &str, value: Value) -> Vec<u8> {
    let mut other = header(file);
    *other.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
    rewritten(file, &other, None)
}

/// A little changed, emptied, repeated, and out of every range.
fn crafted(value: &Value) -> Vec<Value> {
    let mut all = vec![changed(value)];
    match value {
        Value::Number(_) => all.extend([json!(0), json!(1_000_000)]),
        Value::Array(items) => {
            all.push(json!([]));
            all.push([&items[..], &items[items.len().saturating_sub(1)..]].concat().into());
        }
        _ => {}
    }
    all
}

#[test]
fn effects_of_another_model_are_refused() {
    let (program, file) = trained(TRAININGS[0]);
    let effects = &header(&file)["effects"];
    assert!(!effects["pairs"].as_array().unwrap().is_empty(), "{effects}");
    let twice = |list: &Value| json!([list[0], list[0]]);
    for (place, value) in [
        ("/effects/quantities", json!([])),
        ("/effects/quantities", twice(&effects["quantities"])),
        ("/effects/quantities/0/task", json!(1)),
        ("/effects/quantities/0/class", json!(2)),
        ("/effects/patterns", json!([])),
        ("/effects/patterns/0/values", json!([0.5, 0.5])),
        ("/effects/pairs/0/patterns", json!([0, 999])),
        ("/effects/pairs/0/outputs", json!([])),
        ("/effects/shares/0/by_quantity", json!([])),
        ("/effects/shares/0/mean", json!(7.0)),
        ("/effects/near_copies", json!([[0, 999]])),
        ("/effects/columns", json!([])),
    ] {
        let mut other = header(&file);
        let (parent, field) = place.rsplit_once('/').unwrap();
        other.pointer_mut(parent).unwrap()[field] = value;
        std::fs::write(program.folder().join("crafted.einsicht"), rewritten(&file, &other, None)).unwrap();
        let refused = program.run("show crafted.einsicht").code(1);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains("effects must be those"), "{place}: {said}");
    }
}

#[test]
fn pairs_of_subgraphs_that_the_entry_does_not_use_are_refused() {
    let (_, file) = trained(TRAININGS[0]);
    let (good, tensors) = (header(&file), plain_tensors(&file));
    let pairs =
        tensors.iter().find(|tensor| tensor.name.rsplit('.').next() == Some("pairs")).expect("an entry with a pair");
    let changes: [fn(&mut Vec<u8>); 3] =
        [|places| places[1] = 9, |places| places.copy_within(4..8, 0), |places| places.swap(0, 4)];
    for change in changes {
        let refused = Model::from_bytes(&with_bytes(&file, &good, &pairs.name, change)).expect_err("no such pair");
        assert!(refused.to_string().contains(&pairs.name), "{refused}");
    }
}

#[test]
fn no_command_panics_on_a_crafted_model() {
    for options in TRAININGS {
        let (program, file) = trained(options);
        let good = header(&file);
        let mut loaded = Vec::new();
        for place in places(&good) {
            let all = crafted(good.pointer(&place).unwrap()).into_iter().map(|value| with(&file, &place, value));
            loaded.extend(all.filter(|other| Model::from_bytes(other).is_ok()).map(|other| (place.clone(), other)));
        }
        assert!(loaded.len() > 30, "{} crafted models of {options} load", loaded.len());
        let step = loaded.len().div_ceil(cases(8, 150) as usize);
        for (place, other) in loaded.iter().step_by(step) {
            std::fs::write(program.folder().join("m.einsicht"), other).unwrap();
            for line in [
                "show m.einsicht",
                "show m.einsicht --json",
                "explain m.einsicht data.csv --json -q",
                "evaluate m.einsicht data.csv",
                "predict m.einsicht data.csv",
                "report m.einsicht data.csv -o page.html --max-graphs 5 -q",
            ] {
                let ended = program.run(line);
                let (code, said) = (ended.get_output().status.code(), text(&ended.get_output().stderr));
                assert!(matches!(code, Some(0..=3)) && !said.contains("panicked"), "{place}, {line}: {code:?} {said}");
            }
        }
    }
}

#[test]
fn a_damaged_model_is_called_so() {
    let (program, mut file) = trained(TRAININGS[0]);
    // Among the tensors: before them, the file would no longer be JSON.
    let at = file.len() - 100;
    file[at] ^= 1;
    std::fs::write(program.folder().join("damaged.einsicht"), file).unwrap();
    let refused = program.run("show damaged.einsicht").code(1);
    let said = text(&refused.get_output().stderr);
    assert!(said.contains("damaged.einsicht: the file is damaged"), "{said}");
}
