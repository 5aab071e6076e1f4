//! `cargo xtask models`: trained models are equal to the bit to those whose digests are stored.
//!
//! `testdata/model-digests.json` lists data sets, options and the digests of each part of the model (see
//! `einsicht_testkit::digest`). This command trains them all with the shipped program and names every part that
//! differs; `cargo test` does the same for the sets of the repository (`crates/cli/tests/program/models.rs`). Digests
//! do not depend on the header of the file: `--against PROGRAM` trains with another program too and lists the tensors,
//! fields and header facts that differ. `--record` stores new digests: only for a change that is meant to change
//! models.

use crate::words::Words;
use einsicht_testkit::digest::ModelFile;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use xtask::program;
use xtask::steps::commit_and_date;

const STORED: &str = "testdata/model-digests.json";
/// Most differences of one kind that are listed for a model.
const MOST_LISTED: usize = 30;

/// A training of the stored list.
#[derive(Debug)]
struct Training {
    name: String,
    data: String,
    options: Vec<String>,
    /// By part.
    digests: BTreeMap<String, String>,
}

/// Trains the models; an error if one differs.
pub(crate) fn run(root: &Path, mut words: Words) -> Result<bool, String> {
    let (against, record) = (words.value::<PathBuf>("--against")?, words.flag("--record"));
    let names = words.names()?;
    let program = program::named_or_release(root)?;
    let folder = root.join("target/models");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let mut trainings = stored(root)?;
    if let Some(unknown) = names.iter().find(|name| trainings.iter().all(|training| training.name != **name)) {
        return Err(format!("{unknown} is not a model of {STORED}"));
    }
    let (mut trained, mut different) = (0, 0);
    for training in trainings.iter_mut().filter(|training| names.is_empty() || names.contains(&&*training.name)) {
        let start = Instant::now();
        let model = training.run(root, &program, &folder)?;
        let found = model.digests();
        let parts = differing(&training.digests, &found);
        let outcome = match (parts.is_empty(), record) {
            (true, _) => "equal".to_owned(),
            (false, true) => format!("recorded: {}", parts.join(", ")),
            (false, false) => format!("DIFFERENT: {}", parts.join(", ")),
        };
        println!("{:<18} {:>6.1} s  {outcome}", training.name, start.elapsed().as_secs_f64());
        trained += 1;
        different += usize::from(!parts.is_empty());
        training.digests = found;
        if let Some(other) = &against {
            let before = training.run(root, other, &folder)?;
            let kinds = [("model", model.differences(&before)), ("header", model.header_differences(&before))];
            for (kind, differences) in kinds {
                differences.iter().take(MOST_LISTED).for_each(|line| println!("  {kind}: {line}"));
                println!("  {kind}: {} differences", differences.len());
            }
        }
    }
    if record {
        store(root, &trainings)?;
    }
    println!("{trained} models, {different} different");
    Ok(record || different == 0)
}

/// The parts whose digests are not equal, in the order of their names.
fn differing(stored: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<String> {
    found.iter().filter(|(part, digest)| stored.get(*part) != Some(digest)).map(|(part, _)| part.clone()).collect()
}

impl Training {
    fn read(entry: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let digests = entry["digests"].as_object().into_iter().flatten();
        Some(Self {
            name: text(&entry["name"])?,
            data: text(&entry["data"])?,
            options: entry["options"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            digests: digests.map(|(part, digest)| Some((part.clone(), text(digest)?))).collect::<Option<_>>()?,
        })
    }

    /// Trains with a program and reads the model.
    fn run(&self, root: &Path, program: &Path, folder: &Path) -> Result<ModelFile, String> {
        let named = |problem: &dyn std::fmt::Display| format!("{}: {problem}", self.name);
        let data = root.join(&self.data);
        if !data.exists() {
            return Err(named(&format!("{} does not exist", data.display())));
        }
        let file = folder.join(format!("{}.einsicht", self.name));
        let mut command = Command::new(program);
        command.arg("train").arg(&data).args(&self.options).arg("-q").arg("-o").arg(&file).stdout(Stdio::null());
        let status = command.status().map_err(|e| named(&format!("cannot start {}: {e}", program.display())))?;
        if !status.success() {
            return Err(named(&format!("{command:?}: {status}")));
        }
        let model = fs::read(&file).map_err(|e| named(&e))?;
        // Some models take hundreds of megabytes.
        fs::remove_file(&file).map_err(|e| named(&e))?;
        ModelFile::read(&model).map_err(|e| named(&e))
    }
}

fn stored(root: &Path) -> Result<Vec<Training>, String> {
    let text = fs::read_to_string(root.join(STORED)).map_err(|e| format!("{STORED}: {e}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|e| format!("{STORED}: {e}"))?;
    let models = document["models"].as_array().ok_or(format!("{STORED} must have a list `models`"))?;
    let form = || format!("{STORED}: a model must have name, data, options and digests");
    models.iter().map(|entry| Training::read(entry).ok_or_else(form)).collect()
}

fn store(root: &Path, trainings: &[Training]) -> Result<(), String> {
    let models = trainings.iter().map(|Training { name, data, options, digests }| {
        json!({ "name": name, "data": data, "options": options, "digests": digests })
    });
    let [commit, date] = commit_and_date(root)?;
    let document = json!({ "commit": commit, "date": date, "models": models.collect::<Vec<_>>() });
    fs::write(root.join(STORED), format!("{document:#}\n")).map_err(|e| format!("cannot write {STORED}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_differ_are_named() {
        let digests = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(part, digest)| ((*part).to_owned(), (*digest).to_owned())).collect()
        };
        let stored = digests(&[("heads", "1"), ("weights", "2")]);
        assert_eq!(differing(&stored, &stored), Vec::<String>::new());
        assert_eq!(differing(&stored, &digests(&[("heads", "1"), ("weights", "3")])), ["weights"]);
        assert_eq!(differing(&digests(&[]), &stored), ["heads", "weights"]);
    }

    #[test]
    fn the_stored_list_has_the_models_of_the_gate() {
        let stored = stored(&xtask::root()).unwrap();
        let names: Vec<&str> = stored.iter().map(|training| training.name.as_str()).collect();
        for name in ["BZR", "PTC_MR", "ENZYMES", "ESOL", "SIDER", "BZR-paper", "Cycle_XOR-paper"] {
            assert!(names.contains(&name), "{name}");
        }
        let parts: Vec<&str> = stored[0].digests.keys().map(String::as_str).collect();
        assert_eq!(parts, ["background", "heads", "held_out", "labels", "metrics", "path", "patterns", "weights"]);
    }
}
