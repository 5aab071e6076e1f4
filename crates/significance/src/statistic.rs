//! Test statistics of support classes, as scores: the larger, the more extreme.
//!
//! Classes: minus the logarithm of the exact two-sided hypergeometric p-value (twice the smaller tail, at most 1), from
//! one table over all sizes of support, so that the score of a rare subgraph is not overrated as a standardised sum
//! would be. p-values within a factor of 1 + 1e-8 are ties: exact ties of the table never differ by rounding. Numbers:
//! the absolute standardised sum of whole-number residuals, which is exact.
//!
//! [`Statistic::reach`] bounds every score by the size of the support alone, whatever the order of the target.

use crate::{Response, SignificanceError};
use einsicht_graph::Support;
use rustc_hash::{FxHashMap, FxHashSet};

/// Differences of logarithms below this are rounding.
const TIE: f64 = 1e-8;

/// A test: a support class against a target class (for numbers always 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// Index of the support class.
    pub(crate) class: u32,
    /// The target class that is tested against the rest.
    pub(crate) target: u32,
}

/// The target in the form in which sums over supports are taken.
pub(crate) enum Statistic {
    Classes(Margins),
    Numbers(Residuals),
}

impl Statistic {
    pub(crate) fn of(response: &Response) -> Result<Self, SignificanceError> {
        let constant = SignificanceError::Constant { graphs: response.len(), strata: false };
        match response {
            Response::Classes { of, count } => Margins::of(of, *count).map(Self::Classes).ok_or(constant),
            Response::Numbers(values) => Residuals::of(values).map(Self::Numbers).ok_or(constant),
        }
    }

    /// Number of tests of one support class.
    pub(crate) fn targets(&self) -> std::ops::Range<u32> {
        match self {
            Self::Classes(margins) => margins.tested(),
            Self::Numbers(_) => 0..1,
        }
    }

    /// The sum over a support: graphs of a target class, or residuals.
    pub(crate) fn sum(&self, target: u32, support: &Support) -> i64 {
        let graphs = support.graphs().iter().map(|&graph| graph as usize);
        match self {
            Self::Classes(margins) => graphs.filter(|&graph| margins.of[graph] == target).count() as i64,
            Self::Numbers(residuals) => graphs.map(|graph| residuals.of[graph]).sum(),
        }
    }

    /// The sum over a support of this size, standardised: about normal if nothing goes with the support.
    pub(crate) fn z(&self, target: u32, size: usize, sum: i64) -> f64 {
        match self {
            Self::Classes(margins) => margins.z(target, size, sum as usize),
            Self::Numbers(residuals) => residuals.z(size, sum),
        }
    }

    /// The largest score that any support of at most so many graphs can have, for each number from 0.
    pub(crate) fn reach(&self) -> Vec<f64> {
        let mut reach = match self {
            Self::Classes(margins) => margins.extremes(),
            Self::Numbers(residuals) => residuals.extremes(),
        };
        for at in 1..reach.len() {
            reach[at] = reach[at].max(reach[at - 1]);
        }
        reach
    }
}

/// How many graphs each class has.
pub(crate) struct Margins {
    /// Class of each graph.
    pub(crate) of: Vec<u32>,
    counts: Vec<usize>,
    log_factorials: Vec<f64>,
}

impl Margins {
    fn of(of: &[u32], count: u32) -> Option<Self> {
        let mut counts = vec![0; count as usize];
        for &class in of {
            counts[class as usize] += 1;
        }
        let mut log_factorials = vec![0.0; of.len() + 1];
        for at in 1..=of.len() {
            log_factorials[at] = log_factorials[at - 1] + libm::log(at as f64);
        }
        let occur = counts.iter().filter(|&&count| count > 0).count();
        (occur > 1).then(|| Self { of: of.to_vec(), counts, log_factorials })
    }

    /// With two classes a test of the second says all.
    fn tested(&self) -> std::ops::Range<u32> {
        let count = self.counts.len() as u32;
        if count == 2 { 1..2 } else { 0..count }
    }

    pub(crate) fn graphs(&self) -> usize {
        self.of.len()
    }

    pub(crate) fn count(&self, class: u32) -> usize {
        self.counts[class as usize]
    }

    /// Graphs in the smallest class.
    pub(crate) fn rarest(&self) -> usize {
        self.counts.iter().copied().filter(|&count| count > 0).min().unwrap_or(0)
    }

    fn log_choose(&self, n: usize, k: usize) -> f64 {
        self.log_factorials[n] - self.log_factorials[k] - self.log_factorials[n - k]
    }

    /// Logarithm of the chance of so many graphs of a class among those of a support.
    fn log_chance(&self, class: u32, size: usize, hits: usize) -> f64 {
        let (all, own) = (self.graphs(), self.count(class));
        self.log_choose(own, hits) + self.log_choose(all - own, size - hits) - self.log_choose(all, size)
    }

    /// The fewest and the most graphs of a class that a support of this size can have.
    fn range(&self, class: u32, size: usize) -> (usize, usize) {
        let (all, own) = (self.graphs(), self.count(class));
        ((size + own).saturating_sub(all), own.min(size))
    }

    /// Scores by the number of graphs of the class in the support, from 0; those that cannot be are 0.
    pub(crate) fn scores(&self, class: u32, size: usize) -> Vec<f64> {
        let (fewest, most) = self.range(class, size);
        let chances: Vec<f64> = (fewest..=most).map(|hits| self.log_chance(class, size, hits)).collect();
        let mut lower = chances.clone();
        for at in 1..lower.len() {
            lower[at] = log_sum(lower[at - 1], lower[at]);
        }
        let mut upper = chances;
        for at in (0..upper.len().saturating_sub(1)).rev() {
            upper[at] = log_sum(upper[at + 1], upper[at]);
        }
        let mut scores = vec![0.0; most + 1];
        for (score, (lower, upper)) in scores[fewest..].iter_mut().zip(lower.iter().zip(&upper)) {
            *score = two_sided(lower.min(*upper));
        }
        scores
    }

    fn z(&self, class: u32, size: usize, hits: usize) -> f64 {
        let (all, own, size, hits) = (self.graphs() as f64, self.count(class) as f64, size as f64, hits as f64);
        let variance = size * own * (all - own) * (all - size) / (all * all * (all - 1.0));
        if variance > 0.0 { (hits - size * own / all) / variance.sqrt() } else { 0.0 }
    }

    /// By the size of a support, the larger score of its two ends.
    fn extremes(&self) -> Vec<f64> {
        let largest = |size: usize| {
            let ends = self.tested().map(|class| {
                let (fewest, most) = self.range(class, size);
                two_sided(self.log_chance(class, size, fewest).min(self.log_chance(class, size, most)))
            });
            ends.fold(0.0, f64::max)
        };
        (0..=self.graphs()).map(largest).collect()
    }
}

/// Logarithm of a sum of two numbers whose logarithms are given.
fn log_sum(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    large + libm::log1p(libm::exp(small - large))
}

/// The score of the logarithm of a tail.
fn two_sided(log_tail: f64) -> f64 {
    (-(log_tail + std::f64::consts::LN_2)).max(0.0)
}

/// Scores of sums over supports of the sizes that occur.
pub(crate) enum Scores<'s> {
    Classes {
        margins: &'s Margins,
        /// By target class and size of the support: scores by the number of hits, with ties made equal.
        rows: FxHashMap<(u32, usize), Vec<f64>>,
    },
    Numbers(&'s Residuals),
}

impl<'s> Scores<'s> {
    pub(crate) fn of(statistic: &'s Statistic, sizes: impl Iterator<Item = usize>) -> Self {
        match statistic {
            Statistic::Classes(margins) => {
                let sizes: FxHashSet<usize> = sizes.collect();
                let keys = sizes.iter().flat_map(|&size| margins.tested().map(move |class| (class, size)));
                let mut rows: FxHashMap<(u32, usize), Vec<f64>> =
                    keys.map(|(class, size)| ((class, size), margins.scores(class, size))).collect();
                level_ties(&mut rows);
                Self::Classes { margins, rows }
            }
            Statistic::Numbers(residuals) => Self::Numbers(residuals),
        }
    }

    /// Those of a test, by the sum over its support.
    pub(crate) fn row(&self, target: u32, size: usize) -> Row<'_> {
        match self {
            Self::Classes { rows, .. } => Row::Classes(&rows[&(target, size)]),
            Self::Numbers(residuals) => Row::Numbers(residuals, size),
        }
    }

    /// What the sums over a support and over its complement add up to.
    pub(crate) fn total(&self, target: u32) -> i64 {
        match self {
            Self::Classes { margins, .. } => margins.count(target) as i64,
            Self::Numbers(_) => 0,
        }
    }
}

/// Scores of one test.
pub(crate) enum Row<'s> {
    Classes(&'s [f64]),
    Numbers(&'s Residuals, usize),
}

impl Row<'_> {
    pub(crate) fn score(&self, sum: i64) -> f64 {
        match self {
            Self::Classes(row) => row[sum as usize],
            Self::Numbers(residuals, size) => residuals.score(*size, sum),
        }
    }
}

/// Each score becomes the smallest of the chain of ties that it ends.
fn level_ties(rows: &mut FxHashMap<(u32, usize), Vec<f64>>) {
    let mut all: Vec<f64> = rows.values().flatten().copied().collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    let mut first = all.clone();
    for at in 1..all.len() {
        if all[at] - all[at - 1] < TIE {
            first[at] = first[at - 1];
        }
    }
    for score in rows.values_mut().flatten() {
        *score = first[all.partition_point(|other| other < score)];
    }
}

/// Residuals of numbers as whole numbers whose sum is 0.
pub(crate) struct Residuals {
    pub(crate) of: Vec<i64>,
}

impl Residuals {
    /// As fine as sums over all graphs allow.
    fn of(values: &[f64]) -> Option<Self> {
        let graphs = values.len() as i64;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max((value - mean).abs()));
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        let bits = (60 - 2 * (64 - values.len().leading_zeros() as i32)).clamp(1, 40);
        let unit = largest / libm::ldexp(1.0, bits);
        let rounded: Vec<i64> = values.iter().map(|value| libm::round((value - mean) / unit) as i64).collect();
        let total: i64 = rounded.iter().sum();
        let of: Vec<i64> = rounded.iter().map(|value| graphs * value - total).collect();
        of.iter().any(|value| *value != 0).then_some(Self { of })
    }

    /// The score of a sum over a support of this size.
    pub(crate) fn score(&self, size: usize, sum: i64) -> f64 {
        let rest = self.of.len() - size;
        if size == 0 || rest == 0 { 0.0 } else { sum.unsigned_abs() as f64 / (size as f64 * rest as f64).sqrt() }
    }

    fn z(&self, size: usize, sum: i64) -> f64 {
        let graphs = self.of.len() as f64;
        let squares: f64 = self.of.iter().map(|value| (*value as f64) * (*value as f64)).sum();
        let deviation = (squares / (graphs * (graphs - 1.0))).sqrt();
        self.score(size, sum) / deviation * (sum.signum() as f64)
    }

    fn extremes(&self) -> Vec<f64> {
        let mut sorted = self.of.clone();
        sorted.sort_unstable();
        let (mut low, mut high) = (0, 0);
        let mut extremes = vec![0.0];
        for size in 1..=sorted.len() {
            low += sorted[size - 1];
            high += sorted[sorted.len() - size];
            extremes.push(self.score(size, low).max(self.score(size, high)));
        }
        extremes
    }
}

#[cfg(test)]
mod tests;
