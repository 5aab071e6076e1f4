//! The runs behind `lab/results/paper.md`, one per way, set and trial, each stored as soon as it is done.
//!
//! Promise: what is stored is never measured again, so that an interrupted run continues where it was; each trial
//! carries the commit and the date of its run, each file the command. One thread, so that processor seconds are those
//! of the work.

use super::cells::Figures;
use super::sets::{PaperSet, SETS};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::program;
use xtask::steps::commit_and_date;

/// A way of running a trial.
pub(super) struct Way {
    /// The name of its files.
    pub(super) name: &'static str,
    kind: Kind,
    /// Options after the data.
    words: &'static [&'static str],
    /// How many trials of a set are run.
    trials: fn(&PaperSet) -> usize,
}

enum Kind {
    /// `einsicht experiment` on one trial.
    Experiment,
    /// `einsicht train`: the whole path, with counters and times. The number of hidden units is the one that `ein` has
    /// chosen.
    Path,
    /// `einsicht mine` on the training set.
    Count,
    /// The program `traverse`.
    Traverse,
}

/// The paper's ten trials.
const TRIALS: usize = 10;

fn all(_: &PaperSet) -> usize {
    TRIALS
}

/// Table 2 needs no more to show what a step size does.
fn one(_: &PaperSet) -> usize {
    1
}

/// Sizes of the paper, and the graph network alone.
const GIN_SIZES: &str = "0,1,5,10,25,50,75,100";

/// All ways, the quick ones first.
pub(super) const WAYS: [Way; 10] = [
    Way { name: "count", kind: Kind::Count, words: &["--max-edges", "9", "--part", "train", "--count"], trials: all },
    Way { name: "ein", kind: Kind::Experiment, words: &["--preset", "paper", "--grid", "paper"], trials: all },
    Way { name: "path", kind: Kind::Path, words: &["--preset", "paper"], trials: all },
    Way {
        name: "traverse",
        kind: Kind::Traverse,
        words: &["25", "5", "1", "0.4", "0.2", "0.1", "0.04", "0.01"],
        trials: one,
    },
    Way {
        name: "step",
        kind: Kind::Experiment,
        words: &["--preset", "paper", "--grid", "paper", "--set", "max_step=0.1"],
        trials: all,
    },
    Way {
        name: "l1",
        kind: Kind::Experiment,
        words: &["--preset", "paper", "--grid", "lab/src/results/paper/grid-l1.json", "--penalty", "l1"],
        trials: all,
    },
    Way {
        name: "l1-zero",
        kind: Kind::Experiment,
        words: &[
            "--preset",
            "paper",
            "--grid",
            "lab/src/results/paper/grid-l1.json",
            "--penalty",
            "l1",
            "--set",
            "l1_start=zero",
        ],
        trials: all,
    },
    Way {
        name: "gin",
        kind: Kind::Experiment,
        words: &["--preset", "gin", "--set", "stopping=loss", "--max-edges", "9", "--sizes", GIN_SIZES],
        trials: all,
    },
    Way {
        name: "l1-gin",
        kind: Kind::Experiment,
        words: &["--preset", "gin", "--set", "stopping=loss", "--max-edges", "9", "--penalty", "l1"],
        trials: all,
    },
    Way {
        name: "l1-zero-gin",
        kind: Kind::Experiment,
        words: &[
            "--preset",
            "gin",
            "--set",
            "stopping=loss",
            "--max-edges",
            "9",
            "--penalty",
            "l1",
            "--set",
            "l1_start=zero",
        ],
        trials: all,
    },
];

/// Measures what is missing of these ways and sets; all of them if none is named. `--trials N` takes the first N trials
/// only.
pub(super) fn measure_missing(root: &Path, words: &[&str]) -> Result<(), String> {
    let (most, words) = match words {
        ["--trials", number, rest @ ..] => {
            (number.parse().map_err(|_| format!("--trials {number} is no number"))?, rest)
        }
        words => (TRIALS, words),
    };
    let known = |word: &&str| WAYS.iter().any(|way| way.name == *word) || PaperSet::named(word).is_some();
    if let Some(unknown) = words.iter().find(|word| !known(word)) {
        return Err(format!("{unknown} is neither a way nor a set of results --paper"));
    }
    let wants_way =
        |way: &Way| !words.iter().any(|word| WAYS.iter().any(|way| way.name == *word)) || words.contains(&way.name);
    let wants_set =
        |set: &PaperSet| !words.iter().any(|word| PaperSet::named(word).is_some()) || words.contains(&set.name);
    let missing = |way: &Way, set: &PaperSet| {
        (0..most.min((way.trials)(set))).filter(|&n| trial(root, way, set, n).is_none()).count()
    };
    let work: Vec<(&Way, &PaperSet)> = WAYS
        .iter()
        .filter(|way| wants_way(way))
        .flat_map(|way| SETS.iter().filter(|set| wants_set(set)).map(move |set| (way, set)))
        .filter(|(way, set)| missing(way, set) > 0)
        .collect();
    store_peers(root)?;
    if work.is_empty() {
        return Ok(());
    }
    let program = program::named_or_release(root)?;
    for (way, set) in work {
        for number in 0..most.min((way.trials)(set)) {
            if trial(root, way, set, number).is_none() {
                println!("{} {} trial {number}", way.name, set.name);
                way.run(root, &program, set, number)?;
            }
        }
    }
    Ok(())
}

/// The accuracies of a graph network on the splits of a set, in percent, from `lab/results/paper/peers.json`.
pub(super) fn peers(root: &Path, set: &PaperSet, method: &str) -> Figures {
    let text = fs::read_to_string(root.join(PEERS)).unwrap_or_default();
    let all: Value = serde_json::from_str(&text).unwrap_or_default();
    let listed = all["sets"][set.name][method].as_array().cloned().unwrap_or_default();
    (0..).zip(listed).filter_map(|(trial, value)| Some((trial, 100.0 * value.as_f64()?))).collect()
}

const PEERS: &str = "lab/results/paper/peers.json";

/// Stores what graph networks reached on our splits, if it is not stored.
fn store_peers(root: &Path) -> Result<(), String> {
    let source = "../shared/splits/peers.json";
    if root.join(PEERS).exists() {
        return Ok(());
    }
    let text = fs::read_to_string(root.join(source)).map_err(|e| format!("cannot read {source}: {e}"))?;
    let all: Value = serde_json::from_str(&text).map_err(|e| format!("{source} must be JSON: {e}"))?;
    let of_set = |set: &PaperSet| (set.name.to_owned(), all[set.name].clone());
    let sets: serde_json::Map<String, Value> = SETS.iter().map(of_set).collect();
    write(&root.join(PEERS), &json!({ "source": source, "sets": sets }))
}

/// The stored trials of a way on a set, in the order of their numbers; none if nothing is stored.
pub(super) fn trials(root: &Path, way: &str, set: &PaperSet) -> Vec<Value> {
    file(root, way, set).and_then(|stored| stored["trials"].as_array().cloned()).unwrap_or_default()
}

/// The command of a way on the first set that it ran on, with `N` for the number of the trial.
pub(super) fn command(root: &Path, way: &str) -> String {
    let of_set = |set: &PaperSet| Some(file(root, way, set)?["command"].as_str()?.to_owned());
    SETS.iter().find_map(of_set).unwrap_or_else(|| "not run yet".to_owned())
}

fn trial(root: &Path, way: &Way, set: &PaperSet, number: usize) -> Option<Value> {
    trials(root, way.name, set).into_iter().find(|trial| trial["trial"] == json!(number))
}

fn path_of(root: &Path, way: &str, set: &PaperSet) -> PathBuf {
    root.join(format!("lab/results/paper/{way}-{}.json", set.name))
}

fn file(root: &Path, way: &str, set: &PaperSet) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path_of(root, way, set)).ok()?).ok()
}

impl Way {
    /// Runs one trial and stores it.
    fn run(&self, root: &Path, program: &Path, set: &PaperSet, number: usize) -> Result<(), String> {
        let words = self.command_words(root, set, &number.to_string())?;
        let mut command = match self.kind {
            // A built program may be named, so that nothing is built while something else is measured.
            Kind::Traverse => match std::env::var_os("EINSICHT_TRAVERSE") {
                Some(built) => Command::new(built),
                None => Command::new(&words[0]),
            },
            _ => Command::new(program),
        };
        let is_built = matches!(self.kind, Kind::Traverse) && std::env::var_os("EINSICHT_TRAVERSE").is_some();
        let first = if is_built { words.iter().position(|word| word == "--").unwrap_or(0) + 1 } else { 1 };
        let printed = output_of(command.args(&words[first..]).current_dir(root))?;
        let found = self.kept(&printed).ok_or(format!("{words:?} printed {printed}"))?;
        let found = with_origin(root, found, number)?;
        let mut all = trials(root, self.name, set);
        all.push(found);
        all.sort_by_key(|trial| trial["trial"].as_u64());
        let shown = self.command_words(root, set, "N")?.join(" ");
        write(&path_of(root, self.name, set), &json!({ "command": shown, "trials": all }))
    }

    /// The words of the command; the first is the program.
    fn command_words(&self, root: &Path, set: &PaperSet, number: &str) -> Result<Vec<String>, String> {
        let (data, splits) = (set.data_path(), set.splits_path());
        let target = set.target.map_or_else(Vec::new, |target| vec!["--target", target]);
        let one_thread = ["--threads", "1", "--json", "-q"];
        let hidden = self.hidden_units(root, set, number)?;
        let words: Vec<&str> = match self.kind {
            Kind::Experiment => ["einsicht", "experiment", &data]
                .into_iter()
                .chain(target)
                .chain(self.words.iter().copied())
                .chain(["--splits", &splits, "--trial", number])
                .chain(one_thread)
                .collect(),
            Kind::Path => ["einsicht", "train", &data]
                .into_iter()
                .chain(target)
                .chain(self.words.iter().copied())
                .chain(["--hidden", &hidden, "--splits", &splits, "--trial", number, "-o", "target/paper.einsicht"])
                .chain(one_thread)
                .collect(),
            Kind::Count => ["einsicht", "mine", &data]
                .into_iter()
                .chain(target)
                .chain(self.words.iter().copied())
                .chain(["--splits", &splits, "--trial", number])
                .chain(one_thread)
                .collect(),
            Kind::Traverse => crate::results::PROGRAM
                .into_iter()
                .chain(["traverse", "--"])
                .chain([&data[..], &splits, number, set.target.unwrap_or("-")])
                .chain(self.words.iter().copied())
                .collect(),
        };
        Ok(words.into_iter().map(str::to_owned).collect())
    }

    /// The number of hidden units of a path: the one that the grid has chosen on this trial.
    fn hidden_units(&self, root: &Path, set: &PaperSet, number: &str) -> Result<String, String> {
        if !matches!(self.kind, Kind::Path) {
            return Ok(String::new());
        }
        let Ok(number) = number.parse::<usize>() else { return Ok("K".to_owned()) };
        let chosen = trials(root, "ein", set).into_iter().find(|trial| trial["trial"] == json!(number));
        let hidden = chosen.and_then(|trial| trial["point"]["hidden"].as_u64());
        hidden.map(|hidden| hidden.to_string()).ok_or(format!("path {} needs the results of ein first", set.name))
    }

    /// What is kept of the output.
    fn kept(&self, printed: &Value) -> Option<Value> {
        match self.kind {
            Kind::Experiment => {
                let mut kept = kept_of_trial(printed["trials"].as_array()?.first()?)?;
                kept["cpu_seconds"] = json!(printed["cpu_seconds"].as_f64()?);
                Some(kept)
            }
            Kind::Path => {
                let entry = |entry: &Value| {
                    let fields = ["size", "patterns", "iterations", "visited", "stopped_by"];
                    Value::Object(fields.iter().map(|&name| (name.to_owned(), entry[name].clone())).collect())
                };
                Some(json!({
                    "path": printed["path"].as_array()?.iter().map(entry).collect::<Vec<_>>(),
                    "cpu_seconds": printed["cpu_seconds"].as_f64()?,
                    "parts": printed["cpu_seconds_by_part"],
                }))
            }
            Kind::Count => {
                Some(json!({ "patterns": printed["patterns"].as_u64()?, "cpu_seconds": printed["cpu_seconds"] }))
            }
            Kind::Traverse => printed["paths"].is_array().then(|| printed.clone()),
        }
    }
}

/// The JSON document that a command of the program prints.
pub(super) fn run_json(root: &Path, program: &Path, words: &[&str]) -> Result<Value, String> {
    output_of(Command::new(program).args(words).args(["--json", "-q"]).current_dir(root))
}

/// The JSON document that a command prints.
fn output_of(command: &mut Command) -> Result<Value, String> {
    let output = command.output().map_err(|e| format!("cannot start {command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("{command:?}: {e}"))
}

/// What is kept of a trial of an experiment, with the number of the trial, the commit and the date.
pub(super) fn kept_trial(root: &Path, trial: &Value, number: usize) -> Result<Value, String> {
    with_origin(root, kept_of_trial(trial).ok_or(format!("no trial: {trial}"))?, number)
}

fn kept_of_trial(trial: &Value) -> Option<Value> {
    Some(json!({
        "point": trial["point"],
        "size": trial["size"],
        "patterns": trial["patterns"],
        "valid": trial["valid"]["accuracy"],
        "accuracy": trial["test"]["accuracy"].as_f64()?,
    }))
}

fn with_origin(root: &Path, mut found: Value, number: usize) -> Result<Value, String> {
    found["trial"] = json!(number);
    let [commit, date] = commit_and_date(root)?;
    found["commit"] = json!(commit);
    found["date"] = json!(date);
    Ok(found)
}

/// Writes a file whole, under another name first.
pub(super) fn write(path: &Path, document: &Value) -> Result<(), String> {
    let problem = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(problem)?;
    let new = path.with_extension("new");
    fs::write(&new, format!("{document:#}\n")).map_err(problem)?;
    fs::rename(&new, path).map_err(problem)
}
