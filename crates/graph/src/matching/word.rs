//! Sets of vertices of bounded size: one machine word, two, or a short array of them.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOrAssign, Not};

/// A set of vertices numbered below [`Word::BITS`].
pub(super) trait Word:
    Copy + Debug + Eq + Default + BitAnd<Output = Self> + BitAndAssign + BitOrAssign + Not<Output = Self>
{
    /// How many vertices fit.
    const BITS: usize;
    /// The set of one vertex.
    fn one(vertex: u32) -> Self;
    /// The smallest vertex of a set that is not empty.
    fn first(self) -> u32;
    /// All but the smallest vertex of a set that is not empty.
    fn rest(self) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
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
word!(u64);
word!(u128);

/// `N` words of 64 vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words<const N: usize>([u64; N]);

impl<const N: usize> Default for Words<N> {
    #[inline]
    fn default() -> Self {
        Self([0; N])
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

impl<const N: usize> Word for Words<N> {
    const BITS: usize = 64 * N;

    #[inline]
    fn one(vertex: u32) -> Self {
        let mut set = Self::default();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listed<W: Word>(mut set: W) -> Vec<u32> {
        let mut vertices = Vec::new();
        while set != W::default() {
            vertices.push(set.first());
            set = set.rest();
        }
        vertices
    }

    fn union<W: Word>(vertices: &[u32]) -> W {
        let mut set = W::default();
        for &vertex in vertices {
            set |= W::one(vertex);
        }
        set
    }

    fn check<W: Word>() {
        let last = W::BITS as u32 - 1;
        let (a, b) = (union::<W>(&[last, 0, 13, last / 2]), union::<W>(&[13, last]));
        assert_eq!(listed(a), [0, 13, last / 2, last]);
        assert_eq!(listed(a & b), [13, last]);
        assert_eq!(listed(a & !b), [0, last / 2]);
        assert_eq!(listed(!W::default()).len(), W::BITS);
    }

    #[test]
    fn sets_of_every_width_behave_alike() {
        check::<u64>();
        check::<u128>();
        check::<Words<1>>();
        check::<Words<8>>();
    }
}
