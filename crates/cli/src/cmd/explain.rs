//! `einsicht explain`: why a model predicts what it predicts.
//!
//! Reads the arguments, asks [`einsicht::explain`], and prints: as text (`text.rs`, `rules.rs`, `verdict.rs`), JSON
//! (`json.rs`) or CSV (`csv.rs`).

mod csv;
mod json;
mod rules;
mod text;
mod verdict;

use crate::args::General;
use crate::args::Input;
use crate::args::model_file::{check, entry, load_before, read_with_or_without_targets, tasks_named};
use crate::args::values::at_least_one;
use crate::failure::{Failure, Outcome};
use crate::io::file::write_whole;
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Share;
use clap::{Args, ValueEnum};
use einsicht::data::Part;
use einsicht::explain::{
    AttributionMethod, AttributionRequest, Attributions, Effects, ForestRequest, LimeOptions, MemberSpread, Over,
    Provenance, Scale, ShapleyBaseline, ShapleyOptions, Subject, Surrogate, SurrogateRequest,
    attributions_with_progress, effects, forest_importance, member_spread, surrogate_trees, unknown_labels,
};
use einsicht::forest::ForestParams;
use einsicht::model::SideInput;
use einsicht::model::task::Task;
use einsicht::{Dataset, Model};
use std::path::PathBuf;

/// Explain predictions, graph by graph.
///
/// Without --graph, the effect of each subgraph comes first: its mean Shapley value in the training graphs that contain
/// it minus its mean in those that do not, with a 95 % bootstrap interval over graphs. If DATA holds no training graph,
/// all graphs of DATA are used.
///
/// Shapley values attribute the output to subgraphs; they sum to the output minus the base. Baseline 'background' asks
/// "why does this graph differ from a typical one?": the base is the mean output over a sample of the training graphs,
/// stored in the model, and the absence of a subgraph can be a reason, too. Baseline 'absent' asks "what do these
/// subgraphs add to a graph without any of them?", a graph that may not exist. For any number of subgraphs, values are
/// exact on the logit of a linear head and on the probability of a forest or a blend. Otherwise (a network, the logit
/// of trees, a blend for several classes) they are exact for few subgraphs and sampled for more, with standard errors.
///
/// If the model also reads the whole graph (a graph network or a summary), this counts as one more feature, shown in
/// parentheses; absent means its mean, and 'tree' and 'forest' leave it out. 'lime' fits a local linear surrogate: an
/// intercept, a coefficient for each subgraph, and a residual, the part of the output that these do not explain. 'tree'
/// fits a decision tree to the predictions for all graphs; 'forest' fits a random forest and gives the importance of
/// each subgraph.
///
/// If the model has several targets, --target names those to explain; without it, the text output shows the first one,
/// and --json and --csv have all. 'at least N copies' is the count that the model reads; a larger number of occurrences
/// is shown next to it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht explain mutag.einsicht MUTAG --graph 17
  einsicht explain bace.einsicht bace.csv --csv values.csv
  einsicht explain sider.einsicht sider.csv --target 'Eye disorders' --graph 17
  einsicht explain bzr.einsicht BZR --method tree --depth 3
  einsicht explain esol.einsicht new.smi --baseline absent --json")]
pub(crate) struct Explain {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Explain only the graph with this id: its name in the data or, if it has none, its row, from 0. If several graphs
    /// have this name, all are explained; NAME@ROW picks one. Repeat for several.
    #[arg(long, value_name = "ID")]
    graph: Vec<String>,
    /// Explanation method.
    #[arg(long, value_name = "METHOD", value_enum, default_value = "shapley")]
    method: Method,
    /// Scale of a classifier's output to explain [shapley, lime; default: auto].
    #[arg(long, value_name = "WHAT", value_enum)]
    output: Option<What>,
    /// Baseline of Shapley values [shapley; default: background].
    #[arg(long, value_name = "WHICH", value_enum)]
    baseline: Option<Which>,
    /// Largest number of subgraphs differing from the baseline for which values are exact, where exactness depends on
    /// it; above it, values are sampled [shapley; default: 12].
    #[arg(long, value_name = "N")]
    exact_up_to: Option<usize>,
    /// Number of sampled permutations, each also reversed (antithetic) [shapley; default: 64].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    orders: Option<usize>,
    /// Add Shapley interaction indices of pairs of subgraphs, if at most --exact-up-to differ from the baseline (in
    /// --json) [shapley].
    #[arg(long)]
    interactions: bool,
    /// Add the vertices and edges of every occurrence of the subgraphs, and the value of each vertex and edge (in
    /// --json). The value of a subgraph is spread evenly over its occurrences or, with =class, over those of the larger
    /// subgraph that always contains it in the training graphs.
    #[arg(long, value_name = "OVER", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "subgraph")]
    places: Option<Spread>,
    /// Depth of the surrogate decision tree [tree; default: 4].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    depth: Option<usize>,
    /// Write a CSV table with one row per graph and output to this file; '-' for stdout.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Size of the model to use [default: the chosen one].
    #[arg(long, value_name = "S")]
    at_size: Option<usize>,
    #[command(flatten)]
    input: Input,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Shapley values of the subgraphs of each graph.
    Shapley,
    /// Local linear surrogate (LIME) of each graph.
    Lime,
    /// Surrogate decision tree for all graphs.
    Tree,
    /// Importance in a random forest for all graphs.
    Forest,
}

impl Method {
    fn word(self) -> &'static str {
        match self {
            Self::Shapley => "shapley",
            Self::Lime => "lime",
            Self::Tree => "tree",
            Self::Forest => "forest",
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Probability if the head has trees, otherwise logit: the scale on which the model is additive.
    Auto,
    /// Before the logistic function or softmax.
    Logit,
    /// Between 0 and 1.
    Probability,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Occurrences of the subgraph itself, which the model reads.
    Subgraph,
    /// Occurrences of a larger subgraph of its class, which the training graphs do not distinguish from it.
    Class,
}

impl From<Spread> for Over {
    fn from(spread: Spread) -> Self {
        match spread {
            Spread::Subgraph => Self::Subgraph,
            Spread::Class => Self::Class,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// A sample of the training graphs, stored in the model. Why does this graph differ from a typical one?
    Background,
    /// A graph without any of the subgraphs. What does each add?
    Absent,
}

/// The result of the request, with what is needed to print it.
struct Explanation<'a> {
    options: &'a Explain,
    subject: Subject<'a>,
    /// The explained tasks.
    tasks: Vec<usize>,
    /// The explained graphs: all that were asked for, or the first ones, as many as the text shows.
    rows: Vec<usize>,
    /// How many were asked for.
    asked: usize,
    found: Attributions,
    /// Effects of the subgraphs over many graphs, for the method `shapley` of all graphs.
    effects: Option<Effects>,
    /// For each explained graph and each task of the model, how much members predict differently; empty without
    /// members.
    spread: Vec<Vec<Vec<MemberSpread>>>,
    /// Surrogate trees of the explained tasks, for the method `tree`.
    trees: Vec<Surrogate>,
    /// Importance of every subgraph for the explained tasks, for the method `forest`.
    importance: Vec<Vec<f64>>,
    warnings: Vec<String>,
}

/// What is to be explained: these tasks of the graphs in these rows; the seed of what is drawn.
struct Wanted {
    tasks: Vec<usize>,
    rows: Vec<usize>,
    seed: u64,
}

impl Explain {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let inputs = self.input.files_and([&self.model]);
        self.csv.iter().try_for_each(|path| guard("--csv", path, OutputKind::Attributions, &inputs, output))?;
        let model = load_before(&self.model, &self.input.data)?;
        self.check_read(&model)?;
        let at = entry(&model, self.at_size)?;
        let tasks = tasks_named(&model, &self.input.target)?;
        // Where the model has several targets, the option names some of them; the data are read with all.
        let input = if model.tasks.len() > 1 { self.input.without_targets() } else { self.input.clone() };
        let dataset = read_with_or_without_targets(&model, &input, output)?;
        check(&model, &dataset)?;
        let provenance = Provenance::of(&model, &dataset);
        let rows = self.rows(&model, &dataset)?;
        let warnings = unknown_labels(&model, &dataset, &rows);
        for warning in &warnings {
            output.say(&format!("warning: {warning}"));
        }
        let subject = Subject { model: &model, entry: at, dataset: &dataset };
        let asked = rows.len();
        let is_text = self.csv.is_none() && !output.is_json();
        let rows = if is_text { rows.into_iter().take(text::SHOWN).collect() } else { rows };
        let explanation = {
            let share = Share::start(output, "explaining");
            let found =
                self.explain(subject, Wanted { tasks, rows, seed: general.seed }, &provenance, &|part| share.set(part));
            Explanation { asked, warnings, ..found }
        };
        if let Some(path) = &self.csv {
            write_whole(path, explanation.csv().as_bytes())?;
        }
        output.result_in_colour(|| explanation.text(), || explanation.json())?;
        Ok(Outcome::Done)
    }

    /// Refuses options that the method, or the model, does not read.
    fn check_read(&self, model: &Model) -> Result<(), Failure> {
        let given = [
            ("--output", self.output.is_some(), &[Method::Shapley, Method::Lime][..]),
            ("--baseline", self.baseline.is_some(), &[Method::Shapley]),
            ("--exact-up-to", self.exact_up_to.is_some(), &[Method::Shapley]),
            ("--orders", self.orders.is_some(), &[Method::Shapley]),
            ("--interactions", self.interactions, &[Method::Shapley]),
            ("--depth", self.depth.is_some(), &[Method::Tree]),
        ];
        if let Some((option, _, methods)) = given.iter().find(|(_, given, of)| *given && !of.contains(&self.method)) {
            let words: Vec<&str> = methods.iter().map(|method| method.word()).collect();
            let error = format!("{option} needs --method {}, got --method {}", words.join(" or "), self.method.word());
            return Err(Failure::usage(option, error));
        }
        if matches!(self.output, Some(What::Logit | What::Probability))
            && !model.tasks.iter().any(Task::is_classification)
        {
            let error =
                "--output needs a model of classes, but this one predicts numbers, which are explained as they are";
            return Err(Failure::usage("--output", error));
        }
        Ok(())
    }

    /// The requested graphs: by id, by set, else all.
    fn rows(&self, model: &Model, dataset: &Dataset) -> Result<Vec<usize>, Failure> {
        let part = self.input.part().unwrap_or(Part::All);
        let all: Vec<usize> = if part == Part::All && !self.input.has_split() {
            (0..dataset.len()).collect()
        } else {
            self.input.part_of(model, dataset, part)?
        };
        if self.graph.is_empty() {
            return Ok(all);
        }
        let mut rows = Vec::new();
        for id in &self.graph {
            // Of several graphs with one id all but the first have their row behind it.
            let is_meant = |row: &usize| {
                let found = &dataset.ids[*row];
                found == id || *found == format!("{id}@{}", dataset.origins[*row].row)
            };
            let meant: Vec<usize> = all.iter().copied().filter(is_meant).collect();
            if meant.is_empty() {
                return Err(Failure::usage("--graph", format!("--graph must name a graph of the data, got {id}")));
            }
            rows.extend(meant);
        }
        Ok(rows)
    }

    fn explain<'a>(
        &'a self,
        subject: Subject<'a>,
        wanted: Wanted,
        provenance: &Provenance,
        progress: &dyn Fn(f64),
    ) -> Explanation<'a> {
        let Wanted { tasks, rows, seed } = wanted;
        let (found, trees, importance) = match self.method {
            Method::Shapley | Method::Lime => {
                let (scale, method) = (self.scale(subject.model), self.attribution_method(seed));
                let request = AttributionRequest { subject, rows: &rows, scale, method };
                (attributions_with_progress(&request, progress).of_tasks(&tasks), Vec::new(), Vec::new())
            }
            Method::Tree => {
                let request =
                    SurrogateRequest { subject, tasks: &tasks, rows: &rows, max_depth: self.depth.unwrap_or(4) };
                let found = surrogate_trees(&request);
                (found.attributions, found.trees, Vec::new())
            }
            Method::Forest => {
                let params = ForestParams { seed, ..ForestParams::default() };
                let found = forest_importance(&ForestRequest { subject, tasks: &tasks, rows: &rows, params });
                (found.attributions, Vec::new(), found.importance)
            }
        };
        let is_global = self.method == Method::Shapley && self.graph.is_empty();
        let effects = is_global.then(|| effects(&subject, provenance));
        let (spread, warnings, asked) = (member_spread(&subject, &rows), Vec::new(), rows.len());
        Explanation { options: self, subject, tasks, rows, asked, found, effects, spread, trees, importance, warnings }
    }

    fn scale(&self, model: &Model) -> Scale {
        match self.output {
            None | Some(What::Auto) => Scale::of(model),
            Some(What::Logit) => Scale::Logit,
            Some(What::Probability) => Scale::Probability,
        }
    }

    fn attribution_method(&self, seed: u64) -> AttributionMethod {
        if self.method == Method::Lime {
            return AttributionMethod::Lime(LimeOptions { seed, ..LimeOptions::default() });
        }
        AttributionMethod::Shapley {
            baseline: match self.baseline {
                None | Some(Which::Background) => ShapleyBaseline::Background,
                Some(Which::Absent) => ShapleyBaseline::Absent,
            },
            options: ShapleyOptions {
                exact_up_to: self.exact_up_to.unwrap_or(12),
                orders: self.orders.unwrap_or(64),
                interactions: self.interactions,
                seed,
            },
        }
    }
}

impl Explanation<'_> {
    /// Number of subgraphs of the entry; they are the first features.
    fn patterns(&self) -> usize {
        self.subject.model.entries[self.subject.entry].iterate.patterns.len()
    }

    /// The columns beside an explained graph: feature and value.
    fn column_values(&self, at: usize) -> Vec<(usize, f64)> {
        let Subject { model, dataset, .. } = self.subject;
        let side_inputs = model.side_inputs();
        let columns = side_inputs.iter().enumerate().filter(|(_, side)| side.is_column);
        let value = |(side, described): (usize, &SideInput)| {
            let column = dataset.feature(&described.name)?;
            Some((self.patterns() + side, column.values[self.rows[at]]))
        };
        columns.filter_map(value).collect()
    }

    /// The count of each subgraph in an explained graph, as the model reads it; 1 or 0 if it reads presence.
    fn counts(&self, at: usize) -> Vec<usize> {
        let values = self.subject.model.params.values();
        self.found.features_of(at)[..self.patterns()].iter().map(|value| values.count_of(*value)).collect()
    }
}
