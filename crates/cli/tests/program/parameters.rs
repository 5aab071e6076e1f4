//! The table of parameters through the program: a default that is given changes no byte, and no parameter is missing.

use super::Program;
use einsicht::model::params::{Given, PARAMETERS, Parameter, Preset, TrainParams, TrainSettings, text_of};
use einsicht_testkit::cases;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Chains of two letters; class 1 has an edge between two `b`. Small enough for hundreds of trainings.
fn data() -> String {
    let chain = |at: usize| {
        let letters: Vec<&str> = (0..4).map(|bit| if at >> bit & 1 == 1 { "b" } else { "a" }).collect();
        let class = usize::from(letters.windows(2).any(|pair| pair == ["b", "b"]));
        let vertices: String = letters.iter().enumerate().map(|(v, letter)| format!("v {v} {letter}\n")).collect();
        format!("t # {at} {class}\n{vertices}e 0 1 0\ne 1 2 0\ne 2 3 0\n")
    };
    (0..16).map(chain).collect()
}

/// Settings under which a parameter is read, beside the preset.
fn context(parameter: &'static Parameter, preset: Preset) -> Map<String, Value> {
    let mut settings = Map::new();
    let mut open = vec![parameter];
    while let Some(parameter) = open.pop() {
        for need in parameter.row.needs.iter().filter(|need| !need.holds(&TrainParams::preset(preset))) {
            let (name, value) = need.example();
            settings.insert(name.to_owned(), value);
            open.extend(Parameter::named(name));
        }
    }
    let linear = settings.get("network").is_some_and(|network| network == "none");
    if (settings.contains_key("head") || linear) && preset == Preset::Gin {
        settings.insert("gnn".to_owned(), "none".into());
        settings.insert("sizes".to_owned(), serde_json::json!([1, 2])); // size 0 is the graph network alone
    }
    // Quick trainings; what is tested keeps its default.
    let mut quick = vec![("max_iterations", 3), ("network_steps", 2), ("lambdas", 3)];
    quick.retain(|(name, _)| *name != parameter.name && !settings.contains_key(*name));
    quick.retain(|(name, _)| *name != "lambdas" || settings.contains_key("penalty"));
    let has_layers = preset != Preset::Default && !settings.contains_key("network");
    quick.retain(|(name, _)| *name != "network_steps" || has_layers);
    quick.retain(|(name, _)| *name != "max_iterations" || preset != Preset::Default);
    settings.extend(quick.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
    settings
}

fn words(name: &str, value: &Value) -> String {
    match Parameter::named(name).map(|parameter| parameter.row.given) {
        Some(Given::Set) => format!("--set {name}={}", text_of(value)),
        _ => format!("--{} {}", name.replace('_', "-"), text_of(value)),
    }
}

/// All parameters of a context are given at once; one at a time (`EINSICHT_THOROUGH`, or once they make a difference)
/// says which it is.
#[test]
fn giving_a_parameter_at_its_default_changes_no_byte() {
    let program = Program::new();
    program.write("d.gspan", &data());
    let train = |options: &str| {
        program.run(&format!("train d.gspan --task classify -o m --threads 1 -q {options}")).success();
        std::fs::read(program.folder().join("m")).unwrap()
    };
    let mut by_context: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for preset in Preset::ALL {
        for parameter in PARAMETERS.iter().filter(|parameter| parameter.is_of_training()) {
            let context = context(parameter, preset);
            let mut settings = context.clone();
            settings.insert("preset".to_owned(), preset.name().into());
            let params = TrainSettings::from_json(&settings).unwrap().params(0).unwrap();
            let given: Vec<String> = context.iter().map(|(name, value)| words(name, value)).collect();
            let base = format!("--preset {} {}", preset.name(), given.join(" "));
            if !context.contains_key(parameter.name) {
                let default = words(parameter.name, &parameter.value(&params));
                by_context.entry(base).or_default().push(default);
            }
        }
    }
    for (base, defaults) in &by_context {
        let without = train(base);
        let is_equal = train(&format!("{base} {}", defaults.join(" "))) == without;
        if !is_equal || cases(0, 1) == 1 {
            for default in defaults {
                assert!(train(&format!("{base} {default}")) == without, "{base} and {default}");
            }
        }
        assert!(is_equal, "{base} and {defaults:?} together");
    }
    let compared: usize = by_context.values().map(Vec::len).sum();
    assert!(
        compared >= 4 * (PARAMETERS.len() - 2) && by_context.len() < compared / 3,
        "{compared} in {}",
        by_context.len()
    );
}

#[test]
fn what_people_change_has_an_option_with_its_help_and_everything_else_is_listed() {
    let program = Program::new();
    for command in ["train", "experiment", "stability"] {
        let help: String =
            program.stdout(&format!("{command} --help")).split_whitespace().collect::<Vec<_>>().join(" ");
        for parameter in PARAMETERS {
            match parameter.row.given {
                Given::Set => assert!(help.contains(parameter.name), "{}", parameter.name),
                Given::Option if command == "experiment" && parameter.name == "folds" => {
                    assert!(help.contains("--inner-folds"));
                }
                Given::Option | Given::Shared => {
                    let option = format!("--{} ", parameter.name.replace('_', "-"));
                    assert!(help.contains(&option), "{}", parameter.name);
                }
            }
            assert_eq!(help.contains(parameter.help()), parameter.row.given == Given::Option, "{}", parameter.name);
        }
    }
}

/// What is on the page of a command, without what all commands share.
#[test]
fn a_training_has_few_options_of_its_own() {
    let program = Program::new();
    let all = |page: String| -> BTreeSet<String> {
        let words =
            page.lines().filter_map(|line| line.trim_start().split([' ', '=', '[']).find(|w| w.starts_with("--")));
        words.map(|word| word.trim_end_matches([',', '.']).to_owned()).collect()
    };
    let shared = all(program.stdout("mine -h"));
    let own: Vec<String> = all(program.stdout("train -h")).difference(&shared).cloned().collect();
    assert!(own.len() <= 25, "{} options: {own:?}", own.len());
}

#[test]
fn a_setting_must_have_a_name_a_value_and_stand_once() {
    let program = Program::new();
    program.write("d.gspan", &data());
    for (words, message) in [
        ("--set patience", "a parameter must have a value, as in patience=10, but there is only \"patience\""),
        ("--set folds=2 --folds 3", "folds must be given once, but is given twice"),
        ("--set patienc=3", "--set patienc is not a parameter; did you mean --set patience?"),
        ("--set max-iterations=0", "--set max_iterations must be a whole number from 1, got 0"),
    ] {
        let refused = program.run(&format!("train d.gspan -o m {words}")).code(2);
        let printed = super::text(&refused.get_output().stderr);
        assert!(printed.contains(message), "{words}: {printed}");
    }
}
