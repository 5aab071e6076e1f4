//! Subgraphs that go with a target of a data set, as every face shows them.
//!
//! The tests are those of [`crate::significance`]; here a question becomes parameters, graphs without a value are left
//! out, classes get their names, and a finding becomes a JSON object.

use einsicht_data::{Dataset, QualifierChoice, Target, TargetValues};
use einsicht_graph::mine::MineParams;
use einsicht_model::params::MinSupport;
use einsicht_significance::{Contrast, Finding, Params, Response, Significance, SignificanceError, significant};
use serde_json::{Value, json};

/// What is asked of a target, as a user says it. The data set has the qualifiers already.
#[derive(Clone, Debug)]
pub struct Question {
    /// Smallest number of edges of a subgraph: 0 or 1.
    pub min_edges: usize,
    /// Largest number of edges.
    pub max_edges: usize,
    /// Smallest number of graphs with a subgraph, or share of those that have a value.
    pub min_support: MinSupport,
    /// The properties that a vertex of a subgraph may require, one for each subgraph.
    pub qualifiers: QualifierChoice,
    /// Number of permutations.
    pub permutations: u32,
    /// The level.
    pub alpha: f64,
    /// Seed of the permutations.
    pub seed: u64,
}

impl Question {
    /// The smallest number of graphs that is asked for, among so many with a value.
    pub fn least(&self, graphs: usize) -> usize {
        self.min_support.of(graphs)
    }

    /// On the threads of the current pool.
    fn params(&self, graphs: usize) -> Params {
        let &Self { min_edges, max_edges, permutations, alpha, seed, .. } = self;
        let mine = MineParams {
            min_edges,
            max_edges,
            max_qualifiers: usize::from(!matches!(self.qualifiers, QualifierChoice::None)),
            max_qualified_edges: max_edges,
            min_support: self.least(graphs),
            threads: rayon::current_num_threads(),
            ..MineParams::default()
        };
        Params { mine, permutations, alpha, seed, prune: true }
    }
}

/// What goes with a target.
#[derive(Clone, Debug)]
pub struct Associations<'d> {
    dataset: &'d Dataset,
    target: &'d Target,
    /// The graphs that have a value.
    pub rows: Vec<usize>,
    response: Response,
    /// Whether only graphs of the same stratum were exchanged.
    in_strata: bool,
    /// What was found, about `rows`.
    pub found: Significance,
}

impl<'d> Associations<'d> {
    /// Tests all subgraphs against a target; `strata` has a number for each graph of the data set.
    pub fn of(
        dataset: &'d Dataset,
        target: &'d Target,
        strata: Option<&[u32]>,
        question: &Question,
    ) -> Result<Self, SignificanceError> {
        let (rows, response) = Response::of(target);
        if let Some(got) = strata.map(<[u32]>::len).filter(|got| *got != dataset.len()) {
            return Err(SignificanceError::Lengths { graphs: dataset.len(), got });
        }
        let strata: Option<Vec<u32>> = strata.map(|of| rows.iter().map(|&row| of[row]).collect());
        let graphs: Vec<_> = rows.iter().map(|&row| dataset.graphs[row].clone()).collect();
        let found = significant(&graphs, &response, strata.as_deref(), &question.params(graphs.len()))?;
        Ok(Self { dataset, target, rows, response, in_strata: strata.is_some(), found })
    }

    /// The target with and without the subgraph of a finding.
    pub fn contrast(&self, finding: &Finding) -> Contrast {
        Contrast::of(&self.response, finding.target, &finding.support)
    }

    /// The name of the class that is tested against the rest.
    pub fn class(&self, finding: &Finding) -> Option<&str> {
        match (&self.target.values, finding.target) {
            (TargetValues::Classes { classes, .. }, Some(class)) => classes.tokens().get(class as usize).map(|c| &**c),
            _ => None,
        }
    }

    /// One JSON object per finding, the most significant first: see `docs/formats.md`.
    pub fn lines(&self) -> impl Iterator<Item = Value> + '_ {
        self.found.findings.iter().map(|finding| {
            let (names, contrast) = (self.dataset.names(), self.contrast(finding));
            let graph = finding.code.to_graph();
            let rows = finding.support.graphs().iter().map(|&at| self.rows[at as usize]);
            json!({
                "pattern": names.pattern(&finding.code),
                "drawing": names.one_line(&finding.code),
                "smarts": names.smarts(&finding.code),
                "num_edges": graph.num_edges(),
                "others": finding.others,
                "support": finding.support.len(),
                "class": self.class(finding),
                "with": contrast.with,
                "without": contrast.without,
                "difference": contrast.difference(),
                "interval": contrast.interval.map(|(low, high)| [low, high]),
                "z": finding.z,
                "p_alone": finding.alone,
                "p": finding.adjusted,
                "graphs": rows.map(|row| self.dataset.ids[row].as_str()).collect::<Vec<&str>>(),
            })
        })
    }

    /// Everything as one JSON object.
    pub fn document(&self, question: &Question) -> Value {
        let Significance { subgraphs, classes, min_support, .. } = &self.found;
        json!({
            "target": self.target.name,
            "graphs": self.rows.len(),
            "alpha": question.alpha,
            "permutations": question.permutations,
            "seed": question.seed,
            "in_strata": self.in_strata,
            "subgraphs": subgraphs,
            "groups": classes,
            "min_support": min_support,
            "findings": self.lines().collect::<Vec<Value>>(),
        })
    }
}
