//! Adjusted p-values, step-down (Westfall and Young's free step-down of the largest statistic).
//!
//! Tests are walked from the least extreme on, with a running maximum for each permutation: after a test its maximum is
//! over all tests that are not more extreme. The p-value of the test is the share of permutations whose maximum reaches
//! its observed score, itself counted in: `(1 + number) / (permutations + 1)`; from the most extreme on, p-values never
//! fall. Tests with equal scores stand together.

use crate::permuted::{Block, LANES, Permuter};
use crate::statistic::{Scores, Statistic, Test};
use einsicht_graph::{Support, stop};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A test with its score under the target as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    pub(crate) test: Test,
    pub(crate) score: f64,
}

/// What p-values are computed from.
pub(crate) struct StepDown<'a> {
    pub(crate) statistic: &'a Statistic,
    pub(crate) scores: &'a Scores<'a>,
    /// By support class.
    pub(crate) supports: &'a [Arc<Support>],
    pub(crate) permuter: &'a Permuter,
    pub(crate) permutations: u32,
    pub(crate) is_parallel: bool,
}

impl StepDown<'_> {
    /// Adjusted p-values of tests that are ordered by increasing score.
    pub(crate) fn adjust(&self, tests: &[Observed]) -> Vec<f64> {
        let blocks: Vec<u32> = (0..self.permutations).step_by(LANES).collect();
        let zeros = || vec![0_u32; tests.len()];
        let add = |mut all: Vec<u32>, of: Vec<u32>| {
            all.iter_mut().zip(of).for_each(|(all, of)| *all += of);
            all
        };
        let extreme = if self.is_parallel {
            blocks.into_par_iter().map(|from| self.reached(tests, from)).reduce(zeros, add)
        } else {
            blocks.into_iter().map(|from| self.reached(tests, from)).fold(zeros(), add)
        };
        let all = f64::from(self.permutations) + 1.0;
        let mut adjusted: Vec<f64> = extreme.iter().map(|&number| (1.0 + f64::from(number)) / all).collect();
        for at in (0..adjusted.len().saturating_sub(1)).rev() {
            adjusted[at] = adjusted[at].max(adjusted[at + 1]);
        }
        adjusted
    }

    /// For each test the number of permutations of a block whose maximum reaches its score.
    fn reached(&self, tests: &[Observed], from: u32) -> Vec<u32> {
        let block = Block::new(self.statistic, self.permuter, u64::from(from));
        let lanes = LANES.min((self.permutations - from) as usize);
        let mut largest = [f64::NEG_INFINITY; LANES];
        let mut reached = Vec::with_capacity(tests.len());
        let mut buffers = Buffers { sums: [0; LANES], rest: Vec::new() };
        for equal in tests.chunk_by(|a, b| a.score.total_cmp(&b.score).is_eq()) {
            for observed in equal {
                self.raise(observed.test, &block, 0..lanes, &mut largest, &mut buffers);
            }
            let number = largest[..lanes].iter().filter(|&&score| score >= equal[0].score).count();
            reached.resize(reached.len() + equal.len(), number as u32);
        }
        reached
    }

    /// Raises the maxima of a block to the scores of a test.
    fn raise(&self, test: Test, block: &Block, lanes: Range<usize>, largest: &mut [f64], buffers: &mut Buffers) {
        let support = self.supports[test.class as usize].graphs();
        let (size, graphs) = (support.len(), self.permuter.graphs());
        stop::work(1 + size.min(graphs - size) * LANES / 64);
        let Buffers { sums, rest } = buffers;
        let is_complement = size > graphs - size;
        if is_complement {
            complement(support, graphs, rest);
        }
        block.sums(test.target, if is_complement { rest } else { support }, sums);
        let (row, total) = (self.scores.row(test.target, size), self.scores.total(test.target));
        for (largest, &sum) in largest[lanes.clone()].iter_mut().zip(&sums[lanes]) {
            *largest = largest.max(row.score(if is_complement { total - sum } else { sum }));
        }
    }
}

struct Buffers {
    sums: [i64; LANES],
    rest: Vec<u32>,
}

/// The graphs that are not in an increasing list.
fn complement(graphs: &[u32], all: usize, rest: &mut Vec<u32>) {
    rest.clear();
    let mut next = 0;
    for &graph in graphs {
        rest.extend(next..graph);
        next = graph + 1;
    }
    rest.extend(next..all as u32);
}
