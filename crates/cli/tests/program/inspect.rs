//! `inspect`: its result and its errors.

use super::{Program, text};

const TABLE: &str =
    "name,smiles,toxic,potency\nethanol,CCO,no,1.5\nbad,C(,yes,2.5\nsalt,[Na+].[Cl-],yes,\nmethane,C,,0.25\n";

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
      skipped               1  the first: "C(" is not a molecule: mismatched parenthesis at position 2
      missing targets       2
      graphs without edges  2  no pattern can be found in them
      disconnected graphs   1  a pattern is within one component
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
          "reason": "\"C(\" is not a molecule: mismatched parenthesis at position 2",
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
      tip: --smiles names the column with the molecules, --target one to predict
    "#);
}

#[test]
fn a_bad_row_stops_the_reading_with_on_bad_stop() {
    let printed = with_table().run("inspect assay.csv --on-bad stop --json").code(1);
    insta::assert_snapshot!(text(&printed.get_output().stdout), @r#"
    {
      "error": "assay.csv:3: row 1 must be a molecule, but \"C(\" is not: mismatched parenthesis at position 2",
      "where": "assay.csv:3"
    }
    "#);
    insta::assert_snapshot!(text(&printed.get_output().stderr), @r#"
    error: assay.csv:3: row 1 must be a molecule, but "C(" is not: mismatched parenthesis at position 2
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
