//! Full disks, folders that cannot be written, files that vanish, no terminal: a message, an exit status, nothing lost.
#![cfg(target_os = "linux")]

use super::{Program, text};
use einsicht_testkit::repo_root;
use std::fs;
use std::process::{Command, Output, Stdio};

fn mutag() -> String {
    repo_root().join("testdata/sets/MUTAG").display().to_string()
}

/// A folder with a model and what else an earlier run has left, and the rest of a command line that trains one.
fn folder() -> (Program, String) {
    let program = Program::new();
    let train = format!("train {} --sizes 1,2 --max-edges 3 --set max_iterations=3", mutag());
    program.run(&format!("{train} -o m.einsicht -q")).success();
    program.run(&format!("predict m.einsicht {} -o p.csv -q", mutag())).success();
    (program, train)
}

/// Runs a script, in which `$E` is the program and `$D` a data set.
fn script(program: &Program, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(program.folder()).stdin(Stdio::null());
    command.env("E", assert_cmd::cargo::cargo_bin!("einsicht")).env("D", mutag()).output().unwrap()
}

/// The exit status, and stderr.
fn ended(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), text(&output.stderr))
}

const TRAIN: &str = "train $D --sizes 1,2 --max-edges 3 --set max_iterations=3";

#[test]
fn a_full_device_is_reported_and_earlier_files_stay() {
    let (program, _) = folder();
    let before = program.files(".");
    let lines = [
        format!("$E {TRAIN} -o /dev/full"),
        "$E predict m.einsicht $D -o /dev/full".to_owned(),
        "$E mine $D --max-edges 2 -o /dev/full".to_owned(),
        "$E convert $D -o /dev/full".to_owned(),
        "$E report m.einsicht $D -o /dev/full".to_owned(),
        "$E predict m.einsicht $D > /dev/full".to_owned(),
        "$E show m.einsicht --json > /dev/full".to_owned(),
        "$E help > /dev/full".to_owned(),
        "$E --version > /dev/full".to_owned(),
        format!("$E {TRAIN} -o new > /dev/full; code=$?; test -f new.partial || test -f new && rm -f new*; exit $code"),
    ];
    for line in lines {
        let (code, said) = ended(&script(&program, &line));
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains("cannot write") && said.contains("No space left"), "{line}: {said}");
        assert!(program.files(".") == before, "{line}");
    }
    let device = fs::metadata("/dev/full").unwrap();
    assert!(std::os::unix::fs::FileTypeExt::is_char_device(&device.file_type()));
}

#[test]
fn a_limit_on_the_size_of_files_is_reported_and_earlier_files_stay() {
    let (program, _) = folder();
    let before = program.files(".");
    // Blocks of 512 bytes: less than any of these commands writes.
    for line in [
        format!("$E {TRAIN} -o m.einsicht"),
        // What is predicted so far stays beside it.
        "$E predict m.einsicht $D -o p.csv; code=$?; rm -f p.csv.partial; exit $code".to_owned(),
        "$E mine $D --max-edges 3 -o p.jsonl".to_owned(),
        "$E report m.einsicht $D -o p.html".to_owned(),
        "$E convert $D -o d.jsonl".to_owned(),
        "$E generate cycle -o set; code=$?; rmdir set; exit $code".to_owned(),
    ] {
        let (code, said) = ended(&script(&program, &format!("ulimit -f 1; {line}")));
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains("error: cannot write") && said.contains("too large"), "{line}: {said}");
        assert!(program.files(".") == before, "{line}");
    }
}

#[test]
fn a_full_disk_gives_a_warning_the_training_continues_and_the_checkpoint_stays() {
    let (program, _) = folder();
    fs::create_dir(program.folder().join("small")).unwrap();
    // A small disk of our own, where the system allows it; what remains there is copied out at the end.
    let run = format!(
        "mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || exit 77
         $E {TRAIN} -o small/m -q && cp small/m whole
         EINSICHT_AT_PASS=2:int $E {TRAIN} -o small/n -q; cp small/n.partial saved
         dd if=/dev/zero of=small/fill bs=1k count=64 2>/dev/null
         EINSICHT_CHECKPOINT_PASSES=1 $E {TRAIN} -o small/n --resume; code=$?
         cmp small/n.partial saved || exit 1
         cmp small/m whole || exit 1
         rm small/fill; $E {TRAIN} -o small/n --resume -q; cmp small/n whole || exit 1
         exit $code"
    );
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", &run])
        .current_dir(program.folder())
        .env("E", assert_cmd::cargo::cargo_bin!("einsicht"))
        .env("D", mutag())
        .output();
    match output.map(|output| ended(&output)) {
        Ok((Some(77), _)) | Err(_) => einsicht_testkit::skip::skip(einsicht_testkit::skip::Need::Mount, "no tmpfs"),
        Ok((_, said)) if said.starts_with("unshare:") => {
            einsicht_testkit::skip::skip(einsicht_testkit::skip::Need::Mount, "no name spaces");
        }
        Ok((code, said)) => {
            assert!(said.contains("warning: cannot write small/n.partial: No space left"), "{said}");
            assert!(said.contains("the training continues"), "{said}");
            assert!(said.contains("error: cannot write small/n: No space left"), "{said}");
            assert_eq!(code, Some(1), "{said}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_before_the_work_and_stays_as_it_is() {
    let (program, _) = folder();
    let before = program.files(".");
    // Permissions do not bind the first user, who becomes another one here.
    let as_other = "chmod 755 .; chmod 644 *; chmod 555 .; run() { if [ $(id -u) = 0 ]; then setpriv --reuid=65534 \
                    --clear-groups \"$@\"; else \"$@\"; fi; }";
    for (line, name) in [
        (format!("run $E {TRAIN} -o m.einsicht"), "m.einsicht"),
        (format!("run $E {TRAIN} -o new"), "new"),
        ("run $E predict m.einsicht $D -o p.csv".to_owned(), "p.csv"),
        ("run $E mine $D --max-edges 2 -o p.jsonl".to_owned(), "p.jsonl"),
        ("run $E convert $D -o d.jsonl".to_owned(), "d.jsonl"),
        ("run $E report m.einsicht $D -o r.html".to_owned(), "r.html"),
        ("run $E generate cycle -o set".to_owned(), "set"),
    ] {
        let output = script(&program, &format!("{as_other}; {line}; code=$?; chmod 755 .; exit $code"));
        let (code, said) = ended(&output);
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains(&format!("error: cannot write {name}: Permission denied")), "{line}: {said}");
        assert!(program.files(".") == before, "{line}");
    }
}

#[test]
fn a_file_that_vanishes_or_shrinks_while_it_is_read_is_reported() {
    let program = Program::new();
    // A name that leads nowhere is a file that was there when the folder was listed and is gone when it is opened.
    program.write("t/t_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n");
    program.write("t/t_graph_labels.txt", "1\n2\n");
    for (line, printed) in [
        ("ln -s gone t/t_graph_indicator.txt; $E inspect t", "t_graph_indicator.txt"),
        ("ln -s gone d.csv; $E train d.csv -o m", "d.csv"),
        ("$E train nowhere.csv -o m", "nowhere.csv"),
        ("ln -s gone n.einsicht; $E show n.einsicht", "cannot read n.einsicht"),
    ] {
        let (code, said) = ended(&script(&program, line));
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains(printed) && !said.contains("panicked"), "{line}: {said}");
    }
    let shrunk =
        script(&program, "$E convert $D -o d.jsonl.gz -q; head -c 2000 d.jsonl.gz > h.jsonl.gz; $E inspect h.jsonl.gz");
    let (code, said) = ended(&shrunk);
    assert!(code == Some(1) && said.starts_with("error: h.jsonl.gz"), "{said}");
}

#[test]
fn without_terminal_streams_or_locale_everything_works() {
    let (program, _) = folder();
    let plain = fs::read(program.folder().join("m.einsicht")).unwrap();
    for manner in ["<&- >&- 2>&-", "</dev/null >/dev/null 2>/dev/null", "| head -c 1 >/dev/null", "2>&- | true"] {
        let output = script(&program, &format!("rm -f n*; $E {TRAIN} -o n {manner}; exit $?"));
        assert!(output.status.success(), "{manner}: {}", text(&output.stderr));
        assert!(fs::read(program.folder().join("n")).unwrap() == plain, "{manner}");
        assert!(!program.folder().join("n.partial").exists(), "{manner}");
    }
    for locale in ["C", "POSIX", "tr_TR.UTF-8"] {
        let output = script(&program, &format!("LANG={locale} LC_ALL={locale} $E {TRAIN} -o 'mödel ☃' -q; exit $?"));
        assert!(output.status.success(), "{locale}: {}", text(&output.stderr));
        assert!(fs::read(program.folder().join("mödel ☃")).unwrap() == plain, "{locale}");
    }
}

#[test]
fn too_few_file_handles_and_no_threads_are_reported() {
    let (program, train) = folder();
    let before = program.files(".");
    for handles in 3..8 {
        let (code, said) = ended(&script(&program, &format!("ulimit -n {handles}; $E {TRAIN} -o m.einsicht")));
        // With a few the loader of the system itself gives up; from then on there is a message, or it works.
        assert!(matches!(code, Some(0 | 1 | 127)), "{handles}: {code:?} {said}");
        assert!(code == Some(0) || !said.is_empty(), "{handles}");
        assert!(!said.contains("panicked"), "{handles}: {said}");
        assert!(program.files(".") == before, "{handles}");
    }
    for line in [format!("{train} -o m --threads 0"), format!("inspect {} --threads 0", mutag())] {
        let refused = program.run(&line).code(2);
        assert!(text(&refused.get_output().stderr).contains("--threads must be at least 1, got 0"));
    }
}
