use super::*;
use crate::game::{Game, Scale};
use crate::lime::{self, lime};
use crate::testing;

/// Rows of presences: the first has every pattern, the others are random.
fn rows(players: usize, count: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut table = vec![1.0; players];
    for _ in 1..count {
        table.extend((0..players).map(|_| random.below(2) as f64));
    }
    table
}

/// The definition, over all orders of all players, with a coalition's output computed anew each time.
fn by_all_orders(game: &Game<'_>, row: &[f64], others: &[Vec<f64>]) -> Vec<f64> {
    let q = game.quantities().len();
    let worth = |coalition: &[usize]| {
        let mut sums = vec![0.0; q];
        for other in others {
            let mut mixed = other.clone();
            for &player in coalition {
                mixed[player] = row[player];
            }
            for (sum, value) in sums.iter_mut().zip(game.evaluate(&mixed, 1)) {
                *sum += value / others.len() as f64;
            }
        }
        sums
    };
    let mut order: Vec<usize> = (0..row.len()).collect();
    let (mut values, mut count) = (vec![0.0; row.len() * q], 0.0);
    permute(&mut order, 0, &mut |order| {
        for at in 0..order.len() {
            let (with, without) = (worth(&order[..=at]), worth(&order[..at]));
            for k in 0..q {
                values[order[at] * q + k] += with[k] - without[k];
            }
        }
        count += 1.0;
    });
    values.iter().map(|value| value / count).collect()
}

fn permute(order: &mut [usize], from: usize, visit: &mut impl FnMut(&[usize])) {
    if from == order.len() {
        return visit(order);
    }
    for at in from..order.len() {
        order.swap(from, at);
        permute(order, from + 1, visit);
        order.swap(from, at);
    }
}

fn close(a: &[f64], b: &[f64], most: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= most)
}

#[test]
fn values_are_those_of_the_definition_with_both_baselines_and_scales() {
    let model = testing::tangled(1);
    for scale in [Scale::Logit, Scale::Probability] {
        let game = Game::new(&model, 0, scale);
        let n = game.players();
        assert!(n >= 4, "{n}");
        let table = rows(n, 3, 5);
        let background = rows(n, 4, 6);
        let others: Vec<Vec<f64>> = background.chunks_exact(n).map(<[f64]>::to_vec).collect();
        let cases = [
            (Baseline::Absent, vec![vec![0.0; n]]),
            (Baseline::Background(Background::new(&background, 4, 100, 0)), others),
        ];
        for (baseline, others) in cases {
            let explained = explain(&game, &table, 3, &Options { baseline, ..Options::default() });
            for (at, row) in table.chunks_exact(n).enumerate() {
                let shares = explained.row(at);
                assert!(close(&shares.values, &by_all_orders(&game, row, &others), 1e-12));
                let sum: f64 = shares.values.iter().sum();
                assert!((sum - (shares.output[0] - shares.base[0])).abs() < 1e-9);
                assert!(close(&shares.output, &game.evaluate(row, 1), 1e-12));
                assert!(shares.errors.is_none());
            }
        }
    }
}

#[test]
fn sampled_values_sum_exactly_and_are_near_the_exact_ones() {
    let model = testing::tangled(2);
    let game = Game::new(&model, 0, Scale::Logit);
    let n = game.players();
    let table = rows(n, 6, 1);
    let exact = explain(&game, &table, 6, &Options::default());
    let options = Options { exact_up_to: 1, orders: 400, ..Options::default() };
    let sampled = explain(&game, &table, 6, &options);
    let mut compared = 0;
    for row in 0..6 {
        let (a, b) = (exact.row(row), sampled.row(row));
        assert!((b.values.iter().sum::<f64>() - (b.output[0] - b.base[0])).abs() < 1e-9);
        let Some(errors) = &b.errors else { continue };
        for ((x, y), error) in a.values.iter().zip(&b.values).zip(errors) {
            assert!((x - y).abs() <= 5.0 * error + 1e-9, "{x} {y} {error}");
            compared += usize::from(*error > 0.0);
        }
    }
    assert!(compared > 0);
    assert_eq!(explain(&game, &table, 6, &options), sampled);
}

#[test]
fn interactions_sum_to_the_values_and_are_what_a_merged_player_gains() {
    let model = testing::tangled(3);
    let game = Game::new(&model, 0, Scale::Logit);
    let n = game.players();
    let row = vec![1.0; n];
    let options = Options { interactions: true, ..Options::default() };
    let shares = explain(&game, &row, 1, &options).row(0).clone();
    let pairs = shares.interactions.as_ref().unwrap();
    for i in 0..n {
        let sum: f64 = pairs[i * n..(i + 1) * n].iter().sum();
        assert!((sum - shares.values[i]).abs() < 1e-9);
    }
    // The index of a pair is the share of both as one player, minus their shares where the other never plays.
    let worth = |present: &[bool]| {
        let values: Vec<f64> = present.iter().map(|&p| f64::from(u8::from(p))).collect();
        game.evaluate(&values, 1)[0]
    };
    let share = |groups: &[Vec<usize>], of: usize| {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let (mut sum, mut count) = (0.0, 0.0);
        permute(&mut order, 0, &mut |order| {
            let mut present = vec![false; n];
            for &group in order {
                let before = worth(&present);
                for &player in &groups[group] {
                    present[player] = true;
                }
                if group == of {
                    sum += worth(&present) - before;
                }
            }
            count += 1.0;
        });
        sum / count
    };
    let (i, j) = (0, 1);
    let rest: Vec<Vec<usize>> = (2..n).map(|player| vec![player]).collect();
    let with = |group: Vec<usize>| [vec![group], rest.clone()].concat();
    let index = share(&with(vec![i, j]), 0) - share(&with(vec![i]), 0) - share(&with(vec![j]), 0);
    assert!((2.0 * pairs[i * n + j] - index).abs() < 1e-9, "{} {index}", 2.0 * pairs[i * n + j]);
}

#[test]
fn a_graph_without_patterns_has_no_shares_and_equal_rows_are_played_once() {
    let model = testing::tangled(4);
    let game = Game::new(&model, 0, Scale::Logit);
    let n = game.players();
    let table = [vec![0.0; n], vec![1.0; n], vec![0.0; n]].concat();
    let explained = explain(&game, &table, 3, &Options::default());
    assert_eq!((explained.distinct.len(), &explained.of_row[..]), (2, &[0, 1, 0][..]));
    assert!(explained.row(0).values.iter().all(|value| *value == 0.0));
    assert_eq!(explained.row(0).output, explained.row(0).base);
}

#[test]
fn a_straight_line_is_explained_by_its_slopes() {
    let model = testing::straight();
    let game = Game::new(&model, 0, Scale::Logit);
    let n = game.players();
    let row = vec![1.0; n];
    let slopes: Vec<f64> = (0..n)
        .map(|player| {
            let mut without = row.clone();
            without[player] = 0.0;
            game.evaluate(&row, 1)[0] - game.evaluate(&without, 1)[0]
        })
        .collect();
    assert!(slopes.iter().any(|slope| slope.abs() > 1e-3));
    let shares = explain(&game, &row, 1, &Options::default());
    assert!(close(&shares.row(0).values, &slopes, 1e-9));
    let line = lime(&game, &row, &lime::Options::default());
    let order = |values: &[f64]| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order
    };
    assert_eq!(order(&line.values), order(&slopes));
    assert!(close(&line.values, &slopes, 1e-5), "{:?} {slopes:?}", line.values);
}
