//! Every dependency has a reason, and no crate has unsafe code.
//!
//! `docs/dependencies.md` lists what the manifests and the Python requirements name, and nothing else. Every crate of
//! the workspace inherits its lints, which forbid unsafe code.

use super::{Finding, Source};
use std::collections::BTreeMap;

const LIST: &str = "docs/dependencies.md";

pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |path: &str, line: usize, what: String| findings.push(Finding { path: path.to_owned(), line, what });
    let listed = listed(sources);
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for source in sources {
        let text = &source.text;
        if source.path.ends_with("Cargo.toml") {
            let Ok(manifest) = text.parse::<toml::Table>() else { continue };
            let is_workspace = manifest.contains_key("workspace");
            if !is_workspace && manifest.get("lints").and_then(|lints| lints.get("workspace")).is_none() {
                let what = "a crate must inherit the lints of the workspace, which forbid unsafe code";
                find(&source.path, 0, what.to_owned());
            }
            let shared = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
            let tables = [shared, manifest.get("dependencies")].into_iter().flatten().filter_map(toml::Value::as_table);
            used.extend(tables.flat_map(toml::Table::keys).map(|name| (name.clone(), source.path.clone())));
        }
        let file = source.path.rsplit('/').next().unwrap_or_default();
        if file.starts_with("requirements") {
            let names = text.lines().filter_map(|line| line.split(['=', '<', '>', '[', ' ']).next());
            used.extend(names.filter(|name| !name.is_empty()).map(|name| (name.to_owned(), source.path.clone())));
        }
        if source.path == "Cargo.toml" && !text.contains("unsafe_code = \"forbid\"") {
            find(&source.path, 0, "the workspace must forbid unsafe code".into());
        }
    }
    used.retain(|name, _| !name.starts_with("einsicht") && name != "xtask");
    for (name, path) in &used {
        if !listed.contains_key(name.as_str()) {
            find(path, 0, format!("{name} must stand in {LIST} with the reason why it is worth having"));
        }
    }
    for (name, line) in listed.iter().filter(|(name, _)| !used.contains_key(**name)) {
        find(LIST, *line, format!("{name} is not a dependency any more"));
    }
    findings
}

/// Names in the tables of the list that have a reason, with their lines.
fn listed(sources: &[Source]) -> BTreeMap<&str, usize> {
    let list = sources.iter().find(|source| source.path == LIST);
    let lines = list.into_iter().flat_map(|list| list.text.lines().enumerate());
    lines
        .filter_map(|(at, line)| {
            let (name, reason) = line.strip_prefix("| `")?.split_once("` |")?;
            (!reason.trim_matches([' ', '|']).is_empty()).then_some((name, at + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::places;
    use super::*;
    use crate::source::tree;

    const ROOT: &str =
        "[workspace]\n[workspace.dependencies]\nlibm = \"0.2\"\n[workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
    const CRATE: &str = "[package]\nname = \"a\"\n[dependencies]\nlibm.workspace = true\n[lints]\nworkspace = true\n";

    #[test]
    fn a_dependency_without_a_reason_and_a_reason_without_a_dependency_are_found() {
        let with = |list: &str, more: &str| {
            let manifests = [("Cargo.toml", ROOT), ("crates/a/Cargo.toml", CRATE)];
            check(&tree(&[manifests[0], manifests[1], (LIST, list), ("python/tests/requirements.txt", more)]))
        };
        assert!(with("| `libm` | exact |\n", "").is_empty());
        assert_eq!(places(&with("| `libm` | |\n", "")), [("crates/a/Cargo.toml", 0)]);
        assert_eq!(places(&with("| `libm` | exact |\n| `gone` | once |\n", "")), [(LIST, 2)]);
        assert_eq!(places(&with("| `libm` | exact |\n", "numpy==2.0\n")), [("python/tests/requirements.txt", 0)]);
    }

    #[test]
    fn a_crate_that_allows_unsafe_code_is_found() {
        let list = (LIST, "| `libm` | exact |\n");
        let loose = CRATE.replace("[lints]\nworkspace = true\n", "");
        let found = check(&tree(&[("Cargo.toml", ROOT), ("crates/a/Cargo.toml", &loose), list]));
        assert_eq!(places(&found), [("crates/a/Cargo.toml", 0)]);
        let weak = ROOT.replace("forbid", "warn");
        let found = check(&tree(&[("Cargo.toml", &weak), ("crates/a/Cargo.toml", CRATE), list]));
        assert_eq!(places(&found), [("Cargo.toml", 0)]);
    }
}
