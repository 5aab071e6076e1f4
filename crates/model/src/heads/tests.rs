use super::*;
use einsicht_data::random::Random;
use einsicht_forest::{Columns, Forest, ForestParams, MAX_DEPTH, Response};

const ROWS: usize = 60;

#[test]
fn a_flat_forest_answers_like_the_forest_and_refuses_broken_lists() {
    let mut random = Random::new(7);
    let values: Vec<f64> = (0..ROWS * 4).map(|_| (random.unit() * 3.0).floor()).collect();
    let labels: Vec<u32> = (0..ROWS).map(|row| values[row * 4] as u32).collect();
    let columns = Columns::new(&values, ROWS, 4);
    let response = Response::Classes { labels: &labels, classes: 3 };
    let params = ForestParams { trees: 20, ..ForestParams::default() };
    let forest = Forest::grow(&columns, response, &[1.0; ROWS], &params);
    let flat = FlatForest::new(&forest);
    assert!(flat.check(4));
    let all = flat.predictions(Table { values: &values, rows: ROWS });
    assert_eq!(all, forest.predict(&values, ROWS));
    let inner = flat.columns.iter().position(|column| *column != LEAF).unwrap();
    let breaks: [fn(&mut FlatForest, usize); 6] = [
        |flat, at| flat.nexts[at] = at as u32,
        |flat, at| flat.nexts[at] = u32::MAX - 1,
        |flat, at| flat.columns[at] = 4,
        |flat, _| flat.roots[0] = u32::MAX,
        |flat, _| flat.thresholds.truncate(3),
        |flat, at| flat.thresholds[at] = f64::NAN,
    ];
    for (case, broken) in breaks.iter().enumerate() {
        let mut flat = flat.clone();
        broken(&mut flat, inner);
        assert!(!flat.check(4), "case {case}");
    }
    let chain = |depth: usize| {
        let splits = vec![0; depth];
        FlatForest {
            width: 1,
            roots: vec![0],
            columns: [splits, vec![LEAF; depth + 1]].concat(),
            nexts: (0..depth).map(|at| 2 * depth - at).chain(vec![0; depth + 1]).map(|next| next as u32).collect(),
            thresholds: vec![0.0; 2 * depth + 1],
            predictions: vec![0.0],
        }
    };
    assert!(chain(MAX_DEPTH).check(1) && !chain(MAX_DEPTH + 1).check(1), "too deep to be walked");
}
