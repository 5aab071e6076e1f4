//! `cargo lab results --run tasks` and `--run rings`, each as one JSON document.
//!
//! `tasks`: one model for all targets of SIDER and of Tox21 (seeded split, seed 0: 20 % validation, 20 % test), and the
//! area under the curve of each target on the test set. `rings`: on each of the ten fixed splits of Cycle_XOR, whether
//! the chosen model holds both rings. Needs the folder `shared` beside the repository.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for maintainers")]

use einsicht_data::read::{OnBad, ReadOptions, TargetChoice, Task, read};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Split, SplitFile};
use einsicht_model::Model;
use einsicht_model::metrics::{Metric, by_task_within};
use einsicht_model::params::{MinSupport, TrainParams};
use einsicht_model::task::Targets;
use einsicht_train::fit::{FitOptions, fit_without_effects};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

fn shared(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path)
}

fn train(dataset: &Dataset, split: &Split, params: TrainParams) -> Model {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = FitOptions { threads, memory: None };
    fit_without_effects(dataset, split, &params.check().unwrap(), &options).unwrap()
}

fn tasks(name: &str, file: &str) -> Value {
    let options =
        ReadOptions { on_bad: OnBad::Skip, targets: TargetChoice::All, task: Task::Classify, ..ReadOptions::default() };
    let mut dataset = read(&shared(file), &options).unwrap();
    // Columns with names of molecules are not targets.
    dataset.targets.retain(|target| target.name != "mol_id");
    let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0).unwrap();
    let start = Instant::now();
    let params = TrainParams {
        sizes: vec![1, 5, 10, 25, 50, 100],
        max_edges: 5,
        min_support: MinSupport::Graphs(5),
        select: Some(Metric::Auc),
        ..TrainParams::default()
    };
    let model = train(&dataset, &split, params);
    let seconds = start.elapsed().as_secs_f64();
    let targets = Targets::gather(&model.tasks, &dataset, &split.test).unwrap();
    let outputs = model.predict(model.chosen, &dataset, &split.test).outputs;
    let each = by_task_within(&model.tasks, &targets, &outputs, &model.best().decision, &[]);
    let auc = |metrics: &einsicht_model::metrics::Metrics| metrics.get("auc").copied();
    let rows: Vec<Value> = (model.tasks.iter().zip(&each))
        .map(|(task, metrics)| json!({ "task": task.name, "auc": auc(metrics) }))
        .collect();
    let all: Vec<f64> = each.iter().filter_map(auc).collect();
    json!({
        "set": name,
        "graphs": { "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() },
        "patterns": model.best().iterate.patterns.len(),
        "mean_auc": all.iter().sum::<f64>() / all.len() as f64,
        "tasks": rows,
        "seconds": seconds,
    })
}

fn rings() -> Vec<Value> {
    let dataset = read(&shared("data/tu/Cycle_XOR"), &ReadOptions::default()).unwrap();
    let splits = SplitFile::read(&shared("splits/Cycle_XOR.json")).unwrap();
    let mut trials = Vec::new();
    for trial in 0..splits.len() {
        let split = splits.split(trial, &dataset).unwrap();
        let params = TrainParams { sizes: vec![1, 2, 3, 5, 10], max_edges: 9, ..TrainParams::ein() };
        let model = train(&dataset, &split, params);
        let patterns = &model.best().iterate.patterns;
        let is_ring = |edges: usize| {
            patterns.iter().any(|p| {
                let graph = p.code.to_graph();
                graph.num_edges() == edges && graph.vertices().all(|v| graph.degree(v) == 2)
            })
        };
        trials.push(json!({
            "trial": trial,
            "accuracy": model.best().test["accuracy"],
            "patterns": patterns.len(),
            "ring_of_8": is_ring(8),
            "ring_of_9": is_ring(9),
        }));
    }
    trials
}

fn main() -> ExitCode {
    let document = match std::env::args().nth(1).as_deref() {
        Some("tasks") => {
            json!({ "sets": [tasks("SIDER", "data/molnet/sider.csv"), tasks("Tox21", "data/molnet/tox21.csv")] })
        }
        Some("rings") => json!({ "trials": rings() }),
        _ => return ExitCode::from(2),
    };
    println!("{document}");
    ExitCode::SUCCESS
}
