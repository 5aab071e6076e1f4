//! One figure, one number: the same thing has the same value in train, show, evaluate, the page and experiments, for
//! models of every kind, on training data, new data and both together.

use super::{Program, text};
use einsicht_testkit::fixture;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// A kind of model: its data, and the options of its training.
struct Case {
    name: &'static str,
    header: &'static str,
    /// Targets of a molecule with this number of carbons and whether it is an acid.
    targets: fn(usize, bool) -> String,
    /// Options of reading.
    reading: &'static str,
    options: &'static str,
}

fn two(_: usize, acid: bool) -> String {
    if acid { "yes" } else { "no" }.to_owned()
}

const QUICK: &str = "--max-edges 3 --sizes 1,3,6";

const CASES: [Case; 7] = [
    Case { name: "two classes", header: "y", targets: two, reading: "", options: QUICK },
    Case {
        name: "six classes",
        header: "y",
        targets: |carbons, acid| format!("c{}", carbons % 3 + if acid { 3 } else { 0 }),
        reading: "",
        options: QUICK,
    },
    Case {
        name: "a number",
        header: "y",
        targets: |carbons, acid| format!("{:.1}", carbons as f64 * 0.7 + if acid { 2.5 } else { 0.0 }),
        reading: "",
        options: QUICK,
    },
    Case {
        name: "several targets with gaps",
        header: "y,z,n",
        targets: |carbons, acid| {
            let gap = if carbons % 3 == 0 { String::new() } else { two(carbons, carbons % 2 == 0) };
            format!("{},{gap},{:.2}", two(carbons, acid), carbons as f64 * 1.37)
        },
        reading: "--target *",
        options: QUICK,
    },
    Case {
        name: "a threshold",
        header: "y",
        targets: |c, acid| two(c, acid && c % 4 > 0),
        reading: "",
        options: "--max-edges 3 --sizes 1,3,6 --set threshold=auto",
    },
    Case {
        name: "calibrated",
        header: "y",
        targets: |c, acid| two(c, acid && c % 4 > 0),
        reading: "",
        options: "--max-edges 3 --sizes 1,3,6 --set calibrate=on",
    },
    Case {
        name: "a graph network",
        header: "y",
        targets: two,
        reading: "",
        options: "--preset gin --sizes 0,1,3 --max-edges 3 --set max_iterations=3 --set gnn_units=4",
    },
];

/// Alcohols, amines and acids of these numbers of carbons.
fn molecules(case: &Case, carbons: impl Iterator<Item = usize>) -> String {
    let mut rows = String::new();
    for at in carbons {
        let tail = "C".repeat(at);
        for (smiles, acid) in [
            (format!("{tail}O"), false),
            (format!("{tail}C(=O)O"), true),
            (format!("N{tail}O"), false),
            (format!("N{tail}C(=O)O"), true),
        ] {
            rows += &format!("{smiles},{}\n", (case.targets)(at, acid));
        }
    }
    rows
}

/// The metrics of a document of evaluate, by target if there are several.
fn metrics(document: &Value) -> BTreeMap<String, f64> {
    let is_metric = |name: &str| name != "graphs";
    let numbers = |object: &Value| -> Vec<(String, f64)> {
        let fields = object.as_object().into_iter().flatten();
        fields
            .filter(|(name, value)| is_metric(name) && value.is_f64())
            .map(|(n, v)| (n.clone(), v.as_f64().unwrap()))
            .collect()
    };
    numbers(document).into_iter().collect()
}

fn page_figures(program: &Program, chosen: usize, key: &str) -> BTreeMap<String, f64> {
    let page = fs::read_to_string(program.folder().join("r.html")).unwrap();
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    let data: Value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    let figures = data["entries"][chosen]["figures"].as_array().unwrap().iter().find(|group| group["key"] == key);
    figures.map_or_else(BTreeMap::new, |group| metrics(&group["metrics"]))
}

fn assert_close(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>, what: &str) {
    assert!(!a.is_empty() && a.keys().eq(b.keys()), "{what}: {a:?} {b:?}");
    for (name, value) in a {
        // A page rounds.
        assert!((value - b[name]).abs() <= 1e-6 * value.abs().max(1.0), "{what}: {name} {value} {}", b[name]);
    }
}

#[test]
fn the_same_thing_has_the_same_figure_everywhere() {
    for case in &CASES {
        let program = Program::new();
        let (old, new) = (molecules(case, 1..11), molecules(case, 11..15));
        let table = |rows: &str| format!("smiles,{}\n{rows}", case.header);
        program.write("old.csv", &table(&old));
        program.write("new.csv", &table(&new));
        program.write("both.csv", &table(&(new.clone() + &old)));
        let Case { name, reading, options, .. } = case;
        let trained = program.json(&format!("train old.csv {reading} -o m {options} --json"));
        let chosen = trained["chosen"].as_u64().unwrap() as usize;
        let held_out = metrics(&trained["path"][chosen]["valid"]);
        assert!(!held_out.is_empty(), "{name}");
        // The file has what the training printed.
        let shown = program.json("show m --json");
        assert_eq!(metrics(&shown["entries"][chosen]["valid"]), held_out, "{name}: show");
        assert_eq!(shown["estimate"], trained["estimate"], "{name}: estimate");
        // Training data: nothing is unseen, and what is shown are the out-of-fold figures of the training.
        let of_old = program.json("evaluate m old.csv --json");
        assert_eq!(of_old["graphs"], 0, "{name}");
        assert_eq!(metrics(&of_old["seen"]["out_of_fold"]), held_out, "{name}: evaluate on training data");
        // New data: all of it is unseen. Both together: each part as alone, whatever the order.
        let of_new = program.json("evaluate m new.csv --json");
        assert_eq!((&of_new["graphs"], &of_new["seen"]["graphs"]), (&16.into(), &0.into()), "{name}");
        let of_both = program.json("evaluate m both.csv --json");
        assert_close(&metrics(&of_both), &metrics(&of_new), &format!("{name}: evaluate on both, new"));
        let seen = metrics(&of_both["seen"]["out_of_fold"]);
        assert_close(&seen, &held_out, &format!("{name}: evaluate on both, old"));
        assert_eq!(of_both["seen"]["not_scored"], of_old["seen"]["not_scored"], "{name}");
        // The page, on both.
        program.run(&format!("report m both.csv {reading} -o r.html -q")).success();
        assert_close(&page_figures(&program, chosen, "out_of_fold"), &held_out, &format!("{name}: page, old"));
        assert_close(&page_figures(&program, chosen, "unseen"), &metrics(&of_new), &format!("{name}: page, new"));
    }
}

#[test]
fn an_experiment_has_the_figures_of_the_trainings_on_its_splits() {
    for case in &CASES {
        let program = Program::new();
        program.write("old.csv", &format!("smiles,{}\n{}", case.header, molecules(case, 1..11)));
        let rows = |from: usize| (0..40).filter(|row| row % 5 == from).map(|row| row.to_string()).collect::<Vec<_>>();
        let train = [rows(0), rows(1), rows(2)].concat().join(",");
        let trial =
            format!("{{\"train\": [{train}], \"valid\": [{}], \"test\": [{}]}}", rows(3).join(","), rows(4).join(","));
        program.write("s.json", &format!("{{\"trials\": [{trial}]}}"));
        let Case { name, reading, options, .. } = case;
        let trained = program.json(&format!("train old.csv {reading} --splits s.json -o m {options} --json"));
        let chosen = trained["chosen"].as_u64().unwrap() as usize;
        let entry = &trained["path"][chosen];
        let experiment = program.json(&format!("experiment old.csv {reading} --splits s.json {options} --json"));
        let tried = &experiment["trials"][0];
        assert_eq!((&tried["valid"], &tried["test"]), (&entry["valid"], &entry["test"]), "{name}");
        // The test set is unseen; the validation set was held out, and where there are folds the training set too.
        let of_test = program.json("evaluate m old.csv --splits s.json --json");
        assert_eq!((&of_test["graphs"], metrics(&of_test)), (&8.into(), metrics(&entry["test"])), "{name}: test");
        let of_all = program.json("evaluate m old.csv --json");
        assert_close(&metrics(&of_all["seen"]["out_of_fold"]), &metrics(&entry["valid"]), &format!("{name}: held out"));
    }
}

#[test]
fn the_estimate_says_how_the_size_was_chosen_and_from_how_few_graphs() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    let expected = |options: &str| {
        let text = program.stdout(&format!("train {data} --max-edges 3 {options} -o model.einsicht"));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.split(" expected ").nth(1).unwrap().split(" compare ").next().unwrap().to_owned()
    };
    assert!(expected("--sizes 1,3").ends_with(" held out in 5 folds, including the choice of size"));
    assert!(expected("--sizes 1,3 --prefer sparse").ends_with(", including the choice of size (prefer sparse)"));
    assert!(expected("--sizes 3").ends_with(" held out in 5 folds"));

    let rows: String = ["CCO,1", "CCN,0", "CCCO,1", "CCCN,0"].map(|row| format!("{row}\n").repeat(20)).concat();
    program.write("few.csv", &format!("smiles,y\n{rows}"));
    let run = program.run("train few.csv --max-edges 1 --sizes 1 -o few.einsicht").success();
    let [said, shown] = [&run.get_output().stderr, &run.get_output().stdout].map(|bytes| text(bytes));
    assert!(said.contains("warning: the 80 training graphs include only 4 different ones"), "{said}");
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("80 graphs (4 different) held"), "{shown}");
}
