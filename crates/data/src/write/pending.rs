//! Files that get their name when they are complete: a failure never leaves half a file nor destroys an earlier one.
//!
//! Promise: whatever happens, under a name there is either all of the old or all of the new content. The new content goes
//! into a file beside, which is on the disk before it takes the name; then the folder is, too. What is not a plain file
//! (a device, a pipe) is written to as it is: it must not be replaced.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file under another name, until [`Self::settle`]. If it is dropped before, it goes away.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    /// Absent where the content goes straight to a device or a pipe.
    part: Option<PathBuf>,
    file: File,
}

impl Pending {
    /// Starts beside the file that is wanted: a bad path is told at once.
    pub fn create(path: &Path) -> io::Result<Self> {
        let part = (!is_special(path)).then(|| beside(path, ".writing"));
        let file = match &part {
            Some(_) if path.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(part) => create_fresh(part)?,
            None => fs::OpenOptions::new().write(true).open(path)?,
        };
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// Where to write.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the complete file its name, in such an order that a crash leaves the old content or the new.
    pub fn settle(mut self) -> io::Result<()> {
        let Some(part) = &self.part else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(part, &self.path)?;
        self.part = None;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The name is right by now; not every system can wait for folders.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// What was not finished is of no use.
impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }
}

/// Makes a file that was not there before, whatever was: a link is replaced and never followed.
pub fn create_fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(problem) if problem.kind() != io::ErrorKind::NotFound => return Err(problem),
        _ => {}
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

/// Replaces a file by one with this content.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut pending = Pending::create(path)?;
    pending.file().write_all(content)?;
    pending.settle()
}

/// The path with something added to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether something is there that is neither a plain file nor a folder.
pub fn is_special(path: &Path) -> bool {
    // Our own outputs by name, which may be plain files behind a link that must stay.
    let ours = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|place| path.starts_with(place));
    // A link is none of these, wherever it leads: it is replaced like a file.
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
