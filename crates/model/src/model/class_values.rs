//! Classes as the caller of a training wrote them: their type and their order, where the names by rank do not tell.
//!
//! Promise: nothing here changes a prediction. The file keeps it, so that a model that was saved answers in the same
//! words, and in the same order, as the one that was trained. Tested in `tests/model_file.rs`.

use crate::task::{Task, TaskKind};
use serde::{Deserialize, Serialize};

/// What the names of classes are to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassKind {
    /// True and False.
    Bool,
    /// Whole numbers.
    Int,
    /// Numbers.
    Float,
    /// Words, numbers among them.
    Str,
}

/// The classes of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassValues {
    /// What the names are.
    pub kind: ClassKind,
    /// The type of the caller's list of classes, in the caller's language.
    pub dtype: String,
    /// Ranks of the classes, in the caller's order.
    pub order: Vec<u32>,
}

/// Whether there are values for each task or for none, and each list of ranks is one of all classes of its task.
pub(crate) fn fit_tasks(values: &[Option<ClassValues>], tasks: &[Task]) -> bool {
    let fits = |(values, task): (&Option<ClassValues>, &Task)| match (values, &task.kind) {
        (None, _) => true,
        (Some(_), TaskKind::Number { .. }) => false,
        (Some(ClassValues { order, .. }), TaskKind::Classes(names)) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted.into_iter().eq(0..names.len() as u32)
        }
    };
    values.is_empty() || (values.len() == tasks.len() && values.iter().zip(tasks).all(fits))
}

impl super::Model {
    /// The same model with classes as the caller writes them, one entry per task; `None` if they do not fit the tasks.
    /// Entries that are all absent are as none.
    pub fn with_class_values(mut self, values: Vec<Option<ClassValues>>) -> Option<Self> {
        let values = if values.iter().all(Option::is_none) { Vec::new() } else { values };
        if !fit_tasks(&values, &self.tasks) {
            return None;
        }
        self.class_values = values;
        Some(self)
    }
}
