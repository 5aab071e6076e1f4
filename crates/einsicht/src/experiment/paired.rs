//! Paired comparison of two methods on the same trials: t-test, Wilcoxon's signed-rank test, wins.
//!
//! Promise: p-values are two-sided; that of the signed-rank test is exact for any number of trials, with the mean rank
//! for equal differences and without zeros, as `scipy.stats.wilcoxon` has it for few trials. Both tests take trials as
//! independent: training sets that overlap make them optimistic. Tested against scipy in `python/tests`, and here
//! against published values.

/// The outcome of two methods on the same trials.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct PairedComparison {
    /// Means of both.
    pub means: [f64; 2],
    /// Standard deviations of both (n - 1); none for a single trial.
    pub stds: Option<[f64; 2]>,
    /// Mean of the differences, first minus second.
    pub difference: f64,
    /// Its standard error; none for a single trial.
    pub standard_error: Option<f64>,
    /// Of the paired t-test; none where all differences are equal.
    pub p_value: Option<f64>,
    /// Of Wilcoxon's signed-rank test; none where there is no difference.
    pub wilcoxon_p_value: Option<f64>,
    /// Trials on which the first is better, the second is better, and neither.
    pub wins: [usize; 3],
}

impl PairedComparison {
    /// Compares values of the same trials, in the same order; `None` without trials or for lists of different lengths.
    pub fn new(first: &[f64], second: &[f64], larger_is_better: bool) -> Option<Self> {
        if first.is_empty() || first.len() != second.len() {
            return None;
        }
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let degrees = differences.len() - 1;
        let difference = mean(&differences);
        let standard_error = std(&differences).map(|std| std / (differences.len() as f64).sqrt());
        let t = standard_error.filter(|error| *error > 0.0).map(|error| difference / error);
        let sign = if larger_is_better { 1.0 } else { -1.0 };
        let count = |is_won: fn(f64) -> bool| differences.iter().filter(|d| is_won(sign * **d)).count();
        Some(Self {
            means: [mean(first), mean(second)],
            stds: std(first).zip(std(second)).map(|(a, b)| [a, b]),
            difference,
            standard_error,
            p_value: t.map(|t| student_p_value(t, degrees as f64)),
            wilcoxon_p_value: signed_rank_p_value(&differences),
            wins: [count(|d| d > 0.0), count(|d| d < 0.0), count(|d| d == 0.0)],
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation (n - 1).
fn std(values: &[f64]) -> Option<f64> {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|v| (v - middle) * (v - middle)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// The two-sided p-value of Student's distribution: the regularised incomplete beta function at `degrees / (degrees +
/// t^2)`.
fn student_p_value(t: f64, degrees: f64) -> f64 {
    incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// The regularised incomplete beta function, by its continued fraction.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    let front = libm::exp(log_front);
    // The fraction converges fast on this side only.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function (Lentz's method).
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let apart = |v: f64| if v.abs() < TINY { TINY } else { v };
    let (mut c, mut d) = (1.0, 1.0 / apart(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / apart(1.0 + term * d);
            c = apart(1.0 + term / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The two-sided p-value of Wilcoxon's signed-rank test over all signs of the ranks; none without a difference.
fn signed_rank_p_value(differences: &[f64]) -> Option<f64> {
    let mut sizes: Vec<(f64, bool)> = differences.iter().filter(|d| **d != 0.0).map(|d| (d.abs(), *d > 0.0)).collect();
    if sizes.is_empty() {
        return None;
    }
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Twice the ranks are whole, also where equal differences share their mean rank.
    let doubled: Vec<usize> = sizes
        .iter()
        .map(|(size, _)| {
            let below = sizes.partition_point(|(other, _)| other < size);
            let up_to = sizes.partition_point(|(other, _)| other <= size);
            below + 1 + up_to
        })
        .collect();
    let positive: usize = sizes.iter().zip(&doubled).filter(|((_, is_positive), _)| *is_positive).map(|(_, r)| r).sum();
    let total: usize = doubled.iter().sum();
    // The chance of each sum of ranks if every sign is a fair coin.
    let mut chances = vec![0.0; total + 1];
    chances[0] = 1.0;
    for &rank in &doubled {
        for sum in (0..=total).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    let lower: f64 = chances[..=positive].iter().sum();
    let upper: f64 = chances[positive..].iter().sum();
    Some((2.0 * lower.min(upper)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_p_values_are_those_of_tables() {
        // The quantile 0.975, so a two-sided p-value of 0.05.
        for (degrees, t) in [(1.0, 12.706_204_736), (9.0, 2.262_157_163), (29.0, 2.045_229_642), (99.0, 1.984_216_952)]
        {
            assert!((student_p_value(t, degrees) - 0.05).abs() < 1e-9, "{degrees}");
            assert!((student_p_value(-t, degrees) - 0.05).abs() < 1e-9, "{degrees}");
        }
        assert!((student_p_value(0.0, 5.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_signed_rank_test_counts_all_signs() {
        // Ten positive differences: one of 1024 signs, and its mirror.
        let all: Vec<f64> = (1..=10).map(f64::from).collect();
        assert!((signed_rank_p_value(&all).unwrap() - 2.0 / 1024.0).abs() < 1e-15);
        // Ranks 1.5, 1.5 and 3: sums of the positive ones 0, 1.5, 1.5, 3, 3, 4.5, 4.5, 6; at most 1.5 in three of
        // eight.
        assert!((signed_rank_p_value(&[1.0, -1.0, 0.0, -2.0]).unwrap() - 0.75).abs() < 1e-15);
        assert_eq!(signed_rank_p_value(&[0.0, 0.0]), None);
    }

    #[test]
    fn wins_go_to_the_better_value_of_the_metric() {
        let (first, second) = ([0.3, 0.5, 0.2], [0.4, 0.4, 0.2]);
        let of = |larger| PairedComparison::new(&first, &second, larger).unwrap().wins;
        assert_eq!((of(true), of(false)), ([1, 1, 1], [1, 1, 1]));
        let compared = PairedComparison::new(&[1.0, 3.0], &[0.0, 0.0], true).unwrap();
        assert_eq!((compared.difference, compared.standard_error, compared.wins), (2.0, Some(1.0), [2, 0, 0]));
        assert_eq!(PairedComparison::new(&[1.0], &[], true), None);
        let same = PairedComparison::new(&[1.0, 2.0], &[1.0, 2.0], true).unwrap();
        assert_eq!((same.p_value, same.wilcoxon_p_value, same.standard_error), (None, None, Some(0.0)));
    }
}
