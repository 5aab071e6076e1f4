//! The page of one model.

use super::Browser;
use crate::Program;
use serde_json::{Value, json};

const EVIL: &str = "<script>window.hacked=1</script>";

#[test]
fn the_report_works_in_a_browser() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let mutag = einsicht_testkit::shared::fixture("MUTAG");
    program.write("names.txt", &format!("0 {EVIL}\n1 N\n2 O\n"));
    let data = format!("{} --vertex-names names.txt", mutag.display());
    program.stdout(&format!("train {data} --max-edges 4 --sizes 1,3,8 -o model.einsicht -q"));
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    browser.open(&program.folder().canonicalize().unwrap().join("report.html"));

    // The label is shown as text and did nothing.
    assert!(browser.run("return window.hacked === undefined").as_bool().unwrap());
    assert!(browser.run("return document.getElementById('legend').textContent").as_str().unwrap().contains(EVIL));

    // Every size has its own gallery and metrics.
    let mut seen = Vec::new();
    for at in 0..3 {
        browser.run(&format!(
            "const size = document.getElementById('size'); size.value = {at}; size.dispatchEvent(new Event('input'))"
        ));
        let cards = browser.run("return document.querySelectorAll('#gallery .card').length");
        let wanted = browser.run(&format!("return R.entries[{at}].patterns.length"));
        assert_eq!(cards, wanted);
        seen.push(browser.run("return document.getElementById('metrics').textContent"));
    }
    assert!(seen[0] != seen[1] && seen[1] != seen[2]);

    // The selected model has its estimate, and the confusion matrix is that of the out-of-fold predictions.
    browser.run("choose(R.chosen)");
    let words = browser.run("return document.getElementById('metrics').textContent");
    assert!(words.as_str().unwrap().contains("expected for new graphs; 95 % interval"), "{words}");
    let matrix = "\
        const cells = document.querySelectorAll('[data-group=out_of_fold] .matrix td[style]'); \
        const [a, b, c, d] = [...cells].map((cell) => Number(cell.textContent)); \
        return ((a + d) / (a + b + c + d)).toFixed(3)";
    let metric =
        "return document.querySelector('#metric-table td[data-metric=accuracy][data-set=out_of_fold]').textContent";
    assert_eq!(browser.run(matrix), browser.run(metric));
    assert_eq!(browser.run("return document.querySelectorAll('#errors .matrix').length"), 1);

    // Sorting: up, then down.
    let column =
        "return [...document.querySelectorAll('#table tbody tr')].map((row) => parseFloat(row.cells[3].textContent))";
    let numbers = |value: Value| value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
    browser.run("document.querySelector('th[data-key=probability] button').click()");
    let first = numbers(browser.run(column));
    browser.run("document.querySelector('th[data-key=probability] button').click()");
    let second = numbers(browser.run(column));
    assert!(first.is_sorted_by(|a, b| a >= b) && second.is_sorted_by(|a, b| a <= b) && first != second);

    // Filters.
    let shown = "return document.getElementById('pager').textContent";
    let all = browser.run(shown);
    browser.run("document.getElementById('filter-wrong').click()");
    assert_ne!(browser.run(shown), all);
    let wrong = "return [...document.querySelectorAll('#table tbody tr')]\
        .every((row) => row.cells[1].textContent !== row.cells[2].textContent)";
    assert!(browser.run(wrong).as_bool().unwrap());
    browser.run("document.getElementById('filter-wrong').click()");
    browser
        .run("const f = document.getElementById('filter-text'); f.value = '17'; f.dispatchEvent(new Event('input'))");
    let found = "return [...document.querySelectorAll('#table tbody tr')]\
        .every((row) => row.cells[0].textContent.includes('17'))";
    assert!(browser.run(found).as_bool().unwrap());

    browser.run("const f = document.getElementById('filter-text'); f.value = ''; f.dispatchEvent(new Event('input'))");

    // A graph opens, its attributions sum to the output, and a chosen subgraph is marked in its drawing.
    browser.run("document.querySelector('th[data-key=found] button').click()");
    browser.run("document.querySelector('#table tbody tr').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 0);
    browser.run("document.querySelector('#detail .attributions tr[data-pattern]').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 1);
    let sum = "\
        const cells = [...document.querySelectorAll('#detail .attributions td.v')]; \
        const v = cells.map((cell) => parseFloat(cell.textContent.replace('−', '-'))); \
        return v.slice(0, -1).reduce((a, b) => a + b, 0) - v[v.length - 1]";
    assert!(browser.run(sum).as_f64().unwrap().abs() < 0.01);

    browser.assert_quiet();
}

#[test]
fn graphs_that_were_fitted_on_are_counted_and_not_judged() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let mutag = einsicht_testkit::shared::fixture("MUTAG").display().to_string();
    let rows = |rows: std::ops::Range<usize>| rows.map(|row| row.to_string()).collect::<Vec<_>>().join(",");
    let [train, valid, test] = [rows(0..100), rows(100..140), rows(140..188)];
    program.write(
        "split.json",
        &format!(r#"{{"trials": [{{"train": [{train}], "valid": [{valid}], "test": [{test}]}}]}}"#),
    );
    program
        .stdout(&format!("train {mutag} --splits split.json --folds 1 --max-edges 3 --sizes 3 -o model.einsicht -q"));
    program.stdout(&format!("report model.einsicht {mutag} -o report.html -q"));
    browser.open(&program.folder().canonicalize().unwrap().join("report.html"));
    let count = |script: &str| browser.run(script).as_u64().unwrap();
    let fitted = count("return R.groups.find((one) => one.key === 'fitted').graphs");
    assert!(fitted >= 100, "{fitted}");
    let judged = count(
        "return [...document.querySelectorAll('#errors .matrix td[style]')]\
         .reduce((sum, cell) => sum + Number(cell.textContent), 0)",
    );
    assert_eq!((judged + fitted, count("return document.querySelectorAll('#errors .matrix').length")), (188, 2));
    assert!(
        browser
            .run("return document.getElementById('errors').textContent")
            .as_str()
            .unwrap()
            .contains("counted, not scored")
    );
    // The table shows no prediction for them, and none of them counts as wrong.
    let of_fitted = "return [...document.querySelectorAll('#table tbody tr')]\
        .filter((row) => row.cells[1].textContent === 'fitted only').map((row) => row.cells[3].textContent)";
    let shown = browser.run(of_fitted);
    assert!(
        !shown.as_array().unwrap().is_empty() && shown.as_array().unwrap().iter().all(|text| text == "–"),
        "{shown}"
    );
    browser.run("document.getElementById('filter-wrong').click()");
    assert_eq!(browser.run(of_fitted).as_array().unwrap().len(), 0);
    // Fitted figures are one column of one table; the open graph says what is fitted.
    assert_eq!(count("return document.querySelectorAll('th[data-set=fitted]').length"), 1);
    browser.run("open(R.graphs.findIndex((graph) => graph.group === 'fitted'), null)");
    let detail = browser.run("return document.getElementById('detail').textContent");
    assert!(detail.as_str().unwrap().contains("this is not a prediction"), "{detail}");
    browser.assert_quiet();
}

/// Molecules with rings and groups, and whether they are active.
pub(super) fn molecules_csv() -> String {
    let pieces = ["c1ccccc1", "c1ccncc1", "CCO", "CC(=O)N", "C1CCCCC1", "CCN", "CC(F)C", "c1ccoc1"];
    let mut table = "smiles,active\n".to_owned();
    for at in 0..120_usize {
        let (first, second) = (pieces[at % 8], pieces[(at / 8) % 8]);
        // Every eleventh is against the rule.
        let is_active = usize::from((first.contains('n') || second.contains("(=O)N")) != (at % 11 == 0));
        table += &format!("{first}{}{second},{is_active}\n", "C".repeat(1 + at / 64));
    }
    // Too large to draw.
    table += &format!("{},0\n", "C".repeat(1000));
    table
}

/// A page about molecules: rings, charges, counts, several subgraphs.
fn molecules(program: &Program) -> std::path::PathBuf {
    program.write("molecules.csv", &molecules_csv());
    program.stdout("train molecules.csv --target active --max-edges 4 --sizes 2,6 -o model.einsicht -q");
    program.stdout("report model.einsicht molecules.csv -o report.html -q");
    program.folder().canonicalize().unwrap().join("report.html")
}

#[test]
fn nothing_is_cut_or_overlaps_on_a_desktop_and_on_a_phone_in_both_themes_and_keys_reach_everything() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = molecules(&program);
    browser.assert_whole(&page);
    browser.assert_reachable(&page);
    browser.assert_quiet();
}

#[test]
fn the_first_screen_tells_the_story_with_the_numbers_of_the_terminal() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = molecules(&program);
    browser.open(&page);
    let text = |id: &str| {
        browser.run(&format!("return document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
    };
    assert!(text("h-headline").starts_with("Predicts active (0 or 1) from "), "{}", text("h-headline"));
    let zeros: f64 = text("story").split("0: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap();
    let part = (zeros / 121.0).max(1.0 - zeros / 121.0);
    assert!(text("story").contains(&format!("accuracy {part:.3}")), "{}", text("story"));
    // The metrics are those of `evaluate`.
    let known: Value =
        serde_json::from_str(&program.stdout("evaluate model.einsicht molecules.csv --json -q")).unwrap();
    let known = &known["seen"]["out_of_fold"];
    for name in ["accuracy", "auc", "balanced_accuracy", "loss", "pr_auc"] {
        let cell = format!("return document.querySelector('td[data-metric={name}][data-set=out_of_fold]').textContent");
        assert_eq!(browser.run(&cell), json!(format!("{:.3}", known[name].as_f64().unwrap())), "{name}");
    }
    // The effects are those of `show`, with their signs; the largest comes first.
    let shown: Value = serde_json::from_str(&program.stdout("show model.einsicht --json -q")).unwrap();
    let effects = shown["effects"]["patterns"].as_array().unwrap();
    let effect = |at: usize| effects[at]["effects"][0].as_f64().unwrap_or(0.0);
    let mut order: Vec<usize> = (0..effects.len()).collect();
    order.sort_by(|&a, &b| effect(b).abs().total_cmp(&effect(a).abs()));
    // Near-copies of stronger ones are left out.
    let copies: Vec<[usize; 2]> =
        serde_json::from_value(shown["effects"]["near_copies"].clone()).expect("pairs of near-copies");
    let mut different: Vec<usize> = Vec::new();
    for at in order {
        if !different.iter().any(|&known| copies.contains(&[known.min(at), known.max(at)])) {
            different.push(at);
        }
    }
    assert!(different.len() < effects.len(), "something is left out");
    let known: Vec<f64> = different.into_iter().map(effect).collect();
    let leaders = browser.run("return [...document.querySelectorAll('.leader .amount')].map((one) => one.textContent)");
    let leaders: Vec<&str> = leaders.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(!leaders.is_empty() && leaders.len() <= 5);
    for (text, effect) in leaders.iter().zip(&known) {
        assert_eq!(*text, format!("{effect:+.3}").replace('-', "−"));
    }
    // A subgraph leads to its card, with molecules that contain it, and a molecule opens.
    let cards = "return [...document.querySelectorAll('#gallery .card')]\
        .map((card) => card.querySelectorAll('button.molecule').length)";
    let counts = browser.run(cards);
    assert!(counts.as_array().unwrap().iter().all(|count| (1..=3).contains(&count.as_u64().unwrap())), "{counts}");
    browser.run("document.querySelector('#gallery button.molecule').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 1);
    // Every dot of the swarm is a graph, and pieces of rings are drawn with the rest of the ring.
    assert!(browser.run("return document.querySelectorAll('.swarm circle[data-row]').length").as_u64().unwrap() >= 100);
    browser.run(
        "document.querySelector('.swarm circle[data-row=\"17\"]')\
         .dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    assert_eq!(browser.run("return state.graph"), 17);
    // A graph that is too large to draw says so, and has its reasons.
    browser.run("open(120, null)");
    assert!(text("detail").contains("1000 vertices: too large to draw"), "{}", text("detail"));
    assert!(browser.run("return document.querySelectorAll('#detail .attributions tr').length").as_u64().unwrap() > 2);
    // What can be clicked can be reached by the keyboard.
    let unreachable = "return [...document.querySelectorAll('#table tbody tr, .attributions tr[data-pattern]')]\
        .filter((row) => !row.querySelector('button')).length";
    assert_eq!(browser.run(unreachable), 0);
}

#[test]
fn a_checker_of_accessibility_finds_no_serious_problem() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    browser.assert_accessible(&molecules(&program));
}
