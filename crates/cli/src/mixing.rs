//! Options of training that do not mix: one table, which the help prints and the program obeys.

use crate::failure::Failure;
use crate::training::TrainOptions;
use einsicht::TrainParams;
use einsicht::learn::feature::Feature;
use einsicht::learn::params::{NetworkKind, Penalty};

/// Two things that were asked for and exclude each other.
struct Clash {
    /// The option that is refused.
    option: &'static str,
    /// What it does not go with.
    with: &'static str,
    reason: &'static str,
    is_asked_for: fn(&TrainOptions) -> bool,
}

const TABLE: [Clash; 7] = [
    Clash {
        option: "--sizes",
        with: "--penalty l1",
        reason: "the path is one of prices, not of sizes; --lambdas says how many",
        is_asked_for: |o| has_price(o) && o.sizes.is_some(),
    },
    Clash {
        option: "--lambdas",
        with: "--penalty l0",
        reason: "only --penalty l1 has a path of prices",
        is_asked_for: |o| !has_price(o) && o.lambdas.is_some(),
    },
    Clash {
        option: "--max-patterns",
        with: "--penalty l0",
        reason: "the sizes already say how many subgraphs there may be",
        is_asked_for: |o| !has_price(o) && o.max_patterns.is_some(),
    },
    Clash {
        option: "--hidden",
        with: "--network none",
        reason: "a linear model has one unit for each output",
        is_asked_for: |o| is_linear(o) && o.hidden.is_some(),
    },
    Clash {
        option: "--layers",
        with: "--network none",
        reason: "a linear model has no layers",
        is_asked_for: |o| is_linear(o) && o.layers.is_some(),
    },
    Clash {
        option: "--network-steps",
        with: "--network none",
        reason: "there is no network to make steps on",
        is_asked_for: |o| is_linear(o) && o.network_steps.is_some(),
    },
    Clash {
        option: "--count-transform",
        with: "--feature presence",
        reason: "only counts are transformed",
        is_asked_for: |o| o.count_transform.is_some() && reads_presence(o),
    },
];

fn has_price(options: &TrainOptions) -> bool {
    options.penalty == Some(Penalty::L1)
}

fn is_linear(options: &TrainOptions) -> bool {
    options.network == Some(NetworkKind::None)
}

fn reads_presence(options: &TrainOptions) -> bool {
    options.feature.map_or_else(|| TrainParams::default().feature, Feature::from) == Feature::Presence
}

/// Refuses the first pair that does not mix, with the reason.
pub(crate) fn check(options: &TrainOptions) -> Result<(), Failure> {
    match TABLE.iter().find(|clash| (clash.is_asked_for)(options)) {
        None => Ok(()),
        Some(Clash { option, with, reason, .. }) => {
            Err(Failure::usage(option, format!("{option} does not go with {with}: {reason}")))
        }
    }
}

/// The table for the help.
pub(crate) fn help() -> String {
    let mut text = String::from("Options that do not mix:\n");
    for Clash { option, with, reason, .. } in &TABLE {
        text += &format!("  {option:<17} {with:<18} {reason}\n");
    }
    text.pop();
    text
}
