//! The program as a user meets it: results, errors, exit status. Each test runs the binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should stop there")]

mod browser;
mod compare;
mod convert;
mod crafted_models;
mod cross_validate;
mod docs;
mod effects;
mod experiment;
mod explain;
mod export;
mod extreme;
mod faults;
mod features;
mod figures;
mod generate;
mod gnn;
mod inspect;
mod judged_data;
mod language;
mod manners;
mod match_;
mod memory;
mod mine;
mod mistakes;
mod models;
mod outputs;
mod parameters;
mod predict;
mod resume;
mod same_bytes;
mod shared_sets;
mod significant;
mod split;
mod tables;
mod train;

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// What a training printed, and the model that it wrote.
type Trained = Arc<OnceLock<(String, Vec<u8>)>>;

/// Trainings by their command lines.
static TRAINED: Mutex<BTreeMap<String, Trained>> = Mutex::new(BTreeMap::new());

/// The program, in an empty folder.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a file into the folder.
    fn write(&self, name: &str, text: &str) {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs a command line, split at blanks.
    fn run(&self, line: &str) -> assert_cmd::assert::Assert {
        self.run_words(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// The same with variables of the environment.
    fn run_with(&self, variables: &[(&str, &str)], line: &str) -> assert_cmd::assert::Assert {
        let mut command = Command::cargo_bin("einsicht").unwrap();
        command.current_dir(self.folder()).args(line.split_whitespace()).envs(variables.iter().copied());
        command.assert()
    }

    /// All files of the folder, by name, with their content.
    fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.folder().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let named = |path: std::path::PathBuf| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
        };
        entries.filter(|path| path.is_file()).map(named).collect()
    }

    fn run_words(&self, words: &[&str]) -> assert_cmd::assert::Assert {
        Command::cargo_bin("einsicht").unwrap().current_dir(self.folder()).args(words).assert()
    }

    /// Stdout of a command that must succeed.
    fn stdout(&self, line: &str) -> String {
        text(&self.run(line).success().get_output().stdout)
    }

    /// Stdout of a training, and its model as the file `model`. A command line is run once: equal data and options give
    /// equal bytes (tested in `train.rs`), so that other tests get a copy. For tests of what comes after a training,
    /// with data that the line alone tells.
    fn trained_once(&self, line: &str, model: &str) -> String {
        let trained = Arc::clone(TRAINED.lock().unwrap().entry(line.to_owned()).or_default());
        let train = || {
            let printed = self.stdout(&format!("{line} -o {model}"));
            (printed, std::fs::read(self.folder().join(model)).unwrap())
        };
        let (printed, bytes) = trained.get_or_init(train);
        std::fs::write(self.folder().join(model), bytes).unwrap();
        printed.clone()
    }

    /// The JSON document that a command prints.
    fn json(&self, line: &str) -> serde_json::Value {
        self.json_of(&line.split_whitespace().collect::<Vec<_>>())
    }

    fn json_of(&self, words: &[&str]) -> serde_json::Value {
        serde_json::from_slice(&self.run_words(words).success().get_output().stdout).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
