//! `cargo xtask kill-test`: an experiment and a training that are killed again and again and resumed end in the
//! bytes of runs that were not killed.
//!
//! The signal is SIGKILL, at moments spread over all passes: the program saves its state after every few passes
//! (`EINSICHT_CHECKPOINT_PASSES`), and is killed at some moment after some new states have appeared, during a pass
//! or during a write. Each run that follows must report that it resumes after a pass above 0, or find finished trials.

use crate::words::Words;
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xtask::program::{Ended, Program, files, fresh, saved, splits, write};

/// Kills a subject in `cargo xtask test`: few, of little training.
pub(crate) const DAILY: usize = 10;

/// Kills, resumes, compares; whether all files were equal.
pub(crate) fn run(root: &Path, mut words: Words) -> Result<bool, String> {
    let kills = words.value::<NonZeroUsize>("--kills")?.map_or(200, NonZeroUsize::get);
    words.end()?;
    kill(root, kills).map(|()| true)
}

/// The same.
pub(crate) fn kill(root: &Path, kills: usize) -> Result<(), String> {
    let program = Program::find(root, Duration::from_hours(2)).ok_or("the program does not build")?;
    let folder = root.join("target/kill-test");
    fresh(&folder)?;
    let mutag = root.join("testdata/sets/MUTAG").display().to_string();
    // A size ends by itself when the line search fails, so more work is more trials, or more sizes.
    let (trials, sizes, iterations) = if kills <= DAILY { (2, 6, 100) } else { (20, 30, 8000) };
    let sizes: Vec<String> = (1..=sizes).map(|size| size.to_string()).collect();
    write(&folder.join("grid.json"), "{\"hidden\": [2, 4], \"network_steps\": [1, 20]}")?;
    write(&folder.join("splits.json"), &splits(188, trials))?;
    let fixed = format!(
        "--preset ein --max-edges 5 --set max_iterations={iterations} --set patience={iterations} --set tolerance=0 \
         --json"
    );
    let experiment = format!("experiment {mutag} --splits splits.json --grid grid.json --sizes 1,3,8,20 {fixed}");
    let train = format!("train {mutag} --hidden 8 --sizes {} {fixed}", sizes.join(","));
    for (line, output) in [(experiment, "results"), (train, "model")] {
        let whole = Whole::run(&program, &folder, line, output)?;
        Killing::new(&program, &folder, &whole, kills).run()?;
    }
    Ok(())
}

/// A run that was not killed.
struct Whole {
    /// The command, without its output.
    line: String,
    output: &'static str,
    files: BTreeMap<String, Vec<u8>>,
    passes: usize,
    trials: usize,
    cpu_seconds: f64,
}

impl Whole {
    /// Runs a command to its end.
    fn run(program: &Program, folder: &Path, line: String, output: &'static str) -> Result<Self, String> {
        fresh(&folder.join("whole"))?;
        let ended = program.run(folder, &format!("{line} -o whole/{output}"))?;
        if !ended.status.success() {
            return Err(format!("{output}: {}", ended.stderr));
        }
        let printed: Value = serde_json::from_str(&ended.stdout).map_err(|e| e.to_string())?;
        let cpu_seconds = printed["cpu_seconds"].as_f64().ok_or("the program printed no cpu_seconds")?;
        let (passes, trials) = (passes(&printed), printed["trials"].as_array().map_or(1, Vec::len));
        println!("{output} alone: {passes} passes, {cpu_seconds:.1} s of processor time");
        Ok(Self { line, output, files: files(&folder.join("whole").join(output)), passes, trials, cpu_seconds })
    }
}

/// A subject that is killed and resumed until all kills are done.
struct Killing<'a> {
    program: &'a Program,
    folder: &'a Path,
    whole: &'a Whole,
    wanted: usize,
    /// The subject saves its state after this many passes.
    every: usize,
    /// Longest time between a saved state and the kill: less than the passes between two kills should take.
    pause: Duration,
    kills: usize,
    /// Whether the next run resumes.
    resumes: bool,
    /// Passes that the last run had behind it when it started.
    done: usize,
}

impl<'a> Killing<'a> {
    fn new(program: &'a Program, folder: &'a Path, whole: &'a Whole, kills: usize) -> Self {
        Self {
            program,
            folder,
            whole,
            wanted: kills,
            every: (whole.passes / (8 * kills)).max(1),
            pause: Duration::from_secs_f64((0.3 * whole.cpu_seconds / kills as f64).min(1.0)),
            kills: 0,
            resumes: false,
            done: 0,
        }
    }

    fn run(mut self) -> Result<(), String> {
        let Whole { output, files: whole, passes, .. } = self.whole;
        let pieces = self.folder.join("pieces");
        fresh(&pieces)?;
        loop {
            let ended = self.run_and_kill()?;
            match ended.status.code() {
                Some(0) => {}
                Some(code) => return Err(format!("{output}: exit code {code}: {}", ended.stderr)),
                None => {
                    self.kills += 1;
                    self.resumes = true;
                    continue;
                }
            }
            let left: Vec<String> = files(&pieces).into_keys().collect();
            if files(&pieces.join(output)) != *whole || left != [*output] {
                return Err(format!(
                    "{output}: after {} kills the files differ from those of a run without kills",
                    self.kills
                ));
            }
            if self.kills >= self.wanted {
                break;
            }
            // It ended before all kills were done: once more.
            fresh(&pieces)?;
            (self.resumes, self.done) = (false, 0);
        }
        println!(
            "{output}: killed {} times, saved after every {} of {passes} passes; {} files, equal to the byte to those \
             of a run without kills",
            self.kills,
            self.every,
            whole.len()
        );
        Ok(())
    }

    /// Starts or resumes the subject, waits for some saved states, and kills it if kills are left.
    fn run_and_kill(&mut self) -> Result<Ended, String> {
        let Whole { line, output, passes, .. } = self.whole;
        let place = self.folder.join("pieces").join(output);
        let resume = if self.resumes { "--resume" } else { "" };
        let variables = [("EINSICHT_CHECKPOINT_PASSES", self.every.to_string())];
        let line = format!("{line} -o pieces/{output} {resume}");
        let mut running = self.program.start(self.folder, &line, &variables)?;
        let mut before = saved(&place);
        let is_result = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
        let finished_trials = before.keys().filter(is_result).count();
        // Half of the remaining passes per remaining kill: states that are noticed late must not use up all passes.
        let kills_left = self.wanted - self.kills;
        let states_left = passes.saturating_sub(self.done) / (self.every * kills_left.max(1));
        let mut changes = 0;
        while changes < (states_left / 2).clamp(1, 20) && !running.is_over() {
            std::thread::sleep(Duration::from_millis(1));
            let now = saved(&place);
            changes += usize::from(now != before);
            before = now;
        }
        if kills_left > 0 {
            // Multiples of the golden ratio are spread evenly, whatever their number.
            std::thread::sleep(self.pause.mul_f64((self.kills as f64 * 0.618_034).fract()));
            running.kill();
        }
        let ended = running.wait()?;
        if self.resumes {
            self.check_resumed(&ended, finished_trials)?;
        }
        Ok(ended)
    }

    /// A run that resumes must continue after a pass above 0, or find finished trials.
    fn check_resumed(&mut self, ended: &Ended, finished_trials: usize) -> Result<(), String> {
        let Whole { output, passes, trials, .. } = self.whole;
        let after: usize = ended.resumed_after().iter().sum();
        let is_complete = ended.stderr.contains("is already complete");
        self.done = after + if is_complete { *passes } else { finished_trials * passes / trials };
        if self.done == 0 {
            return Err(format!("{output}: did not resume after a pass above 0: {}", ended.stderr));
        }
        Ok(())
    }
}

/// Passes of a training or an experiment, from its JSON output.
fn passes(printed: &Value) -> usize {
    let sum = |list: &Value| -> usize {
        list.as_array().into_iter().flatten().filter_map(|entry| Some(entry["iterations"].as_u64()? as usize)).sum()
    };
    sum(&printed["path"])
        + printed["trials"].as_array().into_iter().flatten().map(|trial| sum(&trial["points"])).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_counted() {
        let printed = serde_json::json!({ "trials": [{ "points": [{ "iterations": 3 }, { "iterations": 4 }] }] });
        assert_eq!(passes(&printed), 7);
    }
}
