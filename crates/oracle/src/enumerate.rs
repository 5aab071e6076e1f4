//! Exhaustive enumeration of all patterns: list all connected sets of edges, canonicalise each, count.
//!
//! Shares nothing with the miner: no tree, no growth, no pruning. Each connected set of at most `max_edges` edges of
//! each graph is visited exactly once and named by the smallest code of the subgraph that it forms. How many sets that
//! are is estimated before ([`estimated_sets`]), and where they are too many, some are drawn ([`draw`]).

use einsicht_data::random::Random;
use einsicht_graph::{DfsCode, Edge, EdgeId, Graph, Label, VertexId, stop};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of spellings in the cache of one worker: dense graphs have billions, and evicting them costs only
/// time.
const MOST_SPELLINGS: usize = 1 << 20;

/// Ways down the tree of all sets that the estimate of their number takes.
const PROBES: usize = 1 << 10;

/// All patterns with the graphs that contain them, increasing.
pub fn all_patterns(graphs: &[Graph], max_edges: usize, min_support: usize) -> BTreeMap<DfsCode, Vec<u32>> {
    all_patterns_watched(graphs, max_edges, min_support, &|| ())
}

/// The same; `listed` is called after each graph.
pub(super) fn all_patterns_watched(
    graphs: &[Graph],
    max_edges: usize,
    min_support: usize,
    listed: &(dyn Fn() + Sync),
) -> BTreeMap<DfsCode, Vec<u32>> {
    let tables = graphs.par_iter().enumerate().fold(Table::default, |mut table, (id, graph)| {
        table.add(id as u32, graph, max_edges);
        listed();
        table
    });
    let mut found: BTreeMap<DfsCode, Vec<u32>> = BTreeMap::new();
    let forgetful = tables.map(|table| Table { spellings: FxHashMap::default(), ..table });
    for table in forgetful.collect::<Vec<_>>() {
        for (code, supports) in table.codes {
            found.entry(code).or_default().extend(&table.supports[supports as usize]);
        }
    }
    found.retain(|_, supports| {
        supports.sort_unstable();
        supports.len() >= min_support
    });
    found
}

/// About how many connected sets of edges there are: Knuth's estimate of the size of a tree, from random ways down.
pub(super) fn estimated_sets(graphs: &[Graph], max_edges: usize) -> f64 {
    let Some(edges) = AllEdges::new(graphs) else { return 0.0 };
    let mut random = Random::new(0);
    let mut total = 0.0;
    for _ in 0..PROBES {
        let at = edges.choose(&mut random);
        let mut walk = Walk::new(&graphs[at.graph]);
        let mut open = walk.start(at.edge);
        let mut sets = edges.len() as f64;
        total += sets;
        for _ in 1..max_edges {
            if open.is_empty() {
                break;
            }
            sets *= open.len() as f64;
            total += sets;
            // As the walk that visits all takes the last of the open edges, one after the other.
            open.truncate(1 + random.index(open.len()));
            let Some(next) = open.pop() else { break };
            walk.join(at.edge, next, &mut open);
        }
    }
    total / PROBES as f64
}

/// The patterns of so many connected sets of edges, drawn: a random edge grows by random neighbours up to a random
/// size.
pub(super) fn draw(graphs: &[Graph], max_edges: usize, number: usize, random: &mut Random) -> BTreeSet<DfsCode> {
    let Some(edges) = AllEdges::new(graphs).filter(|_| max_edges > 0) else { return BTreeSet::new() };
    let mut drawn = BTreeSet::new();
    for _ in 0..number {
        let at = edges.choose(random);
        let graph = &graphs[at.graph];
        let mut set = BTreeSet::from([at.edge]);
        let (mut near, mut last) = (Vec::new(), at.edge);
        let size = 1 + random.index(max_edges);
        while set.len() < size {
            near.extend(around(graph, last));
            near.retain(|edge| !set.contains(edge));
            if near.is_empty() {
                break;
            }
            stop::work(1 + near.len());
            last = near[random.index(near.len())];
            set.insert(last);
        }
        drawn.extend(smallest_code(graph, &set.into_iter().collect::<Vec<_>>()));
    }
    drawn
}

/// The edges at both ends of an edge.
fn around(graph: &Graph, edge: EdgeId) -> Vec<EdgeId> {
    let Edge { from, to, .. } = graph.edges()[edge.index()];
    graph.neighbors(from).iter().chain(graph.neighbors(to)).map(|near| near.edge).collect()
}

/// The edges of all graphs, to choose from.
struct AllEdges {
    /// For each graph the number of edges up to its last.
    ends: Vec<usize>,
}

/// An edge of one of the graphs.
#[derive(Clone, Copy)]
struct Chosen {
    graph: usize,
    edge: EdgeId,
}

impl AllEdges {
    /// Nothing if there is no edge.
    fn new(graphs: &[Graph]) -> Option<Self> {
        let mut sum = 0;
        let ends: Vec<usize> = (graphs.iter())
            .map(|graph| {
                sum += graph.num_edges();
                sum
            })
            .collect();
        (sum > 0).then_some(Self { ends })
    }

    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn choose(&self, random: &mut Random) -> Chosen {
        let at = random.index(self.len());
        let graph = self.ends.partition_point(|&end| end <= at);
        let before = if graph == 0 { 0 } else { self.ends[graph - 1] };
        Chosen { graph, edge: EdgeId((at - before) as u32) }
    }
}

/// All single vertices with the graphs that have them, increasing.
pub(super) fn single_vertices(graphs: &[Graph], min_support: usize) -> BTreeMap<DfsCode, Vec<u32>> {
    let mut found: BTreeMap<DfsCode, Vec<u32>> = BTreeMap::new();
    for (id, graph) in (0..).zip(graphs) {
        let labels: std::collections::BTreeSet<Label> = graph.vertex_labels().iter().copied().collect();
        for label in labels {
            found.entry(DfsCode::single_vertex(label)).or_default().push(id);
        }
    }
    found.retain(|_, supports| supports.len() >= min_support);
    found
}

/// Patterns found by one worker.
#[derive(Default)]
struct Table {
    /// Index into `supports` of each pattern.
    codes: FxHashMap<DfsCode, u32>,
    supports: Vec<Vec<u32>>,
    /// A cache by spelling (the subgraph in some numbering), so that most are canonicalised once.
    spellings: FxHashMap<Box<[u32]>, u32>,
}

impl Table {
    fn add(&mut self, id: u32, graph: &Graph, max_edges: usize) {
        let mut speller = Speller::default();
        Walk::new(graph).each(max_edges, &mut |edges| {
            speller.spell(graph, edges);
            let index = match self.spellings.get(speller.text.as_slice()) {
                Some(&index) => index,
                None => self.name(graph, edges, &speller.text),
            };
            let support = &mut self.supports[index as usize];
            if support.last() != Some(&id) {
                support.push(id);
            }
        });
    }

    /// Canonicalises a subgraph with a new spelling.
    fn name(&mut self, graph: &Graph, edges: &[EdgeId], spelling: &[u32]) -> u32 {
        let next = self.supports.len() as u32;
        // A connected set of at most 31 edges always has a code; what has none is counted under its spelling alone.
        let index = match smallest_code(graph, edges) {
            Some(code) => *self.codes.entry(code).or_insert(next),
            None => next,
        };
        if index == next {
            self.supports.push(Vec::new());
        }
        if self.spellings.len() == MOST_SPELLINGS {
            self.spellings.clear();
        }
        self.spellings.insert(spelling.into(), index);
        index
    }
}

/// Writes subgraphs down: the labels of the vertices, then the edges with theirs. What is written is the whole
/// subgraph, so that equal texts are the same pattern; the order of the vertices, by what is around them, only makes it
/// likely that one pattern has few texts.
#[derive(Default)]
struct Speller {
    text: Vec<u32>,
    vertices: Vec<VertexId>,
    /// Each edge by the positions of its ends, and its label.
    lines: Vec<[u32; 3]>,
    colors: Vec<u64>,
    finer: Vec<u64>,
    order: Vec<u32>,
    ranks: Vec<u32>,
}

impl Speller {
    fn spell(&mut self, graph: &Graph, edges: &[EdgeId]) {
        self.vertices.clear();
        self.lines.clear();
        for edge in edges.iter().map(|e| graph.edges()[e.index()]) {
            let ends = [edge.from, edge.to].map(|end| {
                let known = self.vertices.iter().position(|&v| v == end);
                known.unwrap_or_else(|| {
                    self.vertices.push(end);
                    self.vertices.len() - 1
                }) as u32
            });
            self.lines.push([ends[0], ends[1], edge.label.0]);
        }
        self.color(graph);
        self.order.clear();
        self.order.extend(0..self.vertices.len() as u32);
        self.order.sort_by_key(|&at| self.colors[at as usize]);
        self.ranks.resize(self.order.len(), 0);
        for (rank, &at) in (0..).zip(&self.order) {
            self.ranks[at as usize] = rank;
        }
        for [from, to, _] in &mut self.lines {
            let ends = [self.ranks[*from as usize], self.ranks[*to as usize]];
            (*from, *to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        self.lines.sort_unstable();
        self.text.clear();
        self.text.extend(self.order.iter().map(|&at| graph.vertex_label(self.vertices[at as usize]).0));
        self.text.push(u32::MAX);
        self.text.extend(self.lines.iter().flatten());
    }

    /// Three rounds of colours by labels and neighbours.
    fn color(&mut self, graph: &Graph) {
        self.colors.clear();
        self.colors.extend(self.vertices.iter().map(|&v| mixed(u64::from(graph.vertex_label(v).0))));
        for _ in 0..3 {
            self.finer.clear();
            self.finer.extend(self.colors.iter().map(|color| color.wrapping_mul(3)));
            for &[from, to, label] in &self.lines {
                let (from, to, label) = (from as usize, to as usize, u64::from(label));
                self.finer[from] = self.finer[from].wrapping_add(mixed(self.colors[to] ^ label));
                self.finer[to] = self.finer[to].wrapping_add(mixed(self.colors[from] ^ label));
            }
            std::mem::swap(&mut self.colors, &mut self.finer);
        }
    }
}

fn mixed(x: u64) -> u64 {
    let x = (x ^ x >> 32 ^ 0x9e37_79b9).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

fn smallest_code(graph: &Graph, edges: &[EdgeId]) -> Option<DfsCode> {
    let mut builder = Graph::builder();
    let mut named = BTreeMap::new();
    for edge in edges.iter().map(|e| graph.edges()[e.index()]) {
        for end in [edge.from, edge.to] {
            if let std::collections::btree_map::Entry::Vacant(slot) = named.entry(end) {
                slot.insert(builder.add_vertex(graph.vertex_label(end)).ok()?);
            }
        }
        builder.add_edge(named[&edge.from], named[&edge.to], edge.label).ok()?;
    }
    DfsCode::minimum_of(&builder.build())
}

/// Visits each connected set of edges once: the smallest edge of a set starts it, and an edge joins only through
/// the first of its neighbours in the set (ESU of Wernicke on the graph of edges).
struct Walk<'a> {
    graph: &'a Graph,
    /// By vertex: whether an edge of the set has it.
    covered: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph) -> Self {
        Self { graph, covered: vec![false; graph.num_vertices()] }
    }

    fn each(&mut self, max_edges: usize, visit: &mut impl FnMut(&[EdgeId])) {
        for root in (0..self.graph.num_edges() as u32).map(EdgeId) {
            let open = self.start(root);
            self.grow(max_edges, &mut vec![root], open, visit);
            let Edge { from, to, .. } = self.graph.edges()[root.index()];
            self.covered[from.index()] = false;
            self.covered[to.index()] = false;
        }
    }

    /// A set of one edge; returns the later edges beside it.
    fn start(&mut self, root: EdgeId) -> Vec<EdgeId> {
        let Edge { from, to, .. } = self.graph.edges()[root.index()];
        self.covered[from.index()] = true;
        self.covered[to.index()] = true;
        let mut open = around(self.graph, root);
        stop::work(1 + open.len());
        open.retain(|&edge| edge > root);
        open
    }

    /// An edge joins a set; the edges that only it touches follow in `open`. Returns its vertex that is new.
    fn join(&mut self, root: EdgeId, next: EdgeId, open: &mut Vec<EdgeId>) -> Option<VertexId> {
        let Edge { from, to, .. } = self.graph.edges()[next.index()];
        let new = [from, to].into_iter().find(|end| !self.covered[end.index()])?;
        let near = self.graph.neighbors(new);
        stop::work(near.len() / 16);
        open.extend(near.iter().filter(|n| n.edge > root && !self.covered[n.vertex.index()]).map(|n| n.edge));
        self.covered[new.index()] = true;
        Some(new)
    }

    /// At most `max_edges` deep.
    fn grow(
        &mut self,
        max_edges: usize,
        set: &mut Vec<EdgeId>,
        mut open: Vec<EdgeId>,
        visit: &mut impl FnMut(&[EdgeId]),
    ) {
        stop::work(1 + open.len() / 16);
        visit(set);
        if set.len() >= max_edges {
            return;
        }
        while let Some(next) = open.pop() {
            let mut further = open.clone();
            let new = self.join(set[0], next, &mut further);
            set.push(next);
            self.grow(max_edges, set, further, visit);
            set.pop();
            if let Some(vertex) = new {
                self.covered[vertex.index()] = false;
            }
        }
    }
}
