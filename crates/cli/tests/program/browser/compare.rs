//! The page of two models.

use super::Browser;
use super::page::molecules_csv;
use crate::Program;
use serde_json::{Value, json};
use std::path::PathBuf;

const EVIL: &str = "b<script>window.hacked=1<.einsicht";

/// The page of a small model and a larger one of the same molecules.
fn both(program: &Program) -> PathBuf {
    program.write("molecules.csv", &molecules_csv());
    program.stdout("train molecules.csv --target active --max-edges 4 --sizes 1 -o a.einsicht -q");
    program.stdout(&format!("train molecules.csv --target active --max-edges 4 --sizes 6 -o {EVIL} -q"));
    program.stdout(&format!("report a.einsicht {EVIL} molecules.csv -o both.html -q"));
    program.folder().canonicalize().unwrap().join("both.html")
}

#[test]
fn two_models_stand_side_by_side_with_the_numbers_of_evaluate() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = both(&program);
    browser.open(&page);
    let text = |id: &str| {
        browser.run(&format!("return document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
    };
    // The name of a file is shown as text and does nothing.
    assert!(browser.run("return window.hacked === undefined").as_bool().unwrap());
    assert!(text("models").contains(EVIL), "{}", text("models"));
    // Both accuracies are those of `evaluate`, in the sentence and by the table of cases.
    let accuracy = |model: &str| {
        let known = program.json(&format!("evaluate {model} molecules.csv --json -q"));
        known["seen"]["out_of_fold"]["accuracy"].as_f64().unwrap()
    };
    let [a, b] = [accuracy("a.einsicht"), accuracy(EVIL)];
    let wanted = format!("accuracy {:.1} % (A) and {:.1} % (B)", 100.0 * a, 100.0 * b);
    assert!(text("story").contains(&wanted), "{wanted}: {}", text("story"));
    let cells = browser.run(
        "return [...document.querySelectorAll('#cases .matrix td.num')].map((cell) => parseInt(cell.textContent, 10))",
    );
    let cells: Vec<f64> = cells.as_array().unwrap().iter().map(|cell| cell.as_f64().unwrap()).collect();
    let all: f64 = cells.iter().sum();
    assert!((cells[0] + cells[1] - a * all).abs() < 0.5 && (cells[0] + cells[2] - b * all).abs() < 0.5, "{cells:?}");
    // Every subgraph is shared or of one model, once.
    let drawn = browser.run(
        "document.querySelectorAll('#own-lists button.plain').forEach((one) => one.click()); \
        return document.querySelectorAll('li.pattern').length",
    );
    let known = browser.run("return R.models[0].patterns.length + R.models[1].patterns.length - R.shared.length");
    assert_eq!(drawn, known);
    // Filters: only graphs that B alone has right, and as many as the table says.
    browser.run("const s = document.getElementById('only'); s.value = 'second'; s.dispatchEvent(new Event('change'))");
    let found = browser.run("return visible().length").as_f64().unwrap();
    assert!(found <= cells[2] && text("pager").contains(&format!("of {found}")), "{found} {}", text("pager"));
    // A graph opens with what each model says.
    browser.run("const s = document.getElementById('only'); s.value = ''; s.dispatchEvent(new Event('change'))");
    browser.run("document.querySelector('#table tbody button').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail .side-card, #detail .sides > div').length"), 2);
    let name = browser.run("return document.querySelector('#table tbody button').textContent");
    assert!(text("detail").starts_with(&format!("Graph {}", name.as_str().unwrap())), "{}", text("detail"));
    browser.assert_quiet();
}

#[test]
fn nothing_of_two_models_is_cut_or_overlaps_keys_reach_everything_and_it_is_accessible() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = both(&program);
    browser.assert_whole(&page);
    browser.assert_reachable(&page);
    browser.assert_accessible(&page);
    let dots: Value = browser.run("return document.querySelectorAll('circle[data-row]').length");
    assert!(dots.as_u64().unwrap() >= 100, "{dots}");
    assert_eq!(browser.run("return document.querySelectorAll('#cases .matrix').length"), json!(1));
}
