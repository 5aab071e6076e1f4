//! Messages between the coordinator of a distributed search and its workers.
//!
//! A request is a JSON document (its length first, as eight bytes) followed by delta, eight bytes per number; all
//! numbers are little endian. A reply is a JSON document. Promise: a message that is none is refused as
//! [`SearchError::NoAnswer`].

use crate::code_tuples;
use crate::feature::Values;
use crate::query::{ActivePattern, Query, Rule, SearchStats, Unit};
use crate::{SearchError, bound::Delta};
use einsicht_graph::{DfsCode, Support};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the coordinator asks.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// A query. The reply is a [`SearchReply`].
    Search(SearchRequest),
    /// The support of a pattern. The reply is a [`PatternMessage`].
    Lookup(#[serde(with = "code_tuples")] DfsCode),
    /// All patterns with this support. The reply is a [`MembersReply`].
    Members { graphs: Vec<u32>, counts: Vec<u32> },
}

/// A [`Query`] without its supports, which every worker looks up, and without delta.
#[derive(Serialize, Deserialize)]
pub(super) struct SearchRequest {
    hidden: usize,
    pub(super) active: Vec<ActiveMessage>,
    pub(super) step_sizes: Vec<f64>,
    pub(super) decay: f64,
    pub(super) rule: Rule,
    pub(super) unit: Unit,
    #[serde(with = "code_tuples::list")]
    pub(super) banned: Vec<DfsCode>,
    pub(super) values: Values,
    /// Absent if nothing is known: JSON has no infinity.
    pub(super) floor: Option<f64>,
}

impl SearchRequest {
    /// The message of a query, with patterns for its banned supports and a better lower bound of `zeta`.
    pub(super) fn new(query: &Query<'_>, banned: Vec<DfsCode>, floor: f64) -> Self {
        let active =
            |a: &ActivePattern| ActiveMessage { code: a.code.clone(), weights: a.weights.clone(), pinned: a.pinned };
        Self {
            hidden: query.delta.hidden_units(),
            active: query.active.iter().map(active).collect(),
            step_sizes: query.step_sizes.to_vec(),
            decay: query.decay,
            rule: query.rule,
            unit: query.unit,
            banned,
            values: query.values,
            floor: Some(floor).filter(|floor| floor.is_finite()),
        }
    }

    /// Delta, from the numbers that came with the request.
    pub(super) fn delta<'a>(&self, numbers: &'a [f64]) -> Result<Delta<'a>, SearchError> {
        if self.hidden == 0 || !numbers.len().is_multiple_of(self.hidden) {
            return Err(no_answer(0, &"delta does not have whole rows"));
        }
        Delta::new(numbers, self.hidden)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ActiveMessage {
    #[serde(with = "code_tuples")]
    pub(super) code: DfsCode,
    pub(super) weights: Vec<f64>,
    pub(super) pinned: bool,
}

/// A pattern with its support.
#[derive(Serialize, Deserialize)]
pub(super) struct PatternMessage {
    #[serde(with = "code_tuples")]
    pub(super) code: DfsCode,
    pub(super) graphs: Vec<u32>,
    pub(super) counts: Vec<u32>,
}

impl PatternMessage {
    pub(super) fn new(code: DfsCode, support: &Support) -> Self {
        Self { code, graphs: support.graphs().to_vec(), counts: support.counts().to_vec() }
    }
}

/// The candidates of one worker.
#[derive(Serialize, Deserialize)]
pub(super) struct SearchReply {
    pub(super) candidates: Vec<PatternMessage>,
    pub(super) stats: SearchStats,
}

/// The members of a support class that belong to one worker.
#[derive(Serialize, Deserialize)]
pub(super) struct MembersReply(#[serde(with = "code_tuples::list")] pub(super) Vec<DfsCode>);

pub(super) fn write<T: Serialize>(message: &T) -> Result<Vec<u8>, SearchError> {
    serde_json::to_vec(message).map_err(|error| no_answer(0, &error))
}

/// Reads a message from or to this worker.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8], worker: usize) -> Result<T, SearchError> {
    serde_json::from_slice(bytes).map_err(|error| no_answer(worker, &error))
}

fn no_answer(worker: usize, reason: &dyn std::fmt::Display) -> SearchError {
    SearchError::NoAnswer { worker, reason: reason.to_string() }
}

pub(super) fn pack(request: &Request, delta: &[f64]) -> Result<Vec<u8>, SearchError> {
    let head = write(request)?;
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(&head);
    bytes.extend(delta.iter().flat_map(|number| number.to_le_bytes()));
    Ok(bytes)
}

/// The request and the numbers of delta.
pub(super) fn unpack(bytes: &[u8]) -> Result<(Request, Vec<f64>), SearchError> {
    let parts = bytes.split_first_chunk::<8>().and_then(|(len, rest)| {
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        rest.split_at_checked(len)
    });
    let (head, delta) = parts.ok_or_else(|| no_answer(0, &"the request is shorter than it says"))?;
    let (numbers, _) = delta.as_chunks::<8>();
    Ok((read(head, 0)?, numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()))
}
