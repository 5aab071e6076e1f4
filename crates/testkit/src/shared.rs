//! Data sets of the tests: `testdata/sets` in the repository, and the folder `shared` beside it, too large to commit.
//!
//! ```no_run
//! # fn main() {
//! let Some(bzr) = einsicht_testkit::shared("data/tu/BZR") else { return };
//! # }
//! ```

use crate::skip::{Need, is_required, skip};
use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repo_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder below `shared`; where it is absent the test is recorded as skipped (see [`skip`]).
pub fn shared(path: &str) -> Option<PathBuf> {
    let full = repo_root().join("../shared").join(path);
    if full.exists() {
        return Some(full);
    }
    skip(Need::Shared, &format!("{path} is not beside the repository"));
    None
}

/// The same for a test that takes long: it runs where `EINSICHT_REQUIRE` lists `shared`, and is recorded as skipped
/// elsewhere.
pub fn large_shared(path: &str) -> Option<PathBuf> {
    let full = shared(path)?;
    if is_required(Need::Shared) {
        return Some(full);
    }
    skip(Need::Shared, &format!("{path} takes long; EINSICHT_REQUIRE=shared runs it"));
    None
}

/// A small real set of the repository itself, below `testdata/sets`: it always exists.
pub fn fixture(path: &str) -> PathBuf {
    repo_root().join("testdata/sets").join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(repo_root().join("Cargo.toml").is_file());
        assert!(repo_root().join("crates/testkit").is_dir());
        assert!(fixture("MUTAG").is_dir());
    }
}
