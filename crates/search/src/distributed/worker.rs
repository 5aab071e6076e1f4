//! [`SearchWorker`]: answers requests about one partition of the tree.

use super::messages::{
    ActiveMessage, MembersReply, PatternMessage, Request, SearchReply, SearchRequest, unpack, write,
};
use crate::partition::Partition;
use crate::query::{ActivePattern, Query};
use crate::{Search, SearchError, TreeSearch};
use einsicht_graph::Support;
use std::sync::Arc;

/// A worker: answers requests about its partition of the tree, and keeps what it has grown.
pub struct SearchWorker {
    search: TreeSearch,
}

impl SearchWorker {
    /// Answers for this partition of the tree.
    pub fn new(search: TreeSearch, partition: Partition) -> Self {
        Self { search: search.within(partition) }
    }

    /// Answers a request of a [`super::DistributedSearch`] over the same graphs.
    pub fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>, SearchError> {
        let (request, delta) = unpack(request)?;
        match request {
            Request::Search(request) => write(&self.search(request, &delta)?),
            Request::Lookup(code) => {
                let support = self.search.lookup(&code)?;
                write(&PatternMessage::new(code, &support))
            }
            Request::Members { graphs, counts } => {
                write(&MembersReply(self.search.members(&Support::detached(graphs, counts))?))
            }
        }
    }

    fn search(&mut self, mut request: SearchRequest, delta: &[f64]) -> Result<SearchReply, SearchError> {
        let active = std::mem::take(&mut request.active).into_iter().map(|active| self.active(active));
        let active: Vec<ActivePattern> = active.collect::<Result<_, _>>()?;
        let banned = request.banned.iter().map(|code| self.search.lookup(code));
        let banned: Vec<Arc<Support>> = banned.collect::<Result<_, _>>()?;
        let result = self.search.search(&Query {
            delta: request.delta(delta)?,
            active: &active,
            step_sizes: &request.step_sizes,
            decay: request.decay,
            rule: request.rule,
            unit: request.unit,
            banned: &banned,
            values: request.values,
            floor: request.floor.unwrap_or(f64::NEG_INFINITY),
        })?;
        let candidates = result.candidates.into_iter().map(|c| PatternMessage::new(c.code, &c.support)).collect();
        Ok(SearchReply { candidates, stats: result.stats })
    }

    fn active(&mut self, message: ActiveMessage) -> Result<ActivePattern, SearchError> {
        let ActiveMessage { code, weights, pinned } = message;
        Ok(ActivePattern { support: self.search.lookup(&code)?, code, weights, pinned })
    }
}
