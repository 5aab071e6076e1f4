//! Heads as tensors: `entry.i.head.linear` (outputs x (columns + 1), the offset last; columns are patterns,
//! then the summary, then pairs), and for the forest of task `t`
//! `entry.i.head.share` (the weight of the forest, if there are both),
//! `entry.i.head.forest.t.{roots, columns, nexts, thresholds, answers}`; see [`FlatForest`].

use super::tensors::Tensors;
use super::{ModelError, Named, bytes};
use crate::heads::{FlatForest, Forests, Head, HeadKind, Linear, Pair, TaskForest};
use crate::task::{Task, num_outputs};
use safetensors::Dtype;

/// The tensors of a head.
pub(super) fn tensors(name: &str, head: &Head) -> Vec<Named> {
    let mut all = Vec::new();
    if let Some(Linear { weights, offsets, .. }) = &head.linear {
        let columns = weights.len() / offsets.len().max(1);
        let mut rows = Vec::with_capacity(weights.len() + offsets.len());
        for (output, offset) in offsets.iter().enumerate() {
            rows.extend_from_slice(&weights[output * columns..(output + 1) * columns]);
            rows.push(*offset);
        }
        all.push(Named::f64(format!("{name}.head.linear"), vec![offsets.len(), columns + 1], &rows));
    }
    if head.linear.is_some() && head.forests.is_some() {
        all.push(Named::f64(format!("{name}.head.share"), vec![1], &[head.forest_weight]));
    }
    for (task, of_task) in head.forests.iter().flat_map(|forests| &forests.tasks).enumerate() {
        let FlatForest { width, roots, columns, nexts, thresholds, predictions } = &of_task.forest;
        let name = |part: &str| format!("{name}.head.forest.{task}.{part}");
        for (part, list) in [("roots", roots), ("columns", columns), ("nexts", nexts)] {
            let data = list.iter().flat_map(|number| number.to_le_bytes()).collect();
            all.push(Named { name: name(part), dtype: Dtype::U32, shape: vec![list.len()], data });
        }
        all.push(Named::f64(name("thresholds"), vec![thresholds.len()], thresholds));
        let shape = vec![predictions.len().checked_div(*width).unwrap_or(0), *width];
        all.push(Named { name: name("answers"), dtype: Dtype::F64, shape, data: bytes(predictions) });
    }
    all
}

/// Number of tensors of the head of one entry.
pub(super) fn num_tensors(kind: HeadKind, tasks: usize) -> usize {
    let (linear, forests) = (1, 5 * tasks);
    match kind {
        HeadKind::Network => 0,
        HeadKind::Linear => linear,
        HeadKind::Forest => forests,
        HeadKind::Blend => linear + forests + 1,
    }
}

/// Reads the head of an entry on this many columns and pairs of them, checking everything.
pub(super) fn load(
    tensors: &Tensors<'_>,
    name: &str,
    kind: HeadKind,
    (columns, pairs): (usize, &[Pair]),
    tasks: &[Task],
) -> Result<Option<Head>, ModelError> {
    let linear = || {
        let (outputs, columns) = (num_outputs(tasks), columns + pairs.len());
        let rows = tensors.f64(&format!("{name}.head.linear"), &[outputs, columns + 1])?;
        let (mut weights, mut offsets) = (Vec::new(), Vec::new());
        for row in rows.chunks_exact(columns + 1) {
            weights.extend_from_slice(&row[..columns]);
            offsets.push(row[columns]);
        }
        Ok::<_, ModelError>(Linear { weights, pairs: pairs.to_vec(), offsets })
    };
    let forests = || {
        let all = tasks.iter().enumerate().map(|(at, task)| {
            let width = if task.is_classification() { task.outputs().max(2) } else { 1 };
            let forest = forest(tensors, &format!("{name}.head.forest.{at}"), columns, width)?;
            Ok(TaskForest { forest, is_classes: task.is_classification() })
        });
        Ok::<_, ModelError>(Forests { tasks: all.collect::<Result<_, ModelError>>()? })
    };
    Ok(match kind {
        HeadKind::Network => None,
        HeadKind::Linear => Some(Head { linear: Some(linear()?), forests: None, forest_weight: 0.0 }),
        HeadKind::Forest => Some(Head { linear: None, forests: Some(forests()?), forest_weight: 1.0 }),
        HeadKind::Blend => {
            let forest_weight = tensors.f64(&format!("{name}.head.share"), &[1])?[0];
            if !(0.0..=1.0).contains(&forest_weight) {
                let wanted = format!("a weight {name}.head.share from 0 to 1");
                return Err(ModelError::Tensor { wanted, found: forest_weight.to_string() });
            }
            Some(Head { linear: Some(linear()?), forests: Some(forests()?), forest_weight })
        }
    })
}

fn forest(tensors: &Tensors<'_>, name: &str, columns: usize, width: usize) -> Result<FlatForest, ModelError> {
    let list = |part: &str| tensors.u32(&format!("{name}.{part}"));
    let split_columns = list("columns")?;
    let nodes = split_columns.len();
    let leaves = split_columns.iter().filter(|column| **column == crate::heads::LEAF).count();
    let forest = FlatForest {
        width,
        roots: list("roots")?,
        nexts: list("nexts")?,
        thresholds: tensors.f64(&format!("{name}.thresholds"), &[nodes])?,
        predictions: tensors.f64(&format!("{name}.answers"), &[leaves, width])?,
        columns: split_columns,
    };
    if forest.check(columns) {
        Ok(forest)
    } else {
        let wanted = format!("a forest {name} on {columns} columns in which every path ends at a leaf");
        Err(ModelError::Tensor { wanted, found: "its lists do not form one".to_owned() })
    }
}
