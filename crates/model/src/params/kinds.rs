//! Types and ranges of parameters, as the table declares them.
//!
//! A value of a parameter has three forms: the Rust type, JSON (files, grids, Python) and text (the program). Promise:
//! text and JSON that are not of the type, or outside the range, are refused by the same words; a range asks whether a
//! value is good, never whether it is bad, so that a NaN fails.

use super::{L1Start, MinSupport, NetworkKind, NetworkOptimizer, Penalty, Prefer, Stopping, Threshold};
use crate::forward::activation::Activation;
use crate::gnn::{Gnn, Normalization, Pooling, Readout};
use crate::heads::HeadKind;
use crate::side::Summary;
use crate::task::metrics::Metric;
use einsicht_data::QualifierChoice;
use einsicht_search::Competes;
use einsicht_search::feature::{CountTransform, Feature};
use serde_json::Value;

/// The type of a parameter, as faces need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Whole,
    /// A real number.
    Real,
    /// A list of whole numbers.
    Wholes,
    /// On or off.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A text.
    Text,
}

impl Kind {
    /// The value that a text stands for; a text that stands for none comes back as a JSON string, which no range
    /// allows.
    pub fn parse(self, text: &str) -> Value {
        let text = text.trim();
        let whole = |text: &str| text.trim().parse::<u64>().ok().map(Value::from);
        let parsed = match self {
            Self::Whole => whole(text),
            Self::Real => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
            Self::Wholes if text == "none" => Some(Value::Array(Vec::new())),
            Self::Wholes => text.split(',').map(whole).collect::<Option<Vec<Value>>>().map(Value::Array),
            Self::Switch => match text {
                "on" => Some(Value::Bool(true)),
                "off" => Some(Value::Bool(false)),
                _ => None,
            },
            Self::Choice(_) | Self::Text => None,
        };
        parsed.unwrap_or_else(|| Value::String(text.to_owned()))
    }
}

/// A value as people write it: `1,2,3`, `0.5`, `on`, `count`.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(","),
        // As Rust prints it: 0.0001, not 1e-4.
        Value::Number(number) => match number.as_u64() {
            Some(whole) => whole.to_string(),
            None => number.as_f64().map_or_else(|| number.to_string(), |real| real.to_string()),
        },
        other => other.to_string(),
    }
}

/// What a switch may be.
pub(super) const ON_OR_OFF: &str = "on or off";

/// What leaves a number, or a list of them, to the program.
pub(super) const AUTO: &str = "auto";

/// The values that a parameter may have, besides being of its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Every value of the type.
    Any,
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// `auto`, which is 0 in Rust and in model files, or a whole number from the first to the second.
    AutoOr(u64, u64),
    /// A number of graphs from 1, or a share of them.
    Support,
    /// A list of at most so many whole numbers, each from the second to the third.
    Widths(usize, u64, u64),
    /// `auto`, which is an empty list in Rust, or a list of whole numbers, strictly increasing.
    AutoOrIncreasing,
    /// A finite number above 0.
    Positive,
    /// A finite number from 0.
    NotNegative,
    /// A number above 0 and below 1.
    OpenUnit,
    /// `auto`, `none`, names of properties, or a file.
    Qualifiers,
}

impl Range {
    /// Whether a value is of the kind and in the range.
    pub fn allows(self, kind: Kind, value: &Value) -> bool {
        let wholes = || value.as_array().and_then(|list| list.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>());
        match self {
            Self::Any => match kind {
                Kind::Whole => value.is_u64(),
                Kind::Real => value.is_number(),
                Kind::Wholes => wholes().is_some(),
                Kind::Switch => value.is_boolean(),
                Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
                Kind::Text => value.is_string(),
            },
            Self::Qualifiers => value.as_str().is_some_and(|text| text.parse::<QualifierChoice>().is_ok()),
            Self::Whole(least, most) => value.as_u64().is_some_and(|v| least <= v && v <= most),
            Self::Support => MinSupport::from_json(value).is_some_and(|support| support != MinSupport::Graphs(0)),
            Self::AutoOr(least, most) => value == AUTO || value.as_u64().is_some_and(|v| least <= v && v <= most),
            Self::Widths(len, least, most) => {
                wholes().is_some_and(|list| list.len() <= len && list.iter().all(|v| least <= *v && *v <= most))
            }
            Self::AutoOrIncreasing => {
                value == AUTO || wholes().is_some_and(|list| !list.is_empty() && list.is_sorted_by(|a, b| a < b))
            }
            Self::Positive => value.as_f64().is_some_and(|v| v > 0.0 && v.is_finite()),
            Self::NotNegative => value.as_f64().is_some_and(|v| v >= 0.0 && v.is_finite()),
            Self::OpenUnit => value.as_f64().is_some_and(|v| v > 0.0 && v < 1.0),
        }
    }

    /// A value of the type as people and files write it.
    pub(super) fn shown(self, value: Value) -> Value {
        if self.auto().is_some_and(|auto| auto == value) { Value::from(AUTO) } else { value }
    }

    /// A value that [`Self::shown`] gave, of the type again.
    pub(super) fn stored(self, value: &Value) -> Value {
        self.auto().filter(|_| value == AUTO).unwrap_or_else(|| value.clone())
    }

    /// The value of the type that stands for `auto`, where that is allowed.
    fn auto(self) -> Option<Value> {
        match self {
            Self::AutoOr(..) => Some(Value::from(0)),
            Self::AutoOrIncreasing => Some(Value::Array(Vec::new())),
            _ => None,
        }
    }

    /// What is allowed, in words: the end of "must be ...".
    pub fn words(self, kind: Kind) -> String {
        match self {
            Self::Any => match kind {
                Kind::Whole => "a whole number from 0".to_owned(),
                Kind::Real => "a number".to_owned(),
                Kind::Wholes => "a list of whole numbers".to_owned(),
                Kind::Switch => ON_OR_OFF.to_owned(),
                Kind::Choice(words) => format!("one of {}", words.join(", ")),
                Kind::Text => "a text".to_owned(),
            },
            Self::Qualifiers => "auto, none, names of properties with commas between them, or a file".to_owned(),
            Self::Whole(least, u64::MAX) => format!("a whole number from {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::AutoOr(least, most) => format!("{AUTO}, or a whole number from {least} to {most}"),
            Self::Support => "a whole number from 1, or a percentage above 0% and at most 100%".to_owned(),
            Self::Widths(len, least, most) => format!("at most {len} whole numbers from {least} to {most}"),
            Self::AutoOrIncreasing => format!("{AUTO}, or whole numbers, strictly increasing"),
            Self::Positive => "a finite number above 0".to_owned(),
            Self::NotNegative => "a finite number from 0".to_owned(),
            Self::OpenUnit => "a number above 0 and below 1".to_owned(),
        }
    }
}

/// A type that a parameter can have.
pub(super) trait ParamValue: Sized {
    const KIND: Kind;
    fn to_json(&self) -> Value;
    fn from_json(value: &Value) -> Option<Self>;
}

impl ParamValue for usize {
    const KIND: Kind = Kind::Whole;
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_u64().and_then(|v| usize::try_from(v).ok())
    }
}

impl ParamValue for u64 {
    const KIND: Kind = Kind::Whole;
    fn to_json(&self) -> Value {
        Value::from(*self)
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_u64()
    }
}

impl ParamValue for f64 {
    const KIND: Kind = Kind::Real;
    fn to_json(&self) -> Value {
        // What JSON cannot hold must not look like a number that is good.
        serde_json::Number::from_f64(*self).map_or_else(|| Value::String(self.to_string()), Value::Number)
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

impl ParamValue for bool {
    const KIND: Kind = Kind::Switch;
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl ParamValue for QualifierChoice {
    const KIND: Kind = Kind::Text;
    fn to_json(&self) -> Value {
        Value::from(self.to_string())
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_str()?.parse().ok()
    }
}

impl ParamValue for Vec<usize> {
    const KIND: Kind = Kind::Wholes;
    fn to_json(&self) -> Value {
        self.iter().map(ParamValue::to_json).collect()
    }
    fn from_json(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(usize::from_json).collect()
    }
}

/// Enums whose variants are words.
trait Listed: Sized + 'static {
    /// Every variant, in the order of the words.
    const ALL: &'static [Self];
}

/// Declares the words of enums. A variant without a word does not compile.
macro_rules! choices {
    ($($type:ty: $($word:literal = $($name:ident)::+ $(($($inner:ident)::+))?),+;)*) => {
        $(impl Listed for $type {
            const ALL: &'static [Self] = &[$($($name)::+ $(($($inner)::+))?),+];
        }

        impl ParamValue for $type {
            const KIND: Kind = Kind::Choice(&[$($word),+]);
            fn to_json(&self) -> Value {
                Value::from(match self {
                    $($($name)::+ $(($($inner)::+))? => $word,)+
                })
            }
            fn from_json(value: &Value) -> Option<Self> {
                match value.as_str()? {
                    $($word => Some($($name)::+ $(($($inner)::+))?),)+
                    _ => None,
                }
            }
        })*
    };
}

choices! {
    Penalty: "l0" = Self::L0, "l1" = Self::L1;
    L1Start: "zero" = Self::Zero, "linear" = Self::Linear;
    Competes: "support_class" = Self::SupportClass, "pattern" = Self::Pattern;
    Feature: "count" = Self::Count, "mni" = Self::Mni, "presence" = Self::Presence;
    CountTransform: "log1p" = Self::Log1p, "identity" = Self::Identity;
    NetworkKind: "layers" = Self::Layers, "none" = Self::None;
    Activation: "sigmoid" = Self::Sigmoid, "tanh" = Self::Tanh, "relu" = Self::Relu, "identity" = Self::Identity;
    NetworkOptimizer: "gd" = Self::Gd, "adam" = Self::Adam;
    Gnn: "none" = Self::None, "gin" = Self::Gin;
    Pooling: "sum" = Self::Sum, "mean" = Self::Mean;
    Normalization: "none" = Self::None, "layer" = Self::Layer;
    Readout: "last" = Self::Last, "all" = Self::All;
    HeadKind: "blend" = Self::Blend, "linear" = Self::Linear, "forest" = Self::Forest, "network" = Self::Network;
    Summary: "attributes" = Self::Attributes, "none" = Self::None;
    Threshold: "half" = Self::Half, "auto" = Self::Auto;
    Stopping: "loss" = Self::Loss, "metric" = Self::Metric;
    Prefer: "accurate" = Self::Accurate, "sparse" = Self::Sparse;
    Option<Metric>: "auto" = None, "accuracy" = Some(Metric::Accuracy),
        "balanced_accuracy" = Some(Metric::BalancedAccuracy),
        "auc" = Some(Metric::Auc), "pr_auc" = Some(Metric::PrAuc),
        "loss" = Some(Metric::Loss), "rmse" = Some(Metric::Rmse), "mae" = Some(Metric::Mae), "r2" = Some(Metric::R2);
}

// Here, and not in `heads`, which knows no parameters.
impl HeadKind {
    /// Every head.
    pub const ALL: &'static [Self] = <Self as Listed>::ALL;
}

/// `select` in files: the word of the table.
pub(super) mod select {
    use super::{Metric, ParamValue};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use serde_json::Value;

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub(in super::super) fn serialize<S: Serializer>(
        select: &Option<Metric>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        select.to_json().serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Metric>, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Option::<Metric>::from_json(&value).ok_or_else(|| D::Error::custom("select must be auto or a metric"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_becomes_the_value_it_stands_for_and_back() {
        for (kind, text, value) in [
            (Kind::Whole, "3", json!(3)),
            (Kind::Real, "0.0001", json!(0.0001)),
            (Kind::Wholes, "1,2,3", json!([1, 2, 3])),
            (Kind::Wholes, "none", json!([])),
            (Kind::Switch, "off", json!(false)),
            (Kind::Choice(&["a"]), "a", json!("a")),
        ] {
            assert_eq!(kind.parse(text), value);
            assert_eq!(text_of(&value), text);
        }
        for (kind, text) in [(Kind::Whole, "-1"), (Kind::Real, "nan"), (Kind::Wholes, "1,x"), (Kind::Switch, "maybe")] {
            assert_eq!(kind.parse(text), json!(text));
            assert!(!Range::Any.allows(kind, &json!(text)), "{text}");
        }
    }

    #[test]
    fn words_of_metrics_are_the_metrics_names() {
        for metric in Metric::ALL {
            assert_eq!(Some(metric).to_json(), metric.name());
        }
    }
}
