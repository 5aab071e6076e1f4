//! Values of options that are more than a number: amounts of memory, of time, and of graphs.
//!
//! Exact: a percentage of graphs is computed in whole numbers, so `10%` of 30 graphs is 3 on every machine.

use std::str::FromStr;
use std::time::Duration;

/// How many graphs must contain a pattern: a number of them or a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MinSupport {
    /// So many graphs.
    Graphs(usize),
    /// So many hundredths of all graphs, as a fraction.
    Percent { numerator: u64, denominator: u64 },
}

impl MinSupport {
    /// The number of graphs among `all` that are enough; a share is rounded up.
    pub(crate) fn of(self, all: usize) -> usize {
        match self {
            Self::Graphs(graphs) => graphs,
            Self::Percent { numerator, denominator } => {
                let share = u128::from(numerator) * all as u128;
                usize::try_from(share.div_ceil(100 * u128::from(denominator))).unwrap_or(usize::MAX)
            }
        }
    }
}

impl FromStr for MinSupport {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(share) = text.strip_suffix('%') else {
            return text.parse().map(Self::Graphs).map_err(|_| "must be a number of graphs or a share like 5%");
        };
        let wanted = "a share must be above 0% and at most 100%";
        let (whole, fraction) = share.trim().split_once('.').unwrap_or((share.trim(), ""));
        let digits = format!("{whole}{fraction}");
        let is_number = !digits.is_empty() && digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit());
        let numerator = digits.parse().ok().filter(|_| is_number).ok_or(wanted)?;
        let denominator = 10_u64.pow(fraction.len() as u32);
        let is_share = 0 < numerator && numerator <= 100 * denominator;
        if is_share { Ok(Self::Percent { numerator, denominator }) } else { Err(wanted) }
    }
}

/// An amount of memory in bytes, such as `500M` or `2G`; units are powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) usize);

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
    pub(crate) fn rounded(self) -> String {
        match UNITS.iter().find(|(_, unit)| self.0 >= *unit) {
            Some((letter, unit)) => format!("{:.1} {letter}B", self.0 as f64 / *unit as f64),
            None => format!("{} B", self.0),
        }
    }

    /// As a value of an option that is at least this much.
    pub(crate) fn at_least(self) -> String {
        format!("{}K", self.0.div_ceil(1 << 10))
    }
}

/// A time in seconds, minutes or hours: `30`, `1.5m`, `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, &'static str> {
    let wanted = "must be a time above 0 like 30s, 1.5m or 2h";
    let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let with_unit = units.iter().find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, *unit)));
    let (number, unit) = with_unit.unwrap_or((text, 1.0));
    let number: f64 = number.trim().parse().map_err(|_| wanted)?;
    let seconds = number * unit;
    let is_good = 0.0 < seconds && seconds < 1e10;
    if is_good { Ok(Duration::from_secs_f64(seconds)) } else { Err(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_graphs_is_exact_and_rounded_up() {
        let of = |text: &str, all| text.parse::<MinSupport>().unwrap().of(all);
        assert_eq!([of("10%", 30), of("10%", 31), of("0.1%", 10), of("2.5 %", 1000), of("100%", 7)], [3, 4, 1, 25, 7]);
        assert_eq!(of("5", 3), 5);
        for bad in ["0%", "100.1%", "-1%", "x%", "%", "1e1%", "5 graphs", "-3", "nan%"] {
            assert!(bad.parse::<MinSupport>().is_err(), "{bad}");
        }
    }

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

    #[test]
    fn times_have_units() {
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!([duration("2h"), duration("7200 s"), duration("7200")], [Ok(Duration::from_hours(2)); 3]);
        for bad in ["0", "-1", "nan", "inf", "soon"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
