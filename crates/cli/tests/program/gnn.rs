//! `--gnn gin` in every command that meets a model.

use super::{Program, text};
use serde_json::json;

/// Graphs whose class is told by an attribute: a path of three vertices each.
fn lines(attributes: bool) -> String {
    let targets = json!([{ "name": "y", "kind": "classes", "classes": ["no", "yes"] }]);
    let columns = if attributes { json!(1) } else { json!(null) };
    let mut lines = vec![json!({ "einsicht": 1, "attributes": columns, "targets": targets }).to_string()];
    for at in 0..40_u32 {
        let yes = at % 2 == 1;
        let told = if yes { 2.0 } else { -2.0 } + f64::from(at) / 40.0;
        let mut graph = json!({
            "vertices": ["a", "a", if at % 3 == 0 { "a" } else { "b" }],
            "edges": [[0, 1, ""], [1, 2, ""]],
            "targets": [if yes { "yes" } else { "no" }],
        });
        if attributes {
            graph["attributes"] = json!([[told], [0.0], [-told / 2.0]]);
        }
        lines.push(graph.to_string());
    }
    lines.join("\n") + "\n"
}

#[test]
fn a_graph_network_learns_what_subgraphs_cannot_see() {
    let program = Program::new();
    program.write("set.jsonl", &lines(true));
    let quick = "--sizes 0,1,2 --gnn-units 4 --gnn-rounds 1 --max-iterations 8 --learning-rate 0.05";
    let told = program.json(&format!("train set.jsonl -o m --gnn gin {quick} --json"));
    let path = told["path"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]["size"], &path[0]["patterns"]), (3, &json!(0), &json!(0)));
    let without = program.json("train set.jsonl -o plain --sizes 1,2 --json");
    let valid = |told: &serde_json::Value| told["path"][told["chosen"].as_u64().unwrap() as usize]["valid"].clone();
    assert!(valid(&told)["accuracy"].as_f64() > valid(&without)["accuracy"].as_f64());
    assert_eq!(program.json("evaluate m set.jsonl --part all --json")["accuracy"], 1.0);
    assert_eq!(program.json("predict m set.jsonl --json")["predictions"].as_array().unwrap().len(), 40);
    assert_eq!(program.json("verify m set.jsonl --json")["verified"], true);
    let shown = program.stdout("show m");
    assert!(shown.contains("a graph network of 1 round and 4 units beside the subgraphs"), "{shown}");

    program.write("bare.jsonl", &lines(false));
    for line in ["predict m bare.jsonl", "evaluate m bare.jsonl --part all"] {
        let refused = program.run(line).code(1);
        let said = text(&refused.get_output().stderr);
        assert!(said.contains("the model reads 1 attributes of each vertex, but the data set has 0"), "{said}");
    }
}
