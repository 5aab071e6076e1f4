//! `cargo xtask wheels`: wheel and source distribution for PyPI, with the release profile, tried in a fresh
//! environment. See `RELEASING.md`.
//!
//! The fresh environment has nothing but the wheel, what it asks for, and pytest: a dependency that is not declared is
//! found there. Wheels for Linux are linked by zig against an old C library, so that they run on systems older than
//! this one.

use crate::python::{environment, in_fresh_environment};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::steps::succeeds;

/// Reads `[--target TARGET]`; the error is the argument that is not known.
pub(crate) fn target<'a>(words: &[&'a str]) -> Result<Option<&'a str>, String> {
    match words {
        [] => Ok(None),
        ["--target", target] => Ok(Some(target)),
        [unknown, ..] => Err((*unknown).to_owned()),
    }
}

/// Builds a wheel, for this machine or for another target, and the source distribution. A wheel for this machine is
/// installed and tested.
pub(crate) fn run(root: &Path, target: Option<&str>) -> Result<(), String> {
    let python = environment(&root.join("target/python-wheels"))
        .ok_or("cannot make a virtual environment: neither venv, ensurepip nor virtualenv works")?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin[zig]>=1.9.4,<2"];
    if !succeeds(Command::new(&python).args(pip)) {
        return Err("maturin cannot be installed".to_owned());
    }
    // maturin asks the first Python on the path for zig.
    let path = path_with(python.parent().unwrap_or(root));
    let maturin = |words: &[&str]| {
        succeeds(Command::new(&python).args(["-m", "maturin"]).args(words).env("PATH", &path).current_dir(root))
    };
    let mut build = vec!["build", "--release", "--strip", "--out", "target/wheels"];
    let for_linux = target.map_or(cfg!(target_os = "linux"), |target| target.contains("linux"));
    if for_linux {
        build.extend(["--compatibility", "manylinux_2_28", "--zig"]);
    }
    build.extend(target.iter().flat_map(|target| ["--target", target]));
    // Wheels of earlier runs are not to be uploaded.
    let _ = std::fs::remove_dir_all(root.join("target/wheels"));
    if !maturin(&build) || !maturin(&["sdist", "--out", "target/wheels"]) {
        return Err("maturin failed".to_owned());
    }
    match (target, wheel(root)) {
        (_, None) => Err("there must be a wheel in target/wheels, but there is none".to_owned()),
        (Some(_), _) => Ok(()), // for another machine: it is tested there
        (None, Some(wheel)) if in_fresh_environment(root, &wheel) => Ok(()),
        (None, Some(wheel)) => Err(format!("{} does not pass its tests in a fresh environment", wheel.display())),
    }
}

/// The path of programs, with a folder before all others.
fn path_with(folder: &Path) -> OsString {
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&known));
    std::env::join_paths(folders).unwrap_or(known)
}

/// The wheel that was built.
fn wheel(root: &Path) -> Option<PathBuf> {
    let mut files = std::fs::read_dir(root.join("target/wheels")).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|path| path.extension().is_some_and(|kind| kind == "whl"))
}
