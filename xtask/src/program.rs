//! The program as it is shipped, and as the tests run it: built once, found under the target folder.

use crate::steps::succeeds;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    std::env::var_os("EINSICHT_PROGRAM").map_or_else(|| build_release(root), |path| Ok(PathBuf::from(path)))
}
