//! How large subgraphs may be where nobody said: as large as a counted budget allows.
//!
//! Promise: the limit follows from the graphs that the model is fitted on and the language of patterns; targets, threads, memory and clocks have no part in
//! it. What was measured is in `docs/decisions/0020`.

use crate::params::{CheckedParams, TrainParams};
use einsicht_graph::Graph;
use einsicht_graph::mine::{Counts, MineError, MineParams, Tally, mine};

/// Patterns that may compete.
const MOST_PATTERNS: u64 = 45_000;
/// Steps that finding them in all graphs may take, as expected from a sample.
const MOST_STEPS: u64 = 1_000_000_000;
/// Embeddings that take as long as one search for a vertex that counts.
const STEPS_OF_SEARCH: u64 = 4;
/// The limit is never above this, the largest of the paper.
const MOST_EDGES: usize = 9;
/// Graphs in which patterns are counted, evenly spaced; a pattern counts if it is in one of `ONE_IN`: rarer ones are many, and seldom chosen.
const PATTERN_SAMPLE: usize = 2_000;
const ONE_IN: usize = 200;
/// Graphs on which steps are measured, evenly spaced.
const STEP_SAMPLE: usize = 20;

impl CheckedParams {
    /// These parameters with the largest number of edges settled for the graphs that the model is fitted on, whatever it was.
    pub fn settled(&self, graphs: &[&Graph]) -> Result<Self, MineError> {
        let params = self.get();
        let of_patterns = sample(graphs, PATTERN_SAMPLE);
        let of_steps = sample(graphs, STEP_SAMPLE);
        let min_support = params.min_support.max(of_patterns.len().div_ceil(ONE_IN));
        let (mut settled, mut patterns, mut steps) = (1, Growth::default(), Growth::default());
        for max_edges in 1..=MOST_EDGES {
            // Three times too many would take long to count, and are hardly ever fewer than expected by so much.
            if steps.expected() > MOST_STEPS || patterns.expected() > 3 * MOST_PATTERNS {
                break;
            }
            let (found, _) = count(&of_patterns, params, max_edges, min_support, Counts::Off)?;
            patterns.add(found);
            if found > MOST_PATTERNS {
                break;
            }
            settled = max_edges;
            if max_edges < MOST_EDGES {
                let (_, taken) = count(&of_steps, params, max_edges, params.min_support, params.values().counts())?;
                steps.add(taken * graphs.len() as u64 / of_steps.len().max(1) as u64);
            }
        }
        Ok(self.with_max_edges(settled))
    }
}

/// At most so many of the graphs, evenly spaced.
fn sample(graphs: &[&Graph], most: usize) -> Vec<Graph> {
    let step = graphs.len().div_ceil(most).max(1);
    graphs.iter().step_by(step).map(|&graph| graph.clone()).collect()
}

/// Numbers of patterns and of steps to find them.
fn count(
    graphs: &[Graph],
    params: &TrainParams,
    max_edges: usize,
    min_support: usize,
    counts: Counts,
) -> Result<(u64, u64), MineError> {
    let &TrainParams { min_edges, max_qualifiers, .. } = params;
    let params = MineParams { min_edges, max_edges, max_qualifiers, min_support, counts, ..MineParams::default() };
    let mut tally = Tally::default();
    let stats = mine(graphs, &params, &mut tally)?.stats;
    Ok((tally.patterns, stats.embeddings + STEPS_OF_SEARCH * stats.searched))
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
