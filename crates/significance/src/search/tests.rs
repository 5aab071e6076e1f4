//! Against all subgraphs, all permutations and the definition, by code of its own.

use super::*;
use einsicht_data::TargetValues;
use einsicht_data::random::Random;
use einsicht_data::read::{ReadOptions, read};
use einsicht_testkit::fixture;
use std::collections::BTreeMap;

fn params(max_edges: usize) -> Params {
    let mine = MineParams { max_edges, min_edges: 0, ..MineParams::default() };
    Params { mine, permutations: 199, alpha: 0.05, seed: 4, prune: true }
}

/// Minus the logarithm of the p-value of one support, or the absolute standardised sum: from the definition.
fn score(response: &Response, target: u32, graphs: &[u32], permutation: &[u32]) -> f64 {
    let (all, size) = (response.len(), graphs.len());
    match response {
        Response::Classes { of, .. } => {
            let own = of.iter().filter(|&&class| class == target).count();
            let hits = graphs.iter().filter(|&&graph| of[permutation[graph as usize] as usize] == target).count();
            let ways = |hits: usize| {
                let choose = |n: usize, k: usize| -> f64 {
                    (0..k).map(|at| n as f64 - at as f64).zip(1..).map(|(a, b)| a / f64::from(b)).product()
                };
                choose(own, hits) * choose(all - own, size - hits) / choose(all, size)
            };
            let (fewest, most) = ((size + own).saturating_sub(all), own.min(size));
            let lower: f64 = (fewest..=hits).map(ways).sum();
            let upper: f64 = (hits..=most).map(ways).sum();
            -(2.0 * lower.min(upper)).min(1.0).ln()
        }
        Response::Numbers(values) => {
            let mean = values.iter().sum::<f64>() / all as f64;
            let sum: f64 = graphs.iter().map(|&graph| values[permutation[graph as usize] as usize] - mean).sum();
            if size == all { 0.0 } else { sum.abs() / (size as f64 * (all - size) as f64).sqrt() }
        }
    }
}

/// Adjusted p-values of all tests by support and target, in the words of the definition: of the tests that are not more
/// extreme, the largest score in each permutation.
fn by_definition(
    graphs: &[Graph],
    response: &Response,
    strata: Option<&[u32]>,
    params: &Params,
) -> BTreeMap<(Vec<u32>, u32), f64> {
    let mut builder = PatternListBuilder::default();
    mine(graphs, &params.mine, &mut builder).unwrap();
    let list = builder.finish();
    let mut supports: Vec<Vec<u32>> = (0..list.len()).map(|at| list.support(at).graphs().to_vec()).collect();
    supports.sort();
    supports.dedup();
    let targets = Statistic::of(response).unwrap().targets();
    let permuter = Permuter::new(graphs.len(), strata, params.seed);
    let permutations: Vec<Vec<u32>> = (0..u64::from(params.permutations)).map(|at| permuter.permutation(at)).collect();
    let identity: Vec<u32> = (0..graphs.len() as u32).collect();
    let tests: Vec<(Vec<u32>, u32)> =
        supports.into_iter().flat_map(|support| targets.clone().map(move |target| (support.clone(), target))).collect();
    let of = |permutation: &[u32]| -> Vec<f64> {
        tests.iter().map(|(support, target)| score(response, *target, support, permutation)).collect()
    };
    let observed = of(&identity);
    let permuted: Vec<Vec<f64>> = permutations.iter().map(|permutation| of(permutation)).collect();
    let raw = |at: usize| {
        let not_more = |other: &usize| observed[*other] <= observed[at] + TIE;
        let family: Vec<usize> = (0..tests.len()).filter(not_more).collect();
        let reaches = |scores: &&Vec<f64>| family.iter().any(|&other| scores[other] >= observed[at] - TIE);
        (1 + permuted.iter().filter(reaches).count()) as f64 / f64::from(params.permutations + 1)
    };
    let raw: Vec<f64> = (0..tests.len()).map(raw).collect();
    let adjusted = |at: usize| {
        let at_least = (0..tests.len()).filter(|&other| observed[other] >= observed[at] - TIE);
        at_least.map(|other| raw[other]).fold(0.0, f64::max)
    };
    (0..tests.len()).map(|at| (tests[at].clone(), adjusted(at))).collect()
}

/// Rounding of the definition's own sums.
const TIE: f64 = 1e-9;

/// Compares with the definition; the number of findings and whether rare subgraphs were left out.
fn compare(graphs: &[Graph], response: &Response, strata: Option<&[u32]>, params: &Params) -> (usize, bool) {
    let all = by_definition(graphs, response, strata, params);
    let wanted: BTreeMap<_, f64> = all.into_iter().filter(|(_, adjusted)| *adjusted <= params.alpha).collect();
    let mut left_out = false;
    for (prune, threads) in [(true, 1), (true, 4), (false, 1)] {
        let params = Params { prune, mine: MineParams { threads, ..params.mine.clone() }, ..params.clone() };
        let found = significant(graphs, response, strata, &params).unwrap();
        let key = |finding: &Finding| (finding.support.graphs().to_vec(), finding.target.unwrap_or(0));
        let got: BTreeMap<_, f64> = found.findings.iter().map(|finding| (key(finding), finding.adjusted)).collect();
        assert_eq!(got, wanted, "prune {prune}, {threads} threads");
        assert!(found.findings.iter().map(|finding| finding.adjusted).is_sorted());
        left_out |= found.min_support > params.mine.min_support;
    }
    (wanted.len(), left_out)
}

fn set(name: &str) -> einsicht_data::Dataset {
    read(&fixture(name), &ReadOptions::default()).unwrap()
}

fn classes_of(dataset: &einsicht_data::Dataset) -> Response {
    let TargetValues::Classes { classes, values } = &dataset.targets[0].values else { panic!("classes") };
    Response::Classes { of: values.iter().map(|value| value.unwrap()).collect(), count: classes.len() as u32 }
}

#[test]
fn p_values_of_classes_are_those_of_the_definition() {
    let mut found = Vec::new();
    for (name, max_edges) in [("MUTAG", 3), ("cpdb_100.gspan", 3), ("ENZYMES_60", 2)] {
        let dataset = set(name);
        found.push(compare(&dataset.graphs, &classes_of(&dataset), None, &params(max_edges)));
    }
    assert!(found.iter().any(|(findings, _)| *findings > 5), "{found:?}");
    assert!(found.iter().any(|(_, left_out)| *left_out), "rare subgraphs were left out: {found:?}");
}

#[test]
fn p_values_of_numbers_and_within_strata_are_those_of_the_definition() {
    let dataset = set("MUTAG");
    let Response::Classes { of, .. } = classes_of(&dataset) else { unreachable!("classes") };
    let mut random = Random::new(2);
    let numbers = of.iter().map(|&class| 2.0 * f64::from(class) + (8.0 * random.unit()).floor() / 8.0).collect();
    let strata: Vec<u32> = dataset.graphs.iter().map(|graph| u32::from(graph.num_vertices() > 17)).collect();
    let numbers = Response::Numbers(numbers);
    let plain = compare(&dataset.graphs, &numbers, None, &params(3));
    assert!(plain.0 > 2 && plain.1, "{plain:?}");
    let within = compare(&dataset.graphs, &classes_of(&dataset), Some(&strata), &params(3));
    assert!(within.0 > 0 && within.0 != compare(&dataset.graphs, &classes_of(&dataset), None, &params(3)).0);
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let dataset = set("MUTAG");
    let graphs = &dataset.graphs[..12];
    let refused = |of: Vec<u32>, strata: Option<&[u32]>, change: &dyn Fn(&mut Params)| {
        let mut params = params(2);
        change(&mut params);
        significant(graphs, &Response::Classes { of, count: 2 }, strata, &params).unwrap_err().to_string()
    };
    let alternating: Vec<u32> = (0..12).map(|at| at % 2).collect();
    let mut one = vec![0; 12];
    one[3] = 1;
    assert_eq!(refused(vec![1; 12], None, &|_| ()), "the target must vary, but all 12 graphs have the same value");
    assert_eq!(
        refused(alternating.clone(), Some(&alternating), &|_| ()),
        "the target must vary, but all 12 graphs have the same value as the others of its stratum"
    );
    assert_eq!(
        refused(one, None, &|_| ()),
        "with 12 graphs, 1 of them in the smallest class, no subgraph can reach a p-value of 0.05: the smallest \
         possible is 0.08"
    );
    assert_eq!(
        refused(alternating.clone(), None, &|params| params.permutations = 9),
        "at level 0.05 there must be at least 19 permutations, got 9: the smallest p-value that 9 can show is 0.10"
    );
    assert_eq!(
        refused(alternating.clone(), None, &|params| params.alpha = 1.0),
        "alpha must lie between 0 and 1, got 1"
    );
    assert!(refused(alternating[..5].to_vec(), None, &|_| ()).ends_with("got 5"));
}

/// How many of `sets` data sets with shuffled targets have a finding.
fn false_discoveries(sets: u64, response: impl Fn(&mut Random) -> Response) -> usize {
    let dataset = set("MUTAG");
    let has_finding = |seed: &u64| {
        let response = response(&mut Random::new(1000 + seed));
        let params = Params { permutations: 99, seed: *seed, ..params(3) };
        !significant(&dataset.graphs, &response, None, &params).unwrap().findings.is_empty()
    };
    (0..sets).filter(has_finding).count()
}

#[test]
fn where_nothing_goes_with_the_target_false_discoveries_are_as_rare_as_the_level() {
    // One in ten of the second class; numbers with heavy tails. 5 % are 3 of 60; more than 7 would be 1.5 % chance.
    let classes = |random: &mut Random| {
        let mut of: Vec<u32> = (0..188).map(|at| u32::from(at % 10 == 0)).collect();
        random.shuffle(&mut of);
        Response::Classes { of, count: 2 }
    };
    let numbers = |random: &mut Random| {
        Response::Numbers((0..188).map(|_| (random.normal() / random.normal()).clamp(-1e6, 1e6)).collect())
    };
    let found = [false_discoveries(60, classes), false_discoveries(60, numbers)];
    assert!(found.iter().all(|&found| found <= 7), "{found:?}");
    assert!(found.iter().sum::<usize>() > 0, "a level of 5 % is not 0: {found:?}");
}
