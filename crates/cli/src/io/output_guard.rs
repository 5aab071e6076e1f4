//! What an output must not replace: an input of the same command, or a file of another kind.
//!
//! Promise: asked before anything is read for long. A new file is always fine; so are an empty one, a device, and a
//! file of the same kind, which an earlier run has written. Inputs are recognised whatever their spelling: through
//! links, and as files of a folder that is read. Kinds are recognised by their first bytes, never by the name.

use super::file::{beside, is_special, is_stdout};
use super::output::Output;
use crate::failure::{Failure, Problem};
use einsicht::data::SplitFile;
use einsicht::data::read::{Format, ReadOptions, target_columns};
use std::fs::{self, File, Metadata};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// What a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    Model,
    /// A report page.
    Page,
    /// A table of `predict`.
    Predictions,
    /// A table of `explain`.
    Attributions,
    /// JSON lines of `mine` or `match`.
    Patterns,
    /// JSON lines of `convert`.
    Dataset,
    /// A file of `split`.
    Splits,
    /// A Python file of `export`.
    Python,
    /// A table of `export`.
    Smarts,
}

impl OutputKind {
    fn words(self) -> &'static str {
        match self {
            Self::Model => "a model",
            Self::Page => "a report page",
            Self::Predictions => "a table of predictions",
            Self::Attributions => "a table of attributions",
            Self::Patterns => "JSON lines of patterns",
            Self::Dataset => "a data set of JSON lines",
            Self::Splits => "a file of splits",
            Self::Python => "an exported Python file",
            Self::Smarts => "a table of SMARTS",
        }
    }

    /// Whether an existing file is of this kind.
    fn is_kind_of(self, path: &Path) -> bool {
        let begins = first_line(path).unwrap_or_default();
        match self {
            // The metadata of a safetensors file, after eight bytes with its length, one of which may be that of a line
            // break.
            Self::Model => {
                beginning(path).get(8..).is_some_and(|rest| rest.starts_with(br#"{"__metadata__":{"einsicht":"#))
            }
            Self::Page => {
                begins.to_ascii_lowercase().starts_with(b"<!doctype html")
                    && beginning(path).windows(8).any(|w| w == b"einsicht")
            }
            Self::Predictions => begins.starts_with(b"id,") && begins.trim_ascii_end().ends_with(b",row"),
            Self::Attributions => begins.starts_with(b"id,quantity,output,base"),
            Self::Patterns => begins.starts_with(b"{") && begins.windows(10).any(|w| w == br#""pattern":"#),
            Self::Dataset => {
                let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
                target_columns(path, &options).is_ok()
            }
            Self::Splits => SplitFile::read(path).is_ok(),
            Self::Python => begins.starts_with(b"# Exported from an einsicht model"),
            Self::Smarts => begins.starts_with(b"smarts,support"),
        }
    }
}

/// Refuses an output that would replace one of the inputs, or a file of another kind. Of `-` all that is said goes to
/// stderr.
pub(crate) fn guard(
    option: &'static str,
    path: &Path,
    kind: OutputKind,
    inputs: &[impl AsRef<Path>],
    output: &Output,
) -> Result<(), Failure> {
    if is_stdout(path) {
        if kind == OutputKind::Model {
            let error = format!("{option} must be a file, got -: only text goes to stdout");
            return Err(refuse(option, error, "name a file"));
        }
        return output.give_stdout_to(option);
    }
    if is_special(path) {
        return Ok(());
    }
    let inputs: Vec<PathBuf> = inputs.iter().flat_map(|input| files_of(input.as_ref())).collect();
    // Beside the output there are, for a while, files under these names.
    for written in [path.to_owned(), beside(path, ".writing"), beside(path, ".partial")] {
        if let Some(input) = inputs.iter().find(|input| is_same(&written, input)) {
            let other = if written == *input { String::new() } else { format!(" ({})", input.display()) };
            let error = format!("{option} must not replace an input, but {} is one{other}", written.display());
            return Err(refuse(option, error, "name another file"));
        }
    }
    let replaces = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if replaces && !kind.is_kind_of(path) {
        let (shown, words) = (path.display(), kind.words());
        let error = format!("{option} may only replace {words}, but {shown} is something else");
        return Err(refuse(option, error, "name another file, or remove this one first"));
    }
    Ok(())
}

/// Refuses a folder for trials in which an input has the name of a trial's file.
pub(crate) fn guard_trials(option: &'static str, folder: &Path, inputs: &[impl AsRef<Path>]) -> Result<(), Failure> {
    let of_trial = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
            let ending = name.strip_prefix("trial-").and_then(|rest| rest.split_once('.'));
            ending.is_some_and(|(_, ending)| ["json", "einsicht", "partial"].contains(&ending))
        })
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let written: Vec<PathBuf> = files.filter(|path| of_trial(path)).collect();
    for input in inputs.iter().flat_map(|input| files_of(input.as_ref())) {
        if written.iter().any(|path| is_same(path, &input)) {
            let (folder, input) = (folder.display(), input.display());
            let error = format!("{option} must not replace an input, but {input} is named like a trial in {folder}");
            return Err(refuse(option, error, "name another folder"));
        }
    }
    Ok(())
}

fn refuse(option: &'static str, error: String, advice: &'static str) -> Failure {
    Failure::Usage(Problem { error, place: Some(option.to_owned()), advice: Some(advice) })
}

/// A file itself, or the text files of a folder that is read as a data set.
fn files_of(input: &Path) -> Vec<PathBuf> {
    if !input.is_dir() {
        return vec![input.to_owned()];
    }
    let is_data = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        [".txt", ".txt.gz"].iter().any(|ending| name.ends_with(ending))
    };
    fs::read_dir(input).into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_data).collect()
}

/// Whether both are there and are the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(of_one), Ok(of_other)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    if !of_one.is_file() || !of_other.is_file() {
        return false;
    }
    is_same_inode(&of_one, &of_other) || matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(unix)]
fn is_same_inode(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_inode(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// The first line, up to a length that no line of ours needs.
fn first_line(path: &Path) -> Option<Vec<u8>> {
    const LONGEST: u64 = 64 << 20;
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?.take(LONGEST)).read_until(b'\n', &mut line).ok()?;
    Some(line)
}

/// The first kilobytes.
fn beginning(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut bytes));
    read.map_or_else(|_| Vec::new(), |_| bytes)
}
