//! What of a data set a model can be scored on: how many graphs have a value of each target that the model knows, and
//! why the others have none.
//!
//! Promise: for each target `scored + missing + unknown = rows`. A metric without these numbers means nothing: a model
//! of two classes on a table of other numbers is "right" wherever a 0 or 1 happens to stand.

use super::{TargetError, Targets, Task, TaskKind};
use crate::task::Labels;
use einsicht_data::{Dataset, TargetValues, Vocabulary};
use einsicht_graph::Label;
use std::collections::BTreeMap;
use std::fmt;

/// The graphs of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetCounts {
    /// Graphs with a value that the model knows.
    pub scored: usize,
    /// Graphs without a value.
    pub missing: usize,
    /// Classes that the model does not know, with their number of graphs; the most frequent first.
    pub unknown: Vec<(String, usize)>,
}

impl TargetCounts {
    /// Graphs of classes that the model does not know.
    pub fn of_unknown_classes(&self) -> usize {
        self.unknown.iter().map(|(_, graphs)| graphs).sum()
    }
}

/// A target with classes that the model does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownClasses {
    /// Name of the target.
    pub task: String,
    /// The classes of the model.
    pub known: Vec<String>,
    /// The others, with their number of graphs; the most frequent first.
    pub unknown: Vec<(String, usize)>,
}

impl fmt::Display for UnknownClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let graphs: usize = self.unknown.iter().map(|(_, graphs)| graphs).sum();
        let quoted: Vec<String> = self.known.iter().map(|class| format!("\"{class}\"")).collect();
        let have = if graphs == 1 { "1 graph has" } else { &format!("{graphs} graphs have") };
        write!(
            f,
            "target {} must be one of the classes of the model ({}), but {have} another: {}",
            self.task,
            first_of(&quoted),
            list_classes(&self.unknown)
        )
    }
}

/// The first few classes with their numbers of graphs: `"2" (17 graphs), "x" (1)`.
pub fn list_classes(classes: &[(String, usize)]) -> String {
    let graphs = |at: usize, count: usize| match (at, count) {
        (0, 1) => " graph",
        (0, _) => " graphs",
        _ => "",
    };
    let words: Vec<String> = (classes.iter().enumerate())
        .map(|(at, (class, count))| format!("\"{class}\" ({count}{})", graphs(at, *count)))
        .collect();
    first_of(&words)
}

fn first_of(words: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text = words[..words.len().min(SHOWN)].join(", ");
    if words.len() > SHOWN {
        text += &format!(" and {} more", words.len() - SHOWN);
    }
    text
}

/// For each task what the graphs at these positions have of it; by name of target, as [`Targets::gather`].
pub fn target_counts(tasks: &[Task], dataset: &Dataset, rows: &[usize]) -> Result<Vec<TargetCounts>, TargetError> {
    let targets = Targets::gather(tasks, dataset, rows)?;
    let one = |(task, (labels, _)): (&Task, &(Labels, usize))| {
        let scored = match labels {
            Labels::Classes(labels) => labels.iter().flatten().count(),
            Labels::Numbers(labels) => labels.iter().flatten().count(),
        };
        let unknown = unknown_classes(task, dataset, rows);
        let of_unknown: usize = unknown.iter().map(|(_, graphs)| graphs).sum();
        TargetCounts { scored, missing: rows.len() - scored - of_unknown, unknown }
    };
    Ok(tasks.iter().zip(&targets.tasks).map(one).collect())
}

/// The first target with classes that the model does not know, if there is one.
pub fn first_unknown(tasks: &[Task], counts: &[TargetCounts]) -> Option<UnknownClasses> {
    tasks.iter().zip(counts).find_map(|(task, counts)| match &task.kind {
        TaskKind::Classes(known) if !counts.unknown.is_empty() => {
            Some(UnknownClasses { task: task.name.clone(), known: known.clone(), unknown: counts.unknown.clone() })
        }
        _ => None,
    })
}

/// Classes of a target that the task does not know, the most frequent first.
fn unknown_classes(task: &Task, dataset: &Dataset, rows: &[usize]) -> Vec<(String, usize)> {
    let TaskKind::Classes(known) = &task.kind else { return Vec::new() };
    let target = dataset.targets.iter().find(|target| target.name == task.name);
    let Some(TargetValues::Classes { classes, values }) = target.map(|target| &target.values) else {
        return Vec::new();
    };
    let token = |classes: &Vocabulary, class: u32| classes.token(Label(class)).to_owned();
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for class in rows.iter().filter_map(|&row| values[row]) {
        *counts.entry(class).or_default() += 1;
    }
    let mut unknown: Vec<(String, usize)> =
        counts.into_iter().map(|(class, graphs)| (token(classes, class), graphs)).collect();
    unknown.retain(|(class, _)| !known.contains(class));
    unknown.sort_by_key(|(_, graphs)| std::cmp::Reverse(*graphs));
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::{Origin, Target};
    use einsicht_graph::Graph;

    fn dataset(name: &str, values: &[&str]) -> Dataset {
        let classes = Vocabulary::from_tokens(values.iter().copied().filter(|value| !value.is_empty()));
        let of = |value: &&str| classes.label(value).map(|label| label.0);
        let values = TargetValues::Classes { values: values.iter().map(of).collect(), classes: classes.clone() };
        let len = values.len();
        Dataset {
            graphs: vec![Graph::builder().build(); len],
            ids: (0..len).map(|row| row.to_string()).collect(),
            origins: vec![Origin::default(); len],
            targets: vec![Target { name: name.to_owned(), values }],
            ..Dataset::default()
        }
    }

    #[test]
    fn every_graph_is_scored_or_left_out_for_a_reason() {
        let tasks = [Task { name: "y".to_owned(), kind: TaskKind::Classes(vec!["0".to_owned(), "1".to_owned()]) }];
        let data = dataset("y", &["0", "1", "", "7", "x", "7", "1"]);
        let counts = target_counts(&tasks, &data, &[0, 1, 2, 3, 4, 5, 6]).unwrap();
        let unknown = vec![("7".to_owned(), 2), ("x".to_owned(), 1)];
        assert_eq!(counts, [TargetCounts { scored: 3, missing: 1, unknown }]);
        let refused = first_unknown(&tasks, &counts).unwrap().to_string();
        let wanted = "target y must be one of the classes of the model (\"0\", \"1\"), but 3 graphs have another: \
                      \"7\" (2 graphs), \"x\" (1)";
        assert_eq!(refused, wanted);
        // Without a column of this name all values are missing.
        let other = target_counts(&tasks, &dataset("z", &["0", "1"]), &[0, 1]).unwrap();
        assert_eq!(other, [TargetCounts { missing: 2, ..TargetCounts::default() }]);
        assert_eq!(first_unknown(&tasks, &other), None);
    }
}
