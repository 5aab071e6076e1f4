//! What is kept of the extensions that a scan meets: rows ([`Collect`]), only the graphs ([`Exist`]), or each
//! only once ([`First`]).

use super::rows::{Row, Rows};

/// What happens with the extensions that a scan meets.
pub(crate) trait Sink<R> {
    /// Whether one hit of a child in a graph says it all.
    const ONCE: bool;
    /// Whether nothing more is wanted of this graph.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
    /// A new child was met; children are numbered from 0 in this order.
    fn add_child(&mut self);
    /// A child occurs in `graph`: at `row`, with the new vertex `added` unless its last edge closes a ring.
    fn hit(&mut self, child: usize, graph: u32, row: &R, added: Option<(usize, u32)>);
}

/// One list a child. Lists are reused from pattern to pattern and keep their room.
pub(crate) struct Lists<T> {
    lists: Vec<T>,
    /// How many of them are in use.
    len: usize,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { lists: Vec::new(), len: 0 }
    }
}

impl<T: Default> Lists<T> {
    fn add(&mut self) {
        self.len += 1;
        if self.lists.len() < self.len {
            self.lists.push(T::default());
        }
    }

    /// The lists of the children, in the order in which they were met.
    pub(crate) fn children(&self) -> &[T] {
        &self.lists[..self.len]
    }

    fn clear_with(&mut self, clear: impl FnMut(&mut T)) {
        self.lists[..self.len].iter_mut().for_each(clear);
        self.len = 0;
    }
}

/// Keeps the rows of the children.
pub(crate) type Collect<R> = Lists<Rows<R>>;

impl<R: Row> Collect<R> {
    /// Forgets all children.
    pub(crate) fn clear(&mut self) {
        self.clear_with(Rows::clear);
    }
}

impl<R: Row> Sink<R> for Collect<R> {
    const ONCE: bool = false;

    fn add_child(&mut self) {
        self.add();
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, row: &R, added: Option<(usize, u32)>) {
        let row = added.map_or(*row, |(at, vertex)| row.with(at, vertex));
        self.lists[child].push(graph, row);
    }
}

/// Keeps only the graphs in which the children occur.
pub(crate) type Exist = Lists<Vec<u32>>;

impl Exist {
    /// Forgets all children.
    pub(crate) fn clear(&mut self) {
        self.clear_with(Vec::clear);
    }
}

impl Exist {
    /// The child occurs in this graph, of which nothing was said before.
    pub(crate) fn add_graph(&mut self, child: usize, graph: u32) {
        self.lists[child].push(graph);
    }
}

impl<R: Row> Sink<R> for Exist {
    const ONCE: bool = true;

    fn add_child(&mut self) {
        self.add();
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, _: &R, _: Option<(usize, u32)>) {
        let graphs = &mut self.lists[child];
        if graphs.last() != Some(&graph) {
            graphs.push(graph);
        }
    }
}

/// Passes each child on once, and counts how many are left.
pub(crate) struct First<'a, S> {
    pub(crate) sink: &'a mut S,
    /// By child: the last round in which an embedding showed it.
    pub(crate) shown: Vec<u32>,
    pub(crate) round: u32,
    pub(crate) left: usize,
}

impl<R: Row, S: Sink<R>> Sink<R> for First<'_, S> {
    const ONCE: bool = true;

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.left == 0
    }

    fn add_child(&mut self) {
        self.sink.add_child();
        self.shown.push(0);
    }

    #[inline(always)]
    fn hit(&mut self, child: usize, graph: u32, row: &R, added: Option<(usize, u32)>) {
        if self.shown[child] != self.round {
            self.shown[child] = self.round;
            self.left -= 1;
            self.sink.hit(child, graph, row, added);
        }
    }
}
