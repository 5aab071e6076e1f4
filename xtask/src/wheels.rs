//! `cargo xtask wheels`: wheel and source distribution for PyPI, with the release profile. See `RELEASING.md`.
//!
//! Wheels for Linux are linked by zig against an old C library, so that they run on systems older than this one.

use crate::python::environment;
use crate::steps::succeeds;
use std::path::Path;
use std::process::Command;

/// Reads `[--target TARGET]`; the error is the argument that is not known.
pub(crate) fn target<'a>(words: &[&'a str]) -> Result<Option<&'a str>, String> {
    match words {
        [] => Ok(None),
        ["--target", target] => Ok(Some(target)),
        [unknown, ..] => Err((*unknown).to_owned()),
    }
}

/// Builds a wheel, for this machine or for another target, and the source distribution.
pub(crate) fn run(root: &Path, target: Option<&str>) -> Result<(), String> {
    let python = environment(&root.join("target/python-wheels"))
        .ok_or("cannot make a virtual environment: neither venv, ensurepip nor virtualenv works")?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin[zig]>=1.9.4,<2"];
    if !succeeds(Command::new(&python).args(pip)) {
        return Err("maturin cannot be installed".to_owned());
    }
    let maturin =
        |words: &[&str]| succeeds(Command::new(&python).args(["-m", "maturin"]).args(words).current_dir(root));
    let mut build = vec!["build", "--release", "--strip", "--out", "target/wheels"];
    let for_linux = target.map_or(cfg!(target_os = "linux"), |target| target.contains("linux"));
    if for_linux {
        build.extend(["--compatibility", "manylinux_2_28", "--zig"]);
    }
    build.extend(target.iter().flat_map(|target| ["--target", target]));
    let is_built = maturin(&build) && maturin(&["sdist", "--out", "target/wheels"]);
    if is_built { Ok(()) } else { Err("maturin failed".to_owned()) }
}
