//! `einsicht split`: training, validation and test sets in a file.

use crate::args::splitting::SchemeOptions;
use crate::args::{General, Input, skipping};
use crate::failure::{Failure, Outcome};
use crate::io::file::{output_name, write_whole};
use crate::io::output::{Output, counted, table};
use crate::io::output_guard::{OutputKind, guard};
use clap::Args;
use einsicht::Dataset;
use einsicht::data::read::TargetChoice;
use einsicht::data::split::{PlannedSplits, Scheme, SplitPlan, split_file};
use einsicht::data::{Part, Split};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Split a data set into training, validation and test sets.
///
/// Writes the row numbers of each set of each trial to a file for --splits. With folds, each graph is in the test set
/// once per repeat. Isomorphic graphs always stay in the same set. Graphs without a target value are in no set.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht split MUTAG -o splits.json
  einsicht split bace.csv --target Class --scheme scaffold -o splits.json
  einsicht split assay.csv --target active --group series -o splits.json
  einsicht experiment bace.csv --target Class --splits splits.json")]
pub(crate) struct MakeSplits {
    /// Output file; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    scheme: SchemeOptions,
    /// Number of folds; each is the test set of one trial [default: 5 for kfold; other schemes draw one trial per
    /// repeat].
    #[arg(long, value_name = "N", help_heading = "Split options", conflicts_with = "test")]
    folds: Option<usize>,
    /// Fraction of the graphs in the validation set [default: 0.2; 0 with folds].
    #[arg(long, value_name = "FRACTION", help_heading = "Split options", allow_negative_numbers = true)]
    valid: Option<f64>,
    /// Fraction of the graphs in the test set [default: 0.2; with folds, one fold].
    #[arg(long, value_name = "FRACTION", help_heading = "Split options", allow_negative_numbers = true)]
    test: Option<f64>,
}

impl MakeSplits {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        guard("--output", &self.output, OutputKind::Splits, &self.input.files(), output)?;
        let plan = self.plan(general.seed)?;
        let defaults = skipping(TargetChoice::Usual);
        let dataset = self.input.read_part(defaults, general.seed, output)?;
        let made = self.scheme.splits(&plan, &self.input, &dataset)?;
        write_whole(&self.output, split_file(&dataset, &made.splits).as_bytes())?;
        output.result(|| self.text(&dataset, &plan, &made), || self.document(&plan, &made))?;
        Ok(Outcome::Done)
    }

    fn plan(&self, seed: u64) -> Result<SplitPlan, Failure> {
        let mut plan = self.scheme.plan(seed)?;
        if self.folds.is_some() {
            plan.folds = self.folds;
            plan.fractions.valid = 0.0;
        }
        if let (Some(_), Some(folds)) = (self.test, plan.folds) {
            let error = format!("--test excludes folds: each of the {folds} folds is a test set");
            return Err(Failure::usage("--test", error));
        }
        plan.fractions.valid = self.valid.unwrap_or(plan.fractions.valid);
        plan.fractions.test = self.test.unwrap_or(plan.fractions.test);
        plan.check()?;
        Ok(plan)
    }

    fn text(&self, dataset: &Dataset, plan: &SplitPlan, made: &PlannedSplits) -> String {
        let used = made.splits.first().map_or(0, |split| split.part(Part::All).len());
        let left = dataset.len() - used;
        let unused = if left > 0 { format!("; {left} without a value of a target in no set") } else { String::new() };
        let groups = match plan.scheme {
            Scheme::Random | Scheme::Stratified | Scheme::Kfold => format!(", {} of them distinct", made.groups),
            scheme => {
                format!(" in {} {}, the largest with {}", made.groups, scheme.unit(), counted(made.largest, "graph"))
            }
        };
        let head = format!("{}: {}{groups}{unused}\n", dataset.name, counted(used, "graph"));
        let row = |(at, split): (usize, &Split)| {
            [at, split.train.len(), split.valid.len(), split.test.len()].map(|count| count.to_string()).to_vec()
        };
        let rows: Vec<Vec<String>> = made.splits.iter().enumerate().map(row).collect();
        let table = table(&["trial", "training", "validation", "test"], &rows, 0);
        format!("{head}\n{table}\nsplits written to {}\n", output_name(&self.output))
    }

    fn document(&self, plan: &SplitPlan, made: &PlannedSplits) -> Value {
        let trial =
            |split: &Split| json!({ "train": split.train.len(), "valid": split.valid.len(), "test": split.test.len() });
        json!({
            "splits": self.output,
            "scheme": plan.scheme.word(),
            "folds": plan.folds,
            "repeats": plan.repeats,
            "seed": plan.seed,
            "groups": made.groups,
            "largest_group": made.largest,
            "trials": made.splits.iter().map(trial).collect::<Vec<_>>(),
        })
    }
}
