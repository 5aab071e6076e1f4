//! Candidates that enter together against the quadratic model of the loss, solved from the start for every set of them.

use super::*;
use einsicht_data::random::Random;
use einsicht_graph::{Label, Support};
use einsicht_search::SearchStats;
use einsicht_search::feature::CountTransform;

const GRAPHS: usize = 40;

/// A problem with random curvatures and gradients; every third candidate is nearly a copy of the one before.
struct Problem {
    units: usize,
    test: ScoreTest,
    columns: Vec<Vec<u32>>,
    gradients: Vec<Vec<f64>>,
}

impl Problem {
    fn new(seed: u64, units: usize) -> Self {
        let mut random = Random::new(seed);
        let mut uniform = || (random.below(1 << 20) as f64 + 0.5) / f64::from(1 << 20);
        let curvature: Vec<f64> = (0..GRAPHS * units).map(|_| 0.25 * uniform()).collect();
        let delta: Vec<f64> = (0..GRAPHS * units).map(|_| uniform() - 0.5).collect();
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for at in 0..12 {
            let mut column: Vec<u32> = (0..GRAPHS).map(|_| (4.0 * uniform()) as u32).collect();
            if at % 3 == 2 {
                let row = (uniform() * GRAPHS as f64) as usize;
                column.clone_from(&columns[at - 1]);
                column[row] += 1;
            }
            columns.push(column);
        }
        let value = |count: u32| f64::from(count);
        let of_unit = |column: &[u32], k: usize| (0..GRAPHS).map(|i| delta[i * units + k] * value(column[i])).sum();
        let gradients = columns.iter().map(|column| (0..units).map(|k| of_unit(column, k)).collect()).collect();
        Self { units, test: ScoreTest::with(curvature, 0.05, units), columns, gradients }
    }

    fn found(&self) -> SearchResult {
        let candidate = |at: usize| {
            let graphs: Vec<u32> = (0..GRAPHS as u32).filter(|&i| self.columns[at][i as usize] > 0).collect();
            let counts = graphs.iter().map(|&i| self.columns[at][i as usize]).collect();
            let (gradient, code) = (self.gradients[at].clone(), DfsCode::single_vertex(Label(at as u32)));
            Candidate { code, support: Support::detached(graphs, counts), gradient, score: 0.0 }
        };
        let candidates = (0..self.columns.len()).map(candidate).collect();
        SearchResult { candidates, active: Vec::new(), zeta: 0.0, stats: SearchStats::default() }
    }

    /// Twice the largest fall of the quadratic model with the weights of these columns and the bias free.
    fn fall(&self, set: &[usize]) -> f64 {
        (0..self.units).map(|k| self.fall_of_unit(set, k)).sum()
    }

    /// `g' H^-1 g` by Gaussian elimination; the gradient by the bias is zero, as it is where the bias is fitted.
    fn fall_of_unit(&self, set: &[usize], k: usize) -> f64 {
        let bend = |i: usize| self.test.curvature[i * self.units + k];
        let value = |column: Option<&usize>, i: usize| column.map_or(1.0, |&at| f64::from(self.columns[at][i]));
        let with_bias: Vec<Option<&usize>> = [None].into_iter().chain(set.iter().map(Some)).collect();
        let mut system: Vec<Vec<f64>> = Vec::new();
        for (row, &one) in with_bias.iter().enumerate() {
            let product = |other: Option<&usize>| (0..GRAPHS).map(|i| bend(i) * value(one, i) * value(other, i)).sum();
            let mut line: Vec<f64> = with_bias.iter().map(|&other| product(other)).collect();
            line[row] += if row > 0 { self.test.decay } else { 0.0 };
            line.push(one.map_or(0.0, |&at| self.gradients[at][k]));
            system.push(line);
        }
        let mut fall = 0.0;
        for pivot in 0..system.len() {
            let of_pivot = system[pivot].clone();
            fall += of_pivot[system.len()].powi(2) / of_pivot[pivot];
            for line in &mut system[pivot + 1..] {
                let factor = line[pivot] / of_pivot[pivot];
                line.iter_mut().zip(&of_pivot).for_each(|(value, of_pivot)| *value -= factor * of_pivot);
            }
        }
        fall
    }
}

fn chosen(problem: &Problem, most: usize) -> Vec<usize> {
    let mut found = problem.found();
    problem.test.keep_best(&mut found, Values::Count(CountTransform::Identity), most);
    found.candidates.iter().map(|c| c.code.start().0 as usize).collect()
}

#[test]
fn each_entrant_adds_the_most_to_the_fall_of_the_quadratic_model() {
    let mut copies_left_out = 0;
    for seed in 0..30 {
        for units in [1, 3] {
            let problem = Problem::new(seed, units);
            let entrants = chosen(&problem, 5);
            assert_eq!(entrants.len(), 5);
            for (place, &entrant) in entrants.iter().enumerate() {
                let before = &entrants[..place];
                let with = |at: usize| problem.fall(&[before, &[at]].concat()) - problem.fall(before);
                let others: Vec<usize> = (0..12).filter(|at| !before.contains(at)).collect();
                let most = others.iter().map(|&at| with(at)).fold(0.0, f64::max);
                assert!(with(entrant) >= AS_GOOD * most * (1.0 - 1e-9), "seed {seed}, place {place}");
                // Of those that are as good, the smallest code.
                let better = others.iter().find(|&&at| with(at) >= AS_GOOD * most * (1.0 + 1e-9));
                assert!(place == 0 || better.is_none_or(|&at| entrant <= at), "seed {seed}, place {place}");
            }
            let alone = |at: usize| problem.fall(&[at]);
            let mut by_themselves: Vec<usize> = (0..12).collect();
            by_themselves.sort_by(|&a, &b| alone(b).total_cmp(&alone(a)));
            let copy = by_themselves[..5].iter().filter(|at| *at % 3 == 2 && by_themselves[..5].contains(&(*at - 1)));
            copies_left_out += copy.filter(|&&at| !(entrants.contains(&at) && entrants.contains(&(at - 1)))).count();
        }
    }
    assert!(copies_left_out > 20, "{copies_left_out}");
}

#[test]
fn what_enters_alone_is_the_first_of_those_that_enter_together() {
    for seed in 0..30 {
        let problem = Problem::new(seed, 1);
        assert_eq!(chosen(&problem, 1), chosen(&problem, 5)[..1]);
    }
}
