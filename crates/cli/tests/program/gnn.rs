//! `--preset gin` and `--set summary` in every command that uses a model: what is read of a graph besides its
//! subgraphs.

use super::{Program, text};
use serde_json::json;

/// Graphs whose class depends on an attribute: a path of three vertices each.
fn lines(attributes: bool) -> String {
    let targets = json!([{ "name": "y", "kind": "classes", "classes": ["no", "yes"] }]);
    let columns = if attributes { json!(1) } else { json!(null) };
    let mut lines = vec![json!({ "einsicht": 1, "attributes": columns, "targets": targets }).to_string()];
    for at in 0..40_u32 {
        let yes = at % 2 == 1;
        let printed = if yes { 2.0 } else { -2.0 } + f64::from(at) / 40.0;
        let mut graph = json!({
            "vertices": ["a", "a", if at % 3 == 0 { "a" } else { "b" }],
            "edges": [[0, 1, ""], [1, 2, ""]],
            "targets": [if yes { "yes" } else { "no" }],
        });
        if attributes {
            graph["attributes"] = json!([[printed], [0.0], [-printed / 2.0]]);
        }
        lines.push(graph.to_string());
    }
    lines.join("\n") + "\n"
}

#[test]
fn a_graph_network_learns_what_subgraphs_cannot_see() {
    let program = Program::new();
    program.write("set.jsonl", &lines(true));
    let quick = "--sizes 0,1,2 --set gnn_units=4 --set gnn_rounds=1 --set max_iterations=8 --set learning_rate=0.05";
    let printed = program.json(&format!("train set.jsonl -o m --preset gin {quick} --json"));
    let path = printed["path"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]["size"], &path[0]["patterns"]), (3, &json!(0), &json!(0)));
    let without = program.json("train set.jsonl -o plain --sizes 1,2 --set summary=none --json");
    let valid =
        |printed: &serde_json::Value| printed["path"][printed["chosen"].as_u64().unwrap() as usize]["valid"].clone();
    assert!(valid(&printed)["accuracy"].as_f64() > valid(&without)["accuracy"].as_f64());
    assert_eq!(program.json("evaluate m set.jsonl --part all --json")["seen"]["out_of_fold"]["accuracy"], 1.0);
    assert_eq!(program.json("predict m set.jsonl --json")["predictions"].as_array().unwrap().len(), 40);
    assert_eq!(program.json("verify m set.jsonl --json")["verified"], true);
    let shown = program.stdout("show m");
    assert!(shown.contains("plus a graph neural network of 1 round and 4 units"), "{shown}");

    program.write("bare.jsonl", &lines(false));
    for line in ["predict m bare.jsonl", "evaluate m bare.jsonl --part all"] {
        let refused = program.run(line).code(1);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains("the model reads 1 attributes of each vertex, but the data set has 0"), "{said}");
    }
}

#[test]
fn a_summary_of_attributes_is_read_where_there_are_some_and_is_one_player() {
    let program = Program::new();
    program.write("set.jsonl", &lines(true));
    program.write("bare.jsonl", &lines(false));
    let printed = program.json("train set.jsonl -o m --sizes 0,1,2 --json");
    assert_eq!((&printed["path"][0]["size"], &printed["path"][0]["patterns"]), (&json!(0), &json!(0)));
    assert_eq!(program.json("evaluate m set.jsonl --part all --json")["seen"]["out_of_fold"]["accuracy"], 1.0);
    assert_eq!(program.json("verify m set.jsonl --json")["verified"], true);
    let shown = program.stdout("show m");
    assert!(shown.contains("plus a summary of attributes"), "{shown}");
    // Who decides is said where the model is made, too.
    let said = program.stdout("train set.jsonl -o again --sizes 0,1,2 -q");
    for text in [&shown, &said] {
        assert!(text.contains("predictions come") && text.contains("from the summary"), "{text}");
    }
    let refused = program.run("predict m bare.jsonl").code(1);
    let said = text(&refused.get_output().stderr);
    assert!(said.contains("the model reads 1 attributes of each vertex, but the data set has 0"), "{said}");

    let answer = program.json("explain m set.jsonl --at-size 2 --json -q");
    let mut moved = 0;
    for graph in answer["graphs"].as_array().unwrap() {
        let values = graph["values"].as_object().unwrap();
        let sum: f64 = values.values().map(|value| value.as_f64().unwrap()).sum();
        let (output, base) = (graph["output"].as_f64().unwrap(), graph["base"].as_f64().unwrap());
        assert!((sum - (output - base)).abs() < 1e-9, "{graph}");
        moved += usize::from(values["(summary of attributes)"].as_f64().unwrap().abs() > 0.1);
    }
    assert!(moved > 30, "{moved}");
    program.stdout("report m set.jsonl -o report.html -q");

    let shown = program.stdout("train bare.jsonl -o b --sizes 1 -q") + &program.stdout("show b");
    assert!(!shown.contains("summary"), "{shown}");
    let refused = program.run("train bare.jsonl -o b --sizes 0,1").code(1);
    let said = text(&refused.get_output().stderr);
    assert!(said.contains("but the vertices have no attributes"), "{said}");
}
