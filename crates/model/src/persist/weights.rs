//! Entries of the path from the tensors of a file.

use super::header::{EntryHeader, MemberHeader, PairHeader};
use super::tensors::Tensors;
use super::{ATTRIBUTE_MEAN, ATTRIBUTE_SCALE, ModelError, background, heads};
use crate::heads::{Head, HeadKind, LazyForests};
use crate::side::{Encoder, FeatureScale};
use crate::task::Task;
use crate::{Background, ForestSource, ModelGnn, Pattern};
use crate::{BeforeStep, Iterate, Member, PairWeights, PathEntry, PatternWeights};

/// The tensors, with the lengths and kinds that they must have.
pub(super) struct Weights<'a> {
    pub(super) tensors: Tensors<'a>,
    pub(super) tasks: &'a [Task],
    pub(super) head: HeadKind,
    pub(super) patterns: &'a [Pattern],
    pub(super) hidden: usize,
    pub(super) network_len: usize,
    /// Absent without a graph network.
    pub(super) gnn_len: Option<usize>,
    /// Columns of the summary and of the features.
    pub(super) of_summary: usize,
    /// What forests that are not in the file are grown from.
    pub(super) regrown: Option<ForestSource>,
}

impl Weights<'_> {
    /// What a summary, features or a graph network need, if their outputs are any.
    pub(super) fn gnn(
        &self,
        attributes: usize,
        (features, frequent): (Vec<FeatureScale>, Vec<u32>),
        outputs: usize,
        entries: usize,
    ) -> Result<Option<ModelGnn>, ModelError> {
        if outputs == 0 {
            return Ok(None);
        }
        let (mean, scale) =
            (self.tensors.f64(ATTRIBUTE_MEAN, &[attributes])?, self.tensors.f64(ATTRIBUTE_SCALE, &[attributes])?);
        if let Some(at) = scale.iter().position(|scale| *scale <= 0.0) {
            return Err(ModelError::NotFinite { name: format!("1 / {ATTRIBUTE_SCALE}"), at });
        }
        let mean_row = |at: usize| self.tensors.f64(&format!("entry.{at}.mean_beside"), &[outputs]);
        let means = (0..entries).map(mean_row).collect::<Result<_, _>>()?;
        Ok(Some(ModelGnn { encoder: Encoder { mean, scale, features, frequent }, means }))
    }

    pub(super) fn members(&self, members: &[MemberHeader]) -> Result<Vec<Member>, ModelError> {
        let member = |(at, header): (usize, &MemberHeader)| {
            let name = format!("member.{at}");
            let iterate = self.iterate(&name, &header.patterns, &header.pairs)?;
            Ok(Member { head: self.head(&name, &iterate, None)?, iterate })
        };
        members.iter().enumerate().map(member).collect()
    }

    /// The backgrounds of the entries; `beside` columns are not of patterns, and `fitted` graphs are sampled.
    pub(super) fn backgrounds(
        &self,
        entries: &[PathEntry],
        beside: usize,
        fitted: usize,
    ) -> Result<Vec<Background>, ModelError> {
        let of_entry = |(at, entry): (usize, &PathEntry)| {
            background::load(&self.tensors, &format!("entry.{at}"), entry.iterate.patterns.len(), beside, fitted)
        };
        entries.iter().enumerate().map(of_entry).collect()
    }

    /// The entries of the path, among which is the chosen one.
    pub(super) fn entries(&self, headers: Vec<EntryHeader>, chosen: usize) -> Result<Vec<PathEntry>, ModelError> {
        let listed = headers.into_iter().enumerate();
        let entries: Vec<PathEntry> =
            listed.map(|(at, entry)| self.entry(at, entry, at == chosen)).collect::<Result<_, _>>()?;
        if chosen < entries.len() { Ok(entries) } else { Err(ModelError::Chosen { chosen, entries: entries.len() }) }
    }

    fn entry(&self, at: usize, header: EntryHeader, is_chosen: bool) -> Result<PathEntry, ModelError> {
        let name = format!("entry.{at}");
        let too_many = header.patterns.len() > header.size && header.lambda.is_none();
        if too_many || (header.size == 0 && header.lambda.is_none() && self.gnn_len.is_none() && self.of_summary == 0) {
            return Err(ModelError::Order { what: format!("the number of patterns of {name}") });
        }
        if !header.decision.is_good(self.tasks.len()) {
            return Err(ModelError::NotFinite { name: format!("{name}.decision"), at: 0 });
        }
        let iterate = self.iterate(&name, &header.patterns, &header.pairs)?;
        let before = match header.before {
            None => None,
            Some(before) => {
                if !(before.step > 0.0 && before.step.is_finite()) {
                    return Err(ModelError::NotFinite { name: format!("{name}.before.step"), at: 0 });
                }
                let iterate = self.iterate(&format!("{name}.before"), &before.patterns, &before.pairs)?;
                Some(BeforeStep { size: before.size, lambda: before.lambda, step: before.step, iterate })
            }
        };
        let later = if is_chosen { None } else { self.later(&name, &iterate)? };
        let head = self.head(&name, &iterate, later)?;
        Ok(PathEntry {
            size: header.size,
            lambda: header.lambda,
            iterate,
            head,
            before,
            iterations: header.iterations,
            kept: header.kept,
            stopped_by: header.stopped_by,
            train: header.train,
            valid: header.valid,
            test: header.test,
            decision: header.decision,
        })
    }

    fn head(&self, name: &str, iterate: &Iterate, later: Option<LazyForests>) -> Result<Option<Head>, ModelError> {
        let columns = (iterate.patterns.len() + self.of_summary, &iterate.pairs_of_columns()[..]);
        heads::load(&self.tensors, name, self.head, columns, self.tasks, later)
    }

    /// The forests on these patterns, to be grown when they are asked for; nothing if the head has none.
    fn later(&self, name: &str, iterate: &Iterate) -> Result<Option<LazyForests>, ModelError> {
        let Some(source) = &self.regrown else { return Ok(None) };
        let missing = || ModelError::Order { what: format!("patterns of {name} in the graphs of the fit") };
        source.later(iterate).map(Some).ok_or_else(missing)
    }

    /// A pair of patterns that are in use.
    fn pair(&self, name: &str, indices: &[usize], header: &PairHeader) -> Result<PairWeights, ModelError> {
        let [first, second] = header.patterns;
        let in_use = first < second && header.patterns.iter().all(|index| indices.contains(index));
        let numbers = || header.means.iter().chain(&header.weights);
        if !in_use || header.weights.len() != self.hidden {
            return Err(ModelError::Order { what: format!("pairs of {name}") });
        }
        if let Some(at) = numbers().position(|number| !number.is_finite()) {
            return Err(ModelError::NotFinite { name: format!("{name}.pairs"), at });
        }
        let codes = header.patterns.iter().map(|&index| self.patterns[index].code.clone()).collect();
        Ok(PairWeights { codes, means: header.means, weights: header.weights.clone() })
    }

    fn iterate(&self, name: &str, indices: &[usize], pairs: &[PairHeader]) -> Result<Iterate, ModelError> {
        let in_range = indices.last().is_none_or(|&last| last < self.patterns.len());
        if !in_range || !indices.is_sorted_by(|a, b| a < b) {
            return Err(ModelError::Order { what: format!("patterns of {name}") });
        }
        let weights = self.tensors.f64(&format!("{name}.weights"), &[indices.len(), self.hidden])?;
        let patterns = indices.iter().zip(weights.chunks_exact(self.hidden)).map(|(&index, weights)| PatternWeights {
            code: self.patterns[index].code.clone(),
            weights: weights.to_vec(),
        });
        let mut network = self.tensors.f64(&format!("{name}.network"), &[self.network_len])?;
        if let Some(len) = self.gnn_len {
            network.extend(self.tensors.f64(&format!("{name}.gnn"), &[len])?);
        }
        Ok(Iterate {
            patterns: patterns.collect(),
            pairs: pairs.iter().map(|pair| self.pair(name, indices, pair)).collect::<Result<_, _>>()?,
            bias: self.tensors.f64(&format!("{name}.bias"), &[self.hidden])?,
            network,
        })
    }
}
