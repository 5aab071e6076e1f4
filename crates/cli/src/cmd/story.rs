//! The story of a model in ten lines: what it predicts, how well, by which subgraphs, and what to try next.
//!
//! Promise: the sentences and numbers are those of the page and of `show`; no line is wider than the screen, as far as names can be folded.

use super::report::quoted;
use super::subgraphs::signed;
use super::tables::expected;
use crate::io::output::{counted, wrapped};
use einsicht::Model;
use einsicht::data::Dataset;
use einsicht::data::summary::Summary;
use einsicht::explain::story::{balance_in_words, compared_name, guessing_in_words, strongest_of, target_in_words};
use einsicht::explain::wording::pairs_in_words;
use std::path::Path;

/// Subgraphs that are named.
const NAMED: usize = 5;
/// Width of the words at the left.
const INDENT: usize = 10;

/// What a story is about.
pub(super) struct Story<'a> {
    pub(super) model: &'a Model,
    /// The graphs of the training.
    pub(super) dataset: &'a Dataset,
    pub(super) model_file: &'a Path,
    pub(super) data_file: &'a Path,
    /// Width of the screen.
    pub(super) width: usize,
}

impl Story<'_> {
    pub(super) fn text(&self) -> String {
        let (model, summary) = (self.model, Summary::of(self.dataset));
        let Some(task) = model.tasks.first() else { return String::new() };
        let others = match model.tasks.len() {
            1 => String::new(),
            all => format!(", and {} more", counted(all - 1, "target")),
        };
        let graphs = counted(summary.graphs, "graph");
        let balance = balance_in_words(task, &summary).map_or_else(String::new, |words| format!(" ({words})"));
        let mut text = self.line("predicts", &format!("{}{others}, from {graphs}{balance}", target_in_words(task)));
        text += &self.line("expected", &expected(model));
        text += &guessing_in_words(task, &summary).map_or_else(String::new, |words| self.line("compare", &words));
        text += &self.subgraphs();
        text += &self.next();
        text
    }

    /// A word at the left, and a sentence beside it.
    fn line(&self, word: &str, sentence: &str) -> String {
        let folded = wrapped(sentence, self.width.saturating_sub(INDENT).max(30));
        let beside = |(at, line): (usize, &str)| format!("{:INDENT$}{line}\n", if at == 0 { word } else { "" });
        folded.lines().enumerate().map(beside).collect()
    }

    /// The subgraphs with the largest effects on the first target.
    fn subgraphs(&self) -> String {
        let patterns = &self.model.best().iterate.patterns;
        let columns: Vec<&str> = self.model.features().map(|feature| feature.name.as_str()).collect();
        let beside =
            if columns.is_empty() { String::new() } else { format!(", and the columns {}", columns.join(", ")) };
        let all = counted(patterns.len(), "subgraph") + &beside;
        let Some(effects) = &self.model.effects else { return self.line("by", &all) };
        let quantities = effects.quantities_of(&[0]);
        let strongest = strongest_of(effects, &quantities, NAMED);
        let Some(&(_, first)) = strongest.first() else { return self.line("by", &all) };
        let several = quantities.len() > 1;
        let what = if several { "strongest effects on the classes" } else { &effects.quantities[first].name };
        let heading = if several { format!("{all}; {what}:") } else { format!("{all}; strongest effects on {what}:") };
        let mut text = self.line("by", &heading);
        for (pattern, quantity) in strongest {
            let effect = effects.value(pattern, quantity).map_or_else(String::new, signed);
            let interval = effects.interval(pattern, quantity).map(|ends| ends.map(signed));
            let interval = interval.map_or_else(String::new, |[low, high]| format!("[{low}, {high}]"));
            let name = compared_name(effects, pattern, &self.model.names().draw(&patterns[pattern].code));
            let class = if several { format!("  {}", effects.quantities[quantity].name) } else { String::new() };
            text += &self.line("", &format!("{effect:>8} {interval:>18} {name}{class}"));
        }
        for column in &effects.columns {
            let strongest = quantities.iter().filter_map(|&q| Some((q, column.effect.values.get(q)?)));
            if let Some((q, _)) = strongest.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
                text += &self.line("", &column.in_words(q).unwrap_or_default());
            }
        }
        // Of two that interact neither may have an effect of its own.
        for (at, words) in pairs_in_words(self.model, self.model.chosen, effects, &quantities).iter().enumerate() {
            text += &self.line(if at == 0 { "together" } else { "" }, words);
        }
        text
    }

    /// What to try next.
    fn next(&self) -> String {
        let [model, data] = [self.model_file, self.data_file].map(|path| quoted(path.display().to_string()));
        let page = quoted(self.model_file.with_extension("html").display().to_string());
        // Commands are copied, so they are not folded.
        format!("{:INDENT$}einsicht report {model} {data} -o {page}\n{:INDENT$}einsicht show {model}\n", "next", "")
    }
}
