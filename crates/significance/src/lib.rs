//! Subgraphs whose association with a target survives a correction for *all that were searched*.
//!
//! Every support class (subgraphs in the same graphs) is tested, and the test statistic of each is compared with the
//! largest one over the classes under permuted targets (Westfall and Young 1993, step-down): an adjusted p-value of at
//! most `alpha` bounds the chance of *any* false discovery by `alpha`. Permuted targets share what the classes share,
//! so near-copies cost nothing. Assumption: subset pivotality, that is, the statistics of the true null hypotheses are
//! distributed alike whether or not the others hold.
//!
//! [`significant`] mines, tests and adjusts; [`Contrast`] says how large an association is. `statistic.rs` has the
//! statistics and the bounds on them, `permuted.rs` permuted targets and fast sums over them, `step_down.rs` the
//! adjustment, `search.rs` the descent to rarer subgraphs, with the proof that what it never lists cannot matter.
//!
//! Promise: the same graphs, target, parameters and seed give the same result on any number of threads, and with or
//! without pruning; adjusted p-values are exact up to `alpha` and reported as larger beyond. Tested against a plain
//! implementation over all subgraphs and all permutations.

mod contrast;
mod permuted;
mod search;
mod statistic;
mod step_down;
mod strata;

pub use contrast::Contrast;
pub use search::{Finding, Params, Significance, significant};
pub use strata::Strata;

use einsicht_graph::mine::MineError;

/// The target that subgraphs are tested against, one value per graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// Classes by index: with two, the second against the first; with more, each against the rest, as one family.
    Classes {
        /// The class of each graph.
        of: Vec<u32>,
        /// How many there are.
        count: u32,
    },
    /// Finite numbers.
    Numbers(Vec<f64>),
}

impl Response {
    /// Number of graphs.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { of, .. } => of.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// Whether there is no graph.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why nothing is tested.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum SignificanceError {
    #[error(transparent)]
    Mine(#[from] MineError),
    #[error("alpha must lie between 0 and 1, got {got}")]
    Alpha { got: f64 },
    #[error("the target must have a value for each of the {graphs} graphs and a stratum likewise, got {got}")]
    Lengths { graphs: usize, got: usize },
    #[error("the target must vary, but all {graphs} graphs have the same value{}", within(*strata))]
    Constant { graphs: usize, strata: bool },
    #[error(
        "at level {alpha} there must be at least {least} permutations, got {got}: the smallest p-value that {got} can \
         show is {resolution:.2}"
    )]
    FewPermutations { alpha: f64, least: u32, got: u32, resolution: f64 },
    #[error(
        "with {graphs} graphs, {rarest} of them in the smallest class, no subgraph can reach a p-value of {alpha}: the \
         smallest possible is {smallest:.2}"
    )]
    NeverSignificant { graphs: usize, rarest: usize, alpha: f64, smallest: f64 },
}

fn within(strata: bool) -> &'static str {
    if strata { " as the others of its stratum" } else { "" }
}
