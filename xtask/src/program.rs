//! The program as it is shipped: built once, found under the target folder.

use crate::steps::succeeds;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program with the release profile and returns its path.
pub(crate) fn build_release(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--quiet", "--package", "einsicht-cli"]).current_dir(root);
    if !succeeds(&mut build) {
        return Err("the program does not build".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release").join(format!("einsicht{}", std::env::consts::EXE_SUFFIX)))
}

/// The program that `EINSICHT_PROGRAM` names, or else the release build.
pub(crate) fn named_or_release(root: &Path) -> Result<PathBuf, String> {
    std::env::var_os("EINSICHT_PROGRAM").map_or_else(|| build_release(root), |path| Ok(PathBuf::from(path)))
}
