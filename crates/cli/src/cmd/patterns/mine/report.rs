//! The result of `mine`: text for people, a document for scripts.

use super::listing::Listing;
use super::{Mine, MineRun};
use crate::io::clock::cpu_seconds;
use crate::io::interrupt::StopReason;
use crate::io::output::table;
use einsicht::Dataset;
use einsicht::graph::mine::{Condense, MineParams, Tally};
use einsicht::memory;
use serde_json::{Value, json};

pub(super) struct Report<'a> {
    pub(super) command: &'a Mine,
    pub(super) dataset: &'a Dataset,
    pub(super) params: &'a MineParams,
    pub(super) run: &'a MineRun,
    pub(super) tally: &'a Tally,
    /// Absent with `--count`.
    pub(super) listing: Option<&'a Listing>,
}

impl Report<'_> {
    pub(super) fn document(&self) -> Value {
        let stats = self.run.mined.stats;
        let mut document = json!({
            "graphs": self.dataset.len(),
            "max_edges": self.params.max_edges,
            "min_support": self.params.min_support,
            "patterns": self.tally.patterns,
            "support_sum": self.tally.support_sum,
            "by_edges": self.tally.by_edges(self.params.max_edges),
            "complete": self.run.mined.complete,
            "stopped_by": self.run.stopped_by.map(word),
            "seconds": self.run.seconds,
            "cpu_seconds": cpu_seconds(),
            "peak_memory": memory::peak(),
            "work": {
                "visited": stats.visited,
                "expanded": stats.expanded,
                "tested": stats.tested,
                "dropped": stats.rejected,
                "embeddings": stats.embeddings,
                "rederived": stats.recomputed,
            },
        });
        if self.params.min_edges == 0 {
            document["single_vertices"] = json!(self.tally.single_vertices);
        }
        if let Some(listing) = self.listing {
            document["distinct_supports"] = json!(listing.distinct_supports);
            if self.command.top.is_some() {
                document["top"] = listing.lines(self.dataset).collect();
            }
        }
        document
    }

    pub(super) fn text(&self) -> String {
        let mut text =
            self.listing.map_or_else(|| self.by_edges(), |l| l.table(self.dataset, self.command.top.is_some()));
        if !text.is_empty() {
            text.push('\n');
        }
        let kind = match self.command.condense() {
            None => "patterns",
            Some(Condense::Closed) => "closed patterns",
            Some(Condense::Maximal) => "maximal patterns",
        };
        text += &format!(
            "{} {kind} of at most {} edges in at least {} of {} graphs, sum of supports {}",
            self.tally.patterns,
            self.params.max_edges,
            self.params.min_support,
            self.dataset.len(),
            self.tally.support_sum
        );
        if let Some(listing) = self.listing {
            text += &format!(", {} distinct supports", listing.distinct_supports);
        }
        text.push('\n');
        if let Some(reason) = self.run.stopped_by {
            let because = match reason {
                StopReason::TimeLimit => "the time limit was reached",
                StopReason::MemoryLimit => "the memory limit was reached",
                StopReason::Signal(_) => "it was interrupted",
            };
            text += &format!("incomplete: {because}; there are more patterns\n");
        }
        text
    }

    fn by_edges(&self) -> String {
        let single = (self.params.min_edges == 0).then_some((0, &self.tally.single_vertices));
        let by_edges = single.into_iter().chain((1..).zip(self.tally.by_edges(self.params.max_edges)));
        let rows = by_edges.map(|(edges, count)| vec![edges.to_string(), count.to_string()]);
        table(&["edges", "patterns"], &rows.collect::<Vec<_>>(), 0)
    }
}

/// The word for it in the JSON document: an option or what happened.
fn word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::TimeLimit => "time-limit",
        StopReason::MemoryLimit => "memory",
        StopReason::Signal(_) => "interrupt",
    }
}
