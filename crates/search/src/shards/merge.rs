//! What the shards say about the children of a pattern, joined; and upper bounds of scores from sums that were added in
//! another order.
//!
//! A shard sends `P` and `N` over its own rows, each the sum of its blocks. The exact `P` adds the same numbers, the
//! sums of all blocks, in another order. All of them are of one sign; with `b` blocks, each goes through at most `b`
//! additions there and `2 b` here, so with `u = 2^-53` the two differ by at most `3 b u` times the sum, to first order.
//! [`Rounding::slack`] is five times that and more, which also covers the few operations that follow. So
//! [`Merged::score_limit`] and [`Merged::bound_limit`] are never below the exact score and bound.

use super::messages::{Child, Expansion};
use crate::bound::score_and_bound;
use einsicht_graph::Step;
use std::collections::BTreeMap;

/// A child, over all shards.
pub(super) struct Merged {
    pub(super) step: Step,
    /// Graphs that contain it.
    pub(super) size: u64,
    /// Whether nothing is grown from it.
    pub(super) is_leaf: bool,
    /// Shards in which its last qualifier says nothing.
    says_nothing: usize,
    sums: Vec<f64>,
    bounding: Vec<f64>,
}

/// How far sums in another order may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    slack: f64,
}

impl Rounding {
    pub(super) fn new(blocks: usize, hidden: usize) -> Self {
        Self { slack: 16.0 * (blocks + hidden + 8) as f64 * 2.0_f64.powi(-53) }
    }
}

fn add(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl Merged {
    fn new(child: &Child) -> Self {
        let zeros = vec![0.0; child.sums.len()];
        let (size, is_leaf, says_nothing, sums, bounding) = (0, true, 0, zeros.clone(), zeros);
        Self { step: child.step, size, is_leaf, says_nothing, sums, bounding }
    }

    fn add(&mut self, child: &Child) {
        self.size += child.size;
        self.is_leaf &= child.is_leaf;
        self.says_nothing += usize::from(child.says_nothing);
        add(&mut self.sums, &child.sums);
        add(&mut self.bounding, if child.bounding.is_empty() { &child.sums } else { &child.bounding });
    }

    /// At least the score.
    pub(super) fn score_limit(&self, Rounding { slack }: Rounding) -> f64 {
        let (positive, negative) = self.sums.split_at(self.sums.len() / 2);
        let of_unit = |(p, n): (&f64, &f64)| (p + n).abs() + slack * (p - n);
        let squares = positive.iter().zip(negative).map(of_unit).fold(0.0, |sum, unit| sum + unit * unit);
        squares.sqrt() * (1.0 + slack)
    }

    /// At least `UB(H)`.
    pub(super) fn bound_limit(&self, Rounding { slack }: Rounding) -> f64 {
        let (positive, negative) = self.bounding.split_at(self.bounding.len() / 2);
        score_and_bound(positive, negative).bound * (1.0 + slack)
    }
}

/// The children of one pattern, from the answers of all shards, in the order of their steps. Those whose last qualifier
/// says nothing in all shards that have the pattern are none.
pub(super) fn merge<'a>(answers: impl Iterator<Item = &'a Expansion>) -> Vec<Merged> {
    let mut merged: BTreeMap<Step, Merged> = BTreeMap::new();
    let mut shards = 0;
    for children in answers.flatten() {
        shards += 1;
        for child in children {
            merged.entry(child.step).or_insert_with(|| Merged::new(child)).add(child);
        }
    }
    merged.into_values().filter(|child| child.says_nothing < shards).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::{BLOCK_ROWS, Delta, Sums, gradient_and_bound};
    use crate::feature::Column;
    use einsicht_graph::Label;
    use proptest::prelude::*;

    fn child(graphs: &[u32], delta: Delta<'_>) -> Child {
        let mut sums = Sums::default();
        gradient_and_bound(Column::present_in(graphs), delta, &mut sums);
        let (sums, bounding) = (sums.sides().concat(), Vec::new());
        let (step, size) = (Step::Vertex(Label(0)), graphs.len() as u64);
        Child { step, says_nothing: false, is_leaf: true, size, sums, bounding }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn limits_from_shards_are_never_below_the_exact_numbers(
            cells in prop::collection::vec(-1.0..1.0_f64, 997),
            step in 1_usize..40,
            centred in any::<bool>(),
        ) {
            let rows = 7 * BLOCK_ROWS + 11;
            // Sums that nearly cancel are the hard case.
            let sign = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
            let number = |at: usize| if centred { cells[at / 2 % 997] * sign(at) } else { cells[at % 997] };
            let values: Vec<f64> = (0..rows * 2).map(number).collect();
            let delta = Delta::new(&values, 2).unwrap();
            let graphs: Vec<u32> = (0..rows as u32).step_by(step).collect();
            let exact = gradient_and_bound(Column::present_in(&graphs), delta, &mut Sums::default());
            let inner = [vec![], vec![3 * BLOCK_ROWS], vec![BLOCK_ROWS, 4 * BLOCK_ROWS, 5 * BLOCK_ROWS]];
            for borders in inner.map(|inner| [vec![0], inner, vec![rows]].concat()) {
                let of_shard = |shard: &[usize]| {
                    let own: Vec<u32> = graphs
                        .iter()
                        .filter(|graph| (shard[0]..shard[1]).contains(&(**graph as usize)))
                        .map(|graph| graph - shard[0] as u32)
                        .collect();
                    Some(vec![child(&own, Delta::new(&values[2 * shard[0]..2 * shard[1]], 2).unwrap())])
                };
                let answers: Vec<Expansion> = borders.windows(2).map(of_shard).collect();
                let [merged] = &merge(answers.iter())[..] else { panic!("there is one child") };
                let rounding = Rounding::new(rows.div_ceil(BLOCK_ROWS), 2);
                let (score, bound) = (merged.score_limit(rounding), merged.bound_limit(rounding));
                prop_assert!(score >= exact.score && bound >= exact.bound);
                prop_assert!(score <= exact.score + 1e-9 && bound <= exact.bound + 1e-9);
                prop_assert_eq!(merged.size, graphs.len() as u64);
            }
        }
    }

    #[test]
    fn a_qualifier_counts_if_one_shard_lacks_it_somewhere() {
        let delta = [1.0, 2.0];
        let delta = Delta::new(&delta, 1).unwrap();
        let plain = child(&[0], delta);
        let trivial = Child { says_nothing: true, ..plain.clone() };
        let merged = |answers: &[Expansion]| merge(answers.iter()).len();
        assert_eq!(merged(&[Some(vec![trivial.clone()]), None]), 0);
        assert_eq!(merged(&[Some(vec![trivial.clone()]), Some(vec![trivial.clone()])]), 0);
        assert_eq!(merged(&[Some(vec![trivial.clone()]), Some(vec![plain])]), 1);
        // The pattern is in the second shard, and nowhere with the qualifier.
        assert_eq!(merged(&[Some(vec![trivial]), Some(Vec::new())]), 1);
    }
}
