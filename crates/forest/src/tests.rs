use super::split_search::StrategyCounts;
use super::training_set::TrainingSet;
use super::*;
use einsicht_data::random::Random;

/// A table of random numbers, mostly 0 and 1, and classes that depend on its first columns.
struct Case {
    table: Vec<f64>,
    rows: usize,
    width: usize,
    labels: Vec<u32>,
    numbers: Vec<f64>,
    weights: Vec<f64>,
}

fn case(seed: u64, rows: usize, width: usize) -> Case {
    let mut random = Random::new(seed);
    let mut table = Vec::new();
    for _ in 0..rows {
        table.extend((0..width).map(|at| match at % 3 {
            2 => random.index(5) as f64 / 2.0,
            _ => random.index(2) as f64,
        }));
    }
    let row = |at: usize| &table[at * width..(at + 1) * width];
    let labels: Vec<u32> =
        (0..rows)
            .map(|at| {
                if random.index(6) == 0 { random.index(3) as u32 } else { (row(at)[0] + row(at)[2]).round() as u32 % 3 }
            })
            .collect();
    let numbers = labels.iter().map(|&label| f64::from(label) + random.unit() + 1000.0).collect();
    let weights = (0..rows).map(|_| [0.0, 1.0, 1.0, 2.5][random.index(4)]).collect();
    Case { table, rows, width, labels, numbers, weights }
}

impl Case {
    fn columns(&self) -> Columns {
        Columns::new(&self.table, self.rows, self.width)
    }

    fn classes(&self) -> Response<'_> {
        Response::Classes { labels: &self.labels, classes: 3 }
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.table[at * self.width..(at + 1) * self.width]
    }

    /// Impurity of some rows, from its definition.
    fn impurity(&self, response: Response<'_>, rows: &[usize]) -> (f64, f64) {
        let weight: f64 = rows.iter().map(|&at| self.weights[at]).sum();
        let impurity = match response {
            Response::Classes { labels, classes } => {
                let fraction = |class: usize| {
                    let of_class = rows.iter().filter(|&&at| labels[at] as usize == class);
                    of_class.map(|&at| self.weights[at]).sum::<f64>() / weight
                };
                (0..classes).map(|class| fraction(class) * (1.0 - fraction(class))).sum()
            }
            Response::Numbers(values) => {
                let mean = rows.iter().map(|&at| self.weights[at] * values[at]).sum::<f64>() / weight;
                rows.iter().map(|&at| self.weights[at] * (values[at] - mean).powi(2)).sum::<f64>() / weight
            }
        };
        (weight, impurity)
    }

    /// The decrease of impurity by a split; `None` if one side has fewer than `min_leaf` rows.
    fn worth(
        &self,
        response: Response<'_>,
        rows: &[usize],
        (column, threshold): (usize, f64),
        min_leaf: usize,
    ) -> Option<f64> {
        let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&at| self.row(at)[column] <= threshold);
        let ((w, i), (wl, il), (wr, ir)) =
            (self.impurity(response, rows), self.impurity(response, &left), self.impurity(response, &right));
        (left.len().min(right.len()) >= min_leaf).then(|| i - (wl * il + wr * ir) / w)
    }
}

/// Follows the tree and compares every split with all others that leave enough rows.
fn check_against_the_definition(case: &Case, response: Response<'_>, min_leaf: usize) -> usize {
    let params = TreeParams { min_leaf, ..TreeParams::default() };
    let tree = Tree::grow(&case.columns(), response, &case.weights, &params, &mut Random::new(0));
    let all: Vec<usize> = (0..case.rows).filter(|&at| case.weights[at] > 0.0).collect();
    let (mut todo, mut splits) = (vec![(0, all)], 0);
    while let Some((at, rows)) = todo.pop() {
        let node = &tree.nodes[at];
        let (weight, impurity) = case.impurity(response, &rows);
        assert!((node.weight - weight).abs() < 1e-9 && (node.impurity - impurity).abs() < 1e-9);
        assert_eq!(node.rows as usize, rows.len());
        let values: Vec<f64> = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75].to_vec();
        let possible = (0..case.width).flat_map(|c| values.iter().map(move |v| (c, *v)));
        let best = possible
            .filter_map(|(c, v)| case.worth(response, &rows, (c, v), min_leaf))
            .fold(f64::NEG_INFINITY, f64::max);
        let Some(split) = &node.split else {
            assert!(best == f64::NEG_INFINITY || impurity < 1e-9, "a leaf that could be divided");
            continue;
        };
        let worth = case.worth(response, &rows, (split.column as usize, split.threshold), min_leaf).expect("two sides");
        assert!((worth - best).abs() < 1e-9, "{worth} {best}");
        splits += 1;
        let (left, right) = rows.iter().partition(|&&r| case.row(r)[split.column as usize] <= split.threshold);
        todo.extend([(split.left as usize, left), (split.right as usize, right)]);
    }
    splits
}

#[test]
fn every_split_is_the_best_by_the_definition() {
    let mut splits = 0;
    for seed in 0..6 {
        let mut case = case(seed, 60, 6);
        for min_leaf in [1, 4] {
            splits += check_against_the_definition(&case, case.classes(), min_leaf);
            splits += check_against_the_definition(&case, Response::Numbers(&case.numbers), min_leaf);
        }
        case.weights.iter_mut().for_each(|weight| *weight = weight.ceil());
        for min_leaf in [1, 4] {
            splits += check_against_the_definition(&case, case.classes(), min_leaf);
        }
    }
    assert!(splits > 300, "{splits}");
}

/// A table whose columns have 2, 5, 40 and as many values as rows, most rows several times; classes, integer weights.
fn many_ways(seed: u64, rows: usize, classes: usize) -> Case {
    let mut random = Random::new(seed);
    let width = 8;
    let first: Vec<f64> =
        (0..rows * width).map(|at| random.index([2, 5, 40, 100_000][at % 4]) as f64 / 4.0 - 2.0).collect();
    let copies: Vec<usize> = (0..rows).map(|_| random.index(rows * 3 / 4)).collect();
    let table: Vec<f64> = copies.iter().flat_map(|&at| first[at * width..(at + 1) * width].to_vec()).collect();
    let label = |at: &usize| if random.index(4) == 0 { random.index(classes) } else { at % classes } as u32;
    let labels: Vec<u32> = copies.iter().map(label).collect();
    let weights = (0..rows).map(|_| random.index(3) as f64).collect();
    Case { table, rows, width, labels, numbers: vec![0.0; rows], weights }
}

#[test]
fn merged_rows_give_the_tree_of_single_ones_bit_for_bit_in_every_way() {
    let mut all = StrategyCounts::default();
    for seed in 0..24 {
        let (classes, rows) = ([1, 2, 3, 7][seed as usize % 4], [30, 150, 700][seed as usize % 3]);
        let case = many_ways(seed, rows, classes);
        let columns = case.columns();
        let response = Response::Classes { labels: &case.labels, classes };
        let mut random = Random::new(seed);
        let times: Vec<u32> = (0..rows).map(|_| random.index(4) as u32).collect();
        for (min_leaf, max_features, max_depth) in
            [(1, MaxFeatures::All, None), (1, MaxFeatures::Sqrt, None), (5, MaxFeatures::Sqrt, Some(6))]
        {
            let params = TreeParams { max_depth, min_leaf, max_features };
            for times in [None, Some(&times[..])] {
                let (mut one, mut other) = (Random::new(1), Random::new(1));
                let (merged, counts) =
                    TrainingSet::new(&columns, response, &case.weights).grow_and_count(times, &params, &mut one);
                let (plain, none) = TrainingSet::new(&columns, response, &case.weights)
                    .plain()
                    .grow_and_count(times, &params, &mut other);
                assert_eq!(merged, plain);
                assert_eq!(one, other, "as many random numbers were drawn");
                assert_eq!(none, None);
                let counts = counts.expect("integer weights");
                all.two_values += counts.two_values;
                all.two_class_histogram += counts.two_class_histogram;
                all.class_histogram += counts.class_histogram;
                all.by_rank += counts.by_rank;
            }
        }
    }
    let StrategyCounts { two_values, two_class_histogram, class_histogram, by_rank } = all;
    assert!([two_values, two_class_histogram, class_histogram, by_rank].iter().all(|&times| times > 500), "{all:?}");
}

#[test]
fn rows_are_merged_only_where_sums_are_exact() {
    fn counts(columns: &Columns, weights: &[f64], response: Response<'_>) -> Option<StrategyCounts> {
        let training_set = TrainingSet::new(columns, response, weights);
        training_set.grow_and_count(None, &TreeParams::default(), &mut Random::new(0)).1
    }
    let mut case = many_ways(1, 100, 3);
    let columns = case.columns();
    assert!(counts(&columns, &case.weights, case.classes()).is_some());
    assert_eq!(counts(&columns, &case.weights, Response::Numbers(&case.numbers)), None);
    case.weights[0] = 2.0_f64.powi(26);
    assert_eq!(counts(&columns, &case.weights, case.classes()), None, "squares would be rounded");
    case.weights[0] = 0.5;
    assert_eq!(counts(&columns, &case.weights, case.classes()), None);
}

#[test]
fn a_forest_draws_rows_with_their_weights() {
    let case = case(9, 50, 5);
    let params = ForestParams { trees: 5, seed: 2, ..ForestParams::default() };
    let forest = Forest::grow(&case.columns(), case.classes(), &case.weights, &params);
    let rows: Vec<usize> = (0..case.rows).filter(|&row| case.weights[row] > 0.0).collect();
    for (at, tree) in forest.trees.iter().enumerate() {
        let mut random = Random::stream(2, at as u64);
        let mut drawn = vec![0.0; case.rows];
        for _ in 0..rows.len() {
            let row = rows[random.index(rows.len())];
            drawn[row] += case.weights[row];
        }
        assert_eq!(*tree, Tree::grow(&case.columns(), case.classes(), &drawn, &params.tree, &mut random));
    }
}

#[test]
fn a_tree_finds_the_truth_table_of_xor_although_no_first_split_helps() {
    let table = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
    let labels = [0, 1, 1, 0];
    let columns = Columns::new(&table, 4, 2);
    let response = Response::Classes { labels: &labels, classes: 2 };
    let tree = Tree::grow(&columns, response, &[1.0; 4], &TreeParams::default(), &mut Random::new(0));
    assert_eq!((tree.nodes.len(), tree.depth()), (7, 2));
    for (row, &label) in table.chunks(2).zip(&labels) {
        assert_eq!(tree.predict(row)[label as usize], 1.0);
    }
    assert_eq!(tree.importance(2).iter().sum::<f64>(), 1.0);
}

#[test]
fn a_weight_of_two_is_a_row_given_twice_and_a_weight_of_zero_none_at_all() {
    let case = case(7, 80, 5);
    let weights: Vec<f64> = (0..case.rows).map(|at| [0.0, 1.0, 2.0][at % 3]).collect();
    let again: Vec<usize> = (0..case.rows).flat_map(|at| std::iter::repeat_n(at, at % 3)).collect();
    let table: Vec<f64> = again.iter().flat_map(|&at| case.row(at).to_vec()).collect();
    let labels: Vec<u32> = again.iter().map(|&at| case.labels[at]).collect();
    let weighted = Tree::grow(&case.columns(), case.classes(), &weights, &TreeParams::default(), &mut Random::new(0));
    let repeated = Tree::grow(
        &Columns::new(&table, again.len(), case.width),
        Response::Classes { labels: &labels, classes: 3 },
        &vec![1.0; again.len()],
        &TreeParams::default(),
        &mut Random::new(0),
    );
    assert_eq!(weighted.values, repeated.values);
    let splits = |tree: &Tree| tree.nodes.iter().map(|node| node.split).collect::<Vec<_>>();
    assert_eq!(splits(&weighted), splits(&repeated));
}

#[test]
fn limits_of_depth_and_leaf_hold() {
    let case = case(3, 200, 8);
    let params = TreeParams { max_depth: Some(3), min_leaf: 9, max_features: MaxFeatures::Number(2) };
    let tree = Tree::grow(&case.columns(), case.classes(), &vec![1.0; 200], &params, &mut Random::new(1));
    assert!(tree.depth() <= 3 && tree.nodes.len() > 3);
    assert!(tree.nodes.iter().all(|node| node.rows >= 9));
    let stump = TreeParams { max_depth: Some(0), ..params };
    let stump =
        Tree::grow(&case.columns(), Response::Numbers(&case.numbers), &vec![1.0; 200], &stump, &mut Random::new(1));
    let mean = case.numbers.iter().sum::<f64>() / 200.0;
    assert!(stump.nodes.len() == 1 && (stump.values[0] - mean).abs() < 1e-9);
}

#[test]
fn a_forest_does_not_depend_on_the_threads_and_knows_what_matters() {
    let case = case(5, 300, 9);
    let params = ForestParams { trees: 40, seed: 3, ..ForestParams::default() };
    let weights = vec![1.0; case.rows];
    let grow = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Forest::grow(&case.columns(), case.classes(), &weights, &params))
    };
    let forest = grow(1);
    assert_eq!(grow(3), forest);
    assert_ne!(forest, Forest::grow(&case.columns(), case.classes(), &weights, &ForestParams { seed: 4, ..params }));
    let importance = forest.importance(9);
    assert!((importance.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let mut order: Vec<usize> = (0..9).collect();
    order.sort_by(|&a, &b| importance[b].total_cmp(&importance[a]));
    assert_eq!([order[0].min(order[1]), order[0].max(order[1])], [0, 2]);
    let predictions = forest.predict(&case.table, case.rows);
    let right = |at: &usize| {
        predictions[at * 3..at * 3 + 3].iter().all(|p| *p <= predictions[at * 3 + case.labels[*at] as usize])
    };
    assert!((0..case.rows).filter(right).count() > 270);
    assert!(predictions.chunks(3).all(|frequencies| (frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    let json = serde_json::to_string(&forest).unwrap();
    assert_eq!(serde_json::from_str::<Forest>(&json).unwrap(), forest);
}

#[test]
fn a_forest_of_numbers_answers_by_the_mean() {
    let case = case(6, 200, 6);
    let params = ForestParams { trees: 30, bootstrap: false, ..ForestParams::default() };
    let forest = Forest::grow(&case.columns(), Response::Numbers(&case.numbers), &vec![1.0; 200], &params);
    let predictions = forest.predict(&case.table, case.rows);
    let mean = case.numbers.iter().sum::<f64>() / 200.0;
    let error = |f: &dyn Fn(usize) -> f64| (0..200).map(|at| (case.numbers[at] - f(at)).powi(2)).sum::<f64>();
    assert!(error(&|at| predictions[at]) < 0.3 * error(&|_| mean));
}

#[test]
fn columns_that_say_nothing_make_a_single_leaf() {
    let columns = Columns::new(&[1.0; 8], 4, 2);
    let response = Response::Classes { labels: &[0, 1, 0, 1], classes: 2 };
    let params = TreeParams { max_features: MaxFeatures::Sqrt, ..TreeParams::default() };
    let tree = Tree::grow(&columns, response, &[1.0; 4], &params, &mut Random::new(0));
    assert_eq!((tree.nodes.len(), tree.values.clone()), (1, vec![0.5, 0.5]));
    let none = Tree::grow(&Columns::new(&[], 4, 0), response, &[1.0; 4], &params, &mut Random::new(0));
    assert_eq!(none.importance(0), Vec::<f64>::new());
}

#[test]
fn boosted_trees_explain_what_those_before_them_left() {
    let case = case(7, 60, 6);
    let (columns, params) = (case.columns(), BoostParams { trees: 40, ..BoostParams::default() });
    let boosted = Forest::boost(&columns, &case.table, &case.numbers, &case.weights, &params);
    assert_eq!(boosted, Forest::boost(&columns, &case.table, &case.numbers, &case.weights, &params));
    assert_ne!(
        boosted,
        Forest::boost(&columns, &case.table, &case.numbers, &case.weights, &BoostParams { seed: 1, ..params })
    );
    assert!(boosted.trees.iter().all(|tree| tree.depth() <= params.max_depth));
    // By definition: the mean of the numbers, and then tree after tree with a small weight.
    let total: f64 = case.weights.iter().sum();
    let mean = case.numbers.iter().zip(&case.weights).map(|(y, w)| y * w).sum::<f64>() / total;
    let scale = params.trees as f64 * params.learning_rate;
    let predicted = boosted.predict(&case.table, case.rows);
    let squares = |of: &dyn Fn(usize) -> f64| -> f64 {
        (0..case.rows)
            .map(|row| case.weights[row] * (case.numbers[row] - of(row)) * (case.numbers[row] - of(row)))
            .sum()
    };
    for row in 0..case.rows {
        let here = &case.table[row * case.width..(row + 1) * case.width];
        let steps = boosted.trees.iter().map(|tree| params.learning_rate * (tree.predict(here)[0] - mean) / scale);
        assert!((predicted[row] - mean - steps.sum::<f64>()).abs() < 1e-9 * mean.abs());
    }
    assert!(squares(&|row| predicted[row]) < 0.5 * squares(&|_| mean), "the trees explain something");
    // With all rows, all columns and full weight a single deep tree leaves nothing that it could explain.
    let whole = BoostParams { trees: 1, max_depth: 30, learning_rate: 1.0, rows: 1.0, columns: 1.0, seed: 0 };
    let single = Forest::boost(&columns, &case.table, &case.numbers, &case.weights, &whole);
    let tree_params = TreeParams { max_depth: Some(30), ..TreeParams::default() };
    let tree = Tree::grow(&columns, Response::Numbers(&case.numbers), &case.weights, &tree_params, &mut Random::new(0));
    for row in (0..case.rows).filter(|&row| case.weights[row] > 0.0) {
        let here = &case.table[row * case.width..(row + 1) * case.width];
        assert!((single.predict(here, 1)[0] - tree.predict(here)[0]).abs() < 1e-9 * mean.abs());
    }
}
