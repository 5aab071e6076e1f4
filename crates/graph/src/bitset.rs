//! Bit sets: the one place for sets of small numbers (vertices of a graph or pattern, edges, graphs).
//!
//! Three forms, because the right one differs by a factor in speed:
//!
//! - [`VertexSet`]: a set in a `u64`, a `u128` or [`Words`], for search loops that are compiled once per width;
//! - [`Words`]: `N` words by value, with the operations that the searches of the miner need;
//! - functions on slices of words ([`insert_bit`], [`contains_bit`], [`intersect`]), where the size is known only at
//!   run time.
//!
//! [`ones`] and [`reachable`] serve patterns, whose vertices are the bits of a `u32`. Knows nothing of graphs. Both the
//! miner and the matcher use this file, which check each other elsewhere: so it is tested on its own, below.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of vertices numbered below [`VertexSet::BITS`].
pub(crate) trait VertexSet:
    Copy + Debug + Eq + Default + BitAnd<Output = Self> + BitAndAssign + BitOrAssign + Not<Output = Self>
{
    /// Number of vertices that fit.
    const BITS: usize;
    /// The set of one vertex.
    fn one(vertex: u32) -> Self;
    /// The smallest vertex of a set that is not empty.
    fn first(self) -> u32;
    /// All but the smallest vertex of a set that is not empty.
    fn rest(self) -> Self;
}

macro_rules! vertex_set {
    ($type:ty) => {
        impl VertexSet for $type {
            const BITS: usize = <$type>::BITS as usize;
            #[inline]
            fn one(vertex: u32) -> Self {
                1 << vertex
            }
            #[inline]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline]
            fn rest(self) -> Self {
                self & (self - 1)
            }
        }
    };
}
vertex_set!(u64);
vertex_set!(u128);

/// A set of numbers below `64 * N`. `N` is a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words<const N: usize>([u64; N]);

impl<const N: usize> Words<N> {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; N]);

    /// A set that fits in one word.
    #[inline]
    pub(crate) fn from_word(word: u64) -> Self {
        let mut set = Self::EMPTY;
        set.0[0] = word;
        set
    }

    /// Set number `at` of a flat array of sets.
    #[inline]
    pub(crate) fn load(flat: &[u64], at: usize) -> Self {
        let mut set = Self::EMPTY;
        set.0.copy_from_slice(&flat[at * N..(at + 1) * N]);
        set
    }

    /// Writes the set as number `at` of a flat array of sets.
    #[inline]
    pub(crate) fn store(&self, flat: &mut [u64], at: usize) {
        flat[at * N..(at + 1) * N].copy_from_slice(&self.0);
    }

    #[inline]
    pub(crate) fn insert(&mut self, member: usize) {
        self.0[member / 64 % N] |= 1 << (member % 64);
    }

    /// Takes a member out.
    #[inline]
    pub(crate) fn remove(&mut self, member: usize) {
        self.0[member / 64 % N] &= !(1 << (member % 64));
    }

    #[inline]
    pub(crate) fn contains(&self, member: usize) -> bool {
        // With a power of two, the remainder is one operation and saves the test of the index.
        self.0[member / 64 % N] >> (member % 64) & 1 == 1
    }

    /// The members that are not in the other set.
    #[inline]
    pub(crate) fn without(mut self, other: &Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
        self
    }

    /// Whether there is no member.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there are fewer than two members, for sets of one word.
    #[inline]
    pub(crate) fn has_at_most_one(&self) -> bool {
        debug_assert_eq!(N, 1);
        self.0[0] & self.0[0].wrapping_sub(1) == 0
    }

    /// Whether there are at least so many members. Few operations where they are few.
    #[inline]
    pub(crate) fn has_at_least(&self, members: u32) -> bool {
        let mut left = *self;
        (0..members).all(|_| left.pop().is_some())
    }

    /// Takes the smallest member out.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<usize> {
        for (at, word) in self.0.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(64 * at + bit);
            }
        }
        None
    }
}

impl<const N: usize> Default for Words<N> {
    #[inline]
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> BitAnd for Words<N> {
    type Output = Self;
    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl<const N: usize> BitAndAssign for Words<N> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
    }
}

impl<const N: usize> BitOr for Words<N> {
    type Output = Self;
    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const N: usize> BitOrAssign for Words<N> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl<const N: usize> Not for Words<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl<const N: usize> VertexSet for Words<N> {
    const BITS: usize = 64 * N;

    #[inline]
    fn one(vertex: u32) -> Self {
        let mut set = Self::EMPTY;
        set.0[vertex as usize / 64] = 1 << (vertex % 64);
        set
    }

    #[inline]
    fn first(self) -> u32 {
        let at = self.0.iter().position(|&word| word != 0).unwrap_or(0);
        64 * at as u32 + self.0[at].trailing_zeros()
    }

    #[inline]
    fn rest(mut self) -> Self {
        if let Some(word) = self.0.iter_mut().find(|word| **word != 0) {
            *word &= *word - 1;
        }
        self
    }
}

/// Number of words of a set of numbers below `len`.
#[inline]
pub(crate) const fn words_for(len: usize) -> usize {
    len.div_ceil(64)
}

/// Adds a member to a set in a slice.
#[inline]
pub(crate) fn insert_bit(words: &mut [u64], member: usize) {
    words[member / 64] |= 1 << (member % 64);
}

/// Takes a member out of a set in a slice.
#[inline]
pub(crate) fn remove_bit(words: &mut [u64], member: usize) {
    words[member / 64] &= !(1 << (member % 64));
}

/// Whether a number is a member of a set in a slice.
#[inline]
pub(crate) fn contains_bit(words: &[u64], member: usize) -> bool {
    words[member / 64] >> (member % 64) & 1 == 1
}

/// Keeps only the members that another set has too; says whether any is left.
#[inline]
pub(crate) fn intersect(words: &mut [u64], other: &[u64]) -> bool {
    let mut any = 0;
    for (word, other) in words.iter_mut().zip(other) {
        *word &= other;
        any |= *word;
    }
    any != 0
}

/// Whether another set has all members of this one.
pub(crate) fn is_subset(words: &[u64], of: &[u64]) -> bool {
    words.iter().zip(of).all(|(word, of)| word & !of == 0)
}

/// The members of a set in one word, increasing.
#[inline]
pub(crate) fn ones(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            at
        })
    })
}

/// The same for a wider word.
#[inline]
pub(crate) fn ones_of(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            at
        })
    })
}

/// The vertices that can be reached from those of `start` without passing through `blocked` ones. Entry `v` of
/// `adjacent` is the set of neighbours of vertex `v`.
pub(crate) fn reachable(adjacent: &[u32], start: u32, blocked: u32) -> u32 {
    let (mut reached, mut open) = (start | blocked, start);
    while open != 0 {
        let vertex = open.trailing_zeros() as usize;
        open &= open - 1;
        let new = adjacent[vertex] & !reached;
        reached |= new;
        open |= new;
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed<S: VertexSet>(mut set: S) -> Vec<u32> {
        let mut vertices = Vec::new();
        while set != S::default() {
            vertices.push(set.first());
            set = set.rest();
        }
        vertices
    }

    fn union<S: VertexSet>(vertices: &[u32]) -> S {
        let mut set = S::default();
        for &vertex in vertices {
            set |= S::one(vertex);
        }
        set
    }

    fn check<S: VertexSet>() {
        let last = S::BITS as u32 - 1;
        let (a, b) = (union::<S>(&[last, 0, 13, last / 2]), union::<S>(&[13, last]));
        assert_eq!(listed(a), [0, 13, last / 2, last]);
        assert_eq!(listed(a & b), [13, last]);
        assert_eq!(listed(a & !b), [0, last / 2]);
        assert_eq!(listed(!S::default()).len(), S::BITS);
    }

    #[test]
    fn sets_of_every_width_behave_the_same() {
        check::<u64>();
        check::<u128>();
        check::<Words<1>>();
        check::<Words<8>>();
    }

    fn check_words<const N: usize>() {
        let last = 64 * N - 1;
        let mut set = Words::<N>::EMPTY;
        for member in [last, 5, 17] {
            set.insert(member);
        }
        let mut other = Words::<N>::from_word(1 << 5);
        assert!(set.contains(last) && !set.contains(6));
        assert!(set.len() == 3 && set.has_at_least(3) && !set.has_at_least(4));
        assert_eq!((set.without(&other).len(), (set & other).len(), (set | other).len()), (2, 1, 3));
        let mut flat = vec![0; 2 * N];
        set.store(&mut flat, 1);
        assert_eq!((Words::load(&flat, 0), Words::load(&flat, 1)), (Words::<N>::EMPTY, set));
        other.remove(5);
        assert!(other.is_empty() && other.pop().is_none());
        assert_eq!([set.pop(), set.pop(), set.pop(), set.pop()], [Some(5), Some(17), Some(last), None]);
    }

    #[test]
    fn words_hold_members_up_to_their_last_bit() {
        check_words::<1>();
        check_words::<2>();
        check_words::<16>();
    }

    #[test]
    fn sets_in_slices_keep_what_both_have() {
        let (mut a, mut b) = (vec![0; words_for(130)], vec![0; words_for(130)]);
        for member in [0, 64, 129] {
            insert_bit(&mut a, member);
        }
        for member in [64, 129] {
            insert_bit(&mut b, member);
        }
        assert!(!is_subset(&a, &b) && is_subset(&b, &a));
        assert!(intersect(&mut a, &b) && a == b && contains_bit(&a, 129) && !contains_bit(&a, 0));
        for member in [64, 129] {
            remove_bit(&mut b, member);
        }
        assert!(!intersect(&mut a, &b));
    }

    #[test]
    fn two_parts_of_a_pattern_do_not_reach_each_other() {
        // Edges 0-1, 1-2 and 3-4.
        let adjacent = [0b00010, 0b00101, 0b00010, 0b10000, 0b01000];
        assert_eq!((reachable(&adjacent, 1, 0), reachable(&adjacent, 1 << 4, 0)), (0b00111, 0b11000));
        assert_eq!(reachable(&adjacent, 1, 0b00010), 0b00011);
        assert_eq!(ones(0b11000).collect::<Vec<_>>(), [3, 4]);
    }
}
