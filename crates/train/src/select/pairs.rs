//! Pairs of patterns that interact: the target goes with both together, or with one without the other, where neither
//! says much by itself.
//!
//! With a partner fixed, the gradient of the product of two patterns is the gradient of one pattern under another
//! `delta`: that of each graph times the partner's value there, less its mean. So the best second pattern of a partner
//! is found by the same exact search, in the same tree. Partners are a few patterns of large gradients that differ from
//! one another, and the active ones; from each, the search goes to and fro until each of the two is the best partner of
//! the other.
//!
//! Promise: which pair enters follows from exact searches and from numbers that do not depend on how they were made; a
//! pair enters only if it says clearly more than the best single pattern, if each of the four cases (both, one, other,
//! none) has graphs, and if the objective falls. What was measured is in `lab/notes/0022`.

use crate::{AnyRun, Objective, TrainError};
use einsicht_graph::{DfsCode, Support};
use einsicht_model::norm;
use einsicht_model::{Iterate, PairWeights, PatternWeights};
use einsicht_search::bound::Delta;
use einsicht_search::feature::Values;
use einsicht_search::{Candidate, Query, Rule};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sizes of the path at which a pair may enter: the search takes as long as several passes.
const SIZES: std::ops::RangeInclusive<usize> = 2..=8;
/// Patterns of large gradients among which partners are chosen, and how many of them and of the active ones.
const POOL: usize = 64;
const PARTNERS: usize = 8;
const ACTIVE_PARTNERS: usize = 4;
/// Largest correlation of two partners, and of two pairs.
const MOST_CORRELATED: f64 = 0.7;
/// Searches from one partner, at most.
const SEARCHES: usize = 4;
/// A partner is in at least this share of the graphs and missing in as many: products of rarer ones are a few graphs.
const LEAST_SHARE: f64 = 0.05;
/// Each of the four cases has at least one in so many graphs, and at least so many.
const CELL_ONE_IN: usize = 50;
const LEAST_CELL: usize = 5;
/// The correlation of a pair with the residuals must be this many times that of the best single pattern, and, times the
/// root of the number of graphs, at least the second number: the largest of some million pairs of noise stays below it.
const AHEAD: f64 = 1.25;
const LEAST_Z: f64 = 5.5;

/// A pattern with the training graphs that contain it.
#[derive(Clone)]
struct Partner {
    code: DfsCode,
    support: Arc<Support>,
}

impl Partner {
    fn share(&self, rows: usize) -> f64 {
        self.support.graphs().len() as f64 / rows as f64
    }

    fn is_usual(&self, rows: usize) -> bool {
        (LEAST_SHARE..=1.0 - LEAST_SHARE).contains(&self.share(rows))
    }

    /// One number per graph: its presence less its mean.
    fn centred(&self, rows: usize) -> Vec<f64> {
        let mean = self.share(rows);
        let mut values = vec![-mean; rows];
        for &graph in self.support.graphs() {
            values[graph as usize] = 1.0 - mean;
        }
        values
    }
}

/// By the graphs of each partner that was searched from: the best second pattern with its score. What is needed only
/// grows during a choice, so no search is made again: its answer would be the same, or none.
type Seconds = BTreeMap<Vec<u32>, Option<(f64, Partner)>>;

/// Two patterns and the correlation of their product with the residuals.
struct FoundPair {
    partners: [Partner; 2],
    correlation: f64,
}

impl AnyRun<'_> {
    /// Lets a pair enter, at the first pass of some sizes, if there is one that is worth it.
    pub(crate) fn let_pair_enter(
        &mut self,
        objective: &mut Objective<'_>,
        iterate: &mut Iterate,
    ) -> Result<(), TrainError> {
        if iterate.pairs.len() >= self.params.max_pairs() || self.state.iteration > 0 {
            return Ok(());
        }
        let size = self.params.sizes[self.state.size_at];
        let taken = iterate.patterns.iter().filter(|p| iterate.is_paired(&p.code)).count();
        if !SIZES.contains(&size) || taken + self.params.require.len() + 2 > size {
            return Ok(());
        }
        let Some(pair) = self.best_pair(objective, iterate)? else { return Ok(()) };
        let loss_before = self.objective_at(objective, iterate);
        let mut entered = self.with_pair(iterate, &pair.partners, size);
        let no_penalties = vec![0.0; entered.patterns.len()];
        self.polish(objective, &mut entered, &no_penalties);
        if self.objective_at(objective, &entered) < loss_before {
            *iterate = entered;
            self.state.before = None;
        }
        Ok(())
    }

    fn objective_at(&self, objective: &mut Objective<'_>, iterate: &Iterate) -> f64 {
        let mut sums = objective.zero_sums();
        self.train_sums(iterate, &mut sums);
        let data_loss = objective.data_loss(&sums, &iterate.bias, &iterate.network);
        objective.with_decay(data_loss, iterate.squares())
    }

    /// The iterate with a pair of weight zero; patterns of small weights leave where there are more than `size`.
    fn with_pair(&mut self, iterate: &Iterate, partners: &[Partner; 2], size: usize) -> Iterate {
        let rows = self.data.train.rows();
        let supports: Vec<(DfsCode, Arc<Support>)> =
            partners.iter().map(|p| (p.code.clone(), Arc::clone(&p.support))).collect();
        self.note_supports(&supports);
        let mut entered = iterate.clone();
        let zeros = vec![0.0; self.params.hidden];
        let means = [0, 1].map(|of| partners[of].share(rows));
        let codes: Vec<DfsCode> = partners.iter().map(|p| p.code.clone()).collect();
        entered.pairs.push(PairWeights { codes, means, weights: zeros.clone() });
        for Partner { code, .. } in partners {
            if entered.patterns.iter().all(|p| p.code != *code) {
                entered.patterns.push(PatternWeights { code: code.clone(), weights: zeros.clone() });
            }
        }
        let stays = |p: &PatternWeights| entered.is_paired(&p.code) || self.params.require.contains(&p.code);
        let rank = |p: &PatternWeights| if stays(p) { f64::INFINITY } else { norm(&p.weights) };
        let mut patterns = entered.patterns.clone();
        patterns.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then_with(|| a.code.cmp_by_size(&b.code)));
        patterns.truncate(size);
        patterns.sort_by(|a, b| a.code.cmp_by_size(&b.code));
        Iterate { patterns, ..entered }
    }

    /// The pair that goes best with the residuals, if it is worth a place.
    fn best_pair(&mut self, objective: &mut Objective<'_>, iterate: &Iterate) -> Result<Option<FoundPair>, TrainError> {
        self.objective_at(objective, iterate);
        let (delta, _) = objective.delta_and_network_gradient(&iterate.network);
        let residuals = Residuals::new(delta, self.params.hidden);
        let rows = residuals.rows();
        let (starts, of_single) = self.starts(&residuals, iterate)?;
        let least = (AHEAD * of_single).max(LEAST_Z / (rows as f64).sqrt());
        let known: Vec<Vec<f64>> = self.pair_columns(iterate);
        let mut seconds = Seconds::new();
        let mut best: Option<FoundPair> = None;
        for start in starts {
            let mut partner = start;
            for _ in 0..SEARCHES {
                let needed = best.as_ref().map_or(least, |best| best.correlation);
                let Some(second) = self.best_with(&partner, &residuals, needed, &mut seconds)? else { break };
                let column = product(&partner, &second, rows);
                let correlation = residuals.correlation(&column);
                let mut partners = [partner.clone(), second.clone()];
                partners.sort_by(|a, b| a.code.cmp_by_size(&b.code));
                let is_known = best.as_ref().is_some_and(|b| (0..2).all(|of| b.partners[of].code == partners[of].code));
                if is_known || !second.is_usual(rows) || !cells_are_filled(&partners, rows) {
                    break;
                }
                let is_new = known.iter().all(|known| cosine(&column, known).abs() <= MOST_CORRELATED);
                if is_new && correlation > needed {
                    best = Some(FoundPair { partners, correlation });
                }
                partner = second;
            }
        }
        Ok(best)
    }

    /// The patterns from which the search for pairs starts, and the largest correlation of a single pattern with the
    /// residuals.
    fn starts(&mut self, residuals: &Residuals, iterate: &Iterate) -> Result<(Vec<Partner>, f64), TrainError> {
        let rows = residuals.rows();
        let found = self.search_presence(&residuals.values, residuals.hidden, Rule::Top(POOL), f64::NEG_INFINITY)?;
        let found: Vec<Partner> = found.into_iter().map(|(_, partner)| partner).collect();
        let of_single = found.iter().map(|p| residuals.correlation(&p.centred(rows))).fold(0.0, f64::max);
        let mut active: Vec<&PatternWeights> = iterate.patterns.iter().collect();
        active.sort_by(|a, b| norm(&b.weights).total_cmp(&norm(&a.weights)));
        let support_of = |p: &PatternWeights| Arc::clone(&self.supports[&p.code][0]);
        let active = active.into_iter().map(|p| Partner { code: p.code.clone(), support: support_of(p) });
        let mut starts: Vec<Partner> = active.filter(|p| p.is_usual(rows)).take(ACTIVE_PARTNERS).collect();
        let mut columns: Vec<Vec<f64>> = starts.iter().map(|p| p.centred(rows)).collect();
        let most = starts.len() + PARTNERS;
        for partner in found.into_iter().filter(|p| p.is_usual(rows)) {
            let column = partner.centred(rows);
            if starts.len() < most && columns.iter().all(|other| cosine(&column, other).abs() <= MOST_CORRELATED) {
                starts.push(partner);
                columns.push(column);
            }
        }
        Ok((starts, of_single))
    }

    /// The pattern whose product with this one goes best with the residuals, if the correlation may reach `needed`;
    /// searched for once for each partner.
    fn best_with(
        &mut self,
        partner: &Partner,
        residuals: &Residuals,
        needed: f64,
        seconds: &mut Seconds,
    ) -> Result<Option<Partner>, TrainError> {
        // The least spread that a usual pattern can have.
        let spread = (residuals.rows() as f64 * LEAST_SHARE * (1.0 - LEAST_SHARE)).sqrt();
        let floor = needed * spread * residuals.length;
        let graphs = partner.support.graphs();
        if !seconds.contains_key(graphs) {
            let delta = residuals.times(&partner.centred(residuals.rows()));
            let best = self.search_presence(&delta, residuals.hidden, Rule::Top(1), floor)?.into_iter().next();
            seconds.insert(graphs.to_vec(), best);
        }
        let second = seconds[graphs].as_ref();
        Ok(second.filter(|(score, _)| *score >= floor).map(|(_, second)| second.clone()))
    }

    /// The patterns with the largest gradients, by presence, each with its score; none with one below `floor`.
    fn search_presence(
        &mut self,
        delta: &[f64],
        hidden: usize,
        rule: Rule,
        floor: f64,
    ) -> Result<Vec<(f64, Partner)>, TrainError> {
        let found = self.asked.search().search(&Query {
            delta: Delta::new(delta, hidden)?,
            active: &[],
            step_sizes: &self.step_sizes,
            decay: 0.0,
            rule,
            unit: self.params.unit,
            banned: &self.banned,
            values: Values::Presence,
            floor,
        })?;
        let above = found.candidates.into_iter().filter(|candidate| candidate.score >= floor);
        let partner = |candidate: Candidate| Partner { code: candidate.code, support: candidate.support };
        Ok(above.map(|candidate| (candidate.score, partner(candidate))).collect())
    }
}

/// Gradients of the loss by the sums of the mining layer, each unit less its mean over the graphs.
struct Residuals {
    values: Vec<f64>,
    hidden: usize,
    /// Root of the sum of squares.
    length: f64,
}

impl Residuals {
    fn new(delta: &[f64], hidden: usize) -> Self {
        let mut values = delta.to_vec();
        centre(&mut values, hidden);
        let length = norm(&values);
        Self { values, hidden, length }
    }

    fn rows(&self) -> usize {
        self.values.len() / self.hidden
    }

    /// Of each graph its residuals times a number, standardised and less their mean: what a second pattern is searched
    /// with.
    fn times(&self, column: &[f64]) -> Vec<f64> {
        let scale = (self.rows() as f64).sqrt() / norm(column);
        let rows = self.values.chunks_exact(self.hidden).zip(column);
        let mut products: Vec<f64> = rows.flat_map(|(row, value)| row.iter().map(move |r| r * value * scale)).collect();
        centre(&mut products, self.hidden);
        products
    }

    /// Correlation with a column of mean zero; 0 where one of them is zero.
    fn correlation(&self, column: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.hidden];
        for (row, value) in self.values.chunks_exact(self.hidden).zip(column) {
            for (sum, residual) in sums.iter_mut().zip(row) {
                *sum += residual * value;
            }
        }
        let lengths = self.length * norm(column);
        if lengths > 0.0 { norm(&sums) / lengths } else { 0.0 }
    }
}

/// The column of a pair, less its mean.
fn product(one: &Partner, other: &Partner, rows: usize) -> Vec<f64> {
    let both = one.centred(rows).into_iter().zip(other.centred(rows));
    let mut column: Vec<f64> = both.map(|(a, b)| a * b).collect();
    centre(&mut column, 1);
    column
}

/// Subtracts the mean of each unit.
fn centre(values: &mut [f64], hidden: usize) {
    for unit in 0..hidden {
        let of_unit = || (unit..values.len()).step_by(hidden);
        let mean = of_unit().fold(0.0, |sum, at| sum + values[at]) / of_unit().len().max(1) as f64;
        for at in (unit..values.len()).step_by(hidden) {
            values[at] -= mean;
        }
    }
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let product = one.iter().zip(other).fold(0.0, |sum, (a, b)| sum + a * b);
    product / (norm(one) * norm(other))
}

/// Whether each of the four cases, both, one, the other and none, has enough graphs.
fn cells_are_filled([one, other]: &[Partner; 2], rows: usize) -> bool {
    let (a, b) = (one.support.graphs(), other.support.graphs());
    let both = a.iter().filter(|graph| b.binary_search(graph).is_ok()).count();
    let cells = [both, a.len() - both, b.len() - both, rows + both - a.len() - b.len()];
    cells.into_iter().all(|cell| cell >= LEAST_CELL.max(rows / CELL_ONE_IN))
}
