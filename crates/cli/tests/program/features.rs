//! `--columns`: columns of numbers beside the subgraphs, in every command that uses a model.

use super::{Program, text};
use serde_json::Value;
use std::fs;

/// Chains of three kinds; active are those with a dose above 5 that end in oxygen. `noise` says nothing.
fn assay() -> String {
    let row = |at: usize| {
        let (end, dose) = (["O", "N", "Cl"][at % 3], (at * 37 % 100) as f64 / 10.0);
        let active = u8::from(at.is_multiple_of(3) && dose > 5.0);
        format!("m{at},{}{end},{dose},{},{active}\n", "C".repeat(at % 5 + 1), (at * 61 % 83) as f64 - 40.0)
    };
    format!("name,smiles,dose,noise,active\n{}", (0..120).map(row).collect::<String>())
}

const TRAIN: &str = "train assay.csv --columns dose noise --target active --max-edges 1 --sizes 1,2";

fn trained() -> Program {
    let program = Program::new();
    program.write("assay.csv", &assay());
    program.trained_once(TRAIN, "model.einsicht");
    program
}

#[test]
fn a_column_that_decides_gets_the_credit_by_its_name() {
    let program = trained();
    let found = program.json("explain model.einsicht assay.csv --json");
    let graphs = found["graphs"].as_array().unwrap();
    let size = |name: &str| -> f64 { graphs.iter().map(|g| g["values"][name].as_f64().unwrap().abs()).sum() };
    assert!(size("dose") > 5.0 * size("noise"), "{} {}", size("dose"), size("noise"));
    let first = &graphs[0];
    assert_eq!(first["columns"]["dose"], 0.0);
    let sum: f64 = first["values"].as_object().unwrap().values().map(|value| value.as_f64().unwrap()).sum();
    let gap = first["output"].as_f64().unwrap() - first["base"].as_f64().unwrap();
    assert!((sum - gap).abs() < 1e-9, "Shapley values add up");
    let effects = &program.json("show model.einsicht --json")["effects"];
    let column = |at: usize| -> (String, f64) {
        let column = &effects["columns"][at];
        (column["name"].as_str().unwrap().to_owned(), column["effects"][0].as_f64().unwrap())
    };
    let ((dose, large), (noise, small)) = (column(0), column(1));
    assert_eq!((dose.as_str(), noise.as_str()), ("dose", "noise"));
    assert!(large > 0.1 && small.abs() < 0.1 * large, "{large} {small}");
    let shown = program.stdout("show model.einsicht");
    assert!(shown.contains("plus the columns dose, noise"), "{shown}");
    assert!(shown.contains("from the column dose"), "{shown}");
    let shown = program.stdout("explain model.einsicht assay.csv --graph m1");
    assert!(shown.contains("dose = 3.7"), "{shown}");
    program.run("report model.einsicht assay.csv -o page.html").success();
    let page = fs::read_to_string(program.folder().join("page.html")).unwrap();
    assert!(page.contains("\"side_inputs\":[{\"name\":\"dose\",\"values\":[0.0,3.7,"), "the page has the values");
    // Without the column the rule cannot be learnt.
    let accuracy = |found: &Value| -> f64 {
        found["path"][found["chosen"].as_u64().unwrap() as usize]["valid"]["auc"].as_f64().unwrap()
    };
    let without = program.json("train assay.csv --target active --max-edges 1 --sizes 1,2 -o plain.einsicht --json");
    let with = program.json(&format!("{TRAIN} -o again.einsicht --json"));
    assert!(accuracy(&with) > accuracy(&without) + 0.05, "{} {}", with["path"], without["path"]);
}

#[test]
fn a_model_reads_its_columns_by_name_and_refuses_tables_without_them() {
    let program = trained();
    let of = |file: &str| program.json(&format!("predict model.einsicht {file} --json"))["predictions"].clone();
    let found = of("assay.csv");
    // Columns in another order, and further ones.
    let turned: String =
        assay().lines().map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + ",x\n").collect();
    program.write("turned.csv", &turned);
    assert_eq!(of("turned.csv"), found);
    program.run("convert assay.csv --columns noise dose --target active -o assay.jsonl").success();
    assert_eq!(of("assay.jsonl"), found);
    program.write("without.csv", &assay().replace(",dose,", ",amount,"));
    for line in ["predict", "evaluate", "explain", "report -o page.html"] {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let refused = program.run(&format!("{command} model.einsicht without.csv {rest}")).code(1);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains("without.csv: there must be a column named \"dose\", but there are only"), "{said}");
    }
    program.write("gaps.csv", "smiles,noise,dose\nCCO,1,2\nCCO,1,\nCCO,1,high\n");
    let run = program.run("predict model.einsicht gaps.csv --json").success();
    let said = text(&run.get_output().stderr);
    assert!(said.contains("row 1 (line 3): column \"dose\" is a feature and must be a finite number"), "{said}");
    let found: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(found["predictions"].as_array().unwrap().len(), 1);
    // Graphs are matched without the columns.
    program.run("match model.einsicht without.csv").success();
}

#[test]
fn bad_features_are_refused_before_anything_is_trained() {
    let program = Program::new();
    program.write("assay.csv", &assay());
    program.write("gap.csv", "smiles,dose,active\nCCO,1,1\nCCN,,0\n");
    let train = "--target active -o model.einsicht";
    let cases = [
        ("train assay.csv --columns weight", 1, "there must be a column named \"weight\", but there are only"),
        (
            "train assay.csv --columns name",
            1,
            "assay.csv:2: in row 0, column \"name\" is a feature and must be a finite number in every row, but is \
             \"m0\"",
        ),
        (
            "train gap.csv --columns dose",
            1,
            "gap.csv:3: in row 1, column \"dose\" is a feature and must be a finite number in every row, but is empty",
        ),
        (
            "train assay.csv --columns dose active",
            1,
            "column \"active\" must be a target or a feature, but is named as both",
        ),
        (
            "train assay.csv --columns dose --preset ein",
            1,
            "features beside the graphs need head blend, linear or forest, but the head is network",
        ),
    ];
    for (line, code, wanted) in cases {
        let refused = program.run(&format!("{line} {train}")).code(code);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains(wanted), "{line}: {said}");
    }
    let refused = program.run("cross-validate gap.csv --columns dose --target active").code(1);
    assert!(text(&refused.get_output().stderr).contains("gap.csv:3: in row 1, column \"dose\""));
    assert!(!program.folder().join("model.einsicht").exists());
}

#[test]
fn threads_and_interruptions_change_no_byte_and_the_model_is_verified() {
    let program = trained();
    let bytes = |name: &str| fs::read(program.folder().join(name)).unwrap();
    program.run(&format!("{TRAIN} --threads 1 -o one.einsicht")).success();
    assert_eq!(bytes("one.einsicht"), bytes("model.einsicht"));
    let variables = [("EINSICHT_CHECKPOINT_PASSES", "1"), ("EINSICHT_AT_PASS", "2:int")];
    program.run_with(&variables, &format!("{TRAIN} -o cut.einsicht")).code(130);
    program.run(&format!("{TRAIN} -o cut.einsicht --resume")).success();
    assert_eq!(bytes("cut.einsicht"), bytes("model.einsicht"));
    assert_eq!(program.json("verify model.einsicht assay.csv --json")["verified"], true);
    // Another dose is another row: it was not seen, though the molecule was.
    program.write("other.csv", &assay().replacen("m0,CO,0,", "m0,CO,9.9,", 1));
    let evaluated = program.json("evaluate model.einsicht other.csv --json");
    assert_eq!(evaluated["seen"]["graphs"], 119, "{evaluated}");
}

#[test]
fn cross_validation_reads_columns_as_training_does() {
    let program = Program::new();
    program.write("assay.csv", &assay());
    let options = "--columns dose noise --target active --max-edges 1 --sizes 1,2 --scheme random";
    let with = program.json(&format!("cross-validate assay.csv {options} --json"));
    let without =
        program.json("cross-validate assay.csv --target active --max-edges 1 --sizes 1,2 --scheme random --json");
    let auc = |found: &Value| found["mean"]["auc"].as_f64().unwrap();
    assert!(auc(&with) > auc(&without) + 0.05, "{} {}", auc(&with), auc(&without));
    let experiment = program.json(&format!("experiment assay.csv {options} --trial 1 --json"));
    assert_eq!(experiment["trials"][0]["test"], with["trials"][1]["test"]);
}
