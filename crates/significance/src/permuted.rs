//! Permuted targets, a block of them at a time, and sums over a support for all of a block at once.
//!
//! Promise: permutation `j` of a seed is the same whatever the block and the thread; sums are whole numbers and exact.
//! A class is a bit of a word for each graph, one word for 64 permutations, and counts over a support are added bit by
//! bit in parallel (carry-save adders); the support or its complement is read, whichever is smaller.

use crate::statistic::Statistic;
use einsicht_data::random::Random;

/// Words of a block.
const WORDS: usize = 8;
/// Permutations of a block.
pub(crate) const LANES: usize = 64 * WORDS;

type Word = [u64; WORDS];

/// Draws permutations of the graphs within strata.
pub(crate) struct Permuter {
    /// The graphs of each stratum.
    strata: Vec<Vec<u32>>,
    graphs: usize,
    seed: u64,
}

impl Permuter {
    /// Without strata all graphs are exchanged.
    pub(crate) fn new(graphs: usize, strata: Option<&[u32]>, seed: u64) -> Self {
        let mut parts = vec![Vec::new(); strata.and_then(|of| of.iter().max()).map_or(1, |&most| most as usize + 1)];
        for graph in 0..graphs {
            parts[strata.map_or(0, |of| of[graph] as usize)].push(graph as u32);
        }
        Self { strata: parts, graphs, seed }
    }

    /// How many graphs there are.
    pub(crate) fn graphs(&self) -> usize {
        self.graphs
    }

    /// The graphs that are exchanged with one another.
    pub(crate) fn strata(&self) -> &[Vec<u32>] {
        &self.strata
    }

    /// For each graph the one whose target it gets.
    pub(crate) fn permutation(&self, number: u64) -> Vec<u32> {
        let mut random = Random::stream(self.seed, number);
        let mut from = vec![0; self.graphs];
        for stratum in &self.strata {
            let mut shuffled = stratum.clone();
            random.shuffle(&mut shuffled);
            for (&graph, source) in stratum.iter().zip(shuffled) {
                from[graph as usize] = source;
            }
        }
        from
    }
}

/// The targets of the graphs under [`LANES`] permutations.
pub(crate) enum Block {
    /// By target class, from the first that is tested: whether each graph has it, a bit for each permutation.
    Classes { first: u32, planes: Vec<Vec<Word>> },
    /// By graph: its residual, for each permutation.
    Numbers(Vec<[i64; LANES]>),
}

impl Block {
    /// Permutations from this number on.
    pub(crate) fn new(statistic: &Statistic, permuter: &Permuter, from: u64) -> Self {
        match statistic {
            Statistic::Classes(margins) => {
                let targets = statistic.targets();
                let mut planes = vec![vec![[0; WORDS]; margins.graphs()]; targets.len()];
                for lane in 0..LANES {
                    let permutation = permuter.permutation(from + lane as u64);
                    for (graph, &source) in permutation.iter().enumerate() {
                        let class = margins.of[source as usize];
                        if targets.contains(&class) {
                            planes[(class - targets.start) as usize][graph][lane / 64] |= 1 << (lane % 64);
                        }
                    }
                }
                Self::Classes { first: targets.start, planes }
            }
            Statistic::Numbers(residuals) => {
                let mut values = vec![[0; LANES]; residuals.of.len()];
                for lane in 0..LANES {
                    let permutation = permuter.permutation(from + lane as u64);
                    for (value, &source) in values.iter_mut().zip(&permutation) {
                        value[lane] = residuals.of[source as usize];
                    }
                }
                Self::Numbers(values)
            }
        }
    }

    /// Sums over some graphs: numbers of graphs of a target class, or sums of residuals.
    pub(crate) fn sums(&self, target: u32, graphs: &[u32], sums: &mut [i64; LANES]) {
        match self {
            Self::Classes { first, planes } => {
                let plane = &planes[(target - first) as usize];
                count_bits(graphs.iter().map(|&graph| &plane[graph as usize]), sums);
            }
            Self::Numbers(values) => {
                sums.fill(0);
                for &graph in graphs {
                    for (sum, value) in sums.iter_mut().zip(&values[graph as usize]) {
                        *sum += value;
                    }
                }
            }
        }
    }
}

/// Sums of bits: `sum` and `carry` of three.
fn add(a: Word, b: Word, c: Word) -> (Word, Word) {
    let mut sum = [0; WORDS];
    let mut carry = [0; WORDS];
    for at in 0..WORDS {
        let either = a[at] ^ b[at];
        sum[at] = either ^ c[at];
        carry[at] = (a[at] & b[at]) | (either & c[at]);
    }
    (sum, carry)
}

/// How often each bit is set among the words.
fn count_bits<'w>(mut words: impl Iterator<Item = &'w Word>, counts: &mut [i64; LANES]) {
    // Place `l` counts 2^l.
    let mut places = [[0; WORDS]; 32];
    let zero = [0; WORDS];
    let mut used = 0;
    loop {
        let mut eight = [zero; 8];
        let mut taken = 0;
        for (place, word) in eight.iter_mut().zip(&mut words) {
            *place = *word;
            taken += 1;
        }
        if taken == 0 {
            break;
        }
        let (ones, two_a) = add(places[0], eight[0], eight[1]);
        let (ones, two_b) = add(ones, eight[2], eight[3]);
        let (twos, four_a) = add(places[1], two_a, two_b);
        let (ones, two_a) = add(ones, eight[4], eight[5]);
        let (ones, two_b) = add(ones, eight[6], eight[7]);
        let (twos, four_b) = add(twos, two_a, two_b);
        let (fours, mut carry) = add(places[2], four_a, four_b);
        (places[0], places[1], places[2]) = (ones, twos, fours);
        let mut at = 3;
        while carry != zero {
            (places[at], carry) = add(places[at], carry, zero);
            at += 1;
        }
        used = used.max(at);
    }
    for (lane, count) in counts.iter_mut().enumerate() {
        let (word, bit) = (lane / 64, lane % 64);
        let bits = places[..used].iter().rev().fold(0, |sum, place| sum << 1 | (place[word] >> bit & 1));
        *count = bits as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_as_one_by_one() {
        let mut random = Random::new(5);
        for rows in [0, 1, 7, 8, 9, 100, 1000] {
            let words: Vec<Word> = (0..rows).map(|_| [(); WORDS].map(|()| random.bits())).collect();
            let mut counts = [0; LANES];
            count_bits(words.iter(), &mut counts);
            for (lane, count) in counts.iter().enumerate() {
                let one_by_one = words.iter().filter(|word| word[lane / 64] >> (lane % 64) & 1 == 1).count();
                assert_eq!(*count, one_by_one as i64, "{rows} rows, lane {lane}");
            }
        }
    }

    #[test]
    fn graphs_stay_in_their_stratum() {
        let strata = [0, 1, 0, 1, 2, 0];
        let permuter = Permuter::new(6, Some(&strata), 3);
        let mut moved = false;
        for number in 0..50 {
            let from = permuter.permutation(number);
            assert!(from.iter().enumerate().all(|(to, &from)| strata[to] == strata[from as usize]));
            moved |= from.iter().enumerate().any(|(to, &from)| to != from as usize);
        }
        assert!(moved);
    }
}
