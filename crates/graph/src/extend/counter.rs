//! Counts one pattern in all its graphs: from the images of its vertices, from complete lists of embeddings, or by
//! searches where a list is only a sample.
//!
//! Promise: the counts are those of the definition, whichever way they are found. Tested against the definition through
//! the tree and the miner.

use super::count_sink::CountedChild;
use super::expand::Expander;
use crate::canon::Symmetry;
use crate::embed::{Counted, Counts, Embedding, EmbeddingList, ImageCounter, ImageSearch, Orbits, SearchPattern};
use crate::stats::MineStats;

/// Counts patterns, with reusable working memory.
#[derive(Default)]
pub(crate) struct PatternCounter {
    symmetry: Symmetry,
    counter: ImageCounter,
    found: Vec<u64>,
    counts: Vec<u32>,
    images: Vec<u32>,
}

pub(crate) struct CountedPattern<'a> {
    pattern: SearchPattern<'a>,
    orbits: Orbits,
    /// Made when the first graph needs it.
    search: Option<ImageSearch>,
}

impl PatternCounter {
    /// Starts a pattern.
    pub(crate) fn begin<'a>(&mut self, pattern: SearchPattern<'a>, counts: Counts) -> CountedPattern<'a> {
        self.clear();
        self.symmetry.load(pattern.start, pattern.code, pattern.qualifiers);
        CountedPattern { pattern, orbits: Orbits::new(&self.symmetry, counts), search: None }
    }

    /// Removes the counts of the last pattern.
    pub(crate) fn clear(&mut self) {
        self.counts.clear();
        self.images.clear();
    }

    /// One count per graph, in the order of the calls.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// One minimum-image count per graph, in the order of the calls.
    pub(crate) fn images(&self) -> &[u32] {
        &self.images
    }

    fn push(&mut self, counted: Counted) {
        self.counts.push(counted.count);
        self.images.push(counted.images);
    }

    /// Counts the next graph from all its embeddings.
    pub(crate) fn add_list<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &CountedPattern<'_>,
        graph: u32,
        embeddings: &[E],
    ) {
        let width = expander.db.num_vertices(graph) as usize;
        let counted = self.counter.count(embeddings, &pattern.orbits, width);
        self.push(counted);
    }

    /// Counts the next graph from the number of images of each vertex.
    pub(crate) fn add_images(&mut self, pattern: &CountedPattern<'_>, images: impl Fn(usize) -> u32) {
        self.push(pattern.orbits.fold(images));
    }

    /// Counts the next graph by searches.
    pub(crate) fn add_searched<E: Embedding>(
        &mut self,
        expander: &Expander,
        pattern: &mut CountedPattern<'_>,
        graph: u32,
        stats: &mut MineStats,
    ) {
        let CountedPattern { pattern, orbits, search } = pattern;
        let prepare = || ImageSearch::new(&expander.db, pattern, *orbits).expect("the pattern occurs");
        let search = search.get_or_insert_with(prepare);
        let bits = expander.bits(graph).expect("samples are taken only where searches can complete them");
        let counted = search.count::<E>(bits, &mut self.found, stats);
        self.push(counted);
    }

    pub(crate) fn count_list<E: Embedding>(
        &mut self,
        expander: &Expander,
        mut pattern: CountedPattern<'_>,
        embeddings: &EmbeddingList<E>,
        stats: &mut MineStats,
    ) {
        for (position, (graph, listed)) in embeddings.by_graph().enumerate() {
            if embeddings.status(position).sampled {
                self.add_searched::<E>(expander, &mut pattern, graph, stats);
            } else {
                self.add_list(expander, &pattern, graph, listed);
            }
        }
    }

    /// Counts all graphs of a child that a scan has met.
    pub(crate) fn count_child<E: Embedding>(
        &mut self,
        expander: &Expander,
        mut pattern: CountedPattern<'_>,
        child: &CountedChild,
        stats: &mut MineStats,
    ) {
        for (&graph, images) in child.graphs.iter().zip(child.images()) {
            match images {
                Some(images) => self.add_images(&pattern, |v| images[v]),
                None => self.add_searched::<E>(expander, &mut pattern, graph, stats),
            }
        }
    }
}
