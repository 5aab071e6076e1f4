//! `cargo lab load`: prediction of 10 MB and of 100 MB of SMILES takes the same memory.
//!
//! Builds the program as it is shipped, trains a small model on made-up molecules and predicts both tables. Fails if
//! the peak of either is above [`MOST`] bytes, or that of the large table more than a tenth above that of the small
//! one. The peak is `VmHWM` of the process, so this works on Linux only. Both tables stay under `target/load`.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::program;
use xtask::steps::succeeds;

/// Most bytes that a prediction may take.
const MOST: u64 = 200 << 20;
const MEGABYTE: u64 = 1_000_000;

/// Measures; an error if memory grows with the table.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("target/load");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let program = program::build_release(root)?;
    let mut rows = String::from("smiles,acid\n");
    for at in 0..60_u64 {
        let smiles = molecule(at);
        let acid = if smiles.contains("C(=O)O") { "yes" } else { "no" };
        let _ = writeln!(rows, "{smiles},{acid}");
    }
    fs::write(folder.join("acids.csv"), rows).map_err(|e| e.to_string())?;
    let train = ["train", "acids.csv", "-o", "m.einsicht", "--max-edges", "4", "--sizes", "1,3,10", "-q"];
    if !succeeds(Command::new(&program).current_dir(&folder).args(train)) {
        return Err("no model could be trained".to_owned());
    }
    let mut peaks = Vec::new();
    for megabytes in [10, 100] {
        let name = format!("{megabytes}MB.smi");
        let molecules = table(&folder.join(&name), megabytes * MEGABYTE).map_err(|e| format!("{name}: {e}"))?;
        let start = Instant::now();
        let output = format!("{megabytes}MB.csv");
        let arguments = ["predict", "m.einsicht", &name, "-o", &output, "-q"];
        let peak = peak(Command::new(&program).current_dir(&folder).args(arguments))?;
        let lines = fs::read_to_string(folder.join(&output)).map_err(|e| e.to_string())?.lines().count();
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {molecules} molecules, peak {:.1} MB, {seconds:.0} s", peak as f64 / 1e6);
        if lines as u64 != molecules + 1 {
            return Err(format!("{output} must have {} lines, but has {lines}", molecules + 1));
        }
        peaks.push(peak);
    }
    let same = peaks[1] <= peaks[0] + peaks[0] / 10;
    let small = peaks.iter().all(|peak| *peak < MOST);
    if same && small { Ok(()) } else { Err("memory grows with the table".to_owned()) }
}

/// The molecule of a number; there are many thousands.
fn molecule(at: u64) -> String {
    let parts = ["C", "CC", "c1ccccc1", "N", "O", "C(=O)O", "C(F)", "S", "C(=O)N", "c1ccncc1", "C1CCCC1", "Cl"];
    // Multiplying by an odd number scatters consecutive numbers.
    let mut rest = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
    let mut text = String::from("C");
    for _ in 0..3 + at % 5 {
        let part = parts[(rest % 11) as usize];
        rest /= 11;
        // A terminal atom would end the chain.
        let _ = write!(text, "C({part})");
    }
    text + if at.is_multiple_of(2) { "C(=O)O" } else { parts[11] }
}

/// Writes a table of about this many bytes; returns its number of molecules.
fn table(path: &Path, bytes: u64) -> std::io::Result<u64> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    let (mut written, mut at) = (0, 0);
    while written < bytes {
        let line = format!("{} m{at}\n", molecule(at));
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        at += 1;
    }
    file.flush()?;
    Ok(at)
}

/// Runs a command; returns the peak of its memory in bytes.
pub(crate) fn peak(command: &mut Command) -> Result<u64, String> {
    let mut child = command.stdout(Stdio::null()).spawn().map_err(|e| format!("cannot start {command:?}: {e}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = line.and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok()).map_or(peak, |kb| peak.max(kb << 10));
        match child.try_wait() {
            Ok(Some(status)) if status.success() && peak > 0 => return Ok(peak),
            Ok(Some(status)) => return Err(format!("{command:?}: {status}, peak {peak}")),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(problem) => return Err(problem.to_string()),
        }
    }
}
