//! The graphs of all children of a pattern whose own embeddings nobody needs.
//!
//! All canonical extensions are listed first, each with the graphs that may contain it; the caller takes out graphs of which it
//! knows better ([`Answering::narrow`]); then each graph is asked for what is left (`ask.rs`). What a sample of embeddings does
//! not show is searched for (`contains.rs`), after a look at a few embeddings of the pattern itself where the sample has thinned
//! out: often they are all there are.
//!
//! Tested through the miner and the tree, against the oracle and against the plain scan.

use super::ask::Questions;
use super::exist::Plan;
use super::expand::Expander;
use super::extend::Scan;
use super::likeness::Likeness;
use super::rows::{Row, Rows};
use super::sink::Exist;
use super::stats::MineStats;
use crate::pattern::DfsEdge;

/// Below so many embeddings of a sample, embeddings of the pattern itself are listed...
const FEW: u64 = 4;
/// ... up to so many.
const MOST_LISTED: u64 = 16;

/// A pattern and what is known of it.
pub(crate) struct Asked<'a, R> {
    pub(crate) code: &'a [DfsEdge],
    pub(crate) graphs: &'a [u32],
    /// Embeddings of the pattern if `own`, else of the pattern without its last edge.
    pub(crate) rows: &'a Rows<R>,
    pub(crate) own: bool,
}

/// Working memory.
#[derive(Default)]
pub(crate) struct Answering {
    likeness: Likeness,
    questions: Questions,
    words: usize,
    /// By child: the graphs that may contain it, as bits.
    maybe: Vec<u64>,
}

impl Answering {
    /// Lists the children that labels allow; each may be in all of the graphs.
    pub(crate) fn begin<R: Row>(
        &mut self,
        expander: &Expander,
        asked: &Asked<'_, R>,
        scan: &mut Scan,
        exist: &mut Exist,
        stats: &mut MineStats,
    ) {
        scan.begin(&expander.db, asked.code);
        scan.list_all::<R, _>(&expander.db, exist, stats);
        self.words = expander.db.num_graphs().div_ceil(64);
        self.maybe.clear();
        self.maybe.resize(self.words * scan.children().len(), 0);
        let Some((first, others)) = self.maybe.split_at_mut_checked(self.words) else { return };
        for &graph in asked.graphs {
            first[graph as usize / 64] |= 1 << (graph % 64);
        }
        others.chunks_exact_mut(self.words).for_each(|other| other.copy_from_slice(first));
    }

    /// Lets the caller take graphs out of the sets of the children.
    pub(crate) fn narrow(&mut self, code: &[DfsEdge], scan: &Scan, mut narrow: impl FnMut(&Likeness, &mut [u64])) {
        self.likeness.load(code);
        for (edge, maybe) in scan.children().iter().zip(self.maybe.chunks_exact_mut(self.words)) {
            self.likeness.push(edge);
            narrow(&self.likeness, maybe);
            self.likeness.pop();
        }
    }

    /// Finds the graphs of all children: `exist` has them in the end.
    pub(crate) fn settle<R: Row>(
        &mut self,
        expander: &Expander,
        asked: &Asked<'_, R>,
        scan: &mut Scan,
        exist: &mut Exist,
        stats: &mut MineStats,
    ) {
        let &Asked { code, graphs, rows, own } = asked;
        let last = (!own).then(|| &code[code.len() - 1]);
        let vertices = 1 + code[..code.len() - usize::from(!own)].iter().filter(|e| e.is_forward()).count();
        let mut plan = None;
        let mut place = 0;
        for &graph in graphs {
            while rows.graphs()[place] != graph {
                place += 1;
            }
            let Some(bits) = expander.bits(graph) else { continue };
            let Self { questions, maybe, words, .. } = self;
            questions.clear();
            let (word, bit) = (graph as usize / 64, graph % 64);
            for (child, edge) in scan.children().iter().enumerate() {
                if maybe[child * *words + word] >> bit & 1 == 1 {
                    questions.ask(bits, child as u32, edge);
                } else {
                    stats.ruled_out += 1;
                }
            }
            if questions.is_empty() {
                continue;
            }
            let looked_at = questions.look(bits, rows.at(place), vertices, last);
            stats.embeddings += looked_at;
            let is_open = rows.known(place).sampled && !questions.is_empty();
            let is_open = is_open
                && !(looked_at < FEW && {
                    let plan = plan.get_or_insert_with(|| Plan::new(&expander.db, code));
                    plan.as_ref().is_some_and(|plan| questions.list::<R>(bits, plan, MOST_LISTED, stats))
                });
            for &child in &questions.shown {
                exist.add_graph(child as usize, graph);
            }
            for child in questions.left().filter(|_| is_open) {
                stats.searched += 1;
                if scan.exists(&expander.db, bits, child as usize) {
                    exist.add_graph(child as usize, graph);
                }
            }
        }
    }
}
