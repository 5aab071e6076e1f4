//! Shapley values of the probability of a linear model of two classes: the logistic function of a sum.
//!
//! Features outside of the logistic function add up; inside they do not, and no formula is known that is polynomial and
//! closed. But a product of factors, one per feature, has one, and the logistic function is a short sum of them. Where
//! `|z| <= Z`, with `h = Z + 20`,
//!
//! ```text
//! sigma(z) = 1/2 + sum over odd k of 2 pi / (h sinh(pi w)) sin(w z),   w = pi k / h
//! ```
//!
//! up to `2 exp(-20)` (a square wave with logistic edges), and the sum may end where `pi w > 20`. Each `sin(w z)` is
//! the imaginary part of a product of `exp(i w d_j)` over the features of the coalition. Averaged over coalitions that
//! have each other feature with probability `t`, and over `t` from 0 to 1, that is the Shapley value (Owen, 1972):
//!
//! ```text
//! (exp(i w d) - 1) * integral over t of the product over other features j of (1 - t + t exp(i w d_j))
//! ```
//!
//! The integrand is a polynomial in `t` of degree `m - 1`, so `m / 2` Gauss-Legendre nodes integrate it exactly; fewer
//! are enough where a bound on the complex plane says so (`nodes.rs`). Promise: an error below 1e-8. Cost: frequencies
//! (some tens) times `m` times nodes for each reference. Features of the sum that interact have one factor together
//! (`blocks.rs`). Tested against all coalitions.

use super::References;
use super::blocks::{Block, blocks, centred, cross};
use super::nodes::{enough_nodes, lower_nodes};
use einsicht_graph::stop;
use einsicht_model::heads::Pair;
use std::f64::consts::PI;

/// The distance, in logits, from the values that occur to the next edge of the square wave; the logarithm of the
/// largest error.
const MARGIN: f64 = 20.0;
/// More terms would be needed by logits beyond a hundred thousand only, of files that no training wrote; they must end,
/// too.
const MOST_TERMS: usize = 1 << 18;

/// The linear model inside of a logistic function.
pub(super) struct Logistic<'m> {
    weights: &'m [f64],
    /// Columns that interact, with their weights.
    pairs: Vec<(&'m Pair, f64)>,
    reference_sums: Vec<f64>,
    /// For `n` nodes, at index `n`, those below 1/2 with their weights; one at 1/2 has half its weight.
    nodes: Vec<Vec<(f64, f64)>>,
}

impl<'m> Logistic<'m> {
    pub(super) fn new(weights: &'m [f64], offset: f64, pairs: Vec<(&'m Pair, f64)>, references: &References) -> Self {
        let sum = |row: &Vec<f64>| {
            let single = row.iter().zip(weights).fold(offset, |sum, (value, weight)| sum + value * weight);
            let product = |pair: &Pair| centred(pair, row).iter().product::<f64>();
            pairs.iter().fold(single, |sum, (pair, weight)| sum + weight * product(pair))
        };
        let reference_sums = references.rows.iter().map(sum).collect();
        let nodes = (0..=references.features() / 2 + 1).map(lower_nodes).collect();
        Self { weights, pairs, reference_sums, nodes }
    }

    /// The value of each feature for a row.
    pub(super) fn values(&self, row: &[f64], references: &References) -> Vec<f64> {
        let mut values = vec![0.0; references.features()];
        let mut differences = vec![0.0; references.features()];
        let mut terms = Terms::default();
        for ((other, weight), &start) in references.rows.iter().zip(&references.weights).zip(&self.reference_sums) {
            stop::work(1 + self.weights.len());
            differences.fill(0.0);
            for (column, of_column) in self.weights.iter().enumerate() {
                differences[references.feature(column)] += of_column * (row[column] - other[column]);
            }
            let crosses = self.pairs.iter().filter_map(|(pair, weight)| {
                let features = pair.columns.map(|column| references.feature(column));
                cross(pair, *weight, [row, other], features, &mut differences)
            });
            let crosses: Vec<_> = crosses.collect();
            let blocks = blocks(&crosses, &differences);
            let is_single =
                |at: &usize| differences[*at] != 0.0 && !blocks.iter().any(|block| block.features.contains(at));
            let mut features: Vec<usize> = (0..differences.len()).filter(is_single).collect();
            let steps: Vec<f64> = features.iter().map(|&at| differences[at]).collect();
            features.extend(blocks.iter().flat_map(|block| &block.features));
            terms.set(start, &steps, &blocks);
            let exact = features.len().div_ceil(2);
            let nodes = &self.nodes[terms.enough_nodes(features.len() - steps.len()).min(exact)];
            let found = if blocks.is_empty() { terms.values(nodes) } else { terms.values_with(&blocks, nodes) };
            let of_blocks = blocks.iter().filter_map(|block| block.sums.last());
            let end = steps.iter().chain(of_blocks).fold(start, |sum, step| sum + step);
            // The error of the sum is shared out, so that values add up to the last digits.
            let error = found.iter().fold(logistic(end) - logistic(start), |error, value| error - value);
            let each = error / features.len().max(1) as f64;
            for (feature, value) in features.into_iter().zip(found) {
                values[feature] += weight * (value + each);
            }
        }
        values
    }
}

/// Complex numbers, one per frequency, perhaps for each of some features: real parts and imaginary parts apart, so that
/// loops over frequencies use the vector unit.
#[derive(Clone, Default)]
struct Complexes {
    re: Vec<f64>,
    im: Vec<f64>,
}

impl Complexes {
    fn resize(&mut self, len: usize) {
        for list in [&mut self.re, &mut self.im] {
            list.clear();
            list.resize(len, 0.0);
        }
    }

    fn filled(len: usize, with: f64) -> Self {
        Self { re: vec![with; len], im: vec![0.0; len] }
    }

    fn at(&self, slot: usize) -> (f64, f64) {
        (self.re[slot], self.im[slot])
    }

    fn add(&mut self, slot: usize, number: (f64, f64)) {
        self.re[slot] += number.0;
        self.im[slot] += number.1;
    }

    /// The numbers from a slot on, real parts and imaginary parts.
    fn lanes(&self, slot: usize) -> [Lanes; 2] {
        let of = |list: &[f64]| std::array::from_fn(|lane| list[slot..slot + LANES][lane]);
        [of(&self.re), of(&self.im)]
    }

    fn set_lanes(&mut self, slot: usize, [re, im]: [Lanes; 2]) {
        self.re[slot..slot + LANES].copy_from_slice(&re);
        self.im[slot..slot + LANES].copy_from_slice(&im);
    }

    /// Multiplies number by number.
    fn multiply(&mut self, by: &Self) {
        for slot in (0..self.re.len()).step_by(LANES) {
            self.set_lanes(slot, times_lanes(self.lanes(slot), by.lanes(slot)));
        }
    }
}

/// The logistic function of a sum as products, for one row and one reference.
#[derive(Default)]
struct Terms {
    /// Number of frequencies, which are odd multiples of the first, rounded up to whole lanes; those that were added
    /// have the coefficient 0.
    count: usize,
    /// Number of frequencies that count.
    used: usize,
    /// The first frequency; half of the period of the square wave.
    first: f64,
    half_period: f64,
    features: usize,
    /// For each frequency its coefficient.
    coefficients: Vec<f64>,
    /// `exp(i w z)` of the reference's sum.
    start: Complexes,
    /// `exp(i w d)` of each feature's difference: some frequencies of all features, then the next ones, so that a loop
    /// over features stays in the nearest cache.
    turns: Complexes,
    /// Integrals over the lower half of the nodes, in the same order.
    integrals: Complexes,
    /// Of some frequencies, products over the features before each one.
    before: Complexes,
    /// For each frequency the sum over features of the sine of the angle, and of 1 minus its cosine.
    sines: Vec<f64>,
    cosines: Vec<f64>,
}

impl Terms {
    fn set(&mut self, start: f64, steps: &[f64], blocks: &[Block]) {
        let end_of = |sum: f64, end: fn(f64, f64) -> f64| {
            let single = steps.iter().fold(sum, |sum, step| sum + end(*step, 0.0));
            blocks.iter().fold(single, |sum, block| sum + block.sums.iter().fold(0.0, |a, b| end(a, *b)))
        };
        let (low, high) = (end_of(start, f64::min), end_of(start, f64::max));
        let half_period = low.abs().max(high.abs()) + MARGIN;
        let frequency = |at: usize| PI * (2 * at + 1) as f64 / half_period;
        self.used = (0..MOST_TERMS).take_while(|&at| PI * frequency(at) <= MARGIN).count();
        self.count = self.used.next_multiple_of(LANES);
        (self.features, self.half_period) = (steps.len(), half_period);
        // The exponential of each frequency is that of the one before, times a factor.
        let factor = libm::exp(PI * (frequency(1) - frequency(0)));
        let exponentials =
            std::iter::successors(Some(libm::exp(PI * frequency(0))), |exponential| Some(exponential * factor));
        self.coefficients.clear();
        self.coefficients.extend(exponentials.take(self.used).map(|e| 4.0 * PI / (half_period * (e - 1.0 / e))));
        self.coefficients.resize(self.count, 0.0);
        self.start.resize(self.count);
        self.turns.resize(self.count * steps.len());
        self.integrals.resize(self.count * steps.len());
        self.first = frequency(0);
        turns(self.first * start, &mut self.start.re, &mut self.start.im);
        self.before.resize(self.count.max(LANES * steps.len()));
        for (feature, step) in steps.iter().enumerate() {
            turns(self.first * step, &mut self.before.re[..self.count], &mut self.before.im[..self.count]);
            for at in (0..self.count).step_by(LANES) {
                let slot = self.slot(feature, at);
                self.turns.set_lanes(slot, self.before.lanes(at));
            }
        }
    }

    /// Where the number of a feature and a frequency is.
    fn slot(&self, feature: usize, frequency: usize) -> usize {
        (frequency / LANES * self.features + feature) * LANES + frequency % LANES
    }

    /// Nodes that are enough for the promised error, where so many further features are in blocks.
    fn enough_nodes(&mut self, in_blocks: usize) -> usize {
        let count = self.count;
        self.sines.clear();
        self.sines.resize(count, 0.0);
        self.cosines.clear();
        self.cosines.resize(count, 0.0);
        for at in (0..count).step_by(LANES) {
            let (mut sines, mut cosines) = ([0.0; LANES], [0.0; LANES]);
            for feature in 0..self.features {
                let [re, im] = self.turns.lanes(self.slot(feature, at));
                (sines, cosines) = (add(sines, im), add(cosines, re.map(|re| 1.0 - re)));
            }
            self.sines[at..at + LANES].copy_from_slice(&sines);
            self.cosines[at..at + LANES].copy_from_slice(&cosines);
        }
        let (sines, cosines) = (&self.sines[..self.used], &self.cosines[..self.used]);
        enough_nodes(self.first, self.half_period, sines, cosines, in_blocks)
    }

    /// The value of each feature.
    fn values(&mut self, nodes: &[(f64, f64)]) -> Vec<f64> {
        let mut values = vec![0.0; self.features];
        for at in (0..self.count).step_by(LANES) {
            for &(t, weight) in nodes {
                stop::work(1 + self.features * LANES / 16);
                self.add_node(at, t, [[weight; LANES], [0.0; LANES]]);
            }
            // The product at 1 - t is the conjugate of that at t, turned by all other features together.
            let (first, start) = (self.slot(0, at), self.start.lanes(at));
            let slots = (0..self.features).map(|feature| first + feature * LANES);
            let all = slots.clone().fold(start, |all, slot| times_lanes(all, self.turns.lanes(slot)));
            for (value, slot) in values.iter_mut().zip(slots) {
                let (turn, lower) = (self.turns.lanes(slot), self.integrals.lanes(slot));
                let one = times_lanes(start, lower);
                let other = times_lanes(times_lanes(all, conjugate(turn)), conjugate(lower));
                let change = [turn[0].map(|re| re - 1.0), turn[1]];
                let [_, whole] = times_lanes(change, [add(one[0], other[0]), add(one[1], other[1])]);
                for (coefficient, whole) in self.coefficients[at..at + LANES].iter().zip(whole) {
                    *value += coefficient * whole;
                }
            }
        }
        values
    }

    /// The value of each feature, then of the features of each block, which interact.
    fn values_with(&mut self, blocks: &[Block], nodes: &[(f64, f64)]) -> Vec<f64> {
        let count = self.count;
        let turned = |sum: &f64| {
            let mut turned = Complexes::filled(count, 0.0);
            turns(self.first * sum, &mut turned.re, &mut turned.im);
            turned
        };
        let tables: Vec<Vec<Complexes>> = blocks.iter().map(|block| block.sums.iter().map(turned).collect()).collect();
        let inside = blocks.iter().map(|block| block.features.len()).sum::<usize>();
        let mut of_blocks = Complexes::filled(count * inside, 0.0);
        // Of the node in the middle, each half is one of the two.
        for (t, weight) in nodes.iter().flat_map(|&(t, weight)| [(t, weight), (1.0 - t, weight)]) {
            let factors: Vec<Complexes> = tables.iter().map(|table| factor(table, t, None)).collect();
            let mut all = Complexes::filled(count, weight);
            for factor in &factors {
                all.multiply(factor);
            }
            for at in (0..count).step_by(LANES) {
                self.add_node(at, t, all.lanes(at));
            }
            let singles = self.product(t, weight);
            let mut slot = 0;
            for (at, table) in tables.iter().enumerate() {
                let mut rest = singles.clone();
                let others = factors.iter().enumerate().filter(|(other, _)| *other != at);
                others.for_each(|(_, factor)| rest.multiply(factor));
                for member in 0..blocks[at].features.len() {
                    let mut own = factor(table, t, Some(member));
                    own.multiply(&rest);
                    (0..count).for_each(|k| of_blocks.add(slot + k, own.at(k)));
                    slot += count;
                }
            }
        }
        let sum = |of: &dyn Fn(usize) -> (f64, f64)| {
            (0..count).fold(0.0, |sum, at| sum + self.coefficients[at] * times(self.start.at(at), of(at)).1)
        };
        let single = |feature: usize| {
            sum(&|at| {
                let slot = self.slot(feature, at);
                let (re, im) = self.turns.at(slot);
                times((re - 1.0, im), self.integrals.at(slot))
            })
        };
        let of_block = |member: usize| sum(&|at| of_blocks.at(member * count + at));
        (0..self.features).map(single).chain((0..inside).map(of_block)).collect()
    }

    /// The product over all features outside of blocks, times a weight.
    fn product(&self, t: f64, weight: f64) -> Complexes {
        let mut product = Complexes::filled(self.count, weight);
        for at in (0..self.count).step_by(LANES) {
            let factors = (0..self.features).map(|feature| inside(t, self.turns.lanes(self.slot(feature, at))));
            product.set_lanes(at, factors.fold(product.lanes(at), times_lanes));
        }
        product
    }

    /// Adds a node to the integrals of the frequencies from one on: for each feature the product over all others, times
    /// what all of them are multiplied by.
    fn add_node(&mut self, at: usize, t: f64, common: [Lanes; 2]) {
        let first = self.slot(0, at);
        let mut before = common;
        for place in (0..self.features * LANES).step_by(LANES) {
            self.before.set_lanes(place, before);
            before = times_lanes(before, inside(t, self.turns.lanes(first + place)));
        }
        // Products over the features after each one, from the last to the first.
        let mut after = [[1.0; LANES], [0.0; LANES]];
        for place in (0..self.features * LANES).step_by(LANES).rev() {
            let slot = first + place;
            let ([sum_re, sum_im], [re, im]) =
                (self.integrals.lanes(slot), times_lanes(self.before.lanes(place), after));
            self.integrals.set_lanes(slot, [add(sum_re, re), add(sum_im, im)]);
            after = times_lanes(after, inside(t, self.turns.lanes(slot)));
        }
    }
}

/// Numbers that are computed at once: all are read before one is written, so that the vector unit is used.
const LANES: usize = 4;
type Lanes = [f64; LANES];

/// `1 - t + t turn`: the factor of a feature that is inside with probability `t`.
fn inside(t: f64, [re, im]: [Lanes; 2]) -> [Lanes; 2] {
    [re.map(|re| 1.0 - t + t * re), im.map(|im| t * im)]
}

fn add(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

fn conjugate([re, im]: [Lanes; 2]) -> [Lanes; 2] {
    [re, im.map(|im| -im)]
}

fn times_lanes(a: [Lanes; 2], b: [Lanes; 2]) -> [Lanes; 2] {
    let re = std::array::from_fn(|lane| a[0][lane] * b[0][lane] - a[1][lane] * b[1][lane]);
    let im = std::array::from_fn(|lane| a[0][lane] * b[1][lane] + a[1][lane] * b[0][lane]);
    [re, im]
}

/// The factor of a block whose members are inside with probability `t`; or, for a member, the mean change by it.
fn factor(table: &[Complexes], t: f64, member: Option<usize>) -> Complexes {
    let members = table.len().trailing_zeros() - u32::from(member.is_some());
    let mut sum = Complexes::filled(table[0].re.len(), 0.0);
    for (set, turned) in table.iter().enumerate() {
        let (others, sign) = match member {
            None => (set, 1.0),
            Some(at) => (set & !(1 << at), if set >> at & 1 == 1 { 1.0 } else { -1.0 }),
        };
        let inside = others.count_ones();
        let weight = sign * libm::pow(t, f64::from(inside)) * libm::pow(1.0 - t, f64::from(members - inside));
        for slot in 0..turned.re.len() {
            sum.add(slot, (weight * turned.re[slot], weight * turned.im[slot]));
        }
    }
    sum
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-sum))
}

/// The unit numbers of the odd multiples of an angle: by repeated multiplication, whose rounding is far below the error
/// of the sum. Four are turned at once, so that none waits for the one before it.
fn turns(angle: f64, re: &mut [f64], im: &mut [f64]) {
    let (sin, cos) = libm::sincos(angle);
    let double = times((cos, sin), (cos, sin));
    let (mut ahead, mut turn) = ([(0.0, 0.0); LANES], (cos, sin));
    for lane in &mut ahead {
        *lane = turn;
        turn = times(turn, double);
    }
    let fourfold = times(double, double);
    let by = times(fourfold, fourfold);
    for (re, im) in re.chunks_mut(LANES).zip(im.chunks_mut(LANES)) {
        for ((re, im), lane) in re.iter_mut().zip(im).zip(&mut ahead) {
            (*re, *im) = *lane;
            *lane = times(*lane, by);
        }
    }
}

fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_products_is_the_logistic_function() {
        for z in [-30.0_f64, -3.0, -0.1, 0.0, 0.7, 12.0, 29.0] {
            let mut terms = Terms::default();
            terms.set(z, &[1.0], &[]);
            let sum = (0..terms.count).fold(0.5, |sum, at| sum + terms.coefficients[at] * terms.start.im[at]);
            assert!((sum - logistic(z)).abs() < 5e-9, "{z} {sum}");
        }
    }

    #[test]
    fn fewer_nodes_than_exact_ones_are_enough() {
        let (mut random, mut saved) = (einsicht_data::random::Random::new(3), [0; 2]);
        for case in 0..360_usize {
            let mut uniform = |scale: f64| scale * (random.index(2001) as f64 / 1000.0 - 1.0);
            let (features, scale) = (2 + case % 60, [0.02, 0.2, 0.5, 2.0][case % 4]);
            let (start, steps) = (uniform(4.0), (0..features).map(|_| uniform(scale)).collect::<Vec<_>>());
            // No block, one of two features, or two, of two and of three.
            let sizes = [&[][..], &[2], &[2, 3]][case / 60 % 3];
            let block = |size: &usize| {
                let sums = (0..1 << size).map(|set| if set == 0 { 0.0 } else { uniform(2.0 * scale) });
                Block { features: vec![0; *size], sums: sums.collect() }
            };
            let blocks: Vec<Block> = sizes.iter().map(block).collect();
            let in_blocks = sizes.iter().sum::<usize>();
            let values = |nodes: Option<usize>| {
                let mut terms = Terms::default();
                terms.set(start, &steps, &blocks);
                let nodes = lower_nodes(nodes.unwrap_or_else(|| terms.enough_nodes(in_blocks)));
                let found = if sizes.is_empty() { terms.values(&nodes) } else { terms.values_with(&blocks, &nodes) };
                (found, nodes.len())
            };
            let exact = (features + in_blocks).div_ceil(2);
            let ((found, used), (wanted, most)) = (values(None), values(Some(exact)));
            let error = found.iter().zip(&wanted).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(error < 2e-9, "{features} {scale} {sizes:?} {used} {error}");
            saved[usize::from(!sizes.is_empty())] += usize::from(used < most);
        }
        assert!(saved.iter().all(|&saved| saved > 40), "{saved:?}");
    }
}
