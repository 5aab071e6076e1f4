//! Atomic replacement of files: a failure never leaves half a file nor destroys an earlier one.
//!
//! Promise: whatever happens, under a name there is either all of the old or all of the new content. The new content
//! goes into a file beside it, which is synced to the disk before it takes the name; then the folder is synced, too.
//! What is not a plain file (a device, a pipe) is written to directly: it must not be replaced. Everything that we
//! write goes through here: data sets, models, checkpoints, tables.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under a temporary name, until [`Self::commit`].
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    /// Absent if the content goes directly to a device or a pipe.
    temporary: Option<PathBuf>,
    file: File,
    /// Whether the temporary file is removed if it is never committed.
    remove_on_drop: bool,
}

impl Pending {
    /// Starts beside the final file, as `NAME.writing`: a bad path is reported at once. If it is dropped before it is
    /// committed, it is removed.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::create_beside(path, ".writing", true)
    }

    /// The same as `NAME.partial`, which stays if it is never committed: for content whose beginning is of use.
    pub fn create_partial(path: &Path) -> io::Result<Self> {
        Self::create_beside(path, ".partial", false)
    }

    fn create_beside(path: &Path, suffix: &str, remove_on_drop: bool) -> io::Result<Self> {
        let temporary = (!is_special(path)).then(|| beside(path, suffix));
        let file = match &temporary {
            Some(_) if path.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(temporary) => create_fresh(temporary)?,
            None => fs::OpenOptions::new().write(true).open(path)?,
        };
        Ok(Self { path: path.to_owned(), temporary, file, remove_on_drop })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// The final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name until it is committed.
    pub fn temporary(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.path)
    }

    /// Gives the complete file its name, in such an order that a crash leaves the old content or the new.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(temporary, &self.path)?;
        self.temporary = None;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The name is right by now; not every system can sync folders.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.as_ref().filter(|_| self.remove_on_drop) {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Creates a new file in place of whatever has its name: a link is replaced and never followed.
fn create_fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(problem),
        _ => {}
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

/// Replaces a file by one with this content, atomically.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut pending = Pending::create(path)?;
    pending.file().write_all(content)?;
    pending.commit()
}

/// The path with something added to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether something is there that is neither a plain file nor a folder.
pub fn is_special(path: &Path) -> bool {
    // The outputs of this process by name, which may be plain files behind a link that must stay.
    let ours = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place));
    // A link is replaced like a file, wherever it leads.
    let is_device = |found: fs::Metadata| !found.is_file() && !found.is_dir() && !found.is_symlink();
    ours || fs::symlink_metadata(path).is_ok_and(is_device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_what_a_crash_left_beside_it_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::write(beside(&path, ".writing"), "half of an earlier wri").unwrap();
        write_whole(&path, b"old").unwrap();
        let mut given_up = Pending::create(&path).unwrap();
        given_up.file().write_all(b"ne").unwrap();
        drop(given_up);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write_whole(&path, b"new").unwrap();
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!((fs::read(&path).unwrap(), names), (b"new".to_vec(), vec!["state".into()]));
        assert!(write_whole(folder.path(), b"x").is_err());
    }

    #[test]
    fn a_partial_file_stays_until_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        fs::write(&path, "old").unwrap();
        let mut partial = Pending::create_partial(&path).unwrap();
        partial.file().write_all(b"first row").unwrap();
        drop(partial);
        assert_eq!(fs::read(beside(&path, ".partial")).unwrap(), b"first row");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        Pending::create_partial(&path).unwrap().commit().unwrap();
        assert!(fs::read(&path).unwrap().is_empty() && !beside(&path, ".partial").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_and_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("out"), folder.path().join("elsewhere"));
        fs::write(&elsewhere, "mine").unwrap();
        for link in [path.clone(), beside(&path, ".writing")] {
            std::os::unix::fs::symlink(&elsewhere, link).unwrap();
        }
        write_whole(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(&elsewhere).unwrap()), (b"new".to_vec(), b"mine".to_vec()));
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        use std::os::unix::fs::FileTypeExt;
        write_whole(Path::new("/dev/null"), b"gone").unwrap();
        let full = write_whole(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        for device in ["/dev/null", "/dev/full"] {
            assert!(fs::metadata(device).unwrap().file_type().is_char_device());
        }
    }
}
