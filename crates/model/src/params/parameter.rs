//! A parameter as the table declares it: its group, its row, its name, and how it is read and set.

use super::kinds::{Kind, Range};
use super::needs::Need;
use super::preset::Preset;
use super::table::{PARAMETERS, TrainParams};
use serde_json::Value;

/// Groups of parameters, as the help and the documentation show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Which subgraphs compete, and how many may enter.
    Subgraphs,
    /// What the mining layer feeds.
    Network,
    /// The graph network beside it.
    GraphNetwork,
    /// Steps, line searches, early stopping.
    Optimization,
    /// What reads the chosen subgraphs, and how the model is chosen.
    Prediction,
}

impl Group {
    /// All groups, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::Subgraphs, Self::Network, Self::GraphNetwork, Self::Optimization, Self::Prediction];

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Subgraphs => "Subgraphs",
            Self::Network => "Network",
            Self::GraphNetwork => "Graph network",
            Self::Optimization => "Optimization",
            Self::Prediction => "Prediction",
        }
    }
}

/// What a row says besides documentation, type and defaults.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Where it is shown.
    pub group: Group,
    /// The paper's symbol, if it has one.
    pub symbol: Option<&'static str>,
    /// The placeholder in help, such as `N`.
    pub placeholder: &'static str,
    /// Values that are allowed.
    pub range: Range,
    /// What must hold for it to be read; given where nothing reads it, it is refused.
    pub needs: &'static [Need],
    /// The value that switches it off and so needs nothing.
    pub off: Option<&'static str>,
    /// Whether its needs must hold even where it was not given, unless it is off: nothing else works then.
    pub binding: bool,
    /// How a face takes it.
    pub given: Given,
}

/// How a face takes a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// By an option of its own in the program: what people change.
    Option,
    /// By `--set name=value` in the program.
    Set,
    /// By an option that all commands share: `--seed`.
    Shared,
}

/// One parameter, as the table declares it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in Rust, Python and files; the program writes it with hyphens.
    pub name: &'static str,
    pub(super) doc: &'static [&'static str],
    /// Its type.
    pub kind: Kind,
    /// What else the table says.
    pub row: Row,
    pub(super) get: fn(&TrainParams) -> Value,
    pub(super) set: fn(&mut TrainParams, &Value) -> Option<()>,
}

impl Parameter {
    /// The parameter with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|parameter| parameter.name == name)
    }

    /// What it is, in one line without a full stop.
    pub fn help(&self) -> &'static str {
        self.doc[0].trim().trim_end_matches('.')
    }

    /// More about it: paragraphs, each on one line, or nothing.
    pub fn about(&self) -> String {
        let paragraphs = self.doc[1..].split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty());
        let joined = paragraphs.map(|lines| lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "));
        joined.collect::<Vec<_>>().join("\n\n")
    }

    /// Its value.
    pub fn value(&self, params: &TrainParams) -> Value {
        self.row.range.shown((self.get)(params))
    }

    /// Its default for a preset.
    pub fn default(&self, preset: Preset) -> Value {
        self.value(&TrainParams::preset(preset))
    }

    /// Sets it; `None` if the value is not of its type.
    pub(super) fn set(&self, params: &mut TrainParams, value: &Value) -> Option<()> {
        (self.set)(params, &self.row.range.stored(value))
    }

    /// Whether these parameters make anything read it.
    pub(crate) fn is_read(&self, params: &TrainParams) -> bool {
        self.row.needs.iter().all(|need| need.holds(params))
    }

    /// Whether it is one of those that a training is given; all but the seed, which every command has.
    pub fn is_of_training(&self) -> bool {
        self.row.given != Given::Shared
    }

    /// What is allowed, in words.
    pub fn allowed(&self) -> String {
        self.row.range.words(self.kind)
    }
}
