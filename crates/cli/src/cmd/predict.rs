//! `einsicht predict`: what a model says about graphs, part by part, in memory that does not depend on their number.

mod rows;
mod sink;

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::model::{check, entry, load, unless};
use crate::options::General;
use crate::output::Output;
use crate::progress::Progress;
use clap::Args;
use einsicht::data::read::{ReadOptions, Shard, Stream, TargetChoice};
use einsicht::{Dataset, Model};
use sink::Sink;
use std::path::{Path, PathBuf};

/// Rows that are predicted together.
const PART: usize = 1024;
/// Rows left out that are told one by one; with `-v` all are.
const TOLD: usize = 10;

/// Predict with a model, and be warned where it knows too little.
///
/// A table of any length is predicted in the same memory: it is read and written part by part, in order. DATA may be `-`,
/// standard input (then --format says what comes), and so may the table, standard output. A graph that cannot be read
/// is told and left out, or ends the run with --on-bad stop; what came before it is written.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht predict mutag.einsicht new.smi
  einsicht predict bace.einsicht library.csv.gz -o predictions.csv
  zcat library.smi.gz | einsicht predict bace.einsicht - --format smi -o - | gzip > predictions.csv.gz
  einsicht predict bace.einsicht library.csv --shard 2/4 -o part2.csv
  einsicht predict bzr.einsicht BZR --split BZR.json --part test --size 5 --json")]
pub(crate) struct Predict {
    /// The model.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    input: Input,
    /// Write a table with one row a graph; '-' is standard output. Until it is complete it is called CSV.partial.
    #[arg(short, long, value_name = "CSV")]
    output: Option<PathBuf>,
    /// Use the model of this size instead of the chosen one.
    #[arg(long, value_name = "S")]
    size: Option<usize>,
    /// Predict every N-th row only, from the I-th on, so that N runs share the work.
    #[arg(long, value_name = "I/N", value_parser = |word: &str| word.parse::<Shard>())]
    shard: Option<Shard>,
}

impl Predict {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let model = load(&self.model)?;
        let at = entry(&model, self.size)?;
        let options = ReadOptions { shard: self.shard, ..self.input.options(unless(&model, TargetChoice::Nothing)) };
        let mut source = self.source(&model, &options, general, output)?;
        let mut sink = Sink::new(&model, self.output.as_deref(), output)?;
        let progress = Progress::start(output, "predicting");
        let told = predict(&model, at, &mut source, &mut sink, output);
        drop(progress);
        if let Err(failure) = told {
            return Err(sink.give_up(failure));
        }
        let totals = &sink.totals;
        if totals.skipped > 0 {
            output.say(&format!("skipped {} of {} rows", totals.skipped, totals.skipped + totals.graphs));
        }
        for (count, what) in [
            (totals.unknown_labels, "have labels that the model has never seen"),
            (totals.no_pattern, "contain none of its subgraphs"),
        ] {
            if count > 0 {
                output.say(&format!("warning: {count} of {} graphs {what}", totals.graphs));
            }
        }
        sink.finish()?;
        Ok(Outcome::Done)
    }

    fn source<'o>(
        &self,
        model: &Model,
        options: &'o ReadOptions,
        general: &General,
        output: &Output,
    ) -> Result<Source<'o>, Failure> {
        let data = &self.input.data;
        if self.input.asks_for_part() {
            // The parts of a split are known only when all is read.
            let all = self.input.read_part(unless(model, TargetChoice::Nothing), general.seed, output)?;
            let rows: Vec<usize> = (0..all.len()).filter(|&at| options.takes(all.origins[at].row)).collect();
            // Reading has told them already.
            let wanted = Dataset { skipped: Vec::new(), ..all.subset(&rows) };
            return Ok(Source::Read(Some(Box::new(wanted)), all.skipped.len()));
        }
        let stream = if data == Path::new("-") {
            Stream::new(Path::new("standard input"), std::io::stdin(), options)
        } else {
            Stream::open(data, options)
        };
        Ok(Source::Stream(stream?))
    }
}

enum Source<'o> {
    Stream(Stream<'o>),
    /// Read already, with so many rows left out.
    Read(Option<Box<Dataset>>, usize),
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<Dataset>, Failure> {
        match self {
            Self::Stream(stream) => Ok(stream.next_part(PART)?),
            Self::Read(dataset, _) => Ok(dataset.take().map(|dataset| *dataset)),
        }
    }
}

/// Predicts all parts.
fn predict(
    model: &Model,
    entry: usize,
    source: &mut Source<'_>,
    sink: &mut Sink<'_>,
    output: &Output,
) -> Result<(), Failure> {
    if let Source::Read(_, skipped) = source {
        sink.totals.skipped = *skipped;
    }
    while let Some(part) = source.next()? {
        for skipped in &part.skipped {
            let line =
                format!("row {} (line {}) is left out: {}", skipped.origin.row, skipped.origin.line, skipped.reason);
            if sink.totals.skipped < TOLD {
                output.say(&line);
            } else {
                output.detail(&line);
            }
            sink.totals.skipped += 1;
        }
        if !part.is_empty() {
            check(model, &part)?;
            let rows: Vec<usize> = (0..part.len()).collect();
            sink.add(&part, &model.predict(entry, &part, &rows))?;
        }
    }
    Ok(())
}
