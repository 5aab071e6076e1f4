//! Which parameters need which others: conditions of the table, and the messages that follow from them.

use super::Spelling;
use super::kinds::text_of;
use super::parameter::Parameter;
use super::preset::Preset;
use super::table::TrainParams;
use serde_json::Value;

/// A condition on one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The parameter has one of these words.
    Is(&'static str, &'static [&'static str]),
    /// The parameter is at least this whole number.
    AtLeast(&'static str, u64),
    /// The parameter does not have this word.
    Not(&'static str, &'static str),
    /// The switch is on.
    On(&'static str),
}

/// What a parameter needs to be read: at least one of some conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// One of these must hold.
    pub any: &'static [Condition],
    /// Why.
    pub why: &'static str,
}

impl Condition {
    fn name(self) -> &'static str {
        match self {
            Self::Is(name, _) | Self::AtLeast(name, _) | Self::Not(name, _) | Self::On(name) => name,
        }
    }

    fn holds(self, params: &TrainParams) -> bool {
        let value = Parameter::named(self.name()).map_or(Value::Null, |parameter| parameter.value(params));
        match self {
            Self::Is(_, words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::AtLeast(_, least) => value.as_u64().is_some_and(|number| number >= least),
            Self::Not(_, word) => value.as_str().is_some_and(|other| other != word),
            Self::On(_) => value == true,
        }
    }

    /// The condition as somebody would set it.
    fn words(self, spelling: Spelling) -> String {
        match self {
            Self::Is(name, words) => {
                words.iter().map(|word| spelling.setting(name, word)).collect::<Vec<_>>().join(" or ")
            }
            Self::AtLeast(name, least) => format!("{} of at least {least}", spelling.name(name)),
            Self::Not(name, word) => format!("{} other than {word}", spelling.name(name)),
            Self::On(name) => spelling.setting(name, "on"),
        }
    }
}

impl Need {
    /// Whether these parameters meet it.
    pub fn holds(&self, params: &TrainParams) -> bool {
        self.any.iter().any(|condition| condition.holds(params))
    }

    /// The need in words: `--set network=layers`.
    pub fn words(&self, spelling: Spelling) -> String {
        self.any.iter().map(|condition| condition.words(spelling)).collect::<Vec<_>>().join(" or ")
    }

    /// Settings that meet it, for tests and examples.
    pub fn example(&self) -> (&'static str, Value) {
        match self.any[0] {
            Condition::Is(name, words) => (name, Value::from(words[0])),
            Condition::AtLeast(name, least) => (name, Value::from(least)),
            Condition::On(name) => (name, Value::from(true)),
            Condition::Not(name, _) => {
                let word = |preset: Preset| Parameter::named(name).map(|p| p.default(preset));
                (name, word(Preset::Default).unwrap_or_default())
            }
        }
    }

    /// The first preset whose defaults meet it.
    pub fn preset(&self) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| self.holds(&TrainParams::preset(*preset)))
    }
}

/// The first need that a parameter with this value lacks.
pub(super) fn lacking(parameter: &Parameter, params: &TrainParams) -> Option<&'static Need> {
    if parameter.row.off.is_some_and(|off| text_of(&parameter.value(params)) == off) {
        return None;
    }
    parameter.row.needs.iter().find(|need| !need.holds(params))
}
