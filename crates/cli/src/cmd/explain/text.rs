//! Explanations as text.

use super::super::story::{Command, Face};
use super::{Explanation, Method};
use crate::cmd::tables::subgraphs::SubgraphTable;
use crate::io::file::output_name;
use crate::io::output::{counted, screen_width, table, wrapped};
use einsicht::explain::{BaselineKind, MOST_OCCURRENCES, Over, PatternLocator, Subject};
use einsicht::graph::matching::Scratch;
use einsicht::report::story::target_in_words;
use einsicht::report::wording::{copies_and_occurrences, figure};

/// Graphs that are shown at most.
pub(super) const SHOWN: usize = 10;
/// Subgraphs whose effects are shown at most; `show` and `--json` have all.
const SHOWN_EFFECTS: usize = 15;

/// What is needed to find the subgraphs in a graph.
pub(super) struct Places {
    locator: PatternLocator,
    scratch: Scratch,
}

impl Places {
    pub(super) fn new(subject: &Subject<'_>) -> Self {
        Self { locator: PatternLocator::new(subject, Over::Subgraph), scratch: Scratch::default() }
    }
}

impl Explanation<'_> {
    pub(super) fn text(&self) -> String {
        if let Some(path) = &self.options.csv {
            return format!("{} explanations in {}\n", self.rows.len(), output_name(path));
        }
        let (model_file, data_file) = (&*self.options.model, Some(&*self.options.input.data));
        let Subject { model, entry, .. } = self.subject;
        let task = self.tasks[0];
        let face = Face { model, entry, task, model_file, data_file, width: screen_width() };
        let by = counted(model.entries[entry].iterate.patterns.len(), "subgraph");
        // The others are not named where some were picked.
        let is_picked = !self.options.input.target.is_empty() && model.tasks.len() > 1;
        let head = if is_picked {
            face.line("predicts", &format!("{}, by {by}", target_in_words(&model.tasks[task])))
        } else {
            face.predicts(&format!(", by {by}"))
        };
        let shown = match self.options.method {
            Method::Tree => self.trees_text(),
            Method::Forest => self.importance_text(),
            Method::Shapley | Method::Lime => self.graphs_text(),
        };
        let another = (self.asked > 1).then(|| self.subject.dataset.ids[self.rows[0]].clone());
        let next = match another {
            Some(graph) => [Command::Explain(Some(graph)), Command::Report],
            None => [Command::Evaluate, Command::Report],
        };
        format!("{head}{}\n{}\n\n{}", face.expected(), shown.trim_end(), face.next(&next))
    }

    fn graphs_text(&self) -> String {
        let width = screen_width();
        let mut text = self.effects_text(width);
        text += &wrapped(&self.title(), width);
        let (model, tasks) = (self.subject.model, self.shown_tasks());
        if tasks.len() < self.tasks.len() {
            let name = &model.tasks[tasks[0]].name;
            let line = format!("target {name}, the first of {}; --target explains others", self.tasks.len());
            text += &wrapped(&line, width);
        }
        if model.entries[self.subject.entry].decision.temperatures.iter().any(|temperature| *temperature != 1.0) {
            text += &wrapped("outputs are before temperature scaling, probabilities after it", width);
        }
        let mut places = Places::new(&self.subject);
        for at in 0..self.rows.len() {
            text += &self.graph_line(at, width);
            for &task in tasks {
                text += &self.attribution_text(at, task, width, &mut places);
            }
        }
        if self.asked > self.rows.len() {
            text += &format!("\nand {} more; --graph selects one, --csv writes all\n", self.asked - self.rows.len());
        }
        text
    }

    /// A graph, what is predicted for it, and what is true.
    pub(super) fn graph_line(&self, at: usize, width: usize) -> String {
        let line = format!("graph {}: {}", self.subject.dataset.ids[self.rows[at]], self.prediction(at));
        format!("\n{}", wrapped(&line, width))
    }

    /// What the values are, what they are relative to, and whether they are exact.
    fn title(&self) -> String {
        if self.options.method == Method::Lime {
            return "coefficients of a local linear surrogate (LIME) of the model around each graph".to_owned();
        }
        let relative_to = match self.found.baseline {
            BaselineKind::Background => "the mean over a sample of the training graphs (baseline: background)",
            _ => "a graph without the subgraphs (baseline: absent)",
        };
        let sampled = self.found.graphs.iter().filter(|graph| graph.errors.is_some()).count();
        let how = match sampled {
            0 => "exact".to_owned(),
            all if all == self.rows.len() => "sampled, with standard errors".to_owned(),
            some => {
                format!("exact but for {some} of {} graphs, which are sampled, with standard errors", self.rows.len())
            }
        };
        format!("Shapley values, relative to {relative_to}; {how}")
    }

    /// The tasks that are shown: those that were named, else the first.
    pub(super) fn shown_tasks(&self) -> &[usize] {
        if self.options.input.target.is_empty() { &self.tasks[..1.min(self.tasks.len())] } else { &self.tasks }
    }

    /// Effects of the subgraphs over many graphs.
    fn effects_text(&self, width: usize) -> String {
        let Some(effects) = &self.effects else { return String::new() };
        let Subject { model, entry, .. } = self.subject;
        let entry = &model.entries[entry];
        let shares = effects.shares_in_words();
        let mut text = shares.map_or_else(String::new, |shares| {
            wrapped(&format!("predictions come {shares} (shares of Shapley values)"), width)
        });
        let tasks = &self.tasks;
        text += &SubgraphTable { model, entry, effects: Some(effects), tasks, most: SHOWN_EFFECTS, width }.text();
        text + "\n"
    }

    /// The output of a graph as a sum.
    pub(super) fn attribution_text(&self, at: usize, task: usize, width: usize, places: &mut Places) -> String {
        let attribution = &self.found.graphs[at];
        let q = self.found.main_quantity(attribution, task);
        let value = |feature: usize| self.found.value(attribution, feature, q);
        let name = &self.found.quantities[q].name;
        let absences = self.found.absences(at, q);
        let is_shown = |feature: &usize| value(*feature) != 0.0 && !absences.others.contains(feature);
        let mut order: Vec<usize> = (0..self.found.names.len()).filter(is_shown).collect();
        order.sort_by(|&a, &b| value(b).abs().total_cmp(&value(a).abs()));
        let Some(&first) = order.first() else {
            let is_empty = self.counts(at).iter().all(|count| *count == 0);
            let why = if is_empty { "it contains none of the subgraphs" } else { "no subgraph contributes" };
            return wrapped(&format!("{name}: {}, the base: {why}", figure(attribution.output[q])), width);
        };
        let is_lime = self.options.method == Method::Lime;
        // Small numbers have exponents, all of them: targets may be in mol/l.
        let largest =
            [attribution.output[q], attribution.base[q], value(first)].map(f64::abs).into_iter().fold(0.0, f64::max);
        let number = |value: f64| if largest < 0.01 { format!("{value:+.2e}") } else { format!("{value:+.3}") };
        let line = |name: &str, value: f64| vec![name.to_owned(), number(value), String::new()];
        let mut cells = vec![line(if is_lime { "intercept of the local model" } else { "base" }, attribution.base[q])];
        let mut bars = vec![String::new()];
        for &feature in &order {
            let slot = feature * self.found.quantities.len() + q;
            let error =
                attribution.errors.as_ref().map_or(String::new(), |errors| format!("± {}", figure(errors[slot])));
            cells.push(vec![self.feature_text(at, feature, places), number(value(feature)), error]);
            bars.push(bar(value(feature), value(first).abs()));
        }
        if !absences.others.is_empty() {
            let sum = absences.others.iter().fold(0.0, |sum, &feature| sum + value(feature));
            let subgraphs = if absences.others.len() == 1 { "subgraph" } else { "subgraphs" };
            cells.push(line(&format!("absence of {} other {subgraphs}", absences.others.len()), sum));
        }
        if is_lime {
            cells.push(line("= prediction of the local model", self.found.total(attribution, q)));
            cells.push(line("not explained by the local model", self.found.residual(attribution, q)));
        }
        let whose =
            if self.options.method == Method::Forest { "= answer of the forest" } else { "= output of the model" };
        cells.push(line(whose, attribution.output[q]));
        bars.resize(cells.len(), String::new());
        let decided = match self.found.decided_by(at, q) {
            Some((feature, true)) => format!(", decided by the absence of {}", self.found.names[feature]),
            _ => String::new(),
        };
        wrapped(&format!("{name}: {}{decided}", figure(attribution.output[q])), width) + &beside(&cells, &bars, width)
    }

    /// A feature, with what its count says, and the number of its occurrences; or its absence.
    fn feature_text(&self, at: usize, feature: usize, places: &mut Places) -> String {
        let name = &self.found.names[feature];
        let Some(&count) = self.counts(at).get(feature) else { return self.side_text(at, feature) };
        if count == 0 {
            return format!("absence of {name}");
        }
        let graph = &self.subject.dataset.graphs[self.rows[at]];
        let occurrences = places.locator.occurrences(feature, graph, MOST_OCCURRENCES, &mut places.scratch).len();
        match copies_and_occurrences(self.subject.model.params.values(), count, occurrences, MOST_OCCURRENCES) {
            said if said.is_empty() => name.clone(),
            said => format!("{name}, {said}"),
        }
    }

    /// A column beside the graph with its value, or another side input.
    fn side_text(&self, at: usize, feature: usize) -> String {
        let name = &self.found.names[feature];
        let value = self.column_values(at).into_iter().find(|(column, _)| *column == feature);
        value.map_or_else(|| name.clone(), |(_, value)| format!("{name} = {value}"))
    }
}

/// A table with bars beside it, which are left out where the screen is too narrow. They are no column, which would be
/// aligned to the right.
fn beside(cells: &[Vec<String>], bars: &[String], width: usize) -> String {
    /// A bar, its axis, and the gap before it.
    const BAR: usize = 23;
    let lines = table(&[], cells, 1);
    let widest = lines.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let fits = 2 + widest + BAR <= width;
    let mut text = String::new();
    for (line, bar) in lines.lines().zip(bars) {
        let gap = " ".repeat(widest - line.chars().count());
        let whole = if fits { format!("  {line}{gap}  {bar}") } else { format!("  {line}") };
        text += &format!("{}\n", whole.trim_end());
    }
    text
}

/// A bar to the left of the line for negative values, to its right for positive ones.
fn bar(value: f64, largest: f64) -> String {
    let length = (10.0 * value.abs() / largest).round() as usize;
    if value < 0.0 { format!("{:>10}|", "-".repeat(length)) } else { format!("{:>10}|{}", "", "+".repeat(length)) }
}
