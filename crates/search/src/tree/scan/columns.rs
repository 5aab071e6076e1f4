//! What a scan adds up: columns of cells, and the products of delta and value in each cell.
//!
//! Promise: [`sum`] and [`sum_together`] give the bits of [`crate::bound`] for the same support: the same products,
//! added in the order of the graphs, positive and negative ones apart. Only for sums of one block. Knows nothing of
//! patterns.

use super::super::some_graphs::SomeGraphs;
use crate::bound::{Delta, ScoreAndBound, score_and_bound};
use crate::feature::{LARGEST_COUNT, Values};
use einsicht_graph::Counted;
use einsicht_graph::tree::Tree;

/// Lists of cells, one after the other.
#[derive(Debug, Default)]
pub(super) struct Columns {
    cells: Vec<u32>,
    ends: Vec<usize>,
}

impl Columns {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, cells: impl Iterator<Item = u32>) -> u32 {
        for cell in cells {
            // Not twice as much: it is the largest copy that a scan makes.
            if self.cells.len() == self.cells.capacity() {
                self.cells.reserve_exact(1024.max(self.cells.len() / 16));
            }
            self.cells.push(cell);
        }
        self.ends.push(self.cells.len());
        self.ends.len() as u32 - 1
    }

    pub(super) fn num_cells(&self) -> usize {
        self.cells.len()
    }

    /// Memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.cells.len() + 8 * self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.cells[start..self.ends[at]]
    }
}

/// The numbers of the cells: those of a graph are consecutive, from a count of 1 up.
#[derive(Debug)]
pub(super) struct Cells {
    /// The first cell of each graph, then the end of the last. A graph that the search is not about has none.
    starts: Vec<u32>,
}

impl Cells {
    /// The cells of all patterns of a tree: minimum-image counts never grow with a pattern, so the roots have the
    /// largest ones.
    pub(super) fn new(tree: &Tree, values: Values, among: Option<&SomeGraphs>) -> Self {
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

    /// Memory, in bytes, with that of the products of one unit.
    pub(super) fn bytes(&self) -> usize {
        4 * self.starts.len() + 16 * self.starts.last().map_or(0, |last| *last as usize)
    }

    /// The cells of these graphs that the search is about.
    pub(super) fn of<'s>(&'s self, graphs: &'s [u32], counts: Counted<'s>) -> impl Iterator<Item = u32> + 's {
        graphs.iter().enumerate().filter_map(move |(at, &graph)| {
            let [start, end] = [self.starts[graph as usize], self.starts[graph as usize + 1]];
            let cell = start + counts.get(at).map_or(1, |count| count.min(LARGEST_COUNT)) - 1;
            debug_assert!(start == end || cell < end, "no pattern has a larger count than the roots");
            (start < end).then_some(cell)
        })
    }

    /// Products of delta and value for each cell: the positive ones, and the negative ones.
    pub(super) fn products<const K: usize>(&self, delta: Delta<'_>, values: Values) -> Vec<Sides<K>> {
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
pub(super) type Sides<const K: usize> = [[f64; K]; 2];

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

pub(super) fn sum<const K: usize>(cells: &[u32], products: &[Sides<K>]) -> ScoreAndBound {
    finish([[0.0; K]; 2], cells, products)
}

/// Adds up equally many cells of four columns: a sum waits for the addition before, those of other columns do not. A
/// function of its own, so that all sums stay in registers.
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
pub(super) fn sum_together<const K: usize>(columns: [&[u32]; 4], products: &[Sides<K>]) -> [ScoreAndBound; 4] {
    let shortest = columns.iter().map(|cells| cells.len()).min().unwrap_or(0);
    let sums = sum_four(columns.map(|cells| &cells[..shortest]), products);
    std::array::from_fn(|at| finish(sums[at], &columns[at][shortest..], products))
}
