//! Effects and shares, `--target`, LIME, members and the width of screens, as a user meets them.

use crate::Program;
use einsicht_testkit::shared::fixture;
use serde_json::Value;

/// Small molecules with two targets that depend on different groups, and one number.
fn molecules(program: &Program) {
    let mut text = "smiles,has_oxygen,has_nitrogen_with_a_name_too_long_for_a_narrow_column,size\n".to_owned();
    for length in 1..=10 {
        for (end, [oxygen, nitrogen]) in [("O", [1, 0]), ("N", [0, 1]), ("C", [0, 0]), ("ON", [1, 1])] {
            text += &format!("{}{end},{oxygen},{nitrogen},{}.5\n", "C".repeat(length), length + end.len());
        }
    }
    program.write("molecules.csv", &text);
}

fn two_targets() -> Program {
    let program = Program::new();
    molecules(&program);
    program.stdout(
        "train molecules.csv --target has_oxygen --target has_nitrogen_with_a_name_too_long_for_a_narrow_column \
         --max-edges 2 --sizes 4 -o m.einsicht -q",
    );
    program
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn effects_have_a_sign_and_are_the_same_in_show_explain_and_page() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!("train {data} --max-edges 4 --sizes 8 -o model.einsicht -q"));
    let shown = program.json(&format!("show model.einsicht --data {data} --json"))["effects"].clone();
    assert_eq!(shown["outputs"][0], "probability of label = 1");
    assert_eq!(shown["graphs"], "training");
    let effects: Vec<f64> =
        shown["patterns"].as_array().unwrap().iter().map(|pattern| pattern["effects"][0].as_f64().unwrap()).collect();
    assert!(effects.iter().any(|effect| *effect < 0.0) && effects.iter().any(|effect| *effect > 0.0), "{effects:?}");
    assert!(shown["patterns"][0]["selection_weight_norm"].as_f64().unwrap() > 0.0);

    let explained = program.json(&format!("explain model.einsicht {data} --json -q"));
    assert_eq!(explained["effects"], shown);

    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    let page = std::fs::read_to_string(program.folder().join("report.html")).unwrap();
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    let page: Value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    for (at, effect) in effects.iter().enumerate() {
        let on_page = page["entries"][0]["effects"][at][0].as_f64().unwrap();
        assert!((on_page - effect).abs() <= 0.001 * effect.abs() + 1e-6, "{on_page} {effect}");
    }
    assert!(page["entries"][0].get("weights").is_none());

    // People see effects with their signs, and no weight of the selection; the strongest comes first.
    let text = program.stdout(&format!("show model.einsicht --data {data}"));
    let strongest = effects.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
    let first = text.lines().skip_while(|line| !line.starts_with("subgraph")).nth(1).unwrap();
    let named = text.lines().skip_while(|line| !line.starts_with("by ")).nth(1).unwrap();
    assert!(named.trim_start().starts_with(&format!("{strongest:+.3} ")), "{text}");
    assert!(first.contains(&format!("{strongest:+.3}")) && !text.contains("weight"), "{text}");
    // The file holds those of the chosen size; only the commands to try next name the data.
    let without = program.stdout("show model.einsicht");
    assert_eq!(without.replace(" DATA", &format!(" {data}")), text);
}

#[test]
fn effects_are_the_mean_attributions_of_training_graphs_with_the_subgraph_minus_those_without_it() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!("train {data} --max-edges 3 --sizes 4 -o model.einsicht -q"));
    let model = program.json("show model.einsicht --json");
    let explained = program.json(&format!("explain model.einsicht {data} --json -q"));
    let training: Vec<usize> =
        model["rows"]["train"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap() as usize).collect();
    let mut compared = 0;
    for (at, pattern) in explained["effects"]["patterns"].as_array().unwrap().iter().enumerate() {
        let of = |is_present: bool| -> Vec<f64> {
            training
                .iter()
                .map(|&row| &explained["graphs"][row])
                .filter(|graph| (graph["counts"][at].as_u64().unwrap() > 0) == is_present)
                .map(|graph| graph["values"][explained["patterns"][at]["name"].as_str().unwrap()].as_f64().unwrap())
                .collect()
        };
        let (with, without) = (of(true), of(false));
        // A subgraph that nearly all graphs have is compared by its counts.
        if pattern["by_amount"] == true || without.is_empty() {
            continue;
        }
        compared += 1;
        let mean = with.iter().sum::<f64>() / with.len() as f64 - without.iter().sum::<f64>() / without.len() as f64;
        assert!((pattern["effects"][0].as_f64().unwrap() - mean).abs() < 1e-9, "{pattern}");
        assert_eq!(pattern["graphs"].as_u64().unwrap() as usize, with.len());
        let [low, high] = numbers(&pattern["intervals"][0])[..] else { panic!("{pattern}") };
        assert!(low <= mean && mean <= high);
    }
    assert!(compared > 1, "{compared}");
}

#[test]
fn a_summary_that_decides_is_said_to() {
    let program = Program::new();
    let mut text = "{\"einsicht\":1,\"attributes\":1,\"targets\":[{\"name\":\"y\",\"kind\":\"classes\"}]}\n".to_owned();
    for graph in 0..60 {
        // The class is the attribute; the edges say nothing.
        let (value, class) = (graph % 2 * 4 + graph % 3, graph % 2);
        text += &format!(
            "{{\"vertices\":[\"a\",\"b\",\"a\"],\"edges\":[[0,1],[1,2]],\
             \"attributes\":[[{value}],[{value}],[{value}]],\"targets\":[\"{class}\"]}}\n"
        );
    }
    program.write("data.jsonl", &text);
    program.stdout("train data.jsonl --max-edges 2 --sizes 1 -o m.einsicht -q");
    let shares = program.json("show m.einsicht --data data.jsonl --json")["effects"]["shares"].clone();
    assert_eq!(shares[1]["name"], "summary of attributes", "{shares}");
    assert!(shares[1]["mean"].as_f64().unwrap() > 0.9, "{shares}");
    let sum: f64 = shares.as_array().unwrap().iter().map(|share| share["mean"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    for line in ["show m.einsicht --data data.jsonl", "explain m.einsicht data.jsonl -q"] {
        let text = program.stdout(line).replace('\n', " ");
        assert!(text.contains("% from the summary of attributes"), "{text}");
    }
}

#[test]
fn the_named_target_is_explained_everywhere() {
    let program = two_targets();
    let second = "has_nitrogen_with_a_name_too_long_for_a_narrow_column";
    let text = program.stdout(&format!("explain m.einsicht molecules.csv --target {second} --graph 1 -q"));
    assert!(text.contains(&format!("probability of {second} = 1")) && !text.contains("has_oxygen"), "{text}");
    let by_default = program.stdout("explain m.einsicht molecules.csv --graph 1 -q");
    assert!(by_default.contains("target has_oxygen, the first of 2; --target explains others"), "{by_default}");

    // What the effects are on is said as their names say it, and figures of both are means.
    let table = program.stdout("show m.einsicht").replace('\n', " ");
    assert!(table.contains("mean change of the probability of class 1 of each target"), "{table}");
    assert!(table.contains("means over 2 targets, from "), "{table}");

    // The numbers are those of the second target among all.
    let whole = program.json("explain m.einsicht molecules.csv --graph 1 --json -q");
    let picked = program.json(&format!("explain m.einsicht molecules.csv --graph 1 --target {second} --json -q"));
    assert_eq!(picked["quantities"], serde_json::json!([format!("probability of {second} = 1")]));
    assert_eq!(picked["graphs"][0]["values"], whole["graphs"][0]["all"][1]["values"]);
    assert_ne!(picked["graphs"][0]["values"], whole["graphs"][0]["values"]);
    for method in ["tree", "forest"] {
        let text = program.stdout(&format!("explain m.einsicht molecules.csv --target {second} --method {method} -q"));
        assert!(text.contains(&format!("\n\n{second}: ")) && !text.contains("has_oxygen"), "{text}");
    }
    let shown = program.json(&format!("show m.einsicht --data molecules.csv --target {second} --json"));
    assert_eq!(shown["effects"]["outputs"], serde_json::json!([format!("probability of {second} = 1")]));

    program.stdout(&format!("report m.einsicht molecules.csv --target {second} -o r.html -q"));
    let page = std::fs::read_to_string(program.folder().join("r.html")).unwrap();
    assert!(
        page.contains(&format!("\"quantities\":[{{\"task\":1,\"class\":1,\"name\":\"probability of {second} = 1\"}}]"))
    );

    for line in ["show m.einsicht --target x", "explain m.einsicht molecules.csv --target x"] {
        let wrong = program.run(line).code(2);
        let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
        assert!(said.contains("--target must be a target of the model (has_oxygen, "), "{said}");
    }
}

#[test]
fn a_local_model_adds_up_with_what_it_does_not_explain() {
    let program = two_targets();
    let answer = program.json("explain m.einsicht molecules.csv --method lime --json -q");
    for graph in answer["graphs"].as_array().unwrap() {
        let number = |name: &str| graph[name].as_f64().unwrap();
        let sum: f64 = graph["values"].as_object().unwrap().values().map(|value| value.as_f64().unwrap()).sum();
        assert!((number("intercept") + sum - number("local_prediction")).abs() < 1e-9);
        assert!((number("local_prediction") + number("residual") - number("output")).abs() < 1e-9);
    }
    let text = program.stdout("explain m.einsicht molecules.csv --method lime --graph 1 -q");
    let last = |line: &str| line.split_whitespace().last().unwrap().parse::<f64>().unwrap();
    let of = |words: &str| last(text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{text}")));
    let sum = of("= prediction of the local model") + of("not explained by the local model");
    assert!((sum - of("= output of the model")).abs() < 0.002, "{text}");
    assert!(text.contains("intercept of the local model") && !text.contains("= base"), "{text}");
}

#[test]
fn bootstrap_intervals_are_shown_to_people_too() {
    let program = Program::new();
    molecules(&program);
    program.stdout("train molecules.csv --target size --max-edges 2 --sizes 3 --bootstrap 3 -o m.einsicht -q");
    let text = program.stdout("explain m.einsicht molecules.csv --graph 1 -q");
    assert!(text.contains(" ± ") && text.contains("over 3 resamples"), "{text}");
    let spread =
        &program.json("explain m.einsicht molecules.csv --graph 1 --json -q")["graphs"][0]["bootstrap"]["size"];
    let predicted = program.json("predict m.einsicht molecules.csv --json -q");
    let known = &predicted["predictions"][1]["bootstrap"];
    assert!((spread["mean"].as_f64().unwrap() - known["mean"].as_f64().unwrap()).abs() < 1e-12, "{spread} {known}");
    let deviation = known["spread"].as_f64().unwrap();
    assert!((spread["standard_deviation"].as_f64().unwrap() - deviation).abs() < 1e-12);
    // The tables have it, too.
    program.stdout("predict m.einsicht molecules.csv -o p.csv -q");
    let table = std::fs::read_to_string(program.folder().join("p.csv")).unwrap();
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = rows.next().unwrap().iter().position(|name| *name == "spread size").unwrap();
    assert_eq!(rows.nth(1).unwrap()[at], format!("{deviation:.6}"));
    let shown = program.stdout("predict m.einsicht molecules.csv -q");
    assert!(shown.contains("spread size") && shown.contains(&format!("{deviation:.4}")), "{shown}");
}

#[test]
fn counts_are_never_shown_as_logarithms() {
    let program = Program::new();
    molecules(&program);
    program.stdout("train molecules.csv --target size --max-edges 1 --sizes 3 --feature count -o m.einsicht -q");
    let answer = program.json("explain m.einsicht molecules.csv --method tree --json -q");
    let root = &answer["trees"][0]["tree"];
    let count = root["count"].as_u64().unwrap();
    assert!(count > 1 && root["question"] == format!("at least {count} copies?"), "{root}");
    assert!(root["yes"].is_object() && root["no"].is_object());
    let counts = answer["graphs"].as_array().unwrap().iter().flat_map(|graph| graph["counts"].as_array().unwrap());
    assert!(counts.clone().all(Value::is_u64) && counts.map(|count| count.as_u64().unwrap()).max() > Some(3));
    let text = program.stdout("explain m.einsicht molecules.csv --graph 36 -q");
    assert!(text.contains(", at least ") && text.contains(" copies"), "{text}");
}

#[test]
fn colours_come_only_where_they_are_shown_and_move_nothing() {
    let program = two_targets();
    for line in
        ["show m.einsicht", "explain m.einsicht molecules.csv -q --graph 1", "evaluate m.einsicht molecules.csv -q"]
    {
        let of = |variables: &[(&str, &str)]| {
            String::from_utf8_lossy(&program.run_with(variables, line).success().get_output().stdout).into_owned()
        };
        let (plain, coloured) = (of(&[]), of(&[("CLICOLOR_FORCE", "1")]));
        assert!(
            !plain.contains('\x1b') && plain.starts_with("predicts  ") && plain.contains("\nnext      "),
            "{plain}"
        );
        assert!(coloured.starts_with("\x1b[1mpredicts\x1b[0m  "), "{coloured}");
        let mut without = coloured.clone();
        for code in ["0", "1", "31", "33", "34"] {
            without = without.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(without, plain);
    }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    let program = two_targets();
    for width in ["70", "80", "200"] {
        for line in [
            "show m.einsicht --data molecules.csv",
            "show m.einsicht --data molecules.csv --target has_oxygen",
            "show m.einsicht",
            "explain m.einsicht molecules.csv -q",
            "explain m.einsicht molecules.csv -q --graph 1",
            "evaluate m.einsicht molecules.csv -q",
        ] {
            let shown = program.run_with(&[("COLUMNS", width)], line).success();
            let text = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
            let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
            assert!(widest.chars().count() <= width.parse().unwrap(), "{line} at {width}:\n{widest}");
        }
    }
    // Where the columns of the targets do not fit, the strongest effects are named.
    let narrow = program.run_with(&[("COLUMNS", "70")], "show m.einsicht --data molecules.csv").success();
    let narrow = String::from_utf8_lossy(&narrow.get_output().stdout).into_owned();
    assert!(narrow.contains("strongest 2 of 2"), "{narrow}");
    let wide = program.run_with(&[("COLUMNS", "200")], "show m.einsicht --data molecules.csv").success();
    let wide = String::from_utf8_lossy(&wide.get_output().stdout).into_owned();
    assert!(
        wide.lines().any(|line| line.starts_with("subgraph")
            && line.ends_with("has_nitrogen_with_a_name_too_long_for_a_narrow_column")),
        "{wide}"
    );
}
