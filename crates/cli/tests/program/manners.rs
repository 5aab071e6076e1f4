//! What every command has in common: help, errors, closed pipes.

use super::{Program, text};
use std::process::{Command, Stdio};

#[test]
fn without_a_command_the_program_shows_its_help() {
    let shown = Program::new().run("").code(2);
    let help = text(&shown.get_output().stderr);
    assert!(help.contains("Usage: einsicht") && help.contains("inspect"), "{help}");
}

#[test]
fn wrong_usage_exits_with_2_and_is_reported_as_json_too() {
    let program = Program::new();
    insta::assert_snapshot!(text(&program.run("generate cycle").code(2).get_output().stderr), @r"
    error: the following required arguments were not provided:
      --output <DIR>

    Usage: einsicht generate --output <DIR> <SET>

    For more information, try '--help'.
    ");
    let many = program.run("generate cycle -o x --threads 100000").code(2);
    let said = text(&many.get_output().stderr);
    assert!(said.contains("--threads must be at most ") && said.contains(" core"), "{said}");
    let printed = program.run("generate cycle -o x --threads 0 --json").code(2);
    insta::assert_snapshot!(text(&printed.get_output().stdout), @r#"
    {
      "error": "--threads must be at least 1, got 0",
      "where": "--threads"
    }
    "#);
    let printed = program.run("generate circle -o x --json").code(2);
    insta::assert_snapshot!(text(&printed.get_output().stdout), @r#"
    {
      "error": "invalid value 'circle' for '<SET>' [possible values: cycle, cycle-xor]",
      "where": null
    }
    "#);
}

#[test]
fn a_negative_number_is_the_value_of_its_option() {
    let program = Program::new();
    for option in ["--seed", "--threads", "--folds"] {
        let said = text(&program.run(&format!("split x -o y {option} -5")).code(2).get_output().stderr);
        assert!(said.contains("invalid value '-5'") && !said.contains("-- -5"), "{said}");
    }
    let said = text(&program.run("inspect x --seed -5").code(2).get_output().stderr);
    assert!(said.contains("must be a whole number from 0"), "{said}");
}

#[test]
fn a_list_in_the_help_has_a_line_for_each_item() {
    let help = Program::new().stdout("split --help");
    for scheme in ["random", "stratified", "kfold", "scaffold", "group", "cluster"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("- {scheme}: "))), "{scheme}: {help}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in [&["completions", "bash"][..], &["--help"], &["man"]] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("einsicht"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn completions_and_manual_pages_know_the_commands() {
    let program = Program::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(program.stdout(&format!("completions {shell}")).contains("generate"), "{shell}");
    }
    assert!(program.stdout("man").contains("einsicht"));
    program.run("man -o pages").success();
    assert!(program.folder().join("pages/einsicht-generate.1").is_file());
}
