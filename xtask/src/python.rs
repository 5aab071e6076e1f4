//! The Python tests, in a virtual environment under `target/`.
//!
//! Some systems ship `venv` without pip; then pip comes from `ensurepip`, and failing that the
//! environment from a private copy of `virtualenv`. Nothing is installed outside `target/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use xtask::steps::succeeds;

/// A virtual environment with what the tests need, made by a thread of its own.
pub(crate) struct Packages(JoinHandle<Option<PathBuf>>);

impl Packages {
    /// Starts to make the environment and to install the requirements.
    pub(crate) fn install(root: &Path, torch: bool) -> Self {
        let root = root.to_owned();
        Self(std::thread::spawn(move || install(&root, torch)))
    }

    /// The interpreter, once everything is installed; none, with the reason printed, if something failed.
    fn wait(self) -> Option<PathBuf> {
        self.0.join().ok().flatten()
    }
}

fn install(root: &Path, torch: bool) -> Option<PathBuf> {
    // PyTorch takes gigabytes: it gets an environment of its own, so that the usual one stays small.
    let venv = root.join(if torch { "target/python-torch" } else { "target/python" });
    let python = environment(&venv)?;
    let is_complete = pip(root, &python, &["-r", "python/tests/requirements.txt"])
        && (!torch || pip(root, &python, &["-r", "python/tests/requirements-torch.txt"]));
    is_complete.then_some(python)
}

pub(crate) fn pip(root: &Path, python: &Path, arguments: &[&str]) -> bool {
    // Most files of the packages are never imported: those that are, Python compiles then.
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"];
    succeeds(interpreter(root, python).args(quiet).args(arguments))
}

/// An interpreter in the root that keeps, under `target/`, what it compiles of packages. Some systems forbid to keep it
/// (`PYTHONDONTWRITEBYTECODE`): then each process of the tests, workers of a cluster included, would spend seconds on
/// compiling scikit-learn again.
fn interpreter(root: &Path, python: &Path) -> Command {
    let mut command = Command::new(python);
    command.current_dir(root).env_remove("PYTHONDONTWRITEBYTECODE");
    command.env("PYTHONPYCACHEPREFIX", root.join("target/pycache"));
    command
}

/// Builds and installs the wheel and runs the tests. If the Rust tests ran before (`is_built`), the program that they
/// built is used.
pub(crate) fn test(root: &Path, packages: Packages, is_built: bool, variables: &[(&str, OsString)]) -> bool {
    let Some(python) = packages.wait() else { return false };
    let Some(wheel) = build_wheel(root, &python) else { return false };
    if !pip(root, &python, &["--force-reinstall", "--no-deps", &wheel.to_string_lossy()]) {
        return false;
    }
    let mut tests = interpreter(root, &python);
    tests.args(["-m", "pytest", "-q"]).args(PER_CORE).arg("python/tests");
    tests.envs(variables.iter().map(|(name, value)| (name, value)));
    let program = root.join("target/debug/einsicht");
    if is_built && program.is_file() {
        tests.env("EINSICHT_PROGRAM", program);
    }
    let tested = succeeds(&mut tests);
    let stubs = ["-m", "mypy.stubtest", "einsicht._core", "--mypy-config-file", "python/mypy.ini"];
    succeeds(interpreter(root, &python).args(stubs)) && tested
}

/// Runs a script: the documentation site, the pictures of the README. `known` takes the package that the tests have
/// installed, if there is one; pictures show what the tree does.
pub(crate) fn script(root: &Path, script: &str, known: bool) -> bool {
    let python = root.join("target/python/bin/python");
    let has_package = || quietly(interpreter(root, &python).args(["-c", "import einsicht, mkdocs"]));
    let is_ready = known && has_package()
        || install(root, false).is_some_and(|python| {
            build_wheel(root, &python)
                .is_some_and(|wheel| pip(root, &python, &["--force-reinstall", "--no-deps", &wheel.to_string_lossy()]))
        });
    is_ready && succeeds(interpreter(root, &python).arg(script))
}

/// Builds the wheel with the profile of the other tests, so that it shares what they have compiled.
fn build_wheel(root: &Path, python: &Path) -> Option<PathBuf> {
    let folder = root.join("target/wheels");
    // Wheels of an earlier run; that there are none is no problem.
    let _ = std::fs::remove_dir_all(&folder);
    let maturin = ["-m", "maturin", "build", "--quiet", "--profile", "dev", "--strip", "--out", "target/wheels", "-i"];
    if !succeeds(interpreter(root, python).args(maturin).arg(python)) {
        return None;
    }
    let mut wheels = std::fs::read_dir(&folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    wheels.find(|path| path.extension().is_some_and(|kind| kind == "whl"))
}

/// One process per core. Each starts with a part of the list of tests, so that those of a file, which share what they
/// have trained, stay together; one that is done takes over half of what another has left, so that no core waits for a
/// slow file.
const PER_CORE: [&str; 4] = ["-n", "logical", "--dist", "worksteal"];

/// Tests that need nothing but the package and pytest.
const PLAIN_TESTS: [&str; 4] =
    ["test_package.py", "test_graph_set.py", "promises/test_rows.py", "promises/test_help.py"];

/// Installs a wheel, with what it asks for, into an environment of its own, and runs the tests there: first those that
/// need nothing else, then, with the packages of the tests, all of them.
pub(crate) fn in_fresh_environment(root: &Path, wheel: &Path) -> bool {
    let venv = root.join("target/python-fresh");
    let _ = std::fs::remove_dir_all(&venv);
    let Some(python) = environment(&venv) else { return false };
    let tests = root.join("python/tests");
    // Not in the root, where Python would find the sources instead of what was installed.
    let pytest = |words: &[&str], files: &[PathBuf]| {
        let quiet = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
        succeeds(interpreter(root, &python).args(quiet).args(words).args(files).current_dir(&venv))
    };
    pip(root, &python, &["pytest", &wheel.to_string_lossy()])
        && pytest(&[], &PLAIN_TESTS.map(|file| tests.join(file)))
        && pip(root, &python, &["-r", "python/tests/requirements.txt"])
        && pytest(&PER_CORE, &[tests])
}

/// Checks the packages that tests and users install for known vulnerabilities.
pub(crate) fn audit(root: &Path) -> bool {
    let venv = root.join("target/python-audit");
    let Some(python) = environment(&venv) else { return false };
    pip(root, &python, &["pip-audit"])
        && ["python/tests/requirements.txt", "python/tests/requirements-torch.txt"].iter().all(|list| {
            let pip_audit = ["-m", "pip_audit", "--disable-pip", "--no-deps", "--strict", "--requirement", list];
            succeeds(Command::new(&python).args(pip_audit).current_dir(root))
        })
}

/// The interpreter of a virtual environment with pip; made if it does not exist. If that fails, the reason is printed.
pub(crate) fn environment(venv: &Path) -> Option<PathBuf> {
    let python = venv.join("bin/python");
    if has_pip(&python) {
        return Some(python);
    }
    let system = std::env::var_os("EINSICHT_PYTHON").unwrap_or_else(|| "python3".into());
    let ways: [fn(&OsString, &Path) -> bool; 3] = [with_venv, with_ensurepip, with_virtualenv];
    if ways.into_iter().any(|way| way(&system, venv) && has_pip(&python)) {
        return Some(python);
    }
    eprintln!("cannot make {}: neither venv, ensurepip nor virtualenv works", venv.display());
    None
}

fn has_pip(python: &Path) -> bool {
    python.exists() && quietly(Command::new(python).args(["-m", "pip", "--version"]))
}

fn with_venv(system: &OsString, venv: &Path) -> bool {
    quietly(Command::new(system).args(["-m", "venv", "--clear"]).arg(venv))
}

fn with_ensurepip(system: &OsString, venv: &Path) -> bool {
    quietly(Command::new(system).args(["-m", "venv", "--clear", "--without-pip"]).arg(venv))
        && quietly(Command::new(venv.join("bin/python")).args(["-m", "ensurepip"]))
}

fn with_virtualenv(system: &OsString, venv: &Path) -> bool {
    let private = venv.with_extension("virtualenv");
    succeeds(Command::new(system).args(["-m", "pip", "install", "--quiet", "--target"]).arg(&private).arg("virtualenv"))
        && succeeds(
            Command::new(system).args(["-m", "virtualenv", "--quiet", "--clear"]).arg(venv).env("PYTHONPATH", &private),
        )
}

/// Whether a command succeeds, without its output: if it fails, another way is tried.
fn quietly(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_that_does_not_exist_has_no_pip() {
        assert!(!has_pip(Path::new("no/such/python")));
        assert!(!with_venv(&"no-such-python-anywhere".into(), Path::new("unused")));
    }
}
