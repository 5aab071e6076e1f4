//! `einsicht show`: the content of a model.

use super::tables::{path_point, path_table, pattern_table, patterns_of};
use super::train::deviations;
use crate::failure::{Failure, Outcome};
use crate::io::model_file::{entry, load};
use crate::io::output::{Output, counted};
use clap::Args;
use einsicht::Model;
use einsicht::learn::gnn::{Gnn, Summary};
use einsicht::learn::task::TaskKind;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Show the content of a model: subgraphs, weights, path and parameters.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht show mutag.einsicht
  einsicht show mutag.einsicht --size 5
  einsicht show mutag.einsicht --json")]
pub(crate) struct Show {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Size of the model to show [default: the chosen one].
    #[arg(long, value_name = "S")]
    size: Option<usize>,
}

impl Show {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let whole = serde_json::to_value(model.document()).map_err(|error| Failure::file(&self.model, error))?;
        output.result(|| text(&model, at), || document(whole, &model))?;
        Ok(Outcome::Done)
    }
}

fn text(model: &Model, at: usize) -> String {
    let mut text = String::new();
    for task in &model.tasks {
        text += &match &task.kind {
            TaskKind::Classes(names) => format!("predicts {}: one of {}\n", task.name, names.join(", ")),
            TaskKind::Number { mean, scale } => {
                format!("predicts {}: a number (mean {mean:.4}, standard deviation {scale:.4})\n", task.name)
            }
        };
    }
    let (rows, params) = (&model.rows, &model.params);
    text += &format!(
        "{} training graphs, {} validation graphs, seed {}\n",
        rows.train.len(),
        rows.valid.len(),
        params.seed
    );
    text += &format!("{}\n", params.summary_line());
    text += &format!("at most {} edges, {} hidden units\n", params.max_edges, params.hidden);
    if params.gnn != Gnn::None {
        let rounds = if params.gnn_rounds == 1 { "round" } else { "rounds" };
        let (number, units) = (params.gnn_rounds, params.gnn_units);
        text += &format!("a graph neural network of {number} {rounds} and {units} units beside the subgraphs\n");
    }
    if let Some(name) = model.name_beside().filter(|_| params.summary != Summary::None) {
        text += &format!("a {name} beside the subgraphs\n");
    }
    if !model.complete {
        text += "incomplete: the training was stopped before the end of the path\n";
    }
    text += "\n";
    text += &path_table(model);
    let entry = &model.entries[at];
    text += &format!("\n{}, {}\n\n", path_point(entry), counted(entry.iterate.patterns.len(), "subgraph"));
    text += &pattern_table(model, entry);
    let names = model.names();
    let chemical: Vec<String> = patterns_of(model, entry)
        .filter_map(|(p, _)| names.smarts(&p.code).map(|smarts| format!("{}  {smarts}\n", names.draw(&p.code))))
        .collect();
    if !chemical.is_empty() {
        text += &format!("\nSMARTS\n{}", chemical.concat());
    }
    let qualified = patterns_of(model, entry).filter(|(p, _)| !p.code.qualifiers().is_empty());
    let in_words: Vec<String> =
        qualified.map(|(p, _)| format!("{}  {}\n", names.draw(&p.code), names.words(&p.code))).collect();
    if !in_words.is_empty() {
        text += &format!("\nin words\n{}", in_words.concat());
    }
    text
}

/// The model's own JSON, with its deviations from the preset, and each pattern also on one line, in words and as SMARTS.
fn document(mut whole: Value, model: &Model) -> Value {
    whole["deviations"] = deviations(&model.params).into();
    if let Some(patterns) = whole["patterns"].as_array_mut() {
        for (value, pattern) in patterns.iter_mut().zip(&model.patterns) {
            value["text"] = json!(model.names().draw(&pattern.code));
            value["words"] = json!(model.names().words(&pattern.code));
            value["smarts"] = json!(model.names().smarts(&pattern.code));
        }
    }
    whole
}
