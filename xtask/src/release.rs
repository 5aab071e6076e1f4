//! `cargo xtask packages`: what goes to crates.io builds from its package alone, and the program can be installed.
//! `cargo xtask wheels`: wheel and source distribution for PyPI, as they are shipped, tried in a fresh environment.
//!
//! Cargo unpacks every package and builds it there, with those below it from their packages and not from this tree: a
//! file that is left out, or a dependency that only the workspace has, is found. The fresh environment has nothing but
//! the wheel, what it asks for, and pytest. Zig links wheels for Linux against an old C library. See `RELEASING.md`.

use crate::python::{environment, in_fresh_environment, pip};
use crate::words::Words;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::steps::{Steps, succeeds};

/// Packages that are not for crates.io.
const PRIVATE: [&str; 3] = ["xtask", "einsicht-python", "einsicht-testkit"];

/// Packs and installs; false if something fails. `--allow-dirty` is for trying: what is packed then is not what is
/// committed.
pub(crate) fn packages(root: &Path, mut words: Words) -> Result<bool, String> {
    let allow_dirty = words.flag("--allow-dirty");
    words.end()?;
    let cargo = |words: &[&str]| {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        succeeds(Command::new(program).args(words).current_dir(root))
    };
    let mut package = vec!["package", "--workspace", "--quiet"];
    package.extend(PRIVATE.iter().flat_map(|name| ["--exclude", name]));
    package.extend(allow_dirty.then_some("--allow-dirty"));
    let mut steps = Steps::default();
    steps.run("packages", || cargo(&package));
    let installed = root.join("target/installed");
    let _ = std::fs::remove_dir_all(&installed);
    let place = installed.to_string_lossy();
    steps.run("install", || cargo(&["install", "--locked", "--quiet", "--path", "crates/cli", "--root", &place]));
    steps.run("version", || says_version(&installed.join("bin/einsicht")));
    steps.run("no hooks of tests", || has_no_hooks(&installed.join("bin/einsicht")));
    println!("\n{}", steps.summary());
    Ok(steps.all_good())
}

/// Whether the program starts and says the version of this crate, which is that of the workspace.
fn says_version(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let wanted = concat!("einsicht ", env!("CARGO_PKG_VERSION"));
    if said != wanted {
        eprintln!("{} --version must say \"{wanted}\", but says \"{said}\"", program.display());
    }
    said == wanted
}

/// Whether the variables by which tests steer a program are absent from it (`crates/cli/src/io/hooks.rs`).
fn has_no_hooks(program: &Path) -> bool {
    let bytes = std::fs::read(program).unwrap_or_default();
    let has = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
    let found: Vec<&str> = HOOKS.into_iter().filter(|name| has(name)).collect();
    if !found.is_empty() {
        eprintln!("{} must not know {}", program.display(), found.join(" and "));
    }
    found.is_empty() && !bytes.is_empty()
}

/// Variables that are for tests.
const HOOKS: [&str; 2] = ["EINSICHT_AT_PASS", "EINSICHT_CHECKPOINT_PASSES"];

/// Builds a wheel, for this machine or for another target, and the source distribution. A wheel for this machine is
/// installed and tested.
pub(crate) fn wheels(root: &Path, mut words: Words) -> Result<bool, String> {
    let target = words.value::<String>("--target")?;
    words.end()?;
    let Some(python) = environment(&root.join("target/python-wheels")) else { return Ok(false) };
    if !pip(root, &python, &["maturin[zig]>=1.9.4,<2"]) {
        return Err("maturin cannot be installed".to_owned());
    }
    // maturin asks the first Python on the path for zig.
    let path = path_with(python.parent().unwrap_or(root));
    let maturin = |words: &[&str]| {
        succeeds(Command::new(&python).args(["-m", "maturin"]).args(words).env("PATH", &path).current_dir(root))
    };
    let mut build = vec!["build", "--release", "--strip", "--out", "target/wheels"];
    let for_linux = target.as_ref().map_or(cfg!(target_os = "linux"), |target| target.contains("linux"));
    if for_linux {
        build.extend(["--compatibility", "manylinux_2_28", "--zig"]);
    }
    build.extend(target.iter().flat_map(|target| ["--target", target.as_str()]));
    // Wheels of earlier runs are not to be uploaded.
    let _ = std::fs::remove_dir_all(root.join("target/wheels"));
    if !maturin(&build) || !maturin(&["sdist", "--out", "target/wheels"]) {
        return Err("maturin failed".to_owned());
    }
    let wheel = wheel(root).ok_or("there must be a wheel in target/wheels, but there is none")?;
    // One for another machine is tested there.
    Ok(target.is_some() || in_fresh_environment(root, &wheel))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_stay_here_are_those_that_say_so() {
        let private = |folder: &str| {
            let text = std::fs::read_to_string(xtask::root().join(folder).join("Cargo.toml")).unwrap();
            text.contains("\npublish = false\n")
        };
        let crates = std::fs::read_dir(xtask::root().join("crates")).unwrap();
        let mut folders: Vec<String> =
            crates.map(|one| format!("crates/{}", one.unwrap().file_name().to_string_lossy())).collect();
        folders.extend(["python", "xtask"].map(str::to_owned));
        assert!(folders.len() >= 9);
        assert_eq!(folders.iter().filter(|folder| private(folder)).count(), PRIVATE.len());
    }

    #[test]
    fn a_program_that_is_not_there_has_no_version() {
        assert!(!says_version(Path::new("no/such/program")));
    }

    #[test]
    fn hooks_are_found_in_a_program_that_has_them() {
        let this = std::env::current_exe().unwrap(); // it has the names of the variables, at least
        assert!(!has_no_hooks(&this) && !has_no_hooks(Path::new("no/such/program")));
    }
}
