//! Entries of the path from the tensors of a file.

use super::header::EntryHeader;
use super::tensors::Tensors;
use super::{ATTRIBUTE_MEAN, ATTRIBUTE_SCALE, ModelError, heads};
use crate::gnn::Encoder;
use crate::heads::{Head, HeadKind};
use crate::model::{ModelGnn, Pattern};
use crate::task::Task;
use crate::train::{BeforeStep, Iterate, Member, PathEntry, PatternWeights};

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
    /// Columns of the summary.
    pub(super) of_summary: usize,
}

impl Weights<'_> {
    pub(super) fn gnn(&self, attributes: usize, outputs: usize, entries: usize) -> Result<ModelGnn, ModelError> {
        let (mean, scale) =
            (self.tensors.f64(ATTRIBUTE_MEAN, &[attributes])?, self.tensors.f64(ATTRIBUTE_SCALE, &[attributes])?);
        if let Some(at) = scale.iter().position(|scale| *scale <= 0.0) {
            return Err(ModelError::NotFinite { name: format!("1 / {ATTRIBUTE_SCALE}"), at });
        }
        let mean_row = |at: usize| self.tensors.f64(&format!("entry.{at}.mean_beside"), &[outputs]);
        let means = (0..entries).map(mean_row).collect::<Result<_, _>>()?;
        Ok(ModelGnn { encoder: Encoder { mean, scale }, means })
    }

    pub(super) fn members(&self, members: &[Vec<usize>]) -> Result<Vec<Member>, ModelError> {
        let member = |(at, indices): (usize, &Vec<usize>)| {
            let name = format!("member.{at}");
            Ok(Member { iterate: self.iterate(&name, indices)?, head: self.head(&name, indices.len())? })
        };
        members.iter().enumerate().map(member).collect()
    }

    pub(super) fn entry(&self, at: usize, header: EntryHeader) -> Result<PathEntry, ModelError> {
        let name = format!("entry.{at}");
        let too_many = header.patterns.len() > header.size && header.lambda.is_none();
        if too_many || (header.size == 0 && header.lambda.is_none() && self.gnn_len.is_none() && self.of_summary == 0) {
            return Err(ModelError::Order { what: format!("the number of patterns of {name}") });
        }
        if !header.decision.is_good(self.tasks.len()) {
            return Err(ModelError::NotFinite { name: format!("{name}.decision"), at: 0 });
        }
        let iterate = self.iterate(&name, &header.patterns)?;
        let before = match header.before {
            None => None,
            Some(before) => {
                if !(before.step > 0.0 && before.step.is_finite()) {
                    return Err(ModelError::NotFinite { name: format!("{name}.before.step"), at: 0 });
                }
                let iterate = self.iterate(&format!("{name}.before"), &before.patterns)?;
                Some(BeforeStep { size: before.size, lambda: before.lambda, step: before.step, iterate })
            }
        };
        let head = self.head(&name, header.patterns.len())?;
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

    fn head(&self, name: &str, patterns: usize) -> Result<Option<Head>, ModelError> {
        heads::load(&self.tensors, name, self.head, patterns + self.of_summary, self.tasks)
    }

    fn iterate(&self, name: &str, indices: &[usize]) -> Result<Iterate, ModelError> {
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
            bias: self.tensors.f64(&format!("{name}.bias"), &[self.hidden])?,
            network,
        })
    }
}
