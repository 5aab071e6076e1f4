//! A pattern of a model: its support class, its statistics on the training set, and what it is part of there.

use crate::params::TrainParams;
use crate::task::{Labels, Targets, Task, TaskKind};
use einsicht_graph::{DfsCode, Graph, Support, whole_around};
use einsicht_search::{SupportClass, code_tuples};
use serde::{Deserialize, Serialize};

/// A pattern of the model, with its statistics on the training set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Its canonical code, with labels of the model's vocabularies.
    #[serde(with = "code_tuples")]
    pub code: DfsCode,
    /// Its support class: the patterns with the same support on the training set.
    pub class: SupportClass,
    /// Number of training graphs that contain it.
    pub support: usize,
    /// For each task with classes, how many of these graphs are of each class.
    pub by_class: Vec<Vec<usize>>,
    /// Of a pattern that is as large as it may be: what it is part of in each of these graphs, and in nearly all
    /// occurrences.
    #[serde(with = "code_tuples::option")]
    pub whole: Option<DfsCode>,
}

impl Pattern {
    /// The largest patterns that occur where this one does: its whole, or the maximal members of its class.
    pub fn largest(&self) -> &[DfsCode] {
        self.whole.as_ref().map_or(&self.class.maximal[..], std::slice::from_ref)
    }

    /// The whole of this pattern, from the graphs of its support. Smaller patterns could have been chosen larger, and
    /// were not.
    pub fn whole_in(&self, graphs: &[&Graph], params: &TrainParams) -> Option<DfsCode> {
        let is_plain = self.code.qualifiers().is_empty();
        let is_cut = self.code.num_edges() == if is_plain { params.max_edges } else { params.qualified_edges() };
        let whole = || whole_around(&self.code, graphs);
        (is_cut && self.class.maximal.contains(&self.code)).then(whole).filter(|whole| *whole != self.code)
    }
}

/// For each task with classes, how many graphs of the support are of each class.
pub fn counts_by_class(tasks: &[Task], targets: &Targets, support: &Support) -> Vec<Vec<usize>> {
    let mut counts = Vec::new();
    for (task, (labels, _)) in tasks.iter().zip(&targets.tasks) {
        if let (TaskKind::Classes(names), Labels::Classes(labels)) = (&task.kind, labels) {
            let mut of_task = vec![0; names.len()];
            for class in support.graphs().iter().filter_map(|&graph| labels[graph as usize]) {
                of_task[class as usize] += 1;
            }
            counts.push(of_task);
        }
    }
    counts
}
