use super::*;
use crate::subject::Subject;
use crate::values::shapley::{ShapleyBaseline, ShapleyOptions, by_coalitions, shapley_values};
use einsicht_data::random::Random;
use einsicht_model::Model;
use einsicht_model::heads::HeadKind;
use einsicht_testkit::models;

/// The quantities of a model that are exact at any number of features: two classes, three classes, the number.
fn covered(model: &Model, scale: Scale) -> [bool; 3] {
    let function = ValueFunction::new(model, model.chosen, scale);
    let Some(polynomial) = Polynomial::new(&function, &function.background()) else { return [false; 3] };
    let of = |task: usize| {
        let mut own = (0..function.quantities().len()).filter(|&q| function.quantities()[q].task == task);
        own.all(|q| polynomial.cover(q) == Cover::Whole)
    };
    [of(0), of(1), of(2)]
}

#[test]
fn polynomial_values_are_those_of_all_coalitions_for_every_head() {
    let all = ShapleyOptions { exact_up_to: 20, ..ShapleyOptions::default() };
    let heads = HeadKind::ALL.iter().copied().filter(|kind| kind.is_fitted());
    for (head, columns) in heads.flat_map(|head| [(head, false), (head, true)]) {
        let (dataset, mut model) = if columns { models::with_head_and_columns(head) } else { models::with_head(head) };
        if let Some(head) = &mut model.entries[0].head {
            // A weight at which both parts count, unless there is one.
            head.set_forest_weight(0.25);
        }
        let subject = Subject { model: &model, entry: 0, dataset: &dataset };
        for scale in [Scale::Logit, Scale::Probability] {
            let (function, table) = ValueFunction::of_graphs(&subject, scale);
            let n = function.features();
            assert!((6..=12).contains(&n), "{n}");
            assert_eq!(n - function.patterns(), if columns { 2 } else { 0 });
            // Graphs that exist, and any other rows.
            let mut random = Random::new(3);
            let mut rows: Vec<Vec<f64>> = (0..4).map(|row| table.row(9 * row).to_vec()).collect();
            rows.extend((0..3).map(|_| (0..n).map(|_| random.index(3) as f64 * 0.7).collect()));
            for baseline in [ShapleyBaseline::Background, ShapleyBaseline::Absent] {
                let references = baseline.rows(&function);
                let Some(polynomial) = Polynomial::new(&function, &references) else { panic!("{head:?} has one") };
                let together = polynomial.attributions(&function, &rows);
                for (row, fast) in rows.iter().zip(&together) {
                    // Rows that walk through trees together have the values that they have alone, to the bit.
                    assert_eq!(
                        polynomial.attributions(&function, std::slice::from_ref(row)),
                        std::slice::from_ref(fast)
                    );
                    let slow = by_coalitions(&function, row, &references, &all);
                    let q = function.quantities().len();
                    for (at, (a, b)) in fast.values.iter().zip(&slow.values).enumerate() {
                        let is_same = polynomial.cover(at % q) != Cover::Whole || (a - b).abs() < 1e-8;
                        assert!(is_same, "{head:?} {scale:?} {baseline:?} {at}: {a} {b}");
                    }
                    for quantity in (0..q).filter(|&quantity| polynomial.cover(quantity) == Cover::Whole) {
                        let sum: f64 = (0..n).map(|feature| fast.values[feature * q + quantity]).sum();
                        assert!((sum - (fast.output[quantity] - fast.base[quantity])).abs() < 1e-12);
                        assert!((fast.base[quantity] - slow.base[quantity]).abs() < 1e-9);
                        assert!((fast.output[quantity] - slow.output[quantity]).abs() < 1e-9);
                    }
                }
            }
        }
        let wanted = match head {
            HeadKind::Linear => ([true, true, true], [true, false, true]),
            HeadKind::Forest => ([false, false, true], [true, true, true]),
            _ => ([false, false, true], [true, false, true]),
        };
        assert_eq!((covered(&model, Scale::Logit), covered(&model, Scale::Probability)), wanted, "{head:?}");
    }
}

#[test]
fn trees_and_the_linear_part_of_several_classes_are_together_the_values_of_all_coalitions() {
    let (dataset, mut model) = models::with_head(HeadKind::Blend);
    model.entries[0].head.as_mut().unwrap().set_forest_weight(0.25);
    let subject = Subject { model: &model, entry: 0, dataset: &dataset };
    let (function, table) = ValueFunction::of_graphs(&subject, Scale::Probability);
    let options = ShapleyOptions { exact_up_to: 20, ..ShapleyOptions::default() };
    let references = ShapleyBaseline::Background.rows(&function);
    let polynomial = Polynomial::new(&function, &references).unwrap();
    assert!(polynomial.leaves_linear() && !polynomial.covers_all());
    let table = table.select(&[0, 9, 30]);
    let values = shapley_values(&function, &table, ShapleyBaseline::Background, &options);
    for row in 0..table.rows() {
        let slow = by_coalitions(&function, table.row(row), &references, &options);
        let fast = values.row(row);
        let pairs = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8);
        assert!(
            pairs(&fast.values, &slow.values) && pairs(&fast.output, &slow.output) && pairs(&fast.base, &slow.base)
        );
    }
}

#[test]
fn what_is_not_exact_beside_what_is_gets_an_error_of_its_own() {
    let (dataset, model) = models::with_head(HeadKind::Forest);
    let subject = Subject { model: &model, entry: 0, dataset: &dataset };
    let (function, table) = ValueFunction::of_graphs(&subject, Scale::Logit);
    let options = ShapleyOptions { exact_up_to: 1, orders: 8, ..ShapleyOptions::default() };
    let table = table.select(&[0, 11, 40]);
    let values = shapley_values(&function, &table, ShapleyBaseline::Background, &options);
    let q = function.quantities().len();
    let mut sampled = 0;
    for row in 0..table.rows() {
        let attribution = values.row(row);
        let errors = attribution.errors.as_ref().unwrap();
        for quantity in 0..q {
            let of = |list: &[f64]| (0..table.width()).map(|f| list[f * q + quantity]).sum::<f64>();
            let gap = attribution.output[quantity] - attribution.base[quantity];
            assert!((of(&attribution.values) - gap).abs() < 1e-9, "values sum, sampled or not");
            // The last one is the number.
            assert_eq!(of(errors) == 0.0, quantity == q - 1 || gap == 0.0);
            sampled += usize::from(of(errors) > 0.0);
        }
    }
    assert!(sampled > 0);
}

#[test]
fn the_probability_of_a_linear_model_is_exact_at_any_size_of_its_sums() {
    // Sums far from 0, small and large steps, one and many features.
    let mut random = Random::new(1);
    for features in [1, 2, 5, 11] {
        let weights: Vec<f64> = (0..features).map(|_| 6.0 * random.normal()).collect();
        for offset in [-40.0, 0.0, 3.0] {
            let references =
                References { rows: vec![vec![0.0; features]], weights: vec![1.0], feature_of: (0..features).collect() };
            let values =
                Logistic::new(&weights, offset, Vec::new(), &references).values(&vec![1.0; features], &references);
            let probability = |mask: usize| {
                let inside = |at: &usize| mask & (1 << at) != 0;
                let sum = (0..features).filter(inside).fold(offset, |sum, at| sum + weights[at]);
                1.0 / (1.0 + libm::exp(-sum))
            };
            for (feature, value) in values.iter().take(features).enumerate() {
                let mut wanted = 0.0;
                for mask in (0..1_usize << features).filter(|mask| mask & (1 << feature) == 0) {
                    let size = mask.count_ones() as usize;
                    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
                    let weight = factorial(size) * factorial(features - size - 1) / factorial(features);
                    wanted += weight * (probability(mask | 1 << feature) - probability(mask));
                }
                assert!((value - wanted).abs() < 1e-8, "{features} {offset} {feature}: {value} {wanted}");
            }
        }
    }
}

#[test]
fn subgraphs_that_interact_inside_of_the_logistic_function_are_exact() {
    let mut random = Random::new(5);
    let pair = |columns: [usize; 2]| Pair { columns, means: [0.3, 0.6] };
    let chains = [vec![pair([0, 1])], vec![pair([1, 4]), pair([2, 3])], vec![pair([0, 2]), pair([2, 5]), pair([3, 4])]];
    for pairs in &chains {
        let features = 7;
        let weights: Vec<f64> = (0..features).map(|_| 2.0 * random.normal()).collect();
        let pairs: Vec<(&Pair, f64)> = pairs.iter().map(|pair| (pair, 3.0 * random.normal())).collect();
        let mut row = || (0..features).map(|_| random.index(3) as f64).collect::<Vec<f64>>();
        let references =
            References { rows: vec![row(), row()], weights: vec![0.25, 0.75], feature_of: (0..features).collect() };
        let row = row();
        let found = Logistic::new(&weights, -0.4, pairs.clone(), &references).values(&row, &references);
        let probability = |mixed: &[f64]| {
            let single = mixed.iter().zip(&weights).fold(-0.4, |sum, (value, weight)| sum + value * weight);
            let mut sum = single;
            for (pair, weight) in &pairs {
                sum += weight * centred(pair, mixed).iter().product::<f64>();
            }
            1.0 / (1.0 + libm::exp(-sum))
        };
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        for feature in 0..features {
            let mut wanted = 0.0;
            for (other, share) in references.rows.iter().zip(&references.weights) {
                let of = |mask: usize| {
                    let pick = |at: usize| if mask >> at & 1 == 1 { row[at] } else { other[at] };
                    probability(&(0..features).map(pick).collect::<Vec<_>>())
                };
                for mask in (0..1_usize << features).filter(|mask| mask >> feature & 1 == 0) {
                    let size = mask.count_ones() as usize;
                    let weight = factorial(size) * factorial(features - size - 1) / factorial(features);
                    wanted += share * weight * (of(mask | 1 << feature) - of(mask));
                }
            }
            assert!((found[feature] - wanted).abs() < 1e-8, "{feature}: {} {wanted}", found[feature]);
        }
    }
}
