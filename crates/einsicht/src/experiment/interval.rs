//! Intervals of the means over trials whose training sets overlap.
//!
//! Folds and repeats share training graphs, so their figures are not independent and the plain standard error is too
//! small. The variance is corrected by the sizes of the sets (Nadeau and Bengio, Machine Learning 52, 2003): `std^2
//! (1/trials + test/train)`, with Student's quantile for one less than the trials. The quantiles are tested against
//! tables.

use super::{TrialResult, values_by_name};
use einsicht_data::Split;
use einsicht_model::folds::Interval;
use einsicht_model::task::metrics::Metric;
use std::collections::BTreeMap;

/// The interval of 95 % of the mean of each test metric; none for a single trial. The splits are those of the trials.
pub fn intervals<'r>(
    results: impl IntoIterator<Item = &'r TrialResult>,
    splits: &[Split],
) -> BTreeMap<String, Interval> {
    let tested: usize = splits.iter().map(|split| split.test.len()).sum();
    let trained: usize = splits.iter().map(|split| split.train.len() + split.valid.len()).sum();
    let ratio = tested as f64 / trained.max(1) as f64;
    let one = |(name, values): (String, Vec<f64>)| {
        let found = interval(&values, ratio)?;
        let (least, most) = Metric::from_name(&name)?.range();
        Some((name, Interval { value: found.value, low: found.low.max(least), high: found.high.min(most) }))
    };
    values_by_name(results).into_iter().filter_map(one).collect()
}

fn interval(values: &[f64], ratio: f64) -> Option<Interval> {
    let len = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let value = values.iter().sum::<f64>() / len;
    let variance = values.iter().map(|v| (v - value) * (v - value)).sum::<f64>() / (len - 1.0);
    let reach = student(values.len() - 1) * (variance * (1.0 / len + ratio)).sqrt();
    Some(Interval { value, low: value - reach, high: value + reach })
}

/// The quantile 0.975 of Student's distribution.
fn student(degrees: usize) -> f64 {
    const FIRST: [f64; 10] =
        [12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157, 2.228_139];
    const NORMAL: f64 = 1.959_964;
    if let Some(quantile) = FIRST.get(degrees - 1) {
        return *quantile;
    }
    // Cornish and Fisher's expansion around the normal quantile: right to four digits from here on.
    let (z, n) = (NORMAL, degrees as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (degrees, wanted) in [(1, 12.706), (4, 2.776), (9, 2.262), (11, 2.201), (29, 2.045), (99, 1.984)] {
            assert!((student(degrees) - wanted).abs() < 1e-3, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn overlapping_training_sets_widen_the_interval() {
        // Five folds: the test set is a quarter of the training set.
        let found = interval(&[0.8, 0.9, 0.7, 0.8, 0.8], 0.25).unwrap();
        let reach = 2.776_445 * (0.005_f64 * (0.2 + 0.25)).sqrt();
        assert!((found.value - 0.8).abs() < 1e-12 && (found.high - 0.8 - reach).abs() < 1e-9);
        assert!((found.low - 0.8 + reach).abs() < 1e-9);
        assert_eq!(interval(&[0.8], 0.25), None);
    }
}
