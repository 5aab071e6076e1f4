//! Finds the files of a TU folder.

use crate::read::ReadError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The files of one set, by kind: `A`, `graph_indicator` and so on.
pub(super) struct Folder {
    path: PathBuf,
    name: String,
    files: BTreeMap<String, PathBuf>,
}

/// The files by which a set is recognised.
const MARKS: [&str; 2] = ["_A", "_graph_indicator"];

impl Folder {
    /// Looks for a set in the folder, or in its subfolder `raw`, where PyTorch Geometric puts it.
    pub(super) fn find(path: &Path) -> Result<Self, ReadError> {
        if path.is_file() {
            return Err(ReadError::IsFile { path: path.to_owned() });
        }
        match Self::find_in(path) {
            Err(ReadError::NotTu { .. }) if path.join("raw").is_dir() => Self::find_in(&path.join("raw")),
            found => found,
        }
    }

    fn find_in(path: &Path) -> Result<Self, ReadError> {
        let open = |source| ReadError::Open { path: path.to_owned(), source };
        let mut stems = BTreeMap::new();
        for entry in std::fs::read_dir(path).map_err(open)? {
            let entry = entry.map_err(open)?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let plain = file.strip_suffix(".gz").unwrap_or(&file);
            let Some(stem) = plain.strip_suffix(".txt") else { continue };
            // Where both are there, the plain file is used.
            if plain == file || !stems.contains_key(stem) {
                stems.insert(stem.to_owned(), entry.path());
            }
        }
        let marked = |stem: &String| MARKS.iter().find_map(|mark| stem.strip_suffix(mark)).map(str::to_owned);
        let names: BTreeSet<String> = stems.keys().filter_map(marked).collect();
        let folder_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = match (names.len(), names.first()) {
            (_, None) => return Err(ReadError::NotTu { path: path.to_owned() }),
            (1, Some(name)) => name.clone(),
            _ if names.contains(&folder_name) => folder_name,
            _ => return Err(ReadError::SeveralSets { path: path.to_owned(), names: names.into_iter().collect() }),
        };
        let prefix = format!("{name}_");
        let files = stems.into_iter().filter_map(|(stem, path)| Some((stem.strip_prefix(&prefix)?.to_owned(), path)));
        Ok(Self { path: path.to_owned(), files: files.collect(), name })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The file of a kind; where it would be, if it is not there.
    pub(super) fn file(&self, kind: &str) -> PathBuf {
        self.optional(kind).unwrap_or_else(|| self.path.join(format!("{}_{kind}.txt", self.name)))
    }

    /// The file of a kind, if it is there.
    pub(super) fn optional(&self, kind: &str) -> Option<PathBuf> {
        self.files.get(kind).cloned()
    }

    /// The file of a kind, which must be there.
    pub(super) fn required(&self, kind: &str) -> Result<PathBuf, ReadError> {
        self.optional(kind).ok_or_else(|| ReadError::MissingFile { path: self.file(kind) })
    }
}
