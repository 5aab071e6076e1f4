//! Which values each parameter may have: the table that stands in words above [`TrainParams`], for [`TrainParams::check`].

use super::TrainParams;

/// One line of the table in the words of [`TrainParams`].
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) allowed: Allowed,
    pub(super) value: fn(&TrainParams) -> Value<'_>,
}

pub(super) enum Value<'a> {
    Whole(usize),
    Wholes(&'a [usize]),
    Real(f64),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Allowed {
    FromZero,
    FromOne,
    UpTo31,
    UpTo256,
    UpTo1000,
    Widths,
    Increasing,
    AboveZero,
    NotNegative,
    Share,
}

impl Allowed {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::FromZero => "a whole number from 0",
            Self::FromOne => "a whole number from 1",
            Self::UpTo31 => "a whole number from 1 to 31",
            Self::UpTo256 => "a whole number from 1 to 256",
            Self::UpTo1000 => "a whole number from 1 to 1000",
            Self::Widths => "at most 16 whole numbers from 1 to 4096",
            Self::Increasing => {
                "whole numbers from 1, or from 0 with a graph network or a summary, strictly increasing"
            }
            Self::AboveZero => "a finite number above 0",
            Self::NotNegative => "a finite number from 0",
            Self::Share => "a number above 0 and below 1",
        }
    }
}

impl Value<'_> {
    /// The value as text if it is not allowed. Asks whether it is good, never whether it is bad: a NaN fails.
    pub(super) fn refused_by(&self, allowed: Allowed) -> Option<String> {
        let good = match (self, allowed) {
            (Self::Whole(_), Allowed::FromZero) => true,
            (Self::Whole(v), Allowed::FromOne) => *v >= 1,
            (Self::Whole(v), Allowed::UpTo31) => (1..=31).contains(v),
            (Self::Whole(v), Allowed::UpTo256) => (1..=256).contains(v),
            (Self::Whole(v), Allowed::UpTo1000) => (1..=1000).contains(v),
            (Self::Wholes(v), Allowed::Widths) => v.len() <= 16 && v.iter().all(|w| (1..=4096).contains(w)),
            (Self::Wholes(v), Allowed::Increasing) => !v.is_empty() && v.is_sorted_by(|a, b| a < b),
            (Self::Real(v), Allowed::AboveZero) => *v > 0.0 && v.is_finite(),
            (Self::Real(v), Allowed::NotNegative) => *v >= 0.0 && v.is_finite(),
            (Self::Real(v), Allowed::Share) => *v > 0.0 && *v < 1.0,
            _ => false,
        };
        (!good).then(|| self.text())
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Whole(v) => v.to_string(),
            Self::Wholes([]) => "none".to_owned(),
            Self::Wholes(v) => v.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
            Self::Real(v) => v.to_string(),
        }
    }
}

pub(super) const TABLE: [Row; 25] = [
    Row { name: "sizes", allowed: Allowed::Increasing, value: |p| Value::Wholes(&p.sizes) },
    Row { name: "max_edges", allowed: Allowed::UpTo31, value: |p| Value::Whole(p.max_edges) },
    Row { name: "min_support", allowed: Allowed::FromOne, value: |p| Value::Whole(p.min_support) },
    Row { name: "hidden", allowed: Allowed::UpTo256, value: |p| Value::Whole(p.hidden) },
    Row { name: "layers", allowed: Allowed::Widths, value: |p| Value::Wholes(&p.layers) },
    Row { name: "network_steps", allowed: Allowed::FromZero, value: |p| Value::Whole(p.network_steps) },
    Row { name: "max_step", allowed: Allowed::AboveZero, value: |p| Value::Real(p.max_step) },
    Row { name: "step_ratio", allowed: Allowed::Share, value: |p| Value::Real(p.step_ratio) },
    Row { name: "step_trials", allowed: Allowed::UpTo1000, value: |p| Value::Whole(p.step_trials) },
    Row { name: "sufficient_decrease", allowed: Allowed::Share, value: |p| Value::Real(p.sufficient_decrease) },
    Row { name: "weight_decay", allowed: Allowed::NotNegative, value: |p| Value::Real(p.weight_decay) },
    Row { name: "patience", allowed: Allowed::FromOne, value: |p| Value::Whole(p.patience) },
    Row { name: "tolerance", allowed: Allowed::NotNegative, value: |p| Value::Real(p.tolerance) },
    Row { name: "max_iterations", allowed: Allowed::FromOne, value: |p| Value::Whole(p.max_iterations) },
    Row { name: "prefit_steps", allowed: Allowed::FromZero, value: |p| Value::Whole(p.prefit_steps) },
    Row { name: "polish_steps", allowed: Allowed::FromZero, value: |p| Value::Whole(p.polish_steps) },
    Row { name: "lambdas", allowed: Allowed::FromOne, value: |p| Value::Whole(p.lambdas) },
    Row { name: "max_patterns", allowed: Allowed::FromOne, value: |p| Value::Whole(p.max_patterns) },
    Row { name: "gnn_rounds", allowed: Allowed::UpTo31, value: |p| Value::Whole(p.gnn_rounds) },
    Row { name: "gnn_units", allowed: Allowed::UpTo256, value: |p| Value::Whole(p.gnn_units) },
    Row { name: "learning_rate", allowed: Allowed::AboveZero, value: |p| Value::Real(p.learning_rate) },
    Row { name: "batch_size", allowed: Allowed::FromOne, value: |p| Value::Whole(p.batch_size) },
    Row { name: "growth", allowed: Allowed::FromZero, value: |p| Value::Whole(p.growth) },
    Row { name: "ridge", allowed: Allowed::NotNegative, value: |p| Value::Real(p.ridge) },
    Row { name: "trees", allowed: Allowed::UpTo1000, value: |p| Value::Whole(p.trees) },
];
