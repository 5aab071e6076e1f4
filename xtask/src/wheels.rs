//! `cargo xtask wheels`: what goes to PyPI, built as it is shipped. See `RELEASING.md`.
//!
//! Wheels for Linux are linked by zig against an old C library, so that they run on systems older than this one.

use crate::python::environment;
use crate::steps::succeeds;
use std::path::Path;
use std::process::Command;

/// Builds a wheel, for this machine or for another target, and the source distribution.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<bool, String> {
    let target = match words {
        [] => None,
        ["--target", target] => Some(*target),
        [unknown, ..] => return Err((*unknown).to_owned()),
    };
    let Some(python) = environment(&root.join("target/python-wheels")) else {
        eprintln!("cannot make a virtual environment: neither venv, ensurepip nor virtualenv works");
        return Ok(false);
    };
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin[zig]>=1.9.4,<2"];
    if !succeeds(Command::new(&python).args(pip)) {
        return Ok(false);
    }
    let maturin =
        |words: &[&str]| succeeds(Command::new(&python).args(["-m", "maturin"]).args(words).current_dir(root));
    let mut build = vec!["build", "--release", "--strip", "--out", "target/wheels"];
    let for_linux = target.map_or(cfg!(target_os = "linux"), |target| target.contains("linux"));
    if for_linux {
        build.extend(["--compatibility", "manylinux_2_28", "--zig"]);
    }
    build.extend(target.iter().flat_map(|target| ["--target", target]));
    Ok(maturin(&build) && maturin(&["sdist", "--out", "target/wheels"]))
}
