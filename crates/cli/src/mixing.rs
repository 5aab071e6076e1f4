//! Options of training that do not mix: one table, which the help prints and the program obeys.

use crate::failure::Failure;
use crate::training::TrainOptions;
use einsicht::learn::feature::Feature;
use einsicht::learn::gnn::Gnn;
use einsicht::learn::head::HeadKind;
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

const TABLE: [Clash; 12] = [
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
    Clash {
        option: "--refit",
        with: "--head network",
        reason: "only a head is fitted again",
        is_asked_for: |o| o.refit == Some(true) && head(o) == HeadKind::Network,
    },
    Clash {
        option: "--ridge",
        with: "--head forest",
        reason: "there is no linear model",
        is_asked_for: |o| o.ridge.is_some() && matches!(head(o), HeadKind::Forest | HeadKind::Network),
    },
    Clash {
        option: "--trees",
        with: "--head linear",
        reason: "there is no forest, and none with --head network",
        is_asked_for: |o| o.trees.is_some() && matches!(head(o), HeadKind::Linear | HeadKind::Network),
    },
    Clash {
        option: "--head",
        with: "--gnn gin",
        reason: "a graph network and the subgraphs are read by one network",
        is_asked_for: |o| o.gnn == Some(Gnn::Gin) && head(o) != HeadKind::Network,
    },
    Clash {
        option: "--growth",
        with: "--penalty l1",
        reason: "the price decides how many subgraphs enter",
        is_asked_for: |o| has_price(o) && o.growth.is_some(),
    },
];

fn has_price(options: &TrainOptions) -> bool {
    options.penalty == Some(Penalty::L1)
}

fn is_linear(options: &TrainOptions) -> bool {
    options.network == Some(NetworkKind::None)
}

fn head(options: &TrainOptions) -> HeadKind {
    options.head.map_or_else(|| options.base().head, HeadKind::from)
}

fn reads_presence(options: &TrainOptions) -> bool {
    options.feature.map_or_else(|| options.base().feature, Feature::from) == Feature::Presence
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
