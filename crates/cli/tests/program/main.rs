//! The program as a user meets it: results, errors, exit codes. Each test runs the binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod docs;
mod generate;
mod manners;

use assert_cmd::Command;
use std::path::Path;

/// The program, in an empty folder of its own.
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

    /// Runs a command line, split at blanks.
    fn run(&self, line: &str) -> assert_cmd::assert::Assert {
        let mut command = Command::cargo_bin("einsicht").unwrap();
        command.current_dir(self.folder()).args(line.split_whitespace()).assert()
    }

    /// Standard output of a command that must succeed.
    fn stdout(&self, line: &str) -> String {
        text(&self.run(line).success().get_output().stdout)
    }

    /// The JSON document that a command prints.
    fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.stdout(line)).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
