//! Instructions and memory that a program needs to mine, with gates.
//!
//! Instructions are counted by callgrind, so the figure does not depend on the load of the machine. The counted run
//! prints its number of patterns and its sum of supports, so a program that saves work by finding less is noticed.
//! Without valgrind only time and memory are shown. `cargo xtask test` counts those of the program that the tests have
//! built ([`TESTED`]), so that nothing is built for it alone; `cargo lab bench-instructions` mines a large set.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A data set with the gates of mining it.
pub struct Case {
    /// Path from the root of the repository.
    pub path: &'static str,
    /// Largest number of edges.
    pub max_edges: usize,
    /// Expected number of patterns.
    pub patterns: u64,
    /// Expected sum of their supports.
    pub support_sum: u64,
    /// Instructions, in millions, at most.
    pub instructions: u64,
    /// Peak memory in MB (of 1024 KB) at most.
    pub memory: u64,
}

const MUTAG: &str = "testdata/sets/MUTAG";

/// For the program as it is shipped.
pub const SHIPPED: Case =
    Case { path: MUTAG, max_edges: 10, patterns: 58_145, support_sum: 306_361, instructions: 650, memory: 30 };

/// For the program of the tests: it is hardly optimised, and callgrind slows it down further, so fewer edges.
pub const TESTED: Case =
    Case { path: MUTAG, max_edges: 8, patterns: 14_363, support_sum: 93_997, instructions: 820, memory: 30 };

/// Mines and prints the figures; an error if a gate is missed.
pub fn check(root: &Path, program: &Path, case: &Case) -> Result<(), String> {
    if !root.join(case.path).is_dir() {
        return Err(format!("{} must be there to be mined", case.path));
    }
    let figures = measure(root, program, case)?;
    println!("{}", figures.text(case));
    let missed = figures.missed(case);
    if missed.is_empty() { Ok(()) } else { Err(missed.join("\n")) }
}

#[derive(Debug, Default)]
struct Figures {
    patterns: u64,
    support_sum: u64,
    /// Bytes, where the system reports it.
    peak_memory: Option<u64>,
    /// None without valgrind.
    instructions: Option<u64>,
}

fn measure(root: &Path, program: &Path, case: &Case) -> Result<Figures, String> {
    let max_edges = case.max_edges.to_string();
    let arguments = ["mine", case.path, "--max-edges", &max_edges, "--count", "--threads", "1", "--json", "--quiet"];
    let run = |command: &mut Command| {
        let output = command.args(arguments).current_dir(root).output();
        let output = output.map_err(|problem| format!("cannot start {command:?}: {problem}"))?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(format!("{command:?}: {}\n{messages}", output.status));
        }
        let document: Value = serde_json::from_slice(&output.stdout).map_err(|problem| problem.to_string())?;
        Ok((document, messages))
    };
    let (document, _) = run(&mut Command::new(program))?;
    let mut figures = Figures {
        patterns: document["patterns"].as_u64().unwrap_or(0),
        support_sum: document["support_sum"].as_u64().unwrap_or(0),
        peak_memory: document["peak_memory"].as_u64(),
        instructions: None,
    };
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("valgrind is not installed: instructions are not counted");
        return Ok(figures);
    }
    let mut callgrind = Command::new("valgrind");
    callgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let (counted, messages) = run(&mut callgrind)?;
    for key in ["patterns", "support_sum", "by_edges"] {
        if counted[key] != document[key] {
            return Err(format!("{key} is {} when counted, else {}", counted[key], document[key]));
        }
    }
    figures.instructions = Some(collected(&messages).ok_or("callgrind printed no number of instructions")?);
    Ok(figures)
}

/// The number of instructions in callgrind's messages: `==12== Collected : 7912`.
fn collected(messages: &str) -> Option<u64> {
    messages.lines().rev().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

impl Figures {
    fn text(&self, case: &Case) -> String {
        let instructions = self.instructions.map_or("not counted".to_owned(), |n| (n / 1_000_000).to_string());
        let memory = self.peak_memory.map_or("unknown".to_owned(), |n| format!("{:.1}", n as f64 / MB as f64));
        format!(
            "{}, at most {} edges: {} patterns, {instructions} million instructions (of {}), {memory} MB (of {})",
            case.path, case.max_edges, self.patterns, case.instructions, case.memory,
        )
    }

    /// The gates that are missed, as sentences.
    fn missed(&self, case: &Case) -> Vec<String> {
        let (found, wanted) = ((self.patterns, self.support_sum), (case.patterns, case.support_sum));
        let other =
            (found != wanted).then(|| format!("patterns and sum of supports must be {wanted:?}, got {found:?}"));
        let above = |what, measured: Option<u64>, unit: u64, most: u64| {
            let measured = measured.filter(|measured| *measured > most * unit)?.div_ceil(unit);
            Some(format!("{what} must be at most {most}, got {measured}"))
        };
        let instructions = above("millions of instructions", self.instructions, 1_000_000, case.instructions);
        other.into_iter().chain(instructions).chain(above("MB of memory", self.peak_memory, MB, case.memory)).collect()
    }
}

const MB: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_instructions_is_found_in_callgrinds_messages() {
        let messages =
            "==7== Events    : Ir\n==7== Collected : 7912345678\n==7== \n==7== I   refs:      7,912,345,678\n";
        assert_eq!(collected(messages), Some(7_912_345_678));
        assert_eq!(collected("valgrind: killed"), None);
    }

    #[test]
    fn every_missed_gate_is_named() {
        let case = &SHIPPED;
        let good = Figures { patterns: case.patterns, support_sum: case.support_sum, ..Figures::default() };
        assert!(good.missed(case).is_empty());
        let bad = Figures {
            patterns: 1,
            instructions: Some(case.instructions * 1_000_000 + 1),
            peak_memory: Some(case.memory * MB + 1),
            ..Figures::default()
        };
        assert_eq!(bad.missed(case).len(), 3);
    }

    #[test]
    fn what_is_shipped_and_measured_runs_on_any_cpu() {
        for file in ["Cargo.toml", ".cargo/config.toml"] {
            let text = std::fs::read_to_string(crate::root().join(file)).unwrap();
            assert!(!text.contains("target-cpu") && !text.contains("rustflags"), "{file} asks for a kind of CPU");
        }
    }
}
