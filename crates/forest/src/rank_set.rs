//! A set of ranks that is drained in increasing order without sorting: a bit set with a second level of non-zero words.

#[derive(Clone, Debug, Default)]
pub(super) struct RankSet {
    words: Vec<u64>,
    /// Which of the words are not 0.
    used: Vec<u64>,
}

impl RankSet {
    /// Allocates ranks below `end`.
    pub(super) fn reserve(&mut self, end: usize) {
        let words = end.div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.used.resize(words.div_ceil(64), 0);
        }
    }

    /// Adds a rank below the reserved end; returns whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, rank: usize) -> bool {
        let (word, bit) = (rank / 64, 1 << (rank % 64));
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.used[word / 64] |= 1 << (word % 64);
        is_new
    }

    /// Removes all ranks, the smallest first.
    #[inline]
    pub(super) fn drain(&mut self, mut each: impl FnMut(usize)) {
        for (block, used) in self.used.iter_mut().enumerate() {
            while *used != 0 {
                let at = block * 64 + used.trailing_zeros() as usize;
                let mut word = std::mem::take(&mut self.words[at]);
                while word != 0 {
                    each(at * 64 + word.trailing_zeros() as usize);
                    word &= word - 1;
                }
                *used &= *used - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_out_in_order_and_once() {
        let mut set = RankSet::default();
        for wanted in [vec![0, 1, 63, 64, 4095, 4096, 9999], vec![5], vec![], vec![9999, 0]] {
            set.reserve(10_000);
            let added = wanted.iter().chain(&wanted).rev().filter(|&&rank| set.insert(rank)).count();
            assert_eq!(added, wanted.len());
            let (mut found, mut sorted) = (Vec::new(), wanted);
            set.drain(|rank| found.push(rank));
            sorted.sort_unstable();
            assert_eq!(found, sorted);
        }
    }
}
