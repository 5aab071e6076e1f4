//! Pages about many graphs: they open, stay small, and say what is a sample.

use super::Browser;
use super::page::molecules_csv;
use crate::Program;
use einsicht_testkit::large_shared;
use serde_json::{Value, json};

/// More than a mail takes is too much.
const MOST_BYTES: u64 = 3_000_000;

/// The page opens, shows a sample and says so.
fn assert_opens(browser: &Browser, program: &Program, page: &str, graphs: usize) {
    let path = program.folder().canonicalize().unwrap().join(page);
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes < MOST_BYTES, "{page}: {bytes} bytes");
    browser.pretend(1280, "light");
    browser.open(&path);
    let shown = browser.run("return R.graphs.length").as_u64().unwrap();
    assert!(shown <= 700 && browser.run("return R.total") == json!(graphs), "{shown}");
    let said = browser.run("return document.getElementById('warnings').textContent");
    let wanted = format!(
        "{shown} of {graphs} graphs, evenly spaced, are shown one by one (--max-graphs); metrics use all graphs"
    );
    assert!(shown as usize == graphs || said.as_str().unwrap().contains(&wanted), "{said}");
    let headline = browser.run("return document.getElementById('story').textContent");
    assert!(headline.as_str().unwrap().starts_with(&format!("{graphs} graphs")), "{headline}");
    assert!(browser.run("return document.querySelectorAll('#gallery .card').length").as_u64().unwrap() > 0);
    browser.assert_quiet();
}

/// Nothing is cut, keys reach everything, and a checker of accessibility is content.
fn assert_good(browser: &Browser, program: &Program, page: &str) {
    let page = program.folder().canonicalize().unwrap().join(page);
    browser.assert_whole(&page);
    browser.assert_reachable(&page);
    browser.assert_accessible(&page);
}

#[test]
fn pages_of_proteins_of_several_targets_and_of_numbers_are_whole() {
    let Some(data) = large_shared("data") else { return };
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let set = |name: &str| data.join(name).canonicalize().unwrap().display().to_string();
    let several = ["Hepatobiliary disorders", "Eye disorders", "Vascular disorders"];
    let sets = [
        ("enzymes", set("tu/ENZYMES"), &[][..], 600),
        ("sider", set("molnet/sider.csv"), &several[..], 1427),
        ("esol", set("molnet/delaney.csv"), &[][..], 1128),
    ];
    for (name, data, targets, graphs) in sets {
        let line = format!("train {data} --max-edges 4 --sizes 3,20 --folds 1 -o {name}.einsicht -q");
        let targets = targets.iter().flat_map(|target| ["--target", target]);
        program.run_words(&line.split_whitespace().chain(targets).collect::<Vec<_>>()).success();
        program.stdout(&format!("report {name}.einsicht {data} -o {name}.html -q"));
        assert_opens(&browser, &program, &format!("{name}.html"), graphs);
        assert_good(&browser, &program, &format!("{name}.html"));
    }
}

#[test]
fn a_hundred_thousand_graphs_give_a_page_that_opens_and_says_what_is_a_sample() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    program.write("molecules.csv", &molecules_csv());
    program.stdout("train molecules.csv --target active --max-edges 2 --sizes 2 --head linear -o model.einsicht -q");
    let mut many = "smiles,active\n".to_owned();
    for at in 0..100_000_usize {
        let chain = |length: usize| "C".repeat(length % 4);
        many += &format!("{}N{}O{},{}\n", chain(at), chain(at / 4), chain(at / 16), at % 2);
    }
    program.write("many.csv", &many);
    program.stdout("report model.einsicht many.csv -o many.html -q");
    assert_opens(&browser, &program, "many.html", 100_000);
}

#[test]
fn pages_of_bace_and_of_forty_thousand_molecules_open_and_stay_small() {
    let Some(data) = large_shared("data") else { return };
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let set = |name: &str| data.join("molnet").join(name).canonicalize().unwrap().display().to_string();
    let bace = set("bace.csv");
    program.stdout(&format!("train {bace} --target Class -o bace.einsicht -q"));
    let printed = program.json(&format!("report bace.einsicht {bace} -o bace.html --json -q"));
    assert!(printed["bytes"].as_u64().unwrap() < MOST_BYTES, "{printed}");
    assert_opens(&browser, &program, "bace.html", 1513);
    assert_good(&browser, &program, "bace.html");
    let known: Value = program.json(&format!("evaluate bace.einsicht {bace} --json -q"))["seen"]["out_of_fold"].clone();
    for name in ["accuracy", "auc", "balanced_accuracy", "loss", "pr_auc"] {
        let cell = format!("return document.querySelector('td[data-metric={name}][data-set=out_of_fold]').textContent");
        assert_eq!(browser.run(&cell), json!(format!("{:.3}", known[name].as_f64().unwrap())), "{name}");
    }
    // A small model: the page is what is tested.
    let hiv = set("hiv.csv.gz");
    let small = "--on-bad skip --max-edges 2 --sizes 5 --folds 2 --head linear";
    program.stdout(&format!("train {hiv} --target HIV_active {small} -o hiv.einsicht -q"));
    program.stdout(&format!("report hiv.einsicht {hiv} -o hiv.html -q"));
    assert_opens(&browser, &program, "hiv.html", 41_120);
}
