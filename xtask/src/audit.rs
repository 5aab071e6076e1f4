//! `cargo xtask audit`: licences, known vulnerabilities, duplicates and sources of dependencies, Python's included.
//!
//! Needs `cargo install cargo-deny`, and the network for the lists of vulnerabilities, unless `--offline` leaves them
//! out. Not part of `cargo xtask test`: a vulnerability that is published today must not break yesterday's build.

use crate::python;
use crate::words::Words;
use std::path::Path;
use std::process::Command;
use xtask::steps::{Steps, succeeds};

/// Runs all checks; whether all succeeded.
pub(crate) fn run(root: &Path, mut words: Words) -> Result<bool, String> {
    let offline = words.flag("--offline");
    words.end()?;
    let mut steps = Steps::default();
    let deny = |manifest: &str, what: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(["deny", "--manifest-path", manifest, "--config", "deny.toml"]);
        command.args(offline.then_some("--offline")).arg("check").args(what);
        succeeds(command.current_dir(root))
    };
    steps.run("house rules", || crate::tidy::run(root));
    steps.run("licences, versions, sources", || deny("Cargo.toml", &["licenses", "bans", "sources"]));
    steps.run("licences and sources of the laboratory", || deny("lab/Cargo.toml", &["licenses", "sources"]));
    steps.run("licences and sources of the fuzz targets", || deny("fuzz/Cargo.toml", &["licenses", "sources"]));
    if offline {
        println!("\nvulnerabilities are not checked: --offline");
    } else {
        steps.run("vulnerabilities of crates", || deny("Cargo.toml", &["advisories"]));
        steps.run("vulnerabilities of Python packages", || python::audit(root));
    }
    println!("\n{}", steps.summary());
    Ok(steps.all_good())
}
