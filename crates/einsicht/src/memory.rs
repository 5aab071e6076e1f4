//! Amounts of memory: as people write them, and how much there is to use.
//!
//! Promise: the budget that holds if nobody asks for another is three quarters of what the system says is available to
//! this process, limits of its control groups included (both versions, each level). Where the system does not tell,
//! there is no budget. Reads files of the system, never fails. Tested on made-up systems.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An amount of memory in bytes, such as `500M` or `2G`; units are powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub usize);

/// Units with their letter, the largest first.
const UNITS: [(&str, usize); 4] = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = "must be an amount of memory like 500M or 2G";
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_suffix("IB").or_else(|| text.strip_suffix('B')).unwrap_or(&text);
        let with_unit = UNITS.iter().find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, *unit)));
        let (number, unit) = with_unit.unwrap_or((text, 1));
        let number: f64 = number.trim().parse().map_err(|_| wanted)?;
        let bytes = number * unit as f64;
        let fits = 0.0 <= bytes && bytes < 2_f64.powi(62);
        if fits { Ok(Self(bytes as usize)) } else { Err(wanted) }
    }
}

impl Bytes {
    /// For people, in the unit that fits.
    pub fn rounded(self) -> String {
        match UNITS.iter().find(|(_, unit)| self.0 >= *unit) {
            Some((letter, unit)) => format!("{:.1} {letter}B", self.0 as f64 / *unit as f64),
            None => format!("{} B", self.0),
        }
    }

    /// As a value of an option that is at least this much.
    pub fn at_least(self) -> String {
        format!("{}K", self.0.div_ceil(1 << 10))
    }
}

/// The budget that holds if nobody asks for another; nothing where the system does not tell how much there is.
pub fn usual_budget() -> Option<Bytes> {
    available(Path::new("/")).map(|bytes| Bytes(bytes / 4 * 3))
}

/// Bytes that this process may still take, as the files below `root` say.
fn available(root: &Path) -> Option<usize> {
    let free = number_after(&root.join("proc/meminfo"), "MemAvailable:").map(|kilobytes| kilobytes << 10);
    free.into_iter().chain(left_in_groups(root)).min()
}

/// What is left in each control group of this process that has a limit.
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

/// The folders of a group and of all that it belongs to. Inside a container the path may be that of the world outside,
/// and then only the uppermost exists.
fn levels(root: &Path, mounts: &[&str], path: &str) -> impl Iterator<Item = PathBuf> {
    let mut found = Vec::new();
    for mount in mounts.iter().map(|mount| root.join(mount)) {
        let inside = Path::new(path.trim_start_matches('/'));
        found.extend(inside.ancestors().map(|part| mount.join(part)));
    }
    found.into_iter()
}

/// What a limit leaves: files that were read and are kept in memory make way when they must.
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
        assert_eq!((Bytes(3 << 19).rounded(), Bytes(12).rounded()), ("1.5 MB".to_owned(), "12 B".to_owned()));
        assert_eq!(Bytes(1025).at_least(), "2K");
    }

    /// A system with these files.
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
    fn without_groups_what_the_machine_has_is_available() {
        assert_eq!(available(system(&[MEMINFO]).path()), Some(4000 << 10));
        assert_eq!(available(system(&[]).path()), None);
    }

    #[test]
    fn a_group_of_version_2_and_all_above_it_are_asked() {
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
    fn a_group_of_version_1_is_asked_and_in_a_container_the_uppermost_one() {
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
