//! Random numbers that are the same in every version: a pinned generator and our own distributions.
//!
//! Promise: a seed gives the same numbers on every machine and in every later version. The generator
//! is PCG XSL RR 128/64; whole numbers, shuffles and normals are our own few lines, because the
//! algorithms of general libraries change between releases. Test vectors below pin each of them.

use rand_pcg::{Pcg64, rand_core::Rng};

/// A seeded generator.
///
/// ```
/// use einsicht_data::random::Random;
/// let mut random = Random::new(7);
/// let mut cards = [1, 2, 3, 4, 5];
/// random.shuffle(&mut cards);
/// assert_eq!(cards, [5, 3, 4, 2, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    generator: Pcg64,
    place: Place,
}

/// State of a generator: enough to continue from it, in another process if needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The seed.
    pub seed: u64,
    /// Which of the seed's generators.
    pub stream: u64,
    /// How often 64 bits were drawn.
    pub draws: u64,
}

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::stream(seed, 0)
    }

    /// One of many independent generators of a seed, for work that must not depend on the order of other work.
    pub fn stream(seed: u64, stream: u64) -> Self {
        Self::at(Place { seed, stream, draws: 0 })
    }

    /// The generator in a given state.
    pub fn at(place: Place) -> Self {
        let mut generator = Pcg64::new(u128::from(place.seed), u128::from(place.stream));
        generator.advance(u128::from(place.draws));
        Self { generator, place }
    }

    /// The state of the generator.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.place.draws += 1;
        self.generator.next_u64()
    }

    /// A whole number below `end`, each with the same chance.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        assert!(end > 0, "no number is below 0");
        loop {
            let bits = self.bits();
            // Rejection sampling: at or above the largest multiple of `end` below 2^64 small numbers would be favoured.
            // The first test is nearly always enough and saves a division.
            if bits <= u64::MAX - end || bits < u64::MAX - u64::MAX % end {
                return bits % end;
            }
        }
    }

    /// A position in a list of `len` entries.
    ///
    /// # Panics
    /// If `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A draw from the normal distribution with mean 0 and variance 1 (polar method of Marsaglia).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            // The second normal, `y * ...`, is discarded: a generator without a cache is easier to save.
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// Puts the items in a random order (Fisher and Yates, from the last place down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values come from a second implementation, of a dozen lines of Python.
    #[test]
    fn numbers_are_pinned() {
        let mut random = Random::new(2026);
        assert_eq!(
            [random.bits(), random.bits(), random.bits()],
            [0xfb25_83ea_b728_96e7, 0x5adc_0176_a0be_8314, 0x2f86_1da3_ab79_a4dd]
        );
        assert_eq!([(); 8].map(|()| random.below(10)), [2, 5, 9, 4, 0, 1, 0, 5]);
        assert_eq!([(); 2].map(|()| random.unit().to_bits()), [0x3fd8_be77_6a47_1dc4, 0x3fed_365a_d9d3_8980]);
        assert_eq!(
            [(); 3].map(|()| random.normal().to_bits()),
            [0x3ff0_1ab0_1d71_63c9, 0x3ff7_863e_d890_a75a, 0xbff6_a7b4_a13a_b8b1]
        );
        let mut order: Vec<u32> = (0..10).collect();
        random.shuffle(&mut order);
        assert_eq!(order, [9, 8, 0, 7, 1, 4, 3, 2, 6, 5]);
    }

    #[test]
    fn streams_of_a_seed_differ() {
        assert_ne!(Random::stream(1, 0).bits(), Random::stream(1, 1).bits());
        assert_eq!(Random::stream(1, 0), Random::new(1));
    }

    #[test]
    fn a_generator_goes_on_from_where_it_stood() {
        let mut random = Random::stream(3, 4);
        for _ in 0..1000 {
            random.normal();
        }
        assert!(random.place().draws > 2000);
        assert_eq!(Random::at(random.place()), random);
    }

    #[test]
    fn whole_numbers_are_fair() {
        let (mut random, mut counts) = (Random::new(0), [0_i32; 6]);
        for _ in 0..60_000 {
            counts[random.index(6)] += 1;
        }
        // Five standard deviations of a binomial with n = 60000, p = 1/6 are 456.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 456), "{counts:?}");
    }

    #[test]
    fn orders_of_a_shuffle_are_fair() {
        let (mut random, mut counts) = (Random::new(1), std::collections::BTreeMap::new());
        for _ in 0..24_000 {
            let mut order = [0, 1, 2, 3];
            random.shuffle(&mut order);
            *counts.entry(order).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (count - 1000).abs() < 160), "{counts:?}");
    }

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let mut random = Random::new(2);
        let draws: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.016 && (variance - 1.0).abs() < 0.023, "{mean} {variance}");
    }
}
