//! Heads as tensors: `entry.i.head.linear` (outputs x (columns + 1), the offset last; columns are patterns,
//! then the summary, then pairs), `entry.i.head.share` (the weight of the forest, if there are both), and, in the chosen entry and in members,
//! `entry.i.head.forest.t`, the forest of task `t` (packed bytes, see [`forest_code`]). Forests of other entries are grown again when they are asked for.

use super::tensors::Tensors;
use super::{ModelError, Named};
use crate::heads::{FlatForest, Forests, Head, HeadKind, LazyForests, Linear, Pair, TaskForest, forest_code};
use crate::task::{Task, num_outputs};
use safetensors::Dtype;

/// The tensors of a head, with its forests or without.
pub(super) fn tensors(name: &str, head: &Head, with_forests: bool) -> Vec<Named> {
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
    let forests = head.forests.iter().filter(|_| with_forests).flat_map(|forests| &forests.tasks);
    for (task, of_task) in forests.enumerate() {
        let data = forest_code::encode(&of_task.forest);
        let name = format!("{name}.head.forest.{task}");
        all.push(Named { name, dtype: Dtype::U8, shape: vec![data.len()], data });
    }
    all
}

/// Number of tensors of a head with these forests, none if they are grown again.
pub(super) fn num_tensors(kind: HeadKind, forests: usize) -> usize {
    let linear = 1;
    match kind {
        HeadKind::Network => 0,
        HeadKind::Linear => linear,
        HeadKind::Forest => forests,
        HeadKind::Blend => linear + forests + 1,
    }
}

/// Reads the head of an entry on this many columns and pairs of them, checking everything. Its forests are in the file, or they are grown later.
pub(super) fn load(
    tensors: &Tensors<'_>,
    name: &str,
    kind: HeadKind,
    (columns, pairs): (usize, &[Pair]),
    tasks: &[Task],
    later: Option<LazyForests>,
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
        if let Some(forests) = later {
            return Ok(forests);
        }
        let all = tasks.iter().enumerate().map(|(at, task)| {
            let width = if task.is_classification() { task.outputs().max(2) } else { 1 };
            let forest = forest(tensors, &format!("{name}.head.forest.{at}"), columns, width)?;
            Ok(TaskForest { forest, is_classes: task.is_classification() })
        });
        Ok::<LazyForests, ModelError>(Forests { tasks: all.collect::<Result<_, ModelError>>()? }.into())
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
    match forest_code::decode(&tensors.bytes(name)?, width) {
        Some(forest) if forest.check(columns) => Ok(forest),
        _ => {
            let wanted = format!("a forest {name} on {columns} columns in which every path ends at a leaf");
            Err(ModelError::Tensor { wanted, found: "its lists do not form one".to_owned() })
        }
    }
}
