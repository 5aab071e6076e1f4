//! `cargo xtask build-times`: where the time of a build from cold goes, package by package.
//!
//! Builds into a folder of its own, so that nothing is there yet, and reads what `cargo --timings` measured. Seconds of packages that
//! are built at the same time overlap, and grow where the machine has other work; only their proportions are worth a thought.

use crate::steps::succeeds;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// All tests, with the profile that the wheel shares.
    Tests,
    /// What clippy looks at.
    Clippy,
    /// The program as it is shipped.
    Release,
}

impl Build {
    /// Reads `[tests|clippy|release]`; the error is the argument that is not known.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        match words {
            [] | ["tests"] => Ok(Self::Tests),
            ["clippy"] => Ok(Self::Clippy),
            ["release"] => Ok(Self::Release),
            ["tests" | "clippy" | "release", unknown, ..] | [unknown, ..] => Err((*unknown).to_owned()),
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Tests => &["test", "--workspace", "--tests", "--no-run"],
            Self::Clippy => &["clippy", "--workspace", "--all-targets"],
            Self::Release => &["build", "--release", "--package", "einsicht-cli"],
        }
    }
}

/// Builds and prints one line per package, the slowest first.
pub(crate) fn run(root: &Path, build: Build) -> Result<(), String> {
    let target = root.join("target/build-times");
    // What an earlier run left; that there is nothing is no problem.
    let _ = std::fs::remove_dir_all(&target);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(build.arguments()).args(["--quiet", "--timings"]).current_dir(root).env("CARGO_TARGET_DIR", &target);
    if !succeeds(&mut command) {
        return Err("the build failed".to_owned());
    }
    let page: PathBuf = target.join("cargo-timings/cargo-timing.html");
    let text = std::fs::read_to_string(&page).map_err(|problem| format!("{}: {problem}", page.display()))?;
    let units = units(&text).ok_or_else(|| format!("{} must hold UNIT_DATA, a list of units", page.display()))?;
    println!("{}", table(&units));
    std::fs::remove_dir_all(&target).map_err(|problem| format!("{}: {problem}", target.display()))
}

/// The list of units in the page that `cargo --timings` writes.
fn units(page: &str) -> Option<Vec<Value>> {
    let (_, rest) = page.split_once("const UNIT_DATA = ")?;
    let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Value>>();
    documents.next()?.ok()
}

/// Seconds of a package.
#[derive(Default)]
struct Seconds {
    total: f64,
    codegen: f64,
    units: usize,
}

/// One line per package that takes a hundredth of the whole or more, and one for the rest.
fn table(units: &[Value]) -> String {
    let mut packages: BTreeMap<&str, Seconds> = BTreeMap::new();
    for unit in units {
        let seconds = packages.entry(unit["name"].as_str().unwrap_or_default()).or_default();
        seconds.total += unit["duration"].as_f64().unwrap_or(0.0);
        seconds.units += 1;
        for section in unit["sections"].as_array().into_iter().flatten().filter(|section| section[0] == "codegen") {
            let time = |key: &str| section[1][key].as_f64().unwrap_or(0.0);
            seconds.codegen += time("end") - time("start");
        }
    }
    let all: f64 = packages.values().map(|seconds| seconds.total).sum();
    let ours = |name: &str| name.starts_with("einsicht") || name == "xtask";
    let of_ours: f64 = packages.iter().filter(|(name, _)| ours(name)).map(|(_, seconds)| seconds.total).sum();
    let end = |unit: &Value| unit["start"].as_f64().unwrap_or(0.0) + unit["duration"].as_f64().unwrap_or(0.0);
    let elapsed = units.iter().map(end).fold(0.0, f64::max);
    let mut sorted: Vec<(&str, Seconds)> = packages.into_iter().collect();
    sorted.sort_by(|a, b| b.1.total.total_cmp(&a.1.total).then(a.0.cmp(b.0)));
    let line = |name: &str, seconds: &Seconds| {
        let share = 100.0 * seconds.total / all.max(f64::MIN_POSITIVE);
        format!("{:>8.1} {:>8.1} {share:>5.1} {:>6}  {name}\n", seconds.total, seconds.codegen, seconds.units)
    };
    let mut text = format!("{:>8} {:>8} {:>5} {:>6}  package\n", "seconds", "codegen", "%", "units");
    let (large, small): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|(_, seconds)| seconds.total >= 0.01 * all);
    text.extend(large.iter().map(|(name, seconds)| line(name, seconds)));
    let rest = small.iter().fold(Seconds::default(), |sum, (_, seconds)| Seconds {
        total: sum.total + seconds.total,
        codegen: sum.codegen + seconds.codegen,
        units: sum.units + seconds.units,
    });
    text += &line(&format!("{} other packages", small.len()), &rest);
    text + &format!(
        "{all:.1} s of {} units, {of_ours:.1} s of them our own crates; {elapsed:.1} s elapsed",
        units.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<script>
const UNIT_DATA = [
  {"name": "einsicht-graph", "start": 2.0, "duration": 3.0, "sections": [["frontend", {"start": 0.0, "end": 1.0}], ["codegen", {"start": 1.0, "end": 3.0}]]},
  {"name": "syn", "start": 0.0, "duration": 1.0, "sections": null},
  {"name": "tiny", "start": 0.0, "duration": 0.001, "sections": null},
  {"name": "einsicht-graph", "start": 5.0, "duration": 4.0, "sections": null}
];
const CONCURRENCY_DATA = [1];"#;

    #[test]
    fn the_slowest_package_comes_first_and_small_ones_are_summed() {
        let text = table(&units(PAGE).expect("units"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "     7.0      2.0  87.5      2  einsicht-graph");
        assert_eq!(lines[2], "     1.0      0.0  12.5      1  syn");
        assert_eq!(lines[3], "     0.0      0.0   0.0      1  1 other packages");
        assert_eq!(lines[4], "8.0 s of 4 units, 7.0 s of them our own crates; 9.0 s elapsed");
    }

    #[test]
    fn a_page_without_units_is_refused_and_an_unknown_build_named() {
        assert!(units("<script></script>").is_none());
        assert_eq!(Build::parse(&["release"]), Ok(Build::Release));
        assert_eq!(Build::parse(&["debug"]), Err("debug".to_owned()));
        assert_eq!(Build::parse(&["tests", "twice"]), Err("twice".to_owned()));
    }
}
