//! How large subgraphs may be, and how many, where nobody said: as large as a counted budget allows, and more of them
//! where graphs are many. And how many graphs a share of them is.
//!
//! Promise: all of it follows from the graphs that the model is fitted on and the language of patterns; targets,
//! threads, memory and clocks have no part in it. What was measured is in `lab/notes/0020` and `0034`.

use crate::splits::fitted_rows;
use einsicht_data::{Dataset, Split};
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineControl, MineError, MineParams, Tally, VisitedPattern, Visitor, mine};
use einsicht_model::params::{CheckedParams, TrainParams, sizes_up_to};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Patterns that may compete.
const MOST_PATTERNS: u64 = 45_000;
/// Patterns that may compete while all may have qualifiers: what is left goes to larger ones without.
const MOST_QUALIFIED: u64 = 30_000;
/// Steps that finding them in all graphs may take, as expected from a sample.
const MOST_STEPS: u64 = 1_000_000_000;
/// Embeddings that take as long as one search for a vertex that counts.
const STEPS_OF_SEARCH: u64 = 4;
/// The limit is never above this, the largest of the paper.
const MOST_EDGES: usize = 9;
/// Graphs in which patterns are counted, evenly spaced; a pattern counts if it is in one of `ONE_IN`: rarer ones are
/// many, and seldom chosen.
const PATTERN_SAMPLE: usize = 2_000;
const ONE_IN: usize = 200;
/// Graphs on which steps are measured, evenly spaced.
const STEP_SAMPLE: usize = 20;

/// The largest number of subgraphs where graphs are few, and where they are many, and the number of graphs that makes
/// them many.
const LARGEST_OF_FEW: usize = 100;
const LARGEST_OF_MANY: usize = 300;
const MANY_GRAPHS: usize = 1_000;
/// From so many graphs on, every second size is left out: each costs the heads of all folds, and they tell no more than
/// their neighbours.
const VERY_MANY_GRAPHS: usize = 10_000;

/// These parameters with what is auto settled for the graphs that the model is fitted on: numbers of subgraphs, and of
/// their edges.
pub fn settled_for(params: &CheckedParams, graphs: &[&Graph]) -> Result<CheckedParams, MineError> {
    let sized = sized_for(params, graphs.len());
    if params.get().max_edges == 0 { with_settled_edges(&sized, graphs) } else { Ok(sized) }
}

/// These parameters with what takes no search settled for so many graphs: numbers of subgraphs, and of graphs that must
/// contain one.
fn sized_for(params: &CheckedParams, graphs: usize) -> CheckedParams {
    let TrainParams { sizes, require, min_support, .. } = params.get();
    let params = params.with_min_support(min_support.of(graphs));
    if sizes.is_empty() { params.with_sizes(sizes_for(graphs, require.len())) } else { params }
}

/// The largest number of edges is settled, whatever it was. Where that of subgraphs with qualifiers is auto, it is
/// settled first, within a part of the budget.
fn with_settled_edges(params: &CheckedParams, graphs: &[&Graph]) -> Result<CheckedParams, MineError> {
    let mut budget = Budget::new(params.get(), graphs);
    let mut max_edges = 1;
    if params.get().max_qualified_edges == 0 {
        max_edges = budget.largest(1..=MOST_EDGES, MOST_QUALIFIED)?.unwrap_or(1);
        budget.params.max_qualified_edges = max_edges;
    }
    max_edges = budget.largest(max_edges..=MOST_EDGES, MOST_PATTERNS)?.unwrap_or(max_edges);
    Ok(params.with_max_edges(max_edges, budget.params.max_qualified_edges))
}

/// The parameters of a fit: what is auto is settled for the graphs that the model is fitted on.
pub fn settled<'a>(
    dataset: &Dataset,
    split: &Split,
    params: &'a CheckedParams,
) -> Result<Cow<'a, CheckedParams>, MineError> {
    if params.get().is_settled() {
        return Ok(Cow::Borrowed(params));
    }
    let graphs: Vec<&Graph> = fitted_rows(split, params.get()).iter().map(|&row| &dataset.graphs[row]).collect();
    settled_for(params, &graphs).map(Cow::Owned)
}

/// The parameters of a fit with what takes no search settled.
pub fn sized(split: &Split, params: &CheckedParams) -> CheckedParams {
    sized_for(params, fitted_rows(split, params.get()).len())
}

/// The numbers of subgraphs on the path of a model that is fitted on so many graphs, and has at least so many
/// subgraphs.
fn sizes_for(graphs: usize, least: usize) -> Vec<usize> {
    let mut sizes = sizes_up_to(if graphs < MANY_GRAPHS { LARGEST_OF_FEW } else { LARGEST_OF_MANY });
    if graphs >= VERY_MANY_GRAPHS {
        sizes = sizes.into_iter().step_by(2).collect();
        debug_assert_eq!(sizes.last(), Some(&LARGEST_OF_MANY), "the largest stays");
    }
    sizes.retain(|&size| size >= least);
    if sizes.is_empty() {
        sizes.push(least);
    }
    sizes
}

/// What is counted, and on which graphs.
struct Budget {
    params: TrainParams,
    of_patterns: Vec<Graph>,
    of_steps: Vec<Graph>,
    graphs: usize,
    /// Smallest number of the sampled graphs that must contain a pattern.
    min_support: usize,
}

impl Budget {
    fn new(params: &TrainParams, graphs: &[&Graph]) -> Self {
        let of_patterns = sample(graphs, PATTERN_SAMPLE);
        let min_support = params.min_support.of(graphs.len()).max(of_patterns.len().div_ceil(ONE_IN));
        let of_steps = sample(graphs, STEP_SAMPLE);
        Self { params: params.clone(), of_patterns, of_steps, graphs: graphs.len(), min_support }
    }

    /// The last number of edges with which at most `most` patterns compete, if there is one.
    fn largest(&self, edges: RangeInclusive<usize>, most: u64) -> Result<Option<usize>, MineError> {
        let (mut settled, mut patterns, mut steps) = (None, Growth::default(), Growth::default());
        for max_edges in edges {
            // Three times too many would take long to count, and are hardly ever fewer than expected by so much.
            if steps.expected() > MOST_STEPS || patterns.expected() > 3 * most {
                break;
            }
            let mut capped = Capped { tally: Tally::default(), most };
            self.count(&self.of_patterns, max_edges, (self.min_support, Counts::Off), &mut capped)?;
            let found = capped.tally.patterns;
            patterns.add(found);
            if found > most {
                break;
            }
            settled = Some(max_edges);
            if max_edges < MOST_EDGES {
                let counts = self.params.values().counts();
                let how = (self.params.min_support.of(self.graphs), counts);
                let taken = self.count(&self.of_steps, max_edges, how, &mut Tally::default())?;
                steps.add(taken * self.graphs as u64 / self.of_steps.len().max(1) as u64);
            }
        }
        Ok(settled)
    }

    /// Counts patterns. Gives the number of steps to find them.
    fn count(
        &self,
        graphs: &[Graph],
        max_edges: usize,
        (min_support, counts): (usize, Counts),
        visitor: &mut impl Visitor,
    ) -> Result<u64, MineError> {
        let params = TrainParams { max_edges, ..self.params.clone() };
        let &TrainParams { min_edges, max_qualifiers, .. } = &params;
        let max_qualified_edges = params.qualified_edges();
        let params = MineParams {
            min_edges,
            max_edges,
            max_qualifiers,
            max_qualified_edges,
            min_support,
            counts,
            ..MineParams::default()
        };
        let stats = mine(graphs, &params, visitor)?.stats;
        Ok(stats.embeddings + STEPS_OF_SEARCH * stats.searched)
    }
}

/// Counts patterns until there are more than `most`: how many more does not matter.
struct Capped {
    tally: Tally,
    most: u64,
}

impl Capped {
    fn is_over(&self) -> bool {
        self.tally.patterns > self.most
    }
}

impl Visitor for Capped {
    fn visit(&mut self, found: &VisitedPattern<'_>) -> MineControl {
        self.tally.visit(found);
        if self.is_over() { MineControl::Stop } else { MineControl::Grow }
    }

    fn grows_all(&self) -> bool {
        !self.is_over()
    }

    fn reads_codes(&self) -> bool {
        self.tally.reads_codes()
    }

    fn fork(&self) -> Self {
        Self { tally: self.tally.fork(), ..*self }
    }

    fn join(&mut self, later: Self) {
        self.tally.join(later.tally);
    }
}

/// At most so many of the graphs, evenly spaced.
fn sample(graphs: &[&Graph], most: usize) -> Vec<Graph> {
    let step = graphs.len().div_ceil(most).max(1);
    graphs.iter().step_by(step).map(|&graph| graph.clone()).collect()
}

/// The last two numbers of a sequence that grows by a factor.
#[derive(Default)]
struct Growth([u64; 2]);

impl Growth {
    fn add(&mut self, next: u64) {
        self.0 = [self.0[1], next];
    }

    /// The next number, if the factor stays as it was; 0 where nothing is known.
    fn expected(&self) -> u64 {
        let [before, last] = self.0;
        u128::from(last)
            .pow(2)
            .checked_div(u128::from(before))
            .map_or(0, |next| u64::try_from(next).unwrap_or(u64::MAX))
    }
}
