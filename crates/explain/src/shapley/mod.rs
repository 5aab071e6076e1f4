//! Shapley values: a fair share of the output for every pattern.
//!
//! Two games, and the answer always says which one was played. *Absent*: a pattern that does not play is taken out of the
//! graph, so only patterns that are present have a share. *Background*: a pattern that does not play is as in other graphs,
//! and the answer is the mean over them, so the absence of a pattern can matter too.
//!
//! Promise: shares sum to the output minus the base. They are exact, by all coalitions, for up to
//! [`Options::exact_up_to`] players; beyond that they are means over random orders and their reverses, with a standard
//! error. Equal rows are played once. Same seed, same shares, on any number of threads. One player is a class of patterns
//! that the training graphs cannot tell apart. Tested against the definition (`tests.rs`) and against the package `shap`.

mod exact;
mod sampled;

use crate::game::{Game, Narrow};
use einsicht_data::random::Random;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// What an absent player is replaced by.
#[derive(Clone, Debug, PartialEq)]
pub enum Baseline {
    /// Nothing: the pattern is not there.
    Absent,
    /// What other graphs have.
    Background(Background),
}

impl Baseline {
    /// Its word in options and results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Background(_) => "background",
        }
    }
}

/// Rows of values that stand for what is usual, each with its share.
#[derive(Clone, Debug, PartialEq)]
pub struct Background {
    rows: Vec<(Vec<f64>, f64)>,
    drawn: usize,
}

impl Background {
    /// Takes the rows of a table, or `most` of them drawn by the seed if there are more; equal rows are kept once.
    ///
    /// # Panics
    /// If there is no row, or the table is not `rows` rows of one width.
    pub fn new(table: &[f64], rows: usize, most: usize, seed: u64) -> Self {
        assert!(rows > 0 && most > 0, "a background has a row");
        let width = table.len() / rows;
        assert_eq!(table.len(), rows * width, "a table of {rows} rows");
        let mut order: Vec<usize> = (0..rows).collect();
        if rows > most {
            Random::new(seed).shuffle(&mut order);
            order.truncate(most);
            order.sort_unstable();
        }
        let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        let mut kept: Vec<(Vec<f64>, f64)> = Vec::new();
        for &row in &order {
            let values = &table[row * width..(row + 1) * width];
            let at = *known.entry(bits(values)).or_insert(kept.len());
            if at == kept.len() {
                kept.push((values.to_vec(), 0.0));
            }
            kept[at].1 += 1.0;
        }
        for (_, share) in &mut kept {
            *share /= order.len() as f64;
        }
        Self { rows: kept, drawn: order.len() }
    }

    /// Number of graphs it stands for.
    pub fn graphs(&self) -> usize {
        self.drawn
    }
}

/// How values are found.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What an absent player is replaced by.
    pub baseline: Baseline,
    /// Up to so many players all coalitions are played.
    pub exact_up_to: usize,
    /// Beyond that, so many orders and their reverses.
    pub orders: usize,
    /// Whether pairs of patterns are looked at too, where values are exact.
    pub interactions: bool,
    /// Seed of the orders.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { baseline: Baseline::Absent, exact_up_to: 12, orders: 64, interactions: false, seed: 0 }
    }
}

/// Shares of one row. Lists of values have one number a quantity for every pattern, pattern after pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// The output of the row, one number a quantity.
    pub output: Vec<f64>,
    /// The output when nobody plays.
    pub base: Vec<f64>,
    /// The share of every pattern; 0 for those that do not play.
    pub values: Vec<f64>,
    /// Standard errors of `values`, where they are means over random orders.
    pub errors: Option<Vec<f64>>,
    /// For every pair of patterns half the Shapley interaction index, and on the diagonal what remains of the pattern's
    /// share, so that rows sum to the shares. Only if asked for and exact.
    pub interactions: Option<Vec<f64>>,
}

impl Shares {
    fn new(players: usize, quantities: usize) -> Self {
        Self {
            output: vec![0.0; quantities],
            base: vec![0.0; quantities],
            values: vec![0.0; players * quantities],
            errors: None,
            interactions: None,
        }
    }
}

/// Shares of many rows; equal rows point to the same entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// One entry a distinct row.
    pub distinct: Vec<Shares>,
    /// The entry of each row.
    pub of_row: Vec<usize>,
}

impl Explained {
    /// The shares of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &Shares {
        &self.distinct[self.of_row[row]]
    }
}

/// Explains every row of a table of values.
///
/// # Panics
/// If the table is not `rows` rows of the game's players.
pub fn explain(game: &Game<'_>, table: &[f64], rows: usize, options: &Options) -> Explained {
    let width = game.players();
    assert_eq!(table.len(), rows * width, "one value a player in every row");
    let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let (mut distinct, mut of_row) = (Vec::new(), Vec::with_capacity(rows));
    for row in 0..rows {
        let values = &table[row * width..(row + 1) * width];
        let at = *known.entry(bits(values)).or_insert(distinct.len());
        if at == distinct.len() {
            distinct.push(values);
        }
        of_row.push(at);
    }
    let distinct = distinct.into_par_iter().map(|values| one(game, values, options)).collect();
    Explained { distinct, of_row }
}

fn one(game: &Game<'_>, row: &[f64], options: &Options) -> Shares {
    let absent = [(vec![0.0; row.len()], 1.0)];
    let others = match &options.baseline {
        Baseline::Absent => &absent[..],
        Baseline::Background(background) => &background.rows,
    };
    let quantities = game.quantities().len();
    let mut shares = Shares::new(game.players(), quantities);
    let mut variances: Option<Vec<f64>> = None;
    if options.interactions {
        shares.interactions = Some(vec![0.0; game.players() * game.players() * quantities]);
    }
    for (at, (other, weight)) in others.iter().enumerate() {
        let players: Vec<usize> = (0..row.len()).filter(|&player| row[player] != other[player]).collect();
        let duel = Duel { game, narrow: game.between(row, other), row, other, players: &players };
        if players.len() <= options.exact_up_to.min(MOST_EXACT) {
            exact::add(&duel, *weight, &mut shares);
        } else {
            shares.interactions = None;
            let random = Random::stream(options.seed, at as u64);
            let spread = sampled::add(&duel, *weight, options.orders.max(2), random, &mut shares);
            let sums = variances.get_or_insert_with(|| vec![0.0; spread.len()]);
            for (sum, variance) in sums.iter_mut().zip(spread) {
                *sum += variance;
            }
        }
    }
    shares.errors = variances.map(|sums| sums.into_iter().map(f64::sqrt).collect());
    shares
}

/// Coalitions beyond this many players would not fit in memory.
const MOST_EXACT: usize = 20;

/// A row against one row of the baseline: only where they differ there is something to play for.
struct Duel<'a> {
    game: &'a Game<'a>,
    /// The game, faster for rows between the two.
    narrow: Narrow<'a, 'a>,
    row: &'a [f64],
    other: &'a [f64],
    players: &'a [usize],
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests;
