//! Minimum support: a number of graphs, or a share of those that a model is fitted on.
//!
//! Exact: a share is a decimal number and is taken in whole numbers, so `10%` of 30 graphs is 3 on every machine, and
//! 0.07 in Python is `7%` in the program.

use super::kinds::{Kind, ParamValue};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// How many graphs must contain a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinSupport {
    /// A number of graphs.
    Graphs(usize),
    /// A share of them, rounded up.
    Share(Share),
}

/// A decimal number above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Without zeros at the end, so that equal shares are equal.
    digits: u64,
    /// How many of them stand behind the point.
    places: usize,
}

impl MinSupport {
    /// The number of graphs among `all`.
    pub fn of(self, all: usize) -> usize {
        match self {
            Self::Graphs(graphs) => graphs,
            Self::Share(share) => share.of(all),
        }
    }
}

impl Share {
    /// A decimal number, divided by ten so many times.
    fn parse(text: &str, divided: usize) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let written = format!("{whole}{fraction}");
        let digits = written.trim_end_matches('0');
        let places = (fraction.len() + divided).checked_sub(written.len() - digits.len())?;
        let digits: u64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        let is_below_one = digits.to_string().len() <= places;
        (is_below_one || (digits, places) == (1, 0)).then_some(Self { digits, places })
    }

    fn of(self, all: usize) -> usize {
        let of_all = u128::from(self.digits) * all as u128;
        // So small a share that no number of graphs reaches one of them.
        let Some(divisor) = u32::try_from(self.places).ok().and_then(|places| 10_u128.checked_pow(places)) else {
            return 1;
        };
        usize::try_from(of_all.div_ceil(divisor)).unwrap_or(usize::MAX)
    }
}

impl FromStr for MinSupport {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().strip_suffix('%') {
            None => {
                text.trim().parse().map(Self::Graphs).map_err(|_| "must be a number of graphs or a percentage like 5%")
            }
            Some(percent) => {
                Share::parse(percent.trim(), 2).map(Self::Share).ok_or("a percentage must be above 0% and at most 100%")
            }
        }
    }
}

impl fmt::Display for MinSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graphs(graphs) => write!(f, "{graphs}"),
            Self::Share(Share { digits, places }) => {
                let zeros = "0".repeat(2_usize.saturating_sub(*places));
                let behind = places.saturating_sub(2);
                let written = format!("{digits}{zeros}");
                let written = format!("{written:0>least$}", least = behind + 1);
                let (whole, fraction) = written.split_at(written.len() - behind);
                let point = if fraction.is_empty() { "" } else { "." };
                write!(f, "{whole}{point}{fraction}%")
            }
        }
    }
}

impl ParamValue for MinSupport {
    const KIND: Kind = Kind::Whole;

    fn to_json(&self) -> Value {
        match self {
            Self::Graphs(graphs) => Value::from(*graphs),
            Self::Share(_) => Value::from(self.to_string()),
        }
    }

    /// A number of graphs, a percentage as text, or a share as a number below 1.
    fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => text.parse().ok().filter(|support| matches!(support, Self::Share(_))),
            Value::Number(number) if number.is_u64() => usize::from_json(value).map(Self::Graphs),
            // As it is written: the shortest decimal number that stands for the same float.
            Value::Number(number) => {
                let share = number.as_f64().filter(|share| *share < 1.0)?;
                Share::parse(&share.to_string(), 0).map(Self::Share)
            }
            _ => None,
        }
    }
}

impl Serialize for MinSupport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MinSupport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value)
            .ok_or_else(|| D::Error::custom("min_support must be a number of graphs or a percentage"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_percentage_of_graphs_is_exact_and_rounded_up() {
        let of = |text: &str, all| text.parse::<MinSupport>().unwrap().of(all);
        assert_eq!([of("10%", 30), of("10%", 31), of("0.1%", 10), of("2.5 %", 1000), of("100%", 7)], [3, 4, 1, 25, 7]);
        assert_eq!([of("5", 3), of("0.00000000000000000000000000000000000000001%", usize::MAX)], [5, 1]);
        assert_eq!(of("100%", usize::MAX), usize::MAX);
        for bad in
            ["0%", "100.1%", "-1%", "x%", "%", "1e1%", "5 graphs", "-3", "nan%", ".%", "1000%", "99999999999999999999%"]
        {
            assert!(bad.parse::<MinSupport>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_as_a_number_is_the_percentage_as_text() {
        let both = |number: Value, text: &str| {
            let support = MinSupport::from_json(&number).unwrap();
            assert_eq!((support, support.to_json()), (text.parse().unwrap(), json!(text)));
            assert_eq!(MinSupport::from_json(&support.to_json()), Some(support));
        };
        // In floats 0.07 of 100 graphs is above 7.
        assert_eq!(MinSupport::from_json(&json!(0.07)).unwrap().of(100), 7);
        both(json!(0.07), "7%");
        both(json!(0.5), "50%");
        both(json!(0.125), "12.5%");
        both(json!(0.001), "0.1%");
        both(json!(1.0 / 3.0), "33.33333333333333%");
        assert_eq!("100.00%".parse::<MinSupport>().unwrap().to_json(), json!("100%"));
        for bad in [json!(1.0), json!(0.0), json!(-0.1), json!(1.5), json!("5"), json!("0.05"), json!(null)] {
            assert_eq!(MinSupport::from_json(&bad), None, "{bad}");
        }
    }
}
