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
                let share = |class: usize| {
                    let of_class = rows.iter().filter(|&&at| labels[at] as usize == class);
                    of_class.map(|&at| self.weights[at]).sum::<f64>() / weight
                };
                (0..classes).map(|class| share(class) * (1.0 - share(class))).sum()
            }
            Response::Numbers(values) => {
                let mean = rows.iter().map(|&at| self.weights[at] * values[at]).sum::<f64>() / weight;
                rows.iter().map(|&at| self.weights[at] * (values[at] - mean).powi(2)).sum::<f64>() / weight
            }
        };
        (weight, impurity)
    }

    /// What a question lowers the impurity by; nothing if one side is empty.
    fn worth(&self, response: Response<'_>, rows: &[usize], column: usize, threshold: f64) -> Option<f64> {
        let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&at| self.row(at)[column] <= threshold);
        let ((w, i), (wl, il), (wr, ir)) =
            (self.impurity(response, rows), self.impurity(response, &left), self.impurity(response, &right));
        (!left.is_empty() && !right.is_empty()).then(|| i - (wl * il + wr * ir) / w)
    }
}

/// Follows the tree and compares every question with all others that could be asked.
fn check_against_the_definition(case: &Case, response: Response<'_>) -> usize {
    let tree = Tree::grow(&case.columns(), response, &case.weights, &TreeParams::default(), &mut Random::new(0));
    let all: Vec<usize> = (0..case.rows).filter(|&at| case.weights[at] > 0.0).collect();
    let (mut todo, mut asked) = (vec![(0, all)], 0);
    while let Some((at, rows)) = todo.pop() {
        let node = &tree.nodes[at];
        let (weight, impurity) = case.impurity(response, &rows);
        assert!((node.weight - weight).abs() < 1e-9 && (node.impurity - impurity).abs() < 1e-9);
        assert_eq!(node.rows as usize, rows.len());
        let values: Vec<f64> = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75].to_vec();
        let possible = (0..case.width).flat_map(|c| values.iter().map(move |v| (c, *v)));
        let best = possible.filter_map(|(c, v)| case.worth(response, &rows, c, v)).fold(f64::NEG_INFINITY, f64::max);
        let Some(split) = &node.split else {
            assert!(best == f64::NEG_INFINITY || impurity < 1e-9, "a leaf that could be divided");
            continue;
        };
        let worth = case.worth(response, &rows, split.column as usize, split.threshold).expect("two sides");
        assert!((worth - best).abs() < 1e-9, "{worth} {best}");
        asked += 1;
        let (left, right) = rows.iter().partition(|&&r| case.row(r)[split.column as usize] <= split.threshold);
        todo.extend([(split.left as usize, left), (split.right as usize, right)]);
    }
    asked
}

#[test]
fn every_question_is_the_best_by_the_definition() {
    let mut asked = 0;
    for seed in 0..6 {
        let case = case(seed, 60, 6);
        asked += check_against_the_definition(&case, case.classes());
        asked += check_against_the_definition(&case, Response::Numbers(&case.numbers));
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn a_tree_finds_the_truth_table_of_xor_although_no_first_question_helps() {
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
    let params = TreeParams { max_depth: Some(3), min_leaf: 9, looks: Looks::Number(2) };
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
    let answers = forest.predict(&case.table, case.rows);
    let right =
        |at: &usize| answers[at * 3..at * 3 + 3].iter().all(|p| *p <= answers[at * 3 + case.labels[*at] as usize]);
    assert!((0..case.rows).filter(right).count() > 270);
    assert!(answers.chunks(3).all(|shares| (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    let json = serde_json::to_string(&forest).unwrap();
    assert_eq!(serde_json::from_str::<Forest>(&json).unwrap(), forest);
}

#[test]
fn a_forest_of_numbers_answers_by_the_mean() {
    let case = case(6, 200, 6);
    let params = ForestParams { trees: 30, bootstrap: false, ..ForestParams::default() };
    let forest = Forest::grow(&case.columns(), Response::Numbers(&case.numbers), &vec![1.0; 200], &params);
    let answers = forest.predict(&case.table, case.rows);
    let mean = case.numbers.iter().sum::<f64>() / 200.0;
    let error = |f: &dyn Fn(usize) -> f64| (0..200).map(|at| (case.numbers[at] - f(at)).powi(2)).sum::<f64>();
    assert!(error(&|at| answers[at]) < 0.3 * error(&|_| mean));
}

#[test]
fn columns_that_say_nothing_make_a_single_leaf() {
    let columns = Columns::new(&[1.0; 8], 4, 2);
    let response = Response::Classes { labels: &[0, 1, 0, 1], classes: 2 };
    let params = TreeParams { looks: Looks::Sqrt, ..TreeParams::default() };
    let tree = Tree::grow(&columns, response, &[1.0; 4], &params, &mut Random::new(0));
    assert_eq!((tree.nodes.len(), tree.values.clone()), (1, vec![0.5, 0.5]));
    let none = Tree::grow(&Columns::new(&[], 4, 0), response, &[1.0; 4], &params, &mut Random::new(0));
    assert_eq!(none.importance(0), Vec::<f64>::new());
}
