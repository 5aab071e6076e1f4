//! Backgrounds as tensors: for entry `i` `entry.i.background.graphs` (how many graphs have each row) and `entry.i.background.counts` (rows x patterns,
//! flat), both `u32`, and, if the model reads more of a graph than its patterns, `entry.i.background.beside` (rows x columns). See [`Background`].

use super::tensors::Tensors;
use super::{ModelError, Named};
use crate::Background;

/// The tensors of the background of one entry.
pub(super) fn tensors(name: &str, background: &Background) -> Vec<Named> {
    let Background { graphs, counts, beside } = background;
    let mut all = vec![
        Named::u32(format!("{name}.background.graphs"), graphs.iter().copied()),
        Named::u32(format!("{name}.background.counts"), counts.iter().copied()),
    ];
    if !beside.is_empty() {
        let shape = vec![graphs.len(), beside.len() / graphs.len().max(1)];
        all.push(Named::f64(format!("{name}.background.beside"), shape, beside));
    }
    all
}

/// Number of tensors of the background of one entry.
pub(super) fn num_tensors(reads_more: bool) -> usize {
    2 + usize::from(reads_more)
}

/// Reads the background of an entry with so many patterns, and columns besides them, of a model that was fitted on so many graphs.
pub(super) fn load(
    tensors: &Tensors<'_>,
    name: &str,
    patterns: usize,
    columns_beside: usize,
    fitted: usize,
) -> Result<Background, ModelError> {
    let graphs = tensors.u32(&format!("{name}.background.graphs"))?;
    let counts = tensors.u32(&format!("{name}.background.counts"))?;
    let rows = graphs.len();
    let known: u64 = graphs.iter().map(|graphs| u64::from(*graphs)).sum();
    let is_sample = (1..=Background::MOST_ROWS).contains(&rows) && !graphs.contains(&0) && known <= fitted as u64;
    if !is_sample || counts.len() != rows * patterns {
        let wanted = format!(
            "a background of {name}: 1 to {} rows of {patterns} subgraphs, from the {fitted} graphs of the training",
            Background::MOST_ROWS
        );
        let found = format!("it has {rows} rows with {} counts, of {known} graphs", counts.len());
        return Err(ModelError::Tensor { wanted, found });
    }
    let beside = match columns_beside {
        0 => Vec::new(),
        columns => tensors.f64(&format!("{name}.background.beside"), &[rows, columns])?,
    };
    Ok(Background { graphs, counts, beside })
}
