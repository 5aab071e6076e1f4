//! Explanations against the truth: sets whose labels follow a rule, trained with the defaults. Prints accuracy, number
//! of subgraphs, groups of the rule that were found, and how well the weights of atoms show the atoms that are the
//! reason, beside the figures of others.
//!
//! `truth SHARED [--own] [--page FILE] [NAME...]`: the sets of `SHARED/data/truth`, or with `--own` ten rules on the
//! molecules of Lipophilicity; with `--page` both, as a page with pictures. `cargo lab truth` runs it.
#![allow(clippy::print_stdout, reason = "it prints a table")]

mod page;
mod sets;

use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, read};
use einsicht_data::{Dataset, Split, SplitFile, TargetValues};
use einsicht_explain::{
    AttributionMethod, AttributionRequest, Over, Scale, ShapleyBaseline, ShapleyOptions, Subject, attributions, spread,
};
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_report::spread_svg;
use einsicht_testkit::truth::{Group, Rule, atom_auc, cosine, explanation_accuracy, plant};
use einsicht_train::fit::{FitOptions, fit_without_effects};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Graphs of class 1 that are judged at most.
const JUDGED: usize = 120;
/// Molecules of a rule of our own: the first number of which half can be of each class.
const MOLECULES: [usize; 4] = [1200, 800, 400, 200];

/// What is known of each graph.
enum Truth {
    /// The vertices that are the reason, of graphs that have one.
    Vertices(Vec<Vec<usize>>),
    /// The contribution of each vertex.
    Contributions(Vec<Vec<f64>>),
}

struct Case {
    name: String,
    words: &'static str,
    groups: &'static [&'static str],
    others: [&'static str; 2],
    dataset: Dataset,
    split: Split,
    truth: Truth,
}

/// A row of the table, and a graph with its weights.
struct Judged {
    name: String,
    words: &'static str,
    row: String,
    picture: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [shared, words @ ..] = &words[..] else {
        return Err("truth SHARED [--own] [--page FILE] [NAME...]".into());
    };
    let (shared, mut own, mut page, mut names) = (Path::new(shared), false, None, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--own" => own = true,
            "--page" => page = Some(words.next().ok_or("--page needs a file")?),
            name => names.push(name),
        }
    }
    let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
    println!("{}", page::HEAD);
    let (mut known, mut ours) = (Vec::new(), Vec::new());
    for set in sets::SETS.iter().filter(|set| (!own || page.is_some()) && is_wanted(set.name)) {
        known.push(judge(stored(&shared.join("data/truth"), set)?)?);
    }
    if own || page.is_some() {
        let molecules = molecules(shared)?;
        for rule in sets::OWN.iter().filter(|rule| is_wanted(rule.name)) {
            ours.push(judge_own(&molecules, rule)?);
        }
    }
    page.map_or(Ok(()), |page| page::write(Path::new(page), [&known, &ours]))
}

fn judge_own(molecules: &Dataset, rule: &Rule) -> Result<Judged, Box<dyn Error>> {
    let too_few = || format!("{}: too few molecules of both classes", rule.name);
    let planted = MOLECULES.iter().find_map(|&most| plant(molecules, rule, most, 1)).ok_or_else(too_few)?;
    judge(Case {
        name: rule.name.to_owned(),
        words: rule.words,
        groups: rule.groups,
        others: ["", ""],
        dataset: planted.dataset,
        split: planted.split,
        truth: Truth::Vertices(planted.reasons),
    })
}

fn molecules(shared: &Path) -> Result<Dataset, Box<dyn Error>> {
    let targets = TargetChoice::Named(vec!["lipo".to_owned()]);
    Ok(read(
        &shared.join("data/molnet/lipo.csv"),
        &ReadOptions { targets, on_bad: OnBad::Skip, ..ReadOptions::default() },
    )?)
}

/// Reads a set: the files whose names begin with its name.
fn stored(folder: &Path, set: &sets::KnownSet) -> Result<Case, Box<dyn Error>> {
    let file = |end: &str| -> Result<PathBuf, Box<dyn Error>> {
        let mut names = std::fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(set.name) && name.ends_with(end)
        };
        names.find(is_it).ok_or_else(|| format!("{} has no {}*{end}", folder.display(), set.name).into())
    };
    let dataset = read(&file(".csv").or_else(|_| file(".gspan"))?, &ReadOptions::default())?;
    let split = SplitFile::read(&file(".split.json")?)?.split(0, &dataset)?;
    let reader = flate2::read::GzDecoder::new(std::fs::File::open(file(".truth.json.gz")?)?);
    let is_number = matches!(dataset.targets[0].values, TargetValues::Numbers { .. });
    let truth = if is_number {
        Truth::Contributions(serde_json::from_reader(reader)?)
    } else {
        let matches: Vec<Vec<Vec<usize>>> = serde_json::from_reader(reader)?;
        Truth::Vertices(matches.into_iter().map(|all| all.concat()).collect())
    };
    let name = set.name.to_owned();
    Ok(Case { name, words: set.words, groups: set.groups, others: set.others, dataset, split, truth })
}

/// Trains, judges and prints the row.
fn judge(case: Case) -> Result<Judged, Box<dyn Error>> {
    let Case { name, words, groups, others, dataset: plain, split, truth } = case;
    let mut params = TrainParams::default();
    let dataset = params.qualify(plain.clone())?;
    let params = params.check()?;
    let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default())?;
    let best = model.best();
    let figure = best.test.get("accuracy").or(best.test.get("rmse")).copied().unwrap_or(f64::NAN);
    let found = groups_found(&model, (&plain, &dataset), &split, groups);
    let [auc, gea] = match &truth {
        Truth::Vertices(reasons) => of_vertices(&model, &dataset, &split, reasons),
        Truth::Contributions(contributions) => [of_contributions(&model, &dataset, &split, contributions), f64::NAN],
    };
    let shown: Vec<String> =
        best.iterate.patterns.iter().take(5).map(|p| format!("`{}`", model.names().one_line(&p.code))).collect();
    let pairs = if best.iterate.pairs.is_empty() { "" } else { " (with an interaction)" };
    let figure_of = |value: f64| if value.is_nan() { String::new() } else { format!("{value:.2}") };
    let row = format!(
        "| {name} | {words} | {figure:.3} | {} | {found} | {} | {} | {} | {} | {}{pairs} |",
        best.iterate.patterns.len(),
        figure_of(auc),
        figure_of(gea),
        others[0],
        others[1],
        shown.join(", "),
    );
    println!("{row}");
    let picture = picture(&model, &dataset, &split, &truth);
    Ok(Judged { name, words, row, picture })
}

/// The first test graph with a reason in which a subgraph decides, coloured by its values.
fn picture(model: &Model, dataset: &Dataset, split: &Split, truth: &Truth) -> Option<String> {
    let is_shown = |row: &usize| match truth {
        Truth::Vertices(reasons) => !reasons[*row].is_empty(),
        Truth::Contributions(contributions) => contributions[*row].iter().any(|value| *value != 0.0),
    };
    let subject = Subject { model, entry: model.chosen, dataset };
    split.test.iter().copied().filter(is_shown).find_map(|row| {
        let values = values_of(&subject, &[row], ShapleyBaseline::Background).remove(0);
        let is_coloured = spread(&subject, row, &values, Over::Class).vertices.iter().any(|weight| *weight != 0.0);
        is_coloured.then(|| spread_svg(&subject, row, &values, Over::Class, "the atoms with weight"))
    })
}

/// How many groups have a chosen subgraph with exactly their training graphs.
fn groups_found(model: &Model, (plain, dataset): (&Dataset, &Dataset), split: &Split, groups: &[&str]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let fitted: Vec<usize> = split.train.iter().chain(&split.valid).copied().collect();
    let graphs: Vec<_> = fitted.iter().map(|&row| dataset.graphs[row].clone()).collect();
    let supports = model.supports(&model.best().iterate, dataset, &graphs);
    let is_found = |text: &&&str| {
        let all = Group::new(text).occurrences(plain);
        let contain = (0..fitted.len()).filter(|&at| !all[fitted[at]].is_empty()).map(|at| at as u32);
        let contain: Vec<u32> = contain.collect();
        supports.iter().any(|support| support.graphs() == contain)
    };
    format!("{}/{}", groups.iter().filter(is_found).count(), groups.len())
}

/// The weights of the vertices of some graphs, by Shapley values of the output.
fn weights(model: &Model, dataset: &Dataset, rows: &[usize], baseline: ShapleyBaseline) -> Vec<Vec<f64>> {
    let subject = Subject { model, entry: model.chosen, dataset };
    let values = values_of(&subject, rows, baseline);
    rows.iter().zip(values).map(|(&row, values)| spread(&subject, row, &values, Over::Class).vertices).collect()
}

/// The Shapley values of the subgraphs for some graphs.
fn values_of(subject: &Subject<'_>, rows: &[usize], baseline: ShapleyBaseline) -> Vec<Vec<f64>> {
    let method = AttributionMethod::Shapley { baseline, options: ShapleyOptions::default() };
    let found = attributions(&AttributionRequest { subject: *subject, rows, scale: Scale::of(subject.model), method });
    let of_graph = |graph| (0..found.names.len()).map(|feature| found.value(graph, feature, 0)).collect::<Vec<f64>>();
    found.graphs.iter().map(of_graph).collect()
}

fn is_of_first_class(dataset: &Dataset, row: usize) -> bool {
    matches!(&dataset.targets[0].values, TargetValues::Classes { values, .. } if values[row] == Some(0))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean atom AUC and GEA over test graphs with a reason.
fn of_vertices(model: &Model, dataset: &Dataset, split: &Split, reasons: &[Vec<usize>]) -> [f64; 2] {
    let rows: Vec<usize> = split.test.iter().copied().filter(|&row| !reasons[row].is_empty()).take(JUDGED).collect();
    let (mut aucs, mut geas) = (Vec::new(), Vec::new());
    for (&row, mut weights) in rows.iter().zip(weights(model, dataset, &rows, ShapleyBaseline::Background)) {
        // What speaks for the class of the graph; what is decided by an absence alone is nowhere.
        if is_of_first_class(dataset, row) {
            for weight in &mut weights {
                *weight = -*weight;
            }
        }
        if weights.iter().all(|weight| *weight == 0.0) {
            continue;
        }
        let is_reason: Vec<bool> = (0..weights.len()).map(|vertex| reasons[row].contains(&vertex)).collect();
        aucs.extend(atom_auc(&weights, &is_reason));
        geas.extend(explanation_accuracy(&weights, &is_reason));
    }
    [mean(&aucs), mean(&geas)]
}

/// Mean cosine of weights and contributions over the test graphs.
fn of_contributions(model: &Model, dataset: &Dataset, split: &Split, contributions: &[Vec<f64>]) -> f64 {
    // Contributions of the rule are measured from a molecule without any of its groups.
    let found = weights(model, dataset, &split.test, ShapleyBaseline::Absent);
    let cosines = split.test.iter().zip(&found).filter_map(|(&row, weights)| cosine(weights, &contributions[row]));
    mean(&cosines.collect::<Vec<f64>>())
}
