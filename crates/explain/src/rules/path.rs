//! Attribution along decision paths: what each question on the path of a row adds to the answer of a tree.
//!
//! Promise: the contributions sum to the answer of the leaf minus that of the root.

use crate::values::Attribution;
use einsicht_forest::{Forest, Tree};

/// The attribution of one row by a tree: its leaf's answer, its root's answer, and what the questions between them add.
pub(super) fn of_tree(tree: &Tree, row: &[f64]) -> Attribution {
    let mut attribution = Attribution {
        output: tree.predict(row).to_vec(),
        base: tree.value(0).to_vec(),
        ..Attribution::new(row.len(), tree.width)
    };
    let mut at = 0;
    while let Some(split) = &tree.nodes[at].split {
        let next = if row[split.column as usize] <= split.threshold { split.left } else { split.right } as usize;
        for k in 0..tree.width {
            attribution.values[split.column as usize * tree.width + k] += tree.value(next)[k] - tree.value(at)[k];
        }
        at = next;
    }
    attribution
}

/// The mean attribution over the trees of a forest.
pub(super) fn of_forest(forest: &Forest, row: &[f64]) -> Attribution {
    let count = forest.trees.len() as f64;
    let mut mean = Attribution::new(row.len(), forest.width);
    let add = |to: &mut [f64], from: &[f64]| {
        for (sum, value) in to.iter_mut().zip(from) {
            *sum += value / count;
        }
    };
    for tree in &forest.trees {
        let one = of_tree(tree, row);
        add(&mut mean.output, &one.output);
        add(&mut mean.base, &one.base);
        add(&mut mean.values, &one.values);
    }
    mean
}

/// One attribution from those of several tasks; quantities go task by task.
pub(super) fn join(of_task: &[Attribution], features: usize) -> Attribution {
    let mut values = Vec::new();
    for feature in 0..features {
        for attribution in of_task {
            let width = attribution.output.len();
            values.extend_from_slice(&attribution.values[feature * width..(feature + 1) * width]);
        }
    }
    Attribution {
        output: of_task.iter().flat_map(|attribution| attribution.output.clone()).collect(),
        base: of_task.iter().flat_map(|attribution| attribution.base.clone()).collect(),
        values,
        errors: None,
        interactions: None,
    }
}
