//! What must hold within a model, so that whatever reads one may index by what it says.
//!
//! A file is checked wholly when it is loaded: the loader looks at what it must know to read on (labels, patterns,
//! parameters, lengths of tensors), [`Model::check`] at the rest. Nothing later looks again. Tested by the mutations of
//! `crates/cli/tests/program/crafted_models.rs` and by fuzzing.

use super::Model;
use crate::effects::{Effects, PatternEffect};
use crate::folds::Estimate;
use crate::persist::ModelError;
use crate::task::{Task, TaskKind};

impl Model {
    /// Whether everything in it fits together; the error says what does not.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        if self.picked && (self.effects.is_some() || self.estimate != Estimate::default()) {
            return Err(ModelError::Picked);
        }
        self.check_entries()?;
        self.check_counts()?;
        let Some(effects) = &self.effects else { return Ok(()) };
        match self.wrong_in(effects) {
            None => Ok(()),
            Some(what) => Err(ModelError::Effects { what }),
        }
    }

    /// Entries have something to read, and decisions and steps that are possible.
    fn check_entries(&self) -> Result<(), ModelError> {
        for (at, entry) in self.entries.iter().enumerate() {
            let reads_nothing = entry.size == 0 && self.side.is_none();
            if entry.lambda.is_none() && (reads_nothing || entry.iterate.patterns.len() > entry.size) {
                return Err(ModelError::Order { what: format!("the number of patterns of entry.{at}") });
            }
            if !entry.decision.is_good(self.tasks.len()) {
                return Err(ModelError::NotFinite { name: format!("entry.{at}.decision"), at: 0 });
            }
            if entry.before.as_ref().is_some_and(|before| !(before.step > 0.0 && before.step.is_finite())) {
                return Err(ModelError::NotFinite { name: format!("entry.{at}.before.step"), at: 0 });
            }
        }
        Ok(())
    }

    /// Counts of graphs are at most the graphs that there are.
    fn check_counts(&self) -> Result<(), ModelError> {
        let graphs = self.rows.train.len() + self.rows.valid.len();
        let fits = |(of_class, support): (&Vec<usize>, usize)| {
            of_class.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count)).is_some_and(|sum| sum <= support)
        };
        for (at, pattern) in self.patterns.iter().enumerate() {
            if pattern.support > graphs || !pattern.by_class.iter().all(|of_class| fits((of_class, pattern.support))) {
                return Err(ModelError::Support { pattern: at, graphs });
            }
        }
        let seen = self.seen.hashes.len();
        if self.seen.folds.count > seen.max(1) {
            return Err(ModelError::Order { what: format!("the folds of {seen} graphs") });
        }
        Ok(())
    }

    /// What does not fit the model in the effects of its chosen entry.
    fn wrong_in(&self, effects: &Effects) -> Option<String> {
        let iterate = &self.best().iterate;
        let (patterns, pairs) = (iterate.patterns.len(), iterate.pairs_of_columns());
        let quantities = effects.quantities.iter().map(|quantity| (quantity.task, quantity.class));
        if !quantities.eq(self.tasks.iter().enumerate().flat_map(explained)) {
            return Some("quantities are not those of the targets".to_owned());
        }
        let of_patterns = effects.patterns.iter().chain(effects.columns.iter().map(|column| &column.effect));
        if effects.patterns.len() != patterns || !of_patterns.clone().all(|effect| effect.fits(effects)) {
            return Some(format!("there must be one of each quantity, or none, for each of {patterns} subgraphs"));
        }
        let columns = effects.columns.iter().map(|column| &column.name);
        if !columns.eq(self.features().map(|feature| &feature.name)) {
            return Some("columns are not those that the model reads".to_owned());
        }
        let all = effects.quantities.len();
        if !effects.pairs.iter().map(|pair| pair.patterns).eq(pairs.iter().map(|pair| pair.columns))
            || effects.pairs.iter().any(|pair| pair.outputs.len() != all)
        {
            return Some("pairs are not those of the model, with four outputs for each quantity".to_owned());
        }
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        let are_shares = |list: &Vec<f64>| list.len() == all && list.iter().all(is_share);
        if !effects.shares.iter().all(|share| are_shares(&share.by_quantity) && is_share(&share.mean)) {
            return Some("shares must be numbers from 0 to 1, one for each quantity".to_owned());
        }
        let is_pair = |[first, second]: &[usize; 2]| first < second && *second < patterns;
        let fits = effects.near_copies.iter().all(is_pair) && effects.sampled <= effects.available;
        (!fits).then(|| "near-copies or numbers of graphs are out of range".to_owned())
    }
}

impl PatternEffect {
    /// Whether its lists have one entry for each quantity, or none.
    fn fits(&self, effects: &Effects) -> bool {
        let all = effects.quantities.len();
        let lens = [self.values.len(), self.intervals.len(), self.raises.len()];
        lens.iter().all(|len| [0, all].contains(len)) && self.raises.iter().all(|part| (0.0..=1.0).contains(part))
    }
}

/// What is explained of a task: the second of two classes, each of several, a number.
fn explained((at, task): (usize, &Task)) -> Vec<(usize, Option<usize>)> {
    match &task.kind {
        TaskKind::Number { .. } => vec![(at, None)],
        TaskKind::Classes(names) if names.len() == 2 => vec![(at, Some(1))],
        TaskKind::Classes(names) => (0..names.len()).map(|class| (at, Some(class))).collect(),
    }
}
