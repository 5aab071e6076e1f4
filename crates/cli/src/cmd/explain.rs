//! `einsicht explain`: why a model predicts what it predicts.

mod show;

use crate::args::General;
use crate::args::Input;
use crate::failure::{Failure, Outcome};
use crate::io::file::write_whole;
use crate::io::model_file::{check, entry, load, read_with_or_without_targets};
use crate::io::output::Output;
use crate::io::progress::Progress;
use clap::{Args, ValueEnum};
use einsicht::data::Part;
use einsicht::explain::game::{Game, Quantity, Scale};
use einsicht::explain::kinship::Kinship;
use einsicht::explain::lime::{self, lime};
use einsicht::explain::shapley::{self, Background, Baseline};
use einsicht::explain::surrogate::{Answers, Surrogate};
use einsicht::learn::forest::{Forest, ForestParams};
use einsicht::{Dataset, Model};
use std::path::PathBuf;

/// Say why a model predicts what it predicts, graph by graph.
///
/// Shapley values share the output among the subgraphs that are present (baseline 'absent'), or compare with other graphs of
/// the training (baseline 'background'); they sum to the output minus the base. LIME fits a line around a graph, 'tree' a few
/// rules to the whole model, 'forest' an importance of every subgraph.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht explain mutag.einsicht MUTAG --graph 17
  einsicht explain bace.einsicht bace.csv --csv values.csv
  einsicht explain bzr.einsicht BZR --method tree --depth 3
  einsicht explain esol.einsicht new.smi --baseline background --json")]
pub(crate) struct Explain {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Explain this graph only. Repeat for several.
    #[arg(long, value_name = "ID")]
    graph: Vec<String>,
    /// How to explain.
    #[arg(long, value_name = "METHOD", value_enum, default_value = "shapley")]
    method: Method,
    /// What is explained of a classifier.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "logit")]
    output: What,
    /// What subgraphs are compared with: their absence, or other graphs.
    #[arg(long, value_name = "WHICH", value_enum, default_value = "absent")]
    baseline: Which,
    /// Compare with at most N training graphs, drawn by the seed.
    #[arg(long, value_name = "N", default_value_t = 100)]
    background: usize,
    /// Up to N subgraphs values are exact; beyond, they are means over random orders, with their error.
    #[arg(long, value_name = "N", default_value_t = 12)]
    exact_up_to: usize,
    /// Number of random orders, each with its reverse.
    #[arg(long, value_name = "N", default_value_t = 64)]
    orders: usize,
    /// Look at pairs of subgraphs too (in --json).
    #[arg(long)]
    interactions: bool,
    /// Tell where the subgraphs are (in --json): the edges of every embedding.
    #[arg(long)]
    places: bool,
    /// Most questions on a way through the tree.
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
    /// Write a table with one row a graph.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Use the model of this size instead of the chosen one.
    #[arg(long, value_name = "S")]
    size: Option<usize>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Fair shares of the output.
    Shapley,
    /// A line around the graph.
    Lime,
    /// A few rules for all graphs.
    Tree,
    /// Importance over all graphs.
    Forest,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Before the logistic function or softmax.
    Logit,
    /// Between 0 and 1.
    Probability,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The subgraph is not there.
    Absent,
    /// As in other graphs.
    Background,
}

/// The explanation of one graph: one number a quantity, and one a quantity for every pattern.
struct Why {
    output: Vec<f64>,
    base: Vec<f64>,
    values: Vec<f64>,
    errors: Option<Vec<f64>>,
    interactions: Option<Vec<f64>>,
}

/// All that was found.
struct Found<'a> {
    options: &'a Explain,
    model: &'a Model,
    entry: usize,
    dataset: &'a Dataset,
    /// Names of the patterns, all different.
    names: Vec<String>,
    quantities: Vec<Quantity>,
    /// The graphs that are explained.
    rows: Vec<usize>,
    /// Values of the patterns in them.
    table: Vec<f64>,
    whys: Vec<Why>,
    trees: Vec<Surrogate>,
    importance: Vec<Vec<f64>>,
    warnings: Vec<String>,
}

impl Explain {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let dataset = read_with_or_without_targets(&model, &self.input, output)?;
        check(&model, &dataset)?;
        let kinship = Kinship::of(&model, &dataset);
        for warning in kinship.sentences() {
            output.say(&format!("warning: {warning}"));
        }
        let rows = self.rows(&dataset, general.seed)?;
        let found = {
            let _progress = Progress::start(output, "explaining");
            self.find(&model, at, &dataset, rows, &kinship, general.seed)
        };
        if let Some(path) = &self.csv {
            write_whole(path, found.csv().as_bytes())?;
        }
        output.result(|| found.text(), || found.json())?;
        Ok(Outcome::Done)
    }

    /// The graphs that were asked for: by name, by part, else all.
    fn rows(&self, dataset: &Dataset, seed: u64) -> Result<Vec<usize>, Failure> {
        let part = self.input.part().unwrap_or(Part::All);
        let all: Vec<usize> = if part == Part::All && !self.input.has_split() {
            (0..dataset.len()).collect()
        } else {
            self.input.split_of(dataset, seed)?.part(part)
        };
        if self.graph.is_empty() {
            return Ok(all);
        }
        let find = |id: &String| {
            let missing = || Failure::usage("--graph", format!("--graph must name a graph of the data, got {id}"));
            all.iter().copied().find(|&row| dataset.ids[row] == *id).ok_or_else(missing)
        };
        self.graph.iter().map(find).collect()
    }

    fn find<'a>(
        &'a self,
        model: &'a Model,
        at: usize,
        dataset: &'a Dataset,
        rows: Vec<usize>,
        kinship: &Kinship,
        seed: u64,
    ) -> Found<'a> {
        let scale = if self.output == What::Probability { Scale::Probability } else { Scale::Logit };
        let (game, all) = Game::about(model, at, scale, dataset);
        let width = game.players();
        let pick = |rows: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|&row| all[row * width..(row + 1) * width].iter().copied()).collect()
        };
        let table = pick(&rows);
        let mut found = Found {
            options: self,
            model,
            entry: at,
            dataset,
            names: names(model, at, game.players()),
            quantities: game.quantities().to_vec(),
            rows,
            table,
            whys: Vec::new(),
            trees: Vec::new(),
            importance: Vec::new(),
            warnings: kinship.sentences().cloned().collect(),
        };
        match self.method {
            Method::Shapley => {
                let baseline = match self.baseline {
                    Which::Absent => Baseline::Absent,
                    Which::Background => {
                        let training: Vec<usize> =
                            (0..dataset.len()).filter(|&row| kinship.parts[row] == Some(Part::Train)).collect();
                        let usual = if training.is_empty() { (0..dataset.len()).collect() } else { training };
                        Baseline::Background(Background::new(&pick(&usual), usual.len(), self.background.max(1), seed))
                    }
                };
                let options = shapley::Options {
                    baseline,
                    exact_up_to: self.exact_up_to,
                    orders: self.orders,
                    interactions: self.interactions,
                    seed,
                };
                let explained = shapley::explain(&game, &found.table, found.rows.len(), &options);
                found.whys = (0..found.rows.len()).map(|row| Why::from(explained.row(row))).collect();
            }
            Method::Lime => {
                let options = lime::Options { seed, ..lime::Options::default() };
                for row in 0..found.rows.len() {
                    let line = lime(&game, &found.table[row * width..(row + 1) * width], &options);
                    found.whys.push(Why {
                        output: line.output,
                        base: line.base,
                        values: line.values,
                        errors: None,
                        interactions: None,
                    });
                }
            }
            Method::Tree | Method::Forest => {
                let answers = Answers::new(&game, &all, dataset.len());
                found.imitate(&answers, self.method, self.depth, seed);
            }
        }
        found
    }
}

impl From<&shapley::Shares> for Why {
    fn from(shares: &shapley::Shares) -> Self {
        Self {
            output: shares.output.clone(),
            base: shares.base.clone(),
            values: shares.values.clone(),
            errors: shares.errors.clone(),
            interactions: shares.interactions.clone(),
        }
    }
}

impl Found<'_> {
    /// Trees that imitate every task, and what their questions add for each graph.
    fn imitate(&mut self, answers: &Answers<'_>, method: Method, depth: usize, seed: u64) {
        let players = self.names.len();
        let width = self.model.entries[self.entry].iterate.patterns.len();
        let mut forests: Vec<Forest> = Vec::new();
        for task in 0..self.model.tasks.len() {
            if method == Method::Tree {
                self.trees.push(answers.tree(task, depth));
            } else {
                let forest = answers.forest(task, &ForestParams { seed, ..ForestParams::default() });
                self.importance.push(forest.importance(width));
                forests.push(forest);
            }
        }
        self.quantities = show::answers_of(self.model, method == Method::Tree);
        for at in 0..self.rows.len() {
            let row = &self.table[at * players..][..width];
            let of_task: Vec<Why> = (0..self.model.tasks.len())
                .map(|task| match method {
                    Method::Tree => show::way(&self.trees[task].tree, row),
                    _ => show::mean_way(&forests[task], row),
                })
                .collect();
            self.whys.push(show::join(&of_task, width));
        }
        self.names.truncate(width);
        self.table = self.table.chunks(players.max(1)).flat_map(|row| row[..width].to_vec()).collect();
    }
}

/// Names of the players of an entry: patterns, where a name that occurs again gets a number, and what is read besides them.
fn names(model: &Model, at: usize, players: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for pattern in &model.entries[at].iterate.patterns {
        let name = model.names().draw(&pattern.code);
        let before = names.iter().filter(|known| **known == name || known.starts_with(&format!("{name} #"))).count();
        names.push(if before == 0 { name } else { format!("{name} #{}", before + 1) });
    }
    if names.len() < players {
        names.extend(model.name_beside().map(|name| format!("({name})")));
    }
    names
}
