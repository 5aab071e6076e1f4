//! The graphs that a model was fitted on as tensors: `fitted.gaps` and `fitted.counts`, packed bytes, say where patterns occur (see [`Occurrences`]), and `fitted.lengths`
//! (`u32`) how many bytes of each belong to each pattern that the header lists. Where forests are grown again: `fitted.target.t` for task `t`, classes from 1 on
//! (`u32`, 0 where there is none) or numbers (`f64`) with `fitted.known.t` (`u32`, 0 where there is none), and `fitted.summary` (`f64`, graphs x columns).
//!
//! Promise: what loads can be grown on: lists within the graphs, a label of each task, finite numbers of a standardised size.

use super::tensors::Tensors;
use super::{ModelError, Named};
use crate::task::{Labels, Targets, Task, TaskKind};
use crate::{FittedGraphs, Occurrences};
use einsicht_graph::DfsCode;
use safetensors::Dtype;

const GAPS: &str = "fitted.gaps";
const COUNTS: &str = "fitted.counts";
const LENGTHS: &str = "fitted.lengths";
const SUMMARY: &str = "fitted.summary";

/// Standardised numbers are below the root of the number of graphs.
const LARGEST_NUMBER: f64 = 1e9;

/// The tensors.
pub(super) fn tensors(fitted: &FittedGraphs) -> Vec<Named> {
    let FittedGraphs { graphs, occurrences, summary, targets, .. } = fitted;
    let bytes = |name: &str, of: fn(&Occurrences) -> &Vec<u8>| {
        let data: Vec<u8> = occurrences.iter().flat_map(of).copied().collect();
        Named { name: name.to_owned(), dtype: Dtype::U8, shape: vec![data.len()], data }
    };
    let lengths = occurrences.iter().flat_map(|of| [of.gaps.len() as u32, of.counts.len() as u32]);
    let mut all =
        vec![bytes(GAPS, |of| &of.gaps), bytes(COUNTS, |of| &of.counts), Named::u32(LENGTHS.to_owned(), lengths)];
    if !summary.is_empty() {
        all.push(Named::f64(SUMMARY.to_owned(), vec![*graphs, summary.len() / graphs], summary));
    }
    for (task, (labels, _)) in targets.iter().flat_map(|targets| &targets.tasks).enumerate() {
        let name = format!("fitted.target.{task}");
        match labels {
            Labels::Classes(labels) => {
                all.push(Named::u32(name, labels.iter().map(|label| label.map_or(0, |label| label + 1))));
            }
            Labels::Numbers(numbers) => {
                let known: Vec<f64> = numbers.iter().map(|number| number.unwrap_or(0.0)).collect();
                all.push(Named::f64(name, vec![known.len()], &known));
                let is_known = numbers.iter().map(|number| u32::from(number.is_some()));
                all.push(Named::u32(format!("fitted.known.{task}"), is_known));
            }
        }
    }
    all
}

/// Number of tensors.
pub(super) fn num_tensors(fitted: &FittedGraphs) -> usize {
    let of_task = |(labels, _): &(Labels, usize)| if matches!(labels, Labels::Numbers(_)) { 2 } else { 1 };
    let of_targets: usize = fitted.targets.iter().flat_map(|targets| &targets.tasks).map(of_task).sum();
    3 + of_targets + usize::from(!fitted.summary.is_empty())
}

/// Reads what is known of so many graphs about these patterns; with tasks and columns of a summary where forests are grown again.
pub(super) fn load(
    tensors: &Tensors<'_>,
    graphs: usize,
    (codes, has_counts): (Vec<DfsCode>, bool),
    forests: Option<(&[Task], usize)>,
) -> Result<FittedGraphs, ModelError> {
    let wrong = |found: &str| ModelError::Tensor {
        wanted: format!("where {} patterns occur in {graphs} graphs", codes.len()),
        found: found.to_owned(),
    };
    let (gaps, counts) = (tensors.bytes(GAPS)?, tensors.bytes(COUNTS)?);
    let lengths = tensors.u32(LENGTHS)?;
    if lengths.len() != 2 * codes.len() {
        return Err(wrong("its lengths are of others"));
    }
    let (mut left, mut occurrences) = ([&gaps[..], &counts], Vec::with_capacity(codes.len()));
    for lengths in lengths.chunks_exact(2) {
        let mut take = |of: usize| {
            let (bytes, rest) = left[of].split_at_checked(lengths[of] as usize)?;
            left[of] = rest;
            Some(bytes.to_vec())
        };
        let (Some(gaps), Some(counts)) = (take(0), take(1)) else { return Err(wrong("its lists are too short")) };
        let of_pattern = Occurrences { gaps, counts };
        let lists = of_pattern.lists(graphs);
        if lists.is_none_or(|(graphs, counts)| counts.len() != if has_counts { graphs.len() } else { 0 }) {
            return Err(wrong("its lists are not that"));
        }
        occurrences.push(of_pattern);
    }
    if left.iter().any(|left| !left.is_empty()) {
        return Err(wrong("its lists are too long"));
    }
    let mut fitted = FittedGraphs { graphs, codes, occurrences, summary: Vec::new(), targets: None };
    if let Some((tasks, columns)) = forests {
        if columns > 0 {
            fitted.summary = tensors.f64(SUMMARY, &[graphs, columns])?;
        }
        let tasks = tasks.iter().enumerate().map(|(at, task)| Ok((labels(tensors, at, task, graphs)?, task.outputs())));
        fitted.targets = Some(Targets::of_labels(tasks.collect::<Result<_, ModelError>>()?, graphs));
    }
    Ok(fitted)
}

/// The labels of a task.
fn labels(tensors: &Tensors<'_>, at: usize, task: &Task, graphs: usize) -> Result<Labels, ModelError> {
    let (name, is_known) = (format!("fitted.target.{at}"), format!("fitted.known.{at}"));
    let wrong = || ModelError::Tensor {
        wanted: format!("a list {name} of the labels of {graphs} graphs, at least one of them known"),
        found: "it is not that".to_owned(),
    };
    let labels = match &task.kind {
        TaskKind::Classes(names) => {
            let ranks = tensors.u32(&name)?;
            if ranks.len() != graphs || ranks.iter().any(|&rank| rank as usize > names.len()) {
                return Err(wrong());
            }
            Labels::Classes(ranks.iter().map(|rank| rank.checked_sub(1)).collect())
        }
        TaskKind::Number { .. } => {
            let (numbers, known) = (tensors.f64(&name, &[graphs])?, tensors.u32(&is_known)?);
            let is_good = |(number, known): (&f64, &u32)| match known {
                0 => number.to_bits() == 0,
                1 => number.abs() <= LARGEST_NUMBER,
                _ => false,
            };
            if known.len() != graphs || !numbers.iter().zip(&known).all(is_good) {
                return Err(wrong());
            }
            Labels::Numbers(numbers.iter().zip(known).map(|(number, known)| (known == 1).then_some(*number)).collect())
        }
    };
    let is_any = match &labels {
        Labels::Classes(labels) => labels.iter().any(Option::is_some),
        Labels::Numbers(numbers) => numbers.iter().any(Option::is_some),
    };
    if is_any { Ok(labels) } else { Err(wrong()) }
}
