use super::*;
use crate::values::lime::{LimeOptions, lime};
use crate::values::{Attribution, Scale};
use einsicht_testkit::models;

/// Rows of presences: the first has every pattern, the others are random.
fn rows(features: usize, count: usize, seed: u64) -> FeatureTable {
    let mut random = Random::new(seed);
    let mut table = vec![1.0; features];
    for _ in 1..count {
        table.extend((0..features).map(|_| random.below(2) as f64));
    }
    FeatureTable::new(table, count, features)
}

/// The Shapley values of one row against the absence of patterns.
fn of_row(function: &ValueFunction<'_>, row: &[f64], options: &ShapleyOptions) -> Attribution {
    let table = FeatureTable::new(row.to_vec(), 1, row.len());
    shapley_values(function, &table, ShapleyBaseline::Absent, options).row(0).clone()
}

/// The definition, over all orders of all features, with a coalition's output computed anew each time.
fn by_all_orders(function: &ValueFunction<'_>, row: &[f64], others: &[Vec<f64>]) -> Vec<f64> {
    let q = function.quantities().len();
    let worth = |coalition: &[usize]| {
        let mut sums = vec![0.0; q];
        for other in others {
            let mut mixed = other.clone();
            for &feature in coalition {
                mixed[feature] = row[feature];
            }
            for (sum, value) in sums.iter_mut().zip(function.evaluate(&mixed, 1)) {
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
    let model = models::tangled(1);
    for scale in [Scale::Logit, Scale::Probability] {
        let function = ValueFunction::new(&model, 0, scale);
        let n = function.features();
        assert!(n >= 4, "{n}");
        let table = rows(n, 3, 5);
        // As many times as the background has graphs with the row.
        let background = &model.backgrounds[0];
        let repeated = |(at, (row, _)): (usize, (Vec<f64>, f64))| vec![row; background.graphs[at] as usize];
        let others: Vec<Vec<f64>> = function.background().into_iter().enumerate().flat_map(repeated).collect();
        assert!(others.len() > background.rows() && background.rows() > 3, "{background:?}");
        for (baseline, others) in [(ShapleyBaseline::Absent, vec![vec![0.0; n]]), (ShapleyBaseline::Background, others)]
        {
            let values = shapley_values(&function, &table, baseline, &ShapleyOptions::default());
            for at in 0..table.rows() {
                let (row, attribution) = (table.row(at), values.row(at));
                assert!(close(&attribution.values, &by_all_orders(&function, row, &others), 1e-12));
                let sum: f64 = attribution.values.iter().sum();
                assert!((sum - (attribution.output[0] - attribution.base[0])).abs() < 1e-9);
                assert!(close(&attribution.output, &function.evaluate(row, 1), 1e-12));
                assert!(attribution.errors.is_none());
            }
        }
    }
}

#[test]
fn sampled_values_sum_exactly_and_are_near_the_exact_ones() {
    let model = models::tangled(2);
    let function = ValueFunction::new(&model, 0, Scale::Logit);
    let n = function.features();
    let table = rows(n, 6, 1);
    let exact = shapley_values(&function, &table, ShapleyBaseline::Absent, &ShapleyOptions::default());
    let options = ShapleyOptions { exact_up_to: 1, orders: 400, ..ShapleyOptions::default() };
    let sampled = shapley_values(&function, &table, ShapleyBaseline::Absent, &options);
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
    assert_eq!(shapley_values(&function, &table, ShapleyBaseline::Absent, &options), sampled);
}

#[test]
fn interactions_sum_to_the_values_and_are_what_a_merged_feature_gains() {
    let model = models::tangled(3);
    let function = ValueFunction::new(&model, 0, Scale::Logit);
    let n = function.features();
    let row = vec![1.0; n];
    let options = ShapleyOptions { interactions: true, ..ShapleyOptions::default() };
    let attribution = of_row(&function, &row, &options);
    let pairs = attribution.interactions.as_ref().unwrap();
    for i in 0..n {
        let sum: f64 = pairs[i * n..(i + 1) * n].iter().sum();
        assert!((sum - attribution.values[i]).abs() < 1e-9);
    }
    // The index of a pair is the value of both as one feature, minus their values where the other is never added.
    let worth = |present: &[bool]| {
        let values: Vec<f64> = present.iter().map(|&p| f64::from(u8::from(p))).collect();
        function.evaluate(&values, 1)[0]
    };
    let value_of = |groups: &[Vec<usize>], of: usize| {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let (mut sum, mut count) = (0.0, 0.0);
        permute(&mut order, 0, &mut |order| {
            let mut present = vec![false; n];
            for &group in order {
                let before = worth(&present);
                for &feature in &groups[group] {
                    present[feature] = true;
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
    let rest: Vec<Vec<usize>> = (2..n).map(|feature| vec![feature]).collect();
    let with = |group: Vec<usize>| [vec![group], rest.clone()].concat();
    let index = value_of(&with(vec![i, j]), 0) - value_of(&with(vec![i]), 0) - value_of(&with(vec![j]), 0);
    assert!((2.0 * pairs[i * n + j] - index).abs() < 1e-9, "{} {index}", 2.0 * pairs[i * n + j]);
}

#[test]
fn a_graph_without_patterns_has_no_attributions_and_equal_rows_are_computed_once() {
    let model = models::tangled(4);
    let function = ValueFunction::new(&model, 0, Scale::Logit);
    let n = function.features();
    let table = [vec![0.0; n], vec![1.0; n], vec![0.0; n]].concat();
    let table = FeatureTable::new(table, 3, n);
    let values = shapley_values(&function, &table, ShapleyBaseline::Absent, &ShapleyOptions::default());
    assert_eq!((values.distinct.len(), &values.of_row[..]), (2, &[0, 1, 0][..]));
    assert!(values.row(0).values.iter().all(|value| *value == 0.0));
    assert_eq!(values.row(0).output, values.row(0).base);
}

#[test]
fn a_linear_model_is_explained_by_its_coefficients() {
    let model = models::linear();
    let function = ValueFunction::new(&model, 0, Scale::Logit);
    let n = function.features();
    let row = vec![1.0; n];
    let coefficients: Vec<f64> = (0..n)
        .map(|feature| {
            let mut without = row.clone();
            without[feature] = 0.0;
            function.evaluate(&row, 1)[0] - function.evaluate(&without, 1)[0]
        })
        .collect();
    assert!(coefficients.iter().any(|coefficient| coefficient.abs() > 1e-3));
    let attribution = of_row(&function, &row, &ShapleyOptions::default());
    assert!(close(&attribution.values, &coefficients, 1e-9));
    let surrogate = lime(&function, &row, &LimeOptions::default());
    let order = |values: &[f64]| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order
    };
    assert_eq!(order(&surrogate.values), order(&coefficients));
    assert!(close(&surrogate.values, &coefficients, 1e-5), "{:?} {coefficients:?}", surrogate.values);
}
