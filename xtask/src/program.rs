//! The program: built as it is shipped or as the tests run it, started in a folder, killed; and what it leaves.

use crate::steps::succeeds;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Builds the program with the release profile and returns its path.
pub fn build_release(root: &Path) -> Result<PathBuf, String> {
    build(root, &["build", "--release", "--package", "einsicht-cli"], "release")
}

/// Builds the program together with the tests, which is nothing to do after them, and returns its path. It checks for
/// overflows. Another choice of packages would mean other features, and a build from scratch.
pub fn build_with_tests(root: &Path) -> Result<PathBuf, String> {
    build(root, &["test", "--workspace", "--tests", "--no-run"], "debug")
}

fn build(root: &Path, arguments: &[&str], folder: &str) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    if !succeeds(Command::new(cargo).args(arguments).arg("--quiet").current_dir(root)) {
        return Err("the program does not build".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join(folder).join(format!("einsicht{}", std::env::consts::EXE_SUFFIX)))
}

/// The program that `EINSICHT_PROGRAM` names, or else the release build.
pub fn named_or_release(root: &Path) -> Result<PathBuf, String> {
    named_or(root, build_release)
}

fn named_or(root: &Path, build: fn(&Path) -> Result<PathBuf, String>) -> Result<PathBuf, String> {
    std::env::var_os("EINSICHT_PROGRAM").map_or_else(|| build(root), |path| Ok(PathBuf::from(path)))
}

/// The built program.
pub struct Program {
    path: PathBuf,
    /// A run that takes longer is taken to hang.
    patience: Duration,
}

/// How a run ended.
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its results.
    pub stdout: String,
    /// Its messages.
    pub stderr: String,
    /// Whether it was killed because it took too long.
    pub hung: bool,
}

/// A run under way.
pub struct Running {
    child: Child,
    /// Path of the files with its stdout and stderr, without their endings.
    output: PathBuf,
    patience: Duration,
}

impl Program {
    /// The program that `EINSICHT_PROGRAM` names, or else the development build, which checks for overflows.
    pub fn find(root: &Path, patience: Duration) -> Option<Self> {
        named_or(root, build_with_tests).ok().map(|path| Self { path, patience })
    }

    /// Starts it in a folder. Its stdout and stderr go to files beside the folder.
    pub fn start(&self, folder: &Path, line: &str, variables: &[(&str, String)]) -> Result<Running, String> {
        let output = folder.with_extension("output");
        let file = |name: &str| File::create(output.with_extension(name)).map_err(|e| e.to_string());
        let mut command = Command::new(&self.path);
        command.args(line.split_whitespace()).current_dir(folder).envs(variables.iter().map(|(n, v)| (*n, v)));
        command.stdin(Stdio::null()).stdout(file("out")?).stderr(file("err")?);
        let child = command.spawn().map_err(|e| format!("cannot start {}: {e}", self.path.display()))?;
        Ok(Running { child, output, patience: self.patience })
    }

    /// Runs it to its end.
    pub fn run(&self, folder: &Path, line: &str) -> Result<Ended, String> {
        self.start(folder, line, &[])?.wait()
    }
}

impl Running {
    /// Whether it has ended by itself.
    pub fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends SIGKILL.
    pub fn kill(&mut self) {
        // It may have ended a moment ago.
        let _ = self.child.kill();
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Result<Ended, String> {
        let start = Instant::now();
        let mut hung = false;
        let status = loop {
            match self.child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break status,
                None if start.elapsed() > self.patience && !hung => {
                    hung = true;
                    self.kill();
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let text = |name: &str| {
            let bytes = fs::read(self.output.with_extension(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(Ended { status, stdout: text("out"), stderr: text("err"), hung })
    }
}

impl Ended {
    /// The passes after which it resumed, one per training.
    pub fn resumed_after(&self) -> Vec<usize> {
        let pass = |line: &str| line.rsplit_once("after pass ")?.1.trim().parse().ok();
        self.stderr.lines().filter_map(pass).collect()
    }
}

/// An empty folder.
pub fn fresh(path: &Path) -> Result<(), String> {
    // It need not be there.
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path).map_err(|e| format!("cannot make {}: {e}", path.display()))
}

/// All files under a path, by name, with their content; a single file is one of no name.
pub fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    if path.is_file() {
        return BTreeMap::from([(String::new(), fs::read(path).unwrap_or_default())]);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let named = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (name, fs::read(path).unwrap_or_default())
    };
    entries.map(named).collect()
}

/// The saved states by path, each with the first bytes of its file, and the finished results.
pub fn saved(output: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    use std::io::Read;
    let beside = output.parent().into_iter();
    let folders = beside.chain(std::iter::once(output));
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|entry| entry.path());
    let is_state = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "partial" || ending == "json");
    let seal = |path: PathBuf| {
        let mut first = Vec::new();
        File::open(&path).and_then(|file| file.take(64).read_to_end(&mut first)).ok()?;
        Some((path, first))
    };
    entries.filter(is_state).filter_map(seal).collect()
}

/// Writes a text file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// A split file over this many rows: each trial has another fifth as test set and the next as validation set.
pub fn splits(rows: usize, trials: usize) -> String {
    let part = |first: usize| (first..rows).step_by(5).map(|row| row.to_string()).collect::<Vec<_>>().join(",");
    let trial = |at: usize| {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| part((k + at) % 5));
        format!("{{\"train\": [{a},{b},{c}], \"valid\": [{d}], \"test\": [{e}]}}")
    };
    format!("{{\"trials\": [{}]}}", (0..trials).map(trial).collect::<Vec<_>>().join(", "))
}
