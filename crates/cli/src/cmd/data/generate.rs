//! `einsicht generate`: synthetic sets as TU folders.

use crate::args::General;
use crate::failure::{Failure, Outcome};
use crate::io::output::Output;
use clap::{Args, ValueEnum};
use einsicht::data::write::write_tu;
use einsicht::{Dataset, Synthetic};
use serde_json::json;
use std::path::PathBuf;

/// Generate a synthetic data set and write it as a TU folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht generate cycle -o cycle
  einsicht generate cycle-xor -o cycle-xor --seed 7
  einsicht generate cycle-xor --variant padded -o cycle-xor-padded
  einsicht inspect cycle-xor")]
pub(crate) struct Generate {
    /// Data set to generate.
    #[arg(value_name = "SET")]
    set: Set,
    /// How cycle-xor fills graphs of class 1, which have only one kind of ring [default: twice].
    #[arg(long, value_name = "VARIANT")]
    variant: Option<Variant>,
    /// Output folder; it is created if needed.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Set {
    /// 300 graphs with two joined 8-rings, 300 with two fused 9-rings.
    Cycle,
    /// One kind of ring, twice (class 1), or one of each kind or none (class 0).
    CycleXor,
}

/// What the graphs of class 1 have in cycle-xor.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Variant {
    /// The same kind of ring twice.
    Twice,
    /// One pair of rings and padding, another reading of the paper's text.
    Padded,
}

impl Generate {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        let set = match (self.set, self.variant) {
            (Set::Cycle, None) => Synthetic::Cycle,
            (Set::Cycle, Some(_)) => {
                return Err(Failure::usage("--variant", "--variant needs cycle-xor: cycle has no variants"));
            }
            (Set::CycleXor, None | Some(Variant::Twice)) => Synthetic::CycleXor,
            (Set::CycleXor, Some(Variant::Padded)) => Synthetic::CycleXorPadded,
        };
        let Dataset { name, graphs, .. } = &write(set, general.seed, &self.output)?;
        output.result(
            || format!("{name}: {} graphs in {}\n", graphs.len(), self.output.display()),
            || json!({ "graphs": graphs.len(), "name": name, "output": self.output, "seed": general.seed }),
        )?;
        Ok(Outcome::Done)
    }
}

/// Generates a set and writes it.
pub(in crate::cmd) fn write(set: Synthetic, seed: u64, folder: &std::path::Path) -> Result<Dataset, Failure> {
    let dataset = einsicht::generate(set, seed);
    write_tu(&dataset, folder)?;
    Ok(dataset)
}
