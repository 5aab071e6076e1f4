//! A pass without a walk: the score of every class that the tree knows, one after the other as they lie in memory.
//!
//! Where a tree is small, or delta has moved far since the last pass, a walk visits most of it, and what a visit costs is not the sum over the support but the way to it:
//! records, nodes and lists that are scattered over memory. A scan keeps the supports of all classes side by side. A *cell* is a pair of a graph and a count; before a scan
//! the product of delta and value is computed once per cell, split into its positive and its negative part. A class is then the sum of the cells in its column, in the order of the graphs: the additions
//! of [`crate::bound`], so the same bits.
//!
//! Promise: the answer is that of the walk, bit for bit. All known patterns are scored; of the patterns that nobody has grown yet, each has an ancestor on the
//! *frontier* (nodes that are not expanded), and a frontier node is expanded if its bound reaches `zeta`, best first, as in a walk. A class whose patterns are in too few graphs of the search has no column, and
//! nothing is grown from it here, since what contains them is in no more graphs.
//!
//! Only for whole trees from which nothing is evicted, sums of one block, and classes as competitors. Tested against the walk and the exhaustive search in `tests/scan.rs`.

use super::pass::Competitor;
use super::search::{TreeError, TreeSearch};
use super::some_graphs::SomeGraphs;
use super::support_cache::SupportId;
use crate::SearchError;
use crate::bound::{Delta, ScoreAndBound, Sums, score_and_bound};
use crate::feature::{LARGEST_COUNT, Values};
use crate::partition::Partition;
use crate::pool::{CandidatePool, Excluded};
use crate::query::{Query, SearchResult, SearchStats, Unit};
use crate::top_k::OrderedScore;
use einsicht_graph::mine::{NodeId, Tree};
use einsicht_graph::{Counted, stop};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;

/// When a pass scans all classes instead of walking over the tree. The answer is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scan {
    /// Where that is expected to take less time than the last walk.
    #[default]
    WhereCheaper,
    /// Wherever it is possible, from the first pass on.
    Always,
    /// Never.
    Never,
}

/// Numbers of hidden units that a scan knows how to add up in registers.
const MOST_UNITS: usize = 8;

/// Columns that one thread scans before it looks at the flag that stops it.
const CHUNK: usize = 1024;

/// The end of a list of members.
const END: u32 = u32::MAX;

/// Lists of cells, one after the other.
#[derive(Debug, Default)]
struct Columns {
    cells: Vec<u32>,
    ends: Vec<usize>,
}

impl Columns {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, cells: impl Iterator<Item = u32>) -> u32 {
        self.cells.extend(cells);
        self.ends.push(self.cells.len());
        self.ends.len() as u32 - 1
    }

    fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }
}

/// The numbers of the cells: those of a graph are consecutive, from a count of 1 up.
#[derive(Debug)]
struct Cells {
    /// The first cell of each graph, then the end of the last. A graph that the search is not about has none.
    starts: Vec<u32>,
}

impl Cells {
    /// The cells of all patterns of a tree: minimum-image counts never grow with a pattern, so the roots have the largest ones.
    fn new(tree: &Tree, values: Values, among: Option<&SomeGraphs>) -> Self {
        let mut largest = vec![0_u32; tree.num_graphs()];
        let mut buffer = Vec::new();
        for root in tree.roots() {
            let support = tree.support(root);
            let counts = if values.needs_counts() { support.images() } else { Counted::NONE };
            for (at, &graph) in support.graphs(&mut buffer).iter().enumerate() {
                let count = counts.get(at).map_or(1, |count| count.min(LARGEST_COUNT));
                largest[graph as usize] = largest[graph as usize].max(count);
            }
        }
        let mut starts = Vec::with_capacity(largest.len() + 1);
        let mut next = 0;
        for (graph, largest) in largest.into_iter().enumerate() {
            starts.push(next);
            next += if among.is_none_or(|among| among.has(graph)) { largest } else { 0 };
        }
        starts.push(next);
        Self { starts }
    }

    /// The cells of these graphs that the search is about.
    fn of<'s>(&'s self, graphs: &'s [u32], counts: Counted<'s>) -> impl Iterator<Item = u32> + 's {
        graphs.iter().enumerate().filter_map(move |(at, &graph)| {
            let [start, end] = [self.starts[graph as usize], self.starts[graph as usize + 1]];
            let cell = start + counts.get(at).map_or(1, |count| count.min(LARGEST_COUNT)) - 1;
            debug_assert!(start == end || cell < end, "no pattern has a larger count than the roots");
            (start < end).then_some(cell)
        })
    }

    /// Products of delta and value for each cell: the positive ones, and the negative ones.
    fn products<const K: usize>(&self, delta: Delta<'_>, values: Values) -> Vec<Sides<K>> {
        let (rows, _) = delta.values().as_chunks::<K>();
        let mut products = Vec::with_capacity(self.starts.last().copied().unwrap_or(0) as usize);
        for (row, ends) in rows.iter().zip(self.starts.windows(2)) {
            for count in 1..=ends[1] - ends[0] {
                let value = values.of_count(count);
                let product = row.map(|d| d * value);
                let positive = product.map(|d| if d > 0.0 { d } else { 0.0 });
                products.push([positive, product.map(|d| if d < 0.0 { d } else { 0.0 })]);
            }
        }
        products
    }
}

/// Positive and negative sums.
type Sides<const K: usize> = [[f64; K]; 2];

/// The sums with a cell more.
#[inline(always)]
fn add<const K: usize>(sums: Sides<K>, cell: u32, products: &[Sides<K>]) -> Sides<K> {
    let [positive, negative] = products[cell as usize];
    [std::array::from_fn(|k| sums[0][k] + positive[k]), std::array::from_fn(|k| sums[1][k] + negative[k])]
}

/// Score and bound of a column, whose first cells were added up before.
#[inline]
fn finish<const K: usize>(mut sums: Sides<K>, cells: &[u32], products: &[Sides<K>]) -> ScoreAndBound {
    for &cell in cells {
        sums = add(sums, cell, products);
    }
    score_and_bound(&sums[0], &sums[1])
}

/// Score and bound of a column.
fn sum<const K: usize>(cells: &[u32], products: &[Sides<K>]) -> ScoreAndBound {
    finish([[0.0; K]; 2], cells, products)
}

/// Adds up equally many cells of four columns: a sum waits for the addition before, those of other columns do not. A function of its own, so that
/// all sums stay in registers.
#[inline(never)]
fn sum_four<const K: usize>([a, b, c, d]: [&[u32]; 4], products: &[Sides<K>]) -> [Sides<K>; 4] {
    let (mut of_a, mut of_b, mut of_c, mut of_d) = ([[0.0; K]; 2], [[0.0; K]; 2], [[0.0; K]; 2], [[0.0; K]; 2]);
    // HOT: nearly every cell of every column in every scan.
    for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
        of_a = add(of_a, a, products);
        of_b = add(of_b, b, products);
        of_c = add(of_c, c, products);
        of_d = add(of_d, d, products);
    }
    [of_a, of_b, of_c, of_d]
}

/// Score and bound of four columns of about the same length.
fn sum_together<const K: usize>(columns: [&[u32]; 4], products: &[Sides<K>]) -> [ScoreAndBound; 4] {
    let shortest = columns.iter().map(|cells| cells.len()).min().unwrap_or(0);
    let sums = sum_four(columns.map(|cells| &cells[..shortest]), products);
    std::array::from_fn(|at| finish(sums[at], &columns[at][shortest..], products))
}

/// A node that is not expanded.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: NodeId,
    /// Its class.
    class: u32,
    /// The column that bounds all patterns grown from it, where its minimum-image counts are larger than its counts; else [`END`].
    images: u32,
}

/// All that the tree knew at the last look, ready to be scanned.
#[derive(Debug)]
pub(super) struct ScanIndex {
    values: Values,
    cells: Cells,
    /// The counts of each class.
    classes: Columns,
    /// The number of each class, and its first member.
    of_class: Vec<(SupportId, u32)>,
    /// The classes of the last look by the length of their columns, so that neighbours are about equally long.
    order: Vec<u32>,
    by_class: FxHashMap<SupportId, u32>,
    /// Patterns, each with the next one of its class.
    members: Vec<(NodeId, u32)>,
    /// Minimum-image counts of supports that are larger than their counts.
    images: Columns,
    by_support: FxHashMap<SupportId, u32>,
    frontier: Vec<Open>,
    /// Classes of the last scan's candidates: their scores now are a good first `zeta`.
    candidates: Vec<u32>,
}

impl ScanIndex {
    fn new(search: &TreeSearch, values: Values) -> Self {
        let cells = Cells::new(&search.tree, values, search.among.as_ref());
        let mut index = Self {
            values,
            cells,
            classes: Columns::default(),
            of_class: Vec::new(),
            order: Vec::new(),
            by_class: FxHashMap::default(),
            members: Vec::new(),
            images: Columns::default(),
            by_support: FxHashMap::default(),
            frontier: Vec::new(),
            candidates: Vec::new(),
        };
        index.add_subtrees(search, search.tree.roots().collect());
        index
    }

    /// Takes what was grown since the last look, perhaps by other searches over the same tree.
    fn refresh(&mut self, search: &TreeSearch) {
        let tree = &search.tree;
        let (grown, open) = self.frontier.iter().partition(|open: &&Open| tree.is_expanded(open.node));
        self.frontier = open;
        let grown: Vec<Open> = grown;
        self.add_subtrees(search, grown.into_iter().flat_map(|open| tree.expand(open.node)).collect());
        if self.order.len() < self.classes.len() {
            self.order = (0..self.classes.len() as u32).collect();
            self.order.sort_unstable_by_key(|&class| (self.classes.get(class as usize).len(), class));
        }
    }

    /// Takes these nodes and all below them.
    fn add_subtrees(&mut self, search: &TreeSearch, mut nodes: Vec<NodeId>) {
        let tree = &search.tree;
        let mut buffer = Vec::new();
        while let Some(node) = nodes.pop() {
            let support = tree.support(node);
            let class = match &search.among {
                None => Some(SupportId::class_of(support)),
                Some(graphs) => graphs.class_of(support),
            };
            let Some(class) = class else { continue };
            let graphs = support.graphs(&mut buffer);
            stop::work(1 + graphs.len() / 8);
            let counts = |counts| if self.values.needs_counts() { counts } else { Counted::NONE };
            let column = *self.by_class.entry(class).or_insert_with(|| {
                self.of_class.push((class, END));
                self.classes.push(self.cells.of(graphs, counts(support.counts())))
            });
            let first = &mut self.of_class[column as usize].1;
            self.members.push((node, *first));
            *first = self.members.len() as u32 - 1;
            if tree.is_leaf(node) {
                continue;
            }
            if tree.is_expanded(node) {
                nodes.extend(tree.expand(node));
                continue;
            }
            let mut images = END;
            if self.values.needs_counts() && support.has_larger_images() {
                let entry = self.by_support.entry(SupportId::of(support));
                images = *entry.or_insert_with(|| self.images.push(self.cells.of(graphs, counts(support.images()))));
            }
            self.frontier.push(Open { node, class: column, images });
        }
    }

    /// The simplest member of a class.
    fn simplest(&self, search: &TreeSearch, class: u32) -> NodeId {
        let (mut simplest, mut next) = self.members[self.of_class[class as usize].1 as usize];
        while next != END {
            let (node, after) = self.members[next as usize];
            if search.compare(node, simplest).is_lt() {
                simplest = node;
            }
            next = after;
        }
        simplest
    }

    /// Cells that a scan adds up.
    fn num_cells(&self) -> usize {
        self.classes.cells.len()
    }

    /// Memory, in bytes, approximately.
    pub(super) fn bytes(&self) -> usize {
        let of = |columns: &Columns| 4 * columns.cells.len() + 8 * columns.ends.len();
        of(&self.classes) + of(&self.images) + 32 * self.of_class.len() + 8 * self.members.len()
    }
}

/// One scan.
struct ScanPass<'a, const K: usize> {
    search: &'a TreeSearch,
    excluded: Excluded<Competitor, SupportId>,
    pool: CandidatePool<u32, u32>,
    products: Vec<Sides<K>>,
    /// The bound of each class that was scored.
    bounds: Vec<f64>,
    pruned: u64,
}

impl<const K: usize> ScanPass<'_, K> {
    fn offer(&self, index: &ScanIndex, scores: &[(u32, f64)]) {
        let mut pool = self.pool.lock();
        for &(class, score) in scores {
            let number = index.of_class[class as usize].0;
            if !self.excluded.contains(&Competitor::Class(number), &number) {
                pool.offer(class, score, |_| false, || class);
            }
        }
    }

    /// Scores all classes of the last look.
    fn score_all(&mut self, index: &ScanIndex) -> Result<(), SearchError> {
        let score_chunk = |classes: &[u32]| {
            if self.search.is_stopped() {
                return Err(SearchError::Stopped);
            }
            let (mut bounds, mut reached) = (Vec::with_capacity(classes.len()), Vec::new());
            let mut take = |class: u32, summed: ScoreAndBound| {
                bounds.push(summed.bound);
                if !self.pool.excludes(summed.score) {
                    reached.push((class, summed.score));
                }
            };
            let (groups, rest) = classes.as_chunks::<4>();
            for group in groups {
                let columns = group.map(|class| index.classes.get(class as usize));
                stop::work(1 + columns[3].len());
                for (&class, summed) in group.iter().zip(sum_together(columns, &self.products)) {
                    take(class, summed);
                }
            }
            for &class in rest {
                take(class, sum(index.classes.get(class as usize), &self.products));
            }
            self.offer(index, &reached);
            Ok(bounds)
        };
        let bounds: Vec<Vec<f64>> = if self.search.options.threads > 1 && index.order.len() > CHUNK {
            index.order.par_chunks(CHUNK).map(score_chunk).collect::<Result<_, _>>()?
        } else {
            index.order.chunks(CHUNK).map(score_chunk).collect::<Result<_, _>>()?
        };
        self.bounds.resize(index.classes.len(), 0.0);
        for (&class, bound) in index.order.iter().zip(bounds.into_iter().flatten()) {
            self.bounds[class as usize] = bound;
        }
        Ok(())
    }

    /// Scores the classes that are new since then.
    fn score_new(&mut self, index: &ScanIndex) {
        let first = self.bounds.len();
        let summed = (first..index.classes.len()).map(|class| sum(index.classes.get(class), &self.products));
        let summed: Vec<ScoreAndBound> = summed.collect();
        self.bounds.extend(summed.iter().map(|summed| summed.bound));
        let reached = summed.iter().enumerate().filter(|(_, summed)| !self.pool.excludes(summed.score));
        self.offer(index, &reached.map(|(at, summed)| ((first + at) as u32, summed.score)).collect::<Vec<_>>());
    }

    fn bound(&self, index: &ScanIndex, open: Open) -> f64 {
        match open.images {
            END => self.bounds[open.class as usize],
            images => sum(index.images.get(images as usize), &self.products).bound,
        }
    }

    /// Expands nodes of the frontier, best first, until no bound reaches `zeta`.
    fn grow(&mut self, index: &mut ScanIndex) -> Result<(), TreeError> {
        let mut waiting = BinaryHeap::new();
        let mut grown = FxHashSet::default();
        let mut seen = 0;
        loop {
            for &open in &index.frontier[seen..] {
                let bound = self.bound(index, open);
                if self.pool.excludes(bound) {
                    self.pruned += 1;
                } else {
                    waiting.push((OrderedScore(bound), open.node));
                }
            }
            seen = index.frontier.len();
            let Some((bound, node)) = waiting.pop() else { break };
            if self.pool.excludes(bound.0) {
                self.pruned += 1 + waiting.len() as u64;
                break;
            }
            if self.search.is_stopped() {
                return Err(SearchError::Stopped.into());
            }
            if self.search.is_full() {
                return Err(TreeError::Full { zeta: self.pool.zeta() });
            }
            let children = self.search.tree.expand(node).collect();
            grown.insert(node);
            index.add_subtrees(self.search, children);
            self.score_new(index);
        }
        index.frontier.retain(|open| !grown.contains(&open.node));
        Ok(())
    }
}

impl TreeSearch {
    /// Whether a pass for this query can be a scan, and is expected to take less time than a walk.
    pub(super) fn scans(&self, query: &Query<'_>) -> bool {
        let is_possible = query.unit == Unit::SupportClass
            && query.delta.hidden_units() <= MOST_UNITS
            && query.delta.is_one_block()
            && self.partition == Partition::WHOLE
            && self.options.prune
            && self.may_copy_supports();
        match self.options.scan {
            Scan::Never => false,
            Scan::Always => is_possible,
            Scan::WhereCheaper => is_possible && self.options.drift && self.history.has_finished(),
        }
    }

    /// Answers a query by a scan. A scan that is stopped gives up what it knows, and the next one looks again.
    pub(super) fn scan(&mut self, query: &Query<'_>) -> Result<SearchResult, TreeError> {
        let index = self.scan_index.take().filter(|index| index.values == query.values);
        let (answer, index, nodes) = stop::catch(|| {
            let mut index = index.unwrap_or_else(|| ScanIndex::new(self, query.values));
            index.refresh(self);
            let (answer, nodes) = match query.delta.hidden_units() {
                1 => self.scan_units::<1>(query, &mut index),
                2 => self.scan_units::<2>(query, &mut index),
                3 => self.scan_units::<3>(query, &mut index),
                4 => self.scan_units::<4>(query, &mut index),
                5 => self.scan_units::<5>(query, &mut index),
                6 => self.scan_units::<6>(query, &mut index),
                7 => self.scan_units::<7>(query, &mut index),
                _ => self.scan_units::<MOST_UNITS>(query, &mut index),
            }?;
            Ok::<_, TreeError>((answer, index, nodes))
        })
        .unwrap_or(Err(SearchError::Stopped.into()))?;
        self.scan_index = Some(index);
        self.history.set_candidates(nodes);
        Ok(answer)
    }

    fn scan_units<const K: usize>(
        &self,
        query: &Query<'_>,
        index: &mut ScanIndex,
    ) -> Result<(SearchResult, Vec<NodeId>), TreeError> {
        let before = self.tree.stats().mined;
        let mut sums = Sums::default();
        let active = query.score_active(&mut sums);
        let mut pass = ScanPass::<K> {
            search: self,
            excluded: self.excluded(query)?,
            pool: CandidatePool::new(query.rule, query.floor, &active),
            products: index.cells.products(query.delta, query.values),
            bounds: Vec::new(),
            pruned: 0,
        };
        let score = |&class: &u32| (class, sum(index.classes.get(class as usize), &pass.products).score);
        let earlier: Vec<(u32, f64)> = index.candidates.iter().map(score).collect();
        pass.offer(index, &earlier);
        pass.score_all(index)?;
        pass.grow(index)?;
        let pruned = pass.pruned;
        let (zeta, found) = pass.pool.finish();
        let nodes: Vec<NodeId> = found.iter().map(|&class| index.simplest(self, class)).collect();
        index.candidates = found;
        let candidate = |&node: &NodeId| {
            let support = self.tree.support(node).unpacked();
            query.candidate(self.tree.code(node), support, &mut sums)
        };
        let candidates = nodes.iter().map(candidate).collect();
        let tree = self.tree.stats();
        let visited = index.members.len() as u64;
        let stats = SearchStats {
            visited,
            pruned,
            summed: index.classes.len() as u64,
            scanned: index.num_cells() as u64,
            expanded: tree.mined.expanded - before.expanded,
            recomputed: tree.mined.recomputed - before.recomputed,
            distinct_supports: tree.supports,
            memory: tree.bytes + (self.history.bytes() + index.bytes()) as u64,
            visited_by_worker: vec![visited],
            ..SearchStats::default()
        };
        Ok((SearchResult::new(candidates, active, zeta, stats), nodes))
    }
}
