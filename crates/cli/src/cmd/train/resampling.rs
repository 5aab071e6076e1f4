//! What trainings on resamples and with permuted targets have shown, in text and JSON.

use crate::cmd::tables::stability_table;
use einsicht::Resampled;
use einsicht::data::Names;
use serde_json::{Value, json};

/// Text for people, after the rest.
pub(super) fn text(resampled: &Resampled, resamples: usize, names: Names<'_>) -> String {
    let mut text = String::new();
    if resamples > 0 {
        text += &format!("\n{}", stability_table(names, &resampled.stability, resamples));
    }
    if let Some(found) = &resampled.permutation {
        text += &format!(
            "\n{} of the {} set {:.4}; permutation p-value {:.4} from {} trainings\n",
            found.metric.name(),
            if found.of_test { "test" } else { "validation" },
            found.observed,
            found.p_value,
            found.shuffled.len()
        );
    }
    text
}

/// Adds the results to a document for scripts.
pub(super) fn add_to(document: &mut Value, resampled: &Resampled, resamples: usize, names: Names<'_>) {
    if resamples > 0 {
        document["stability"] = resampled.stability.iter().map(|s| json!(s.named(names))).collect();
    }
    if let Some(found) = &resampled.permutation {
        document["permutation"] = json!({
            "metric": found.metric.name(),
            "part": if found.of_test { "test" } else { "valid" },
            "observed": found.observed,
            "shuffled": found.shuffled,
            "p_value": found.p_value,
        });
    }
}
