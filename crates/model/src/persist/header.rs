//! The JSON entry of a model file, field by field.

use super::FORMAT;
use crate::effects::Effects;
use crate::folds::Estimate;
use crate::params::TrainParams;
use crate::side::FeatureScale;
use crate::task::Task;
use crate::task::decision::Decision;
use crate::task::metrics::{Metric, Metrics};
use crate::{ClassValues, Model, SourceRows};
use crate::{Iterate, PairWeights, StoppedBy};
use einsicht_data::read::Reading;
use einsicht_data::{Qualifiers, Vocabulary};
use einsicht_graph::DfsCode;
use einsicht_search::code_tuples::{from_tuples, to_tuples};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A DFS code as five-tuples.
pub(super) type Tuples = Vec<[u32; 5]>;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// Version of the format.
    pub(super) format: u32,
    pub(super) tasks: Vec<Task>,
    pub(super) vertex_labels: Labels,
    pub(super) edge_labels: Labels,
    /// Classes as the caller writes them, by task.
    pub(super) class_values: Vec<Option<ClassValues>>,
    pub(super) reading: Reading,
    pub(super) qualifiers: Qualifiers,
    /// The features beside the graphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) features: Vec<FeatureScale>,
    pub(super) params: TrainParams,
    pub(super) fingerprint: String,
    pub(super) rows: SourceRows,
    /// Folds that the graphs were held out in.
    pub(super) folds: usize,
    pub(super) estimate: Estimate,
    pub(super) effects: Option<Effects>,
    pub(super) patterns: Vec<PatternHeader>,
    /// Indices of the patterns whose occurrences in the graphs of the fit are stored.
    pub(super) fitted: Vec<usize>,
    pub(super) entries: Vec<EntryHeader>,
    /// Whether the path is complete.
    pub(super) complete: bool,
    pub(super) metric: Metric,
    pub(super) chosen: usize,
    /// Whether somebody picked it.
    pub(super) picked: bool,
    pub(super) members: Vec<MemberHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Labels {
    /// By rank.
    pub(super) tokens: Vec<String>,
    /// Display names by token.
    pub(super) names: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternHeader {
    pub(super) code: Tuples,
    pub(super) class_size: u64,
    pub(super) minimal: Vec<Tuples>,
    pub(super) maximal: Vec<Tuples>,
    pub(super) support: usize,
    pub(super) by_class: Vec<Vec<usize>>,
    pub(super) whole: Option<Tuples>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryHeader {
    pub(super) size: usize,
    pub(super) lambda: Option<f64>,
    /// Indices into the list of patterns, increasing; one per row of the weights.
    pub(super) patterns: Vec<usize>,
    /// Pairs of them.
    pub(super) pairs: Vec<PairHeader>,
    pub(super) before: Option<BeforeHeader>,
    pub(super) iterations: usize,
    pub(super) kept: usize,
    pub(super) stopped_by: StoppedBy,
    pub(super) train: Metrics,
    pub(super) valid: Metrics,
    pub(super) test: Metrics,
    pub(super) decision: Decision,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeforeHeader {
    pub(super) size: usize,
    pub(super) lambda: Option<f64>,
    pub(super) step: f64,
    pub(super) patterns: Vec<usize>,
    pub(super) pairs: Vec<PairHeader>,
}

/// Two patterns that interact.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairHeader {
    /// Indices into the list of patterns.
    pub(super) patterns: [usize; 2],
    pub(super) means: [f64; 2],
    /// One per hidden unit.
    pub(super) weights: Vec<f64>,
}

/// The patterns and pairs of a member of an ensemble.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberHeader {
    /// As those of an entry.
    pub(super) patterns: Vec<usize>,
    pub(super) pairs: Vec<PairHeader>,
}

impl Labels {
    fn of(vocabulary: &Vocabulary) -> Self {
        Self { tokens: vocabulary.tokens().to_vec(), names: vocabulary.names().clone() }
    }

    /// The vocabulary, if the tokens are distinct and in order.
    pub(super) fn vocabulary(self) -> Option<Vocabulary> {
        let mut vocabulary = Vocabulary::from_tokens(self.tokens.iter().map(String::as_str));
        if vocabulary.tokens() != self.tokens {
            return None;
        }
        for (token, name) in self.names {
            vocabulary.set_name(token, name);
        }
        Some(vocabulary)
    }
}

impl PatternHeader {
    fn of(pattern: &crate::Pattern) -> Self {
        let list = |codes: &[DfsCode]| codes.iter().map(to_tuples).collect();
        Self {
            code: to_tuples(&pattern.code),
            class_size: pattern.class.size,
            minimal: list(&pattern.class.minimal),
            maximal: list(&pattern.class.maximal),
            support: pattern.support,
            by_class: pattern.by_class.clone(),
            whole: pattern.whole.as_ref().map(to_tuples),
        }
    }
}

impl Header {
    pub(super) fn of(model: &Model) -> Self {
        let index = |code: &DfsCode| model.patterns.binary_search_by(|p| p.code.cmp_by_size(code)).ok();
        let indices =
            |iterate: &Iterate| -> Vec<usize> { iterate.patterns.iter().filter_map(|p| index(&p.code)).collect() };
        let pairs = |iterate: &Iterate| -> Vec<PairHeader> {
            let pair = |pair: &PairWeights| {
                let patterns = [index(&pair.codes[0])?, index(&pair.codes[1])?];
                Some(PairHeader { patterns, means: pair.means, weights: pair.weights.clone() })
            };
            iterate.pairs.iter().filter_map(pair).collect()
        };
        let entry = |entry: &crate::PathEntry| EntryHeader {
            size: entry.size,
            lambda: entry.lambda,
            patterns: indices(&entry.iterate),
            pairs: pairs(&entry.iterate),
            before: entry.before.as_ref().map(|before| BeforeHeader {
                size: before.size,
                lambda: before.lambda,
                step: before.step,
                patterns: indices(&before.iterate),
                pairs: pairs(&before.iterate),
            }),
            iterations: entry.iterations,
            kept: entry.kept,
            stopped_by: entry.stopped_by,
            train: entry.train.clone(),
            valid: entry.valid.clone(),
            test: entry.test.clone(),
            decision: entry.decision.clone(),
        };
        let member = |iterate| MemberHeader { patterns: indices(iterate), pairs: pairs(iterate) };
        Self {
            format: FORMAT,
            tasks: model.tasks.clone(),
            vertex_labels: Labels::of(&model.vertex_labels),
            edge_labels: Labels::of(&model.edge_labels),
            class_values: model.class_values.clone(),
            reading: model.reading.clone(),
            qualifiers: model.qualifiers.clone(),
            features: model.features().cloned().collect(),
            params: model.params.clone(),
            fingerprint: model.fingerprint.clone(),
            rows: model.rows.clone(),
            folds: model.seen.folds.count,
            estimate: model.estimate.clone(),
            effects: model.effects.clone(),
            patterns: model.patterns.iter().map(PatternHeader::of).collect(),
            fitted: model.fitted.codes.iter().filter_map(index).collect(),
            entries: model.entries.iter().map(entry).collect(),
            complete: model.complete,
            metric: model.metric,
            chosen: model.chosen,
            picked: model.picked,
            members: model.members.iter().map(|member| &member.iterate).map(member).collect(),
        }
    }
}

/// The code of these five-tuples, if they form one.
pub(super) fn code(tuples: &Tuples) -> Result<DfsCode, String> {
    from_tuples(tuples).map_err(|error| error.to_string())
}
