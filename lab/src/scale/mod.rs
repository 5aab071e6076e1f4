//! `cargo lab scale`: how time and memory of training and prediction grow with the number of molecules.
//!
//! Makes sets of molecules by recombining those of HIV (`recombine.rs`), trains the shipped program on each with at
//! most 6 edges and 50 subgraphs, and predicts the same molecules. Prints seconds and peak memory of each, and the
//! exponent from one size to the next: 1 is linear. Times are shown, never asserted. The sets stay under
//! `target/scale`. Linux only, like `load.rs`.

mod recombine;

use crate::load::peak;
use recombine::Recombiner;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use xtask::program;

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ScaleOptions {
    /// Numbers of molecules, increasing.
    rows: Vec<u64>,
    threads: u32,
}

impl ScaleOptions {
    /// `--rows N,N,...` and `--threads N`; the argument that is neither is the error.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self { rows: vec![1 << 16, 1 << 18, 1 << 20], threads: 2 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = || words.clone().next().copied();
            match *word {
                "--rows" => {
                    let rows = value().and_then(|text| text.split(',').map(|n| n.parse().ok()).collect());
                    options.rows = rows.ok_or_else(|| (*word).to_owned())?;
                }
                "--threads" => {
                    options.threads = value().and_then(|text| text.parse().ok()).ok_or_else(|| (*word).to_owned())?;
                }
                unknown => return Err(unknown.to_owned()),
            }
            words.next();
        }
        Ok(options)
    }
}

/// Time and memory of one command.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: u64,
}

/// Measures and prints.
pub(crate) fn run(root: &Path, options: &ScaleOptions) -> Result<(), String> {
    let folder = root.join("target/scale");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let program = program::named_or_release(root)?;
    let recombiner = Recombiner::new(&molecules(root)?);
    println!("{} molecules of HIV, {} fragments", recombiner.num_molecules(), recombiner.num_fragments());
    println!("{:>9}  {:<8} {:>9} {:>10} {:>9} {:>9}", "molecules", "", "seconds", "peak MB", "exponent", "kB each");
    let mut earlier: Option<(u64, [Cost; 2])> = None;
    for &rows in &options.rows {
        let table = folder.join(format!("{rows}.csv"));
        write(&recombiner, &table, rows).map_err(|e| format!("{}: {e}", table.display()))?;
        let costs = measure(&program, &folder, &table, options.threads)?;
        for (at, (name, cost)) in ["train", "predict"].iter().zip(costs).enumerate() {
            let exponent = earlier.map_or_else(String::new, |(before, costs)| {
                let growth = (cost.seconds / costs[at].seconds).ln() / (rows as f64 / before as f64).ln();
                format!("{growth:.2}")
            });
            let (peak, each) = (cost.bytes as f64 / 1e6, cost.bytes as f64 / 1e3 / rows as f64);
            println!("{rows:>9}  {name:<8} {:>9.1} {peak:>10.0} {exponent:>9} {each:>9.2}", cost.seconds);
        }
        earlier = Some((rows, costs));
    }
    Ok(())
}

/// Molecules of HIV with their classes.
fn molecules(root: &Path) -> Result<Vec<(String, String)>, String> {
    let file = root.join("../shared/data/molnet/hiv.csv.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(&file).output().map_err(|e| format!("gzip: {e}"))?;
    if !unpacked.status.success() {
        return Err(format!("{} must be there and be readable", file.display()));
    }
    let text = String::from_utf8_lossy(&unpacked.stdout).into_owned();
    let rows = text.lines().skip(1).filter_map(|line| line.rsplit_once(','));
    Ok(rows.map(|(smiles, class)| (smiles.to_owned(), class.to_owned())).collect())
}

fn write(recombiner: &Recombiner, path: &Path, rows: u64) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    writeln!(file, "smiles,HIV_active")?;
    for row in 0..rows {
        let (smiles, class) = recombiner.molecule(row);
        writeln!(file, "{smiles},{class}")?;
    }
    file.flush()
}

fn measure(program: &PathBuf, folder: &Path, table: &Path, threads: u32) -> Result<[Cost; 2], String> {
    let threads = threads.to_string();
    let timed = |arguments: &[&str]| -> Result<Cost, String> {
        let start = Instant::now();
        let mut command = Command::new(program);
        command.current_dir(folder).args(&arguments[..1]).args((arguments[0] == "predict").then_some("m.einsicht"));
        let bytes = peak(command.arg(table).args(&arguments[1..]).args(["--threads", &threads, "-q"]))?;
        Ok(Cost { seconds: start.elapsed().as_secs_f64(), bytes })
    };
    let sizes = "1,2,3,5,8,12,18,25,35,50";
    let read = ["--target", "HIV_active", "--on-bad", "skip"];
    let train = [&["train", "-o", "m.einsicht", "--max-edges", "6", "--sizes", sizes][..], &read].concat();
    let trained = timed(&train)?;
    Ok([trained, timed(&["predict", "-o", "predictions.csv", "--on-bad", "skip"])?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_threads_are_read_and_anything_else_is_named() {
        let usual = ScaleOptions { rows: vec![65536, 262_144, 1_048_576], threads: 2 };
        assert_eq!(ScaleOptions::parse(&[]), Ok(usual));
        let small = ScaleOptions { rows: vec![10, 200], threads: 1 };
        assert_eq!(ScaleOptions::parse(&["--rows", "10,200", "--threads", "1"]), Ok(small));
        for words in [&["--rows"][..], &["--rows", "many"], &["--columns"]] {
            assert_eq!(ScaleOptions::parse(words), Err(words[0].to_owned()));
        }
    }
}
