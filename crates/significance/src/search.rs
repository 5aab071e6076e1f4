//! The search for significant subgraphs: from frequent subgraphs down to rare ones, until rarer ones cannot matter.
//!
//! Why the subgraphs that are never listed change nothing: let `f` be the most extreme test that is not significant,
//! with score `E`, and let no support of fewer than `s` graphs have a score above `E - MARGIN` under any order of the
//! target ([`Statistic::reach`] is such a bound, for it knows the size of the support alone). Listing all tests instead
//! of those with at least `s` graphs changes maxima over permutations only below `E`, so no count of a test above `E`
//! changes: its adjusted p-value is exact. The p-value of `f` can only grow, and what is not listed is less extreme
//! than `f`, so its adjusted p-value is at least that of `f`: above `alpha`. The margin keeps scores of sizes that are
//! not listed out of the chains of ties at `E` and above.

use crate::permuted::Permuter;
use crate::statistic::{Scores, Statistic, Test};
use crate::step_down::{Observed, StepDown};
use crate::{Response, SignificanceError};
use einsicht_graph::mine::{MineParams, PatternList, PatternListBuilder, mine};
use einsicht_graph::{DfsCode, Graph, Support};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Much more than rounding, much less than differs in a p-value that anybody reads.
const MARGIN: f64 = 1e-6;

/// What to test and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The subgraphs; `counts` must be off.
    pub mine: MineParams,
    /// Number of permutations: the smallest p-value is `1 / (permutations + 1)`.
    pub permutations: u32,
    /// The level: the largest chance of any false discovery, and the largest p-value that is exact.
    pub alpha: f64,
    /// Seed of the permutations.
    pub seed: u64,
    /// Whether rare subgraphs are left out where that changes nothing. For tests and for the doubtful.
    pub prune: bool,
}

impl Default for Params {
    /// Single vertices and subgraphs of up to six edges, 10 000 permutations, level 0.05.
    fn default() -> Self {
        let mine = MineParams { min_edges: 0, ..MineParams::default() };
        Self { mine, permutations: 10_000, alpha: 0.05, seed: 0, prune: true }
    }
}

/// A significant association of a support class with the target.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The smallest subgraph of the class.
    pub code: DfsCode,
    /// How many further subgraphs are in exactly these graphs.
    pub others: usize,
    /// The graphs.
    pub support: Arc<Support>,
    /// The target class that is tested against the rest; nothing for numbers.
    pub target: Option<u32>,
    /// Difference from what is expected, in standard deviations under permutation.
    pub z: f64,
    /// The exact p-value of this test alone, not corrected; nothing for numbers.
    pub alone: Option<f64>,
    /// The p-value, adjusted for everything that was searched.
    pub adjusted: f64,
}

/// What was found and how much was searched.
#[derive(Clone, Debug)]
pub struct Significance {
    /// The most significant first.
    pub findings: Vec<Finding>,
    /// Subgraphs that were listed.
    pub subgraphs: usize,
    /// Different supports of these.
    pub classes: usize,
    /// Subgraphs in fewer graphs were not listed: if this is more than was asked for, they cannot be significant.
    pub min_support: usize,
}

/// Tests all subgraphs of the graphs. Without strata, all graphs are exchanged with one another.
pub fn significant(
    graphs: &[Graph],
    response: &Response,
    strata: Option<&[u32]>,
    params: &Params,
) -> Result<Significance, SignificanceError> {
    let statistic = checked(graphs, response, strata, params)?;
    let permuter = Permuter::new(graphs.len(), strata, params.seed);
    if is_constant_within(response, permuter.strata()) {
        return Err(SignificanceError::Constant { graphs: graphs.len(), strata: true });
    }
    let least = params.mine.min_support;
    let mut min_support = if params.prune { least.max(graphs.len() / 8) } else { least };
    let reach = statistic.reach();
    loop {
        let listed = Listed::new(graphs, &MineParams { min_support, ..params.mine.clone() })?;
        let tests = listed.test(&statistic, &permuter, params);
        let others = tests.iter().filter(|(_, adjusted)| *adjusted > params.alpha);
        let most = others.map(|(observed, _)| observed.score).fold(f64::NEG_INFINITY, f64::max);
        let needed = reach.iter().position(|&score| score > most - MARGIN).unwrap_or(reach.len()).max(least);
        if min_support <= needed {
            return Ok(listed.into_significance(&statistic, &tests, params.alpha, min_support));
        }
        min_support = needed.max(min_support / 2);
    }
}

fn checked(
    graphs: &[Graph],
    response: &Response,
    strata: Option<&[u32]>,
    params: &Params,
) -> Result<Statistic, SignificanceError> {
    let &Params { alpha, permutations, .. } = params;
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(SignificanceError::Alpha { got: alpha });
    }
    for got in [response.len(), strata.map_or(graphs.len(), <[u32]>::len)] {
        if got != graphs.len() {
            return Err(SignificanceError::Lengths { graphs: graphs.len(), got });
        }
    }
    let resolution = 1.0 / (f64::from(permutations) + 1.0);
    if resolution > alpha {
        let least = (1.0 / alpha).ceil() as u32 - 1;
        return Err(SignificanceError::FewPermutations { alpha, least, got: permutations, resolution });
    }
    let statistic = Statistic::of(response)?;
    if let Statistic::Classes(margins) = &statistic {
        // A p-value is at least one tail; the score counts two.
        let smallest = libm::exp(-statistic.reach().last().copied().unwrap_or(0.0)) / 2.0;
        if smallest > alpha {
            let rarest = margins.rarest();
            return Err(SignificanceError::NeverSignificant { graphs: graphs.len(), rarest, alpha, smallest });
        }
    }
    Ok(statistic)
}

/// Whether no permutation within strata changes anything.
fn is_constant_within(response: &Response, strata: &[Vec<u32>]) -> bool {
    let same = |stratum: &Vec<u32>| {
        stratum.windows(2).all(|pair| {
            let [a, b] = [pair[0] as usize, pair[1] as usize];
            match response {
                Response::Classes { of, .. } => of[a] == of[b],
                Response::Numbers(values) => values[a].total_cmp(&values[b]).is_eq(),
            }
        })
    };
    strata.iter().all(same)
}

/// All subgraphs with at least some support, by support class.
struct Listed {
    patterns: PatternList,
    /// By class, in the order of their first patterns.
    supports: Vec<Arc<Support>>,
    members: Vec<Vec<u32>>,
}

impl Listed {
    fn new(graphs: &[Graph], params: &MineParams) -> Result<Self, SignificanceError> {
        let mut builder = PatternListBuilder::default();
        mine(graphs, params, &mut builder)?;
        let patterns = builder.finish();
        let mut listed = Self { supports: Vec::new(), members: Vec::new(), patterns };
        let mut classes: FxHashMap<u32, usize> = FxHashMap::default();
        for at in 0..listed.patterns.len() {
            let support = listed.patterns.support(at);
            let class = match classes.entry(support.id()) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(vacant) => {
                    listed.supports.push(Arc::clone(support));
                    listed.members.push(Vec::new());
                    *vacant.insert(listed.supports.len() - 1)
                }
            };
            listed.members[class].push(at as u32);
        }
        Ok(listed)
    }

    /// All tests with their adjusted p-values, by increasing score.
    fn test(&self, statistic: &Statistic, permuter: &Permuter, params: &Params) -> Vec<(Observed, f64)> {
        let scores = Scores::of(statistic, self.supports.iter().map(|support| support.len()));
        let score = |test: Test| {
            let support = &self.supports[test.class as usize];
            scores.row(test.target, support.len()).score(statistic.sum(test.target, support))
        };
        let classes = 0..self.supports.len() as u32;
        let tests = classes.flat_map(|class| statistic.targets().map(move |target| Test { class, target }));
        let mut tests: Vec<Observed> = tests.map(|test| Observed { test, score: score(test) }).collect();
        tests.sort_by(|a, b| a.score.total_cmp(&b.score));
        let step_down = StepDown {
            statistic,
            scores: &scores,
            supports: &self.supports,
            permuter,
            permutations: params.permutations,
            is_parallel: params.mine.threads > 1,
        };
        let adjusted = step_down.adjust(&tests);
        tests.into_iter().zip(adjusted).collect()
    }

    fn into_significance(
        self,
        statistic: &Statistic,
        tests: &[(Observed, f64)],
        alpha: f64,
        min_support: usize,
    ) -> Significance {
        let finding = |(observed, adjusted): &(Observed, f64)| {
            let Observed { test, score } = *observed;
            let class = test.class as usize;
            let members = &self.members[class];
            let codes = members.iter().map(|&at| self.patterns.code(at as usize));
            let support = Arc::clone(&self.supports[class]);
            let z = statistic.z(test.target, support.len(), statistic.sum(test.target, &support));
            let is_class = matches!(statistic, Statistic::Classes(_));
            let (target, alone) = (is_class.then_some(test.target), is_class.then(|| libm::exp(-score)));
            let code = codes.min_by(DfsCode::cmp_by_size)?;
            Some(Finding { code, others: members.len() - 1, support, target, z, alone, adjusted: *adjusted })
        };
        let significant = tests.iter().rev().filter(|(_, adjusted)| *adjusted <= alpha);
        Significance {
            findings: significant.filter_map(finding).collect(),
            subgraphs: self.patterns.len(),
            classes: self.supports.len(),
            min_support,
        }
    }
}

#[cfg(test)]
mod tests;
