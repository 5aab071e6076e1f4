//! Which patterns are shown and written, in which order and form.

use crate::io::output::table;
use einsicht::Dataset;
use einsicht::graph::mine::{PatternList, Tally};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Patterns shown without `--top`.
const SHOWN: usize = 20;

/// The patterns to list: larger supports first, then fewer edges, then the smaller code.
pub(super) struct Listing {
    list: PatternList,
    order: Vec<u32>,
    /// Counts of all patterns that were kept, listed or not.
    pub(super) tally: Tally,
    pub(super) distinct_supports: usize,
}

impl Listing {
    /// Of all patterns those that are `kept`, and of these the first `top`.
    pub(super) fn new(list: PatternList, kept: Option<&[bool]>, top: Option<usize>) -> Self {
        let mut order: Vec<u32> = (0..list.len() as u32).collect();
        order.retain(|&pattern| kept.is_none_or(|kept| kept[pattern as usize]));
        let mut tally = Tally::default();
        let mut supports = FxHashSet::default();
        for &pattern in &order {
            let support = list.support(pattern as usize);
            tally.add(list.num_edges(pattern as usize), support.len());
            supports.insert(support.id());
        }
        let rank = |pattern: u32| {
            let pattern = pattern as usize;
            (Reverse(list.support(pattern).len()), list.num_edges(pattern), pattern)
        };
        order.sort_unstable_by_key(|&pattern| rank(pattern));
        order.truncate(top.unwrap_or(usize::MAX));
        Self { order, tally, distinct_supports: supports.len(), list }
    }

    /// One JSON object per pattern: see `docs/formats.md`.
    pub(super) fn lines<'a>(&'a self, dataset: &'a Dataset) -> impl Iterator<Item = Value> + 'a {
        self.order.iter().map(|&pattern| {
            let (graph, support) = (self.list.code(pattern as usize).to_graph(), self.list.support(pattern as usize));
            let named = dataset.names().pattern(&graph);
            let ids: Vec<&str> = support.graphs().iter().map(|&graph| dataset.ids[graph as usize].as_str()).collect();
            let mut line = json!({
                "pattern": named,
                "drawing": dataset.names().one_line(&graph),
                "num_edges": graph.num_edges(),
                "support": ids.len(),
                "graphs": ids,
            });
            if !support.counts().is_empty() {
                line["counts"] = json!(support.counts().to_vec());
            }
            line
        })
    }

    /// A table for people: all patterns, or the first few.
    pub(super) fn table(&self, dataset: &Dataset, all: bool) -> String {
        let shown = if all { self.order.len() } else { SHOWN };
        let rows = self.order.iter().take(shown).map(|&pattern| {
            let pattern = pattern as usize;
            let graph = self.list.code(pattern).to_graph();
            let support = self.list.support(pattern).len();
            vec![
                dataset.names().one_line(&graph),
                graph.num_edges().to_string(),
                support.to_string(),
                format!("{:.1} %", 100.0 * support as f64 / dataset.len() as f64),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        if rows.is_empty() {
            return String::new();
        }
        let mut text = table(&["pattern", "edges", "graphs", "percent"], &rows, 1);
        if self.order.len() > rows.len() {
            let more = self.order.len() - rows.len();
            text += &format!("and {more} more: --top N shows N, -o FILE writes all\n");
        }
        text
    }
}
