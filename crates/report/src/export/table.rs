//! The subgraphs of a model as a table of SMARTS, for filters and spreadsheets.

use super::{ExportError, exact_smarts};
use einsicht_model::Model;

/// The header, then for each subgraph of the chosen entry its SMARTS, the number of training graphs that contain it,
/// and its effect on each quantity. A model without effects has no columns for them.
pub fn smarts_table(model: &Model) -> Result<Vec<Vec<String>>, ExportError> {
    let quantities = model.effects.iter().flat_map(|effects| &effects.quantities);
    let mut header = vec!["smarts".to_owned(), "support".to_owned()];
    header.extend(quantities.map(|quantity| format!("effect on {}", quantity.name)));
    let width = header.len();
    let mut rows = vec![header];
    for (at, pattern) in model.best().iterate.patterns.iter().enumerate() {
        let support = model.pattern(&pattern.code).map_or(0, |known| known.support);
        let mut row = vec![exact_smarts(model, &pattern.code)?.text, support.to_string()];
        let effect = |quantity| model.effects.as_ref().and_then(|effects| effects.value(at, quantity));
        row.extend((0..width - 2).map(|quantity| effect(quantity).map_or_else(String::new, |value| value.to_string())));
        rows.push(row);
    }
    Ok(rows)
}
