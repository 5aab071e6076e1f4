//! Features that interact inside of a logistic function.
//!
//! Two subgraphs of a pair add `w a b` to the sum, where `a` and `b` say whether they are there, centred. Between a row
//! and a reference that is a change of each of the two, and one amount more where both change: a *cross*. Features that
//! crosses connect form a *block*. Outside of its block a feature sees the block as one factor, a polynomial of the
//! block's size; so Shapley values stay exact, at the cost of all coalitions of a block. Tested with the logistic
//! function, against all coalitions.

use einsicht_model::heads::Pair;

/// Features of a block at most: all its coalitions are computed.
const MOST_FEATURES: usize = 8;

/// What two features add where both are those of the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cross {
    features: [usize; 2],
    amount: f64,
}

/// Features that interact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) features: Vec<usize>,
    /// What each coalition, a set of bits, adds to the sum.
    pub(super) sums: Vec<f64>,
}

/// The two parts of a pair, centred, in a row.
pub(super) fn centred(pair: &Pair, row: &[f64]) -> [f64; 2] {
    [0, 1].map(|of| f64::from(u8::from(row[pair.columns[of]] > 0.0)) - pair.means[of])
}

/// Whether blocks of these pairs are small enough.
pub(super) fn are_small<'a>(pairs: impl Iterator<Item = &'a Pair>) -> bool {
    let crosses: Vec<Cross> = pairs.map(|pair| Cross { features: pair.columns, amount: 1.0 }).collect();
    connected(&crosses).iter().all(|features| features.len() <= MOST_FEATURES)
}

/// Adds what a pair of this weight changes by each of its features alone, and returns what it changes by both.
pub(super) fn cross(
    pair: &Pair,
    weight: f64,
    [row, other]: [&[f64]; 2],
    features: [usize; 2],
    differences: &mut [f64],
) -> Option<Cross> {
    let ([x, y], [a, b]) = (centred(pair, row), centred(pair, other));
    differences[features[0]] += weight * (x - a) * b;
    differences[features[1]] += weight * (y - b) * a;
    let amount = weight * (x - a) * (y - b);
    (amount != 0.0).then_some(Cross { features, amount })
}

/// The blocks of some crosses; `differences` is what each feature adds alone.
pub(super) fn blocks(crosses: &[Cross], differences: &[f64]) -> Vec<Block> {
    let block = |features: Vec<usize>| {
        let holds = |set: usize, feature: usize| {
            features.iter().position(|f| *f == feature).is_some_and(|at| set >> at & 1 == 1)
        };
        let sum = |set: usize| {
            let alone =
                features.iter().filter(|&&feature| holds(set, feature)).fold(0.0, |sum, &f| sum + differences[f]);
            let both = crosses.iter().filter(|cross| cross.features.iter().all(|&feature| holds(set, feature)));
            both.fold(alone, |sum, cross| sum + cross.amount)
        };
        let sums = (0..1_usize << features.len()).map(sum).collect();
        Block { features, sums }
    };
    connected(crosses).into_iter().map(block).collect()
}

/// Sets of features that crosses connect, each increasing.
fn connected(crosses: &[Cross]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    for cross in crosses {
        let (touched, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|known| cross.features.iter().any(|feature| known.contains(feature)));
        let mut joined: Vec<usize> = touched.into_iter().flatten().chain(cross.features).collect();
        joined.sort_unstable();
        joined.dedup();
        found = others;
        found.push(joined);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crosses_that_share_a_feature_are_one_block_and_its_sums_are_those_of_its_coalitions() {
        let cross = |a, b, amount| Cross { features: [a, b], amount };
        let found =
            blocks(&[cross(0, 3, 1.0), cross(5, 6, 2.0), cross(3, 4, 4.0)], &[10.0, 0.0, 0.0, 20.0, 40.0, 0.5, 0.25]);
        assert_eq!(found[0], Block { features: vec![5, 6], sums: vec![0.0, 0.5, 0.25, 2.75] });
        assert_eq!(found[1].features, [0, 3, 4]);
        assert_eq!(found[1].sums, [0.0, 10.0, 20.0, 31.0, 40.0, 50.0, 64.0, 75.0]);
    }
}
