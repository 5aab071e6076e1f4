//! How counts of patterns are worded.
//!
//! Promise: what is said is true. A count is a number of copies that a graph has at least, and it may have more; so
//! nothing is said about graphs with a smaller count but that fewer copies were counted. A minimum-image count is no
//! number of copies and is called by its name.

use einsicht_model::Model;
use einsicht_model::effects::Effects;
use einsicht_search::feature::Values;

/// A number with three digits behind the point, but never rounded to nothing: targets may be in mol/l.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && size < 0.0005 || size >= 1e15 => format!("{value:.2e}"),
        _ => format!("{value:.3}"),
    }
}

/// A value of a metric: those in the units of the target may be small.
pub fn metric_figure(metric: &str, value: f64) -> String {
    if ["rmse", "mae"].contains(&metric) { figure(value) } else { format!("{value:.3}") }
}

/// What holds in a graph whose count is at least a number: `contained`, `at least 3 copies`.
pub fn at_least(values: Values, count: usize) -> String {
    match values {
        _ if count <= 1 => "contained".to_owned(),
        Values::Presence | Values::Count(_) => format!("at least {count} copies"),
        Values::Mni(_) => format!("MNI count at least {count}"),
    }
}

/// What is said of a pattern of a graph beside its name; nothing if it is only known or said that it is contained.
pub fn copies(values: Values, count: usize) -> String {
    match values {
        _ if count <= 1 => String::new(),
        Values::Presence => String::new(),
        Values::Count(_) => format!("at least {count} copies"),
        Values::Mni(_) => format!("MNI count {count}"),
    }
}

/// The same with the number of occurrences beside it, if that is another number; `limit` is where their search ended.
pub fn copies_and_occurrences(values: Values, count: usize, occurrences: usize, limit: usize) -> String {
    let said = copies(values, count);
    match occurrences {
        _ if values == Values::Presence || occurrences == count => said,
        many if many >= limit => {
            format!("{said}{}{limit} or more occurrences", if said.is_empty() { "" } else { ", " })
        }
        1 => said,
        some => format!("{said}{}{some} occurrences", if said.is_empty() { "" } else { ", " }),
    }
}

/// The answers to the question whether the count of a pattern is at least a number.
pub fn yes_and_no(values: Values, count: usize, name: &str) -> [String; 2] {
    match values {
        _ if count <= 1 => [format!("with {name}"), format!("without {name}")],
        Values::Presence | Values::Count(_) => {
            [format!("with {name}, at least {count} copies"), format!("fewer copies of {name} counted, or without it")]
        }
        Values::Mni(_) => [
            format!("with {name}, minimum-image (MNI) count at least {count}"),
            format!("with {name}, smaller minimum-image (MNI) count, or without it"),
        ],
    }
}

/// Pairs of subgraphs that interact, a sentence for each of them and each of these quantities: when it is high, and its
/// mean in the four cases.
///
/// # Panics
/// If there is no such entry or quantity.
pub fn pairs_in_words(model: &Model, entry: usize, effects: &Effects, quantities: &[usize]) -> Vec<String> {
    let patterns = &model.entries[entry].iterate.patterns;
    let mut sentences = Vec::new();
    for pair in &effects.pairs {
        let [first, second] = pair.patterns.map(|at| model.names().one_line(&patterns[at].code));
        for &q in quantities {
            let (name, words) = (&effects.quantities[q].name, pair.in_words(q, [&first, &second]));
            let [both, one, other, none] = pair.outputs[q];
            sentences.push(format!(
                "{name} is high with {words}: {one:.2} with {first} alone, {other:.2} with {second} alone, {both:.2} \
                 with both, {none:.2} with none (means of fitted outputs)"
            ));
        }
    }
    sentences
}

/// What must be known of a model whose training graphs are nearly all the same; nothing if they are not.
pub fn few_graphs_in_words(model: &Model) -> Option<String> {
    let (graphs, different) = (model.seen.hashes.len(), model.seen.different());
    (10 * different <= graphs && different > 0).then(|| {
        format!(
            "the {graphs} training graphs include only {different} different {}: equal graphs are held out together, \
             so the figures for new graphs come from {different}",
            if different == 1 { "one" } else { "ones" }
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_never_rounded_to_nothing() {
        assert_eq!(
            [figure(1.5), figure(0.0), figure(5.2e-10), figure(-3e-4)],
            ["1.500", "0.000", "5.20e-10", "-3.00e-4"]
        );
        assert_eq!([metric_figure("rmse", 1e-9), metric_figure("r2", 1e-9)], ["1.00e-9", "0.000"]);
    }
    use einsicht_search::feature::CountTransform::Log1p;

    #[test]
    fn counts_are_lower_bounds_of_copies_and_minimum_image_counts_are_called_so() {
        assert_eq!(at_least(Values::Presence, 1), "contained");
        assert_eq!(at_least(Values::Count(Log1p), 3), "at least 3 copies");
        assert_eq!(at_least(Values::Mni(Log1p), 3), "MNI count at least 3");
        assert_eq!([copies(Values::Count(Log1p), 3), copies(Values::Count(Log1p), 1)], ["at least 3 copies", ""]);
        assert_eq!(copies(Values::Mni(Log1p), 3), "MNI count 3");
        assert_eq!(copies_and_occurrences(Values::Count(Log1p), 3, 3, 9), "at least 3 copies");
        assert_eq!(copies_and_occurrences(Values::Count(Log1p), 2, 6, 9), "at least 2 copies, 6 occurrences");
        assert_eq!(copies_and_occurrences(Values::Count(Log1p), 1, 6, 9), "6 occurrences");
        assert_eq!(copies_and_occurrences(Values::Count(Log1p), 2, 9, 9), "at least 2 copies, 9 or more occurrences");
        assert_eq!(copies_and_occurrences(Values::Presence, 1, 6, 9), "");
        let [yes, no] = yes_and_no(Values::Count(Log1p), 2, "C-N");
        assert_eq!(
            (yes.as_str(), no.as_str()),
            ("with C-N, at least 2 copies", "fewer copies of C-N counted, or without it")
        );
        assert!(yes_and_no(Values::Mni(Log1p), 2, "C-N").iter().all(|text| text.contains("minimum-image")));
        assert_eq!(yes_and_no(Values::Mni(Log1p), 1, "C-N"), ["with C-N", "without C-N"]);
    }
}
