//! Presets: named sets of defaults. Nothing else changes a default.

use serde::{Deserialize, Serialize};

/// A named set of defaults for all parameters of training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// What predicts best on small sets of real graphs: patterns enter one at a time by a linear model of their counts;
    /// a linear model and trees read them (`docs/decisions/0008-heads-and-defaults.md`).
    #[default]
    Default,
    /// The paper's network, trained with care: prefit, polishing, early stopping with a tolerance, a little weight
    /// decay, and one representative for each support class.
    Ein,
    /// `ein` with a graph isomorphism network beside the mining layer, both fitted by Adam.
    Gin,
    /// The paper to the letter: pattern by pattern, its sizes, at most 9 edges, no prefit, no polishing, no weight
    /// decay.
    Paper,
}

impl Preset {
    /// All presets, in the order of the documentation.
    pub const ALL: [Self; 4] = [Self::Default, Self::Ein, Self::Gin, Self::Paper];

    /// Its name in options, files and Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Ein => "ein",
            Self::Gin => "gin",
            Self::Paper => "paper",
        }
    }

    /// The preset with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// What it is for, in one sentence.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Default => {
                "a linear model of counts selects the subgraphs; a linear model and trees predict from them"
            }
            Self::Ein => "the paper's network with improved training",
            Self::Gin => "the paper's network with a graph isomorphism network beside the subgraphs",
            Self::Paper => "the published method, to the letter",
        }
    }
}
