//! `einsicht predict`: predictions of a model, in batches, in memory that does not depend on the number of graphs.

mod beside;
pub(super) mod rows;
mod sink;

use crate::args::Input;
use crate::args::model_file::{
    check, entry, load_before, read_defaults, renamed, targets_of_model, warn_of_unfamiliar,
};
use crate::failure::{Failure, Outcome, Problem};
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Progress;
use clap::{Args, ValueEnum};
use einsicht::data::read::{ReadOptions, Shard, Stream, TargetChoice};
use einsicht::data::{Part, Skipped};
use einsicht::model::mostly_foreign;
use einsicht::{Dataset, Label, Model};
use sink::{Sink, Totals};
use std::path::{Path, PathBuf};

/// Rows that are predicted together.
const BATCH: usize = 1024;
/// Skipped rows that are reported one by one; with `-v` all are.
const SHOWN_SKIPS: usize = 10;

/// Predict the targets of new graphs with a model.
///
/// Each row gives the number of vertices with labels not seen in training, the number of the model's subgraphs in the
/// graph, and whether the graph was a training graph; if so, out_of_fold is the prediction of a model that had not seen
/// it. After train --bootstrap, spread is the standard deviation over the resamples: of the predicted number, or of the
/// probability of the class that the resamples favour.
///
/// applicability is the Tanimoto similarity to the nearest training graph, based on the counts of the model's
/// subgraphs: 1 if a training graph has the same counts, 0 if the graph contains none of the model's subgraphs or
/// shares none with a training graph.
///
/// If the model knows no vertex label or no edge label of more than half of the graphs, predict refuses the data: all
/// those graphs would get the same prediction.
///
/// Tables of any length need constant memory: predict reads and writes batches, in order. DATA may be `-` for stdin
/// (with --format), and the output `-` for stdout. A graph that cannot be read is reported and skipped. With --on-bad
/// stop it ends the run, after the predictions before it are written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht predict mutag.einsicht new.smi
  einsicht predict bace.einsicht library.csv.gz -o predictions.csv
  zcat all.smi.gz | einsicht predict bace.einsicht - --format smi -o - > all.csv
  einsicht predict bace.einsicht library.csv --shard 2/4 -o part2.csv
  einsicht predict bzr.einsicht BZR --splits BZR.json --part test --at-size 5")]
pub(crate) struct Predict {
    /// Model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Output table with one row per graph; '-' for stdout. Named CSV.partial until it is complete [default: print the
    /// first 20 rows].
    #[arg(short, long, value_name = "CSV")]
    output: Option<PathBuf>,
    /// Size of the model to use [default: the chosen one].
    #[arg(long, value_name = "S")]
    at_size: Option<usize>,
    /// Predict only every N-th row, starting at row I (from 1), to divide the work among N runs.
    #[arg(long, value_name = "I/N", value_parser = |word: &str| word.parse::<Shard>())]
    shard: Option<Shard>,
    /// What to do if the model knows no vertex label or no edge label of more than half of the graphs.
    #[arg(long, value_name = "HOW", default_value = "stop")]
    foreign: OnForeign,
    #[command(flatten)]
    input: Input,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OnForeign {
    /// Refuse the data.
    Stop,
    /// Predict anyway.
    Predict,
}

impl Predict {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let inputs = self.input.files_and([&self.model]);
        self.output.iter().try_for_each(|path| guard("--output", path, OutputKind::Predictions, &inputs, output))?;
        let model = load_before(&self.model, &self.input.data)?;
        let at = entry(&model, self.at_size)?;
        let picked = targets_of_model(&model, &self.input.target)?;
        // `--target` is about the model.
        let input = self.input.without_targets();
        let options = input.options(read_defaults(&model, TargetChoice::Nothing));
        let options = ReadOptions { shard: self.shard, ..options };
        let mut source = self.source(&model, &options, output)?;
        let mut sink = Sink::new((&model, at), picked, self.output.as_deref(), output)?;
        let progress = Progress::start(output, "predicting");
        let predicted = self.predict(&model, at, &mut source, &mut sink, output);
        drop(progress);
        if let Err(failure) = predicted {
            return Err(sink.give_up(failure));
        }
        let totals = &sink.totals;
        if totals.skipped > 0 {
            output.say(&format!("skipped {} of {} rows", totals.skipped, totals.skipped + totals.graphs));
        }
        warn_of_unfamiliar(totals.graphs, totals.unfamiliar, output);
        if totals.seen > 0 {
            let where_else = if beside::has_out_of_fold(&model, at) {
                "; out_of_fold, in the -o table and in --json, comes from models that had not seen them"
            } else {
                ""
            };
            let (seen, graphs) = (totals.seen, totals.graphs);
            output.say(&format!(
                "warning: {seen} of {graphs} graphs were used in training, so their predictions are closer than \
                 those of new graphs{where_else}"
            ));
        }
        sink.finish()?;
        Ok(Outcome::Done)
    }

    fn source<'o>(&self, model: &Model, options: &'o ReadOptions, output: &Output) -> Result<Source<'o>, Failure> {
        let data = &self.input.data;
        if self.input.asks_for_part() {
            // The sets of a split are known only when all is read.
            let all = self.input.without_targets().read(read_defaults(model, TargetChoice::Nothing), output)?;
            let part = self.input.part().unwrap_or(Part::All);
            let mut rows = self.input.part_of(model, &renamed(model, all.clone())?, part)?;
            rows.retain(|&at| options.takes(all.origins[at].row));
            // Reading has reported them already.
            let wanted = Dataset { skipped: Vec::new(), ..all.subset(&rows) };
            return Ok(Source::Read(Some(Box::new(wanted)), all.skipped.len()));
        }
        let stream = if self.input.is_stdin() {
            Stream::new(Path::new("stdin"), std::io::stdin(), options)
        } else {
            Stream::open(data, options)
        };
        Ok(Source::Stream(stream?))
    }
}

enum Source<'o> {
    Stream(Stream<'o>),
    /// Read already, with this many rows skipped.
    Read(Option<Box<Dataset>>, usize),
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<Dataset>, Failure> {
        match self {
            Self::Stream(stream) => Ok(stream.next_part(BATCH)?),
            Self::Read(dataset, _) => Ok(dataset.take().map(|dataset| *dataset)),
        }
    }
}

impl Predict {
    /// Predicts all batches.
    fn predict(
        &self,
        model: &Model,
        entry: usize,
        source: &mut Source<'_>,
        sink: &mut Sink<'_>,
        output: &Output,
    ) -> Result<(), Failure> {
        if let Source::Read(_, skipped) = source {
            sink.totals.skipped = *skipped;
        }
        let fitted = model.fitted_counts(entry);
        while let Some(part) = source.next()? {
            for skipped in &part.skipped {
                say_skipped(skipped, sink.totals.skipped, output);
                sink.totals.skipped += 1;
            }
            if !part.is_empty() {
                let path = part.source.clone();
                let part = model.qualify(part).map_err(|error| Failure::file(&path, error))?;
                check(model, &part)?;
                let rows: Vec<usize> = (0..part.len()).collect();
                let predictions = model.predict_near(entry, &part, &rows, fitted.as_ref());
                if sink.totals.graphs == 0 {
                    // Before anything is written, as far as the first batch tells.
                    let foreign = predictions.is_foreign.iter().filter(|foreign| **foreign).count();
                    self.check_foreign(&Totals { graphs: part.len(), foreign, ..Totals::default() }, &path, model)?;
                }
                sink.add(&part, &predictions)?;
            }
        }
        self.check_foreign(&sink.totals, &self.input.data, model)
    }

    /// Refuses data that are of another kind than those of the training. Python warns instead: its caller holds the
    /// graphs, and `warnings` can make it an error, while a table may be read long after what was said on the way.
    fn check_foreign(&self, totals: &Totals, path: &Path, model: &Model) -> Result<(), Failure> {
        const SHOWN: usize = 8;
        let Totals { graphs, foreign, .. } = *totals;
        if self.foreign == OnForeign::Predict || !mostly_foreign(foreign, graphs) {
            return Ok(());
        }
        let labels = &model.vertex_labels;
        let mut names: Vec<&str> = (0..labels.len().min(SHOWN) as u32).map(|at| labels.name(Label(at))).collect();
        if labels.len() > SHOWN {
            names.push("...");
        }
        let place = path.display().to_string();
        Err(Failure::Data(Problem {
            error: format!(
                "{place}: the model must know labels of most graphs, but in {foreign} of {graphs} it knows no vertex \
                 label or no edge label; its vertex labels are {}",
                names.join(", ")
            ),
            place: Some(place),
            advice: Some(
                "name the labels of the data with --vertex-names and --edge-names, or predict anyway with \
                 --foreign predict",
            ),
        }))
    }
}

fn say_skipped(skipped: &Skipped, so_far: usize, output: &Output) {
    let line = format!("skipped row {} (line {}): {}", skipped.origin.row, skipped.origin.line, skipped.reason);
    if so_far < SHOWN_SKIPS {
        output.say(&line);
    } else {
        output.detail(&line);
    }
}
