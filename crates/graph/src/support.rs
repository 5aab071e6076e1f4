//! Supports: the graphs that contain a pattern (`psi_H`, stored sparsely), each distinct list stored once.
//!
//! Promise: graph ids are strictly increasing; equal lists from one [`SupportTable`] are the same allocation with the
//! same [`Support::id`], whichever thread came first. With counts the list is of (graph, count) pairs, and two lists
//! are equal only if their counts are too. Counts of copies are not anti-monotone, so the minimum-image counts that
//! bound them ([`Support::images`]) are stored beside them: patterns with equal counts are of one class
//! ([`Support::class_id`]) even where their minimum-image counts differ. Ids are indices for caches; which list gets
//! which id may differ between runs, so no result may depend on them.
//!
//! Over many graphs supports are most of the memory of a search, so a table may pack them: then they are read through
//! [`TreeSupport`], which unpacks the graphs into a buffer of the reader. A [`Support`] that somebody holds is never
//! packed.

use crate::count_list::{CountList, Counted};
use crate::graph_list::GraphList;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The graphs that contain a pattern, with its count in each if counts are mined.
#[derive(Debug, PartialEq, Eq)]
pub struct Support {
    id: u32,
    /// The largest minimum-image count; 1 if counts are not mined.
    largest: u32,
    lists: Lists,
}

#[derive(Debug, PartialEq, Eq)]
enum Lists {
    /// The minimum-image counts are the counts.
    Class {
        graphs: GraphList,
        /// Parallel to `graphs` if counts are mined, else empty.
        counts: CountList,
    },
    /// Graphs and counts are those of the class; the minimum-image counts are larger somewhere.
    WithImages { class: Arc<Support>, images: CountList },
}

impl Support {
    /// A support outside any table, with id 0, whose minimum-image counts are its counts: for tests, oracles and loaded
    /// models.
    ///
    /// # Panics
    /// If the graphs are not strictly increasing, or counts are given for only some of them.
    pub fn detached(graphs: Vec<u32>, counts: Vec<u32>) -> Arc<Self> {
        assert!(graphs.is_sorted_by(|a, b| a < b), "supports are strictly increasing");
        assert!(counts.is_empty() || counts.len() == graphs.len(), "one count per graph, or none at all");
        let graphs = GraphList::Words(graphs.into());
        Arc::new(Self::new(0, Lists::Class { graphs, counts: CountList::new(counts) }))
    }

    fn new(id: u32, lists: Lists) -> Self {
        let mut support = Self { id, largest: 1, lists };
        support.largest = support.images().iter().max().unwrap_or(1);
        support
    }

    /// The largest minimum-image count of any graph; 1 if counts are not mined.
    pub fn largest_images(&self) -> u32 {
        self.largest
    }

    /// Index of this list in its table: small numbers from 0, reused once the list is gone.
    #[inline]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Index of the support with the same graphs and counts whose minimum-image counts are its counts: the same for all
    /// patterns with these counts.
    pub fn class_id(&self) -> u32 {
        match &self.lists {
            Lists::Class { .. } => self.id,
            Lists::WithImages { class, .. } => class.id,
        }
    }

    /// The graphs, strictly increasing.
    ///
    /// # Panics
    /// Never: packed supports are inside a [`TreeSupport`].
    #[inline]
    pub fn graphs(&self) -> &[u32] {
        match self.graph_list() {
            GraphList::Words(graphs) => graphs,
            GraphList::Packed { .. } => unreachable!("packed supports are inside a TreeSupport"),
        }
    }

    #[inline]
    fn graph_list(&self) -> &GraphList {
        match &self.lists {
            Lists::Class { graphs, .. } => graphs,
            Lists::WithImages { class, .. } => class.graph_list(),
        }
    }

    /// Counts, one per graph, or empty if they are not mined.
    #[inline]
    pub fn counts(&self) -> Counted<'_> {
        match &self.lists {
            Lists::Class { counts, .. } => counts.view(),
            Lists::WithImages { class, .. } => class.counts(),
        }
    }

    /// Minimum-image counts, one per graph, or empty if counts are not mined: no count of a larger pattern exceeds
    /// them.
    #[inline]
    pub fn images(&self) -> Counted<'_> {
        match &self.lists {
            Lists::Class { counts, .. } => counts.view(),
            Lists::WithImages { images, .. } => images.view(),
        }
    }

    /// Whether the minimum-image counts differ from the counts.
    pub fn has_larger_images(&self) -> bool {
        matches!(self.lists, Lists::WithImages { .. })
    }

    /// Number of graphs.
    #[inline]
    pub fn len(&self) -> usize {
        self.graph_list().len()
    }

    /// Memory held, with its entry in a table that may just be growing.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = match &self.lists {
            Lists::Class { graphs, counts } => graphs.bytes() + counts.bytes(),
            Lists::WithImages { images, .. } => images.bytes(),
        };
        ENTRY_BYTES + numbers
    }

    /// Whether no graph contains the pattern.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The support of a pattern in a tree, packed or not.
#[derive(Clone, Debug)]
pub struct TreeSupport(Arc<Support>);

impl TreeSupport {
    /// Index of this list in the tree, see [`Support::id`].
    #[inline]
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Index that all supports with the same graphs and counts share, see [`Support::class_id`].
    pub fn class_id(&self) -> u32 {
        self.0.class_id()
    }

    /// Number of graphs.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no graph contains the pattern.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The graphs, strictly increasing; in the buffer if they are packed.
    #[inline]
    pub fn graphs<'a>(&'a self, buffer: &'a mut Vec<u32>) -> &'a [u32] {
        self.0.graph_list().read(buffer)
    }

    /// Counts, one per graph, or empty if they are not mined.
    #[inline]
    pub fn counts(&self) -> Counted<'_> {
        self.0.counts()
    }

    /// Minimum-image counts, see [`Support::images`].
    #[inline]
    pub fn images(&self) -> Counted<'_> {
        self.0.images()
    }

    /// Whether the minimum-image counts differ from the counts.
    pub fn has_larger_images(&self) -> bool {
        self.0.has_larger_images()
    }

    /// The largest minimum-image count of any graph; 1 if counts are not mined.
    pub fn largest_images(&self) -> u32 {
        self.0.largest_images()
    }

    /// Memory held, see [`Support::bytes`].
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Whether the graphs are packed.
    pub fn is_packed(&self) -> bool {
        matches!(self.0.graph_list(), GraphList::Packed { .. })
    }

    /// The support for whoever keeps it: graphs and counts, a copy of them if they are packed.
    pub fn unpacked(&self) -> Arc<Support> {
        if !self.is_packed() {
            return Arc::clone(&self.0);
        }
        let mut graphs = Vec::new();
        self.graphs(&mut graphs);
        Support::detached(graphs, self.counts().to_vec())
    }
}

/// Bytes of a support besides its lists: itself, and its entry in a map.
const ENTRY_BYTES: usize = 176;

/// Number of locks, so that threads seldom wait for each other; a power of two.
const SHARDS: usize = 16;

/// Stores each distinct support once.
#[derive(Debug, Default)]
pub struct SupportTable {
    shards: [Mutex<FxHashMap<u64, Vec<Arc<Support>>>>; SHARDS],
    len: AtomicU32,
    bytes: AtomicUsize,
    /// Whether graphs are packed.
    packs: bool,
}

impl SupportTable {
    /// A table that packs the graphs of its supports.
    pub(crate) fn packing(packs: bool) -> Self {
        Self { packs, ..Self::default() }
    }

    /// The one support with this content, whose minimum-image counts are its counts.
    pub fn intern(&self, graphs: &[u32], counts: &[u32]) -> Arc<Support> {
        debug_assert!(!self.packs, "packed supports are inside a TreeSupport");
        self.class(graphs, counts)
    }

    fn class(&self, graphs: &[u32], counts: &[u32]) -> Arc<Support> {
        debug_assert!(graphs.is_sorted_by(|a, b| a < b));
        let hash = FxBuildHasher.hash_one((graphs, counts));
        let is_same = |lists: &Lists| {
            matches!(lists, Lists::Class { graphs: g, counts: c }
                if g.is(graphs) && c.view() == Counted::Words(counts))
        };
        self.find_or_add(hash, is_same, || Lists::Class {
            graphs: GraphList::new(graphs, self.packs),
            counts: CountList::new(counts),
        })
    }

    /// The one support with these graphs, counts and minimum-image counts.
    pub(crate) fn intern_with_images(&self, graphs: &[u32], counts: &[u32], images: &[u32]) -> TreeSupport {
        debug_assert!(counts.iter().zip(images).all(|(count, images)| count <= images));
        let class = self.class(graphs, counts);
        if counts == images {
            return TreeSupport(class);
        }
        let hash = FxBuildHasher.hash_one((class.id, images));
        let is_same = |lists: &Lists| {
            matches!(lists, Lists::WithImages { class: c, images: i }
                if c.id == class.id && i.view() == Counted::Words(images))
        };
        let lists = || Lists::WithImages { class: Arc::clone(&class), images: CountList::new(images) };
        TreeSupport(self.find_or_add(hash, is_same, lists))
    }

    fn find_or_add(&self, hash: u64, is_same: impl Fn(&Lists) -> bool, lists: impl FnOnce() -> Lists) -> Arc<Support> {
        let shard = &self.shards[(hash >> 60) as usize % SHARDS];
        let mut known = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let same_hash = known.entry(hash).or_insert_with(|| Vec::with_capacity(1));
        if let Some(found) = same_hash.iter().find(|s| is_same(&s.lists)) {
            return Arc::clone(found);
        }
        let id = self.len.fetch_add(1, Ordering::Relaxed);
        let support = Arc::new(Support::new(id, lists()));
        self.bytes.fetch_add(support.bytes(), Ordering::Relaxed);
        same_hash.push(Arc::clone(&support));
        support
    }

    /// Number of ids assigned so far.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed) as usize
    }

    /// Whether no id was assigned yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_stored_once_and_counts_distinguish_lists() {
        let table = SupportTable::default();
        let a = table.intern(&[1, 5], &[]);
        let b = table.intern(&[1, 5], &[]);
        let c = table.intern(&[1, 5], &[1, 2]);
        assert!(Arc::ptr_eq(&a, &b));
        assert_ne!(a.id(), c.id());
        assert_eq!([a.largest_images(), c.largest_images()], [1, 2]);
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn equal_counts_with_other_images_are_another_support_of_the_same_class() {
        for packs in [false, true] {
            let table = SupportTable::packing(packs);
            let class = table.intern_with_images(&[1, 5], &[1, 2], &[1, 2]);
            let larger = table.intern_with_images(&[1, 5], &[1, 2], &[2, 4]);
            assert!(Arc::ptr_eq(&class.0, &table.intern_with_images(&[1, 5], &[1, 2], &[1, 2]).0));
            assert!(Arc::ptr_eq(&larger.0, &table.intern_with_images(&[1, 5], &[1, 2], &[2, 4]).0));
            assert_ne!(class.id(), table.intern_with_images(&[1, 6], &[1, 2], &[1, 2]).id());
            assert_eq!((larger.class_id(), larger.counts(), larger.len()), (class.id(), class.counts(), 2));
            assert_eq!([&larger, &class].map(|support| support.graphs(&mut Vec::new()).to_vec()), [[1, 5], [1, 5]]);
            assert_eq!((larger.images(), class.images()), (Counted::Words(&[2, 4]), Counted::Words(&[1, 2])));
            assert_eq!([&larger, &class].map(TreeSupport::largest_images), [4, 2]);
            assert_eq!([&larger, &class].map(TreeSupport::is_packed), [packs; 2]);
            let unpacked = class.unpacked();
            assert_eq!((unpacked.graphs(), unpacked.counts().to_vec()), (&[1, 5][..], vec![1, 2]));
        }
    }
}
