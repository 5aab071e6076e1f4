//! Where a pattern sits in the graphs: flat rows of vertex numbers, no pointers.
//!
//! A row is one embedding: entry `i` is the graph vertex that plays pattern vertex `i`. Rows of one
//! graph stand together and graphs increase. Four widths of the same code serve all sizes: the narrow
//! one holds an embedding of up to 16 vertices in 16 bytes, so that the test whether a vertex is
//! already in use is one comparison of a whole vector register (plain code, checked to compile so).

/// One embedding, in some width. The largest number stands for "no vertex", so `u8` serves graphs of up to 255
/// vertices.
pub(crate) trait Row: Copy + Send + Sync + 'static {
    /// A row without vertices.
    const EMPTY: Self;
    /// Graph vertex of a pattern vertex.
    fn get(&self, pattern_vertex: usize) -> u32;
    /// The same row with one more vertex.
    fn with(self, pattern_vertex: usize, graph_vertex: u32) -> Self;
    /// Whether a graph vertex is in use.
    fn contains(&self, graph_vertex: u32) -> bool;
    /// The first `vertices` vertices as bits of a word.
    fn word(&self, vertices: usize) -> u64;
}

macro_rules! row {
    ($number:ty, $width:literal) => {
        impl Row for [$number; $width] {
            const EMPTY: Self = [<$number>::MAX; $width];
            #[inline(always)]
            fn get(&self, pattern_vertex: usize) -> u32 {
                // The width is a power of two, so this is one operation and no test.
                u32::from(self[pattern_vertex % $width])
            }
            #[inline(always)]
            fn with(mut self, pattern_vertex: usize, graph_vertex: u32) -> Self {
                self[pattern_vertex % $width] = graph_vertex as $number;
                self
            }
            #[inline(always)]
            fn contains(&self, graph_vertex: u32) -> bool {
                let wanted = graph_vertex as $number;
                // No early exit: the whole row is compared at once.
                self.iter().fold(false, |found, &vertex| found | (vertex == wanted))
            }
            #[inline(always)]
            fn word(&self, vertices: usize) -> u64 {
                self[..vertices].iter().fold(0, |word, &vertex| word | 1 << (vertex & 63))
            }
        }
    };
}

row!(u8, 16);
row!(u8, 32);
row!(u16, 16);
row!(u32, 32);

/// What is known of the embeddings of a pattern in one graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The rows are only some of the embeddings.
    pub(crate) sampled: bool,
    /// Extensions that do not exist in the graph; see `extend.rs` for their numbers.
    pub(crate) dead: Dead,
}

/// Extensions that do not exist in a graph, as bits; those without a bit may or may not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dead {
    pub(crate) forward: u64,
    pub(crate) backward: u64,
}

/// The embeddings of one pattern, graph after graph.
#[derive(Clone, Debug)]
pub(crate) struct Rows<R> {
    flat: Vec<R>,
    /// The graphs, increasing: the support of the pattern.
    graphs: Vec<u32>,
    /// First row of each graph.
    starts: Vec<u32>,
    /// By place in `graphs`; shorter than that if nothing special is known of the last ones.
    known: Vec<Known>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { flat: Vec::new(), graphs: Vec::new(), starts: Vec::new(), known: Vec::new() }
    }
}

impl<R: Row> Rows<R> {
    /// With room for so many graphs and rows.
    pub(crate) fn with_capacity(graphs: usize, rows: usize) -> Self {
        Self {
            flat: Vec::with_capacity(rows),
            graphs: Vec::with_capacity(graphs),
            starts: Vec::with_capacity(graphs),
            known: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, graph: u32, row: R) {
        if self.graphs.last() != Some(&graph) {
            self.begin(graph);
        }
        self.flat.push(row);
    }

    /// Starts the next graph.
    #[inline]
    pub(crate) fn begin(&mut self, graph: u32) {
        self.graphs.push(graph);
        self.starts.push(self.flat.len() as u32);
    }

    /// Adds all rows of the next graph.
    pub(crate) fn push_graph(&mut self, graph: u32, rows: impl Iterator<Item = R>, known: Known) {
        self.begin(graph);
        self.flat.extend(rows);
        if known != Known::default() {
            self.set_known(self.graphs.len() - 1, known);
        }
    }

    /// What is known of the graph at this place.
    pub(crate) fn known(&self, place: usize) -> Known {
        self.known.get(place).copied().unwrap_or_default()
    }

    /// Number of graphs of which only some embeddings are here.
    pub(crate) fn num_sampled(&self) -> usize {
        self.known.iter().filter(|known| known.sampled).count()
    }

    pub(crate) fn set_known(&mut self, place: usize, known: Known) {
        if self.known.len() <= place {
            self.known.resize(place + 1, Known::default());
        }
        self.known[place] = known;
    }

    pub(crate) fn len(&self) -> usize {
        self.flat.len()
    }

    /// The graphs, increasing.
    pub(crate) fn graphs(&self) -> &[u32] {
        &self.graphs
    }

    pub(crate) fn clear(&mut self) {
        self.flat.clear();
        self.graphs.clear();
        self.starts.clear();
        self.known.clear();
    }

    /// Rows of the graph at this place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &[R] {
        let end = self.starts.get(place + 1).map_or(self.flat.len(), |&next| next as usize);
        &self.flat[self.starts[place] as usize..end]
    }

    /// (graph, its rows), graphs increasing.
    pub(crate) fn by_graph(&self) -> impl Iterator<Item = (u32, &[R])> {
        self.graphs.iter().enumerate().map(|(place, &graph)| (graph, self.at(place)))
    }

    /// Memory in use by the content.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.flat.as_slice()) + 8 * self.graphs.len() + size_of_val(self.known.as_slice())
    }

    /// The same content as other rows.
    fn copy_from(&mut self, other: &Self) {
        self.flat.clone_from(&other.flat);
        self.graphs.clone_from(&other.graphs);
        self.starts.clone_from(&other.starts);
        self.known.clone_from(&other.known);
    }

    pub(crate) fn shrink(&mut self) {
        self.flat.shrink_to_fit();
        self.graphs.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.known.shrink_to_fit();
    }
}

/// Up to so many rows, a list is put aside for the next short one: patterns are many, most of them are rare, and getting
/// memory for each would cost as much as looking at it.
const SHORT: usize = 32;

/// Short lists that nobody uses.
pub(crate) struct Spare<R>(Vec<Rows<R>>);

impl<R> Default for Spare<R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<R: Row> Spare<R> {
    /// A copy of these rows.
    pub(crate) fn copy(&mut self, rows: &Rows<R>) -> Rows<R> {
        if rows.len() > SHORT {
            return rows.clone();
        }
        let mut copy = self.0.pop().unwrap_or_else(|| Rows::with_capacity(SHORT, SHORT));
        copy.copy_from(rows);
        copy
    }

    /// Takes rows that are not needed any more.
    pub(crate) fn take_back(&mut self, rows: Rows<R>) {
        if rows.flat.capacity() == SHORT {
            self.0.push(rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_are_used_again_and_long_ones_are_not() {
        let list = |graphs: u32, rows: u32| {
            let mut list: Rows<[u8; 16]> = Rows::default();
            for graph in 0..graphs {
                (0..rows).for_each(|vertex| list.push(graph, <[u8; 16]>::EMPTY.with(0, vertex)));
            }
            list
        };
        let (long, short, shorter) = (list(11, 3), list(4, 8), list(2, 1));
        let mut spare = Spare::default();
        for (rows, in_use_again) in [(&short, 1), (&long, 1), (&shorter, 1), (&short, 1)] {
            let copy = spare.copy(rows);
            assert!(copy.by_graph().eq(rows.by_graph()));
            spare.take_back(copy);
            assert_eq!(spare.0.len(), in_use_again);
        }
        assert_eq!((long.len() > SHORT, short.len()), (true, SHORT));
    }
}
