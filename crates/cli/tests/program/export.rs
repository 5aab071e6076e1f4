//! `einsicht export`. That exported files predict as the program does is tested with RDKit, in
//! `python/tests/against_libraries/test_rdkit_export.py`.

use super::{Program, text};
use einsicht_testkit::repo_root;

const QUICK: &str = "--sizes 2,6 --max-edges 3 --folds 2 --set trees=5 -q";

/// A program whose folder holds a model of this data.
fn trained(data: &str, options: &str) -> Program {
    let program = Program::new();
    let data = repo_root().join("testdata/sets").join(data);
    program.trained_once(&format!("train {} {options} {QUICK}", data.display()), "m.einsicht");
    program
}

/// What a refused export says.
fn refused(program: &Program, form: &str) -> String {
    let refused = program.run(&format!("export m.einsicht --to {form} -o out")).code(1);
    assert!(!program.folder().join("out").exists());
    text(&refused.get_output().stderr)
}

#[test]
fn a_model_becomes_a_python_file_and_a_table_of_smarts() {
    let sets = [("esol_220.csv", "--target log_solubility"), ("tox21_ahr_200.csv", "--target toxic")];
    for (data, target) in sets {
        let program = trained(data, target);
        let said = program.json("export m.einsicht --to rdkit-python -o m.py --json");
        let python = std::fs::read_to_string(program.folder().join("m.py")).unwrap();
        let list = python.split("SUBGRAPHS = [\n").nth(1).unwrap().split("\n]").next().unwrap();
        assert_eq!(said["subgraphs"], list.lines().count());
        assert!(!python.contains("# MODEL"));
        assert_eq!(program.stdout("export m.einsicht --to rdkit-python -o -"), python);

        let table = program.stdout("export m.einsicht --to smarts-csv -o -");
        let shown = program.json("show m.einsicht --json");
        let effects = &shown["effects"];
        assert!(table.starts_with(&format!("smarts,support,effect on {}\n", effects["outputs"][0].as_str().unwrap())));
        let of_table = table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
        let patterns = effects["patterns"].as_array().unwrap();
        let of_model = patterns.iter().map(|pattern| pattern["effects"][0].as_f64().unwrap());
        assert_eq!(of_table.collect::<Vec<_>>(), of_model.collect::<Vec<_>>());
    }
}

#[test]
fn a_file_is_replaced_only_by_one_of_its_kind() {
    let program = trained("tox21_ahr_200.csv", "--target toxic");
    for (form, other) in [("rdkit-python", "smarts-csv"), ("smarts-csv", "rdkit-python")] {
        program.run(&format!("export m.einsicht --to {form} -o {form}")).success();
        program.run(&format!("export m.einsicht --to {form} -o {form}")).success();
        let refused = program.run(&format!("export m.einsicht --to {other} -o {form}")).code(2);
        assert!(text(&refused.get_output().stderr).contains("is something else"));
    }
}

#[test]
fn what_a_file_cannot_hold_is_refused_with_the_reason() {
    let columns = trained("esol_220.csv", "--target log_solubility --columns weight");
    assert!(refused(&columns, "rdkit-python").contains("it reads the column weight, which the file would not have"));
    columns.run("export m.einsicht --to smarts-csv -o out.csv").success();

    let fragment = trained("tox21_ahr_200.csv", "--target toxic --largest-fragment");
    assert!(refused(&fragment, "rdkit-python").contains("it reads only the largest fragment"));

    let bare = trained("MUTAG", "");
    assert!(refused(&bare, "rdkit-python").contains("it was trained on labelled graphs"));
    assert!(refused(&bare, "smarts-csv").contains("each subgraph must have SMARTS, but"));
    let atoms = repo_root().join("testdata/sets/mutag-atoms.txt");
    let named = trained("MUTAG", &format!("--vertex-names {}", atoms.display()));
    assert!(refused(&named, "smarts-csv").contains("no bond of SMARTS is the edge label"));
}

#[test]
fn a_graph_network_is_refused() {
    let program = Program::new();
    let data = repo_root().join("testdata/sets/tox21_ahr_200.csv");
    let options = "--target toxic --preset gin --sizes 1,2 --max-edges 2 --set max_iterations=2 --set gnn_units=4 -q";
    program.trained_once(&format!("train {} {options}", data.display()), "m.einsicht");
    assert!(refused(&program, "rdkit-python").contains("it reads the graph network"));
}
