//! Embedding lists: all embeddings of one pattern, graph by graph, in flat arrays without pointers.
//!
//! An embedding is a fixed-width array: entry `i` is the graph vertex to which pattern vertex `i` is mapped. The
//! embeddings of one graph are consecutive, and graphs increase, so the graphs of a list are the support of the
//! pattern. Five widths of the same code serve all sizes: the narrowest hold an embedding of up to 8 vertices in 8
//! bytes and one of up to 16 in 16, so that testing whether a vertex is already used is one comparison of a whole
//! vector register (plain code, checked to compile so). Knows nothing of labels. Tested through the miner against the
//! oracle.

/// One embedding, in some width. The largest number stands for "no vertex", so `u8` serves graphs of up to 255
/// vertices.
pub(crate) trait Embedding: Copy + Default + Send + Sync + 'static {
    /// An embedding without vertices. (`Default` is another array: lists derive theirs.)
    const EMPTY: Self;
    fn get(&self, pattern_vertex: usize) -> u32;
    /// The same embedding with one more vertex.
    fn with(self, pattern_vertex: usize, graph_vertex: u32) -> Self;
    /// Whether a graph vertex is used.
    fn contains(&self, graph_vertex: u32) -> bool;
    /// The images of the first `vertices` pattern vertices, as bits of a word.
    fn word(&self, vertices: usize) -> u64;
}

macro_rules! embedding {
    ($number:ty, $width:literal) => {
        impl Embedding for [$number; $width] {
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
                // No early exit: the whole embedding is compared at once.
                self.iter().fold(false, |found, &vertex| found | (vertex == wanted))
            }
            #[inline(always)]
            fn word(&self, vertices: usize) -> u64 {
                self[..vertices].iter().fold(0, |word, &vertex| word | 1 << (vertex & 63))
            }
        }
    };
}

embedding!(u8, 8);
embedding!(u8, 16);
embedding!(u8, 32);
embedding!(u16, 16);
embedding!(u32, 32);

/// Status of the embeddings of a pattern in one graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphStatus {
    /// The list holds only a sample of the embeddings.
    pub(crate) sampled: bool,
    /// Extensions that are proved absent; `extend/rightmost.rs` numbers them.
    pub(crate) absent: AbsentExtensions,
}

/// Extensions that do not occur in a graph, as bits. An extension without a bit may or may not occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AbsentExtensions {
    pub(crate) forward: u64,
    pub(crate) backward: u64,
}

/// The embeddings of one pattern, graph after graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmbeddingList<E> {
    flat: Vec<E>,
    /// The graphs, increasing: the support of the pattern.
    graphs: Vec<u32>,
    /// First embedding of each graph.
    starts: Vec<u32>,
    /// Parallel to `graphs`; shorter if the last ones have the default status.
    status: Vec<GraphStatus>,
}

impl<E: Embedding> EmbeddingList<E> {
    /// An empty list with capacity for so many graphs and embeddings.
    pub(crate) fn with_capacity(graphs: usize, embeddings: usize) -> Self {
        Self {
            flat: Vec::with_capacity(embeddings),
            graphs: Vec::with_capacity(graphs),
            starts: Vec::with_capacity(graphs),
            status: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, graph: u32, embedding: E) {
        if self.graphs.last() != Some(&graph) {
            self.begin(graph);
        }
        self.flat.push(embedding);
    }

    /// Starts the next graph.
    #[inline]
    pub(crate) fn begin(&mut self, graph: u32) {
        self.graphs.push(graph);
        self.starts.push(self.flat.len() as u32);
    }

    /// Adds all embeddings of the next graph.
    pub(crate) fn push_graph(&mut self, graph: u32, embeddings: impl Iterator<Item = E>, status: GraphStatus) {
        self.begin(graph);
        self.flat.extend(embeddings);
        if status != GraphStatus::default() {
            self.set_status(self.graphs.len() - 1, status);
        }
    }

    pub(crate) fn status(&self, position: usize) -> GraphStatus {
        self.status.get(position).copied().unwrap_or_default()
    }

    /// Number of graphs of which the list holds only a sample.
    pub(crate) fn num_sampled(&self) -> usize {
        self.status.iter().filter(|status| status.sampled).count()
    }

    pub(crate) fn set_status(&mut self, position: usize, status: GraphStatus) {
        if self.status.len() <= position {
            self.status.resize(position + 1, GraphStatus::default());
        }
        self.status[position] = status;
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
        self.status.clear();
    }

    /// Embeddings in the graph at this position.
    #[inline]
    pub(crate) fn at(&self, position: usize) -> &[E] {
        let end = self.starts.get(position + 1).map_or(self.flat.len(), |&next| next as usize);
        &self.flat[self.starts[position] as usize..end]
    }

    /// (graph, its embeddings), graphs increasing.
    pub(crate) fn by_graph(&self) -> impl Iterator<Item = (u32, &[E])> {
        self.graphs.iter().enumerate().map(|(position, &graph)| (graph, self.at(position)))
    }

    /// Shows the embeddings in some of the graphs of the list, increasing, and whether they are a sample.
    pub(crate) fn each_of(&self, graphs: &[u32], mut visit: impl FnMut(u32, &[E], bool)) {
        let mut position = 0;
        for &graph in graphs {
            while self.graphs[position] != graph {
                position += 1;
            }
            visit(graph, self.at(position), self.status(position).sampled);
        }
    }

    /// Memory in use by the content.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.flat.as_slice()) + 8 * self.graphs.len() + size_of_val(self.status.as_slice())
    }

    /// The same content as other embeddings.
    fn copy_from(&mut self, other: &Self) {
        self.flat.clone_from(&other.flat);
        self.graphs.clone_from(&other.graphs);
        self.starts.clone_from(&other.starts);
        self.status.clone_from(&other.status);
    }

    pub(crate) fn shrink(&mut self) {
        self.flat.shrink_to_fit();
        self.graphs.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.status.shrink_to_fit();
    }
}

/// Lists of up to so many embeddings are reused: patterns are many and most are rare, so allocating memory for each
/// would cost as much as expanding it.
const SHORT: usize = 32;

/// Short lists that are not in use.
#[derive(Default)]
pub(crate) struct EmbeddingPool<E>(Vec<EmbeddingList<E>>);

impl<E: Embedding> EmbeddingPool<E> {
    pub(crate) fn copy(&mut self, embeddings: &EmbeddingList<E>) -> EmbeddingList<E> {
        if embeddings.len() > SHORT {
            return embeddings.clone();
        }
        let mut copy = self.0.pop().unwrap_or_else(|| EmbeddingList::with_capacity(SHORT, SHORT));
        copy.copy_from(embeddings);
        copy
    }

    /// Takes back a list that is no longer needed.
    pub(crate) fn take_back(&mut self, embeddings: EmbeddingList<E>) {
        if embeddings.flat.capacity() == SHORT {
            self.0.push(embeddings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_are_reused_and_long_ones_are_not() {
        let list = |graphs: u32, embeddings: u32| {
            let mut list: EmbeddingList<[u8; 16]> = EmbeddingList::default();
            for graph in 0..graphs {
                (0..embeddings).for_each(|vertex| list.push(graph, <[u8; 16]>::EMPTY.with(0, vertex)));
            }
            list
        };
        let (long, short, shorter) = (list(11, 3), list(4, 8), list(2, 1));
        let mut pool = EmbeddingPool::default();
        for (embeddings, in_use_again) in [(&short, 1), (&long, 1), (&shorter, 1), (&short, 1)] {
            let copy = pool.copy(embeddings);
            assert!(copy.by_graph().eq(embeddings.by_graph()));
            pool.take_back(copy);
            assert_eq!(pool.0.len(), in_use_again);
        }
        assert_eq!((long.len() > SHORT, short.len()), (true, SHORT));
    }
}
