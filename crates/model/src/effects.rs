//! Effects of subgraphs on the predictions, and the shares of subgraphs and side inputs in them: plain data that a
//! model may hold.
//!
//! Promise: every number is about the model that predicts (its head or its network), never about the one that selected
//! the subgraphs. Nothing is computed here: `einsicht_explain::effects` does.

use serde::{Deserialize, Serialize};

/// The graphs that effects were computed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectGraphs {
    /// The training set of the model.
    Training,
    /// The graphs that were given, since the training set was not at hand.
    Given,
}

/// One number that a model predicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectQuantity {
    /// Index of the task.
    pub task: usize,
    /// Index of its class; absent for regression.
    pub class: Option<usize>,
    /// Name for people: `probability of Class = 1`, or where no trees predict `log-odds (logit) of Class = 1` of two
    /// classes and `logit of Class = 3` of several; the target for numbers.
    pub name: String,
}

/// The effect of one subgraph on each quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternEffect {
    /// Number of graphs with the subgraph that the mean is over; where nearly all graphs have it, those with more of it
    /// than the mean.
    pub graphs: usize,
    /// Whether (nearly) all graphs have it, so that those with more of it than the mean are compared with the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_amount: bool,
    /// For each quantity the mean Shapley value over these graphs, minus that over graphs without the subgraph; empty
    /// if no graph has it.
    pub values: Vec<f64>,
    /// For each quantity the ends of a 95 % bootstrap interval of that difference over graphs; empty if there are too
    /// few graphs.
    pub intervals: Vec<[f64; 2]>,
    /// For each quantity the fraction of these graphs in which the subgraph raises it: near 0 or 1 if the sign of the
    /// mean is that of nearly all graphs; empty if there is no graph.
    pub raises: Vec<f64>,
}

/// The effect of a column that is read beside the graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnEffect {
    /// Its name.
    pub name: String,
    /// The mean of its values over the sample, which parts the graphs.
    pub mean: f64,
    /// Graphs of the sample above the mean, against all others.
    pub effect: PatternEffect,
}

/// Two subgraphs that interact, and what is predicted where both of them are, the first alone, the second alone, or
/// none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairEffect {
    /// Indices of the two patterns of the entry.
    pub patterns: [usize; 2],
    /// Graphs of the sample in each of the four cases.
    pub graphs: [usize; 4],
    /// For each quantity the mean output in each case; 0 where there is no graph.
    pub outputs: Vec<[f64; 4]>,
}

impl PairEffect {
    /// When a quantity is high, in words, for these names of the two subgraphs: `either A or B, but not both`.
    ///
    /// # Panics
    /// If there is no such quantity.
    pub fn in_words(&self, quantity: usize, [a, b]: [&str; 2]) -> String {
        let outputs = self.outputs[quantity];
        let (low, high) = outputs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &o| (l.min(o), h.max(o)));
        let is_high = outputs.map(|output| output > f64::midpoint(low, high));
        match is_high {
            [false, true, true, false] => format!("either {a} or {b}, but not both"),
            [true, false, false, true] => format!("both {a} and {b}, or none of them"),
            [true, false, false, false] => format!("both {a} and {b}"),
            [false, true, false, false] => format!("{a} without {b}"),
            [false, false, true, false] => format!("{b} without {a}"),
            [false, false, false, true] => format!("neither {a} nor {b}"),
            [true, true, true, false] => format!("{a} or {b}"),
            [true, true, false, true] => format!("anything but {b} without {a}"),
            [true, false, true, true] => format!("anything but {a} without {b}"),
            [false, true, true, true] => format!("anything but both {a} and {b}"),
            [true, true, false, false] => format!("{a}, whatever {b}"),
            [false, false, true, true] => format!("no {a}, whatever {b}"),
            [true, false, true, false] => format!("{b}, whatever {a}"),
            [false, true, false, true] => format!("no {b}, whatever {a}"),
            [true, true, true, true] | [false, false, false, false] => format!("any of {a} and {b}, or none"),
        }
    }
}

/// The share of one group of features in the predictions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// `subgraphs`, or the name of a side input.
    pub name: String,
    /// For each quantity the share of the group, from 0 to 1. Shares of all groups sum to 1, or are 0 if nothing moves
    /// it.
    pub by_quantity: Vec<f64>,
    /// The mean over the quantities.
    pub mean: f64,
}

/// Effects of the subgraphs of one entry of a path, and shares of groups of features.
///
/// An effect is the mean Shapley value of a subgraph in the graphs that contain it minus that in the graphs that do
/// not: how much higher it puts the prediction where it is present. For a linear model on presences it is the weight.
/// The baseline is the background of the model. A share is the mean absolute deviation of the summed Shapley values of
/// the group from their mean over graphs, divided by the same of all groups: how much of what tells one graph's
/// prediction from another's comes from this group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// Which graphs they are about.
    pub set: EffectGraphs,
    /// Number of graphs in the sample. Subgraphs that few of them contain have further graphs of their own.
    pub sampled: usize,
    /// Number of graphs that the sample was drawn from.
    pub available: usize,
    /// The numbers that the model predicts.
    pub quantities: Vec<EffectQuantity>,
    /// One per pattern of the entry, in its order.
    pub patterns: Vec<PatternEffect>,
    /// One per pair of the entry, in its order.
    pub pairs: Vec<PairEffect>,
    /// One per group: the subgraphs, then each side input of the model.
    pub shares: Vec<Share>,
    /// One per column that the model reads beside the graphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnEffect>,
    /// Pairs of patterns that nearly the same graphs of the sample contain, as often, the smaller index first: lists of
    /// the strongest name one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_copies: Vec<[usize; 2]>,
}

impl Effects {
    /// The effect of a pattern on a quantity, if it is known.
    pub fn value(&self, pattern: usize, quantity: usize) -> Option<f64> {
        self.patterns.get(pattern)?.values.get(quantity).copied()
    }

    /// The ends of its 95 % bootstrap interval, if they are known.
    pub fn interval(&self, pattern: usize, quantity: usize) -> Option<[f64; 2]> {
        self.patterns.get(pattern)?.intervals.get(quantity).copied()
    }

    /// The fraction of the graphs with a pattern in which it raises a quantity, if it is known.
    pub fn raises(&self, pattern: usize, quantity: usize) -> Option<f64> {
        self.patterns.get(pattern)?.raises.get(quantity).copied()
    }

    /// Whether (nearly) all graphs have a pattern, so that its effect compares those with more of it than the mean with
    /// the others.
    pub fn is_by_amount(&self, pattern: usize) -> bool {
        self.patterns.get(pattern).is_some_and(|effect| effect.by_amount)
    }

    /// Whether two patterns are near-copies of each other.
    pub fn are_near_copies(&self, a: usize, b: usize) -> bool {
        self.near_copies.contains(&[a.min(b), a.max(b)])
    }

    /// The indices of the quantities of some tasks; of all tasks if none is named.
    pub fn quantities_of(&self, tasks: &[usize]) -> Vec<usize> {
        let is_wanted = |at: &usize| tasks.is_empty() || tasks.contains(&self.quantities[*at].task);
        (0..self.quantities.len()).filter(is_wanted).collect()
    }

    /// The largest size of a pattern's effects on some quantities; 0 if none is known.
    pub fn strength(&self, pattern: usize, quantities: &[usize]) -> f64 {
        quantities.iter().filter_map(|&q| self.value(pattern, q)).fold(0.0, |most, value| most.max(value.abs()))
    }

    /// Which graphs the effects are about, in words: `256 of 1211 training graphs`.
    pub fn graphs_in_words(&self) -> String {
        let word = match self.set {
            EffectGraphs::Training => "training graphs",
            EffectGraphs::Given => "graphs of the data",
        };
        if self.sampled < self.available {
            format!("a random {} of {} {word}", self.sampled, self.available)
        } else {
            format!("{} {word}", self.available)
        }
    }

    /// The shares in words, if there is more than one group:
    /// `12 % from subgraphs, 88 % from the summary of attributes`.
    pub fn shares_in_words(&self) -> Option<String> {
        let [first, others @ ..] = &self.shares[..] else { return None };
        if others.is_empty() {
            return None;
        }
        let mut text = format!("{} from {}", percent(first.mean), first.name);
        for share in others {
            text += &format!(", {} from the {}", percent(share.mean), share.name);
        }
        Some(text)
    }
}

impl ColumnEffect {
    /// What the column does to a quantity: `dose above 4.2: +0.31 (+0.25 to +0.37)`.
    pub fn in_words(&self, quantity: usize) -> Option<String> {
        let value = self.effect.values.get(quantity)?;
        let interval = self.effect.intervals.get(quantity);
        let ends = interval.map_or_else(String::new, |[low, high]| format!(" ({low:+.2} to {high:+.2})"));
        Some(format!("{} above {}: {value:+.2}{ends}", self.name, short(self.mean)))
    }
}

impl Effects {
    /// What the columns beside the graphs do to a quantity, as a sentence; nothing if there are none.
    pub fn columns_in_words(&self, quantity: usize) -> Option<String> {
        let all: Vec<String> = self.columns.iter().filter_map(|column| column.in_words(quantity)).collect();
        (!all.is_empty()).then(|| format!("Columns, where they are above their mean: {}.", all.join("; ")))
    }
}

/// Three significant digits.
fn short(number: f64) -> String {
    let digits = if number == 0.0 { 0.0 } else { libm::floor(libm::log10(number.abs())) };
    let places = (2.0 - digits).clamp(0.0, 12.0) as usize;
    format!("{number:.places$}")
}

/// A fraction in whole percents; what is not 0 is not shown as 0, and what is not all is not shown as 100.
fn percent(fraction: f64) -> String {
    match 100.0 * fraction {
        small if small > 0.0 && small < 0.5 => "less than 1 %".to_owned(),
        large if (99.5..100.0).contains(&large) => "more than 99 %".to_owned(),
        other => format!("{other:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects() -> Effects {
        let share = |name: &str, mean| Share { name: name.to_owned(), by_quantity: vec![mean], mean };
        Effects {
            set: EffectGraphs::Training,
            sampled: 256,
            available: 1211,
            quantities: vec![EffectQuantity { task: 0, class: Some(1), name: "log-odds (logit) of y = 1".to_owned() }],
            patterns: vec![
                PatternEffect {
                    graphs: 9,
                    by_amount: false,
                    values: vec![-0.1],
                    intervals: vec![[-0.3, 0.1]],
                    raises: vec![0.25],
                },
                PatternEffect {
                    graphs: 0,
                    by_amount: false,
                    values: Vec::new(),
                    intervals: Vec::new(),
                    raises: Vec::new(),
                },
            ],
            pairs: vec![PairEffect { patterns: [0, 1], graphs: [3, 2, 2, 4], outputs: vec![[0.1, 0.9, 0.8, 0.0]] }],
            shares: vec![share("subgraphs", 0.003), share("summary of attributes", 0.997)],
            near_copies: vec![[0, 2]],
            columns: vec![ColumnEffect {
                name: "dose".to_owned(),
                mean: 0.04321,
                effect: PatternEffect {
                    graphs: 9,
                    by_amount: true,
                    values: vec![0.5],
                    intervals: vec![[0.25, 0.75]],
                    raises: vec![1.0],
                },
            }],
        }
    }

    #[test]
    fn effects_come_back_from_json_bit_for_bit_and_unknown_ones_are_absent() {
        let effects = effects();
        let text = serde_json::to_string(&effects).unwrap();
        assert_eq!(serde_json::from_str::<Effects>(&text).unwrap(), effects);
        assert_eq!((effects.value(0, 0), effects.value(1, 0), effects.interval(1, 0)), (Some(-0.1), None, None));
        assert_eq!((effects.strength(0, &[0]), effects.strength(1, &[0])), (0.1, 0.0));
    }

    #[test]
    fn columns_are_put_into_words() {
        let words = effects().columns_in_words(0).unwrap();
        assert_eq!(words, "Columns, where they are above their mean: dose above 0.0432: +0.50 (+0.25 to +0.75).");
        assert_eq!(Effects { columns: Vec::new(), ..effects() }.columns_in_words(0), None);
        assert_eq!([0.0, 1234.5, 9.999].map(short), ["0.00", "1234", "10.00"]);
    }

    #[test]
    fn a_pair_is_named_by_the_cases_in_which_the_output_is_high() {
        let words = |outputs| {
            let pair = PairEffect { outputs: vec![outputs], ..effects().pairs[0].clone() };
            pair.in_words(0, ["A", "B"])
        };
        assert_eq!(effects().pairs[0].in_words(0, ["A", "B"]), "either A or B, but not both");
        assert_eq!(words([3.0, -1.0, -1.1, -0.9]), "both A and B");
        assert_eq!(words([0.1, 0.9, 0.0, 0.1]), "A without B");
        assert_eq!(words([0.9, 0.9, 0.8, 0.1]), "A or B");
    }

    #[test]
    fn words_say_a_sample_and_never_round_something_to_nothing() {
        assert_eq!(effects().graphs_in_words(), "a random 256 of 1211 training graphs");
        let words = effects().shares_in_words().unwrap();
        assert_eq!(words, "less than 1 % from subgraphs, more than 99 % from the summary of attributes");
        assert_eq!(Effects { shares: effects().shares[..1].to_vec(), ..effects() }.shares_in_words(), None);
    }
}
