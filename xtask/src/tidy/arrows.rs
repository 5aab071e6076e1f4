//! Crates depend downwards only, and some dependencies live in one place only.
//!
//! `cli`, `python` -> `einsicht` -> `train`, `report` -> `explain` -> `model` -> `forest`, `significance`, `data`,
//! `search` -> `chem`, `graph`. Tests may use `testkit`; `testkit` itself stands on what its oracles speak the language
//! of, `train` at most. PyO3 appears only in `python`, clap and the progress bars only in `cli`.

use super::{Finding, Source};

/// Crates from the bottom up; one may depend on those before it.
const ORDER: &str = "einsicht-graph einsicht-search einsicht-chem einsicht-data einsicht-forest einsicht-model \
    einsicht-significance einsicht-explain einsicht-report einsicht-train einsicht-oracle einsicht einsicht-cli \
    einsicht-python";
const TESTKIT: &str = "einsicht-testkit";
/// Tops of the house: nobody depends on them.
const TOPS: [&str; 2] = ["einsicht-cli", "einsicht-python"];
/// Outside dependencies with one home.
const HOMES: [(&str, &str); 6] = [
    ("clap", "einsicht-cli"),
    ("clap_complete", "einsicht-cli"),
    ("clap_mangen", "einsicht-cli"),
    ("indicatif", "einsicht-cli"),
    ("pyo3", "einsicht-python"),
    ("numpy", "einsicht-python"),
];

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let manifests = sources.iter().filter(|source| {
        let home = source.path.starts_with("crates/") || source.path.starts_with("python/");
        home && source.path.ends_with("/Cargo.toml")
    });
    let mut findings = Vec::new();
    for manifest in manifests {
        let problems = match manifest.text.parse::<toml::Table>() {
            Ok(table) => problems(&table),
            Err(problem) => vec![format!("is not TOML: {problem}")],
        };
        findings.extend(problems.into_iter().map(|what| Finding { path: manifest.path.clone(), line: 0, what }));
    }
    findings
}

fn problems(manifest: &toml::Table) -> Vec<String> {
    let name = manifest.get("package").and_then(|p| p.get("name")).and_then(toml::Value::as_str).unwrap_or_default();
    let rank = |name: &str| ORDER.split(' ').position(|known| known == name);
    if name != TESTKIT && rank(name).is_none() {
        return vec![format!("crate {name} has no place in the order of crates (xtask/src/tidy/arrows.rs)")];
    }
    let names = |section: &str| {
        let section = manifest.get(section).and_then(toml::Value::as_table);
        section.into_iter().flat_map(toml::Table::keys).map(String::as_str).collect::<Vec<_>>()
    };
    let mut problems = Vec::new();
    for used in names("dependencies").into_iter().chain(names("build-dependencies")) {
        if used == TESTKIT {
            problems.push(format!("{TESTKIT} is for tests: it must be a dev-dependency"));
        }
        if let Some(&(_, home)) = HOMES.iter().find(|&&(outside, home)| outside == used && home != name) {
            problems.push(format!("{used} must be used in {home} only"));
        }
        if let Some(below) = rank(used) {
            let highest = if name == TESTKIT { rank("einsicht-train").map(|top| top + 1) } else { rank(name) };
            let is_beside = name == TESTKIT && used == "einsicht-explain"; // oracles explain nothing
            if highest.is_none_or(|highest| below >= highest) || TOPS.contains(&used) || is_beside {
                problems.push(format!("{name} must not depend on {used}: arrows point down only"));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    fn found(name: &str, dependencies: &str) -> usize {
        let text = format!("[package]\nname = \"{name}\"\n{dependencies}");
        check(&tree(&[("crates/x/Cargo.toml", &text)])).len()
    }

    #[test]
    fn arrows_point_down() {
        assert_eq!(found("einsicht-data", "[dependencies]\neinsicht-graph.workspace = true"), 0);
        assert_eq!(found("einsicht-graph", "[dependencies]\neinsicht-data.workspace = true"), 1);
        assert_eq!(found("einsicht-python", "[dependencies]\neinsicht-cli = \"1\""), 1);
        assert_eq!(found("einsicht-testkit", "[dependencies]\neinsicht-train = \"1\""), 0);
        assert_eq!(found("einsicht-testkit", "[dependencies]\neinsicht-explain = \"1\""), 1);
    }

    #[test]
    fn the_testkit_is_for_tests() {
        assert_eq!(found("einsicht-graph", "[dev-dependencies]\neinsicht-testkit = \"1\""), 0);
        assert_eq!(found("einsicht-graph", "[dependencies]\neinsicht-testkit = \"1\""), 1);
    }

    #[test]
    fn clap_and_pyo3_have_one_home() {
        assert_eq!(found("einsicht-cli", "[dependencies]\nclap = \"4\""), 0);
        assert_eq!(found("einsicht-train", "[dependencies]\nclap = \"4\"\npyo3 = \"0\""), 2);
    }

    #[test]
    fn a_crate_nobody_placed_is_found() {
        assert_eq!(found("einsicht-extra", ""), 1);
    }
}
