//! The face of a model in the terminal: what it predicts, how well, by which subgraphs, and what to try next. `train`
//! ends with it; `show`, `evaluate` and `explain` begin and end with its lines.
//!
//! Promise: the sentences and numbers are those of the page and of `show`; no line is wider than the screen, as far as
//! names can be folded.

use super::sent::report::quoted;
use super::tables::expected;
use super::tables::subgraphs::signed;
use crate::io::output::{counted, wrapped};
use einsicht::Model;
use einsicht::data::summary::Summary;
use einsicht::explain::Effects;
use einsicht::report::story::{
    balance_in_words, compared_name, guessing_all_in_words, guessing_in_words, strongest_of, target_in_words,
};
use einsicht::report::wording::pairs_in_words;
use std::path::Path;

/// Subgraphs that are named.
const NAMED: usize = 5;
/// Width of the words at the left.
const INDENT: usize = 10;

/// A model, seen from the terminal.
#[derive(Clone, Copy)]
pub(super) struct Face<'a> {
    pub(super) model: &'a Model,
    /// The entry of the path that is shown.
    pub(super) entry: usize,
    /// The target that comes first.
    pub(super) task: usize,
    pub(super) model_file: &'a Path,
    /// The data that commands are shown for, if they are known.
    pub(super) data_file: Option<&'a Path>,
    /// Width of the screen.
    pub(super) width: usize,
}

impl Face<'_> {
    /// The story of a model that was trained on these graphs, in ten lines.
    pub(super) fn story(&self, summary: &Summary) -> String {
        let task = &self.model.tasks[self.task];
        let balance = balance_in_words(task, summary).map_or_else(String::new, |words| format!(" ({words})"));
        let mut text = self.predicts(&format!(", from {}{balance}", counted(summary.graphs, "graph")));
        text += &self.expected();
        text += &self.compare(&(0..self.model.tasks.len()).collect::<Vec<_>>(), summary);
        text += &self.subgraphs(self.model.effects.as_ref());
        text + &self.next(&[Command::Report, Command::Show])
    }

    /// A word at the left, and a sentence beside it.
    pub(super) fn line(&self, word: &str, sentence: &str) -> String {
        let folded = wrapped(sentence, self.width.saturating_sub(INDENT).max(30));
        let beside = |(at, line): (usize, &str)| format!("{:INDENT$}{line}\n", if at == 0 { word } else { "" });
        folded.lines().enumerate().map(beside).collect()
    }

    pub(super) fn predicts(&self, more: &str) -> String {
        let others = match self.model.tasks.len() {
            1 => String::new(),
            all => format!(", and {}", counted(all - 1, "more target")),
        };
        self.line("predicts", &format!("{}{others}{more}", target_in_words(&self.model.tasks[self.task])))
    }

    /// How well, for new graphs: of the chosen entry.
    pub(super) fn expected(&self) -> String {
        if self.entry == self.model.chosen && !self.model.estimate.metrics.is_empty() {
            self.line("expected", &expected(self.model))
        } else {
            String::new()
        }
    }

    /// What guessing these targets would give on some graphs.
    pub(super) fn compare(&self, tasks: &[usize], summary: &Summary) -> String {
        let all = &self.model.tasks;
        let words = match tasks {
            [at] if all.len() > 1 => {
                guessing_in_words(&all[*at], summary).map(|words| format!("{}: {words}", all[*at].name))
            }
            [at] => guessing_in_words(&all[*at], summary),
            several => guessing_all_in_words(several.iter().map(|&at| &all[at]), summary),
        };
        words.map_or_else(String::new, |words| self.line("compare", &words))
    }

    /// The subgraphs with the largest effects on the target.
    pub(super) fn subgraphs(&self, effects: Option<&Effects>) -> String {
        let patterns = &self.model.entries[self.entry].iterate.patterns;
        let columns: Vec<&str> = self.model.features().map(|feature| feature.name.as_str()).collect();
        let beside =
            if columns.is_empty() { String::new() } else { format!(", and the columns {}", columns.join(", ")) };
        let all = counted(patterns.len(), "subgraph") + &beside;
        let Some(effects) = effects else { return self.line("by", &all) };
        let quantities = effects.quantities_of(&[self.task]);
        let strongest = strongest_of(effects, &quantities, NAMED);
        let Some(&(_, first)) = strongest.first() else { return self.line("by", &all) };
        let several = quantities.len() > 1;
        let what = if several { "strongest effects on the classes" } else { &effects.quantities[first].name };
        let copies = if effects.near_copies.is_empty() { "" } else { ", near-copies left out" };
        let on = if several { String::new() } else { "strongest effects on ".to_owned() };
        let heading = format!("{all}; {on}{what}{copies}:");
        let mut text = self.line("by", &heading);
        for (pattern, quantity) in strongest {
            let effect = effects.value(pattern, quantity).map_or_else(String::new, signed);
            let interval = effects.interval(pattern, quantity).map(|ends| ends.map(signed));
            let interval = interval.map_or_else(String::new, |[low, high]| format!("[{low}, {high}]"));
            let name = compared_name(effects, pattern, &self.model.names().one_line(&patterns[pattern].code));
            let class = if several { format!("  {}", effects.quantities[quantity].name) } else { String::new() };
            text += &self.figures(&format!("{effect:>8} {interval:>18}"), &format!("{name}{class}"));
        }
        for column in &effects.columns {
            let strongest = quantities.iter().filter_map(|&q| Some((q, column.effect.values.get(q)?)));
            if let Some((q, _)) = strongest.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
                text += &self.line("", &column.in_words(q).unwrap_or_default());
            }
        }
        // Of two that interact neither may have an effect of its own.
        for (at, words) in pairs_in_words(self.model, self.entry, effects, &quantities).iter().enumerate() {
            text += &self.line(if at == 0 { "together" } else { "" }, words);
        }
        text
    }

    /// Figures, which stay under each other, and what they are about, folded beside them.
    fn figures(&self, figures: &str, about: &str) -> String {
        let left = INDENT + figures.chars().count() + 1;
        let folded = wrapped(about, self.width.saturating_sub(left).max(20));
        let beside = |(at, line): (usize, &str)| match at {
            0 => format!("{:INDENT$}{figures} {line}\n", ""),
            _ => format!("{:left$}{line}\n", ""),
        };
        folded.lines().enumerate().map(beside).collect()
    }

    /// What to try next.
    pub(super) fn next(&self, commands: &[Command]) -> String {
        // Commands are copied, so they are not folded.
        let one = |(at, command): (usize, &Command)| {
            format!("{:INDENT$}{}\n", if at == 0 { "next" } else { "" }, self.command(command))
        };
        commands.iter().enumerate().map(one).collect()
    }

    fn command(&self, command: &Command) -> String {
        let model = quoted(self.model_file.display().to_string());
        let data = self.data_file.map_or_else(|| "DATA".to_owned(), |path| quoted(path.display().to_string()));
        match command {
            Command::Report => {
                let page = quoted(self.model_file.with_extension("html").display().to_string());
                format!("einsicht report {model} {data} -o {page}")
            }
            Command::Show => format!("einsicht show {model}"),
            Command::Evaluate => format!("einsicht evaluate {model} {data}"),
            Command::Explain(None) => format!("einsicht explain {model} {data}"),
            Command::Explain(Some(graph)) => {
                format!("einsicht explain {model} {data} --graph {}", quoted(graph.clone()))
            }
        }
    }
}

/// A command to try next.
pub(super) enum Command {
    Report,
    Show,
    Evaluate,
    /// Of all graphs, or of one.
    Explain(Option<String>),
}
