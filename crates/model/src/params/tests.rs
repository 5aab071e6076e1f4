use super::*;
use serde_json::{Map, json};

fn settings(json: Value) -> Result<TrainSettings, ParamError> {
    let Value::Object(map) = json else { panic!("an object") };
    TrainSettings::from_json(&map)
}

fn params(json: Value) -> Result<TrainParams, ParamError> {
    settings(json)?.params(0)
}

/// Values that no range allows, for each kind.
fn wrong(parameter: &Parameter) -> Vec<Value> {
    let mut wrong = vec![json!({}), json!("no such word"), json!(-1)];
    match parameter.row.range {
        Range::Whole(least, most) => {
            wrong.extend(least.checked_sub(1).map(Value::from));
            wrong.extend(most.checked_add(1).map(Value::from));
            wrong.push(json!(1.5));
        }
        Range::AutoOr(least, most) => wrong.extend([json!(least - 1), json!(most + 1), json!(1.5)]),
        Range::Support => wrong.extend([json!(0), json!(0.0), json!(1.5), json!("0%"), json!("101%"), json!("5")]),
        Range::Widths(len, least, most) => {
            wrong.extend([json!([least - 1]), json!([most + 1]), json!(vec![least; len + 1])]);
        }
        Range::AutoOrIncreasing => wrong.extend([json!([]), json!([2, 2]), json!([3, 1])]),
        Range::Positive => wrong.push(json!(0.0)),
        Range::NotNegative => wrong.push(json!(-1e-9)),
        Range::OpenUnit => wrong.extend([json!(0.0), json!(1.0)]),
        // Any word may name a property.
        Range::Qualifiers => wrong[1] = json!("a,,b"),
        Range::Any => {}
    }
    wrong
}

#[test]
fn every_default_is_in_its_range_and_every_preset_passes() {
    for preset in Preset::ALL {
        for parameter in PARAMETERS {
            let value = parameter.default(preset);
            assert!(parameter.row.range.allows(parameter.kind, &value), "{} of {}", parameter.name, preset.name());
        }
        // Where the path starts is read with penalty l1 only, which no preset has.
        let checked = TrainParams::preset(preset).check().unwrap();
        assert_eq!(*checked.get(), TrainParams { l1_start: L1Start::Zero, ..TrainParams::preset(preset) });
    }
}

#[test]
fn values_outside_their_range_are_refused_in_one_form() {
    for parameter in PARAMETERS {
        for value in wrong(parameter) {
            let error = settings(json!({ parameter.name: value })).unwrap_err();
            let message = format!("{} must be {}, got {}", parameter.name, parameter.allowed(), text_of(&value));
            assert_eq!(error.to_string(), message);
        }
    }
    let bad = TrainParams { max_step: f64::NAN, ..TrainParams::default() };
    assert_eq!(bad.check().unwrap_err().to_string(), "max_step must be a finite number above 0, got NaN");
}

/// Settings under which a parameter is read: its own needs, and what they need.
fn context(parameter: &Parameter, preset: Preset) -> Map<String, Value> {
    let mut settings = Map::from_iter([("preset".to_owned(), json!(preset.name()))]);
    let mut open = vec![parameter];
    while let Some(parameter) = open.pop() {
        for need in parameter.row.needs.iter().filter(|need| !need.holds(&TrainParams::preset(preset))) {
            let (name, value) = need.example();
            settings.insert(name.to_owned(), value);
            open.extend(Parameter::named(name));
        }
    }
    settings
}

#[test]
fn a_default_that_is_given_changes_nothing_for_any_preset() {
    let (mut same, mut refused) = (0, 0);
    for preset in Preset::ALL {
        for parameter in PARAMETERS {
            let mut given = context(parameter, preset);
            let without = TrainSettings::from_json(&given).unwrap().params(7).unwrap();
            let is_alone = given.len() == 1;
            let value = parameter.value(&without);
            given.insert(parameter.name.to_owned(), value.clone());
            let with = TrainSettings::from_json(&given).unwrap().params(7).unwrap();
            assert_eq!(with, without, "{} of {}", parameter.name, preset.name());
            assert_eq!(parameter.value(&with), value);
            assert_eq!(with.check(), without.check());
            same += 1;
            // Without its context nothing reads it, so it is refused with what it needs, even at its default.
            let is_off = parameter.row.off.is_some_and(|off| off == text_of(&value));
            if !is_alone && !is_off {
                let alone = json!({ "preset": preset.name(), parameter.name: value });
                let error = params(alone).unwrap_err().to_string();
                assert!(error.starts_with(&format!("{} needs ", parameter.name)), "{error}");
                refused += 1;
            }
        }
    }
    assert!(same == 4 * PARAMETERS.len() && refused > 40, "{same} {refused}");
}

#[test]
fn what_nothing_reads_is_refused_with_what_it_needs_and_a_preset_that_sets_it() {
    let error = params(json!({ "hidden": 3 })).unwrap_err();
    assert_eq!(
        error.message(Spelling::Option),
        "--hidden needs --set network=layers: without layers the model is linear, with one unit per output; --preset \
         ein sets it"
    );
    assert!(error.message(Spelling::Keyword).contains("hidden needs network=\"layers\""));
    assert!(error.message(Spelling::Keyword).ends_with("preset=\"ein\" sets it"));
    let error = params(json!({ "lambdas": 3 })).unwrap_err();
    assert_eq!(error.to_string(), "lambdas needs penalty l1: only penalty l1 has a path of lambda values");
    let error = params(json!({ "patience": 3 })).unwrap_err();
    assert!(error.to_string().starts_with("patience needs max_iterations of at least 2: "), "{error}");
    let error = params(json!({ "preset": "gin", "head": "blend" })).unwrap().check().unwrap_err();
    assert!(error.to_string().starts_with("gnn gin needs head network: "), "{error}");
}

#[test]
fn a_summary_that_no_head_reads_is_not_computed() {
    let checked = params(json!({ "head": "network" })).unwrap().check().unwrap();
    assert_eq!(checked.get().summary, Summary::None);
    assert!(!checked.get().deviations().iter().any(|(parameter, _)| parameter.name == "summary"));
}

#[test]
fn a_model_without_subgraphs_needs_something_to_read() {
    for (given, refused) in [
        (json!({ "sizes": [0, 2] }), false),
        (json!({ "sizes": [0, 2], "summary": "none" }), true),
        (json!({ "preset": "ein", "sizes": [0, 2] }), true),
        (json!({ "preset": "gin", "sizes": [0, 2] }), false),
    ] {
        assert_eq!(params(given).unwrap().check().is_err(), refused);
    }
}

#[test]
fn an_unknown_name_is_refused_with_a_similar_one() {
    assert_eq!(
        params(json!({ "max_edge": 3 })).unwrap_err().to_string(),
        "max_edge is not a parameter; did you mean max_edges?"
    );
    let far = params(json!({ "nonsense": 3 })).unwrap_err().to_string();
    assert_eq!(far, "nonsense is not a parameter; docs/parameters.md lists all");
    let preset = params(json!({ "preset": "papper" })).unwrap_err().to_string();
    assert_eq!(preset, "preset must be one of default, ein, gin, paper, got papper");
}

#[test]
fn deviations_lead_back_to_the_parameters_and_fit_one_line() {
    for given in [
        json!({}),
        json!({ "preset": "ein", "hidden": 10, "sizes": [1, 2] }),
        json!({ "preset": "paper", "gnn": "gin", "gnn_units": 4 }),
        json!({ "preset": "ein", "penalty": "l1", "network": "none" }),
        json!({ "head": "linear", "ridge": 0.5, "select": "accuracy" }),
    ] {
        // As in a model of two outputs.
        let params = params(given.clone()).unwrap().check().unwrap().get().clone().for_outputs(2);
        let found = TrainSettings::from_json(&params.settings()).unwrap().params(0).unwrap();
        assert_eq!(found.check().unwrap().get().clone().for_outputs(2), params, "{given}");
        let given = given.as_object().unwrap().len() - usize::from(given.get("preset").is_some());
        assert_eq!(params.deviations().len(), given);
    }
    let params = params(json!({ "preset": "ein", "hidden": 10 })).unwrap();
    assert_eq!(params.summary_line(), "preset ein: hidden 10 (default 6)");
    assert_eq!(TrainParams::paper().summary_line(), "preset paper: no deviations");
}

#[test]
fn every_parameter_is_in_the_header_of_a_model() {
    let header = serde_json::to_value(TrainParams::default()).unwrap();
    for parameter in PARAMETERS {
        let default = parameter.row.range.stored(&parameter.default(Preset::Default));
        assert_eq!(header.get(parameter.name), Some(&default), "{}", parameter.name);
    }
    assert_eq!(header["preset"], "default");
}

#[test]
fn every_parameter_is_described_in_a_line() {
    for parameter in PARAMETERS {
        let help = parameter.help();
        assert!(help.len() <= 110 && help.starts_with(char::is_uppercase), "{}: {help}", parameter.name);
    }
}

#[test]
fn auto_is_a_word_for_people_and_nothing_settled_for_the_trainer() {
    let auto = params(json!({ "sizes": "auto", "max_edges": "auto", "folds": "auto" })).unwrap();
    assert_eq!((&auto.sizes[..], auto.max_edges, auto.folds), (&[][..], 0, 0));
    let by_name = |name: &str| Parameter::named(name).unwrap().value(&auto);
    assert_eq!(["sizes", "max_edges", "folds"].map(by_name), [json!("auto"), json!("auto"), json!("auto")]);
    assert_eq!(params(json!({ "max_edges": 7 })).unwrap().max_edges, 7);
}

#[test]
fn many_subgraphs_grow_faster_and_have_a_larger_ridge_penalty() {
    let usual = TrainParams::default();
    assert_eq!([0, 99, 100, 250].map(|subgraphs| usual.growth_from(subgraphs)), [1, 1, 10, 10].map(Some));
    assert_eq!([1, 100, 150, 300].map(|subgraphs| usual.ridge_of(subgraphs)), [0.01, 0.01, 0.015, 0.03]);
    let faster = TrainParams { growth: 12, ..usual };
    assert_eq!([99, 100].map(|subgraphs| faster.growth_from(subgraphs)), [12, 12].map(Some));
    assert_eq!(TrainParams::ein().growth_from(100), None);
}
