//! The subgraphs of an entry as a table: support, equivalent subgraphs, and their effects on what is predicted.
//!
//! Promise: no line is wider than the screen, as far as names can be folded. Columns that do not fit are left out, the
//! least telling first, and named below. Effects are those of the model that predicts; weights of the selection are not
//! shown.

use crate::io::output::{Layout, counted, layout, wrapped};
use einsicht::Model;
use einsicht::explain::Effects;
use einsicht::model::PathEntry;
use einsicht::model::Pattern;
use einsicht::model::task::TaskKind;
use einsicht::report::story::compared_name;
use einsicht::report::wording::pairs_in_words;

/// Effects that are named for each subgraph where not all fit.
const STRONGEST: usize = 2;

/// What a table of subgraphs shows.
pub(in crate::cmd) struct SubgraphTable<'a> {
    pub(in crate::cmd) model: &'a Model,
    pub(in crate::cmd) entry: &'a PathEntry,
    /// The effects of the entry's subgraphs, if they are known.
    pub(in crate::cmd) effects: Option<&'a Effects>,
    /// The tasks that it is about; empty for all.
    pub(in crate::cmd) tasks: &'a [usize],
    /// Rows at most.
    pub(in crate::cmd) most: usize,
    /// Width of the screen.
    pub(in crate::cmd) width: usize,
}

/// One column. Those with a smaller rank are left out first; those without one stay.
struct Column {
    header: String,
    cells: Vec<String>,
    is_number: bool,
    rank: Option<u8>,
}

impl Column {
    fn number(header: &str, cells: Vec<String>, rank: Option<u8>) -> Self {
        Self { header: header.to_owned(), cells, is_number: true, rank }
    }

    fn width(&self) -> usize {
        let widest = self.cells.iter().chain([&self.header]).map(|cell| cell.chars().count()).max();
        2 + widest.unwrap_or(0)
    }
}

impl SubgraphTable<'_> {
    /// The table, with a sentence above about the effects and notes below.
    pub(in crate::cmd) fn text(&self) -> String {
        let (order, quantities) = (self.order(), self.quantities());
        if order.is_empty() {
            return "no subgraphs\n".to_owned();
        }
        let shown = &order[..order.len().min(self.most)];
        let mut columns = self.facts(shown);
        let mut text = String::new();
        if let Some(effects) = self.effects {
            text += &wrapped(&self.heading(effects, &quantities), self.width);
            text.push('\n');
            columns.extend(self.effect_columns(effects, &quantities, shown, &columns));
        }
        let left_out = fit(&mut columns, self.width);
        let headers: Vec<&str> = columns.iter().map(|column| column.header.as_str()).collect();
        let rows: Vec<Vec<String>> =
            (0..shown.len()).map(|row| columns.iter().map(|column| column.cells[row].clone()).collect()).collect();
        let numbers: Vec<bool> = columns.iter().map(|column| column.is_number).collect();
        text += &layout(&Layout { header: &headers, rows: &rows, numbers: &numbers, width: self.width });
        text += &self.pairs(&quantities);
        if order.len() > shown.len() {
            text += &format!("and {} more\n", counted(order.len() - shown.len(), "subgraph"));
        }
        if !left_out.is_empty() {
            text += &wrapped(&format!("hidden to fit the width: {}", left_out.join(", ")), self.width);
        }
        text
    }

    /// Pairs that interact, each with a sentence for each quantity.
    fn pairs(&self, quantities: &[usize]) -> String {
        let Some(effects) = self.effects else { return String::new() };
        let at =
            self.model.entries.iter().position(|entry| std::ptr::eq(entry, self.entry)).unwrap_or(self.model.chosen);
        let lines = pairs_in_words(self.model, at, effects, quantities);
        lines.iter().map(|line| wrapped(&format!("together: {line}"), self.width)).collect()
    }

    /// The subgraphs by decreasing size of their effects; without effects by decreasing support.
    fn order(&self) -> Vec<usize> {
        let (quantities, patterns) = (self.quantities(), self.patterns());
        let mut order: Vec<usize> = (0..patterns.len()).collect();
        match self.effects {
            Some(effects) => {
                let strength = |at: usize| effects.strength(at, &quantities);
                order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
            }
            None => order.sort_by_key(|&at| std::cmp::Reverse(patterns[at].support)),
        }
        order
    }

    fn quantities(&self) -> Vec<usize> {
        self.effects.map_or_else(Vec::new, |effects| effects.quantities_of(self.tasks))
    }

    fn patterns(&self) -> Vec<&Pattern> {
        self.entry.iterate.patterns.iter().filter_map(|pattern| self.model.pattern(&pattern.code)).collect()
    }

    /// What is known of the subgraphs from the training data.
    fn facts(&self, shown: &[usize]) -> Vec<Column> {
        let patterns = self.patterns();
        let cells = |of: &dyn Fn(&Pattern) -> String| shown.iter().map(|&at| of(patterns[at])).collect::<Vec<_>>();
        let drawn = |at: usize| self.model.names().one_line(&patterns[at].code);
        let compared = |at: usize| self.effects.map_or_else(|| drawn(at), |all| compared_name(all, at, &drawn(at)));
        let name: Vec<String> = shown.iter().map(|&at| compared(at)).collect();
        let mut columns = vec![
            Column { header: "subgraph".to_owned(), cells: name, is_number: false, rank: None },
            Column::number("edges", cells(&|pattern| pattern.code.num_edges().to_string()), Some(0)),
            Column::number("graphs", cells(&|pattern| pattern.support.to_string()), None),
        ];
        if let Some((header, task)) = self.class_task() {
            let counts = |pattern: &Pattern| {
                let counts = pattern.by_class.get(task).map_or(&[][..], Vec::as_slice);
                counts.iter().map(usize::to_string).collect::<Vec<_>>().join("/")
            };
            columns.push(Column::number(&header, cells(&counts), Some(2)));
        }
        columns.push(Column::number("equivalent", cells(&|pattern| pattern.class.size.to_string()), Some(1)));
        columns
    }

    /// The header for the graphs of each class, and the number of its task among those with classes, if the table is
    /// about one such task.
    fn class_task(&self) -> Option<(String, usize)> {
        let task = match (self.tasks, self.model.tasks.len()) {
            ([task], _) => *task,
            ([], 1) => 0,
            _ => return None,
        };
        let TaskKind::Classes(names) = &self.model.tasks[task].kind else { return None };
        let before = self.model.tasks[..task].iter().filter(|task| task.is_classification()).count();
        let joined = names.join("/");
        let header = if joined.chars().count() <= 24 { format!("class {joined}") } else { "by class".to_owned() };
        Some((header, before))
    }

    fn heading(&self, effects: &Effects, quantities: &[usize]) -> String {
        let what = match quantities {
            [only] => format!(
                "effect: mean change of the {} due to a subgraph in graphs that contain it, compared with those that \
                 do not, with a 95 % bootstrap interval over graphs; raises: the share of graphs with it in which the \
                 change is positive",
                effects.quantities[*only].name
            ),
            _ => format!(
                "effects: mean change of {} due to a subgraph in graphs that contain it, compared with those that do \
                 not",
                self.several(effects, quantities)
            ),
        };
        let amounts = if effects.patterns.iter().any(|effect| effect.by_amount) {
            "; more: nearly all graphs have the subgraph, so those with more of it than average are compared with the \
             others"
        } else {
            ""
        };
        format!("{what}{amounts} (Shapley values, {})", effects.graphs_in_words())
    }

    /// Several quantities in words.
    fn several(&self, effects: &Effects, quantities: &[usize]) -> String {
        let mut tasks: Vec<usize> = quantities.iter().map(|&q| effects.quantities[q].task).collect();
        tasks.dedup();
        // Where trees predict, effects are on probabilities.
        let is_probability = quantities.iter().any(|&q| effects.quantities[q].name.starts_with("probability"));
        let pick = |probability: &'static str, logit: &'static str| if is_probability { probability } else { logit };
        if let [task] = tasks[..] {
            return format!("the {} of each class of {}", pick("probability", "logit"), self.model.tasks[task].name);
        }
        if let Some(class) = self.second_class(&tasks) {
            return format!("the {} of class {class} of each target", pick("probability", "log-odds (logit)"));
        }
        let of_class = pick("probability", "log-odds or logit");
        format!("each output ({of_class} of a class, or a number in the units of its target)")
    }

    /// The second class of all these tasks, if they have the same two.
    fn second_class(&self, tasks: &[usize]) -> Option<&str> {
        let second = |task: usize| match &self.model.tasks[task].kind {
            TaskKind::Classes(names) if names.len() == 2 => Some(names[1].as_str()),
            _ => None,
        };
        let first = second(*tasks.first()?)?;
        tasks.iter().all(|&task| second(task) == Some(first)).then_some(first)
    }

    /// The effects as columns: with intervals for one quantity; one column per quantity if they fit beside the other
    /// columns that stay; else the strongest of each subgraph.
    fn effect_columns(
        &self,
        effects: &Effects,
        quantities: &[usize],
        shown: &[usize],
        facts: &[Column],
    ) -> Vec<Column> {
        let known = |at: usize, q: usize| effects.value(at, q).map_or("-".to_owned(), signed);
        if let [q] = *quantities {
            let interval = |at: usize| {
                let ends = effects.interval(at, q).map(|ends| ends.map(signed));
                ends.map_or("-".to_owned(), |[low, high]| format!("[{low}, {high}]"))
            };
            let raises =
                |at: usize| effects.raises(at, q).map_or("-".to_owned(), |part| format!("{:.0} %", 100.0 * part));
            return vec![
                Column::number("effect", shown.iter().map(|&at| known(at, q)).collect(), None),
                Column::number("95 % interval", shown.iter().map(|&at| interval(at)).collect(), Some(3)),
                Column::number("raises", shown.iter().map(|&at| raises(at)).collect(), Some(4)),
            ];
        }
        let short = self.short_names(effects, quantities);
        let column =
            |(&q, name): (&usize, &String)| Column::number(name, shown.iter().map(|&at| known(at, q)).collect(), None);
        let columns: Vec<Column> = quantities.iter().zip(&short).map(column).collect();
        let least: usize = facts.iter().filter(|column| column.rank.is_none()).map(Column::width).sum();
        if least + columns.iter().map(Column::width).sum::<usize>() <= self.width + 1 {
            return columns;
        }
        let strongest = |at: usize| {
            let mut known: Vec<(f64, &String)> = quantities
                .iter()
                .zip(&short)
                .filter_map(|(&q, name)| effects.value(at, q).map(|value| (value, name)))
                .collect();
            known.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
            let named = known.iter().take(STRONGEST).map(|(value, name)| format!("{name}: {}", signed(*value)));
            named.collect::<Vec<_>>().join("; ")
        };
        let cells = shown.iter().map(|&at| strongest(at)).collect();
        let header = format!("strongest {STRONGEST} of {} effects", quantities.len());
        vec![Column { header, cells, is_number: false, rank: None }]
    }

    /// Names of several quantities: the class where all are of one task, the task where all tasks have the same two
    /// classes, else both.
    fn short_names(&self, effects: &Effects, quantities: &[usize]) -> Vec<String> {
        let mut tasks: Vec<usize> = quantities.iter().map(|&q| effects.quantities[q].task).collect();
        tasks.dedup();
        let (is_single, same_classes) = (tasks.len() == 1, self.second_class(&tasks).is_some());
        let name = |&q: &usize| {
            let quantity = &effects.quantities[q];
            let task = &self.model.tasks[quantity.task];
            match (&task.kind, quantity.class) {
                (TaskKind::Classes(names), Some(class)) if is_single => names[class].clone(),
                (TaskKind::Classes(names), Some(class)) if !same_classes => format!("{} = {}", task.name, names[class]),
                _ => task.name.clone(),
            }
        };
        quantities.iter().map(name).collect()
    }
}

/// Leaves out columns until the rest fits, and returns their names.
fn fit(columns: &mut Vec<Column>, width: usize) -> Vec<String> {
    let mut left_out = Vec::new();
    // The last column needs no gap after it, and a folded one can be narrower.
    let needed = |columns: &[Column]| {
        let of = |column: &Column| if column.is_number { column.width() } else { column.width().min(28) };
        columns.iter().map(of).sum::<usize>()
    };
    while needed(columns) > width + 1 {
        let ranked = columns.iter().enumerate().filter_map(|(at, column)| column.rank.map(|rank| (rank, at)));
        let Some((_, at)) = ranked.min() else { break };
        left_out.push(columns.remove(at).header);
    }
    left_out
}

/// A number with its sign and about three digits.
pub(in crate::cmd) fn signed(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:+.0}"),
        size if size != 0.0 && size < 0.0005 => format!("{value:+.0e}"),
        _ => format!("{value:+.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_telling_columns_are_left_out_first_and_named() {
        let column = |header: &str, rank| Column::number(header, vec!["x".repeat(18)], rank);
        let mut columns = vec![column("a", None), column("b", Some(0)), column("c", Some(2)), column("d", Some(1))];
        assert_eq!(fit(&mut columns, 60), ["b"]);
        assert_eq!(fit(&mut columns, 45), ["d"]);
        assert_eq!(columns.len(), 2);
        assert_eq!(fit(&mut columns, 10), ["c"]);
    }

    #[test]
    fn numbers_are_never_rounded_to_nothing() {
        assert_eq!(
            [signed(0.1234), signed(-12345.6), signed(0.00012), signed(0.0)],
            ["+0.123", "-12346", "+1e-4", "+0.000"]
        );
    }
}
