//! `einsicht inspect`: what is in a data set.

use crate::args::General;
use crate::args::{Input, skipping};
use crate::failure::{Failure, Outcome};
use crate::io::output::{Output, counted, screen_width, table, wrapped};
use clap::Args;
use einsicht::data::Duplicates;
use einsicht::data::read::TargetChoice;
use einsicht::data::summary::{Oddities, Sizes, TargetSummary, ValueSummary};
use einsicht::{Dataset, Label, Summary, Vocabulary};
use serde_json::{Map, Value, json};

/// Summarize a data set: sizes, labels, targets, irregularities.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht inspect MUTAG
  einsicht inspect tox21.csv --target NR-AhR --target SR-p53
  einsicht inspect BZR --splits BZR.json --trial 3 --part test
  einsicht inspect BZR --vertex-names atomic-numbers --json")]
pub(crate) struct Inspect {
    #[command(flatten)]
    input: Input,
}

impl Inspect {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let defaults = skipping(TargetChoice::All);
        let dataset = self.input.read_part(defaults, general.seed, output)?;
        let summary = Summary::of(&dataset);
        let duplicates = Duplicates::of(&dataset);
        output.result(
            || text(&dataset, &summary) + &duplicates_text(&dataset, &duplicates),
            || document(&dataset, &summary, &duplicates),
        )?;
        Ok(Outcome::Done)
    }
}

fn document(dataset: &Dataset, summary: &Summary, duplicates: &Duplicates) -> Value {
    let skipped = dataset.skipped.iter();
    let rows = skipped.map(|s| json!({ "row": s.origin.row, "line": s.origin.line, "reason": s.reason }));
    let Oddities { empty_graphs, edgeless_graphs, disconnected_graphs, isolated_vertices } = summary.oddities;
    let classes = match summary.targets.first().map(|target| &target.values) {
        Some(ValueSummary::Classes(classes)) => counts(classes),
        _ => Map::new(),
    };
    json!({
        "name": dataset.name,
        "graphs": summary.graphs,
        "vertices": summary.vertices.total,
        "edges": summary.edges.total,
        "vertices_per_graph": sizes(summary.vertices, summary.graphs),
        "edges_per_graph": sizes(summary.edges, summary.graphs),
        "classes": classes,
        "vertex_labels": summary.vertex_labels.len(),
        "edge_labels": summary.edge_labels.len(),
        "attribute_columns": summary.attribute_columns,
        "targets": summary.targets.iter().map(target_document).collect::<Vec<_>>(),
        "oddities": {
            "empty_graphs": empty_graphs,
            "edgeless_graphs": edgeless_graphs,
            "disconnected_graphs": disconnected_graphs,
            "isolated_vertices": isolated_vertices,
        },
        "duplicates": duplicates_document(dataset, duplicates),
        "repaired": dataset.repaired,
        "skipped": dataset.skipped.len(),
        "skipped_rows": rows.collect::<Vec<_>>(),
    })
}

/// Rows of the source in each group of isomorphic graphs, and of the groups that contradict themselves.
fn duplicates_document(dataset: &Dataset, duplicates: &Duplicates) -> Value {
    let rows =
        |group: usize| -> Vec<u32> { duplicates.groups[group].iter().map(|&at| dataset.origins[at].row).collect() };
    let conflict = |(target, groups): &(String, Vec<usize>)| {
        let groups: Vec<_> = groups.iter().map(|&group| rows(group)).collect();
        json!({ "target": target, "groups": groups })
    };
    json!({
        "graphs": duplicates.graphs(),
        "groups": (0..duplicates.groups.len()).map(rows).collect::<Vec<_>>(),
        "conflicts": duplicates.conflicts.iter().map(conflict).collect::<Vec<_>>(),
    })
}

/// What is there more than once, with the names of the first graphs.
fn duplicates_text(dataset: &Dataset, duplicates: &Duplicates) -> String {
    const SHOWN: usize = 5;
    const TARGETS: usize = 10;
    let Duplicates { groups, conflicts } = duplicates;
    let Some(first) = groups.first() else { return String::new() };
    let names = |group: &[usize]| {
        let shown: Vec<&str> = group.iter().take(SHOWN).map(|&at| dataset.ids[at].as_str()).collect();
        let more = if group.len() > SHOWN { ", ..." } else { "" };
        format!("{}{more}", shown.join(", "))
    };
    let mut rows = vec![row(
        "isomorphic graphs",
        duplicates.graphs() as u64,
        &format!("in {}, the first: {}", counted(groups.len(), "group"), names(first)),
    )];
    for (target, conflicting) in conflicts.iter().take(TARGETS) {
        let first = conflicting.first().map_or_else(String::new, |&group| names(&groups[group]));
        let note = format!("of these groups have different values of {target}, the first: {first}");
        rows.push(row("conflicts", conflicting.len() as u64, &note));
    }
    let mut text = format!("\nduplicates\n{}", facts(&rows));
    if conflicts.len() > TARGETS {
        text += &format!("  and conflicts in {} more targets: see --json\n", conflicts.len() - TARGETS);
    }
    if dataset.reading.molecule_labels.is_some() {
        let lost = "  stereo is not read, and charges and hydrogens are not labels: molecules that differ only in \
            these are the same graph";
        text += &wrapped(lost, screen_width());
    }
    text
}

fn sizes(sizes: Sizes, graphs: usize) -> Value {
    json!({ "least": sizes.least, "mean": sizes.total as f64 / graphs as f64, "most": sizes.most })
}

fn counts(classes: &[(String, usize)]) -> Map<String, Value> {
    classes.iter().map(|(name, count)| (name.clone(), json!(count))).collect()
}

fn target_document(target: &TargetSummary) -> Value {
    let TargetSummary { name, labelled, missing, values } = target;
    match values {
        ValueSummary::Classes(classes) => {
            json!({ "name": name, "labelled": labelled, "missing": missing, "classes": counts(classes) })
        }
        ValueSummary::Numbers { least, mean, most, deviation } => json!({
            "name": name, "labelled": labelled, "missing": missing,
            "least": least, "mean": mean, "most": most, "deviation": deviation,
        }),
    }
}

/// The text for people.
pub(in crate::cmd) fn text(dataset: &Dataset, summary: &Summary) -> String {
    let per_graph = |sizes: Sizes| {
        let mean = sizes.total as f64 / summary.graphs as f64;
        format!("{mean:.2} per graph ({} to {})", sizes.least, sizes.most)
    };
    let mut rows = vec![
        row("graphs", summary.graphs as u64, ""),
        row("vertices", summary.vertices.total, &per_graph(summary.vertices)),
        row("edges", summary.edges.total, &per_graph(summary.edges)),
        row(
            "vertex labels",
            summary.vertex_labels.len() as u64,
            &frequent(&summary.vertex_labels, &dataset.vertex_labels),
        ),
        row("edge labels", summary.edge_labels.len() as u64, &frequent(&summary.edge_labels, &dataset.edge_labels)),
    ];
    if summary.attribute_columns > 0 {
        let coordinates = dataset.attributes.as_ref().map_or(0, |attributes| attributes.coordinates.len());
        let note = match coordinates {
            0 => "real numbers per vertex".to_owned(),
            some => format!("real numbers per vertex; {some} of them are coordinates, which models do not read"),
        };
        rows.push(row("attributes", summary.attribute_columns as u64, &note));
    }
    let mut text = format!("{}\n\n{}", dataset.name, facts(&rows));
    text += &targets_text(&summary.targets);
    let odd = oddities(dataset, summary);
    if !odd.is_empty() {
        text += &format!("\nirregularities\n{}", facts(&odd));
    }
    text
}

fn row(what: &str, count: u64, note: &str) -> Vec<String> {
    vec![what.to_owned(), count.to_string(), note.to_owned()]
}

/// Rows of a name, a number aligned to the right and a note, which is folded to the width of the screen.
fn facts(rows: &[Vec<String>]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let (names, numbers) = (width(0), width(1));
    let left = 2 + names + 2 + numbers + 2;
    let mut text = String::new();
    for row in rows {
        let note = wrapped(&row[2], screen_width().saturating_sub(left).max(20));
        for (at, part) in note.lines().enumerate() {
            let [name, number] = [0, 1].map(|column| if at == 0 { row[column].as_str() } else { "" });
            text += format!("  {name:<names$}  {number:>numbers$}  {part}").trim_end();
            text.push('\n');
        }
    }
    text
}

/// The most frequent labels with their percentage.
fn frequent(counts: &[(Label, u64)], names: &Vocabulary) -> String {
    const SHOWN: usize = 6;
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let mut order: Vec<_> = counts.iter().collect();
    order.sort_by_key(|(label, count)| (std::cmp::Reverse(*count), *label));
    let percent = |count: u64| 100.0 * count as f64 / total as f64;
    let shown =
        order.iter().take(SHOWN).map(|(label, count)| format!("{} ({:.1} %)", names.name(*label), percent(*count)));
    let mut words: Vec<String> = shown.collect();
    if order.len() > SHOWN {
        words.push("...".to_owned());
    }
    words.join(", ")
}

fn targets_text(targets: &[TargetSummary]) -> String {
    const SHOWN: usize = 30;
    let more = targets.len().saturating_sub(SHOWN);
    let targets = &targets[..targets.len() - more];
    let number = |x: f64| format!("{x:.4}");
    let mut text = String::new();
    let classes: Vec<Vec<String>> = targets
        .iter()
        .filter_map(|target| match &target.values {
            ValueSummary::Classes(classes) => Some((target, classes)),
            ValueSummary::Numbers { .. } => None,
        })
        .flat_map(|(target, classes)| {
            classes.iter().map(move |(class, count)| {
                let percent = 100.0 * *count as f64 / target.labelled.max(1) as f64;
                vec![target.name.clone(), class.clone(), count.to_string(), format!("{percent:.1} %")]
            })
        })
        .collect();
    if !classes.is_empty() {
        text += &format!("\n{}", indent(&table(&["target", "class", "graphs", "percent"], &classes, 2)));
    }
    let numbers: Vec<Vec<String>> = targets
        .iter()
        .filter_map(|target| match target.values {
            ValueSummary::Classes(_) => None,
            ValueSummary::Numbers { least, mean, most, deviation } => {
                let cells = [least, mean, most, deviation].map(number);
                Some([vec![target.name.clone(), target.labelled.to_string()], cells.to_vec()].concat())
            }
        })
        .collect();
    if !numbers.is_empty() {
        let header = ["target", "graphs", "least", "mean", "most", "deviation"];
        text += &format!("\n{}", indent(&table(&header, &numbers, 1)));
    }
    if more > 0 {
        text += &format!("  and {more} more targets: name some with --target, or see all with --json\n");
    }
    text
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The irregularities that occur.
fn oddities(dataset: &Dataset, summary: &Summary) -> Vec<Vec<String>> {
    let odd = summary.oddities;
    let missing: usize = summary.targets.iter().map(|target| target.missing).sum();
    let first = dataset.skipped.first().map_or(String::new(), |skipped| format!("the first: {}", skipped.reason));
    let repaired = dataset.repaired;
    let all = [
        ("skipped", dataset.skipped.len() as u64, first.as_str()),
        ("missing targets", missing as u64, ""),
        ("empty graphs", odd.empty_graphs as u64, "no vertex: no pattern can be found in them"),
        ("graphs without edges", odd.edgeless_graphs as u64, "no pattern can be found in them"),
        ("disconnected graphs", odd.disconnected_graphs as u64, "a pattern lies within one component"),
        ("isolated vertices", odd.isolated_vertices, ""),
        ("self loops", repaired.self_loops, "dropped"),
        ("double edges", repaired.double_edges, "dropped"),
        ("one-way edges", repaired.one_way_edges, "completed"),
    ];
    all.into_iter().filter(|(_, count, _)| *count > 0).map(|(what, count, note)| row(what, count, note)).collect()
}
