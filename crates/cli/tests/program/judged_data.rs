//! Data that are not what they seem: other columns, unknown classes, missing words, infinities, foreign labels. What is
//! shown comes with the number of graphs behind it, and what cannot be shown is refused.

use super::{Program, text};
use serde_json::Value;

/// A model of acids, with some tables.
fn acids() -> Program {
    let program = Program::new();
    let mut table = String::from("smiles,acid,carbons\n");
    for at in 1..=12 {
        table += &format!("{}O,no,{at}\n{}C(=O)O,yes,{}\n", "C".repeat(at), "C".repeat(at), at + 1);
    }
    program.write("acids.csv", &table);
    let line = "train acids.csv --target acid --qualifiers none --max-edges 3 --sizes 1,2 --set max_iterations=4 -q";
    program.trained_once(line, "m.einsicht");
    program
}

fn stderr(printed: &assert_cmd::assert::Assert) -> String {
    text(&printed.get_output().stderr)
}

#[test]
fn a_target_is_found_by_its_name_or_refused_with_the_columns_that_there_are() {
    let program = acids();
    // Neither the only column nor one that happens to hold the same words is the target.
    program.write("other.csv", "smiles,solubility\nCCO,1\nCC(=O)O,0\nCCC,2.5\n");
    let printed = program.run("evaluate m.einsicht other.csv --json").code(1);
    let document: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    let wanted = "other.csv: there must be a column named \"acid\", but there are only \"solubility\"";
    assert_eq!(document["error"], wanted);
    program.write("words.csv", "smiles,is_acid\nCCCCCCCCCCCCCCCO,no\nCCCCCCCCCCCCCCCC(=O)O,yes\n");
    program.run("evaluate m.einsicht words.csv").code(1);
    let printed = program.json("evaluate m.einsicht words.csv --target is_acid --json");
    assert_eq!(
        (&printed["graphs"], &printed["target"], &printed["accuracy"]),
        (&2.into(), &"acid".into(), &1.0.into())
    );
    assert_eq!(printed["column"], "is_acid");
    let shown = program.stdout("evaluate m.einsicht words.csv --target is_acid").replace("\n          ", " ");
    assert!(shown.contains("acid against column is_acid"), "{shown}");
    // Formats without names of targets have one target only.
    program.write(
        "plain.gspan",
        "t # 0 no\nv 0 C\nv 1 O\nv 2 C\ne 0 1 single\ne 1 2 single\nt # 1\nv 0 O\nv 1 O\ne 0 1 single\n",
    );
    let printed = program.json("evaluate m.einsicht plain.gspan --json");
    assert_eq!((&printed["graphs"], &printed["left_out"]["no_value"]), (&1.into(), &1.into()));
}

#[test]
fn evaluating_graphs_that_the_model_knows_little_of_warns_as_predicting_does() {
    let program = acids();
    let graphs = "t # 0 no\nv 0 C\nv 1 O\nv 2 C\ne 0 1 single\ne 1 2 single\nt # 1 yes\nv 0 Xx\nv 1 C\ne 0 1 single\n";
    program.write("odd.gspan", graphs);
    let evaluated = program.run("evaluate m.einsicht odd.gspan").success();
    let predicted = program.run("predict m.einsicht odd.gspan").success();
    let wanted = "warning: 1 of 2 graphs have labels that do not occur in the training data\n";
    assert!(stderr(&evaluated).contains(wanted), "{}", stderr(&evaluated));
    assert_eq!(stderr(&evaluated), stderr(&predicted));
    // The target of such a file is found without its name, which is said.
    let shown = text(&evaluated.get_output().stdout).replace("\n          ", " ");
    assert!(shown.contains("scored on target acid against column target"), "{shown}");
    let document = program.json("evaluate m.einsicht odd.gspan --json");
    assert_eq!((&document["column"], &document["unknown_labels"]), (&"target".into(), &1.into()));
}

#[test]
fn unknown_classes_are_counted_listed_and_refused_unless_an_option_of_their_own_leaves_them_out() {
    let program = acids();
    program.write(
        "new.csv",
        "smiles,acid\nCCCCCCCCCCCCCCCO,no\nCCCCCCCCCCCCCCCC(=O)O,yes\nCCN,amine\nCN,amine\nCCS,thiol\nCCC,N/A\nC(,no\n",
    );
    for options in ["", "--on-bad skip"] {
        let printed = program.run(&format!("evaluate m.einsicht new.csv {options}")).code(1);
        let said = stderr(&printed);
        let wanted = "new.csv: target acid must be one of the classes of the model (\"no\", \"yes\"), but 3 graphs \
            have another: \
                      \"amine\" (2 graphs), \"thiol\" (1)";
        assert!(said.contains(wanted) && said.contains("--unknown-classes skip"), "{said}");
        assert!(printed.get_output().stdout.is_empty());
    }
    let printed = program.json("evaluate m.einsicht new.csv --unknown-classes skip --json");
    let left_out = &printed["left_out"];
    assert_eq!((&printed["graphs"], &printed["accuracy"]), (&2.into(), &1.0.into()));
    assert_eq!(
        (&left_out["no_value"], &left_out["unknown_class"], &left_out["unreadable"]),
        (&1.into(), &3.into(), &1.into())
    );
    assert_eq!(left_out["unknown_classes"]["amine"], 2);
    let shown = program.stdout("evaluate m.einsicht new.csv --unknown-classes skip");
    insta::assert_snapshot!(shown, @r#"
    predicts  acid (no or yes), by 1 subgraph
    unseen    6 graphs that the model has never seen; 2 graphs scored on target
              acid; left out: 1 graph without a value; 3 graphs of classes that the
              model does not know: "amine" (2 graphs), "thiol" (1); 1 row that
              cannot be read

    metric             unseen  expected (95 % interval)
    accuracy           1.0000    1.000 (0.858 to 1.000)
    balanced_accuracy  1.0000    1.000 (0.735 to 1.000)
    auc                1.0000    1.000 (0.735 to 1.000)
    pr_auc             1.0000    1.000 (0.735 to 1.000)
    loss               0.0050    0.005 (0.005 to 0.005)

    next      einsicht report m.einsicht new.csv -o m.html
              einsicht explain m.einsicht new.csv
    "#);
}

#[test]
fn several_targets_are_named_counted_and_folded() {
    let program = Program::new();
    let long = "a target with a rather long name that no screen has room for";
    let mut table = format!("smiles,acid,carbons,gaps,{long}\n");
    for at in 1..=12 {
        let (tail, even) = ("C".repeat(at), at % 2);
        table += &format!("{tail}O,no,{at},,{even}\n{tail}C(=O)O,yes,{},{even},{even}\n", at + 1);
    }
    program.write("t.csv", &table);
    program.run("train t.csv --target * -o t.einsicht --max-edges 3 --sizes 1,3 --set max_iterations=4 -q").success();
    let shown = program.stdout("evaluate t.einsicht t.csv");
    let shown = shown.replace("\n          ", " ");
    // Guessing is compared as the figures are: by means over the targets. acid and gaps are halved; so is the long one.
    let wanted = "compare   means over the targets: always guessing the most frequent class of each target has \
        accuracy 0.500 and ROC AUC 0.5, the training mean of each target has RMSE";
    assert!(shown.contains(wanted), "{shown}");
    let wanted = "seen      24 graphs used in training, each predicted by a model that had not seen it (out of fold, 5 \
        folds); 24 \
                  graphs scored on at least one of 4 targets\n";
    assert!(
        shown.starts_with("predicts  acid (no or yes), and 3 more targets, by ") && shown.contains(wanted),
        "{shown}"
    );
    assert!(shown.contains("\nmean over targets"), "{shown}");
    let fresh = table.replace("\nC", "\nCCCCCCCCCCCCCCC");
    program.write("t.csv", &fresh);
    let shown = program.stdout("evaluate t.einsicht t.csv");
    let wanted = "\nunseen    24 graphs that the model has never seen; 24 graphs scored on at least\n          one of \
        4 targets\n";
    assert!(shown.contains(wanted), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("gaps ") && line.contains(" 12 ")), "{shown}");
    let printed = program.json("evaluate t.einsicht t.csv --json");
    assert_eq!(
        (&printed["tasks"]["gaps"]["graphs"], &printed["tasks"]["gaps"]["left_out"]["no_value"]),
        (&12.into(), &12.into())
    );
    // Some of them.
    let some = program.json("evaluate t.einsicht t.csv --target gaps --target acid --json");
    assert_eq!(some["tasks"].as_object().unwrap().keys().collect::<Vec<_>>(), ["acid", "gaps"]);
    assert_eq!(some["tasks"]["acid"], printed["tasks"]["acid"]);
    let one = program.json("evaluate t.einsicht t.csv --target acid --json");
    assert_eq!((&one["target"], &one["accuracy"]), (&"acid".into(), &printed["tasks"]["acid"]["accuracy"]));
    let refused = program.run("evaluate t.einsicht t.csv --target nothing").code(2);
    assert!(stderr(&refused).contains("--target must be a target of the model (acid, carbons, gaps"));

    program.write("new.smi", "CCO a\nCC(=O)O b\n");
    let shown = program.stdout("predict t.einsicht new.smi");
    assert!(shown.contains("P(acid=yes)") && !shown.contains("P(acid=no)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    program.run("predict t.einsicht new.smi --target acid --target carbons -o p.csv -q").success();
    let written = std::fs::read_to_string(program.folder().join("p.csv")).unwrap();
    let wanted = "id,acid,P(acid=no),P(acid=yes),carbons,unknown_vertices,subgraphs,applicability,seen,out_of_fold \
        P(acid=yes),out_of_fold carbons,row";
    assert_eq!(written.lines().next().unwrap(), wanted);
    let printed = program.json("predict t.einsicht new.smi --target gaps --json");
    assert_eq!(printed["predictions"][0]["targets"].as_object().unwrap().keys().collect::<Vec<_>>(), ["gaps"]);
}

#[test]
fn rows_say_what_the_model_does_not_know_and_foreign_data_are_refused() {
    let program = acids();
    program.write("some.smi", "CCO a\nCC[Se]C b\nCC(=O)O c\n");
    let printed = program.run("predict m.einsicht some.smi --json").success();
    let document: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    let rows = document["predictions"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["unknown_vertices"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(rows[2]["patterns"].as_u64().unwrap() > 0);
    // Labels without names: nothing of these graphs is known.
    program.write("numbers.gspan", "t # 0\nv 0 0\nv 1 1\ne 0 1 1\nt # 1\nv 0 0\nv 1 0\ne 0 1 1\n");
    let printed = program.run("predict m.einsicht numbers.gspan -o p.csv").code(1);
    let said = stderr(&printed);
    assert!(said.contains("in 2 of 2 it knows no vertex label or no edge label; its vertex labels are C, O"), "{said}");
    assert!(said.contains("--foreign predict") && !said.contains("p.csv"), "{said}");
    assert!(!program.files(".").keys().any(|name| name.starts_with("p.csv")));
    let document = program.json("predict m.einsicht numbers.gspan --foreign predict --json");
    assert_eq!((&document["foreign"], &document["predictions"][0]["unknown_vertices"]), (&2.into(), &2.into()));
    // With names they are as good as others, for `predict` and for `match`.
    program.write("atoms.txt", "0 C\n1 O\n");
    program.write("bonds.txt", "1 single\n");
    let names = "--vertex-names atoms.txt --edge-names bonds.txt";
    let document = program.json(&format!("predict m.einsicht numbers.gspan {names} --json"));
    assert_eq!((&document["foreign"], &document["unknown_labels"]), (&0.into(), &0.into()));
    let found = |options: &str| {
        let predicted = program.json(&format!("predict m.einsicht numbers.gspan {options} --foreign predict --json"));
        let rows = predicted["predictions"].as_array().unwrap().iter();
        rows.map(|row| row["patterns"].as_u64().unwrap()).sum::<u64>()
    };
    for options in [names, ""] {
        let matched = program.json(&format!("match m.einsicht numbers.gspan {options} --json"));
        assert_eq!(matched["matches"].as_u64().unwrap(), found(options), "{options}");
    }
}

#[test]
fn words_for_missing_values_are_no_classes_and_infinities_are_refused_by_row() {
    let program = Program::new();
    let rows: String = (1..=10).map(|at| format!("{},{}\n", "C".repeat(at), at % 2)).collect();
    program.write("a.csv", &format!("smiles,y\n{rows}CCN,N/A\nCCO,NULL\nCCS,-1.#IND\n"));
    let printed = program.json("inspect a.csv --json");
    assert_eq!((&printed["targets"][0]["missing"], printed["classes"].as_object().unwrap().len()), (&3.into(), 2));
    for word in ["inf", "1e999"] {
        program.write("b.csv", &format!("smiles,y\nC,0.5\nCC,1.5\nCCC,{word}\nCCCC,2\n"));
        let printed = program.run("train b.csv -o b.einsicht").code(1);
        let wanted = format!("b.csv:4: the target of a regression must be a finite number, but is \"{word}\"");
        assert!(stderr(&printed).contains(&wanted), "{}", stderr(&printed));
    }
    for (values, wanted) in [
        (["5.5"; 4], "target y must differ between graphs, but all 4 values are 5.5"),
        (["NA"; 4], "target y must have values, but all 4 graphs lack one"),
        (["1"; 4], "target y must have at least two classes, but all graphs are of class 1"),
    ] {
        let rows: String = values.iter().enumerate().map(|(at, y)| format!("{},{y}\n", "C".repeat(at + 1))).collect();
        program.write("c.csv", &format!("smiles,y\n{rows}"));
        let said = stderr(&program.run("train c.csv -o c.einsicht").code(1));
        assert!(said.contains(wanted), "{said}");
    }
    program.write("d.csv", &format!("smiles,y\n{rows}CCN,9\n"));
    let quick = "--max-edges 2 --sizes 1 --set max_iterations=2";
    let said = stderr(&program.run(&format!("train d.csv --task classify -o d.einsicht {quick}")));
    assert!(said.contains("class 9 of target y has a single graph"), "{said}");
}

#[test]
fn explaining_new_graphs_gives_no_warning() {
    let program = acids();
    program.write("new.smi", "CCO a\nCC(=O)O b\n");
    let printed = program.run("explain m.einsicht new.smi").success();
    assert_eq!(stderr(&printed), "");
    let printed = program.run("explain m.einsicht acids.csv --graph 3").success();
    assert_eq!(stderr(&printed), "");
    // Labels of graphs that are not explained do not matter; those of the explained one do.
    program.write("odd.smi", "CCO a\nCC[Se]C b\n");
    assert_eq!(stderr(&program.run("explain m.einsicht odd.smi --graph a").success()), "");
    let said = stderr(&program.run("explain m.einsicht odd.smi --graph b").success());
    assert_eq!(said, "warning: the model has never seen the vertex labels Se\n");
}

/// A TU folder of chains whose vertices have a place in space, and `more` attributes behind it.
fn chains_in_space(program: &Program, more: usize) {
    let (mut edges, mut indicator, mut labels, mut attributes) =
        (String::new(), String::new(), String::new(), String::new());
    let mut vertex = 0;
    for graph in 1..=20 {
        labels += &format!("{}\n", graph % 2);
        for at in 0..8 {
            vertex += 1;
            indicator += &format!("{graph}\n");
            let (x, angle) = (f64::from(at), f64::from(graph) + 1.9 * f64::from(at));
            attributes += &format!("{:.4}, {:.4}, {:.4}", x, angle.sin(), angle.cos());
            attributes += &(0..more).map(|_| format!(", {}", graph % 2 + at % 3)).collect::<String>();
            attributes += "\n";
            if at > 0 {
                edges += &format!("{}, {vertex}\n{vertex}, {}\n", vertex - 1, vertex - 1);
            }
        }
    }
    for (name, text) in
        [("A", edges), ("graph_indicator", indicator), ("graph_labels", labels), ("node_attributes", attributes)]
    {
        program.write(&format!("set{more}/set_{name}.txt"), &text);
    }
}

#[test]
fn coordinates_are_no_attributes_unless_asked_for() {
    let program = Program::new();
    for more in [0, 1] {
        chains_in_space(&program, more);
        let quick = "--max-edges 2 --sizes 1 --set max_iterations=2";
        let said = stderr(&program.run(&format!("train set{more} -o m{more} {quick}")).success());
        assert!(said.contains("vertex attributes 1, 2, 3 are left out: they look like atom coordinates"), "{said}");
        let said = stderr(&program.run(&format!("train set{more} -o k{more} {quick} --coordinates keep")).success());
        assert!(!said.contains("left out"), "{said}");
        let predicted = |model: &str| program.json(&format!("predict {model}{more} set{more} --json"));
        assert_ne!(predicted("m"), predicted("k"));
        // A model reads the attributes that it was trained with, whatever the option says now.
        for model in [format!("m{more}"), format!("k{more}")] {
            let first = program.json(&format!("predict {model} set{more} --json"));
            assert_eq!(first, program.json(&format!("predict {model} set{more} --coordinates keep --json")));
            program.run(&format!("evaluate {model} set{more} --part all")).success();
            program.run(&format!("explain {model} set{more} --graph 3")).success();
            program.run(&format!("verify {model} set{more}")).success();
        }
        assert!(program.stdout(&format!("inspect set{more}")).contains("3 of them are coordinates"));
    }
}
