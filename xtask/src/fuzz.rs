//! `cargo xtask fuzz`: every fuzz target for a while, starting from the seeds of the repository.
//!
//! Needs `cargo install cargo-fuzz`. The fuzzer needs flags that stable Rust hides, hence `RUSTC_BOOTSTRAP=1`; on a
//! nightly toolchain it does no harm. Not part of `cargo xtask test`, which reads the seeds but does not fuzz.

use std::path::Path;
use std::process::Command;
use xtask::steps::{Steps, succeeds};

/// Seconds per target, and which targets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    seconds: u32,
    targets: Vec<String>,
}

impl FuzzOptions {
    /// Reads `[--seconds N] [TARGET...]`; the error is the argument that is not known.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { seconds: 60, targets: Vec::new() };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--seconds" => {
                    let number = words.next().copied().unwrap_or_default();
                    options.seconds = number.parse().map_err(|_| format!("--seconds {number}"))?;
                }
                option if option.starts_with('-') => return Err(option.to_owned()),
                target => options.targets.push(target.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Fuzzes and says whether nothing was found.
pub(crate) fn run(root: &Path, options: &FuzzOptions) -> bool {
    let fuzz = root.join("fuzz");
    let mut targets = options.targets.clone();
    if targets.is_empty() {
        let files = std::fs::read_dir(fuzz.join("fuzz_targets")).into_iter().flatten().flatten();
        targets.extend(files.filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned())));
        targets.sort();
    }
    let mut steps = Steps::default();
    for target in targets {
        steps.run(&target, || {
            let corpus = fuzz.join("corpus").join(&target);
            if let Err(problem) = std::fs::create_dir_all(&corpus) {
                eprintln!("cannot make {}: {problem}", corpus.display());
                return false;
            }
            let seeds = fuzz.join("seeds").join(&target);
            let limits = [format!("-max_total_time={}", options.seconds), "-timeout=10".to_owned()];
            let mut command = Command::new("cargo");
            command.args(["fuzz", "run", &target]).args([&corpus, &seeds]).arg("--").args(limits);
            // Each run writes small files; in memory that is several times faster.
            if Path::new("/dev/shm").is_dir() {
                command.env("TMPDIR", "/dev/shm");
            }
            succeeds(command.current_dir(&fuzz).env("RUSTC_BOOTSTRAP", "1"))
        });
    }
    println!("\n{}", steps.summary());
    steps.all_good()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_seconds_are_understood() {
        let options = FuzzOptions::parse(&["tu", "--seconds", "5", "sdf"]).unwrap();
        assert_eq!(options, FuzzOptions { seconds: 5, targets: vec!["tu".into(), "sdf".into()] });
        assert_eq!(FuzzOptions::parse(&["--seconds", "x"]), Err("--seconds x".to_owned()));
        assert_eq!(FuzzOptions::parse(&["--fast"]), Err("--fast".to_owned()));
    }
}
