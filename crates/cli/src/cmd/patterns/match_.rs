//! `einsicht match`: which graphs contain which patterns.

use crate::args::General;
use crate::args::model_file::read_defaults;
use crate::args::values::PatternFeature;
use crate::args::{Input, skipping};
use crate::failure::{Failure, Outcome};
use crate::io::json_lines_file::JsonLinesFile;
use crate::io::output::{Output, table};
use crate::io::output_guard::{OutputKind, guard};
use crate::io::pattern_file::PatternFile;
use crate::io::progress::Progress;
use clap::Args;
use einsicht::data::patterns::NamedPattern;
use einsicht::data::read::TargetChoice;
use einsicht::data::{QualifierChoice, Qualifiers};
use einsicht::graph::DfsCode;
use einsicht::graph::matching::{CountSet, PatternSet};
use einsicht::model::QualifyError;
use einsicht::{Dataset, Graph, Model};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Find which graphs contain which patterns.
///
/// Matching is exact subgraph isomorphism: a graph contains a pattern if one of its subgraphs has the same vertices,
/// edges and labels.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht match patterns.jsonl MUTAG
  einsicht match mutag.einsicht MUTAG -o where.jsonl
  einsicht match groups.gspan tox21.csv -o where.jsonl --json
  einsicht match patterns.jsonl BZR --feature count -o counts.jsonl")]
pub(crate) struct Match {
    /// Patterns: lines written by `mine -o` or `match -o`, a t/v/e file of connected graphs, or a model (its
    /// subgraphs).
    #[arg(value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Output file: one JSON line per pattern, with the graphs that contain it; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Value of a pattern in a graph: its presence, its count, or its minimum-image (MNI) count.
    #[arg(long, value_name = "WHAT", default_value = "presence")]
    feature: PatternFeature,
    #[command(flatten)]
    input: Input,
}

/// The graphs that contain one pattern.
#[derive(Clone, Debug, Default)]
struct Matches {
    graphs: Vec<u32>,
    /// One per graph, with counts.
    counts: Vec<u32>,
}

impl Match {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let inputs = self.input.files_and([&self.patterns]);
        self.output.iter().try_for_each(|path| guard("--output", path, OutputKind::Patterns, &inputs, output))?;
        let PatternFile { patterns, model } = PatternFile::read(&self.patterns)?;
        let plain = skipping(TargetChoice::Nothing);
        let mut defaults = model.as_ref().map_or(plain, |model| read_defaults(model, TargetChoice::Nothing));
        defaults.features.clear(); // matching reads the graphs alone
        let dataset = self.input.read_part(defaults, general.seed, output)?;
        let dataset = qualified(dataset, &patterns, model.as_ref())?;
        // Before the long work, so that a bad path is reported at once.
        let file = self.output.as_deref().map(JsonLinesFile::create).transpose()?;
        let (known, graphs) = bind(&patterns, model.as_ref(), &dataset, output);
        let start = Instant::now();
        let found = {
            let _progress = Progress::start(output, "matching");
            self.find(patterns.len(), &known, &graphs, &dataset.graphs)
        };
        let seconds = start.elapsed().as_secs_f64();
        if let Some(file) = file {
            file.write(patterns.iter().zip(&found).map(|(pattern, found)| self.line(pattern, found, &dataset)))?;
        }
        let matches: usize = found.iter().map(|found| found.graphs.len()).sum();
        let pairs = patterns.len() * dataset.len();
        output.result(
            || {
                let mut text = summary(&known, &graphs, &found, &dataset);
                text += &format!("{matches} matches in {pairs} pairs, {seconds:.3} s\n");
                text
            },
            || {
                json!({
                    "patterns": patterns.len(),
                    "graphs": dataset.len(),
                    "pairs": pairs,
                    "matches": matches,
                    "unknown": patterns.len() - known.len(),
                    "seconds": seconds,
                })
            },
        )?;
        Ok(Outcome::Done)
    }

    /// `graphs` are the patterns whose labels are known, and `known` their positions among all.
    fn find(&self, len: usize, known: &[usize], graphs: &[Graph], data: &[Graph]) -> Vec<Matches> {
        let connected = "patterns are checked when they are read";
        let mut found = vec![Matches::default(); len];
        match self.feature {
            PatternFeature::Presence => {
                let all = PatternSet::from_graphs(graphs).expect(connected).match_all(data);
                for (graph, present) in all.iter().enumerate() {
                    for &pattern in present {
                        found[known[pattern as usize]].graphs.push(graph as u32);
                    }
                }
            }
            PatternFeature::Count | PatternFeature::Mni => {
                let all = CountSet::from_graphs(graphs, self.feature.counts()).expect(connected).count_all(data);
                for (graph, counts) in all.iter().enumerate() {
                    for (pattern, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                        found[known[pattern]].graphs.push(graph as u32);
                        found[known[pattern]].counts.push(count);
                    }
                }
            }
        }
        found
    }

    fn line(&self, pattern: &NamedPattern, found: &Matches, dataset: &Dataset) -> Value {
        let ids: Vec<&str> = found.graphs.iter().map(|&graph| dataset.ids[graph as usize].as_str()).collect();
        let mut line = json!({ "pattern": pattern, "support": ids.len(), "graphs": ids });
        if self.feature != PatternFeature::Presence {
            line["counts"] = json!(found.counts);
        }
        line
    }
}

/// The data with the properties that the patterns name: those of the model, or what suits the data.
fn qualified(dataset: Dataset, patterns: &[NamedPattern], model: Option<&Model>) -> Result<Dataset, Failure> {
    let source = dataset.source.clone();
    let apply = || -> Result<Dataset, QualifyError> {
        match model {
            Some(model) => model.qualify(dataset),
            None if patterns.iter().any(NamedPattern::is_qualified) => {
                Ok(Qualifiers::settle(&dataset, &QualifierChoice::Auto)?.apply(dataset)?)
            }
            None => Ok(dataset),
        }
    };
    apply().map_err(|error| Failure::file(&source, error))
}

/// The patterns in the labels of the data, with their positions; warns of patterns with other labels. Those of a model
/// are found where the model finds them when it predicts.
fn bind(
    patterns: &[NamedPattern],
    model: Option<&Model>,
    dataset: &Dataset,
    output: &Output,
) -> (Vec<usize>, Vec<Graph>) {
    const SHOWN_WARNINGS: usize = 5;
    let (mut known, mut graphs, mut unknown) = (Vec::new(), Vec::new(), 0);
    let of_model = model.map(|model| model.codes_in(&model.best().iterate, dataset));
    for (at, pattern) in patterns.iter().enumerate() {
        let by_name = dataset.names().bind(pattern);
        let (graph, why) = match &of_model {
            None => (by_name.as_ref().ok().cloned(), by_name.err()),
            Some(codes) => (codes[at].as_ref().map(DfsCode::to_graph), by_name.err()),
        };
        if let Some(graph) = graph {
            known.push(at);
            graphs.push(graph);
            continue;
        }
        unknown += 1;
        if unknown <= SHOWN_WARNINGS {
            let label = why.map_or_else(|| "a label".to_owned(), |label| label.to_string());
            output.say(&format!(
                "warning: pattern {} matches nothing: it has {label}, which {} does not have",
                at + 1,
                dataset.name
            ));
        }
    }
    if unknown > SHOWN_WARNINGS {
        output
            .say(&format!("warning: {} more patterns have labels that the data do not have", unknown - SHOWN_WARNINGS));
    }
    (known, graphs)
}

fn summary(known: &[usize], graphs: &[Graph], found: &[Matches], dataset: &Dataset) -> String {
    const SHOWN: usize = 20;
    let mut drawings = vec!["(unknown label)".to_owned(); found.len()];
    for (&at, graph) in known.iter().zip(graphs).take_while(|&(&at, _)| at < SHOWN) {
        drawings[at] = dataset.names().one_line(graph);
    }
    let rows = found.iter().zip(drawings).take(SHOWN).enumerate().map(|(at, (found, drawing))| {
        let percent = 100.0 * found.graphs.len() as f64 / dataset.len() as f64;
        vec![drawing, (at + 1).to_string(), found.graphs.len().to_string(), format!("{percent:.1} %")]
    });
    let mut text = table(&["pattern", "number", "graphs", "percent"], &rows.collect::<Vec<_>>(), 1);
    if found.len() > SHOWN {
        text += &format!("and {} more patterns\n", found.len() - SHOWN);
    }
    text
}
