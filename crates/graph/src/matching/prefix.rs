//! An order of patterns in which what contains an absent pattern is skipped.
//!
//! A code that begins like another one contains it. In the order of codes a pattern comes right before all that
//! begin like it, so when it is absent one jump leads past them.

use crate::pattern::DfsCode;

/// The patterns of a set, in the order in which they are looked for.
#[derive(Clone, Debug)]
pub(super) struct Prefixes {
    /// (pattern, where those that begin like it end).
    order: Vec<(u32, u32)>,
}

impl Prefixes {
    pub(super) fn new(codes: &[DfsCode]) -> Self {
        let mut sorted: Vec<u32> = (0..codes.len() as u32).collect();
        sorted.sort_by(|&a, &b| codes[a as usize].cmp(&codes[b as usize]).then(a.cmp(&b)));
        let mut order: Vec<(u32, u32)> = sorted.iter().map(|&pattern| (pattern, codes.len() as u32)).collect();
        let mut open: Vec<u32> = Vec::new();
        for (at, &pattern) in sorted.iter().enumerate() {
            while let Some(&before) = open.last() {
                let prefix = &codes[sorted[before as usize] as usize];
                if codes[pattern as usize].edges().starts_with(prefix.edges()) {
                    break;
                }
                order[before as usize].1 = at as u32;
                open.pop();
            }
            open.push(at as u32);
        }
        Self { order }
    }

    /// For patterns of which no order is known.
    pub(super) fn none(len: usize) -> Self {
        Self { order: (0..len as u32).map(|pattern| (pattern, pattern + 1)).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Asks whether a pattern is there, for all but those that cannot be.
    #[inline]
    pub(super) fn each(&self, mut is_there: impl FnMut(u32) -> bool) {
        let mut at = 0;
        while let Some(&(pattern, end)) = self.order.get(at) {
            at = if is_there(pattern) { at + 1 } else { end as usize };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Label;
    use crate::pattern::DfsEdge;

    /// A path that carries these labels.
    fn path(labels: &[u32]) -> DfsCode {
        let edge = |from: usize| DfsEdge {
            from: from as u32,
            to: from as u32 + 1,
            from_label: Label(labels[from]),
            edge_label: Label(0),
            to_label: Label(labels[from + 1]),
        };
        DfsCode::new((0..labels.len() - 1).map(edge).collect()).unwrap()
    }

    #[test]
    fn an_absent_pattern_is_asked_for_but_not_its_extensions() {
        let codes = [&[0, 0, 1][..], &[0, 0], &[0, 1], &[0, 0, 0, 0], &[0, 0, 0, 1], &[0, 0, 0]].map(path);
        let prefixes = Prefixes::new(&codes);
        let asked = |absent: u32| {
            let mut asked = Vec::new();
            prefixes.each(|pattern| {
                asked.push(pattern);
                pattern != absent
            });
            asked
        };
        assert_eq!(asked(9), [1, 5, 3, 4, 0, 2]);
        assert_eq!(asked(1), [1, 2]);
        assert_eq!(asked(5), [1, 5, 0, 2]);
    }
}
