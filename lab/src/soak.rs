//! `cargo lab soak --minutes N`: random data, options, kills, resumes and invalid files, against oracles.
//!
//! Each case has its own seed, which is printed if something is wrong (`--seed` starts there again). The oracles: a run
//! that was not killed, another number of threads, `verify` (which lists every subgraph with separate code), the
//! matcher against the miner, and for invalid files a documented exit status without a panic.

mod sets;

use crate::random::Random;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::program::{Ended, Program, files, fresh, splits, write};

/// Minutes, and the seed of the first case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SoakOptions {
    minutes: u64,
    seed: u64,
}

impl SoakOptions {
    /// Reads `--minutes N [--seed S]`; the error is the argument that is not known.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { minutes: 1, seed: 0 };
        for pair in words.chunks(2) {
            let number = || pair.get(1).and_then(|number| number.parse().ok()).ok_or(pair.join(" "));
            match pair[0] {
                "--minutes" => options.minutes = number()?,
                "--seed" => options.seed = number()?,
                unknown => return Err(unknown.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Counts of what was done.
#[derive(Default)]
struct Tally {
    cases: usize,
    runs: usize,
    refused: usize,
    kills: usize,
    signals: usize,
    resumes: usize,
    comparisons: usize,
    verified: usize,
    bad_inputs: usize,
    bad_inputs_read: usize,
    /// What is wrong: the seed, and what happened.
    differences: Vec<String>,
    panics: Vec<String>,
}

/// One case under way.
struct Case<'a> {
    program: &'a Program,
    folder: PathBuf,
    seed: u64,
    random: Random,
    tally: &'a mut Tally,
}

/// Runs cases until the time is over; whether nothing was wrong.
pub(crate) fn run(root: &Path, options: &SoakOptions) -> bool {
    let Some(program) = Program::find(root, Duration::from_mins(10)) else { return false };
    let (start, limit) = (Instant::now(), Duration::from_mins(options.minutes));
    let mut tally = Tally::default();
    let mut seed = options.seed;
    while start.elapsed() < limit {
        let folder = root.join("target/soak").join(format!("case-{seed}"));
        let wrong_before = tally.differences.len() + tally.panics.len();
        let mut case = Case { program: &program, folder, seed, random: Random(seed), tally: &mut tally };
        if let Err(problem) = case.run() {
            eprintln!("soak: case {seed}: {problem}");
            return false;
        }
        let folder = case.folder;
        tally.cases += 1;
        if tally.differences.len() + tally.panics.len() == wrong_before {
            // The files of a good case are not needed.
            let _ = std::fs::remove_dir_all(folder);
        }
        seed += 1;
    }
    println!("{}", tally.text(start.elapsed()));
    tally.differences.is_empty() && tally.panics.is_empty()
}

impl Tally {
    fn text(&self, time: Duration) -> String {
        let mut text = format!(
            "{} cases in {:.1} minutes: {} runs ({} refused with a message), {} kills, {} signals, {} resumes, {} \
             comparisons, {} models verified, {} bad inputs ({} of them readable)\ndifferences: {}, panics: {}\n",
            self.cases,
            time.as_secs_f64() / 60.0,
            self.runs,
            self.refused,
            self.kills,
            self.signals,
            self.resumes,
            self.comparisons,
            self.verified,
            self.bad_inputs,
            self.bad_inputs_read,
            self.differences.len(),
            self.panics.len()
        );
        for problem in self.differences.iter().chain(&self.panics) {
            let _ = writeln!(text, "  {problem}");
        }
        text
    }
}

impl Case<'_> {
    fn run(&mut self) -> Result<(), String> {
        fresh(&self.folder)?;
        let (data, rows) = sets::random(&mut self.random, &self.folder)?;
        let task = if data.ends_with("csv") { "--target y" } else { "" };
        let options = sets::options(&mut self.random);
        match self.random.below(6) {
            0 => {
                let trials = 1 + self.random.below(3);
                write(&self.folder.join("splits.json"), &splits(rows, trials))?;
                write(&self.folder.join("grid.json"), "{\"tolerance\": [0.0, 0.01]}")?;
                let line = format!("experiment {data} {task} --splits splits.json --grid grid.json {options}");
                self.killed_and_resumed(&line)?;
            }
            1 => {
                let line = format!("train {data} {task} {options} --bootstrap 3 --permute 2");
                self.killed_and_resumed(&line)?;
            }
            2 => self.mined(data, task)?,
            _ => {
                let line = format!("train {data} {task} {options}");
                if self.killed_and_resumed(&line)? {
                    self.proven(data, task)?;
                }
            }
        }
        self.bad_inputs(data, task, &options)
    }

    /// Runs to the end; `None` if it was refused.
    fn ends(&mut self, line: &str) -> Result<Option<Ended>, String> {
        let ended = self.program.run(&self.folder, line)?;
        self.tally.runs += 1;
        self.look_at(&ended, line);
        let has_message = ended.stderr.lines().any(|line| line.starts_with("error: "));
        match ended.status.code() {
            Some(0) => Ok(Some(ended)),
            Some(1 | 2) if has_message => {
                self.tally.refused += 1;
                Ok(None)
            }
            code => {
                self.differs(&format!("exit code {code:?} of {line}: {}", ended.stderr));
                Ok(None)
            }
        }
    }

    fn look_at(&mut self, ended: &Ended, line: &str) {
        let killed = ended.status.code().is_none() && !ended.hung && !ended.stderr.contains("panicked at");
        if !is_decent(&ended) && !killed {
            let what = if ended.hung { "hung" } else { "panicked" };
            self.tally.panics.push(format!("seed {}: {what}: {line}: {}", self.seed, ended.stderr));
        }
    }

    fn differs(&mut self, what: &str) {
        self.tally.differences.push(format!("seed {}: {what}", self.seed));
    }

    fn compare(&mut self, a: &str, b: &str, line: &str) {
        self.tally.comparisons += 1;
        if files(&self.folder.join(a)) != files(&self.folder.join(b)) {
            self.differs(&format!("{a} and {b} of {line}"));
        }
    }

    /// The same work without kills, on other threads, and with kills. Whether there is a result.
    fn killed_and_resumed(&mut self, line: &str) -> Result<bool, String> {
        let start = Instant::now();
        let Some(_) = self.ends(&format!("{line} --threads 1 -o whole"))? else { return Ok(false) };
        let time = start.elapsed().as_micros() as usize;
        self.ends(&format!("{line} --threads 2 -o threads"))?;
        self.compare("whole", "threads", line);
        let threads = 1 + self.random.below(2);
        for attempt in 0.. {
            let resume = if attempt > 0 { "--resume" } else { "" };
            let line = format!("{line} --threads {threads} -o pieces {resume}");
            // In the end it is not killed any more.
            let calm = attempt >= 12;
            let mut variables = Vec::new();
            if self.random.below(3) > 0 {
                variables.push(("EINSICHT_CHECKPOINT_PASSES", (1 + self.random.below(4)).to_string()));
            }
            let mut running = self.program.start(&self.folder, &line, &variables)?;
            let polite = self.random.below(4) == 0;
            if !calm {
                std::thread::sleep(Duration::from_micros(self.random.below(time + time / 4 + 1) as u64));
                match (polite, running.is_over()) {
                    (_, true) => {}
                    (true, false) => signal(running.id(), ["INT", "TERM"][self.random.below(2)]),
                    (false, false) => running.kill(),
                }
            }
            let ended = running.wait()?;
            self.tally.runs += 1;
            self.look_at(&ended, &line);
            self.tally.resumes += usize::from(!ended.resumed_after().is_empty());
            match ended.status.code() {
                Some(0) => break,
                // A signal before the handler is installed ends the program by default.
                Some(130 | 143) => self.tally.signals += 1,
                None if polite => self.tally.signals += 1,
                None => self.tally.kills += 1,
                Some(code) => {
                    self.differs(&format!("exit code {code} of {line}: {}", ended.stderr));
                    return Ok(true);
                }
            }
        }
        self.compare("whole", "pieces", line);
        if self.folder.join("pieces.partial").exists() {
            self.differs(&format!("something is left of {line}"));
        }
        Ok(true)
    }

    /// The model passes the check by exhaustive search, and predicts the same on any number of threads.
    fn proven(&mut self, data: &str, task: &str) -> Result<(), String> {
        let line = format!("verify whole {data} {task}");
        let ended = self.program.run(&self.folder, &line)?;
        self.tally.runs += 1;
        self.look_at(&ended, &line);
        // Status 4: all that could be checked holds.
        if matches!(ended.status.code(), Some(0 | 4)) {
            self.tally.verified += 1;
        } else {
            self.differs(&format!("{line}: {}{}", ended.stdout, ended.stderr));
        }
        for threads in [1, 2] {
            self.ends(&format!("predict whole {data} {task} --threads {threads} -o p{threads}.csv -q"))?;
        }
        self.compare("p1.csv", "p2.csv", "predict");
        Ok(())
    }

    /// The miner on any number of threads, in little memory, and against the matcher.
    fn mined(&mut self, data: &str, task: &str) -> Result<(), String> {
        let feature = self.random.one(&["presence", "count"]);
        let edges = 1 + self.random.below(4);
        let line = format!("mine {data} {task} --max-edges {edges} --feature {feature}");
        let Some(_) = self.ends(&format!("{line} --threads 1 -o one.jsonl -q"))? else { return Ok(()) };
        self.ends(&format!("{line} --threads 2 -o two.jsonl -q"))?;
        self.compare("one.jsonl", "two.jsonl", &line);
        self.ends(&format!("match one.jsonl {data} {task} --feature {feature} -o match.jsonl -q"))?;
        self.tally.comparisons += 1;
        let read = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let (mined, matched) = (read("one.jsonl"), read("match.jsonl"));
        let graphs = |text: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
            lines.map(|line| format!("{} {} {}", line["support"], line["graphs"], line["counts"])).collect()
        };
        if graphs(&mined) != graphs(&matched) {
            self.differs(&format!("miner and matcher: {line}"));
        }
        Ok(())
    }

    /// Invalid files: a message or a result, and never a panic.
    fn bad_inputs(&mut self, data: &str, task: &str, options: &str) -> Result<(), String> {
        let train = format!("train {data} {task} {options} -o bad");
        let interrupted = [("EINSICHT_AT_PASS", "2:int".to_owned())];
        let ended = self.program.start(&self.folder, &train, &interrupted)?.wait()?;
        self.look_at(&ended, &train);
        self.tally.runs += 1;
        let whole = self.folder.join("whole");
        let model = if whole.is_file() { "whole" } else { "whole/trial-0.einsicht" };
        let commands = [
            (data.to_owned(), format!("inspect {data} {task}")),
            (data.to_owned(), format!("train {data} {task} {options} -o other")),
            (data.to_owned(), format!("mine {data} --max-edges 2 --count")),
            (model.to_owned(), format!("show {model}")),
            (model.to_owned(), format!("predict {model} {data} -q")),
            ("bad.partial".to_owned(), format!("{train} --resume")),
            ("splits.json".to_owned(), format!("experiment {data} {task} --splits splits.json {options}")),
            (
                "grid.json".to_owned(),
                format!("experiment {data} {task} --splits splits.json --grid grid.json {options}"),
            ),
            ("one.jsonl".to_owned(), format!("match one.jsonl {data}")),
        ];
        for (name, line) in commands {
            let path = self.folder.join(&name);
            let Ok(good) = std::fs::read(&path) else { continue };
            let bad = self.spoil(&good);
            std::fs::write(&path, bad).map_err(|e| e.to_string())?;
            let ended = self.program.run(&self.folder, &line)?;
            self.tally.bad_inputs += 1;
            self.tally.bad_inputs_read += usize::from(ended.status.success());
            self.look_at(&ended, &format!("{line} with a spoilt {name}"));
            if ended.status.code() == Some(1) && !ended.stderr.contains("error: ") && !line.starts_with("verify") {
                self.differs(&format!("no message of {line} with a spoilt {name}"));
            }
            std::fs::write(&path, good).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// The bytes with random changes.
    fn spoil(&mut self, good: &[u8]) -> Vec<u8> {
        let mut bytes = good.to_vec();
        let random = &mut self.random;
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1));
            let end = (at + 1 + random.below(40)).min(bytes.len());
            match random.below(5) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at.min(end)..end)),
                2 => bytes.extend_from_within(at.min(end)..end),
                3 => bytes.splice(at.min(end)..at.min(end), *b"99999999999999999999").for_each(drop),
                _ => {
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = random.below(256) as u8;
                    }
                }
            }
        }
        bytes
    }
}

fn signal(process: u32, name: &str) {
    let _ = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
}

/// Whether a run ended with a documented exit status and without a panic.
fn is_decent(ended: &Ended) -> bool {
    !ended.hung && matches!(ended.status.code(), Some(0..=3 | 130 | 143)) && !ended.stderr.contains("panicked at")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_understood() {
        assert_eq!(SoakOptions::parse(&["--minutes", "20"]), Ok(SoakOptions { minutes: 20, seed: 0 }));
        assert_eq!(SoakOptions::parse(&["--seed", "x"]), Err("--seed x".to_owned()));
        assert_eq!(SoakOptions::parse(&["--fast"]), Err("--fast".to_owned()));
    }

    #[test]
    fn the_counts_are_printed_with_all_that_was_wrong() {
        let mut tally = Tally { kills: 7, ..Tally::default() };
        tally.differences.push("seed 3: whole and pieces".to_owned());
        let text = tally.text(Duration::from_mins(1));
        assert!(text.contains("7 kills") && text.contains("differences: 1, panics: 0\n  seed 3"), "{text}");
    }
}
