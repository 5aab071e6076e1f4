//! Which arrays a model has: their names, their shapes and what they mean, said once for both ways (see [`Arrays`]).
//!
//! `docs/formats.md` lists them. Promise: what comes out agrees with the rest of the model, so that whoever reads it
//! may index by it: weights for all units, lists within the graphs of the fit, forests in which every path ends.

use super::ModelError;
use super::arrays::Arrays;
use crate::applicability::capped_counts;
use crate::gnn::{Gin, GnnBranch};
use crate::heads::{Forests, Head, LazyForests, Linear, TaskForest, blend_parts, forest_code};
use crate::side::Encoder;
use crate::task::{Labels, Targets, Task, TaskKind, num_outputs};
use crate::{Background, FittedGraphs, ForestSource, Iterate, Member, Model, ModelSide, Occurrences};
use crate::{PairWeights, PathEntry, PatternWeights, SeenGraphs};
use einsicht_data::Fingerprint;
use std::sync::Arc;

/// Means and scales of the attributes that a graph network reads.
const ATTRIBUTE_MEAN: &str = "attributes.mean";
const ATTRIBUTE_SCALE: &str = "attributes.scale";
/// The weight of each training graph, if they are not all 1.
const GRAPH_WEIGHTS: &str = "graph_weights";
/// In no fold.
const NO_FOLD: u32 = u32::MAX;
/// Standardised numbers are below the root of the number of graphs.
const LARGEST_NUMBER: f64 = 1e9;

/// The model with its arrays: those that it has go in, or those of a file come out, for a model that lacks them.
pub(super) fn through(arrays: &mut Arrays<'_>, mut model: Model) -> Result<Model, ModelError> {
    let attributes = model.side.as_ref().map_or(0, |side| arrays.len_of(ATTRIBUTE_MEAN, side.encoder.mean.len()));
    let (mut entries, mut members) = (std::mem::take(&mut model.entries), std::mem::take(&mut model.members));
    let graphs = model.fitted_rows().len();
    let widths = Widths::of(&model, attributes);
    let mut content = Content { arrays, model: &model, graphs, widths };
    let graph_weights = content.graph_weights()?;
    let fitted = Arc::new(content.fitted()?);
    let source = content.model.params.head.has_forests().then(|| ForestSource {
        fitted: Arc::clone(&fitted),
        weights: Arc::new(graph_weights.clone().unwrap_or_else(|| vec![1.0; graphs])),
        params: model.params.head_params(),
        values: model.params.values(),
    });
    for (at, entry) in entries.iter_mut().enumerate() {
        content.entry(&format!("entry.{at}"), entry, source.as_ref().filter(|_| at != model.chosen))?;
    }
    for (at, Member { iterate, head }) in members.iter_mut().enumerate() {
        let name = format!("member.{at}");
        *iterate = content.iterate(&name, iterate)?;
        *head = content.head(&name, head.as_ref(), iterate, None)?;
    }
    let mut seen = content.seen(&entries)?;
    if !model.picked {
        seen.counts = fitted_counts(&fitted, &entries[model.chosen])?;
    }
    let backgrounds =
        entries.iter().enumerate().map(|(at, entry)| content.background(at, entry.iterate.patterns.len()));
    let backgrounds = backgrounds.collect::<Result<_, _>>()?;
    let side = content.side(entries.len())?;
    Ok(Model { seen, backgrounds, fitted, graph_weights, entries, members, side, ..model })
}

/// Counts of an entry's patterns in the graphs of the fit: similarity to these is about the choice by held-out graphs.
fn fitted_counts(fitted: &FittedGraphs, entry: &PathEntry) -> Result<Vec<u8>, ModelError> {
    let places = fitted.places(entry.iterate.patterns.iter().map(|pattern| &pattern.code));
    let places = places.ok_or(ModelError::Order { what: "patterns of the chosen entry in the fit".to_owned() })?;
    Ok(capped_counts(&fitted.supports(&places), fitted.graphs))
}

/// Lengths that follow from the parameters, the tasks and the vocabularies.
struct Widths {
    attributes: usize,
    /// Parameters of the layers behind the mining layer.
    network: usize,
    /// Parameters of the graph network, if there is one.
    gnn: Option<usize>,
    /// Columns of the summary and of the features.
    summary: usize,
    /// Columns of these or of the graph network.
    beside: usize,
}

impl Widths {
    fn of(model: &Model, attributes: usize) -> Self {
        let (params, labels) = (&model.params, model.vertex_labels.len());
        let gin = params.gin_shape(labels, attributes, model.edge_labels.len());
        let gnn = gin.as_ref().map(Gin::num_parameters);
        let summary = params.summary.width(labels, attributes) + model.features().count();
        let beside = summary + gin.as_ref().map_or(0, Gin::outputs);
        let network = gin.into_iter().fold(params.network(num_outputs(&model.tasks)), |network, gin| {
            network.with_gnn_branch(GnnBranch { gin, graphs: Arc::default(), fitted: true })
        });
        Self { attributes, network: network.num_feed_forward(), gnn, summary, beside }
    }
}

/// The arrays, and what they depend on.
struct Content<'c, 'a> {
    arrays: &'c mut Arrays<'a>,
    /// The model, but for its entries and members.
    model: &'c Model,
    /// Graphs of the fit.
    graphs: usize,
    widths: Widths,
}

impl Content<'_, '_> {
    /// The weights of the graphs of the fit, if they differ.
    fn graph_weights(&mut self) -> Result<Option<Vec<f64>>, ModelError> {
        let given = self.model.graph_weights.as_deref().unwrap_or_default();
        if self.arrays.len_of(GRAPH_WEIGHTS, given.len()) == 0 {
            return Ok(None);
        }
        let weights = self.arrays.f64(GRAPH_WEIGHTS.to_owned(), &[self.graphs], given)?;
        // A tree may draw a graph as often as there are graphs.
        let rows = self.graphs as f64;
        let most = weights.iter().fold(0.0, |most: f64, weight| most.max(*weight)) * rows * rows;
        if weights.iter().any(|weight| *weight < 0.0) || !most.is_finite() || most == 0.0 {
            let wanted = format!("{GRAPH_WEIGHTS} that are not negative and have a finite sum above 0");
            return Err(ModelError::Tensor { wanted, found: "they are not that".to_owned() });
        }
        Ok(Some(weights))
    }

    /// An entry of the path. Only the chosen one has its forests in the file; others grow theirs from the source.
    fn entry(&mut self, name: &str, entry: &mut PathEntry, source: Option<&ForestSource>) -> Result<(), ModelError> {
        entry.iterate = self.iterate(name, &entry.iterate)?;
        if let Some(before) = &mut entry.before {
            before.iterate = self.iterate(&format!("{name}.before"), &before.iterate)?;
        }
        let missing = || ModelError::Order { what: format!("patterns of {name} in the graphs of the fit") };
        let later = source.map(|source| source.later(&entry.iterate).ok_or_else(missing)).transpose()?;
        entry.head = self.head(name, entry.head.as_ref(), &entry.iterate, later)?;
        Ok(())
    }

    /// Places in the list of all patterns, increasing.
    fn places(&mut self, name: &str, given: Vec<usize>) -> Result<Vec<usize>, ModelError> {
        let places = self.arrays.u32(name.to_owned(), given.into_iter().map(|at| at as u32).collect())?;
        let places: Vec<usize> = places.into_iter().map(|at| at as usize).collect();
        let all = self.model.patterns.len();
        if !places.is_sorted_by(|a, b| a < b) || places.last().is_some_and(|last| *last >= all) {
            return Err(ModelError::Order { what: name.to_owned() });
        }
        Ok(places)
    }

    fn iterate(&mut self, name: &str, given: &Iterate) -> Result<Iterate, ModelError> {
        let hidden = self.model.params.hidden;
        let places = self.places(&format!("{name}.patterns"), self.model.places(given))?;
        let rows: Vec<f64> = given.patterns.iter().flat_map(|pattern| &pattern.weights).copied().collect();
        let rows = self.arrays.f64(format!("{name}.weights"), &[places.len(), hidden], &rows)?;
        let code = |place: &usize| self.model.patterns[*place].code.clone();
        let patterns = places.iter().zip(rows.chunks_exact(hidden));
        let patterns = patterns.map(|(place, row)| PatternWeights { code: code(place), weights: row.to_vec() });
        let patterns = patterns.collect();
        let pairs = self.pairs(name, &given.pairs, &places)?;
        let bias = self.arrays.f64(format!("{name}.bias"), &[hidden], &given.bias)?;
        let (network, gnn) = given.network.split_at(given.network.len().min(self.widths.network));
        let mut network = self.arrays.f64(format!("{name}.network"), &[self.widths.network], network)?;
        if let Some(len) = self.widths.gnn {
            network.extend(self.arrays.f64(format!("{name}.gnn"), &[len], gnn)?);
        }
        Ok(Iterate { patterns, pairs, bias, network })
    }

    /// Pairs of patterns that are in use.
    fn pairs(&mut self, name: &str, given: &[PairWeights], in_use: &[usize]) -> Result<Vec<PairWeights>, ModelError> {
        let (name, hidden) = (format!("{name}.pairs"), self.model.params.hidden);
        if self.arrays.len_of(&name, given.len()) == 0 {
            return Ok(Vec::new());
        }
        let places = given.iter().flat_map(|pair| &pair.codes).filter_map(|code| self.model.place(code));
        let places = self.arrays.u32(name.clone(), places.map(|at| at as u32).collect())?;
        let is_pair =
            |of: &[u32]| of.is_sorted_by(|a, b| a < b) && of.iter().all(|at| in_use.contains(&(*at as usize)));
        if !places.len().is_multiple_of(2) || !places.chunks(2).all(is_pair) {
            return Err(ModelError::Order { what: name });
        }
        let flat = |of: fn(&PairWeights) -> &[f64]| given.iter().flat_map(of).copied().collect::<Vec<f64>>();
        let pairs = places.len() / 2;
        let means = self.arrays.f64(format!("{name}.means"), &[pairs, 2], &flat(|pair| &pair.means))?;
        let weights = self.arrays.f64(format!("{name}.weights"), &[pairs, hidden], &flat(|pair| &pair.weights))?;
        let code = |place: &u32| self.model.patterns[*place as usize].code.clone();
        let numbers = means.chunks_exact(2).zip(weights.chunks_exact(hidden));
        let pair = |(places, (means, weights)): (&[u32], (&[f64], &[f64]))| PairWeights {
            codes: places.iter().map(code).collect(),
            means: [means[0], means[1]],
            weights: weights.to_vec(),
        };
        Ok(places.chunks(2).zip(numbers).map(pair).collect())
    }

    /// The head on an iterate. Its forests are in the file, or they are grown later.
    fn head(
        &mut self,
        name: &str,
        given: Option<&Head>,
        iterate: &Iterate,
        later: Option<LazyForests>,
    ) -> Result<Option<Head>, ModelError> {
        let kind = self.model.params.head;
        if !kind.is_fitted() {
            return Ok(None);
        }
        let (has_linear, has_forests) = (kind.has_linear(), kind.has_forests());
        let mut linear = None;
        if has_linear {
            linear = Some(self.linear(name, given.and_then(|head| head.linear.as_ref()), iterate)?);
        }
        let mut forest_weight = f64::from(u8::from(has_forests));
        if has_linear && has_forests {
            let given = given.map_or(0.0, |head| head.forest_weight);
            forest_weight = self.arrays.f64(format!("{name}.head.share"), &[1], &[given])?[0];
        }
        if !(0.0..=1.0).contains(&forest_weight) {
            let wanted = format!("a weight {name}.head.share from 0 to 1");
            return Err(ModelError::Tensor { wanted, found: forest_weight.to_string() });
        }
        let forests = match later {
            None if has_forests => {
                let columns = iterate.patterns.len() + self.widths.summary;
                Some(self.forests(name, given.and_then(|head| head.forests.as_ref()), columns)?)
            }
            later => later,
        };
        Ok(Some(Head { linear, forests, forest_weight }))
    }

    /// A row for each output: a weight for each pattern, each column of the summary and each pair, then the offset.
    fn linear(&mut self, name: &str, given: Option<&Linear>, iterate: &Iterate) -> Result<Linear, ModelError> {
        let pairs = iterate.pairs_of_columns();
        let columns = iterate.patterns.len() + self.widths.summary + pairs.len();
        let mut rows = Vec::new();
        for (output, offset) in given.iter().flat_map(|linear| linear.offsets.iter().enumerate()) {
            rows.extend(given.iter().flat_map(|linear| &linear.weights[output * columns..(output + 1) * columns]));
            rows.push(*offset);
        }
        let shape = [num_outputs(&self.model.tasks), columns + 1];
        let rows = self.arrays.f64(format!("{name}.head.linear"), &shape, &rows)?;
        let (mut weights, mut offsets) = (Vec::new(), Vec::new());
        for row in rows.chunks_exact(columns + 1) {
            weights.extend_from_slice(&row[..columns]);
            offsets.push(row[columns]);
        }
        Ok(Linear { weights, pairs, offsets })
    }

    fn forests(&mut self, name: &str, given: Option<&LazyForests>, columns: usize) -> Result<LazyForests, ModelError> {
        let mut forests = Forests { tasks: Vec::new() };
        for (at, task) in self.model.tasks.iter().enumerate() {
            let is_classes = task.is_classification();
            let width = if is_classes { task.outputs().max(2) } else { 1 };
            let given = given.and_then(|given| given.tasks.get(at)).map(|of_task| forest_code::encode(&of_task.forest));
            let name = format!("{name}.head.forest.{at}");
            let code = self.arrays.bytes(name.clone(), given.unwrap_or_default())?;
            let forest = forest_code::decode(&code, width).filter(|forest| forest.check(columns));
            let forest = forest.ok_or_else(|| ModelError::Tensor {
                wanted: format!("a forest {name} on {columns} columns in which every path ends at a leaf"),
                found: "its lists do not form one".to_owned(),
            })?;
            forests.tasks.push(TaskForest { forest, is_classes });
        }
        Ok(forests.into())
    }

    /// What explanations compare a graph with, for an entry with so many patterns.
    fn background(&mut self, entry: usize, patterns: usize) -> Result<Background, ModelError> {
        let (name, fitted) = (format!("entry.{entry}"), self.graphs);
        let given = self.model.backgrounds.get(entry).cloned().unwrap_or_default();
        let graphs = self.arrays.u32(format!("{name}.background.graphs"), given.graphs)?;
        let counts = self.arrays.u32(format!("{name}.background.counts"), given.counts)?;
        let rows = graphs.len();
        let known: u64 = graphs.iter().map(|graphs| u64::from(*graphs)).sum();
        let is_sample = (1..=Background::MOST_ROWS).contains(&rows) && !graphs.contains(&0) && known <= fitted as u64;
        if !is_sample || counts.len() != rows * patterns {
            let most = Background::MOST_ROWS;
            let wanted = format!(
                "a background of {name}: 1 to {most} rows of {patterns} subgraphs, from the {fitted} graphs of the \
                 training"
            );
            let found = format!("it has {rows} rows with {} counts, of {known} graphs", counts.len());
            return Err(ModelError::Tensor { wanted, found });
        }
        let beside = match self.widths.beside {
            0 => Vec::new(),
            columns => self.arrays.f64(format!("{name}.background.beside"), &[rows, columns], &given.beside)?,
        };
        Ok(Background { graphs, counts, beside })
    }

    /// The graphs that the model has seen: hashes in four numbers each, the fold of each, and outputs for those that
    /// have one.
    fn seen(&mut self, entries: &[PathEntry]) -> Result<SeenGraphs, ModelError> {
        let Model { rows, seen: given, tasks, .. } = self.model;
        let (graphs, count) = (rows.train.len() + rows.valid.len(), given.folds.count);
        let words = |hash: &Fingerprint| [96, 64, 32, 0].map(|shift| (hash.0 >> shift) as u32);
        let hashes = self.arrays.u32("seen.hashes".to_owned(), given.hashes.iter().flat_map(words).collect())?;
        let folds = given.folds.of.iter().map(|fold| fold.unwrap_or(NO_FOLD)).collect();
        let folds = self.arrays.u32("seen.folds".to_owned(), folds)?;
        let is_fold = |fold: &u32| *fold == NO_FOLD || (*fold as usize) < count;
        if hashes.len() != 4 * graphs || folds.len() != graphs || !folds.iter().all(is_fold) {
            let wanted = format!("a hash and a fold of {graphs} graphs in {count} folds");
            return Err(ModelError::Tensor { wanted, found: "seen.hashes and seen.folds are not that".to_owned() });
        }
        let hash = |words: &[u32]| Fingerprint(words.iter().fold(0, |hash, word| hash << 32 | u128::from(*word)));
        let mut seen = SeenGraphs { hashes: hashes.chunks_exact(4).map(hash).collect(), ..SeenGraphs::default() };
        seen.folds.of = folds.iter().map(|&fold| (fold != NO_FOLD).then_some(fold)).collect();
        seen.folds.count = count;
        let held_out = [seen.folds.of.iter().flatten().count() * num_outputs(tasks)];
        let kind = self.model.params.head;
        let parts = if kind.has_linear() && kind.has_forests() { 2 } else { 1 };
        for (at, entry) in entries.iter().enumerate() {
            let given = given.parts.get(at);
            let part = |part: usize| {
                let given = given.and_then(|given| given.get(part)).map_or(&[][..], Vec::as_slice);
                self.arrays.f64(format!("entry.{at}.out_of_fold.{part}"), &held_out, given)
            };
            let parts: Vec<Vec<f64>> = (0..parts).map(part).collect::<Result<_, _>>()?;
            let forest_weight = entry.head.as_ref().map_or(0.0, |head| head.forest_weight);
            seen.outputs.push(blend_parts(&parts, forest_weight, tasks));
            seen.parts.push(parts);
        }
        Ok(seen)
    }

    /// What a summary, features or a graph network need, if their outputs are any.
    fn side(&mut self, entries: usize) -> Result<Option<ModelSide>, ModelError> {
        let &Widths { attributes, beside, .. } = &self.widths;
        if beside == 0 {
            return Ok(None);
        }
        let Some(ModelSide { encoder, means: given }) = &self.model.side else {
            let wanted = "an encoding of what is read beside subgraphs".to_owned();
            return Err(ModelError::Tensor { wanted, found: "it has none".to_owned() });
        };
        let mean = self.arrays.f64(ATTRIBUTE_MEAN.to_owned(), &[attributes], &encoder.mean)?;
        let scale = self.arrays.f64(ATTRIBUTE_SCALE.to_owned(), &[attributes], &encoder.scale)?;
        if let Some(at) = scale.iter().position(|scale| *scale <= 0.0) {
            return Err(ModelError::NotFinite { name: format!("1 / {ATTRIBUTE_SCALE}"), at });
        }
        let mut means = Vec::with_capacity(entries);
        for at in 0..entries {
            let given = given.get(at).map_or(&[][..], Vec::as_slice);
            means.push(self.arrays.f64(format!("entry.{at}.mean_beside"), &[beside], given)?);
        }
        let features = encoder.features.clone();
        Ok(Some(ModelSide { encoder: Encoder { mean, scale, features }, means }))
    }

    /// The graphs of the fit: where patterns occur (see [`Occurrences`]) and, where forests are grown again, their
    /// summary and targets.
    fn fitted(&mut self) -> Result<FittedGraphs, ModelError> {
        let (given, graphs) = (&self.model.fitted, self.graphs);
        let joined = |of: fn(&Occurrences) -> &Vec<u8>| given.occurrences.iter().flat_map(of).copied().collect();
        let gaps = self.arrays.bytes("fitted.gaps".to_owned(), joined(|of| &of.gaps))?;
        let counts = self.arrays.bytes("fitted.counts".to_owned(), joined(|of| &of.counts))?;
        let lengths = given.occurrences.iter().flat_map(|of| [of.gaps.len() as u32, of.counts.len() as u32]);
        let lengths = self.arrays.u32("fitted.lengths".to_owned(), lengths.collect())?;
        let places = given.codes.iter().filter_map(|code| self.model.place(code)).collect();
        let places = self.places("fitted.patterns", places)?;
        let codes = places.iter().map(|&place| self.model.patterns[place].code.clone()).collect();
        let mut fitted = FittedGraphs { graphs, codes, ..FittedGraphs::default() };
        let has_counts = self.model.params.values().needs_counts();
        fitted.occurrences = occurrences(&fitted, [&gaps, &counts], &lengths, has_counts).map_err(|found| {
            let wanted = format!("where {} patterns occur in {graphs} graphs", fitted.codes.len());
            ModelError::Tensor { wanted, found: found.to_owned() }
        })?;
        if self.model.params.head.has_forests() {
            if self.widths.summary > 0 {
                let shape = [graphs, self.widths.summary];
                fitted.summary = self.arrays.f64("fitted.summary".to_owned(), &shape, &given.summary)?;
            }
            let mut targets = Vec::new();
            for (at, task) in self.model.tasks.iter().enumerate() {
                let known = given.targets.as_ref().and_then(|targets| targets.tasks.get(at));
                targets.push((self.labels(at, task, known.map(|known| &known.0))?, task.outputs()));
            }
            fitted.targets = Some(Targets::of_labels(targets, graphs));
        }
        Ok(fitted)
    }

    /// The labels of a task: classes from 1 on, 0 where there is none, or numbers and whether they are known.
    fn labels(&mut self, at: usize, task: &Task, given: Option<&Labels>) -> Result<Labels, ModelError> {
        let (name, graphs) = (format!("fitted.target.{at}"), self.graphs);
        let wrong = || ModelError::Tensor {
            wanted: format!("a list fitted.target.{at} of the labels of {graphs} graphs, at least one of them known"),
            found: "it is not that".to_owned(),
        };
        match &task.kind {
            TaskKind::Classes(names) => {
                let given = if let Some(Labels::Classes(given)) = given { &given[..] } else { &[] };
                let ranks = given.iter().map(|label| label.map_or(0, |label| label + 1)).collect();
                let ranks = self.arrays.u32(name, ranks)?;
                let is_rank = |rank: &u32| *rank as usize <= names.len();
                let is_good = ranks.len() == graphs && ranks.iter().all(is_rank) && ranks.iter().any(|rank| *rank > 0);
                let labels = ranks.iter().map(|rank| rank.checked_sub(1)).collect();
                is_good.then_some(Labels::Classes(labels)).ok_or_else(wrong)
            }
            TaskKind::Number { .. } => {
                let given = if let Some(Labels::Numbers(given)) = given { &given[..] } else { &[] };
                let numbers: Vec<f64> = given.iter().map(|number| number.unwrap_or(0.0)).collect();
                let numbers = self.arrays.f64(name, &[graphs], &numbers)?;
                let known = given.iter().map(|number| u32::from(number.is_some())).collect();
                let known = self.arrays.u32(format!("fitted.known.{at}"), known)?;
                let is_number = |(number, known): (&f64, &u32)| match known {
                    0 => number.to_bits() == 0,
                    1 => number.abs() <= LARGEST_NUMBER,
                    _ => false,
                };
                let is_good = known.len() == graphs && numbers.iter().zip(&known).all(is_number) && known.contains(&1);
                let labels = numbers.iter().zip(&known).map(|(number, known)| (*known == 1).then_some(*number));
                is_good.then_some(Labels::Numbers(labels.collect())).ok_or_else(wrong)
            }
        }
    }
}

/// Where the patterns occur, from the joined lists of all and the two lengths of each; or what is wrong with them.
fn occurrences(
    fitted: &FittedGraphs,
    [mut gaps, mut counts]: [&[u8]; 2],
    lengths: &[u32],
    has_counts: bool,
) -> Result<Vec<Occurrences>, &'static str> {
    if lengths.len() != 2 * fitted.codes.len() {
        return Err("its lengths are of others");
    }
    let take = |left: &mut &[u8], len: u32| {
        let (taken, rest) = left.split_at_checked(len as usize).ok_or("its lists are too short")?;
        *left = rest;
        Ok::<_, &'static str>(taken.to_vec())
    };
    let mut all = Vec::with_capacity(fitted.codes.len());
    for lengths in lengths.chunks_exact(2) {
        let of_pattern = Occurrences { gaps: take(&mut gaps, lengths[0])?, counts: take(&mut counts, lengths[1])? };
        let lists = of_pattern.lists(fitted.graphs);
        if lists.is_none_or(|(graphs, counts)| counts.len() != if has_counts { graphs.len() } else { 0 }) {
            return Err("its lists are not that");
        }
        all.push(of_pattern);
    }
    if gaps.is_empty() && counts.is_empty() { Ok(all) } else { Err("its lists are too long") }
}
