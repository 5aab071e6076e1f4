//! Graph ids in as many bytes as they need: four each, or packed as the gaps between them, mostly one byte each.
//!
//! Promise: what comes out is what was put in. A gap is the number of graphs between two neighbours of a list, in
//! [`leb128`]. On molecules 97 of 100 gaps take one byte, so a support takes less than half of the memory, counts
//! included, and whole trainings take the same time (`lab/notes/0032`).

use crate::leb128;

/// Graph ids that are kept, strictly increasing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GraphList {
    /// As they are.
    Words(Box<[u32]>),
    /// So many, as gaps.
    Packed { len: u32, gaps: Box<[u8]> },
}

/// Eight gaps at once are of one byte each if none of these bits is set.
const FOLLOWED: u64 = 0x8080_8080_8080_8080;

impl GraphList {
    /// Keeps these.
    pub(crate) fn new(graphs: &[u32], packs: bool) -> Self {
        if !packs {
            return Self::Words(graphs.into());
        }
        // Exactly as long as needed: lists are many.
        let mut gaps = Vec::with_capacity(bytes_of(graphs));
        gaps_of(graphs).for_each(|gap| leb128::push(&mut gaps, gap.into()));
        Self::Packed { len: graphs.len() as u32, gaps: gaps.into() }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Words(graphs) => graphs.len(),
            Self::Packed { len, .. } => *len as usize,
        }
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Words(graphs) => size_of_val(&**graphs),
            Self::Packed { gaps, .. } => gaps.len(),
        }
    }

    /// Whether these are the graphs.
    pub(crate) fn is(&self, graphs: &[u32]) -> bool {
        match self {
            Self::Words(words) => **words == *graphs,
            Self::Packed { len, gaps } => *len as usize == graphs.len() && is_packed_as(gaps, graphs),
        }
    }

    /// The graphs, in the buffer if they are packed.
    #[inline]
    pub(crate) fn read<'a>(&'a self, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        match self {
            Self::Words(graphs) => graphs,
            Self::Packed { len, gaps } => {
                unpack(gaps, *len as usize, buffer);
                buffer
            }
        }
    }
}

/// The number of graphs between each graph and the one before it.
fn gaps_of(graphs: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let mut next = 0;
    graphs.iter().map(move |&graph| {
        let gap = graph - next;
        next = graph + 1;
        gap
    })
}

/// Bytes of a list once it is packed.
fn bytes_of(graphs: &[u32]) -> usize {
    gaps_of(graphs).map(|gap| (gap | 1).ilog2() as usize / 7 + 1).sum()
}

fn is_packed_as(gaps: &[u8], graphs: &[u32]) -> bool {
    let mut rest = gaps;
    gaps_of(graphs).all(|gap| leb128::take_u32(&mut rest) == Some(gap))
}

fn unpack(gaps: &[u8], len: usize, graphs: &mut Vec<u32>) {
    // HOT: every sum over a packed support. Most gaps take one byte, so eight bytes are looked at together.
    graphs.clear();
    graphs.reserve(len);
    let (mut rest, mut next) = (gaps, 0_u32);
    while let Some((eight, later)) = rest.split_first_chunk::<8>() {
        if u64::from_ne_bytes(*eight) & FOLLOWED == 0 {
            graphs.extend(eight.map(|gap| {
                let graph = next + u32::from(gap);
                next = graph + 1;
                graph
            }));
            rest = later;
        } else {
            for _ in 0..4 {
                let Some(gap) = leb128::take_u32(&mut rest) else { break };
                graphs.push(next + gap);
                next += gap + 1;
            }
        }
    }
    while let Some(gap) = leb128::take_u32(&mut rest) {
        graphs.push(next + gap);
        next += gap + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gaps_of_all_widths_come_out_as_they_went_in() {
        let mut graphs = vec![0];
        for gap in [0, 1, 126, 127, 128, 129, 16_383, 16_384, 1 << 21, 1 << 28] {
            graphs.push(graphs.last().unwrap() + gap + 1);
        }
        graphs.push(u32::MAX - 1);
        let list = GraphList::new(&graphs, true);
        assert_eq!((list.read(&mut vec![7]), list.len()), (&graphs[..], graphs.len()));
        assert!(list.bytes() > graphs.len() && list.is(&graphs));
        assert_eq!(GraphList::new(&[], true).read(&mut vec![7]), [0_u32; 0]);
    }

    proptest! {
        #[test]
        fn a_packed_list_is_the_list_and_no_other(
            gaps in prop::collection::vec(prop_oneof![9 => 0..128_u32, 1 => 0..70_000_u32], 0..60),
        ) {
            let mut next = 0;
            let graphs: Vec<u32> = gaps.iter().map(|gap| { next += gap + 1; next - 1 }).collect();
            let (packed, plain) = (GraphList::new(&graphs, true), GraphList::new(&graphs, false));
            let mut buffer = Vec::new();
            prop_assert_eq!(packed.read(&mut buffer), &graphs[..]);
            let bytes = gaps.iter().map(|gap| 1 + usize::from(*gap > 127) + usize::from(*gap > 16_383));
            prop_assert!(packed.bytes() == bytes.sum::<usize>());
            prop_assert!(packed.is(&graphs) && plain.is(&graphs) && packed.len() == plain.len());
            if let Some((_, shorter)) = graphs.split_last() {
                prop_assert!(!packed.is(&graphs[1..]) && GraphList::new(&graphs[..shorter.len()], true) != packed);
                prop_assert!(!packed.is(shorter) && !plain.is(shorter));
            }
        }
    }
}
