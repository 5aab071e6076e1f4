//! Named steps with their outcome, time and a summary.
//!
//! The steps after a failed one run too: one run shows everything that is wrong.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The steps so far.
#[derive(Default)]
pub struct Steps {
    done: Vec<Step>,
}

struct Step {
    name: String,
    good: bool,
    time: Duration,
}

impl Steps {
    /// Runs a step and records its outcome and time.
    pub fn run(&mut self, name: &str, work: impl FnOnce() -> bool) {
        println!("\n== {name}");
        let start = Instant::now();
        let good = work();
        self.done.push(Step { name: name.to_owned(), good, time: start.elapsed() });
    }

    /// Whether all steps succeeded.
    pub fn all_good(&self) -> bool {
        self.done.iter().all(|step| step.good)
    }

    /// One line per step with its time, and the total.
    pub fn summary(&self) -> String {
        let line = |Step { name, good, time }: &Step| {
            let word = if *good { "ok" } else { "FAILED" };
            format!("{word:<7} {:>7.1} s  {name}\n", time.as_secs_f64())
        };
        let lines: String = self.done.iter().map(line).collect();
        let total: Duration = self.done.iter().map(|step| step.time).sum();
        let failed = self.done.iter().filter(|step| !step.good).count();
        lines + &format!("{} steps, {failed} failed, {:.1} s\n", self.done.len(), total.as_secs_f64())
    }
}

/// Runs a command with its output on the terminal; prints the reason if it cannot start or fails.
pub fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) if status.success() => true,
        Ok(status) => {
            eprintln!("{command:?}: {status}");
            false
        }
        Err(problem) => {
            eprintln!("cannot start {command:?}: {problem}");
            false
        }
    }
}

/// What a command prints; an error if it fails.
pub fn output(root: &Path, command: &[&str]) -> Result<String, String> {
    let run = Command::new(command[0]).args(&command[1..]).current_dir(root).output();
    let run = run.map_err(|e| format!("cannot start {}: {e}", command[0]))?;
    if !run.status.success() {
        return Err(format!("{} failed: {}", command.join(" "), String::from_utf8_lossy(&run.stderr)));
    }
    String::from_utf8(run.stdout).map_err(|e| format!("{} printed no text: {e}", command[0]))
}

/// The commit that is checked out, and today: what a stored measurement says of itself.
pub fn commit_and_date(root: &Path) -> Result<[String; 2], String> {
    let line = |command: &[&str]| Ok::<_, String>(output(root, command)?.trim().to_owned());
    Ok([line(&["git", "rev-parse", "--short", "HEAD"])?, line(&["date", "-u", "+%F"])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_whole_and_is_named() {
        let mut steps = Steps::default();
        steps.run("first", || true);
        assert!(steps.all_good());
        steps.run("second", || false);
        steps.run("third", || true);
        assert!(!steps.all_good());
        let summary = steps.summary();
        assert!(summary.contains("3 steps, 1 failed"), "{summary}");
        assert!(summary.lines().any(|line| line.starts_with("FAILED") && line.ends_with("second")), "{summary}");
    }

    #[test]
    fn a_command_that_does_not_exist_is_a_failure() {
        assert!(!succeeds(&mut Command::new("no-such-program-anywhere")));
    }
}
