//! `einsicht show`: the content of a model.

use super::story::{Command, Face};
use super::tables::subgraphs::SubgraphTable;
use super::tables::{path_point, path_table, shares_text};
use super::train::deviations;
use crate::args::Input;
use crate::args::model_file::{entry, load, read_with_or_without_targets, tasks_named};
use crate::failure::{Failure, Outcome};
use crate::io::output::{Output, counted, screen_width, wrapped};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::Model;
use einsicht::explain::{ColumnEffect, Effects, PairEffect, Provenance, Subject, effects};
use einsicht::model::gnn::Gnn;
use einsicht::model::task::{Task, TaskKind};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Show a model: subgraphs with their effects, path, parameters.
///
/// Columns of the table of subgraphs:
///
/// graphs: training graphs that contain the subgraph.
///
/// class: how many of these belong to each class.
///
/// equivalent: number of subgraphs that occur in exactly the same training graphs, itself included.
///
/// effect: mean change in the prediction due to the subgraph: graphs that contain it compared with those that do not
/// (Shapley values). For classes it is a change in probability with trees (of the second of two classes, or of each of
/// several), and in log-odds or logits with a linear head or a network; for numbers it is in the units of the target.
///
/// 95 % interval: bootstrap interval of the effect over graphs, for this fixed model.
///
/// raises: share of the graphs with the subgraph in which the change is positive; near 0 or 100 %, the sign is the same
/// in nearly all.
///
/// Columns that do not fit on the screen are hidden; --json has all numbers. Effects need the graphs: --data.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht show mutag.einsicht
  einsicht show mutag.einsicht --data MUTAG
  einsicht show mutag.einsicht --at-size 5
  einsicht show sider.einsicht --data sider.csv --target 'Eye disorders'
  einsicht show mutag.einsicht --json")]
pub(crate) struct Show {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Size of the model to show [default: the chosen one].
    #[arg(long, value_name = "S")]
    at_size: Option<usize>,
    /// Data set for the effects of the subgraphs: the training data or any other graphs. Uses at most 256 graphs (fewer
    /// with more than 8 outputs), drawn by the seed of the model, and a few more for rare subgraphs.
    #[arg(long, value_name = "DATA")]
    data: Option<PathBuf>,
    /// Show only the effects on this target of the model. Repeat for several.
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
}

impl Show {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.at_size)?;
        let tasks = tasks_named(&model, &self.target)?;
        let effects = self.effects(&model, at, output)?;
        let whole = model.document().map_err(|error| Failure::file(&self.model, error))?;
        let (model_file, data_file, width) = (&*self.model, self.data.as_deref(), screen_width());
        let face = Face { model: &model, entry: at, task: tasks[0], model_file, data_file, width };
        let shown = Shown { model: &model, at, effects: effects.as_ref(), tasks: &tasks, width, face };
        output.result_in_colour(|| shown.text(), || shown.document(whole))?;
        Ok(Outcome::Done)
    }

    /// The effects of the subgraphs on the predictions for the graphs of `--data`.
    fn effects(&self, model: &Model, at: usize, output: &Output) -> Result<Option<Effects>, Failure> {
        let Some(data) = &self.data else { return Ok(model.effects.clone().filter(|_| at == model.chosen)) };
        if model.effects.is_some() && at == model.chosen {
            output.say(
                "the model stores the effects of this size on its training graphs and shows these; --data is for \
                 other sizes",
            );
        }
        let dataset = read_with_or_without_targets(model, &Input::plain(data), output)?;
        let _progress = Progress::start(output, "computing effects");
        let subject = Subject { model, entry: at, dataset: &dataset };
        Ok(Some(effects(&subject, &Provenance::of(model, &dataset))))
    }
}

/// The graphs of the training, and how they were held out.
fn graphs_of(model: &Model) -> String {
    let (train, valid, folds) = (model.rows.train.len(), model.rows.valid.len(), &model.seen.folds);
    let held_out = folds.of.iter().flatten().count();
    match (valid, folds.count) {
        (0, 1) => format!("{train} training graphs, {held_out} of them held out once"),
        (0, count) => format!("{train} training graphs, each held out in one of {count} folds"),
        (_, 1) => format!("{train} training graphs, {valid} validation graphs"),
        (_, count) => {
            format!("{} training and validation graphs, each held out in one of {count} folds", train + valid)
        }
    }
}

struct Shown<'a> {
    model: &'a Model,
    /// The entry of the path.
    at: usize,
    effects: Option<&'a Effects>,
    tasks: &'a [usize],
    width: usize,
    face: Face<'a>,
}

impl Shown<'_> {
    fn text(&self) -> String {
        let model = self.model;
        let entry = &model.entries[self.at];
        let graphs = model.rows.train.len() + model.rows.valid.len();
        let mut text = self.face.predicts(&format!(", from {}", counted(graphs, "graph")));
        text += &self.face.expected();
        text += &self.face.subgraphs(self.effects);
        text += "\n";
        text += &self.targets();
        text += &self.parameters();
        text += "\n";
        text += &path_table(model);
        text += &format!(
            "\n{}, {}\n",
            path_point(entry.size, entry.lambda),
            counted(entry.iterate.patterns.len(), "subgraph")
        );
        match self.effects {
            Some(effects) => text += &shares_text(effects, true),
            None => text += "for the effects at this size, give the training data: --data DATA\n",
        }
        let (effects, tasks, width) = (self.effects, self.tasks, self.width);
        text += "\n";
        text += &SubgraphTable { model, entry, effects, tasks, most: usize::MAX, width }.text();
        text += &self.other_names();
        text + "\n" + &self.face.next(&[Command::Report, Command::Explain(None)])
    }

    /// What the model predicts, where a line did not say it all; targets of the same kind together.
    fn targets(&self) -> String {
        let tasks = &self.model.tasks;
        if tasks.len() == 1 && tasks[0].is_classification() {
            return String::new();
        }
        let classes = |task: &Task| match &task.kind {
            TaskKind::Classes(names) => Some(names.join(", ")),
            TaskKind::Number { .. } => None,
        };
        let mut text = String::new();
        let mut rest: Vec<&Task> = tasks.iter().collect();
        while let Some(first) = rest.first().copied() {
            let kind = classes(first);
            let (same, others): (Vec<&Task>, Vec<&Task>) =
                rest.iter().partition(|task| kind.is_some() && classes(task) == kind);
            let line = match (&first.kind, &kind) {
                (TaskKind::Number { mean, scale }, _) => {
                    format!("target {}: a number (mean {mean:.4}, standard deviation {scale:.4})", first.name)
                }
                (_, Some(kind)) if same.len() > 1 => {
                    let names: Vec<&str> = same.iter().map(|task| task.name.as_str()).collect();
                    format!("{} targets, each one of {kind}: {}", same.len(), names.join(", "))
                }
                (_, kind) => format!("target {}: one of {}", first.name, kind.as_deref().unwrap_or("")),
            };
            text += &wrapped(&line, self.width);
            rest = if kind.is_some() { others } else { rest[1..].to_vec() };
        }
        text
    }

    fn parameters(&self) -> String {
        let (model, params) = (self.model, &self.model.params);
        let mut lines = vec![
            format!("{}, seed {}", graphs_of(model), params.seed),
            params.summary_line(),
            format!("at most {}, {}", counted(params.max_edges, "edge"), counted(params.hidden, "hidden unit")),
        ];
        if params.gnn != Gnn::None {
            let rounds = if params.gnn_rounds == 1 { "round" } else { "rounds" };
            let (number, units) = (params.gnn_rounds, params.gnn_units);
            lines.push(format!("plus a graph neural network of {number} {rounds} and {units} units"));
        }
        let side_inputs = model.side_inputs();
        if params.gnn == Gnn::None
            && let Some(side) = side_inputs.iter().find(|side| !side.is_column)
        {
            lines.push(format!("plus a {}", side.name));
        }
        let columns: Vec<&str> =
            side_inputs.iter().filter(|side| side.is_column).map(|side| side.name.as_str()).collect();
        if !columns.is_empty() {
            lines.push(format!("plus the columns {}", columns.join(", ")));
        }
        if !model.complete {
            lines.push("incomplete: the training was stopped before the end of the path".to_owned());
        }
        lines.iter().map(|line| wrapped(line, self.width)).collect()
    }

    /// The subgraphs as SMARTS and in words, where they have them.
    fn other_names(&self) -> String {
        let names = self.model.names();
        let codes = || self.model.entries[self.at].iterate.patterns.iter().map(|pattern| &pattern.code);
        let mut text = String::new();
        let mut list = |title: &str, pairs: Vec<(String, String)>| {
            if !pairs.is_empty() {
                text += &format!("\n{title}\n");
            }
            for (name, other) in pairs {
                let line = format!("{name}  {other}");
                // A name that does not fit on the line of the other is not broken: it may be copied.
                let fits = line.chars().count() <= self.width;
                text +=
                    &if fits { line + "\n" } else { format!("{name}\n{}", wrapped(&format!("  {other}"), self.width)) };
            }
        };
        list(
            "SMARTS",
            codes().filter_map(|code| names.smarts(code).map(|smarts| (names.one_line(code), smarts))).collect(),
        );
        let qualified = codes().filter(|code| !code.qualifiers().is_empty());
        list("in words", qualified.map(|code| (names.one_line(code), names.words(code))).collect());
        let whole = |code| self.model.pattern(code).and_then(|pattern| pattern.whole.as_ref());
        let parts = codes().filter_map(|code| whole(code).map(|whole| (names.one_line(code), names.one_line(whole))));
        list("part of, in each of these graphs and at least 9 of 10 occurrences", parts.collect());
        text
    }

    /// The model's own JSON, with its deviations from the preset, the effects of the shown entry, and each pattern also
    /// on one line, in words and as SMARTS.
    fn document(&self, mut whole: Value) -> Value {
        let model = self.model;
        whole["deviations"] = deviations(&model.params).into();
        if let Some(patterns) = whole["patterns"].as_array_mut() {
            for (value, pattern) in patterns.iter_mut().zip(&model.patterns) {
                value["text"] = json!(model.names().one_line(&pattern.code));
                value["words"] = json!(model.names().words(&pattern.code));
                value["smarts"] = json!(model.names().smarts(&pattern.code));
            }
        }
        if let Some(effects) = self.effects {
            whole["effects"] = effects_json(model, self.at, effects, self.tasks);
        }
        whole
    }
}

/// Pairs that interact: the texts of both, when each output is high, and its mean in each of the four cases.
fn pairs_json(model: &Model, at: usize, effects: &Effects, quantities: &[usize]) -> Vec<Value> {
    let patterns = &model.entries[at].iterate.patterns;
    let pair = |pair: &PairEffect| {
        let names = pair.patterns.map(|at| model.names().one_line(&patterns[at].code));
        let words: Vec<String> = quantities.iter().map(|&q| pair.in_words(q, [&names[0], &names[1]])).collect();
        let outputs: Vec<Value> = quantities
            .iter()
            .map(|&q| {
                let [both, first, second, none] = pair.outputs[q];
                json!({ "both": both, "first": first, "second": second, "none": none })
            })
            .collect();
        json!({ "texts": names, "high_with": words, "mean_outputs": outputs, "graphs": pair.graphs })
    };
    effects.pairs.iter().map(pair).collect()
}

/// Effects for scripts: each subgraph by its text, with one number per output of the model.
pub(super) fn effects_json(model: &Model, at: usize, effects: &Effects, tasks: &[usize]) -> Value {
    let quantities = effects.quantities_of(tasks);
    let patterns = model.entries[at].iterate.patterns.iter().zip(&effects.patterns).enumerate();
    let one = patterns.map(|(index, (pattern, effect))| {
        let norm = pattern.weights.iter().fold(0.0, |sum, w| sum + w * w).sqrt();
        json!({
            "text": model.names().one_line(&pattern.code),
            "graphs": effect.graphs,
            "by_amount": effect.by_amount,
            "effects": quantities.iter().map(|&q| effects.value(index, q)).collect::<Vec<_>>(),
            "raises": quantities.iter().map(|&q| effects.raises(index, q)).collect::<Vec<_>>(),
            "intervals": quantities.iter().map(|&q| effects.interval(index, q)).collect::<Vec<_>>(),
            "selection_weight_norm": norm,
        })
    });
    let shares = effects.shares.iter().map(|share| {
        let own: Vec<f64> = quantities.iter().map(|&q| share.by_quantity[q]).collect();
        json!({ "name": share.name, "mean": share.mean, "by_output": own })
    });
    json!({
        "size": model.entries[at].size,
        "pairs": pairs_json(model, at, effects, &quantities),
        "graphs": effects.set,
        "sampled": effects.sampled,
        "available": effects.available,
        "outputs": quantities.iter().map(|&q| effects.quantities[q].name.clone()).collect::<Vec<_>>(),
        "patterns": one.collect::<Vec<_>>(),
        "near_copies": effects.near_copies,
        "shares": shares.collect::<Vec<_>>(),
        "columns": effects.columns.iter().map(|column| column_json(column, &quantities)).collect::<Vec<_>>(),
    })
}

/// The effect of a column beside the graphs.
fn column_json(column: &ColumnEffect, quantities: &[usize]) -> Value {
    let effect = &column.effect;
    json!({
        "name": column.name,
        "mean": column.mean,
        "graphs": effect.graphs,
        "effects": quantities.iter().map(|&q| effect.values.get(q)).collect::<Vec<_>>(),
        "raises": quantities.iter().map(|&q| effect.raises.get(q)).collect::<Vec<_>>(),
        "intervals": quantities.iter().map(|&q| effect.intervals.get(q)).collect::<Vec<_>>(),
    })
}
