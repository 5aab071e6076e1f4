//! `convert`, and the options that choose a part.

use super::Program;

fn with_cycle() -> Program {
    let program = Program::new();
    program.run("generate cycle -o cycle").success();
    program
}

#[test]
fn json_lines_hold_the_same_data_set() {
    let program = with_cycle();
    assert_eq!(program.stdout("convert cycle -o c.jsonl"), "Cycle: 600 graphs in c.jsonl\n");
    assert_eq!(program.json("convert cycle -o c.jsonl.gz --json")["graphs"], 600);
    let documents = ["cycle", "c.jsonl", "c.jsonl.gz"].map(|data| program.json(&format!("inspect {data} --json")));
    assert_eq!(documents[0]["edges"], 20098);
    assert!(documents[0] == documents[1] && documents[0] == documents[2]);
    program.run("convert c.jsonl.gz -o again.jsonl").success();
    let read = |name| std::fs::read(program.folder().join(name)).unwrap();
    assert!(read("c.jsonl") == read("again.jsonl"));
}

#[test]
fn lines_go_to_stdout_with_output_minus() {
    let program = with_cycle();
    let lines = program.stdout("convert cycle -o - -q");
    program.run("convert cycle -o c.jsonl").success();
    assert_eq!(lines, std::fs::read_to_string(program.folder().join("c.jsonl")).unwrap());
    program.run("convert cycle -o - --json").code(2);
}

#[test]
fn a_part_of_a_split_file_is_chosen_by_rows_of_the_source() {
    let program = Program::new();
    program.write("t.csv", "smiles,y\nC,0\nbad(,0\nCC,1\nCCC,1\n");
    program.write("split.json", r#"{"trials": [{"train": [0, 1], "valid": [2], "test": [3]}]}"#);
    let graphs = |part: &str| program.json(&format!("inspect t.csv --splits split.json --part {part} --json"));
    assert_eq!((&graphs("train")["graphs"], &graphs("test")["vertices"]), (&1.into(), &3.into()));
    assert_eq!(graphs("all")["graphs"], 3);
    let printed = program.run("inspect t.csv --splits split.json --trial 1 --json").code(1);
    let printed: serde_json::Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    assert_eq!(printed["where"], "split.json");
}

#[test]
fn without_a_split_one_fifth_is_for_validation_and_nothing_for_the_test() {
    let program = with_cycle();
    let graphs = |part: &str| program.json(&format!("inspect cycle --part {part} --json"))["graphs"].clone();
    assert_eq!([graphs("train"), graphs("valid"), graphs("all")], [480, 120, 600]);
    program.run("inspect cycle --part test").code(2);
    program.run("inspect cycle --trial 1").code(2);
}
