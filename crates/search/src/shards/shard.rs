//! [`GraphShard`]: answers questions about its own graphs.
//!
//! It keeps the tree of its graphs and, of the pass in progress, the rows of delta. Which patterns are worth growing,
//! and which occur in enough graphs, the coordinator knows; here every pattern of one graph is one.

use super::messages::{
    Begin, Child, Containing, ExactSums, KNOWN, LOST, Request, Rows, write_containing, write_expansion,
};
use super::source::ShardSource;
use super::wire::Writer;
use crate::SearchError;
use crate::bound::{Delta, Sums, gradient_and_bound};
use crate::feature::Values;
use crate::support_class::{Relation, relation};
use einsicht_graph::mine::{MineError, MineParams};
use einsicht_graph::tree::{NodeId, Tree};
use einsicht_graph::{DfsCode, Support, TreeSupport};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The graphs of one worker, and what is known about them.
pub struct GraphShard {
    tree: Tree,
    threads: usize,
    current: Option<Current>,
}

/// The pass in progress.
struct Current {
    pass: u64,
    values: Values,
    hidden: usize,
    delta: Vec<f64>,
    /// By number of the support: many patterns have the same.
    sums: Mutex<FxHashMap<u32, Arc<SupportSums>>>,
}

/// `P`, then `N`, of a support, and of the values that bound those of all that is grown from it where these are larger.
struct SupportSums {
    sums: Vec<f64>,
    bounding: Vec<f64>,
}

impl Current {
    fn sums(&self, support: &TreeSupport, (buffer, graphs): (&mut Sums, &mut Vec<u32>)) -> Arc<SupportSums> {
        let known = || self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sums) = known().get(&support.id()) {
            return Arc::clone(sums);
        }
        let mut sides = |column| {
            gradient_and_bound(column, self.delta(), buffer);
            buffer.sides().concat()
        };
        let larger = support.has_larger_images() && self.values.needs_counts();
        let graphs = support.graphs(graphs);
        let sums = Arc::new(SupportSums {
            sums: sides(self.values.column_of(graphs, support.counts())),
            bounding: if larger { sides(self.values.column_of(graphs, support.images())) } else { Vec::new() },
        });
        known().insert(support.id(), Arc::clone(&sums));
        sums
    }

    fn delta(&self) -> Delta<'_> {
        Delta::taken_before(&self.delta, self.hidden)
    }
}

impl GraphShard {
    /// A shard with these graphs; `params` are those of the whole search.
    pub fn new(source: &ShardSource) -> Result<Self, MineError> {
        let ShardSource { graphs, params } = source;
        let mined = MineParams { min_support: 1, memory: None, ..params.clone() };
        let tree = Tree::of_part(graphs, mined)?;
        Ok(Self { tree, threads: params.threads, current: None })
    }

    /// Answers a request of a [`super::ShardedSearch`].
    pub fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, SearchError> {
        let request =
            Request::read(request).map_err(|reason| SearchError::NoAnswer { worker: 0, reason: reason.to_owned() })?;
        let mut writer = Writer(vec![KNOWN]);
        match request {
            Request::Begin(begin) => self.begin(begin, &mut writer)?,
            Request::Expand { pass, patterns } => {
                let Some(current) = self.current(pass) else { return Ok(vec![LOST]) };
                if patterns.is_empty() {
                    write_expansion(&mut writer, &Some(self.children(None, current)));
                }
                let expansions =
                    self.of_each(&patterns, |code| self.find(code).map(|node| self.children(Some(node), current)));
                for expansion in &expansions {
                    write_expansion(&mut writer, expansion);
                }
            }
            Request::Sums { pass, patterns } => {
                let Some(current) = self.current(pass) else { return Ok(vec![LOST]) };
                for sums in self.of_each(&patterns, |code| self.exact_sums(code, current)) {
                    sums.write(&mut writer, current.hidden);
                }
            }
            Request::Supports { patterns } => {
                for rows in self.of_each(&patterns, |code| self.rows(code)) {
                    rows.write(&mut writer);
                }
            }
            Request::Members { rows, counts, patterns } => {
                let class = Support::detached(rows, counts);
                if patterns.is_empty() {
                    write_containing(&mut writer, &self.containing(None, &class));
                }
                let found = self.of_each(&patterns, |code| match self.find(code) {
                    Some(node) => self.containing(Some(node), &class),
                    None => Vec::new(),
                });
                for children in &found {
                    write_containing(&mut writer, children);
                }
            }
        }
        Ok(writer.0)
    }

    /// Asks about each of several patterns, on all threads.
    fn of_each<R: Send>(&self, patterns: &[DfsCode], ask: impl Fn(&DfsCode) -> R + Sync + Send) -> Vec<R> {
        if self.threads > 1 { patterns.par_iter().map(ask).collect() } else { patterns.iter().map(ask).collect() }
    }

    fn current(&self, pass: u64) -> Option<&Current> {
        self.current.as_ref().filter(|current| current.pass == pass)
    }

    fn begin(&mut self, begin: Begin, writer: &mut Writer) -> Result<(), SearchError> {
        let Begin { pass, values, hidden, delta, known, banned } = begin;
        let (graphs, rows) = (self.tree.num_graphs(), Delta::new(&delta, hidden)?.num_graphs());
        if graphs != rows {
            return Err(SearchError::OtherGraphs { graphs, rows });
        }
        for class in self.of_each(&known, |code| self.find(code).map_or(0, |node| self.class(node))) {
            writer.number(class.into());
        }
        for (rows, counts) in banned {
            // No pattern is nowhere, so that nothing is banned here.
            let is_none = rows.is_empty();
            let interned = self.tree.intern(&Support::detached(rows, counts));
            writer.number(if is_none { 0 } else { u64::from(interned.class_id()) + 1 });
        }
        self.current = Some(Current { pass, values, hidden, delta, sums: Mutex::default() });
        Ok(())
    }

    /// The number of the support of a pattern, from 1.
    fn class(&self, node: NodeId) -> u32 {
        self.tree.support(node).class_id() + 1
    }

    /// The node of a pattern, if it is here.
    fn find(&self, code: &DfsCode) -> Option<NodeId> {
        let mut level = self.tree.roots();
        let mut found = None;
        for step in code.steps() {
            if let Some(node) = found {
                level = self.tree.expand(node);
            }
            found = Some(level.find(|&node| self.tree.step(node) == step)?);
        }
        found
    }

    fn children(&self, node: Option<NodeId>, current: &Current) -> Vec<Child> {
        let mut children = Vec::new();
        let (mut buffer, mut graphs) = (Sums::default(), Vec::new());
        for group in self.tree.sibling_groups(node) {
            for node in group.nodes {
                let support = self.tree.support(node);
                let SupportSums { sums, bounding } = &*current.sums(support, (&mut buffer, &mut graphs));
                children.push(Child {
                    step: self.tree.step(node),
                    says_nothing: self.tree.says_nothing(node),
                    is_leaf: group.are_leaves,
                    size: support.len() as u64,
                    sums: sums.clone(),
                    bounding: bounding.clone(),
                });
            }
        }
        children
    }

    fn exact_sums(&self, code: &DfsCode, current: &Current) -> ExactSums {
        let Some(node) = self.find(code) else { return ExactSums { class: 0, blocks: Vec::new() } };
        let (delta, mut sums, mut blocks) = (current.delta(), Sums::default(), Vec::new());
        let (support, mut graphs) = (self.tree.support(node), Vec::new());
        let column = current.values.column_of(support.graphs(&mut graphs), support.counts());
        for block in delta.blocks(column) {
            gradient_and_bound(block, delta, &mut sums);
            sums.sides().into_iter().for_each(|side| blocks.extend_from_slice(side));
        }
        ExactSums { class: self.class(node), blocks }
    }

    fn rows(&self, code: &DfsCode) -> Rows {
        let found = self.find(code);
        let parent = || {
            let steps: Vec<_> = code.steps().collect();
            let shorter = crate::code_tuples::from_steps(steps[..steps.len() - 1].iter().copied());
            shorter.is_ok_and(|shorter| self.find(&shorter).is_some())
        };
        let has_parent = code.steps().count() > 1 && (found.is_some() || parent());
        let Some(node) = found else {
            return Rows { has_parent, says_nothing: false, graphs: Vec::new(), counts: Vec::new() };
        };
        let support = self.tree.support(node);
        let (graphs, counts) = (support.graphs(&mut Vec::new()).to_vec(), support.counts().to_vec());
        Rows { has_parent, says_nothing: self.tree.says_nothing(node), graphs, counts }
    }

    /// The children that contain a class; none where the class has no graphs, which says nothing about them.
    fn containing(&self, node: Option<NodeId>, class: &Support) -> Vec<Containing> {
        if class.is_empty() {
            return Vec::new();
        }
        let children = node.map_or_else(|| self.tree.roots(), |node| self.tree.expand(node));
        let mut graphs = Vec::new();
        let of_child = |node: NodeId| {
            let relation = relation(self.tree.support(node), class, &mut graphs);
            let (step, says_nothing) = (self.tree.step(node), self.tree.says_nothing(node));
            (relation != Relation::Outside).then(|| Containing {
                step,
                is_equal: relation == Relation::Equal,
                says_nothing,
            })
        };
        children.filter_map(of_child).collect()
    }
}
