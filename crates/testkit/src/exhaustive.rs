//! The search without any cleverness: every pattern is scored by definition, then all scores are sorted.
//!
//! Promise: no pruning, no tree, no memory of earlier queries, and no number from the library: gradients, norms
//! and scores are written out again here. It is what every other search must agree with, bit for bit. Patterns
//! are listed by brute force over all edge subsets ([`Exhaustive::new`]) or given as a list
//! ([`Exhaustive::from_list`]) for sets on which brute force would take for ever.

use crate::oracle::{self, Language, Occurrence};
use einsicht_graph::mine::Counts;
use einsicht_graph::{Counted, DfsCode, Graph, Support};
use einsicht_search::feature::{CountTransform, Values};
use einsicht_search::{
    ActivePattern, ActiveScore, Candidate, Competes, Query, Rule, Search, SearchError, SearchResult, SearchStats,
    SupportClass,
};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All patterns of some graphs, with where each occurs.
#[derive(Clone, Debug)]
pub struct Exhaustive {
    patterns: BTreeMap<DfsCode, Occurrence>,
    graphs: usize,
}

impl Exhaustive {
    /// Lists the patterns of tiny graphs by brute force; support classes are those of presence.
    pub fn new(graphs: &[Graph], max_edges: usize, min_support: usize) -> Self {
        let found = oracle::mine_by_definition(graphs, max_edges, min_support);
        Self::from_list(found.into_iter().map(|(code, o)| (code, o.graphs)), graphs.len())
    }

    /// The same with minimum-image counts; support classes are those of counts.
    pub fn with_counts(graphs: &[Graph], max_edges: usize, min_support: usize) -> Self {
        let language = Language { min_edges: 1, max_edges, max_qualifiers: 0, max_qualified_edges: 0 };
        Self::of_language(graphs, language, min_support, Counts::MinimumImage)
    }

    /// Lists all patterns of a language, with these counts; support classes are those of counts.
    pub fn of_language(graphs: &[Graph], language: Language, min_support: usize, counts: Counts) -> Self {
        Self::of_patterns(oracle::mine_language(graphs, language, min_support), graphs.len(), counts)
    }

    /// The same from all patterns of a language ([`oracle::mine_language`]), for several searches over the same graphs.
    pub fn of_patterns(mut patterns: BTreeMap<DfsCode, Occurrence>, graphs: usize, counts: Counts) -> Self {
        for occurrence in patterns.values_mut() {
            let copies = std::mem::take(&mut occurrence.copies);
            match counts {
                Counts::Off => occurrence.counts = Vec::new(),
                Counts::MinimumImage => {}
                Counts::Copies => occurrence.counts = copies,
            }
        }
        Self { patterns, graphs }
    }

    /// Takes a complete list of canonical codes with their increasing supports.
    pub fn from_list(patterns: impl IntoIterator<Item = (DfsCode, Vec<u32>)>, graphs: usize) -> Self {
        let occurrence = |graphs| Occurrence { graphs, counts: Vec::new(), copies: Vec::new() };
        Self { patterns: patterns.into_iter().map(|(code, graphs)| (code, occurrence(graphs))).collect(), graphs }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern at all.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// All patterns with where they occur.
    pub fn patterns(&self) -> &BTreeMap<DfsCode, Occurrence> {
        &self.patterns
    }
}

/// The value of a pattern that occurs this often.
fn value(count: Option<&u32>, values: Values) -> f64 {
    match (values, count) {
        (Values::Presence, _) => 1.0,
        (Values::Count(transform) | Values::Mni(transform), Some(&count)) => match transform {
            CountTransform::Identity => f64::from(count),
            CountTransform::Log1p => libm::log1p(f64::from(count)),
        },
        (Values::Count(_) | Values::Mni(_), None) => panic!("this search was made without counts"),
    }
}

/// `grad_H`: for each hidden unit the positive products of delta and value in increasing order of the graphs, plus
/// the negative ones in increasing order; each in blocks of 4096 rows, whose sums are added in their order.
fn gradient(support: &Occurrence, query: &Query<'_>) -> Vec<f64> {
    let hidden = query.delta.hidden_units();
    let mut gradient = Vec::new();
    for k in 0..hidden {
        let (mut positive, mut negative) = (0.0, 0.0);
        let mut block = (0, 0.0, 0.0);
        for (at, &graph) in support.graphs.iter().enumerate() {
            if graph / 4096 != block.0 {
                positive += block.1;
                negative += block.2;
                block = (graph / 4096, 0.0, 0.0);
            }
            let delta = query.delta.values()[graph as usize * hidden + k];
            let product = delta * value(support.counts.get(at), query.values);
            if delta > 0.0 {
                block.1 += product;
            } else {
                block.2 += product;
            }
        }
        positive += block.1;
        negative += block.2;
        gradient.push(positive + negative);
    }
    gradient
}

fn norm(vector: &[f64]) -> f64 {
    let mut sum = 0.0;
    for x in vector {
        sum += x * x;
    }
    sum.sqrt()
}

/// `eta_H` of an active pattern.
fn active_score(weights: &[f64], gradient: &[f64], query: &Query<'_>) -> f64 {
    let at = |gamma: &f64| {
        let moved: Vec<f64> =
            weights.iter().zip(gradient).map(|(beta, grad)| beta - gamma * (grad + query.decay * beta)).collect();
        norm(&moved) / gamma
    };
    query.step_sizes.iter().map(at).fold(f64::INFINITY, f64::min)
}

struct Competitor<'a> {
    code: &'a DfsCode,
    support: &'a Occurrence,
    gradient: Vec<f64>,
    score: f64,
    active: Option<usize>,
}

fn size(code: &DfsCode) -> (usize, usize) {
    (code.num_edges(), code.qualifiers().len())
}

fn best_first(a: &Competitor<'_>, b: &Competitor<'_>) -> Ordering {
    b.score
        .partial_cmp(&a.score)
        .expect("scores are numbers")
        .then_with(|| size(a.code).cmp(&size(b.code)))
        .then_with(|| a.code.cmp(b.code))
}

fn has_support(occurrence: &Occurrence, support: &Support) -> bool {
    occurrence.graphs == support.graphs() && support.counts() == Counted::Words(&occurrence.counts)
}

impl Exhaustive {
    /// All competitors of a query, best first: every pattern, or of each support the pattern with the fewest edges,
    /// fewest qualifiers and smallest code; and nothing with a banned support.
    fn competitors(&self, query: &Query<'_>) -> Vec<Competitor<'_>> {
        let is_banned = |occurrence: &Occurrence| query.banned.iter().any(|support| has_support(occurrence, support));
        let mut competitors: Vec<(&DfsCode, &Occurrence)> =
            self.patterns.iter().filter(|(_, occurrence)| !is_banned(occurrence)).collect();
        if query.unit == Competes::SupportClass {
            competitors.sort_by(|a, b| a.1.cmp(b.1).then_with(|| (size(a.0), a.0).cmp(&(size(b.0), b.0))));
            competitors.dedup_by(|later, kept| later.1 == kept.1);
        }
        let mut scored: Vec<Competitor<'_>> = Vec::new();
        for (code, support) in competitors {
            let gradient = gradient(support, query);
            // An active pattern that was required need not be the simplest of its support.
            let is_it = |a: &ActivePattern| match query.unit {
                Competes::SupportClass => has_support(support, &a.support),
                Competes::Pattern => a.code == *code,
            };
            let active = query.active.iter().position(is_it);
            let score = match active {
                Some(at) if query.active[at].pinned => f64::INFINITY,
                Some(at) => active_score(&query.active[at].weights, &gradient, query),
                None => norm(&gradient),
            };
            scored.push(Competitor { code, support, gradient, score, active });
        }
        scored.sort_by(best_first);
        scored
    }
}

impl Search for Exhaustive {
    fn search(&mut self, query: &Query<'_>) -> Result<SearchResult, SearchError> {
        if query.delta.num_graphs() != self.graphs {
            return Err(SearchError::OtherGraphs { graphs: self.graphs, rows: query.delta.num_graphs() });
        }
        let scored = self.competitors(query);
        let zeta = match query.rule {
            Rule::Top(size) => scored.get(size - 1).map_or(f64::NEG_INFINITY, |c| c.score),
            Rule::Above(lambda) => lambda,
        };
        let meets = |score: f64| match query.rule {
            Rule::Top(_) => score >= zeta,
            Rule::Above(_) => score > zeta,
        };
        let mut active = Vec::new();
        for (at, pattern) in query.active.iter().enumerate() {
            let found = scored.iter().find(|c| c.active == Some(at));
            let found = found.ok_or(SearchError::NoSuchPattern { edges: pattern.code.num_edges() })?;
            active.push(ActiveScore { gradient: found.gradient.clone(), score: found.score });
        }
        let stats = SearchStats {
            visited: self.patterns.len() as u64,
            distinct_supports: self.patterns.values().collect::<BTreeSet<_>>().len() as u64,
            ties: scored.iter().filter(|c| c.active.is_none() && c.score == zeta).count() as u64,
            visited_by_worker: vec![self.patterns.len() as u64],
            ..SearchStats::default()
        };
        let candidates = scored
            .into_iter()
            .filter(|c| c.active.is_none() && meets(c.score))
            .map(|c| Candidate {
                code: c.code.clone(),
                support: c.support.detached(),
                gradient: c.gradient,
                score: c.score,
            })
            .collect();
        Ok(SearchResult { candidates, active, zeta, stats })
    }

    fn lookup(&mut self, code: &DfsCode) -> Result<Arc<Support>, SearchError> {
        let found = self.patterns.get(code).ok_or(SearchError::NoSuchPattern { edges: code.num_edges() })?;
        Ok(found.detached())
    }

    fn class(&mut self, support: &Support) -> Result<SupportClass, SearchError> {
        let members: BTreeSet<&DfsCode> = self
            .patterns
            .iter()
            .filter(|(_, occurrence)| has_support(occurrence, support))
            .map(|(code, _)| code)
            .collect();
        let contains = |large: &DfsCode, small: &DfsCode| {
            large != small && size(large).0 >= size(small).0 && oracle::contains(&large.to_graph(), &small.to_graph())
        };
        let is_minimal = |code: &&DfsCode| !members.iter().any(|other| contains(code, other));
        let is_maximal = |code: &&DfsCode| !members.iter().any(|other| contains(other, code));
        let mut minimal: Vec<DfsCode> = members.iter().copied().filter(is_minimal).cloned().collect();
        let mut maximal: Vec<DfsCode> = members.iter().copied().filter(is_maximal).cloned().collect();
        for list in [&mut minimal, &mut maximal] {
            list.sort_by(|a, b| (size(a), a).cmp(&(size(b), b)));
        }
        Ok(SupportClass { size: members.len() as u64, minimal, maximal })
    }
}

#[cfg(test)]
mod tests;
