//! Labels of the patterns, numbered without gaps. A label that no pattern has gets no number.

use crate::ids::Label;

/// Labels below this are looked up in a table, larger ones by binary search.
const TABLE_LEN: usize = 1 << 16;
/// The number of a label that no pattern has.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Numbers for the labels that patterns use.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelNumbers {
    sorted: Vec<Label>,
    table: Vec<u32>,
}

impl LabelNumbers {
    pub(super) fn new(mut labels: Vec<Label>) -> Self {
        labels.sort_unstable();
        labels.dedup();
        let mut table = Vec::new();
        for (number, label) in labels.iter().take_while(|l| l.index() < TABLE_LEN).enumerate() {
            table.resize(label.index(), UNKNOWN);
            table.push(number as u32);
        }
        Self { sorted: labels, table }
    }

    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn label(&self, number: u32) -> Label {
        self.sorted[number as usize]
    }

    /// The number of a label, or [`UNKNOWN`].
    #[inline]
    pub(super) fn number(&self, label: Label) -> u32 {
        if label.index() < TABLE_LEN {
            self.table.get(label.index()).copied().unwrap_or(UNKNOWN)
        } else {
            self.sorted.binary_search(&label).map_or(UNKNOWN, |at| at as u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_huge_labels_get_numbers_without_gaps() {
        let numbers = LabelNumbers::new([7, 3, 4_000_000_000, 3, 70_000].map(Label).to_vec());
        let of = |label| numbers.number(Label(label));
        assert_eq!([of(3), of(7), of(70_000), of(4_000_000_000)], [0, 1, 2, 3]);
        assert_eq!([of(0), of(8), of(70_001)], [UNKNOWN; 3]);
        assert_eq!((numbers.len(), numbers.label(2)), (4, Label(70_000)));
    }
}
