//! The documents are right: `docs/cli.md` equals the help, and the examples of `docs/index.md` give what it shows.

use super::{Program, generate};
use einsicht_testkit::repo_root;

fn commands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let first_lines = list.filter(|line| !line.starts_with("   ")); // continuation lines are indented further
    first_lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

/// A help page without the sections of options that several commands have, and these sections.
fn without_shared(help: &str) -> (String, Vec<(String, String)>) {
    let is_shared =
        |title: &str| title.starts_with("Training options") || ["Data options", "General options"].contains(&title);
    let (mut own, mut sections) = (String::new(), Vec::<(String, String)>::new());
    let mut inside = false;
    for line in help.lines() {
        let title = line.strip_suffix(':').filter(|title| !title.starts_with(' '));
        match title {
            Some(title) if is_shared(title) => {
                inside = true;
                own += &format!("{title}: see below\n");
                sections.push((title.to_owned(), String::new()));
            }
            Some(_) => {
                inside = false;
                own += &format!("{line}\n");
            }
            None if inside => {
                if let Some((_, text)) = sections.last_mut() {
                    *text += &format!("{line}\n");
                }
            }
            None => own += &format!("{line}\n"),
        }
    }
    for (_, text) in &mut sections {
        *text = compact(text);
    }
    (compact(&own), sections)
}

/// The same without empty lines in lists of options, and without the option that prints what this page holds.
fn compact(text: &str) -> String {
    let text = text.replace("  -h, --help\n          Print help (see a summary with '-h')\n", "");
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let is_in_list = |at: usize| lines.get(at).is_some_and(|line| line.starts_with("   ") || line.starts_with("  -"));
    let kept = (0..lines.len()).filter(|&at| !(lines[at].trim().is_empty() && is_in_list(at + 1)));
    kept.map(|at| format!("{}\n", lines[at])).collect()
}

#[test]
fn the_page_of_commands_equals_the_help() {
    let program = Program::new();
    let help = program.stdout("--help");
    let mut page = format!(
        "# Commands\n\nThe help of the program and of each command. Options that several commands share are listed \
         once, at the end.\n\
         A test keeps this page up to date (`EINSICHT_UPDATE=1` rewrites it).\n\n```text\n{help}```\n"
    );
    assert!(commands(&help).contains(&"inspect"));
    let mut shared: Vec<(String, String)> = Vec::new();
    for command in commands(&help) {
        let (own, sections) = without_shared(&program.stdout(&format!("{command} --help")));
        for (title, text) in sections {
            match shared.iter_mut().find(|(known, _)| *known == title) {
                None => shared.push((title, text)),
                // The commands differ by an option or two, whose help says so: the longest has all.
                Some((_, known)) if known.len() < text.len() => *known = text,
                Some(_) => {}
            }
        }
        page += &format!("\n## {command}\n\n```text\n{own}```\n");
    }
    page += "\n## Options of several commands\n";
    for (title, text) in shared {
        page += &format!("\n### {title}\n\n```text\n{text}```\n");
    }
    let page: String = page.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let path = repo_root().join("docs/cli.md");
    if std::env::var_os("EINSICHT_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/cli.md differs from the help: run EINSICHT_UPDATE=1 cargo test -p einsicht-cli");
}

#[test]
fn first_screens_fit_a_narrow_terminal() {
    let program = Program::new();
    let help = program.stdout("-h");
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let wrapped: Vec<&str> = list.filter(|line| line.starts_with("   ") || line.len() > 80).collect();
    assert!(wrapped.is_empty(), "a command must be described in one line: {wrapped:?}");
    let all = commands(&help).into_iter().map(|command| program.stdout(&format!("{command} --help")));
    for page in [program.stdout("--help")].into_iter().chain(all) {
        let examples = page.lines().skip_while(|line| !["Examples:", "Start here:"].contains(line));
        let examples = examples.take_while(|line| !line.is_empty());
        let (shown, long): (Vec<&str>, Vec<&str>) = examples.partition(|line| line.len() <= 80);
        assert!(shown.len() >= 3 && long.is_empty(), "examples must fit 80 columns: {long:?}\n{page}");
    }
}

#[test]
fn options_of_a_command_come_before_those_of_the_data_and_are_not_among_them() {
    let program = Program::new();
    let help = program.stdout("-h");
    let mut of_data = std::collections::BTreeSet::new();
    let mut with_data = 0;
    for command in commands(&help) {
        let page = program.stdout(&format!("{command} -h"));
        let Some((before, after)) = page.split_once("\nData options:\n") else { continue };
        assert!(before.contains("\nOptions:\n"), "{page}");
        let section = after.lines().take_while(|line| !line.is_empty());
        let options = section.filter_map(|line| line.trim_start().strip_prefix("--")?.split([' ', '.']).next());
        of_data.insert(options.map(str::to_owned).collect::<Vec<_>>());
        assert!(!after.contains("\n  -o, --output"), "{page}");
        with_data += 1;
    }
    assert!(with_data >= 12, "{with_data}");
    assert_eq!(of_data.len(), 1, "every command has the same options about the data: {of_data:#?}");
}

#[test]
fn the_examples_of_the_first_page_give_what_it_shows() {
    let program = Program::new();
    let path = repo_root().join("docs/index.md");
    let index = std::fs::read_to_string(&path).unwrap();
    let mut printed = String::new();
    let mut ran = 0;
    for (at, block) in index.split("```").enumerate() {
        printed += if at > 0 { "```" } else { "" };
        let mut examples = block.split("$ einsicht ");
        printed += examples.next().unwrap_or_default();
        for line in examples.filter_map(|example| example.lines().next()) {
            let shown = if line == "demo" { generate::demo().1.clone() } else { program.stdout(line) };
            printed += &format!("$ einsicht {line}\n{shown}");
            ran += 1;
        }
    }
    assert!(ran >= 1, "the page has examples");
    if std::env::var_os("EINSICHT_UPDATE").is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    assert!(printed == std::fs::read_to_string(&path).unwrap(), "docs/index.md must show:\n{printed}");
}
