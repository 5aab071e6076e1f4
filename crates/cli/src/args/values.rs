//! Values of options that are more than a number: durations, fractions, features; minimum supports and sizes of memory
//! are the library's.

use clap::ValueEnum;
use einsicht::graph::mine::Counts;
pub(crate) use einsicht::memory::Bytes;
pub(crate) use einsicht::model::params::MinSupport;
use std::time::Duration;

/// A whole number from 0.
pub(crate) fn from_zero(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "must be a whole number from 0 to 18446744073709551615")
}

/// A whole number from 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| *n >= 1).ok_or("must be a whole number of at least 1")
}

/// The value of a pattern in a graph: `--feature`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternFeature {
    /// Whether the graph contains the pattern.
    Presence,
    /// Its count as well: a lower bound on the number of copies in the graph.
    Count,
    /// Its minimum-image (MNI) count as well: the smallest number of distinct graph vertices to which a pattern vertex
    /// is mapped. It is not a number of occurrences.
    Mni,
}

impl PatternFeature {
    /// The counts that it needs.
    pub(crate) fn counts(self) -> Counts {
        match self {
            Self::Presence => Counts::Off,
            Self::Count => Counts::Copies,
            Self::Mni => Counts::MinimumImage,
        }
    }
}

/// A duration such as `30s`, `1.5m`, `2h` or `1h 30m`; a bare number is in seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, &'static str> {
    const LONGEST: Duration = Duration::from_hours(1_000_000);
    let is_bare = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let parsed = humantime::parse_duration(&if is_bare { format!("{text}s") } else { text.to_owned() });
    let in_range = |duration: &Duration| Duration::ZERO < *duration && *duration < LONGEST;
    parsed.ok().filter(in_range).ok_or("must be a duration above 0 like 30s, 1.5m or 2h")
}

/// A fraction of the graphs, above 0 and below 1.
pub(crate) fn fraction(text: &str) -> Result<f64, &'static str> {
    let in_range = |fraction: &f64| 0.0 < *fraction && *fraction < 1.0;
    text.parse().ok().filter(in_range).ok_or("must be a number above 0 and below 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        let two_hours = ["2h", "7200 s", "7200", "1h 60m"].map(duration);
        assert_eq!(two_hours, [Ok(Duration::from_hours(2)); 4]);
        for bad in ["0", "-1", "nan", "inf", "soon", "", ".", "99999999999999999999h", "10000000000"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
