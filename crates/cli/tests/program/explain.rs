//! `explain` and `report` as a user meets them.

use crate::Program;
use einsicht_testkit::shared::fixture;

/// A folder with a small model of MUTAG.
fn with_model() -> (Program, String) {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!("train {data} --max-edges 4 --sizes 1,3,8 -o model.einsicht -q"));
    (program, data)
}

#[test]
fn values_sum_to_the_output_whatever_the_method() {
    let (program, data) = with_model();
    for method in ["shapley", "shapley --baseline background", "shapley --output probability", "tree", "forest"] {
        let answer = program.json(&format!("explain model.einsicht {data} --size 8 --method {method} --json -q"));
        let graphs = answer["graphs"].as_array().unwrap();
        assert_eq!(graphs.len(), 188);
        let mut moved = 0;
        for graph in graphs {
            let sum: f64 = graph["values"].as_object().unwrap().values().map(|value| value.as_f64().unwrap()).sum();
            let gap = graph["output"].as_f64().unwrap() - graph["base"].as_f64().unwrap();
            assert!((sum - gap).abs() < 1e-9, "{method}: {graph}");
            moved += usize::from(gap != 0.0);
        }
        assert!(moved > 50, "{method}");
    }
    let places = program.json(&format!("explain model.einsicht {data} --graph 3 --places --json -q"));
    let graph = &places["graphs"][0];
    for (name, presence) in places["patterns"].as_array().unwrap().iter().zip(graph["counts"].as_array().unwrap()) {
        let found = graph["places"][name["name"].as_str().unwrap()].as_array().unwrap();
        // A count is a number of copies that the graph has at least: never more than the occurrences that are listed.
        assert_eq!(!found.is_empty(), presence.as_u64().unwrap() > 0);
        assert!(presence.as_u64().unwrap() as usize <= found.len());
        for occurrence in found {
            assert_eq!(occurrence["edges"].as_array().unwrap().len(), name["edges"].as_u64().unwrap() as usize);
            assert_eq!(
                occurrence["vertices"].as_array().unwrap().len(),
                name["pattern"]["vertices"].as_array().unwrap().len()
            );
        }
        assert!(name["words"].is_string() && name["text"].is_string());
    }
}

#[test]
fn text_output_shows_tables_trees_and_errors() {
    let (program, data) = with_model();
    let text = program.stdout(&format!("explain model.einsicht {data} --graph 17 -q"));
    assert!(text.contains("graph 17:") && text.contains("(baseline: absent)"), "{text}");
    assert!(
        program
            .stdout(&format!("explain model.einsicht {data} --method tree -q"))
            .contains("are reproduced by this tree")
    );
    assert!(
        program.stdout(&format!("explain model.einsicht {data} --method forest -q")).contains("forest of 500 trees")
    );
    program.stdout(&format!("explain model.einsicht {data} --csv values.csv -q"));
    let table = std::fs::read_to_string(program.folder().join("values.csv")).unwrap();
    assert_eq!(table.lines().count(), 189);
    let missing = program.run(&format!("explain model.einsicht {data} --graph nowhere")).code(2);
    assert!(
        String::from_utf8_lossy(&missing.get_output().stderr)
            .contains("--graph must name a graph of the data, got nowhere")
    );
}

#[test]
fn a_report_is_whole_or_the_old_one_stays() {
    let (program, data) = with_model();
    let printed = program.json(&format!("report model.einsicht {data} -o report.html --json -q"));
    let page = program.folder().join("report.html");
    assert_eq!(std::fs::metadata(&page).unwrap().len(), printed["bytes"].as_u64().unwrap());
    let first = std::fs::read(&page).unwrap();
    program.run("report model.einsicht nowhere -o report.html").code(1);
    assert_eq!(std::fs::read(&page).unwrap(), first);
    program.run(&format!("report model.einsicht {data} -o missing/report.html")).code(1);
}

#[test]
fn the_page_shows_validation_metrics_from_before_the_refit() {
    let (program, data) = with_model();
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    let page = std::fs::read_to_string(program.folder().join("report.html")).unwrap();
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    let printed: serde_json::Value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    let model = program.json("show model.einsicht --json");
    for (entry, stored) in printed["entries"].as_array().unwrap().iter().zip(model["entries"].as_array().unwrap()) {
        let valid = entry["metrics"].as_array().unwrap().iter().find(|part| part[0] == "valid").unwrap();
        assert_eq!(valid[1], stored["valid"]);
    }
}

#[test]
fn other_data_and_missing_targets_are_warned_about_and_explained_all_the_same() {
    let (program, _) = with_model();
    program.write("other.gspan", "t # 0\nv 0 77\nv 1 77\ne 0 1 1\n");
    let printed = program.run("report model.einsicht other.gspan -o other.html --json").success();
    let messages = String::from_utf8_lossy(&printed.get_output().stderr).into_owned();
    assert!(messages.contains("has never seen the vertex labels 77") && messages.contains("no target"), "{messages}");
    let answer = program.json("explain model.einsicht other.gspan --json -q");
    assert!(answer["graphs"][0]["values"].as_object().unwrap().values().all(|value| value.as_f64() == Some(0.0)));
    let text = program.stdout("explain model.einsicht other.gspan -q");
    assert!(text.contains("it contains none of the subgraphs"), "{text}");
}

#[test]
fn a_graph_network_is_one_more_feature_and_the_output_is_the_prediction() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!(
        "train {data} --max-edges 3 --sizes 0,3 --preset gin --max-iterations 3 -o model.einsicht -q"
    ));
    let answer = program.json(&format!("explain model.einsicht {data} --size 3 --json -q"));
    let predicted = program.json(&format!("predict model.einsicht {data} --size 3 --json -q"));
    let mut moved = 0;
    for (graph, prediction) in
        answer["graphs"].as_array().unwrap().iter().zip(predicted["predictions"].as_array().unwrap())
    {
        let output = graph["output"].as_f64().unwrap();
        let logit = |p: f64| (p / (1.0 - p)).ln();
        let printed = logit(prediction["probabilities"]["1"].as_f64().unwrap());
        assert!((output - printed).abs() < 1e-6, "{output} {printed}");
        let values = graph["values"].as_object().unwrap();
        let sum: f64 = values.values().map(|value| value.as_f64().unwrap()).sum();
        assert!((sum - (output - graph["base"].as_f64().unwrap())).abs() < 1e-9);
        moved += usize::from(values["(graph network)"].as_f64().unwrap().abs() > 1e-6);
    }
    assert!(moved > 100, "{moved}");
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
}

#[test]
fn the_page_has_the_probabilities_and_the_decisions_of_predict() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!(
        "train {data} --max-edges 3 --sizes 3 --seed 2 --threshold auto --calibrate -o model.einsicht -q"
    ));
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    let page = std::fs::read_to_string(program.folder().join("report.html")).unwrap();
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    let page: serde_json::Value = serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap();
    let entry = &page["entries"][0];
    let threshold = entry["thresholds"][0].as_f64().unwrap();
    assert!((threshold - 0.5).abs() > 1e-6, "a threshold that matters: {threshold}");
    let predicted = program.json(&format!("predict model.einsicht {data} --json -q"));
    for (at, one) in predicted["predictions"].as_array().unwrap().iter().enumerate() {
        let (shown, known) = (entry["predictions"][at].as_f64().unwrap(), one["probabilities"]["1"].as_f64().unwrap());
        assert!((shown - known).abs() <= 0.001 * known, "{shown} {known}");
        assert_eq!(known >= threshold, one["class"] == "1");
    }
    let training: Vec<(usize, &serde_json::Value)> =
        page["graphs"].as_array().unwrap().iter().enumerate().filter(|(_, graph)| graph["part"] == "train").collect();
    let right = training.iter().filter(|(at, graph)| {
        let class = u64::from(predicted["predictions"][*at]["class"] == "1");
        graph["truth"][0].as_u64() == Some(class)
    });
    let accuracy = right.count() as f64 / training.len() as f64;
    let shown = entry["metrics"].as_array().unwrap().iter().find(|part| part[0] == "train").unwrap();
    assert!((shown[1]["accuracy"].as_f64().unwrap() - accuracy).abs() < 1e-9, "{shown} {accuracy}");
}
