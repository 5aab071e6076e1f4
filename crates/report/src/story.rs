//! What a model says, in sentences: the same on the page and in the terminal.
//!
//! Promise: a sentence names only effects whose sign is clear, and what guessing would give is computed on the same
//! graphs.

use crate::wording::figure;
use einsicht_data::summary::{Summary, ValueSummary};
use einsicht_model::Model;
use einsicht_model::effects::Effects;
use einsicht_model::task::{Task, TaskKind};

/// Subgraphs that a sentence names, and that lead a page, at most.
const NAMED: usize = 5;

/// What a task predicts: `Class (0 or 1)`, `logp (a number)`.
pub fn target_in_words(task: &Task) -> String {
    match &task.kind {
        TaskKind::Number { .. } => format!("{} (a number)", task.name),
        TaskKind::Classes(names) if names.len() <= 8 => {
            let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
            format!("{} ({} or {last})", task.name, others.join(", "))
        }
        TaskKind::Classes(names) => format!("{} ({} classes)", task.name, names.len()),
    }
}

/// The known values of a task in some graphs: the part of each class, or mean and range; nothing if none is known.
pub fn balance_in_words(task: &Task, summary: &Summary) -> Option<String> {
    match &summary.targets.iter().find(|target| target.name == task.name)?.values {
        ValueSummary::Classes(counts) => {
            let all: usize = counts.iter().map(|(_, count)| count).sum();
            let part = |(name, count): &(String, usize)| {
                format!("{name}: {count} ({:.0} %)", 100.0 * *count as f64 / all.max(1) as f64)
            };
            (all > 0).then(|| counts.iter().map(part).collect::<Vec<_>>().join(", "))
        }
        ValueSummary::Numbers { least, mean, most, .. } => {
            mean.is_finite().then(|| format!("mean {}, from {} to {}", rounded(*mean), rounded(*least), rounded(*most)))
        }
    }
}

/// What somebody gets on some graphs who guesses the same for all.
enum Guess<'a> {
    /// The most frequent class, if there is one of that kind.
    Class { name: Option<&'a str>, accuracy: f64 },
    /// The mean of the training.
    Mean { mean: f64, rmse: f64, r2: f64 },
}

/// Nothing if no value is known.
fn guess<'a>(task: &Task, summary: &'a Summary) -> Option<Guess<'a>> {
    let target = summary.targets.iter().find(|target| target.name == task.name)?;
    match &target.values {
        ValueSummary::Classes(counts) => {
            let all: usize = counts.iter().map(|(_, count)| count).sum();
            let most = counts.iter().map(|(_, count)| *count).max()?;
            let mut frequent = counts.iter().filter(|(_, count)| *count == most);
            let name = match (frequent.next(), frequent.next()) {
                (Some((name, _)), None) => Some(name.as_str()),
                _ => None,
            };
            (all > 0).then(|| Guess::Class { name, accuracy: most as f64 / all as f64 })
        }
        ValueSummary::Numbers { mean, deviation, .. } => {
            // These graphs may be others than those of the training, whose mean is all that one can know before.
            let TaskKind::Number { mean: guess, .. } = task.kind else { return None };
            let known = summary.graphs.saturating_sub(target.missing) as f64;
            let variance = deviation * deviation * ((known - 1.0) / known).max(0.0);
            let bias = (guess - mean) * (guess - mean);
            let rmse = (variance + bias).sqrt();
            rmse.is_finite().then(|| Guess::Mean { mean: guess, rmse, r2: -bias / variance })
        }
    }
}

/// What somebody who guesses would get on some graphs: the most frequent class, or the mean of the training; nothing if
/// no value is known.
pub fn guessing_in_words(task: &Task, summary: &Summary) -> Option<String> {
    Some(match guess(task, summary)? {
        Guess::Class { name, accuracy } => {
            let guess = name.map_or_else(
                || "one of the most frequent classes".to_owned(),
                |name| format!("{name}, the most frequent class,"),
            );
            format!("always guessing {guess} has accuracy {accuracy:.3} and ROC AUC 0.5")
        }
        Guess::Mean { mean, rmse, r2 } => {
            let explained = explained_in_words(r2);
            format!("always guessing the training mean, {}, has RMSE {}{explained}", rounded(mean), figure(rmse))
        }
    })
}

/// The same for several tasks, as means over them; nothing if no value is known.
pub fn guessing_all_in_words<'t>(tasks: impl IntoIterator<Item = &'t Task>, summary: &Summary) -> Option<String> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mut accuracies, mut errors, mut explained) = (Vec::new(), Vec::new(), Vec::new());
    for guess in tasks.into_iter().filter_map(|task| guess(task, summary)) {
        match guess {
            Guess::Class { accuracy, .. } => accuracies.push(accuracy),
            Guess::Mean { rmse, r2, .. } => {
                errors.push(rmse);
                explained.push(r2);
            }
        }
    }
    let mut parts = Vec::new();
    if !accuracies.is_empty() {
        let accuracy = mean(&accuracies);
        parts.push(format!("the most frequent class of each target has accuracy {accuracy:.3} and ROC AUC 0.5"));
    }
    if !errors.is_empty() {
        let (error, explained) = (mean(&errors), explained_in_words(mean(&explained)));
        parts.push(format!("the training mean of each target has RMSE {}{explained}", figure(error)));
    }
    (!parts.is_empty()).then(|| format!("means over the targets: always guessing {}", parts.join(", ")))
}

/// A value of a target with two digits behind the point, unless little of it is left.
fn rounded(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && size < 0.05 || size >= 1e15 => figure(value),
        _ => format!("{value:.2}"),
    }
}

/// R² of a guess, which is 0 for the mean of the graphs themselves; nothing where it is not defined.
fn explained_in_words(r2: f64) -> String {
    match r2 {
        r2 if r2.is_infinite() => String::new(),
        r2 if r2 <= -0.0005 => format!(" and R² {r2:.3}"),
        _ => " and R² 0".to_owned(),
    }
}

/// The subgraphs of an entry with the largest effects on a quantity, the largest first.
pub fn strongest(effects: &Effects, quantity: usize, most: usize) -> Vec<usize> {
    strongest_of(effects, &[quantity], most).into_iter().map(|(pattern, _)| pattern).collect()
}

/// The subgraphs that lead the page, and how many near-copies of them are left out for them.
pub(crate) fn leaders(effects: &Effects, quantity: usize) -> (Vec<usize>, usize) {
    let order = strongest(effects, quantity, NAMED);
    let is_copy = |at: usize| order.iter().any(|&leader| effects.are_near_copies(leader, at));
    let copies = (0..effects.patterns.len()).filter(|at| !order.contains(at) && is_copy(*at)).count();
    (order, copies)
}

/// The subgraphs of an entry with the largest effects on some quantities, each with the quantity that it changes most.
/// Effects of a few graphs, which have no interval, are left out unless all are such, and so are near-copies of
/// stronger ones.
pub fn strongest_of(effects: &Effects, quantities: &[usize], most: usize) -> Vec<(usize, usize)> {
    let size = |pattern: usize, quantity: usize| effects.value(pattern, quantity).map_or(0.0, f64::abs);
    let largest =
        |pattern: usize| quantities.iter().copied().max_by(|&a, &b| size(pattern, a).total_cmp(&size(pattern, b)));
    let mut found: Vec<(usize, usize)> =
        (0..effects.patterns.len()).filter_map(|pattern| Some((pattern, largest(pattern)?))).collect();
    found.retain(|&(pattern, quantity)| size(pattern, quantity) > 0.0);
    let is_known = |&(pattern, quantity): &(usize, usize)| effects.interval(pattern, quantity).is_some();
    if found.iter().any(is_known) {
        found.retain(is_known);
    }
    found.sort_by(|&(a, p), &(b, q)| size(b, q).total_cmp(&size(a, p)));
    let mut distinct: Vec<(usize, usize)> = Vec::new();
    for one in found {
        if distinct.len() < most && !distinct.iter().any(|&(known, _)| effects.are_near_copies(known, one.0)) {
            distinct.push(one);
        }
    }
    distinct
}

/// The name of a subgraph as its effect is read: `more C` where nearly all graphs have it and those with more of it are
/// compared with the others.
pub fn compared_name(effects: &Effects, pattern: usize, name: &str) -> String {
    if effects.is_by_amount(pattern) { format!("more {name}") } else { name.to_owned() }
}

/// What raises and what lowers a quantity most, as a sentence; nothing if no effect has a clear sign.
///
/// # Panics
/// If there is no such entry or quantity.
pub(crate) fn effects_in_words(model: &Model, entry: usize, effects: &Effects, quantity: usize) -> Option<String> {
    let patterns = &model.entries[entry].iterate.patterns;
    let is_clear =
        |pattern: &usize| effects.interval(*pattern, quantity).is_none_or(|[low, high]| low > 0.0 || high < 0.0);
    let [mut up, mut down] = [Vec::new(), Vec::new()];
    for pattern in strongest(effects, quantity, NAMED).into_iter().filter(is_clear) {
        let value = effects.value(pattern, quantity)?;
        let name = compared_name(effects, pattern, &model.names().one_line(&patterns.get(pattern)?.code));
        let named = format!("{name} ({value:+.3})");
        if value > 0.0 { &mut up } else { &mut down }.push(named);
    }
    let name = &effects.quantities[quantity].name;
    match (up.is_empty(), down.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("The {name} is higher with {}.", listed(&up))),
        (true, false) => Some(format!("The {name} is lower with {}.", listed(&down))),
        (false, false) => Some(format!("The {name} is higher with {}, and lower with {}.", listed(&up), listed(&down))),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_testkit::models;

    #[test]
    fn a_model_is_described_by_its_target_its_balance_what_guessing_gives_and_its_strongest_effects() {
        let (dataset, model) = models::rings();
        let (task, summary) = (&model.tasks[0], Summary::of(&dataset));
        let guess = guessing_in_words(task, &summary).unwrap();
        let TaskKind::Classes(names) = &task.kind else { panic!("classes") };
        assert!(names.iter().all(|name| target_in_words(task).contains(name.as_str())));
        let ValueSummary::Classes(counts) = &summary.targets[0].values else { panic!("classes") };
        let most = counts.iter().map(|(_, count)| *count).max().unwrap() as f64 / dataset.len() as f64;
        assert!(guess.contains(&format!("accuracy {most:.3}")), "{guess}");
        let mut tied = summary.clone();
        tied.targets[0].values = ValueSummary::Classes(counts.iter().map(|(name, _)| (name.clone(), 5)).collect());
        assert!(guessing_in_words(task, &tied).unwrap().contains("one of the most frequent classes has accuracy 0.5"));
        assert!(balance_in_words(task, &summary).unwrap().contains(&counts[0].1.to_string()));
        let subject = einsicht_explain::Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let effects = einsicht_explain::effects(&subject, &einsicht_explain::Provenance::of(&model, &dataset));
        let order = strongest(&effects, 0, 3);
        let sizes: Vec<f64> = order.iter().map(|&at| effects.value(at, 0).unwrap().abs()).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b) && !sizes.is_empty());
        // A near-copy of a stronger one is left out, and the next one takes its place.
        let copied = Effects { near_copies: vec![[order[0].min(order[1]), order[0].max(order[1])]], ..effects.clone() };
        assert_eq!(strongest(&copied, 0, 2), [order[0], order[2]]);
        assert_eq!((leaders(&copied, 0).1, leaders(&copied, 0).0.contains(&order[1])), (1, false));
        let sentence = effects_in_words(&model, model.chosen, &effects, 0).unwrap();
        let first = effects.value(order[0], 0).unwrap();
        assert!(sentence.contains(&format!("({first:+.3})")), "{sentence}");
        assert!(sentence.contains(if first > 0.0 { "higher with" } else { "lower with" }));
    }

    #[test]
    fn a_number_is_compared_with_the_mean_of_the_training() {
        let with_mean = |mean| Task { name: "y".to_owned(), kind: TaskKind::Number { mean, scale: 1.0 } };
        let task = with_mean(0.0);
        let mut summary = Summary::of(&models::rings().0);
        summary.graphs = 5;
        summary.targets[0].name = "y".to_owned();
        summary.targets[0].missing = 1;
        summary.targets[0].values = ValueSummary::Numbers { least: 0.0, mean: 1.0, most: 2.0, deviation: 2.0 };
        let words = guessing_in_words(&task, &summary).unwrap();
        assert_eq!(words, "always guessing the training mean, 0.00, has RMSE 2.000 and R² -0.333");
        let words = guessing_in_words(&with_mean(1.0), &summary).unwrap();
        assert_eq!(words, "always guessing the training mean, 1.00, has RMSE 1.732 and R² 0");
        assert_eq!(target_in_words(&task), "y (a number)");
        // Of several targets the means.
        let mut other = summary.targets[0].clone();
        other.name = "z".to_owned();
        other.values = ValueSummary::Classes(vec![("a".to_owned(), 3), ("b".to_owned(), 1)]);
        let mut third = other.clone();
        third.name = "c".to_owned();
        third.values = ValueSummary::Classes(vec![("a".to_owned(), 2), ("b".to_owned(), 2)]);
        summary.targets.extend([other, third]);
        let classes = |name: &str| Task { name: name.to_owned(), kind: TaskKind::Classes(Vec::new()) };
        let words = guessing_all_in_words(&[task.clone(), classes("z"), classes("c")], &summary).unwrap();
        assert!(words.contains("class of each target has accuracy 0.625 and ROC AUC 0.5"), "{words}");
        assert!(words.ends_with("has RMSE 2.000 and R² -0.333"), "{words}");
        summary.targets[0].values =
            ValueSummary::Numbers { least: f64::NAN, mean: f64::NAN, most: f64::NAN, deviation: f64::NAN };
        assert_eq!((guessing_in_words(&task, &summary), balance_in_words(&task, &summary)), (None, None));
    }

    #[test]
    fn names_are_listed_as_people_do() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([listed(&names[..1]), listed(&names[..2]), listed(&names)], ["a", "a and b", "a, b and c"]);
    }
}
