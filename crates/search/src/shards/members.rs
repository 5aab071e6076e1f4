//! All patterns with one support, over all shards.
//!
//! A pattern has the support of a class if it has its part in every shard. The walk goes from the smallest patterns to
//! all whose supports contain that of the class, as on one machine. Shards that hold a part of the class say which
//! children contain it; the others are asked only whether a pattern that would be a member is there too, and so is
//! none.

use super::coordinator::{ShardedSearch, Shards};
use super::messages::{Containing, Request, read_containing};
use super::pass::grown;
use super::wire::{Broken, Reader};
use crate::SearchError;
use einsicht_graph::{DfsCode, Step, Support};
use std::collections::BTreeMap;

/// Patterns that are asked about in one round.
const BATCH: usize = 256;

/// A child that contains the class in all shards so far.
struct Found {
    shards: usize,
    is_equal: bool,
    says_nothing: bool,
}

impl<T: Shards> ShardedSearch<T> {
    /// All patterns that have this support.
    pub(super) fn members(&mut self, support: &Support) -> Result<Vec<DfsCode>, SearchError> {
        let mut members = Vec::new();
        let mut open: Vec<DfsCode> = Vec::new();
        let mut possible = Vec::new();
        self.children_containing(support, &[], &mut open, &mut possible)?;
        while !open.is_empty() {
            let batch = open.split_off(open.len().saturating_sub(BATCH));
            self.children_containing(support, &batch, &mut open, &mut possible)?;
        }
        for part in possible.chunks(BATCH) {
            let answers = self.rows(part.iter().map(|(code, _)| code.clone()).collect())?;
            for (at, (code, says_nothing)) in part.iter().enumerate() {
                // The rest of the shards: where no graph of the class is, the pattern must not be, and whoever has what
                // it is grown from shows that its last qualifier says something.
                let others = || {
                    let shards = self.ranges.iter().zip(&answers);
                    let is_other = |range| Self::part(support, range).0.is_empty();
                    shards.filter(move |(range, _)| is_other(range)).map(|(_, rows)| &rows[at])
                };
                let is_elsewhere = others().any(|rows| !rows.graphs.is_empty());
                let is_none = *says_nothing && !others().any(|rows| rows.has_parent);
                if !is_elsewhere && !is_none {
                    members.push(code.clone());
                }
            }
        }
        Ok(members)
    }

    /// The children of these patterns (or the smallest patterns) that contain the class go to `open`; those that have
    /// its very support, where it has graphs, to `possible`, with whether their last qualifier says nothing there.
    fn children_containing(
        &mut self,
        support: &Support,
        patterns: &[DfsCode],
        open: &mut Vec<DfsCode>,
        possible: &mut Vec<(DfsCode, bool)>,
    ) -> Result<(), SearchError> {
        let count = patterns.len().max(1);
        let mut holders = 0;
        let request = |range| {
            let (rows, counts) = Self::part(support, range);
            holders += usize::from(!rows.is_empty());
            let patterns = patterns.to_vec();
            Request::Members { rows, counts, patterns }.to_bytes()
        };
        let requests = self.ranges.iter().map(request).collect();
        let read = |reader: &mut Reader<'_>| {
            (0..count).map(|_| read_containing(reader)).collect::<Result<Vec<Vec<Containing>>, Broken>>()
        };
        let answers = self.ask(requests, read)?.unwrap_or_default();
        let is_holder: Vec<bool> = self.ranges.iter().map(|range| !Self::part(support, range).0.is_empty()).collect();
        for at in 0..count {
            let mut found: BTreeMap<Step, Found> = BTreeMap::new();
            for (shard, _) in answers.iter().zip(&is_holder).filter(|(_, holds)| **holds) {
                for child in &shard[at] {
                    let entry =
                        found.entry(child.step).or_insert(Found { shards: 0, is_equal: true, says_nothing: true });
                    entry.shards += 1;
                    entry.is_equal &= child.is_equal;
                    entry.says_nothing &= child.says_nothing;
                }
            }
            for (step, child) in found.into_iter().filter(|(_, child)| child.shards == holders) {
                let code = grown(patterns.get(at), step)?;
                if child.is_equal {
                    possible.push((code.clone(), child.says_nothing));
                }
                open.push(code);
            }
        }
        Ok(())
    }
}
