//! Values of options that are more than a number: durations, minimum supports, features; sizes of memory are the
//! library's.
//!
//! Exact: a percentage of graphs is computed in whole numbers, so `10%` of 30 graphs is 3 on every machine.

use clap::ValueEnum;
use einsicht::graph::mine::Counts;
pub(crate) use einsicht::memory::Bytes;
use std::str::FromStr;
use std::time::Duration;

/// Minimum support: a number of graphs or a percentage of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MinSupport {
    /// A number of graphs.
    Graphs(usize),
    /// A percentage of all graphs, as a fraction.
    Percent { numerator: u64, denominator: u64 },
}

impl MinSupport {
    /// The number of graphs among `all`; a percentage is rounded up.
    pub(crate) fn of(self, all: usize) -> usize {
        match self {
            Self::Graphs(graphs) => graphs,
            Self::Percent { numerator, denominator } => {
                let hundredths = u128::from(numerator) * all as u128;
                usize::try_from(hundredths.div_ceil(100 * u128::from(denominator))).unwrap_or(usize::MAX)
            }
        }
    }
}

impl FromStr for MinSupport {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(Self::Graphs).map_err(|_| "must be a number of graphs or a percentage like 5%");
        };
        let wanted = "a percentage must be above 0% and at most 100%";
        let (whole, fraction) = percent.trim().split_once('.').unwrap_or((percent.trim(), ""));
        let digits = format!("{whole}{fraction}");
        let is_number = !digits.is_empty() && digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit());
        let numerator = digits.parse().ok().filter(|_| is_number).ok_or(wanted)?;
        let denominator = 10_u64.pow(fraction.len() as u32);
        let in_range = 0 < numerator && numerator <= 100 * denominator;
        if in_range { Ok(Self::Percent { numerator, denominator }) } else { Err(wanted) }
    }
}

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
    fn a_percentage_of_graphs_is_exact_and_rounded_up() {
        let of = |text: &str, all| text.parse::<MinSupport>().unwrap().of(all);
        assert_eq!([of("10%", 30), of("10%", 31), of("0.1%", 10), of("2.5 %", 1000), of("100%", 7)], [3, 4, 1, 25, 7]);
        assert_eq!(of("5", 3), 5);
        for bad in ["0%", "100.1%", "-1%", "x%", "%", "1e1%", "5 graphs", "-3", "nan%"] {
            assert!(bad.parse::<MinSupport>().is_err(), "{bad}");
        }
    }

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
