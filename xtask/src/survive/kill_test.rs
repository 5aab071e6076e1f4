//! `cargo xtask kill-test`: an experiment and a training, each killed again and again and resumed, end in the bytes of runs that
//! were left alone.
//!
//! The signal is SIGKILL, at moments spread over all passes: the program saves after a share of its passes
//! (`EINSICHT_CHECKPOINT_PASSES`), and is killed at a random moment after some new states have appeared, be it in a pass or
//! in the middle of a write. Each run that follows must say that it goes on after a pass above 0, or find finished trials.

use super::program::{Program, files, fresh, saved};
use super::random::Random;
use super::sets;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often, and how long the work must be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    kills: usize,
    /// Few trials and little training, for every day.
    short: bool,
}

impl Options {
    /// For `cargo xtask test`.
    pub(crate) const DAILY: Self = Self { kills: 10, short: true };

    /// Reads `[--kills N] [--short]`; the error is the word that is not understood.
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
    /// The command, without the place where it writes.
    line: String,
    output: &'static str,
}

/// Kills, resumes, compares; whether all was well.
pub(crate) fn run(root: &Path, options: &Options) -> bool {
    match test(root, options) {
        Ok(()) => true,
        Err(problem) => {
            eprintln!("kill-test: {problem}");
            false
        }
    }
}

fn test(root: &Path, options: &Options) -> Result<(), String> {
    let program = Program::find(root, Duration::from_hours(2)).ok_or("the program does not build")?;
    let folder = root.join("target/kill-test");
    fresh(&folder)?;
    let mutag = root.join("testdata/sets/MUTAG").display().to_string();
    let (trials, sizes, iterations) = if options.short { (2, 6, 100) } else { (20, 30, 8000) };
    sets::write(&folder.join("grid.json"), "{\"hidden\": [2, 4], \"network_steps\": [1, 20]}")?;
    // A size ends by itself when no step serves any more, so more work is more trials, or more sizes.
    let fixed = format!(
        "--head network --max-edges 5 --max-iterations {iterations} --patience {iterations} --tolerance 0 --json"
    );
    let experiment = |trials: usize| {
        sets::write(&folder.join("splits.json"), &sets::splits(188, trials))?;
        let line = format!("experiment {mutag} --splits splits.json --grid grid.json --sizes 1,3,8,20 {fixed}");
        Ok(Subject { name: "experiment", line, output: "results" })
    };
    let train = |sizes: usize| {
        let sizes: Vec<String> = (1..=sizes).map(|size| size.to_string()).collect();
        let line = format!("train {mutag} --hidden 8 --sizes {} {fixed}", sizes.join(","));
        Ok(Subject { name: "train", line, output: "model" })
    };
    kill_subject(&program, &folder, options, trials, &experiment)?;
    kill_subject(&program, &folder, options, sizes, &train)
}

/// Finds out how long the work must be made, does it once alone and once under fire, and compares.
fn kill_subject(
    program: &Program,
    folder: &Path,
    options: &Options,
    mut amount: usize,
    subject: &dyn Fn(usize) -> Result<Subject, String>,
) -> Result<(), String> {
    let (whole, told, cpu) = loop {
        let Subject { name, line, output } = subject(amount)?;
        let place = format!("whole-{output}");
        fresh(&folder.join(&place))?;
        let start = Instant::now();
        let ended = program.run(folder, &format!("{line} -o {place}/{output}"))?;
        if !ended.status.success() {
            return Err(format!("{name}: {}", ended.stderr));
        }
        let told: Value = serde_json::from_str(&ended.stdout).map_err(|e| e.to_string())?;
        let cpu = told["cpu_seconds"].as_f64().ok_or("no processor time was told")?;
        println!(
            "{name} alone: {} passes, {cpu:.1} s of processor time, {:.1} s",
            passes(&told),
            start.elapsed().as_secs_f64()
        );
        if options.short || cpu >= LONG {
            break (files(&folder.join(&place).join(output)), told, cpu);
        }
        // The machine is faster than expected: the work becomes longer.
        amount = ((amount as f64 * 1.2 * LONG / cpu).ceil() as usize).max(amount + 1);
    };
    let Subject { name, line, output } = subject(amount)?;
    let place = folder.join("pieces").join(output);
    fresh(&folder.join("pieces"))?;
    let all_passes = passes(&told);
    let every = (all_passes / (8 * options.kills)).max(1);
    let trials = told["trials"].as_array().map_or(1, Vec::len);
    // Less than the passes between two kills should take.
    let pause = Duration::from_secs_f64((0.3 * cpu / options.kills as f64).min(1.0));
    let mut random = Random::new(options.kills as u64);
    let (mut kills, mut done, mut lowest, mut highest) = (0, 0, usize::MAX, 0);
    let mut resume = "";
    let variables = [("EINSICHT_CHECKPOINT_PASSES", every.to_string())];
    loop {
        let mut running = program.start(folder, &format!("{line} -o pieces/{output} {resume}"), &variables)?;
        let mut before = saved(&place);
        let mut changes = 0;
        let is_result = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
        let over = before.keys().filter(is_result).count();
        // Half of what is left for each kill that is left: what is not seen in time must not use up all passes.
        let left = all_passes.saturating_sub(done) / (every * (options.kills - kills).max(1));
        let wanted = (left / 2).clamp(1, 20);
        while changes < wanted && !running.is_over() {
            std::thread::sleep(Duration::from_millis(1));
            let now = saved(&place);
            changes += usize::from(now != before);
            before = now;
        }
        if kills < options.kills {
            std::thread::sleep(pause.mul_f64(random.below(1000) as f64 / 1000.0));
            running.kill();
        }
        let ended = running.wait()?;
        if !resume.is_empty() {
            let after: usize = ended.resumed_after().iter().sum();
            let complete = ended.stderr.contains("is already complete");
            done = after + if complete { all_passes } else { over * all_passes / trials };
            // What was just over need not go on.
            if done == 0 {
                return Err(format!("{name}: did not go on from a pass above 0: {}", ended.stderr));
            }
            (lowest, highest) = (lowest.min(done), highest.max(done));
        }
        match ended.status.code() {
            Some(0) => {}
            Some(code) => return Err(format!("{name}: exit code {code}: {}", ended.stderr)),
            None => {
                kills += 1;
                resume = "--resume";
                continue;
            }
        }
        let left: Vec<String> = files(&folder.join("pieces")).into_keys().collect();
        if files(&place) != whole || left != [output] {
            return Err(format!(
                "{name}: after {kills} kills the files differ from those of a run that was left alone"
            ));
        }
        if kills >= options.kills {
            break;
        }
        // It was over before all kills were made: once more.
        fresh(&folder.join("pieces"))?;
        (resume, done) = ("", 0);
    }
    println!(
        "{name}: killed {kills} times, saved after every {every} of {all_passes} passes, resumed after passes {lowest} to \
         {highest}; {} files, byte for byte those of a run that was left alone",
        whole.len()
    );
    Ok(())
}

/// Passes of a training or an experiment, from what it told.
fn passes(told: &Value) -> usize {
    let sum = |list: &Value| -> usize {
        list.as_array().into_iter().flatten().filter_map(|entry| Some(entry["iterations"].as_u64()? as usize)).sum()
    };
    sum(&told["path"])
        + told["trials"].as_array().into_iter().flatten().map(|trial| sum(&trial["points"])).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_understood_and_passes_are_counted() {
        assert_eq!(Options::parse(&[]), Ok(Options { kills: 200, short: false }));
        assert_eq!(Options::parse(&["--short", "--kills", "10"]), Ok(Options::DAILY));
        assert_eq!(Options::parse(&["--kills", "0"]), Err("--kills 0".to_owned()));
        let told = serde_json::json!({ "trials": [{ "points": [{ "iterations": 3 }, { "iterations": 4 }] }] });
        assert_eq!(passes(&told), 7);
    }
}
