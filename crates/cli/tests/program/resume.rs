//! Killed, interrupted, out of time: a resumed run writes the same bytes. No clock decides anything here: states are
//! saved after every pass, and signals come at the end of a given pass.

use super::{Program, experiment, text};
use einsicht_testkit::repo_root;
use std::fs;

const EVERY_PASS: (&str, &str) = ("EINSICHT_CHECKPOINT_PASSES", "1");

fn at_pass(what: &str) -> [(&'static str, &str); 2] {
    [EVERY_PASS, ("EINSICHT_AT_PASS", what)]
}

fn mutag() -> String {
    repo_root().join("testdata/sets/MUTAG").display().to_string()
}

/// Numbers that follow "pass" in the messages of a run.
fn passes_reported(stderr: &str) -> Vec<usize> {
    let after = |line: &str| line.rsplit_once("pass ")?.1.trim().parse().ok();
    stderr.lines().filter_map(after).collect()
}

/// Runs until it ends by itself, killed at every `at`-th pass; how often it was killed. Each run but the first must
/// continue from a pass above 0.
fn kill_and_resume(program: &Program, line: &str, at: usize) -> usize {
    let mut resume = "";
    for kills in 0..100 {
        let run = program.run_with(&at_pass(&format!("{at}:kill")), &format!("{line} {resume}"));
        let output = run.get_output();
        if kills > 0 {
            let passes = passes_reported(&text(&output.stderr));
            // Trials that were just finished need not continue.
            let over = program.folder().join("pieces/trial-0.json").exists();
            assert!(over || passes.iter().any(|pass| *pass > 0), "{line}: {}", text(&output.stderr));
        }
        if output.status.success() {
            return kills;
        }
        assert_eq!(signal_of(output.status), Some(9), "{line}: {}", text(&output.stderr));
        resume = "--resume";
    }
    panic!("{line}: never done")
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    Some(9)
}

#[cfg(unix)]
#[test]
fn a_training_that_is_killed_again_and_again_writes_the_same_bytes() {
    let variants = [
        "--sizes 1,3,6",
        "--preset ein --sizes 1,2,4 --set calibrate=on --set threshold=auto",
        "--head forest --set trees=5 --sizes 1,3,6 --threads 2",
        "--preset ein --penalty l1 --set lambdas=4",
        "--preset ein --penalty l1 --set network=none --set lambdas=4",
        "--preset gin --sizes 0,1,2 --set gnn_rounds=2 --set gnn_units=4",
        "--preset ein --set network_optimizer=adam --sizes 1,2,3",
        "--preset paper --sizes 1,2,3",
    ];
    for variant in variants {
        let program = Program::new();
        let line = format!("train {} --max-edges 3 --set max_iterations=4 {variant}", mutag());
        program.run(&format!("{line} -o whole")).success();
        let kills = kill_and_resume(&program, &format!("{line} -o pieces"), 4);
        assert!(kills >= 1, "{variant}: {kills} kills");
        let files = program.files(".");
        assert_eq!(files.keys().collect::<Vec<_>>(), ["pieces", "whole"], "{variant}");
        assert!(files["pieces"] == files["whole"], "{variant}");
    }
}

#[cfg(unix)]
#[test]
fn resamples_and_permutations_that_are_killed_again_and_again_give_the_same_bytes() {
    let program = Program::new();
    let line = format!(
        "train {} --preset ein --sizes 1,2 --max-edges 3 --set max_iterations=3 --bootstrap 3 --permute 2 --threads 2 \
         --json",
        mutag()
    );
    let mut whole = program.json(&format!("{line} -o whole"));
    let kills = kill_and_resume(&program, &format!("{line} -o pieces"), 5);
    assert!(kills >= 3, "{kills} kills");
    let files = program.files(".");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["pieces", "whole"]);
    assert!(files["pieces"] == files["whole"]);
    // The table of a run that was killed once is that of the whole run, too.
    program.run_with(&at_pass("9:kill"), &format!("{line} -o printed")).failure();
    let printed = program.json(&format!("{line} -o printed --resume"));
    assert_eq!([&printed["stability"], &printed["permutation"]], [&whole["stability"], &whole["permutation"]]);
    assert!(whole["stability"].take().as_array().is_some_and(|rows| !rows.is_empty()));
}

#[cfg(unix)]
#[test]
fn an_experiment_that_is_killed_again_and_again_writes_the_same_files() {
    for threads in ["1", "2"] {
        let (program, line) = experiment::program();
        let line = format!("{line} --threads {threads}");
        program.run(&format!("{line} -o whole")).success();
        let kills = kill_and_resume(&program, &format!("{line} -o pieces"), 5);
        assert!(kills >= 3, "{kills} kills");
        let whole = program.files("whole");
        assert_eq!(whole.len(), 6, "a result and a model a trial");
        assert!(program.files("pieces") == whole);
    }
}

#[cfg(unix)]
#[test]
fn signals_save_and_a_second_one_quits_at_once() {
    let program = Program::new();
    let train = format!("train {} --sizes 1,3 --max-edges 3 --set max_iterations=4 --threads 1", mutag());
    program.run(&format!("{train} -o whole -q")).success();
    for (what, code) in [("int", 130), ("term", 143), ("hup", 129)] {
        // Not saved after every pass: it is the signal that saves.
        let ended =
            program.run_with(&[("EINSICHT_AT_PASS", &format!("2:{what}"))], &format!("{train} -o m")).code(code);
        assert!(text(&ended.get_output().stderr).contains("interrupted; --resume continues from m.partial"));
        assert!(!program.folder().join("m").exists());
        let resumed = program.run(&format!("{train} -o m --resume")).success();
        assert_eq!(passes_reported(&text(&resumed.get_output().stderr)), [2]);
        let files = program.files(".");
        assert!(files["m"] == files["whole"] && !files.contains_key("m.partial"));
        fs::remove_file(program.folder().join("m")).unwrap();
    }
    // A program that was started to outlive its terminal does.
    let line = format!("trap '' HUP; exec {} {train} -o m -q", assert_cmd::cargo::cargo_bin!("einsicht").display());
    let mut outliving = std::process::Command::new("sh");
    outliving.args(["-c", &line]).env("EINSICHT_AT_PASS", "2:hup").current_dir(program.folder());
    assert!(outliving.output().unwrap().status.success());
    fs::remove_file(program.folder().join("m")).unwrap();
    program.run_with(&[("EINSICHT_AT_PASS", "2:twice")], &format!("{train} -o m")).code(130);
    assert_eq!(program.files(".").keys().collect::<Vec<_>>(), ["whole"], "nothing was saved");
    let (program, line) = experiment::program();
    program.run(&format!("{line} -o whole -q")).success();
    for (pass, threads) in [("7:term", 1), ("7:term", 2), ("7:midway", 1), ("7:midway", 2)] {
        let pieces = format!("{line} --threads {threads} -o pieces");
        let ended = program.run_with(&[("EINSICHT_AT_PASS", pass)], &pieces).code(143);
        let said = text(&ended.get_output().stderr);
        assert!(said.contains("of 3 trials are done; --resume continues"), "{pass}: {said}");
        program.run(&format!("{pieces} --resume")).success();
        assert!(program.files("pieces") == program.files("whole"), "{pass}");
        fs::remove_dir_all(program.folder().join("pieces")).unwrap();
    }
}

/// A signal meets most threads in the middle of something: of a fit of trees, say, not at the end of a pass.
#[cfg(unix)]
#[test]
fn a_signal_in_the_middle_of_folds_or_resamples_saves_too() {
    let program = Program::new();
    let train =
        format!("train {} --sizes 1,3 --max-edges 3 --folds 3 --set trees=5 --bootstrap 2 --threads 2", mutag());
    program.run(&format!("{train} -o whole -q")).success();
    let whole = program.files(".").remove("whole");
    for (pass, advice) in
        [("5:midway", "interrupted; --resume"), ("14:midway", "interrupted; model written to m; --resume")]
    {
        let ended = program.run_with(&at_pass(pass), &format!("{train} -o m")).code(143);
        let said = text(&ended.get_output().stderr);
        assert!(said.contains(advice), "{pass}: {said}");
        assert!(program.folder().join("m.partial").exists(), "{pass}");
        program.run(&format!("{train} -o m --resume -q")).success();
        let mut files = program.files(".");
        assert!(files.remove("m") == whole && !files.contains_key("m.partial"), "{pass}");
        fs::remove_file(program.folder().join("m")).unwrap();
    }
}

#[test]
fn out_of_time_the_best_so_far_is_written_and_marked_and_can_be_completed() {
    let program = Program::new();
    let train = format!("train {} --sizes 1,3,6 --max-edges 3 --set max_iterations=4 --set refit=off", mutag());
    let whole = program.json(&format!("{train} -o whole --json"));
    assert_eq!(whole["complete"], true);
    let first = whole["path"][0]["iterations"].as_u64().unwrap();
    let limit = format!("{}:limit", first + 1);
    let ended = program.run_with(&[("EINSICHT_AT_PASS", &limit)], &format!("{train} -o m --json")).code(3);
    let said = text(&ended.get_output().stderr);
    assert!(said.contains("time limit: the path is incomplete: size 1 complete"), "{said}");
    assert!(said.contains("--resume continues from m.partial"), "{said}");
    let printed: serde_json::Value = serde_json::from_slice(&ended.get_output().stdout).unwrap();
    assert_eq!((&printed["complete"], &printed["path"][0]["valid"]), (&false.into(), &whole["path"][0]["valid"]));
    assert!(program.stdout("show m").contains("incomplete: the training was stopped before the end of the path"));
    let of_valid = program.json(&format!("evaluate m {} --part valid --json", mutag()));
    let stored = &printed["path"][printed["chosen"].as_u64().unwrap() as usize]["valid"];
    let of_valid = &of_valid["seen"]["out_of_fold"];
    assert!(stored.as_object().unwrap().iter().all(|(metric, value)| of_valid[metric] == *value), "{of_valid}");
    let verified = program.run(&format!("verify m {}", mutag())).code(4);
    let said = text(&verified.get_output().stdout);
    assert!(said.contains("verified in part; not checked: ") && said.contains("that the path had to end"), "{said}");
    program.run(&format!("{train} -o m --resume -q")).success();
    let files = program.files(".");
    assert!(files["m"] == files["whole"] && !files.contains_key("m.partial"));

    let nothing = program.run_with(&[("EINSICHT_AT_PASS", "1:limit")], &format!("{train} -o n --set growth=1")).code(3);
    let said = text(&nothing.get_output().stderr);
    assert!(said.contains("time limit:") && said.contains("--resume continues from n.partial"), "{said}");
    // A time that is long enough changes nothing.
    program.run(&format!("{train} -o long --time-limit 10h -q")).success();
    assert!(program.files(".")["long"] == files["whole"]);

    let (program, line) = experiment::program();
    let whole = program.json(&format!("{line} -o whole --json"));
    let line = format!("{line} -o pieces --threads 1 --json");
    let ended = program.run_with(&[("EINSICHT_AT_PASS", "12:limit")], &line).code(3);
    let printed: serde_json::Value = serde_json::from_slice(&ended.get_output().stdout).unwrap();
    let trials = printed["trials"].as_array().unwrap();
    assert!((&printed["complete"], trials.len() < 3) == (&false.into(), true));
    assert!(trials.iter().all(|trial| whole["trials"].as_array().unwrap().contains(trial)));
    program.run(&format!("{line} --resume")).success();
    assert!(program.files("pieces") == program.files("whole"));
}

#[test]
fn other_parameters_data_and_splits_are_refused_by_name_and_the_saved_state_stays() {
    let program = Program::new();
    let train = format!("train {} --sizes 1,3 --max-edges 3 --set max_iterations=4 -o m", mutag());
    let stopped = at_pass("3:limit");
    program.run_with(&stopped, &train).code(3);
    let before = program.files(".");
    for (change, printed) in [
        ("--set trees=9", "trees was 100, now it is 9"),
        ("--max-edges 2", "max_edges was 3, now it is 2"),
        ("--sizes 1,4", "sizes was [1,3], now it is [1,4]"),
        ("--seed 5", "seed was 0, now it is 5"),
        ("--edge-labels ignore", "the data set was "),
    ] {
        let line = if change.starts_with("--sizes") || change.starts_with("--max-edges") {
            let mut words: Vec<&str> = train.split_whitespace().collect();
            let (name, value) = change.split_once(' ').unwrap();
            let at = words.iter().position(|word| *word == name).unwrap();
            words[at + 1] = value;
            words.join(" ")
        } else {
            format!("{train} {change}")
        };
        let refused = program.run(&format!("{line} --resume")).code(1);
        let said = text(&refused.get_output().stderr);
        assert!(
            said.contains("m.partial: the saved state belongs to another training") && said.contains(printed),
            "{said}"
        );
    }
    program.write(
        "s.json",
        "{\"trials\": [{\"train\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], \"valid\": [10, 11, 12], \"test\": []}]}",
    );
    let refused = program.run(&format!("{train} --splits s.json --resume")).code(1);
    assert!(text(&refused.get_output().stderr).contains("the training set was 188 graphs, now it is 10 graphs"));
    fs::remove_file(program.folder().join("s.json")).unwrap();
    assert!(program.files(".") == before);
    // A file that is not whole is no state.
    let partial = program.folder().join("m.partial");
    let half = &before["m.partial"][..before["m.partial"].len() / 2];
    fs::write(&partial, half).unwrap();
    let refused = program.run(&format!("{train} --resume")).code(1);
    assert!(
        text(&refused.get_output().stderr)
            .contains("the saved state cannot be read: its content does not have the hash")
    );
    assert!(fs::read(&partial).unwrap() == half);
    // Without --resume a warning names what will be lost, and a finished training is not repeated.
    let anew = program.run(&train).success();
    assert!(text(&anew.get_output().stderr).contains("will be replaced; --resume would continue from it"));
    let again = program.run(&format!("{train} --resume")).success();
    assert!(text(&again.get_output().stderr).contains("m is already complete"));
}
