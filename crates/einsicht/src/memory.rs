//! Memory limits: sizes as people write them, how much memory is available, how much is used, and a guard over it.
//!
//! Promise: the default limit is three quarters of the memory that the system reports as available to this process,
//! limits of its control groups (both versions, each level) and of its address space included. Where the system does
//! not report it, there is no limit. Reads files of the system, never fails. Tested on simulated systems.

use bytesize::ByteSize;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often the guard looks: memory grows by some ten megabytes in between.
const TICK: Duration = Duration::from_millis(10);

/// What a search within a limit may take beside it: fragments, and the embeddings of a single graph.
const BESIDE: usize = 256 << 20;

/// A size of memory in bytes, such as `500M` or `2G`; units are powers of 1024, with or without `B` or `iB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Resident memory now.
pub fn now() -> Option<usize> {
    kilobytes(Path::new("/proc/self/status"), "VmRSS:")
}

/// Peak resident memory.
pub fn peak() -> Option<usize> {
    kilobytes(Path::new("/proc/self/status"), "VmHWM:")
}

/// Ends work that takes more memory than was counted before it grew, in place of the system, which would end the
/// program without a word.
#[derive(Clone, Debug)]
pub struct MemoryGuard {
    /// Resident bytes that are too many.
    most: Arc<AtomicUsize>,
}

impl MemoryGuard {
    /// Watches from now on, and calls `full` once, as soon as the process holds more than the usual limit. Where the
    /// system does not tell, nothing happens.
    pub fn start(full: impl FnOnce() + Send + 'static) -> Self {
        let guard = Self { most: Arc::new(AtomicUsize::new(usize::MAX)) };
        let (Some(held), Some(Bytes(usual))) = (now(), usual_budget()) else { return guard };
        guard.most.store(held + usual, Ordering::Relaxed);
        let most = Arc::clone(&guard.most);
        let watch = move || {
            while now().is_none_or(|held| held <= most.load(Ordering::Relaxed)) {
                std::thread::sleep(TICK);
            }
            full();
        };
        // Without a thread there is no guard, as on systems that do not tell.
        let _ = std::thread::Builder::new().name("memory".to_owned()).spawn(watch);
        guard
    }

    /// From now on so many bytes more than now, and what a search within this limit may take beside it.
    pub fn limit(&self, more: usize) {
        let held = now().unwrap_or(0);
        self.most.store(held.saturating_add(more / 4 * 5).saturating_add(BESIDE), Ordering::Relaxed);
    }

    /// The bytes that are too many.
    pub fn most(&self) -> Bytes {
        Bytes(self.most.load(Ordering::Relaxed))
    }
}

/// Bytes that this process may still allocate, according to the files below `root`.
fn available(root: &Path) -> Option<usize> {
    let free = kilobytes(&root.join("proc/meminfo"), "MemAvailable:");
    free.into_iter().chain(left_in_groups(root)).chain(left_of_addresses(root)).min()
}

/// Bytes that may be resident within a limit of the address space: half of what is left, since a list that grows is
/// there twice.
fn left_of_addresses(root: &Path) -> Option<usize> {
    let limit = number_after(&root.join("proc/self/limits"), "Max address space")?;
    let used = kilobytes(&root.join("proc/self/status"), "VmSize:").unwrap_or(0);
    Some(limit.saturating_sub(used) / 2)
}

/// The number of kilobytes after a word, in bytes.
fn kilobytes(path: &Path, word: &str) -> Option<usize> {
    number_after(path, word).map(|kilobytes| kilobytes << 10)
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

/// The number after the words that a line begins with.
fn number_after(path: &Path, words: &str) -> Option<usize> {
    let text = read_to_string(path).ok()?;
    let after = text.lines().find_map(|line| line.strip_prefix(words)?.strip_prefix([' ', '\t']))?;
    after.split_whitespace().next()?.parse().ok()
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
    fn half_of_the_address_space_that_is_left_is_available() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         2000000              unlimited            bytes\n";
        let status = "VmPeak:\t 1000 kB\nVmSize:\t 1000 kB\n";
        let files = [MEMINFO, ("proc/self/limits", limits), ("proc/self/status", status)];
        assert_eq!(available(system(&files).path()), Some((2_000_000 - (1000 << 10)) / 2));
        let unlimited = limits.replace("2000000  ", "unlimited");
        assert_eq!(available(system(&[MEMINFO, ("proc/self/limits", &unlimited)]).path()), Some(4000 << 10));
    }

    #[test]
    fn a_guard_calls_once_there_is_more_memory_than_its_limit() {
        let (sent, full) = std::sync::mpsc::channel();
        let guard = MemoryGuard::start(move || sent.send(()).unwrap());
        if now().is_some() {
            assert!(full.try_recv().is_err() && guard.most() > Bytes(0));
            guard.most.store(1, Ordering::Relaxed);
            full.recv().unwrap();
        }
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
