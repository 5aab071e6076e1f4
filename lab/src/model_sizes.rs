//! `cargo lab model-sizes`: files of models of real sets stay small.
//!
//! Trains with the shipped program and fails if a file is larger than its limit; `crates/train/tests/model_file.rs`
//! does the same for a small set without `../shared`, and shows that every size of a model that was read predicts as
//! before it was written, to the bit.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::program;

/// Name, file under `../shared/data/molnet`, options, and the most bytes.
const MODELS: [(&str, &str, &[&str], u64); 3] = [
    ("BACE", "bace.csv", &["--target", "Class"], 1_000_000),
    ("HIV", "hiv.csv.gz", &["--target", "HIV_active", "--on-bad", "skip", "--sizes", "1,5,10,25,50"], 3_000_000),
    ("SIDER", "sider.csv", &["--target", "*", "--on-bad", "skip"], 12_000_000),
];

/// Trains the models of these names, or all; an error if one is too large.
pub(crate) fn run(root: &Path, names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| MODELS.iter().all(|(known, ..)| known != *name)) {
        return Err(format!("{unknown} is not one of the models: {}", MODELS.map(|(name, ..)| name).join(", ")));
    }
    let program = program::named_or_release(root)?;
    let folder = root.join("target/models");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let mut too_large = Vec::new();
    for (name, data, options, most) in MODELS.iter().filter(|(name, ..)| names.is_empty() || names.contains(name)) {
        let data = root.join("../shared/data/molnet").join(data);
        let file = folder.join(format!("{name}.einsicht"));
        let mut command = Command::new(&program);
        command.arg("train").arg(&data).args(*options).arg("-q").arg("-o").arg(&file).stdout(Stdio::null());
        let status = command.status().map_err(|e| format!("cannot start {}: {e}", program.display()))?;
        if !status.success() {
            return Err(format!("{name}: {command:?}: {status}"));
        }
        let bytes = fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len();
        println!("{name:<6} {:>7.3} MB, at most {:.0}", bytes as f64 / 1e6, *most as f64 / 1e6);
        if bytes > *most {
            too_large.push(*name);
        }
        let _ = fs::remove_file(&file);
    }
    if too_large.is_empty() { Ok(()) } else { Err(format!("too large: {}", too_large.join(", "))) }
}
