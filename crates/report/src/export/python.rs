//! A model as one Python file: `predict.py`, which holds the code, with the numbers of the model as literals.

use super::{ExportError, check_reading, exact_smarts, keeps_hydrogens};
use einsicht_graph::matching::CountSet;
use einsicht_graph::mine::Counts;
use einsicht_graph::{DfsCode, VertexId};
use einsicht_model::heads::{ForestPart, Head, LinearPart, TreeNode};
use einsicht_model::params::NetworkKind;
use einsicht_model::task::decision::Decision;
use einsicht_model::task::{Task, TaskKind, num_outputs};
use einsicht_model::{Iterate, Model};
use einsicht_search::feature::{CountTransform, Values};
use serde_json::json;
use std::fmt::Write;

/// The code; one line of it stands for the model.
const CODE: &str = include_str!("predict.py");
const PLACE: &str = "# MODEL\n";
/// Lines of numbers end here.
const WIDTH: usize = 100;

/// A Python file that predicts with the chosen entry, and needs RDKit and numpy alone.
pub fn rdkit_python(model: &Model) -> Result<String, ExportError> {
    check_reading(model)?;
    model.prepare(model.chosen);
    let entry = model.best();
    let mut text = format!("KEEPS_HYDROGENS = {}\n", literal(keeps_hydrogens(model)));
    let values = match model.params.values() {
        Values::Presence => "None",
        Values::Count(CountTransform::Identity) | Values::Mni(CountTransform::Identity) => "np.asarray",
        Values::Count(CountTransform::Log1p) | Values::Mni(CountTransform::Log1p) => "np.log1p",
    };
    let _ = writeln!(text, "VALUE_OF_COUNT = {values}");
    write_subgraphs(&mut text, model)?;
    write_tasks(&mut text, &model.tasks, &entry.decision);
    match &entry.head {
        Some(head) => write_head(&mut text, head, &model.tasks),
        None => write_network(&mut text, model, &entry.iterate),
    }
    Ok(CODE.replace(PLACE, &text))
}

fn literal(is_true: bool) -> &'static str {
    if is_true { "True" } else { "False" }
}

/// Each subgraph with the groups of atoms whose images make its count.
fn write_subgraphs(text: &mut String, model: &Model) -> Result<(), ExportError> {
    let codes: Vec<DfsCode> = model.best().iterate.patterns.iter().map(|pattern| pattern.code.clone()).collect();
    let counts = model.params.values().counts();
    let set = (counts != Counts::Off).then(|| CountSet::new(&codes, counts));
    text.push_str(
        "#: SMARTS, and groups of its atoms: each with the number of images that make one count.\nSUBGRAPHS = [\n",
    );
    for (at, code) in codes.iter().enumerate() {
        let smarts = exact_smarts(model, code)?;
        let groups = set.as_ref().map_or_else(Vec::new, |set| groups(set.orbits(at), &smarts.atoms, counts));
        let _ = writeln!(text, "    ({}, {}),", json!(smarts.text), json!(groups));
    }
    text.push_str("]\n");
    Ok(())
}

/// The orbits as `[divisor, atoms]`.
fn groups(orbits: &[u32], atoms: &[VertexId], counts: Counts) -> Vec<(usize, Vec<usize>)> {
    let group = |orbit: u32| {
        let of_orbit: Vec<usize> = (0..atoms.len()).filter(|&at| orbits[atoms[at].index()] == orbit).collect();
        (if counts == Counts::MinimumImage { 1 } else { of_orbit.len() }, of_orbit)
    };
    (0..=orbits.iter().copied().max().unwrap_or(0)).map(group).collect()
}

fn write_tasks(text: &mut String, tasks: &[Task], decision: &Decision) {
    text.push_str("TASKS = [\n");
    for (at, task) in tasks.iter().enumerate() {
        let (name, temperature) = (json!(task.name), decision.temperatures.get(at).copied().unwrap_or(1.0));
        let _ = match &task.kind {
            TaskKind::Classes(classes) => {
                let threshold = decision.thresholds.get(at).filter(|_| classes.len() == 2);
                let threshold = threshold.map_or_else(|| "None".to_owned(), |threshold| format!("{threshold:?}"));
                let classes = json!(classes);
                writeln!(
                    text,
                    "    {{\"name\": {name}, \"classes\": {classes}, \"temperature\": {temperature:?}, \
                     \"threshold\": {threshold}}},"
                )
            }
            TaskKind::Number { mean, scale } => writeln!(
                text,
                "    {{\"name\": {name}, \"classes\": None, \"temperature\": {temperature:?}, \"mean\": {mean:?}, \
                 \"scale\": {scale:?}}},"
            ),
        };
    }
    text.push_str("]\n");
}

fn write_head(text: &mut String, head: &Head, tasks: &[Task]) {
    let is_blend = head.linear.is_some() && head.forests.is_some();
    let weight = if is_blend { format!("{:?}", head.forest_weight) } else { "None".to_owned() };
    let _ = writeln!(text, "NETWORK = None\nFOREST_WEIGHT = {weight}");
    match head.linear_part() {
        Some(linear) => write_linear(text, linear, num_outputs(tasks)),
        None => text.push_str("LINEAR = None\n"),
    }
    text.push_str("FORESTS = [\n");
    for part in (0..tasks.len()).filter_map(|task| head.forest_part(task)) {
        write_forest(text, part);
    }
    text.push_str("]\n");
}

fn write_linear(text: &mut String, linear: LinearPart<'_>, outputs: usize) {
    let pairs: Vec<_> = linear.pairs(0).map(|(pair, _)| (pair.columns, pair.means)).collect();
    let _ = writeln!(text, "LINEAR = {{\n    \"pairs\": {},", json!(pairs));
    let of_outputs: Vec<f64> = (0..outputs).flat_map(|output| linear.of_output(output)).copied().collect();
    write_numbers(text, "weights", &of_outputs);
    write_numbers(text, "offsets", &(0..outputs).map(|output| linear.offset(output)).collect::<Vec<_>>());
    text.push_str("}\n");
}

fn write_forest(text: &mut String, forest: ForestPart<'_>) {
    let (mut columns, mut nexts, mut thresholds, mut answers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for node in 0..forest.num_nodes() {
        match forest.node(node) {
            TreeNode::Leaf(answer) => {
                columns.push(-1.0);
                nexts.push((answers.len() / forest.width()) as f64);
                thresholds.push(0.0);
                answers.extend_from_slice(answer);
            }
            TreeNode::Split { column, threshold, right, .. } => {
                columns.push(column as f64);
                nexts.push(right as f64);
                thresholds.push(threshold);
            }
        }
    }
    let roots: Vec<f64> = forest.roots().iter().map(|&root| f64::from(root)).collect();
    let per_frequency = forest.probability_per_frequency();
    let _ = writeln!(text, "  {{\n    \"width\": {}, \"per_frequency\": {per_frequency:?},", forest.width());
    for (name, numbers) in [("roots", roots), ("columns", columns), ("nexts", nexts)] {
        write_numbers(text, name, &numbers);
    }
    write_numbers(text, "thresholds", &thresholds);
    write_numbers(text, "answers", &answers);
    text.push_str("  },\n");
}

fn write_network(text: &mut String, model: &Model, iterate: &Iterate) {
    let outputs = num_outputs(&model.tasks);
    let mut widths = vec![iterate.bias.len()];
    if model.params.network == NetworkKind::Layers {
        widths.extend(&model.params.layers);
        widths.push(outputs);
    }
    text.push_str("LINEAR, FORESTS, FOREST_WEIGHT = None, [], None\nNETWORK = {\n");
    let activation = json!(model.params.activation);
    let _ = writeln!(text, "    \"activation\": {activation}, \"widths\": {},", json!(widths));
    let weights: Vec<f64> = iterate.patterns.iter().flat_map(|pattern| &pattern.weights).copied().collect();
    write_numbers(text, "weights", &weights);
    write_numbers(text, "bias", &iterate.bias);
    write_numbers(text, "parameters", &iterate.network);
    text.push_str("}\n");
}

/// A list of numbers of a dictionary. As one text it is read faster than as a list, and every digit survives.
fn write_numbers(text: &mut String, name: &str, numbers: &[f64]) {
    let _ = write!(text, "    \"{name}\": numbers(\"\"\"");
    let mut line = WIDTH;
    for number in numbers {
        let start = text.len();
        let _ = write!(text, " {number}");
        if line + text.len() - start > WIDTH {
            text.replace_range(start..=start, "\n");
            line = 0;
        }
        line += text.len() - start;
    }
    text.push_str("\"\"\"),\n");
}
