//! `einsicht report A B DATA`: two models side by side, and what cannot be compared.

use super::Program;
use serde_json::Value;

/// Acids and alcohols, as a table with two targets.
fn table() -> String {
    let mut rows = "smiles,acid,size\n".to_owned();
    for at in 1..16 {
        let tail = "C".repeat(at);
        rows += &format!("{tail}O,no,{at}.5\n{tail}C(=O)O,yes,{at}.0\nN{tail}O,no,{at}.2\n");
    }
    rows
}

fn data(program: &Program, page: &str) -> Value {
    let page = std::fs::read_to_string(program.folder().join(page)).unwrap();
    assert_eq!(page.matches("<script").count(), 2, "names never become markup");
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap()
}

/// The document of a command that must fail.
fn refused(program: &Program, line: &str) -> Value {
    serde_json::from_slice(&program.run(line).failure().get_output().stdout).unwrap()
}

#[test]
fn two_models_are_compared_on_the_same_graphs_and_names_never_become_markup() {
    let program = Program::new();
    program.write("m.csv", &table());
    program.run("train m.csv --target acid --max-edges 3 --sizes 1 -o a<script> -q").success();
    program.run("train m.csv --target acid --max-edges 3 --sizes 4 -o b -q").success();
    program.run("train m.csv --target size --max-edges 3 --sizes 2 -o c -q").success();
    let said = program.json("report a<script> b m.csv -o both.html --json -q");
    assert_eq!((&said["graphs"], &said["report"]), (&45.into(), &"both.html".into()));
    let both = data(&program, "both.html");
    assert_eq!(both["models"][0]["name"], "a<script>");
    let task = &both["tasks"][0];
    let known = program.json("evaluate b m.csv --json")["seen"]["out_of_fold"]["accuracy"].as_f64().unwrap();
    assert!((task["values"][1].as_f64().unwrap() - known).abs() < 1e-9, "the accuracy is that of evaluate: {task}");
    assert_eq!(task["cases"].as_array().unwrap().iter().filter_map(Value::as_u64).sum::<u64>(), 45);
    // What predicts something else, or is no model, is refused.
    let error = refused(&program, "report b c m.csv -o none.html --json -q");
    assert!(error["error"].as_str().unwrap().contains("a target in common"), "{error}");
    let error = refused(&program, "report b m.csv m.csv -o none.html --json -q");
    assert!(error["error"].is_string() && !program.folder().join("none.html").exists(), "{error}");
}

#[test]
fn a_page_of_graphs_without_targets_opens_and_says_so_and_foreign_data_are_refused() {
    let program = Program::new();
    program.write("m.csv", &table());
    program.run("train m.csv --target acid --max-edges 3 --sizes 1,3 -o a -q").success();
    program.write("new.csv", &format!("smiles\nCCO\nCC(=O)O\n{}\n", "C".repeat(1000)));
    program.run("report a new.csv -o new.html -q").success();
    let page = data(&program, "new.html");
    assert!(page["entries"][0]["figures"].as_array().unwrap().is_empty());
    assert_eq!(page["graphs"][2]["points"].as_array().unwrap().len(), 0, "too large to draw");
    program.write("x.jsonl", "{\"vertices\": [\"q\", \"r\"], \"edges\": [[0, 1]]}\n");
    let said = program.run("report a x.jsonl -o x.html --json -q");
    let said: Value = serde_json::from_slice(&said.get_output().stdout).unwrap();
    let warns = said["warnings"].as_array().is_some_and(|list| !list.is_empty());
    assert!(said["error"].is_string() || warns, "{said}");
}
