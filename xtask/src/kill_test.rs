//! `cargo xtask kill-test`: an experiment and a training that are killed again and again and resumed end in the
//! bytes of runs that were not killed.
//!
//! The signal is SIGKILL, at moments spread over all passes: the program saves its state after every few passes
//! (`EINSICHT_CHECKPOINT_PASSES`), and is killed at a random moment after some new states have appeared, during a pass
//! or during a write. Each run that follows must report that it resumes after a pass above 0, or find finished trials.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xtask::random::Random;
use xtask::started::{Ended, Program, files, fresh, saved, splits, write};

/// Number of kills, and how long the work must be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KillTestOptions {
    kills: usize,
    /// Few trials and little training.
    short: bool,
}

impl KillTestOptions {
    /// For `cargo xtask test`.
    pub(crate) const DAILY: Self = Self { kills: 10, short: true };

    /// Reads `[--kills N] [--short]`; the error is the argument that is not known.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { kills: 200, short: false };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--kills" => {
                    let number = words.next().copied().unwrap_or_default();
                    options.kills = number.parse().ok().filter(|n| *n > 0).ok_or(format!("--kills {number}"))?;
                }
                "--short" => options.short = true,
                unknown => return Err(unknown.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Processor seconds of the work, where it is not short.
const LONG: f64 = 60.0;

/// What is killed.
struct Subject {
    name: &'static str,
    /// The command, without its output file.
    line: String,
    output: &'static str,
}

/// Kills, resumes, compares; whether all files were equal.
pub(crate) fn run(root: &Path, options: &KillTestOptions) -> bool {
    match test(root, options) {
        Ok(()) => true,
        Err(problem) => {
            eprintln!("kill-test: {problem}");
            false
        }
    }
}

fn test(root: &Path, options: &KillTestOptions) -> Result<(), String> {
    let program = Program::find(root, Duration::from_hours(2)).ok_or("the program does not build")?;
    let folder = root.join("target/kill-test");
    fresh(&folder)?;
    let mutag = root.join("testdata/sets/MUTAG").display().to_string();
    let (trials, sizes, iterations) = if options.short { (2, 6, 100) } else { (20, 30, 8000) };
    write(&folder.join("grid.json"), "{\"hidden\": [2, 4], \"network_steps\": [1, 20]}")?;
    // A size ends by itself when the line search fails, so more work is more trials, or more sizes.
    let fixed = format!(
        "--preset ein --max-edges 5 --max-iterations {iterations} --patience {iterations} --tolerance 0 --json"
    );
    let experiment = |trials: usize| {
        write(&folder.join("splits.json"), &splits(188, trials))?;
        let line = format!("experiment {mutag} --splits splits.json --grid grid.json --sizes 1,3,8,20 {fixed}");
        Ok(Subject { name: "experiment", line, output: "results" })
    };
    let train = |sizes: usize| {
        let sizes: Vec<String> = (1..=sizes).map(|size| size.to_string()).collect();
        let line = format!("train {mutag} --hidden 8 --sizes {} {fixed}", sizes.join(","));
        Ok(Subject { name: "train", line, output: "model" })
    };
    let bench = Bench { program: &program, folder: &folder, options };
    Killing::new(&bench, &bench.run_alone(trials, &experiment)?).run()?;
    Killing::new(&bench, &bench.run_alone(sizes, &train)?).run()
}

/// Where subjects run.
struct Bench<'a> {
    program: &'a Program,
    folder: &'a Path,
    options: &'a KillTestOptions,
}

/// A run that was not killed.
struct Reference {
    subject: Subject,
    files: BTreeMap<String, Vec<u8>>,
    passes: usize,
    trials: usize,
    cpu_seconds: f64,
}

impl Bench<'_> {
    /// Runs a subject to its end, with more work until it takes [`LONG`] seconds, unless the test is short.
    fn run_alone(
        &self,
        mut amount: usize,
        subject: &dyn Fn(usize) -> Result<Subject, String>,
    ) -> Result<Reference, String> {
        loop {
            let subject = subject(amount)?;
            let (name, output) = (subject.name, subject.output);
            let place = format!("whole-{output}");
            fresh(&self.folder.join(&place))?;
            let start = Instant::now();
            let ended = self.program.run(self.folder, &format!("{} -o {place}/{output}", subject.line))?;
            if !ended.status.success() {
                return Err(format!("{name}: {}", ended.stderr));
            }
            let printed: Value = serde_json::from_str(&ended.stdout).map_err(|e| e.to_string())?;
            let cpu_seconds = printed["cpu_seconds"].as_f64().ok_or("the program printed no cpu_seconds")?;
            let passes = passes(&printed);
            let elapsed = start.elapsed().as_secs_f64();
            println!("{name} alone: {passes} passes, {cpu_seconds:.1} s of processor time, {elapsed:.1} s");
            if self.options.short || cpu_seconds >= LONG {
                let files = files(&self.folder.join(&place).join(output));
                let trials = printed["trials"].as_array().map_or(1, Vec::len);
                return Ok(Reference { subject, files, passes, trials, cpu_seconds });
            }
            // The machine is faster than expected: more work.
            amount = ((amount as f64 * 1.2 * LONG / cpu_seconds).ceil() as usize).max(amount + 1);
        }
    }
}

/// A subject that is killed and resumed until all kills are done.
struct Killing<'a> {
    bench: &'a Bench<'a>,
    reference: &'a Reference,
    /// The subject saves its state after this many passes.
    every: usize,
    /// Longest time between a saved state and the kill: less than the passes between two kills should take.
    pause: Duration,
    random: Random,
    kills: usize,
    /// Whether the next run resumes.
    resumes: bool,
    /// Passes that the last run had behind it when it started.
    done: usize,
    /// The least and the most passes after which a run resumed.
    resumed_after: (usize, usize),
}

impl<'a> Killing<'a> {
    fn new(bench: &'a Bench<'a>, reference: &'a Reference) -> Self {
        let kills = bench.options.kills;
        Self {
            bench,
            reference,
            every: (reference.passes / (8 * kills)).max(1),
            pause: Duration::from_secs_f64((0.3 * reference.cpu_seconds / kills as f64).min(1.0)),
            random: Random::new(kills as u64),
            kills: 0,
            resumes: false,
            done: 0,
            resumed_after: (usize::MAX, 0),
        }
    }

    fn run(mut self) -> Result<(), String> {
        let Reference { subject: Subject { name, output, .. }, files: whole, passes, .. } = self.reference;
        let pieces = self.bench.folder.join("pieces");
        fresh(&pieces)?;
        loop {
            let ended = self.run_and_kill()?;
            match ended.status.code() {
                Some(0) => {}
                Some(code) => return Err(format!("{name}: exit code {code}: {}", ended.stderr)),
                None => {
                    self.kills += 1;
                    self.resumes = true;
                    continue;
                }
            }
            let left: Vec<String> = files(&pieces).into_keys().collect();
            if files(&pieces.join(output)) != *whole || left != [*output] {
                return Err(format!(
                    "{name}: after {} kills the files differ from those of a run without kills",
                    self.kills
                ));
            }
            if self.kills >= self.bench.options.kills {
                break;
            }
            // It ended before all kills were done: once more.
            fresh(&pieces)?;
            (self.resumes, self.done) = (false, 0);
        }
        println!(
            "{name}: killed {} times, saved after every {} of {passes} passes, resumed after passes {} to {}; {} \
             files, equal to the byte to those of a run without kills",
            self.kills,
            self.every,
            self.resumed_after.0,
            self.resumed_after.1,
            whole.len()
        );
        Ok(())
    }

    /// Starts or resumes the subject, waits for some saved states, and kills it if kills are left.
    fn run_and_kill(&mut self) -> Result<Ended, String> {
        let Subject { line, output, .. } = &self.reference.subject;
        let folder = self.bench.folder;
        let place = folder.join("pieces").join(output);
        let resume = if self.resumes { "--resume" } else { "" };
        let variables = [("EINSICHT_CHECKPOINT_PASSES", self.every.to_string())];
        let line = format!("{line} -o pieces/{output} {resume}");
        let mut running = self.bench.program.start(folder, &line, &variables)?;
        let mut before = saved(&place);
        let is_result = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
        let finished_trials = before.keys().filter(is_result).count();
        // Half of the remaining passes per remaining kill: states that are noticed late must not use up all passes.
        let kills_left = self.bench.options.kills - self.kills;
        let states_left = self.reference.passes.saturating_sub(self.done) / (self.every * kills_left.max(1));
        let mut changes = 0;
        while changes < (states_left / 2).clamp(1, 20) && !running.is_over() {
            std::thread::sleep(Duration::from_millis(1));
            let now = saved(&place);
            changes += usize::from(now != before);
            before = now;
        }
        if kills_left > 0 {
            std::thread::sleep(self.pause.mul_f64(self.random.below(1000) as f64 / 1000.0));
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
        let Reference { subject, passes, trials, .. } = self.reference;
        let after: usize = ended.resumed_after().iter().sum();
        let is_complete = ended.stderr.contains("is already complete");
        self.done = after + if is_complete { *passes } else { finished_trials * passes / trials };
        if self.done == 0 {
            return Err(format!("{}: did not resume after a pass above 0: {}", subject.name, ended.stderr));
        }
        self.resumed_after = (self.resumed_after.0.min(self.done), self.resumed_after.1.max(self.done));
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
    fn options_are_understood_and_passes_are_counted() {
        assert_eq!(KillTestOptions::parse(&[]), Ok(KillTestOptions { kills: 200, short: false }));
        assert_eq!(KillTestOptions::parse(&["--short", "--kills", "10"]), Ok(KillTestOptions::DAILY));
        assert_eq!(KillTestOptions::parse(&["--kills", "0"]), Err("--kills 0".to_owned()));
        let printed = serde_json::json!({ "trials": [{ "points": [{ "iterations": 3 }, { "iterations": 4 }] }] });
        assert_eq!(passes(&printed), 7);
    }
}
