//! Memory limits: sizes as people write them, and how much memory is available.
//!
//! Promise: the default limit is three quarters of the memory that the system reports as available to this process, limits
//! of its control groups included (both versions, each level). Where the system does not report it, there is no limit.
//! Reads files of the system, never fails. Tested on simulated systems.

use bytesize::ByteSize;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A size of memory in bytes, such as `500M` or `2G`; units are powers of 1024, with or without `B` or `iB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub usize);

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = "must be a size of memory like 500M or 2G";
        let text = text.trim().to_ascii_uppercase();
        let number = text.strip_suffix("IB").or_else(|| text.strip_suffix('B')).unwrap_or(&text);
        // `bytesize` takes `M` for a million; ours is 1024 * 1024, as `MiB`.
        let binary = if number.ends_with(['K', 'M', 'G', 'T']) { format!("{number}iB") } else { number.to_owned() };
        let ByteSize(bytes) = binary.parse().map_err(|_| wanted)?;
        usize::try_from(bytes).ok().filter(|bytes| *bytes < 1 << 62).map(Self).ok_or(wanted)
    }
}

impl Bytes {
    /// For people, in the unit that fits.
    pub fn rounded(self) -> String {
        ByteSize(self.0 as u64).to_string()
    }

    /// As a value of an option that is at least this much.
    pub fn at_least(self) -> String {
        format!("{}K", self.0.div_ceil(1 << 10))
    }
}

/// The default memory limit; none where the system does not report how much is available.
pub fn usual_budget() -> Option<Bytes> {
    available(Path::new("/")).map(|bytes| Bytes(bytes / 4 * 3))
}

/// Bytes that this process may still allocate, according to the files below `root`.
fn available(root: &Path) -> Option<usize> {
    let free = number_after(&root.join("proc/meminfo"), "MemAvailable:").map(|kilobytes| kilobytes << 10);
    free.into_iter().chain(left_in_groups(root)).min()
}

/// Bytes left in each control group of this process that has a limit.
fn left_in_groups(root: &Path) -> Vec<usize> {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mut left = Vec::new();
    for line in groups.lines() {
        // Number, controllers, path; version 2 has the number 0 and names no controller.
        let mut parts = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if number == "0" {
            let mounts = ["sys/fs/cgroup", "sys/fs/cgroup/unified"];
            left.extend(levels(root, &mounts, path).filter_map(|at| {
                left_in(&at.join("memory.max"), &at.join("memory.current"), &at.join("memory.stat"), "inactive_file")
            }));
        } else if controllers.split(',').any(|controller| controller == "memory") {
            left.extend(levels(root, &["sys/fs/cgroup/memory"], path).filter_map(|at| {
                let [limit, usage] = ["memory.limit_in_bytes", "memory.usage_in_bytes"].map(|name| at.join(name));
                left_in(&limit, &usage, &at.join("memory.stat"), "total_inactive_file")
            }));
        }
    }
    left
}

/// The folders of a group and of its ancestors. Inside a container the path may be that of the host, and then only the
/// root exists.
fn levels(root: &Path, mounts: &[&str], path: &str) -> impl Iterator<Item = PathBuf> {
    let mut found = Vec::new();
    for mount in mounts.iter().map(|mount| root.join(mount)) {
        let inside = Path::new(path.trim_start_matches('/'));
        found.extend(inside.ancestors().map(|part| mount.join(part)));
    }
    found.into_iter()
}

/// Bytes that a limit leaves; inactive pages of the file cache can be reclaimed and count as free.
fn left_in(limit: &Path, usage: &Path, stat: &Path, cached: &str) -> Option<usize> {
    let number = |path| read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let limit = number(limit)?; // "max" is no number and no limit
    let used = number(usage)?.saturating_sub(number_after(stat, cached).unwrap_or(0));
    Some(limit.saturating_sub(used))
}

/// The first number in the line that begins with a word.
fn number_after(path: &Path, word: &str) -> Option<usize> {
    let text = read_to_string(path).ok()?;
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next() == Some(word)).then(|| words.next()?.parse().ok())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_units_of_1024() {
        let bytes = |text: &str| text.parse::<Bytes>().unwrap().0;
        assert_eq!([bytes("2G"), bytes("1.5 MiB"), bytes("3kb"), bytes("7")], [2 << 30, 3 << 19, 3 << 10, 7]);
        for bad in ["", "G", "-1M", "nan", "1e40", "2X"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        assert_eq!((Bytes(3 << 19).rounded(), Bytes(12).rounded()), ("1.5 MiB".to_owned(), "12 B".to_owned()));
        assert_eq!(Bytes(1025).at_least(), "2K");
    }

    /// A simulated system with these files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n");

    #[test]
    fn without_groups_the_memory_of_the_machine_is_available() {
        assert_eq!(available(system(&[MEMINFO]).path()), Some(4000 << 10));
        assert_eq!(available(system(&[]).path()), None);
    }

    #[test]
    fn a_group_of_version_2_and_its_ancestors_limit_the_memory() {
        let unlimited = [
            MEMINFO,
            ("proc/self/cgroup", "0::/outer/inner\n"),
            ("sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("sys/fs/cgroup/outer/inner/memory.current", "5\n"),
        ];
        assert_eq!(available(system(&unlimited).path()), Some(4000 << 10));
        let limited = [
            ("sys/fs/cgroup/outer/memory.max", "1000000\n"),
            ("sys/fs/cgroup/outer/memory.current", "300000\n"),
            ("sys/fs/cgroup/outer/memory.stat", "anon 100\ninactive_file 50000\n"),
        ];
        assert_eq!(available(system(&[&unlimited[..], &limited].concat()).path()), Some(750_000));
    }

    #[test]
    fn a_group_of_version_1_limits_the_memory_and_in_a_container_its_root_does() {
        let files = [
            MEMINFO,
            ("proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/docker/1a2b\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "2500000\n"),
            ("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 600000\n"),
        ];
        assert_eq!(available(system(&files).path()), Some(100_000));
    }
}
