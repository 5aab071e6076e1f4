//! `explain` and `report` as a user meets them.

use crate::Program;
use einsicht_testkit::shared::fixture;
use std::collections::BTreeSet;

/// A folder with a small model of MUTAG.
fn with_model() -> (Program, String) {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.trained_once(&format!("train {data} --max-edges 4 --sizes 1,3,8 -q"), "model.einsicht");
    (program, data)
}

#[test]
fn values_sum_to_the_output_whatever_the_method() {
    let (program, data) = with_model();
    for method in ["shapley", "shapley --baseline absent", "shapley --output logit", "tree", "forest"] {
        let answer = program.json(&format!("explain model.einsicht {data} --at-size 8 --method {method} --json -q"));
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
    // Where the head has trees, the probability is exact at any number of subgraphs: nothing was sampled, whatever the
    // limit says.
    let exact = program.json(&format!("explain model.einsicht {data} --at-size 8 --exact-up-to 1 --json -q"));
    assert!(exact["quantities"][0].as_str().unwrap().starts_with("probability of "), "{}", exact["quantities"]);
    assert!(exact["graphs"].as_array().unwrap().iter().all(|graph| graph.get("errors").is_none()));
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
    // What is present is on the vertices, what is absent is not.
    let sum: f64 = graph["vertex_weights"].as_array().unwrap().iter().map(|weight| weight.as_f64().unwrap()).sum();
    let of = |(name, count): (&serde_json::Value, &serde_json::Value)| {
        if count == 0 { 0.0 } else { graph["values"][name["name"].as_str().unwrap()].as_f64().unwrap() }
    };
    let present: f64 =
        places["patterns"].as_array().unwrap().iter().zip(graph["counts"].as_array().unwrap()).map(of).sum();
    assert!((sum - present).abs() < 1e-9, "{sum} {present}");
}

#[test]
fn vertices_have_the_value_of_the_matches_or_of_the_class_if_that_is_asked_for() {
    let program = Program::new();
    let ends = ["C(=O)N", "O", "N"];
    let table: String = (0..30).map(|at| format!("{}{},{}\n", "C".repeat(1 + at / 3), ends[at % 3], at % 3)).collect();
    program.write("amides.csv", &format!("smiles,y\n{}", table.replace(",2\n", ",1\n")));
    program.stdout("train amides.csv --max-edges 3 --sizes 1 --qualifiers none -o model.einsicht -q");
    let weights = |option: &str| {
        let answer = program.json(&format!("explain model.einsicht amides.csv {option} --json -q"));
        let name = answer["patterns"][0]["name"].as_str().unwrap().to_owned();
        let graphs = answer["graphs"].as_array().unwrap().clone();
        graphs.into_iter().map(|graph| (graph["vertex_weights"].clone(), graph["places"][&name].clone())).collect()
    };
    let with_value = |list: &serde_json::Value| {
        let all = list.as_array().unwrap().iter().enumerate();
        all.filter(|(_, weight)| weight.as_f64().unwrap() != 0.0).map(|(at, _)| at as u64).collect::<BTreeSet<u64>>()
    };
    let own: Vec<(serde_json::Value, serde_json::Value)> = weights("--places");
    let of_class: Vec<(serde_json::Value, serde_json::Value)> = weights("--places=class");
    let mut larger = 0;
    for ((own, places), (of_class, _)) in own.iter().zip(&of_class) {
        let vertices = |place: &serde_json::Value| place["vertices"].as_array().unwrap().clone();
        let matched: BTreeSet<u64> =
            places.as_array().unwrap().iter().flat_map(vertices).map(|vertex| vertex.as_u64().unwrap()).collect();
        assert_eq!(with_value(own), matched);
        assert!(matched.is_subset(&with_value(of_class)));
        larger += usize::from(matched.len() < with_value(of_class).len());
    }
    assert!(larger > 0);
}

#[test]
fn text_output_shows_tables_trees_and_errors() {
    let (program, data) = with_model();
    let text = program.stdout(&format!("explain model.einsicht {data} --graph 17 -q"));
    assert!(text.contains("graph 17:") && text.replace('\n', " ").contains("(baseline: background); exact"), "{text}");
    let text = program
        .stdout(&format!("explain model.einsicht {data} --graph 17 --output logit --at-size 8 --exact-up-to 1 -q"));
    assert!(text.replace('\n', " ").contains("; sampled, with standard errors") && text.contains("± "), "{text}");
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
fn a_surrogate_is_that_of_all_graphs_and_a_named_graph_has_its_way_through_it() {
    let (program, data) = with_model();
    let tree = program.stdout(&format!("explain model.einsicht {data} --method tree -q"));
    let named = program.stdout(&format!("explain model.einsicht {data} --method tree --graph 17 -q"));
    let (before, way) = named.split_once("the tree describes all 188 graphs").unwrap();
    assert!(tree.contains(before.trim_end()), "{named}");
    // Its way: answers that stand in the tree, and what the leaf says, which is what the file says.
    let (answers, said) = way.split_once("  -> ").unwrap();
    let answers: Vec<&str> = answers.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(!answers.is_empty() && answers.iter().all(|answer| before.contains(answer)), "{named}");
    let known = program.json(&format!("explain model.einsicht {data} --method tree --graph 17 --json -q"));
    let share = known["graphs"][0]["all"][1]["output"].as_f64().unwrap();
    let class = if share > 0.5 { "1" } else { "-1" };
    assert!(said.starts_with(&format!("the tree says label = {class}")), "{said} {share}");
    let forest = program.stdout(&format!("explain model.einsicht {data} --method forest --graph 17 -q"));
    let (_, way) = forest.split_once("the forest describes all 188 graphs").unwrap();
    assert!(way.contains("graph 17:") && way.contains("= answer of the forest"), "{forest}");
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

pub(super) fn data_of_page(program: &Program, page: &str) -> serde_json::Value {
    let page = std::fs::read_to_string(program.folder().join(page)).unwrap();
    let (_, json) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(json.split_once("</script>").unwrap().0).unwrap()
}

/// The figures of a group of graphs in an entry of a page.
fn figures<'a>(entry: &'a serde_json::Value, key: &str) -> &'a serde_json::Value {
    entry["figures"].as_array().unwrap().iter().find(|figures| figures["key"] == key).unwrap()
}

#[test]
fn the_page_shows_out_of_fold_figures_of_graphs_that_the_model_has_seen() {
    let (program, data) = with_model();
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    let page = data_of_page(&program, "report.html");
    let model = program.json("show model.einsicht --json");
    for (entry, stored) in page["entries"].as_array().unwrap().iter().zip(model["entries"].as_array().unwrap()) {
        assert_eq!((&entry["held_out"], &figures(entry, "out_of_fold")["graphs"]), (&stored["valid"], &188.into()));
        for (metric, value) in figures(entry, "out_of_fold")["metrics"].as_object().unwrap() {
            let known = stored["valid"][metric].as_f64().unwrap();
            assert!((value.as_f64().unwrap() - known).abs() < 1e-9, "{metric}: {value} {known}");
        }
        assert_ne!(figures(entry, "fitted")["metrics"], figures(entry, "out_of_fold")["metrics"]);
    }
    let (shown, known) = (&page["estimate"]["metrics"]["accuracy"], &model["estimate"]["metrics"]["accuracy"]);
    assert_eq!([&shown[0], &shown[1], &shown[2]], [&known["value"], &known["low"], &known["high"]]);
}

#[test]
fn other_data_and_missing_targets_are_warned_about_and_explained_all_the_same() {
    let (program, _) = with_model();
    program.write("other.gspan", "t # 0\nv 0 77\nv 1 77\ne 0 1 1\n");
    let printed = program.run("report model.einsicht other.gspan -o other.html --json").success();
    let messages = String::from_utf8_lossy(&printed.get_output().stderr).into_owned();
    assert!(messages.contains("has never seen the vertex labels 77") && messages.contains("no target"), "{messages}");
    let answer = program.json("explain model.einsicht other.gspan --baseline absent --json -q");
    assert!(answer["graphs"][0]["values"].as_object().unwrap().values().all(|value| value.as_f64() == Some(0.0)));
    let text = program.stdout("explain model.einsicht other.gspan --baseline absent -q");
    assert!(text.contains("it contains none of the subgraphs"), "{text}");
}

#[test]
fn a_graph_that_lacks_what_decides_is_explained_by_absence_in_text_json_and_page() {
    let (program, _) = with_model();
    // The only graph of its file: the background is in the model. It has no subgraph of the model.
    program.write("lone.gspan", "t # 0\nv 0 0\nv 1 0\ne 0 1 1\n");
    let text = program.stdout("explain model.einsicht lone.gspan --at-size 1 -q");
    assert!(
        text.replace('\n', " ").contains(", decided by the absence of ") && text.contains("  absence of "),
        "{text}"
    );
    let answer = program.json("explain model.einsicht lone.gspan --at-size 1 --places --json -q");
    let graph = &answer["graphs"][0];
    assert_eq!(graph["decided_by"]["absent"], true);
    let name = graph["decided_by"]["feature"].as_str().unwrap();
    assert!(graph["values"][name].as_f64().unwrap().abs() > 0.05, "{graph}");
    assert!(graph["vertex_weights"].as_array().unwrap().iter().all(|weight| weight == 0.0), "{graph}");
    program.stdout("report model.einsicht lone.gspan -o lone.html -q");
    let page = data_of_page(&program, "lone.html");
    let absences = &page["entries"][0]["absences"][0];
    assert_eq!(absences["subgraphs"], serde_json::json!([0]));
    // The largest of a list is its scale; the letters of the first value are those of the lowest level.
    let (scale, letters) = (absences["values"][0].as_f64().unwrap(), absences["values"][1].as_str().unwrap());
    let known = graph["values"][name].as_f64().unwrap();
    assert!((scale - known.abs()).abs() < 1e-9, "{absences}");
    assert!(letters.starts_with(if known < 0.0 { "AAB" } else { "___" }), "{absences}");
}

#[test]
fn a_graph_network_is_one_more_feature_and_the_output_is_the_prediction() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    program.stdout(&format!(
        "train {data} --max-edges 3 --sizes 0,3 --preset gin --set max_iterations=3 -o model.einsicht -q"
    ));
    let answer = program.json(&format!("explain model.einsicht {data} --at-size 3 --json -q"));
    let predicted = program.json(&format!("predict model.einsicht {data} --at-size 3 --json -q"));
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
fn the_page_has_the_decisions_of_predict_for_new_graphs_and_out_of_fold_ones_for_others() {
    let program = Program::new();
    let data = fixture("MUTAG").display().to_string();
    let rows = |rows: std::ops::Range<usize>| rows.map(|row| row.to_string()).collect::<Vec<_>>().join(",");
    let split =
        format!(r#"{{"trials": [{{"train": [{}], "valid": [], "test": [{}]}}]}}"#, rows(0..140), rows(140..188));
    program.write("split.json", &split);
    program.stdout(&format!(
        "train {data} --splits split.json --max-edges 3 --sizes 3 --seed 2 --set threshold=auto --set calibrate=on -o \
         model.einsicht -q"
    ));
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    let page = data_of_page(&program, "report.html");
    let entry = &page["entries"][0];
    let decision = program.json("show model.einsicht --json")["entries"][0]["decision"].clone();
    let threshold = decision["thresholds"][0].as_f64().unwrap();
    assert!((threshold - 0.5).abs() > 1e-6, "a threshold that matters: {threshold}");
    let predicted = program.json(&format!("predict model.einsicht {data} --json -q"));
    let (mut unseen, mut moved) = (0, 0);
    for (at, one) in predicted["predictions"].as_array().unwrap().iter().enumerate() {
        let (shown, known) = (entry["predictions"][at].as_f64().unwrap(), one["probabilities"]["1"].as_f64().unwrap());
        if page["graphs"][at]["group"] == "unseen" {
            assert!((shown - known).abs() <= 0.001 * known, "{shown} {known}");
            assert_eq!(entry["classes"][at].as_u64(), Some(u64::from(one["class"] == "1")));
            unseen += 1;
        } else {
            moved += usize::from((shown - known).abs() > 0.001 * known);
        }
    }
    assert!(unseen > 20 && moved > 100, "{unseen} {moved}");
    for group in ["unseen", "out_of_fold"] {
        let graphs = page["graphs"].as_array().unwrap().iter().zip(entry["classes"].as_array().unwrap());
        let of_group: Vec<_> = graphs.filter(|(graph, _)| graph["group"] == group).collect();
        let right = of_group.iter().filter(|(graph, class)| graph["truth"][0] == **class).count();
        let accuracy = figures(entry, group)["metrics"]["accuracy"].as_f64().unwrap();
        assert!((right as f64 / of_group.len() as f64 - accuracy).abs() < 1e-9, "{group}: {right} {accuracy}");
        let matrix =
            &entry["diagnoses"][0].as_array().unwrap().iter().find(|one| one["key"] == group).unwrap()["confusion"];
        assert_eq!((matrix[0][0].as_u64().unwrap() + matrix[1][1].as_u64().unwrap()) as usize, right);
    }
}
