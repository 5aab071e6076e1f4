//! What the page marks and colours is where the subgraphs occur: read back from its drawings, and compared with
//! `explain --places`.

use super::Browser;
use crate::Program;
use einsicht_testkit::shared::{fixture, large_shared};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// For each graph of the page its name, coordinates and ends, for each subgraph of the selected size what is marked
/// (null if it is not there), and what is coloured: the coordinates of the paths, two points each.
const READ_BACK: &str = r"
  const lines = (svg, kind) => [...svg.querySelectorAll(kind)].flatMap((path) => {
    const d = path.getAttribute('d');
    const steps = [...d.matchAll(/M(-?\d+) (-?\d+)(?:L(-?\d+) (-?\d+)|h0)/g)];
    if (steps.map((step) => step[0]).join('') !== d) throw new Error(`strange path ${d}`);
    return steps.map(([, x, y, u, v]) => [x, y, u ?? x, v ?? y].map(Number));
  });
  return R.graphs.map((graph, row) => ({
    id: graph.id,
    points: graph.points,
    ends: graph.ends,
    marked: entry().patterns.map((pattern) =>
      graph.present.includes(pattern) ? lines(graphDrawing(row, pattern), 'path.h') : null),
    has_values: presentAttributions(row, 0).some((one) => one.value !== 0),
    coloured: lines(graphDrawing(row, null, 0), 'path.heat-plus, path.heat-minus'),
  }));
";

/// A line between two points.
type Line = [i64; 4];

fn lines(list: &Value) -> BTreeSet<Line> {
    let line = |line: &Value| [0, 1, 2, 3].map(|at: usize| line[at].as_i64().unwrap());
    list.as_array().unwrap().iter().map(line).collect()
}

/// The lines over the edges of some occurrences, or over the vertices of those without edges.
fn of_places(places: &Value, graph: &Value) -> BTreeSet<Line> {
    let point = |vertex: &Value| {
        let at = 2 * vertex.as_u64().unwrap() as usize;
        [&graph["points"][at], &graph["points"][at + 1]].map(|x| x.as_i64().unwrap())
    };
    let line = |from: &Value, to: &Value| {
        let ([x, y], [u, v]) = (point(from), point(to));
        [x, y, u, v]
    };
    let mut lines = BTreeSet::new();
    for place in places.as_array().unwrap() {
        let edges = place["edges"].as_array().unwrap();
        lines.extend(edges.iter().map(|edge| {
            let at = 2 * edge.as_u64().unwrap() as usize;
            line(&graph["ends"][at], &graph["ends"][at + 1])
        }));
        if edges.is_empty() {
            lines.extend(place["vertices"].as_array().unwrap().iter().map(|vertex| line(vertex, vertex)));
        }
    }
    lines
}

/// Compares the page of `model` with `explain`; the numbers of marked pairs of graph and subgraph, and of those with a
/// single vertex.
fn assert_marked(browser: &Browser, program: &Program, data: &str, model: &str) -> [usize; 2] {
    program.stdout(&format!("report {model} {data} --max-graphs 2000 -o report.html -q"));
    browser.open(&program.folder().canonicalize().unwrap().join("report.html"));
    let page = browser.run(READ_BACK);
    let explained = program.json(&format!("explain {model} {data} --places --json -q"));
    let (graphs, patterns) = (explained["graphs"].as_array().unwrap(), explained["patterns"].as_array().unwrap());
    assert_eq!(
        browser.run("return entry().patterns.map((pattern) => R.patterns[pattern].text)"),
        patterns.iter().map(|pattern| pattern["text"].clone()).collect::<Value>()
    );
    assert_eq!(page.as_array().unwrap().len(), graphs.len());
    let mut pairs = [0; 2];
    for (shown, graph) in page.as_array().unwrap().iter().zip(graphs) {
        assert_eq!(shown["id"], graph["id"]);
        // Too large to draw.
        if shown["points"] == json!([]) {
            continue;
        }
        let mut covered = BTreeSet::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let wanted = of_places(&graph["places"][pattern["name"].as_str().unwrap()], shown);
            let marked = &shown["marked"][at];
            let found = if marked.is_null() { BTreeSet::new() } else { lines(marked) };
            assert_eq!(found, wanted, "graph {} and subgraph {}", graph["id"], pattern["text"]);
            if !marked.is_null() {
                pairs[0] += 1;
                pairs[1] += usize::from(pattern["edges"] == 0);
            }
            covered.extend(wanted);
        }
        let coloured = lines(&shown["coloured"]);
        assert!(coloured.is_subset(&covered), "graph {}: {coloured:?} and {covered:?}", graph["id"]);
        assert_eq!(!coloured.is_empty(), shown["has_values"].as_bool().unwrap(), "graph {}", graph["id"]);
    }
    browser.assert_quiet();
    pairs
}

/// Halides and sulfides, whose atoms are always part of the same bond or group.
fn halides() -> String {
    let ends = ["F", "Cl", "SC", "OC", "NC", "C(=O)O", "B(O)O"];
    let mut table = "smiles,active\n".to_owned();
    for at in 0..140_usize {
        let (first, second) = (ends[at % 7], ends[(at / 7) % 7]);
        let is_active = (at % 7 == 0) || (at / 7) % 7 == 6;
        table += &format!("C({first}){}c1ccc({second})cc1,{}\n", "C".repeat(at % 5), usize::from(is_active));
    }
    table
}

#[test]
fn single_atoms_that_stand_for_larger_subgraphs_are_marked_where_they_are() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    program.write("halides.csv", &halides());
    program.stdout("train halides.csv --max-edges 3 --sizes 4 --qualifiers none -o model.einsicht -q");
    let patterns = program.json("explain model.einsicht halides.csv --json -q")["patterns"].take();
    let of_class = |pattern: &Value| pattern["edges"] == 0 && pattern["alike"].as_u64().unwrap() > 1;
    assert!(patterns.as_array().unwrap().iter().any(of_class), "{patterns}");
    let [_, of_single] = assert_marked(&browser, &program, "halides.csv", "model.einsicht");
    assert!(of_single > 10, "{of_single}");

    // What cannot be coloured is not left out in silence.
    browser.run("R.graphs[0].cover = R.graphs[0].cover.map(() => '________'); setTimeout(() => open(0, null))");
    let fault = browser.run_async(
        "const done = arguments[0]; \
         setTimeout(() => done(document.querySelector('main > [role=alert]').textContent), 200)",
    );
    assert!(fault.as_str().unwrap().contains("the colours of graph 0 are not numbers"), "{fault}");
}

#[test]
fn subgraphs_of_a_tu_folder_are_marked_where_they_are() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.trained_once(&format!("train {data} --max-edges 4 --sizes 1,3,8 -q"), "model.einsicht");
    let [pairs, _] = assert_marked(&browser, &program, &data, "model.einsicht");
    assert!(pairs > 100, "{pairs}");
}

#[test]
fn subgraphs_with_qualifiers_are_marked_where_they_are() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let data = fixture("esol_400.smi").display().to_string();
    let text = std::fs::read_to_string(&data).unwrap();
    let smiles = text.lines().map(|line| line.split_whitespace().next().unwrap());
    let rows: String = smiles.map(|smiles| format!("{smiles},{}\n", u8::from(smiles.contains("CO")))).collect();
    program.write("esol.csv", &format!("smiles,y\n{rows}"));
    program.stdout("train esol.csv --max-edges 3 --sizes 12 --qualifiers hydrogens,degree -o model.einsicht -q");
    let [pairs, _] = assert_marked(&browser, &program, "esol.csv", "model.einsicht");
    assert!(pairs > 500, "{pairs}");
}

#[test]
fn subgraphs_of_inhibitors_are_marked_where_they_are() {
    let (Some(data), Some(browser)) = (large_shared("data/molnet/bace.csv"), Browser::start()) else { return };
    let program = Program::new();
    let data = data.display().to_string();
    program.stdout(&format!("train {data} --sizes 20 --max-edges 3 -o model.einsicht -q"));
    let [pairs, _] = assert_marked(&browser, &program, &data, "model.einsicht");
    assert!(pairs > 5000, "{pairs}");
}
