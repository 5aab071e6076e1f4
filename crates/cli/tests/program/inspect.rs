//! `inspect`: its result and its errors.

use super::{Program, text};

const TABLE: &str =
    "name,smiles,toxic,potency\nethanol,CCO,no,1.5\nbad,C),yes,2.5\nsalt,[Na+].[Cl-],yes,\nmethane,C,,0.25\n";

fn with_table() -> Program {
    let program = Program::new();
    program.write("assay.csv", TABLE);
    program
}

#[test]
fn classes_numbers_and_irregularities_are_shown() {
    let shown = with_table().run("inspect assay.csv").success();
    insta::assert_snapshot!(text(&shown.get_output().stdout), @r#"
    assay

      graphs         3
      vertices       6  2.00 per graph (1 to 3)
      edges          2  0.67 per graph (0 to 2)
      vertex labels  4  C (50.0 %), Cl (16.7 %), Na (16.7 %), O (16.7 %)
      edge labels    1  single (100.0 %)

      target  class  graphs  percent
      toxic   no          1   50.0 %
      toxic   yes         1   50.0 %

      target   graphs   least    mean    most  deviation
      potency       2  0.2500  0.8750  1.5000     0.8839

    irregularities
      skipped               1  the first: "C)" is not a molecule: a branch must open
                               before it closes at character 2
      missing targets       2
      graphs without edges  2  no pattern can be found in them
      disconnected graphs   1  a pattern lies within one component
      isolated vertices     3
    "#);
    insta::assert_snapshot!(text(&shown.get_output().stderr), @"skipped 1 of 4 rows");
}

#[test]
fn the_document_holds_every_target_and_every_skipped_row() {
    insta::assert_snapshot!(with_table().stdout("inspect assay.csv --json"), @r#"
    {
      "attribute_columns": 0,
      "classes": {
        "no": 1,
        "yes": 1
      },
      "duplicates": {
        "conflicts": [],
        "graphs": 0,
        "groups": []
      },
      "edge_labels": 1,
      "edges": 2,
      "edges_per_graph": {
        "least": 0,
        "mean": 0.6666666666666666,
        "most": 2
      },
      "graphs": 3,
      "name": "assay",
      "oddities": {
        "disconnected_graphs": 1,
        "edgeless_graphs": 2,
        "empty_graphs": 0,
        "isolated_vertices": 3
      },
      "repaired": {
        "double_edges": 0,
        "one_way_edges": 0,
        "self_loops": 0
      },
      "skipped": 1,
      "skipped_rows": [
        {
          "line": 3,
          "reason": "\"C)\" is not a molecule: a branch must open before it closes at character 2",
          "row": 1
        }
      ],
      "targets": [
        {
          "classes": {
            "no": 1,
            "yes": 1
          },
          "labelled": 2,
          "missing": 1,
          "name": "toxic"
        },
        {
          "deviation": 0.8838834764831844,
          "labelled": 2,
          "least": 0.25,
          "mean": 0.875,
          "missing": 1,
          "most": 1.5,
          "name": "potency"
        }
      ],
      "vertex_labels": 4,
      "vertices": 6,
      "vertices_per_graph": {
        "least": 1,
        "mean": 2.0,
        "most": 3
      }
    }
    "#);
}

#[test]
fn targets_are_chosen_by_name_and_never_split_at_commas() {
    let program = Program::new();
    program.write("t.csv", "smiles,\"a,b\",c\nCC,1,0\nCO,0,1\n");
    let document = program.json_of(&["inspect", "t.csv", "--target", "a,b", "--json"]);
    assert_eq!(document["targets"].as_array().unwrap().len(), 1);
    assert_eq!(document["targets"][0]["name"], "a,b");
}

#[test]
fn an_unknown_column_is_reported_with_those_that_exist() {
    let printed = with_table().run("inspect assay.csv --target activity").code(1);
    insta::assert_snapshot!(text(&printed.get_output().stderr), @r#"
    error: assay.csv: there must be a column named "activity", but there are only "name", "toxic", "potency"
      tip: --smiles names the column with the molecules, --target one to predict, --columns others to read
    "#);
}

#[test]
fn a_bad_row_stops_the_reading_with_on_bad_stop() {
    let printed = with_table().run("inspect assay.csv --on-bad stop --json").code(1);
    let error = text(&printed.get_output().stdout).replace("a branch must open before it closes", "WHY");
    insta::assert_snapshot!(error, @r#"
    {
      "error": "assay.csv:3: row 1 must be a molecule, but \"C)\" is not: WHY at character 2",
      "where": "assay.csv:3"
    }
    "#);
    insta::assert_snapshot!(text(&printed.get_output().stderr), @r#"
    error: assay.csv:3: row 1 must be a molecule, but "C)" is not: a branch must open before it closes at character 2
      tip: --on-bad skip skips such rows and counts them
    "#);
}

#[test]
fn names_of_labels_are_shown() {
    let program = Program::new();
    program.write("g.gspan", "t # 0\nv 0 6\nv 1 8\ne 0 1 2\nt # 1\nv 0 6\n");
    let shown = program.stdout("inspect g.gspan --vertex-names atomic-numbers");
    assert!(shown.contains("C (66.7 %), O (33.3 %)"), "{shown}");
    program.write("bonds", "2 double\n");
    let shown = program.stdout("inspect g.gspan --edge-names bonds");
    assert!(shown.contains("double (100.0 %)"), "{shown}");
}

#[test]
fn self_loops_are_refused_unless_repaired() {
    let program = Program::new();
    program.write("g.gspan", "t # 0\nv 0 6\nv 1 8\ne 0 1 2\ne 1 1 2\n");
    let printed = text(&program.run("inspect g.gspan --on-bad stop").code(1).get_output().stderr);
    assert!(
        printed.contains("g.gspan:5: an edge must join two different vertices") && printed.contains("--repair"),
        "{printed}"
    );
    let repaired = program.json("inspect g.gspan --repair --json");
    assert_eq!((&repaired["repaired"]["self_loops"], &repaired["edges"]), (&1.into(), &1.into()));
}

#[test]
fn quiet_prints_nothing_but_the_result() {
    let shown = with_table().run("inspect assay.csv -q").success();
    assert_eq!(text(&shown.get_output().stderr), "");
}

#[test]
fn isomorphic_graphs_and_different_values_are_found() {
    let program = Program::new();
    program.write("assay.csv", "id;smiles;active\na;C[C@H](N)O;1\nb;C[C@@H](N)O;0\nc;CCO;1\nd;OCC;1\ne;CC;0\n");
    let shown = program.stdout("inspect assay.csv --target active");
    let (_, duplicates) = shown.split_once("duplicates\n").unwrap();
    insta::assert_snapshot!(duplicates, @r"
      isomorphic graphs  4  in 2 groups, the first: a, b
      conflicts          1  of these groups have different values of active, the
                            first: a, b
      stereo is not read, and charges and hydrogens are not labels: molecules that
      differ only in these are the same graph
    ");
    let document = program.json("inspect assay.csv --target active --json");
    assert_eq!(document["duplicates"]["groups"], serde_json::json!([[0, 1], [2, 3]]));
    assert_eq!(document["duplicates"]["conflicts"][0], serde_json::json!({ "target": "active", "groups": [[0, 1]] }));
}

#[test]
fn several_columns_of_molecules_are_refused_with_advice() {
    let program = Program::new();
    program.write("pairs.csv", "reactant smiles,product smiles,yield\nCCO,CC=O,1\nCCCO,CCC=O,2\n");
    let refused = program.run("inspect pairs.csv").code(1);
    insta::assert_snapshot!(super::text(&refused.get_output().stderr), @r#"
    error: pairs.csv: there must be one column of molecules, but there are several: "reactant smiles", "product smiles"
      tip: --smiles names the column with the molecules
    "#);
    program.run_words(&["inspect", "pairs.csv", "--smiles", "product smiles", "--target", "yield"]).success();
}

#[test]
fn a_model_reads_salts_as_its_training_did() {
    let program = Program::new();
    let row = |at: usize| format!("[Na+].[Cl-].{}O,{}\n", "C".repeat(at % 7 + 1), at % 2);
    program.write("salts.csv", &format!("smiles,active\n{}", (0..40).map(row).collect::<String>()));
    program.write("salt.csv", "smiles\n[K+].CCO\n");
    program.write("parent.csv", "smiles\nCCO\n");
    let sizes = program.json("inspect salts.csv --largest-fragment --json");
    assert_eq!(sizes["oddities"]["disconnected_graphs"], 0);
    program.run("train salts.csv --largest-fragment --sizes 1,2 --max-edges 2 -o model.einsicht").success();
    let predicted = |file: &str| program.json(&format!("predict model.einsicht {file} --json"))["predictions"].clone();
    assert_eq!(predicted("salt.csv"), predicted("parent.csv"));
}
