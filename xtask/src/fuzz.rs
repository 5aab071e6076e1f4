//! `cargo xtask fuzz`: every fuzz target for a while, starting from the seeds of the repository.
//!
//! Needs `cargo install cargo-fuzz`. The fuzzer needs flags that stable Rust hides, hence `RUSTC_BOOTSTRAP=1`.
//! `cargo xtask test` reads the seeds but does not fuzz.

use crate::words::Words;
use std::path::Path;
use std::process::Command;
use xtask::steps::{Steps, succeeds};

/// Fuzzes and says whether nothing was found.
pub(crate) fn run(root: &Path, mut words: Words) -> Result<bool, String> {
    let fuzz = root.join("fuzz");
    let seconds: u32 = words.value("--seconds")?.unwrap_or(60);
    let mut targets: Vec<String> = words.names()?.into_iter().map(str::to_owned).collect();
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
            let limits = [format!("-max_total_time={seconds}"), "-timeout=10".to_owned()];
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
    Ok(steps.all_good())
}
