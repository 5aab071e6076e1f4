//! `cargo xtask results`: `docs/results.md` from the stored results in `results/`, and nothing else writes that page.
//!
//! `--run WHAT` measures something and stores it with the commit, the command and the date: `tables` (numbers of patterns
//! and pruning rates), `bench` (times), `tasks` (one model for many targets), `rings` (what the models of Cycle_XOR hold),
//! `experiment SET` (accuracy on the ten fixed splits, grid `paper`), `quick SET` (the same with the defaults), `l1 SET` (with a
//! price on subgraphs), `l0-gnn SET` and `l1-gnn SET` (both with a graph network) or `gnn SET` (a graph network beside the
//! subgraphs, and alone). Stored files are committed, so the page can be written anew anywhere.

mod gnn;
mod penalties;
mod quick;

use crate::bench;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A set of the paper: name of its split file, its data, further options, and what others report on it.
struct Set {
    name: &'static str,
    data: &'static str,
    options: &'static [&'static str],
    /// EIN in the paper: mean and standard deviation of ten trials, number of subgraphs.
    paper: Option<(f64, f64, &'static str)>,
    /// The best peer on our splits.
    peer: (f64, &'static str),
}

const SETS: [Set; 8] = [
    Set { name: "BZR", data: "tu/BZR", options: &[], paper: Some((86.0, 2.4, "39")), peer: (88.3, "WL + SVM") },
    Set { name: "COX2", data: "tu/COX2", options: &[], paper: Some((80.5, 3.0, "80")), peer: (83.7, "PNA") },
    Set { name: "DHFR", data: "tu/DHFR", options: &[], paper: Some((79.4, 3.6, "55")), peer: (82.9, "WL + forest") },
    Set {
        name: "ENZYMES_1v2",
        data: "tu/ENZYMES",
        options: &[],
        paper: Some((59.8, 6.7, "47")),
        peer: (77.8, "GATv2"),
    },
    Set {
        name: "PTC_MR",
        data: "tu/PTC_MR",
        options: &[],
        paper: Some((59.1, 4.5, "70")),
        peer: (62.8, "WL + forest"),
    },
    Set {
        name: "ToxCast_PXRE",
        data: "molnet/toxcast.csv.gz",
        options: &["--target", "ATG_PXRE_CIS_up"],
        paper: None,
        peer: (71.0, "GCN"),
    },
    Set { name: "Cycle", data: "tu/Cycle", options: &[], paper: Some((100.0, 0.0, "1")), peer: (52.8, "WL + forest") },
    Set {
        name: "Cycle_XOR",
        data: "tu/Cycle_XOR",
        options: &[],
        paper: Some((100.0, 0.0, "5")),
        peer: (75.9, "WL + forest"),
    },
];

/// Writes the page, or measures first.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<(), String> {
    match words {
        [] => {}
        ["--run", "tables"] => {
            let command = ["cargo", "run", "--release", "-q", "-p", "einsicht-learn", "--example", "paper_tables"];
            store(root, "tables", &command, &command)?;
        }
        ["--run", "bench"] => keep(root, "bench", &bench::measure(root, 5)?, "cargo xtask results --run bench")?,
        ["--run", what @ ("tasks" | "rings")] => {
            let example = ["--example", "method_tables", "--", what];
            let command: Vec<&str> =
                ["cargo", "run", "--release", "-q", "-p", "einsicht-learn"].into_iter().chain(example).collect();
            store(root, what, &command, &command)?;
        }
        ["--run", what, names @ ..] if !names.is_empty() && penalties::way(what).is_some() => {
            for name in names {
                experiment(root, name, what, penalties::way(what).unwrap_or_default())?;
            }
        }
        ["--run", "gnn", names @ ..] if !names.is_empty() => {
            for name in names {
                gnn::measure(root, name)?;
            }
        }
        ["--run", "quick", names @ ..] if !names.is_empty() => {
            for name in names {
                quick::measure(root, name)?;
            }
        }
        _ => {
            return Err(
                "results takes nothing, or --run with tables, bench, tasks, rings, or with experiment, quick, gnn, l1, l0-gnn or l1-gnn and sets"
                    .to_owned(),
            );
        }
    }
    let page = page(root)?;
    fs::write(root.join("docs/results.md"), page).map_err(|e| format!("cannot write docs/results.md: {e}"))
}

/// The paper's way on the splits of a set, with further options.
fn experiment(root: &Path, name: &str, what: &str, further: &[&str]) -> Result<(), String> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let set = SETS.iter().find(|set| set.name == name).ok_or(format!("the set must be one of {}", known.join(", ")))?;
    let data = format!("../shared/data/{}", set.data);
    let splits = format!("../shared/splits/{}.json", set.name);
    let fixed = ["--splits", &splits, "--json", "-q"];
    let options = set.options.iter().chain(further).copied();
    let shown: Vec<&str> = ["einsicht", "experiment", &data].into_iter().chain(options).chain(fixed).collect();
    let mut run: Vec<&str> = vec!["cargo", "run", "--release", "-q", "-p", "einsicht-cli", "--"];
    run.extend(&shown[1..]);
    store(root, &format!("{what}-{}", set.name), &run, &shown)
}

/// Runs a command whose output is JSON and keeps it with where it came from.
fn store(root: &Path, name: &str, command: &[&str], shown: &[&str]) -> Result<(), String> {
    let output = output(root, command)?;
    let mut output: Value = serde_json::from_str(&output).map_err(|e| format!("{shown:?} must print JSON: {e}"))?;
    slim(&mut output);
    keep(root, name, &output, &shown.join(" "))
}

/// Keeps what was measured with where it came from.
fn keep(root: &Path, name: &str, output: &Value, command: &str) -> Result<(), String> {
    let kept = json!({
        "commit": output_line(root, &["git", "rev-parse", "--short", "HEAD"])?,
        "date": output_line(root, &["date", "-u", "+%F"])?,
        "command": command,
        "output": output,
    });
    let folder = root.join("results");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, format!("{kept:#}\n")).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

/// Leaves out of the trials what the page does not need: the other grid points, rows and parameters in full, subgraphs.
fn slim(output: &mut Value) {
    for trial in output["trials"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = trial.as_object_mut() {
            fields.remove("origin");
            fields.remove("points");
            fields.remove("subgraphs");
        }
    }
}

fn output(root: &Path, command: &[&str]) -> Result<String, String> {
    let run = Command::new(command[0]).args(&command[1..]).current_dir(root).output();
    let run = run.map_err(|e| format!("cannot start {}: {e}", command[0]))?;
    if !run.status.success() {
        return Err(format!("{} failed: {}", command.join(" "), String::from_utf8_lossy(&run.stderr)));
    }
    String::from_utf8(run.stdout).map_err(|e| format!("{} printed no text: {e}", command[0]))
}

/// The output of a command without the blanks around it.
pub(crate) fn output_line(root: &Path, command: &[&str]) -> Result<String, String> {
    Ok(output(root, command)?.trim().to_owned())
}

fn stored(root: &Path, name: &str) -> Option<Value> {
    let text = fs::read_to_string(root.join("results").join(format!("{name}.json"))).ok()?;
    serde_json::from_str(&text).ok()
}

/// The page, from what is stored.
fn page(root: &Path) -> Result<String, String> {
    let mut page = String::from(
        "# Results\n\nWritten by `cargo xtask results` from the files in `results/`; do not edit. Each of them holds the commit,\n\
         the command and the date of its run.\n",
    );
    page += "\n## Accuracy of the paper's method on fixed splits\n\n\
        Test accuracy in percent, mean over the trials, with the standard error and the mean number of subgraphs of the chosen\n\
        model. Grid `paper`: at most 4 or 9 edges, 2, 6 or 10 hidden units, 1 or 30 network steps, sizes 1 to 100; chosen on the\n\
        validation part. The paper used splits of its own; its ToxCast task is another. Peers ran on our splits.\n\n\
        | set | accuracy | subgraphs | trials | paper | its subgraphs | best peer | commit, date |\n\
        | :-- | --: | --: | --: | --: | --: | :-- | :-- |\n";
    for set in &SETS {
        let Some(stored) = stored(root, &format!("experiment-{}", set.name)) else { continue };
        page +=
            &experiment_row(set, &stored).ok_or(format!("results/experiment-{}.json is not as expected", set.name))?;
    }
    page += &quick::table(root)?;
    page += &gnn::table(root)?;
    page += &penalties::table(root)?;
    if let Some(stored) = stored(root, "tasks") {
        page += &tasks(&stored).ok_or("results/tasks.json is not as expected")?;
    }
    if let Some(stored) = stored(root, "rings") {
        page += &rings(&stored).ok_or("results/rings.json is not as expected")?;
    }
    if let Some(stored) = stored(root, "tables") {
        page += &tables(&stored).ok_or("results/tables.json is not as expected")?;
    }
    if let Some(stored) = stored(root, "bench") {
        page += &times(&stored).ok_or("results/bench.json is not as expected")?;
    }
    Ok(page)
}

fn tasks(stored: &Value) -> Option<String> {
    let mut text = format!(
        "\n## One model for many targets\n\n\
         Area under the curve of each target on the test part (seeded split, seed 0), one model of at most 100 subgraphs for\n\
         all targets of a set. Commit {}, {}, `{}`.\n",
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?
    );
    for set in stored["output"]["sets"].as_array()? {
        text += &format!(
            "\n{}: mean {:.3} over {} targets, {} subgraphs, {:.0} s.\n\n| target | AUC |\n| :-- | --: |\n",
            set["set"].as_str()?,
            set["mean_auc"].as_f64()?,
            set["tasks"].as_array()?.len(),
            set["patterns"],
            set["seconds"].as_f64()?
        );
        for task in set["tasks"].as_array()? {
            let auc = task["auc"].as_f64().map_or("-".to_owned(), |auc| format!("{auc:.3}"));
            text += &format!("| {} | {auc} |\n", task["task"].as_str()?);
        }
    }
    Some(text)
}

fn rings(stored: &Value) -> Option<String> {
    let trials = stored["output"]["trials"].as_array()?;
    let with = |key: &str| trials.iter().filter(|trial| trial[key] == true).count();
    Some(format!(
        "\n## The rings of Cycle_XOR\n\n\
         Of the chosen models of the {} fixed splits, {} hold the 8-ring and {} the 9-ring; mean test accuracy {:.1} %.\n\
         Commit {}, {}, `{}`.\n",
        trials.len(),
        with("ring_of_8"),
        with("ring_of_9"),
        100.0 * trials.iter().filter_map(|trial| trial["accuracy"].as_f64()).sum::<f64>() / trials.len() as f64,
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?
    ))
}

fn times(stored: &Value) -> Option<String> {
    Some(format!(
        "\n## Times\n\n\
         Processor seconds, the smallest of {} rounds, and as multiples of the first line; \"elapsed\" depends on how busy the\n\
         machine was. `train` is the paper's method on trial 0, the whole path: at most 9 edges, 6 hidden units, 30 network steps,\n\
         sizes 1 to 100. Commit {}, {}, `{}`.\n\n{}",
        stored["output"]["runs"],
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?,
        bench::table(&bench::lines(&stored["output"])?),
    ))
}

/// What an experiment came to: mean and standard error of the accuracy, mean number of subgraphs.
struct Summary {
    mean: f64,
    error: f64,
    patterns: f64,
    trials: usize,
}

fn summary(stored: &Value) -> Option<Summary> {
    let trials = stored["output"]["trials"].as_array()?;
    let accuracies: Option<Vec<f64>> = trials.iter().map(|t| Some(100.0 * t["test"]["accuracy"].as_f64()?)).collect();
    let accuracies = accuracies?;
    let patterns: Option<Vec<f64>> = trials.iter().map(|t| t["patterns"].as_f64()).collect();
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let accuracy = mean(&accuracies);
    let squares: f64 = accuracies.iter().map(|a| (a - accuracy) * (a - accuracy)).sum();
    let error = (squares / (accuracies.len() as f64 - 1.0) / accuracies.len() as f64).sqrt();
    Some(Summary { mean: accuracy, error, patterns: mean(&patterns?), trials: trials.len() })
}

fn experiment_row(set: &Set, stored: &Value) -> Option<String> {
    let Summary { mean, error, patterns, trials } = summary(stored)?;
    let (paper, its) =
        set.paper.map_or(("-".to_owned(), "-"), |(mean, std, its)| (format!("{mean:.1} ± {std:.1}"), its));
    Some(format!(
        "| {} | {mean:.1} ({error:.1}) | {patterns:.1} | {trials} | {paper} | {its} | {:.1} {} | {}, {} |\n",
        set.name,
        set.peer.0,
        set.peer.1,
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
    ))
}

/// Numbers of patterns in the paper's table of pruning rates.
const PAPER_PATTERNS: [(&str, u32, f64); 7] = [
    ("BZR", 112_319, 0.9837),
    ("COX2", 76_418, 0.9774),
    ("DHFR", 108_486, 0.9910),
    ("ENZYMES_1v2", 1_157_661, 0.9916),
    ("PTC_MR", 61_111, 0.9980),
    ("Cycle", 31_828, 0.9983),
    ("Cycle_XOR", 39_883, 0.9977),
];

fn tables(stored: &Value) -> Option<String> {
    let mut text = format!(
        "\n## Numbers of patterns and pruning rates\n\n\
         Patterns of at most 9 edges in the training parts (mean over the trials), patterns looked at in a pass (mean over the\n\
         path of trial 0, pattern by pattern as in the paper), the share that was not. Commit {}, {}, `{}`.\n\n\
         | set | trials | patterns | paper | plain listing | looked at a pass | pruned | paper | memory |\n\
         | :-- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?,
    );
    for set in stored["output"]["sets"].as_array()? {
        let name = set["set"].as_str()?;
        let (_, paper, rate) = PAPER_PATTERNS.iter().find(|row| row.0 == name)?;
        let plain = set["patterns_by_plain_listing"].as_f64().map_or("-".to_owned(), |n| format!("{n:.1}"));
        text += &format!(
            "| {name} | {} | {:.1} | {paper} | {plain} | {:.0} | {:.4} | {rate} | {:.0} MB |\n",
            set["trials"],
            set["patterns"].as_f64()?,
            set["visited_a_pass"].as_f64()?,
            set["pruning_rate"].as_f64()?,
            set["search_megabytes"].as_f64()?,
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_this_repository_is_what_its_stored_results_say() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let written = fs::read_to_string(root.join("docs/results.md")).unwrap_or_default();
        assert!(written == page(root).unwrap(), "run `cargo xtask results`");
    }

    #[test]
    fn a_row_holds_mean_and_standard_error() {
        let trial = |accuracy: f64, patterns: u32| json!({ "test": { "accuracy": accuracy }, "patterns": patterns });
        let stored =
            json!({ "commit": "abc", "date": "2026-01-01", "output": { "trials": [trial(0.8, 3), trial(0.9, 5)] } });
        let row = experiment_row(&SETS[0], &stored).unwrap();
        assert!(row.starts_with("| BZR | 85.0 (5.0) | 4.0 | 2 | 86.0 ± 2.4 | 39 |"), "{row}");
    }
}
