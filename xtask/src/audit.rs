//! `cargo xtask audit`: what we build on, checked: licences, known holes, doubled versions, sources, Python packages.
//!
//! Wants `cargo install cargo-deny` and the network, for the lists of known holes; what cannot be had is told as not
//! checked and fails, unless `--offline` leaves the lists out. Not part of `cargo xtask test`: a hole that became known
//! today must not break the build of yesterday. That every dependency has a reason, and that there is no unsafe code, are
//! house rules (`tidy`).

use crate::python;
use crate::steps::{Steps, succeeds};
use std::path::Path;
use std::process::Command;

/// Runs all checks and says whether all went well.
pub(crate) fn run(root: &Path, offline: bool) -> bool {
    let mut steps = Steps::default();
    let deny = |manifest: &str, what: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(["deny", "--manifest-path", manifest, "--config", "deny.toml"]);
        command.args(offline.then_some("--offline")).arg("check").args(what);
        succeeds(command.current_dir(root))
    };
    steps.run("house rules", || crate::tidy::run(root, false));
    steps.run("licences, versions, sources", || deny("Cargo.toml", &["licenses", "bans", "sources"]));
    steps.run("licences and sources of the fuzz targets", || deny("fuzz/Cargo.toml", &["licenses", "sources"]));
    if offline {
        println!("\nknown holes are not looked for: --offline");
    } else {
        steps.run("known holes of crates", || deny("Cargo.toml", &["advisories"]));
        steps.run("known holes of Python packages", || python::audit(root));
    }
    println!("\n{}", steps.summary());
    steps.all_good()
}
