//! `einsicht significant`: the subgraphs that go with a target beyond chance.

use super::mine::failure as mine_failure;
use crate::args::splitting::groups_of;
use crate::args::values::MinSupport;
use crate::args::{General, Input, skipping};
use crate::failure::{Failure, Outcome, Problem};
use crate::io::interrupt::Interrupts;
use crate::io::json_lines_file::JsonLinesFile;
use crate::io::output::{Layout, Output, counted, layout, screen_width};
use crate::io::output_guard::{OutputKind, guard};
use crate::io::progress::Progress;
use clap::Args;
use einsicht::associations::{Associations, Question};
use einsicht::data::read::TargetChoice;
use einsicht::data::{QualifierChoice, Qualifiers};
use einsicht::graph::stop;
use einsicht::significance::{Finding, Significance, SignificanceError, Strata};
use einsicht::{Dataset, Target, TargetValues};
use std::path::PathBuf;

/// Findings shown on the terminal.
const SHOWN: usize = 20;

/// Find the subgraphs that go with a target beyond chance.
///
/// p-values are corrected for all subgraphs that were searched. Each group of subgraphs in the same graphs is tested
/// (classes: exact hypergeometric test; numbers: standardised sum) and compared with the most extreme one under
/// permuted targets (Westfall and Young, step-down). A subgraph is listed if its adjusted p-value is at most --alpha:
/// the chance that any listed one is a false discovery is then at most --alpha. This says that the subgraph and the
/// target go together, not that one causes the other.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht significant MUTAG
  einsicht significant bace.csv --target Class --max-edges 5 -o found.jsonl
  einsicht significant tox21.csv --target NR-AhR --strata scaffold
  einsicht significant esol.csv --target logS --strata size --permutations 1000")]
pub(crate) struct Significant {
    /// Maximum number of edges of a subgraph, at most 31.
    #[arg(long, value_name = "M", default_value_t = 6)]
    max_edges: usize,
    /// Minimum number of edges of a subgraph: 0 also tests single vertices.
    #[arg(long, value_name = "0|1", default_value_t = 0)]
    min_edges: usize,
    /// Smallest number of graphs with a subgraph, or a percentage like 5%.
    ///
    /// Subgraphs that are too rare to be significant are left out in any case.
    #[arg(long, value_name = "N|N%", default_value = "1")]
    min_support: MinSupport,
    /// Properties of vertices of which a subgraph may require one: auto, none, or names of properties.
    #[arg(long, value_name = "auto|none|LIST", default_value_t = QualifierChoice::None)]
    qualifiers: QualifierChoice,
    /// Largest adjusted p-value of a listed subgraph.
    #[arg(long, value_name = "P", default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// Number of permutations; the smallest p-value is 1 / (N + 1).
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    permutations: u32,
    /// Exchange only graphs of the same stratum: size (about the same number of vertices), scaffold, or the same value
    /// in a column.
    ///
    /// A subgraph that merely says in which stratum a graph is, is then no discovery.
    #[arg(long, value_name = "size|scaffold|COLUMN")]
    strata: Option<String>,
    /// Output file: one JSON line per finding; '-' for stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    input: Input,
}

impl Significant {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let inputs = self.input.files();
        self.output.iter().try_for_each(|path| guard("--output", path, OutputKind::Patterns, &inputs, output))?;
        let defaults = skipping(TargetChoice::Usual);
        let dataset = self.input.read_part(defaults, general.seed, output)?;
        let dataset = Qualifiers::chosen_for(dataset, &self.qualifiers)
            .map_err(|error| Failure::usage("--qualifiers", error.to_string()))?;
        let [target] = &dataset.targets[..] else {
            let error = match dataset.targets.len() {
                0 => "--target must name the column to test against; this data has no default".to_owned(),
                more => format!("--target must name one column, but {more} are read: each is a question of its own"),
            };
            return Err(Failure::usage("--target", error));
        };
        let file = self.output.as_deref().map(JsonLinesFile::create).transpose()?;
        let question = self.question(general.seed);
        let found = self.test(&dataset, target, &question, output)?;
        if let Some(file) = file {
            file.write(found.lines())?;
        }
        let table = Table { dataset: &dataset, target, found: &found };
        output.result(|| self.text(&table, question.least(found.rows.len())), || found.document(&question))?;
        Ok(Outcome::Done)
    }

    fn question(&self, seed: u64) -> Question {
        let &Self { min_edges, max_edges, min_support, permutations, alpha, .. } = self;
        let qualifiers = self.qualifiers.clone();
        Question { min_edges, max_edges, min_support, qualifiers, permutations, alpha, seed }
    }

    fn test<'d>(
        &self,
        dataset: &'d Dataset,
        target: &'d Target,
        question: &Question,
        output: &Output,
    ) -> Result<Associations<'d>, Failure> {
        let strata = self.strata.as_deref().map(|word| match word.parse::<Strata>() {
            Ok(strata) => Ok(strata.of(dataset)),
            Err(_) => groups_of("--strata", word, &self.input, dataset),
        });
        let strata = strata.transpose()?;
        let _progress = Progress::start(output, "testing subgraphs");
        let signals = Interrupts::listen_until(None);
        let found = signals.limited(|| Associations::of(dataset, target, strata.as_deref(), question));
        let found = found.unwrap_or_else(|stopped| stop::resume(Box::new(stopped)));
        found.map_err(|error| self.failure(error))
    }

    /// The option behind an error.
    fn failure(&self, error: SignificanceError) -> Failure {
        match error {
            SignificanceError::Mine(error) => mine_failure(&error),
            SignificanceError::Alpha { .. } => Failure::usage("--alpha", format!("--{error}")),
            SignificanceError::FewPermutations { .. } => Failure::usage("--permutations", error.to_string()),
            SignificanceError::Constant { strata: true, .. } => Failure::usage("--strata", error.to_string()),
            _ => Failure::Data(Problem {
                error: error.to_string(),
                place: Some(self.input.data.display().to_string()),
                advice: None,
            }),
        }
    }

    fn text(&self, table: &Table<'_>, least: usize) -> String {
        let Significance { findings, subgraphs, classes, min_support } = &table.found.found;
        let mut text = String::new();
        if !findings.is_empty() {
            text += &table.text();
            if findings.len() > SHOWN {
                text += &format!("and {} more: -o FILE writes all\n", findings.len() - SHOWN);
            }
            text.push('\n');
        }
        text += &format!(
            "{} of {classes} ({}) significant for {} at level {}\n",
            counted(findings.len(), "group"),
            counted(*subgraphs, "subgraph"),
            table.target.name,
            self.alpha
        );
        let resolution = 1.0 / (f64::from(self.permutations) + 1.0);
        text += &format!(
            "{}, {} permutations, p-values from {resolution:.1e}",
            counted(table.found.rows.len(), "graph"),
            self.permutations
        );
        if *min_support > least {
            text += &format!("; subgraphs in fewer than {min_support} graphs cannot be significant");
        } else if *min_support > 1 {
            text += &format!("; subgraphs in fewer than {min_support} graphs were not searched");
        }
        text + "\n"
    }
}

/// The findings, for people.
struct Table<'a> {
    dataset: &'a Dataset,
    target: &'a Target,
    found: &'a Associations<'a>,
}

impl Table<'_> {
    fn text(&self) -> String {
        let several = matches!(&self.target.values, TargetValues::Classes { classes, .. } if classes.len() > 2);
        let (with, without) = match &self.target.values {
            TargetValues::Numbers { .. } => ("mean with".to_owned(), "without".to_owned()),
            TargetValues::Classes { classes, .. } if !several => {
                (format!("{} with", classes.tokens()[1]), "without".to_owned())
            }
            TargetValues::Classes { .. } => ("share with".to_owned(), "without".to_owned()),
        };
        let header = ["subgraph", "others", "graphs", "class", &with, &without, "z", "p"];
        let rows: Vec<Vec<String>> = self.found.found.findings.iter().take(SHOWN).map(|f| self.row(f)).collect();
        let kept: Vec<usize> = (0..header.len()).filter(|&column| several || column != 3).collect();
        let pick = |row: &Vec<String>| kept.iter().map(|&column| row[column].clone()).collect();
        layout(&Layout {
            header: &kept.iter().map(|&column| header[column]).collect::<Vec<&str>>(),
            rows: &rows.iter().map(pick).collect::<Vec<Vec<String>>>(),
            numbers: &kept.iter().map(|&column| column != 0 && column != 3).collect::<Vec<bool>>(),
            width: screen_width(),
        })
    }

    fn row(&self, finding: &Finding) -> Vec<String> {
        let contrast = self.found.contrast(finding);
        let number = |value: f64| if finding.target.is_some() { percent(value) } else { format!("{value:.3}") };
        vec![
            self.dataset.names().one_line(&finding.code),
            format!("+{}", finding.others),
            finding.support.len().to_string(),
            self.found.class(finding).unwrap_or_default().to_owned(),
            number(contrast.with),
            contrast.without.map_or("-".to_owned(), number),
            format!("{:+.1}", finding.z),
            format!("{:.4}", finding.adjusted),
        ]
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
