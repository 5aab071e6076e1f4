//! Tables as people have them: lost quotes, repeated names, numbers that may be classes. Each test is about what the
//! program says.

use super::{Program, text};

/// What the program says on stderr.
fn said(program: &Program, arguments: &str, code: i32) -> String {
    text(&program.run(arguments).code(code).get_output().stderr)
}

/// The words of a text, without its layout.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A table of molecules with this column.
fn with_column(cells: &[&str]) -> Program {
    let program = Program::new();
    let rows: Vec<String> =
        cells.iter().enumerate().map(|(at, cell)| format!("{},{cell}\n", "C".repeat(at + 1))).collect();
    program.write("t.csv", &format!("smiles,y\n{}", rows.concat()));
    program
}

#[test]
fn whole_numbers_that_may_be_classes_or_a_scale_are_said_to_be_taken_as_one() {
    let program = with_column(&["4", "5", "9", "4", "5", "9"]);
    let line = "target y is taken as classes, since its 6 values are 3 different whole numbers from 4 to 9; --task \
        regress reads \
                them as numbers\n";
    assert_eq!(said(&program, "inspect t.csv", 0), line);
    assert_eq!(said(&program, "inspect t.csv --task regress", 0), "");
    let program = with_column(&["40", "150", "345"]);
    let said = said(&program, "inspect t.csv", 0);
    assert!(said.ends_with("too few of each for classes; --task classify reads them as classes\n"), "{said}");
}

#[test]
fn per_cent_signs_and_dates_are_no_classes() {
    for cells in [["10%", "20%"], ["2024-01-31", "2024-02-01"]] {
        let program = with_column(&cells);
        let wanted = format!(
            "error: t.csv:2: target \"y\" looks like numbers, so each value must be a number or empty, but this one \
             is \"{}\"\n  \
             tip: write it as a number or leave the cell empty; --task classify takes every value as a class\n",
            cells[0]
        );
        assert_eq!(said(&program, "inspect t.csv", 1), wanted);
        assert_eq!(said(&program, "inspect t.csv --task classify", 0), "");
    }
}

#[test]
fn a_quote_that_is_not_closed_and_columns_of_one_name_are_refused() {
    let program = Program::new();
    program.write("quote.csv", "smiles,y\r\nCCO,1\r\nCC,\"0\r\nCN,1\r\n");
    assert!(said(&program, "inspect quote.csv", 1).starts_with("error: quote.csv:3: a cell that starts with a quote"));
    program.write("same.csv", "smiles,y,y\nCCO,1,0\nCC,0,1\n");
    assert_eq!(
        said(&program, "train same.csv --target y -o m", 1),
        "error: same.csv: a column that is read must have a unique name, but 2 columns are named \"y\"\n  tip: give \
         each column a \
         name of its own, in the first line\n"
    );
}

#[test]
fn a_column_that_is_no_target_does_not_hide_the_others() {
    let program = Program::new();
    program.write("t.csv", "smiles,date,y\nCCO,2024-01-31,1\nCC,2024-02-01,0\n");
    let shown = words(&program.stdout("inspect t.csv"));
    assert!(shown.contains("y 0 1 50.0 % y 1 1 50.0 %") && !shown.contains("date"), "{shown}");
}

#[test]
fn a_table_of_several_columns_lists_them_where_none_was_chosen() {
    let program = Program::new();
    program.write("t.csv", "id,smiles,a,\"b, c\",d\n1,CCO,1,0,1\n2,CC,0,1,1\n");
    for command in ["train t.csv -o m", "cross-validate t.csv", "stability t.csv"] {
        assert_eq!(
            said(&program, command, 1),
            "error: t.csv: training needs a target, but none of the columns was chosen: \"a\", \"b, c\", \"d\"\n  \
             tip: --target names the \
             column to predict; --target '*' takes all columns\n"
        );
    }
}

#[test]
fn classes_of_single_graphs_are_one_warning_where_there_are_many() {
    let program = with_column(&["0.5", "1.5", "2.5", "3.5", "4.5", "4.5"]);
    let heard = said(&program, "train t.csv --task classify -o m --sizes 1 --max-edges 1", 0);
    let warnings: Vec<&str> = heard.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(
        warnings,
        ["warning: 4 classes have a single graph each, such as class 0.5 of target y: nothing learnt about them \
             can be checked; \
          --task regress takes numbers as numbers"]
    );
}

#[test]
fn molecules_are_no_target() {
    let program = with_column(&["0", "1"]);
    for options in ["--target smiles", "--target y --columns smiles"] {
        assert_eq!(
            said(&program, &format!("train t.csv {options} -o m"), 1),
            "error: t.csv: the column of molecules, \"smiles\", can be neither a target nor a feature\n  tip: --target \
             names the column to predict, --smiles another one with the molecules\n"
        );
    }
}

#[test]
fn lines_of_smiles_have_targets_if_their_first_line_names_columns() {
    let program = Program::new();
    let rows = "CCO\tethanol\t1\t0.5\nCC\tethane\t0\t1.5\n";
    program.write("named.smi", &format!("SMILES\tname\tactive\tlogP\n{rows}"));
    let shown = words(&program.stdout("inspect named.smi"));
    assert!(shown.contains("active 0 1 50.0 % active 1 1 50.0 %") && shown.contains("logP 2 0.5"), "{shown}");
    let heard = said(&program, "train named.smi -o m", 1);
    assert!(heard.contains("none of the columns was chosen: \"active\", \"logP\""), "{heard}");
    program.write("bare.smi", rows);
    let heard = said(&program, "train bare.smi -o m", 1);
    assert!(
        heard.contains("a .smi file has targets if its first line names its columns, separated by tabs"),
        "{heard}"
    );
}

#[test]
fn a_model_and_data_in_the_wrong_order_are_recognised() {
    let program = with_column(&["0", "1", "0", "1", "0", "1", "0", "1"]);
    program.run("train t.csv -o m --sizes 1 --max-edges 1 --folds 2").success();
    for command in
        ["predict t.csv m", "evaluate t.csv m", "explain t.csv m", "report t.csv m -o p.html", "verify t.csv m"]
    {
        assert_eq!(
            said(&program, command, 1),
            "error: t.csv: must be a model, but is not, and m is one: the two arguments seem to be swapped\n  tip: \
             name the model \
             first, then the data\n"
        );
    }
    assert_eq!(
        said(&program, "predict t.csv t.csv", 1),
        "error: t.csv: not a complete model file: it does not start like one\n"
    );
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let program = Program::new();
    let rows: String = (1..9).map(|at| format!("\u{7}id{at}\u{9b}2J,{},{}\n", "C".repeat(at), at % 2)).collect();
    program.write("t.csv", &format!("id,smiles,\"y\u{1b}[31m\"\n{rows}"));
    program.run("train t.csv -o m --sizes 1 --max-edges 1 --folds 2").success();
    for command in [
        "inspect t.csv",
        "predict m t.csv",
        "evaluate m t.csv",
        "show m",
        "explain m t.csv",
        "inspect t.csv --target z",
    ] {
        let assert = program.run(command);
        let found = assert.get_output();
        let all = text(&found.stdout) + &text(&found.stderr);
        assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{command}: {all:?}");
    }
    assert!(program.stdout("inspect t.csv").contains("y\\u{1b}[31m"));
}

#[test]
fn all_graphs_of_one_name_are_explained() {
    let program = Program::new();
    let names = ["a", "dup", "b", "dup", "c", "dup", "d", "e"];
    let rows = names.iter().enumerate().map(|(at, name)| format!("{name},{},{}\n", "C".repeat(at + 1), at % 2));
    program.write("t.csv", &format!("id,smiles,y\n{}", rows.collect::<String>()));
    program.run("train t.csv -o m --sizes 1 --max-edges 1 --folds 2").success();
    let explained = |id: &str| {
        let document = program.json(&format!("explain m t.csv --graph {id} --json"));
        let graphs = document["graphs"].as_array().unwrap().iter();
        graphs.map(|graph| graph["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(explained("dup"), ["dup", "dup@3", "dup@5"]);
    assert_eq!(explained("dup@5"), ["dup@5"]);
}
