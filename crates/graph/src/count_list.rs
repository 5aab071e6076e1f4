//! Counts in as many bytes as they need: one each as a rule, since few patterns occur 256 times in a graph.
//!
//! Promise: what comes out is what was put in. Supports of a million graphs are most of the memory of a search, so a
//! count takes a byte instead of four; loops that read many counts ask once which it is ([`Counted`]).

/// Counts that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CountList {
    /// All are below 256.
    Bytes(Box<[u8]>),
    /// Some are not.
    Words(Box<[u32]>),
}

/// Counts to be read. Equal ones are equal whatever they are kept in.
#[derive(Clone, Copy, Debug)]
pub enum Counted<'a> {
    /// All are below 256.
    Bytes(&'a [u8]),
    /// Any.
    Words(&'a [u32]),
}

impl CountList {
    /// Keeps these.
    pub(crate) fn new(counts: impl AsRef<[u32]> + Into<Box<[u32]>>) -> Self {
        // Two passes, so that the length is known.
        if counts.as_ref().iter().all(|count| u8::try_from(*count).is_ok()) {
            Self::Bytes(counts.as_ref().iter().map(|count| *count as u8).collect())
        } else {
            Self::Words(counts.into())
        }
    }

    /// To be read.
    #[inline]
    pub(crate) fn view(&self) -> Counted<'_> {
        match self {
            Self::Bytes(counts) => Counted::Bytes(counts),
            Self::Words(counts) => Counted::Words(counts),
        }
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(counts) => counts.len(),
            Self::Words(counts) => size_of_val(&**counts),
        }
    }
}

impl<'a> Counted<'a> {
    /// No counts.
    pub const NONE: Self = Self::Words(&[]);

    /// Number of counts.
    pub fn len(self) -> usize {
        match self {
            Self::Bytes(counts) => counts.len(),
            Self::Words(counts) => counts.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The count at a place, if there is one.
    #[inline]
    pub fn get(self, at: usize) -> Option<u32> {
        match self {
            Self::Bytes(counts) => counts.get(at).map(|count| u32::from(*count)),
            Self::Words(counts) => counts.get(at).copied(),
        }
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'a {
        (0..self.len()).filter_map(move |at| self.get(at))
    }

    /// All of them as a list.
    pub fn to_vec(self) -> Vec<u32> {
        self.iter().collect()
    }

    /// Those before a place, and those from it on.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::Bytes(counts) => {
                let (before, after) = counts.split_at(at);
                (Self::Bytes(before), Self::Bytes(after))
            }
            Self::Words(counts) => {
                let (before, after) = counts.split_at(at);
                (Self::Words(before), Self::Words(after))
            }
        }
    }
}

impl PartialEq for Counted<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Words(a), Self::Words(b)) => a == b,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for Counted<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_out_as_they_went_in_and_small_ones_take_a_byte() {
        for counts in [vec![], vec![0, 1, 255], vec![3, 256], vec![u32::MAX, 1, 2]] {
            let list = CountList::new(counts.clone());
            let view = list.view();
            assert_eq!((view.to_vec(), view.len(), view.get(counts.len())), (counts.clone(), counts.len(), None));
            assert_eq!(view, Counted::Words(&counts));
            let each = if counts.iter().any(|count| *count > 255) { 4 } else { 1 };
            assert_eq!(list.bytes(), each * counts.len());
            for at in 0..=counts.len() {
                let (before, after) = view.split_at(at);
                assert_eq!([before.to_vec(), after.to_vec()].concat(), counts);
            }
        }
        assert_ne!(CountList::new([1, 2]).view(), CountList::new([1, 300]).view());
        assert!(Counted::NONE.is_empty());
    }
}
