//! `einsicht mine`: all frequent connected subgraphs.

mod listing;
mod report;
mod watch;

use crate::args::General;
use crate::args::values::{Bytes, MinSupport, PatternFeature, duration};
use crate::args::{Input, skipping};
use crate::failure::{Failure, Outcome};
use crate::io::interrupt::{self, Interrupts, StopReason};
use crate::io::json_lines_file::JsonLinesFile;
use crate::io::output::Output;
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::Dataset;
use einsicht::data::read::TargetChoice;
use einsicht::data::{QualifierChoice, Qualifiers};
use einsicht::graph::mine::{
    Condense, MineError, MineOutcome, MineParams, PatternListBuilder, Tally, Visitor, condense, mine,
};
use einsicht::graph::stop;
use einsicht::memory;
use listing::Listing;
use report::Report;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use watch::{Seen, Watched};

/// Mine all frequent connected subgraphs, exactly.
///
/// A pattern is a connected labelled graph; its support is the number of graphs that contain it (subgraph isomorphism).
/// Patterns are listed by decreasing support, then by increasing size, then by DFS code.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht mine MUTAG --max-edges 8 --min-support 10%
  einsicht mine BZR --max-edges 10 --count
  einsicht mine tox21.csv --min-support 5% --closed -o patterns.jsonl
  einsicht match patterns.jsonl other.csv")]
pub(crate) struct Mine {
    /// Minimum number of edges of a pattern: 0 also lists single vertices.
    #[arg(long, value_name = "0|1", default_value_t = 1)]
    min_edges: usize,
    /// Vertex properties that a pattern may require: auto, none, names of properties, or a file (see docs/formats.md).
    #[arg(long, value_name = "auto|none|LIST|FILE", default_value_t = QualifierChoice::None)]
    qualifiers: QualifierChoice,
    /// Maximum number of qualifiers of a pattern, if --qualifiers allows any.
    #[arg(long, value_name = "N", default_value_t = 2)]
    max_qualifiers: usize,
    /// Maximum number of edges of a pattern with qualifiers [default: that of --max-edges].
    #[arg(long, value_name = "M")]
    max_qualified_edges: Option<usize>,
    /// Maximum number of edges of a pattern, at most 31.
    #[arg(long, value_name = "M", default_value_t = 6)]
    max_edges: usize,
    /// Minimum support: a number of graphs, or a percentage like 5%.
    #[arg(long, value_name = "N|N%", default_value = "1")]
    min_support: MinSupport,
    /// Output file: one JSON line per pattern, with its support and the graphs that contain it; '-' for stdout.
    #[arg(short, long, value_name = "FILE", conflicts_with = "count")]
    output: Option<PathBuf>,
    /// Only count the patterns, which is fastest because none is stored.
    #[arg(long, conflicts_with = "top")]
    count: bool,
    /// Print, and write with -o, only the N patterns with the largest support [default: print 20, write all].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Only closed patterns: those that are not part of a larger pattern within --max-edges with the same support.
    ///
    /// A pattern with qualifiers is closed if its support differs from that of every pattern with one more edge and the
    /// same qualifiers, and of every pattern with one qualifier fewer.
    #[arg(long)]
    closed: bool,
    /// Only maximal patterns: those that are not part of a larger frequent pattern within --max-edges.
    #[arg(long, conflicts_with = "closed")]
    maximal: bool,
    /// Value of a pattern in a graph: its presence, its count, or its minimum-image (MNI) count.
    #[arg(long, value_name = "WHAT", default_value = "presence")]
    feature: PatternFeature,
    /// Time limit, such as 30s, 5m or 1h; if it is reached, the result is incomplete (exit status 3).
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// Memory limit, such as 500M or 2G [default: three quarters of the available memory].
    ///
    /// With this option, embeddings that do not fit are recomputed when needed. If that is not enough, the result is
    /// incomplete (exit status 3).
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    #[command(flatten)]
    input: Input,
}

/// The outcome of the mining.
struct MineRun {
    mined: MineOutcome,
    stopped_by: Option<StopReason>,
    seconds: f64,
}

impl Mine {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let inputs = self.input.files();
        self.output.iter().try_for_each(|path| guard("--output", path, OutputKind::Patterns, &inputs, output))?;
        let defaults = skipping(TargetChoice::Nothing);
        let dataset = self.qualified(self.input.read_part(defaults, general.seed, output)?)?;
        let params = self.params(&dataset);
        // Before the long work, so that a bad path is reported at once.
        let file = self.output.as_deref().map(JsonLinesFile::create).transpose()?;
        let start = Instant::now();
        let (mut run, listing, tally) = if self.count && self.condense().is_none() {
            let (run, tally) = self.walk(Tally::default(), &dataset, &params, output)?;
            (run, None, tally)
        } else {
            let (run, gather) = self.walk(PatternListBuilder::default(), &dataset, &params, output)?;
            let list = gather.finish();
            let kept = self.condense().map(|which| {
                let _progress = Progress::start(output, "comparing patterns");
                condense(&list, which)
            });
            let listing = Listing::new(list, kept.as_deref(), self.top);
            let tally = listing.tally;
            (run, Some(listing), tally)
        };
        run.seconds = start.elapsed().as_secs_f64();
        warn_of_edgeless(&dataset, output);
        if let (Some(listing), Some(file)) = (&listing, file) {
            file.write(listing.lines(&dataset))?;
        }
        let listing = listing.as_ref().filter(|_| !self.count);
        let report = Report { command: self, dataset: &dataset, params: &params, run: &run, tally: &tally, listing };
        output.result(|| report.text(), || report.document())?;
        if tally.patterns == 0 && run.mined.complete {
            output.say(&nothing_found(&dataset, params.min_support));
        }
        let memory = memory::peak().map_or(String::new(), |peak| format!(", {}", Bytes(peak).rounded()));
        output.say(&format!("{:.2} s{memory}", run.seconds));
        Ok(match run.stopped_by {
            None => Outcome::Done,
            Some(StopReason::Signal(code)) => Outcome::Interrupted(code),
            Some(_) => Outcome::Incomplete,
        })
    }

    /// The data with the properties that patterns may require.
    fn qualified(&self, dataset: Dataset) -> Result<Dataset, Failure> {
        Qualifiers::chosen_for(dataset, &self.qualifiers)
            .map_err(|error| Failure::usage("--qualifiers", error.to_string()))
    }

    fn params(&self, dataset: &Dataset) -> MineParams {
        MineParams {
            min_edges: self.min_edges,
            max_qualifiers: self.max_qualifiers,
            max_qualified_edges: self.max_qualified_edges.unwrap_or(self.max_edges),
            max_edges: self.max_edges,
            min_support: self.min_support.of(dataset.len()),
            counts: self.feature.counts(),
            memory: self.memory.inspect(|Bytes(bytes)| interrupt::guard().limit(*bytes)).map(|Bytes(bytes)| bytes),
            threads: rayon::current_num_threads(),
            ..MineParams::default()
        }
    }

    fn condense(&self) -> Option<Condense> {
        match (self.closed, self.maximal) {
            (_, true) => Some(Condense::Maximal),
            (true, false) => Some(Condense::Closed),
            (false, false) => None,
        }
    }

    /// Visits the patterns, showing progress, until the end or a reason to stop.
    fn walk<V: Visitor>(
        &self,
        visitor: V,
        dataset: &Dataset,
        params: &MineParams,
        output: &Output,
    ) -> Result<(MineRun, V), Failure> {
        let seen = Arc::new(Seen::default());
        let start = Instant::now();
        let shown = Arc::clone(&seen);
        let _progress = Progress::with_status(output, "mining", move || {
            let (patterns, seconds) = (shown.patterns(), start.elapsed().as_secs_f64());
            let memory = memory::now().map_or(String::new(), |bytes| format!(", {}", Bytes(bytes).rounded()));
            format!("mining: {patterns} patterns, {:.0}/s, {} edges{memory}", patterns as f64 / seconds, shown.depth())
        });
        let mut watched = Watched::new(visitor, &seen, self.time_limit.is_some());
        let signals = Interrupts::listen_until(self.time_limit);
        let mined = signals.limited(|| mine(&dataset.graphs, params, &mut watched));
        // Mining stops itself; a stop beyond it, of the visitor, has no result.
        let mined = mined.unwrap_or_else(|stopped| stop::resume(Box::new(stopped)));
        let mined = mined.map_err(|error| failure(&error))?;
        // A signal or limit at the very end did not stop it.
        let stopped_by = signals.stop_reason().filter(|_| !mined.complete);
        if let Some(reason @ StopReason::MemoryLimit) = stopped_by {
            output.say(&reason.to_string());
        }
        Ok((MineRun { mined, stopped_by, seconds: 0.0 }, watched.visitor))
    }
}

/// The option behind an error of the miner.
pub(super) fn failure(error: &MineError) -> Failure {
    match error {
        MineError::MaxEdges { largest, got } => {
            Failure::usage("--max-edges", format!("--max-edges must be from 1 to {largest}, got {got}"))
        }
        MineError::MinEdges { got } => Failure::usage("--min-edges", format!("--min-edges must be 0 or 1, got {got}")),
        MineError::MinSupport { graphs, got } => Failure::usage(
            "--min-support",
            format!("--min-support must be from 1 to the number of graphs ({graphs}), got {got}"),
        ),
        MineError::BudgetTooSmall { smallest, got } => Failure::memory(*smallest, *got),
        other => Failure::usage("DATA", other.to_string()),
    }
}

fn warn_of_edgeless(dataset: &Dataset, output: &Output) {
    let edgeless = dataset.graphs.iter().filter(|graph| graph.num_edges() == 0).count();
    if 0 < edgeless && edgeless < dataset.len() {
        output.say(&format!("warning: {edgeless} of {} graphs have no edge, so no pattern", dataset.len()));
    }
}

/// Why there is no pattern, and what to change.
fn nothing_found(dataset: &Dataset, min_support: usize) -> String {
    let mut best = Largest(0);
    let edges = MineParams { max_edges: 1, ..MineParams::default() };
    // The parameters are the smallest that there are.
    let _ = mine(&dataset.graphs, &edges, &mut best);
    match best.0 {
        0 => format!("nothing found: none of the {} graphs has an edge", dataset.len()),
        best => format!(
            "nothing found: the most frequent edge is in {best} of {} graphs, so lower --min-support from \
             {min_support} \
             to {best} or less",
            dataset.len()
        ),
    }
}

struct Largest(usize);

impl Visitor for Largest {
    fn visit(&mut self, found: &einsicht::graph::mine::VisitedPattern<'_>) -> einsicht::graph::mine::MineControl {
        self.0 = self.0.max(found.graphs.len());
        einsicht::graph::mine::MineControl::Grow
    }

    fn fork(&self) -> Self {
        Self(0)
    }

    fn join(&mut self, later: Self) {
        self.0 = self.0.max(later.0);
    }
}
