use super::*;

fn margins(of: &[u32], count: u32) -> Margins {
    Margins::of(of, count).unwrap()
}

/// The number of ways in which a support of `size` graphs has at most, and at least, so many of `own`.
fn tails(all: u64, own: u64, size: u64, hits: u64) -> [f64; 2] {
    fn choose(n: u64, k: u64) -> f64 {
        if k > n { 0.0 } else { (0..k).map(|at| (n - at) as f64 / (at + 1) as f64).product() }
    }
    let ways = |hits: u64| if hits > size { 0.0 } else { choose(own, hits) * choose(all - own, size - hits) };
    let all_ways = choose(all, size);
    [(0..=hits).map(ways).sum::<f64>() / all_ways, (hits..=own.min(size)).map(ways).sum::<f64>() / all_ways]
}

#[test]
fn scores_are_those_of_the_definition() {
    let of: Vec<u32> = (0..23).map(|at| u32::from(at % 4 == 0)).collect();
    let margins = margins(&of, 2);
    let own = margins.count(1) as u64;
    let mut seen = 0;
    for size in 0..=23 {
        let (fewest, most) = margins.range(1, size);
        let scores = margins.scores(1, size);
        for hits in fewest..=most {
            let [lower, upper] = tails(23, own, size as u64, hits as u64);
            let p = (2.0 * lower.min(upper)).min(1.0);
            assert!((libm::exp(-scores[hits]) - p).abs() < 1e-12, "{size} {hits}");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}

#[test]
fn mirrored_supports_tie_exactly() {
    // 12 of 24 graphs: taking the complement, or exchanging the classes, leaves the p-value.
    let of: Vec<u32> = (0..24).map(|at| at % 2).collect();
    let statistic = Statistic::Classes(margins(&of, 2));
    let scores = Scores::of(&statistic, 0..=24);
    let mut equal = 0;
    for size in 0..=24_usize {
        for hits in size.saturating_sub(12)..=size.min(12) {
            let score = scores.row(1, size).score(hits as i64);
            let mirrored = scores.row(1, 24 - size).score(12 - hits as i64);
            let exchanged = scores.row(1, size).score((size - hits) as i64);
            assert_eq!((score.to_bits(), score.to_bits()), (mirrored.to_bits(), exchanged.to_bits()), "{size} {hits}");
            equal += 1;
        }
    }
    assert!(equal > 100);
}

#[test]
fn no_score_is_beyond_reach() {
    let classes: Vec<u32> = (0..30).map(|at| u32::from(at < 4) + u32::from(at < 2)).collect();
    let numbers: Vec<f64> = (0..30).map(|at| f64::from(at * at) / 7.0).collect();
    let classes = Statistic::of(&Response::Classes { of: classes, count: 3 }).unwrap();
    let numbers = Statistic::of(&Response::Numbers(numbers)).unwrap();
    let mut random = einsicht_data::random::Random::new(1);
    for statistic in [&classes, &numbers] {
        let reach = statistic.reach();
        assert!(reach.is_sorted() && reach.len() == 31);
        let scores = Scores::of(statistic, 0..=30);
        let mut touched = 0;
        for _ in 0..20_000 {
            let size = 1 + random.below(4) as usize;
            let mut graphs: Vec<u32> = (0..30).collect();
            random.shuffle(&mut graphs);
            graphs.truncate(size);
            graphs.sort_unstable();
            let support = Support::detached(graphs, Vec::new());
            for target in statistic.targets() {
                let score = scores.row(target, size).score(statistic.sum(target, &support));
                assert!(score <= reach[size] + 1e-9);
                touched += usize::from(score >= reach[size] - 1e-9);
            }
        }
        assert!(touched > 0, "the bound is attained");
    }
}

#[test]
fn a_constant_target_has_no_statistic() {
    for constant in [Response::Classes { of: vec![1; 9], count: 2 }, Response::Numbers(vec![0.5; 9])] {
        assert!(matches!(Statistic::of(&constant), Err(SignificanceError::Constant { graphs: 9, strata: false })));
    }
}
