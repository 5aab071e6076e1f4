//! Tests, doc tests and wheel are made of the same compiled crates. Tests only.
//!
//! Cargo compiles a package once for all commands that want it with the same features, the same profile and the same place. The place is
//! the trap: what both a macro and a program depend on (`unicode-ident`, below macros and below xtask) is compiled in another way than what only macros
//! depend on, and then every macro, and every crate that uses one, is another one too. Doc tests without it compiled the whole workspace again.
//! Read from cargo's own graph of units, which is a feature of nightly cargo; nothing is compiled.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Where a unit is needed: below a macro or build script, below a program or library of the target, or both.
type Places = BTreeSet<&'static str>;

/// Package, kind of target, features and profile of a compiled library.
type Unit = (String, String, String, String);

/// What a cargo command would compile.
fn units(command: &[&str]) -> BTreeMap<Unit, Places> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut graph = Command::new(cargo);
    graph.args(command).args(["--locked", "--unit-graph", "-Zunstable-options"]).env("RUSTC_BOOTSTRAP", "1");
    let output = graph.current_dir(crate::root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&serde_json::from_slice(&output.stdout).unwrap())
}

/// The libraries and macros of a graph with their places.
fn read(graph: &Value) -> BTreeMap<Unit, Places> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let units = list(&graph["units"]);
    let mut places = vec![Places::new(); units.len()];
    let mut open: Vec<(usize, &str)> = list(&graph["roots"]).iter().map(|root| (index(root), "target")).collect();
    while let Some((at, above)) = open.pop() {
        let kind = units[at]["target"]["kind"][0].as_str().unwrap();
        let place = if matches!(kind, "proc-macro" | "custom-build") { "host" } else { above };
        if places[at].insert(place) {
            open.extend(list(&units[at]["dependencies"]).iter().map(|below| (index(&below["index"]), place)));
        }
    }
    let named = |(unit, places): (Value, Places)| {
        let mut profile = unit["profile"].clone();
        profile["name"] = Value::Null; // `dev` and `test` are one
        let text = |value: &Value| value.to_string();
        let key = (text(&unit["pkg_id"]), text(&unit["target"]["kind"]), text(&unit["features"]), text(&profile));
        (unit["mode"] == "build").then_some((key, places))
    };
    units.into_iter().zip(places).filter_map(named).collect()
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// Packages of `second` that `first` has compiled in another way, with the reason.
fn differences(first: &BTreeMap<Unit, Places>, second: &BTreeMap<Unit, Places>) -> Vec<String> {
    let packages: BTreeSet<&String> = first.keys().map(|unit| &unit.0).collect();
    let differs = |(unit, places): (&Unit, &Places)| match first.get(unit) {
        Some(other) if other == places => None,
        Some(other) => Some(format!("{}: needed by {other:?}, here by {places:?}", unit.0)),
        None if packages.contains(&unit.0) && !unit.1.contains("bin") => {
            Some(format!("{}: features {}", unit.0, unit.2))
        }
        None => None, // nothing that the first one compiles
    };
    second.iter().filter_map(differs).collect()
}

#[test]
fn doc_tests_and_wheel_are_made_of_what_the_tests_have_compiled() {
    let tests = units(&["test", "--workspace", "--tests"]);
    let doc_tests = units(&["test", "--workspace", "--doc"]);
    let wheel = units(&["rustc", "--profile", "dev", "--package", "einsicht-python", "--lib"]);
    assert!(tests.len() > 100 && doc_tests.len() > 50 && wheel.len() > 50);
    let advice = "all above these is compiled twice; list what is missing in the manifest of the testkit (doc tests) or of the wheel";
    assert_eq!(differences(&tests, &doc_tests), [""; 0], "doc tests: {advice}");
    assert_eq!(differences(&tests, &wheel), [""; 0], "wheel: {advice}");
}

#[test]
fn a_package_below_macros_alone_is_another_one() {
    let graph = |roots: &str| {
        let unit = |name: &str, kind: &str, below: &str| {
            format!(
                r#"{{"pkg_id": "{name}", "target": {{"kind": ["{kind}"]}}, "features": [], "profile": {{"name": "dev"}}, "mode": "build", "dependencies": [{below}]}}"#
            )
        };
        let units = [
            unit("ident", "lib", ""),
            unit("macro", "proc-macro", r#"{"index": 0}"#),
            unit("ours", "lib", r#"{"index": 1}"#),
            unit("tool", "bin", r#"{"index": 0}"#),
        ];
        read(&serde_json::from_str(&format!(r#"{{"units": [{}], "roots": [{roots}]}}"#, units.join(","))).unwrap())
    };
    let (all, alone) = (graph("2, 3"), graph("2"));
    let found = differences(&all, &alone);
    assert!(matches!(&found[..], [one, ..] if one.contains("ident") && one.contains("host")), "{found:?}");
    assert!(differences(&all, &all).is_empty());
}
