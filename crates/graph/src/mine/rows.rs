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
}

macro_rules! row {
    ($number:ty, $width:literal) => {
        impl Row for [$number; $width] {
            const EMPTY: Self = [<$number>::MAX; $width];
            #[inline(always)]
            fn get(&self, pattern_vertex: usize) -> u32 {
                u32::from(self[pattern_vertex])
            }
            #[inline(always)]
            fn with(mut self, pattern_vertex: usize, graph_vertex: u32) -> Self {
                self[pattern_vertex] = graph_vertex as $number;
                self
            }
            #[inline(always)]
            fn contains(&self, graph_vertex: u32) -> bool {
                let wanted = graph_vertex as $number;
                // No early exit: the whole row is compared at once.
                self.iter().fold(false, |found, &vertex| found | (vertex == wanted))
            }
        }
    };
}

row!(u8, 16);
row!(u8, 32);
row!(u16, 16);
row!(u32, 32);

/// The embeddings of one pattern, graph after graph.
#[derive(Clone, Debug)]
pub(crate) struct Rows<R> {
    flat: Vec<R>,
    /// The graphs, increasing: the support of the pattern.
    graphs: Vec<u32>,
    /// First row of each graph.
    starts: Vec<u32>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { flat: Vec::new(), graphs: Vec::new(), starts: Vec::new() }
    }
}

impl<R: Row> Rows<R> {
    #[inline]
    pub(crate) fn push(&mut self, graph: u32, row: R) {
        if self.graphs.last() != Some(&graph) {
            self.graphs.push(graph);
            self.starts.push(self.flat.len() as u32);
        }
        self.flat.push(row);
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
    }

    /// (graph, its rows), graphs increasing.
    pub(crate) fn by_graph(&self) -> impl Iterator<Item = (u32, &[R])> {
        let ends = self.starts.iter().skip(1).copied().chain([self.flat.len() as u32]);
        let ranges = self.starts.iter().zip(ends);
        self.graphs.iter().zip(ranges).map(|(&graph, (&start, end))| (graph, &self.flat[start as usize..end as usize]))
    }

    /// Memory in use by the content.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.flat.as_slice()) + 8 * self.graphs.len()
    }

    pub(crate) fn shrink(&mut self) {
        self.flat.shrink_to_fit();
        self.graphs.shrink_to_fit();
        self.starts.shrink_to_fit();
    }
}
