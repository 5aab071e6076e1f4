//! The commands, one a file. Each turns its options into a call of the library and its result into text or JSON.

mod completions;
mod convert;
mod demo;
mod generate;
mod inspect;
mod man;
mod match_;
mod mine;

use crate::failure::{Failure, Outcome};
use crate::options::General;
use crate::output::Output;
use clap::Subcommand;

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Inspect(inspect::Inspect),
    Mine(mine::Mine),
    Match(match_::Match),
    Convert(convert::Convert),
    Generate(generate::Generate),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        match self {
            Self::Demo(command) => command.run(general, output),
            Self::Inspect(command) => command.run(general, output),
            Self::Convert(command) => command.run(general, output),
            Self::Mine(command) => command.run(general, output),
            Self::Match(command) => command.run(general, output),
            Self::Generate(command) => command.run(general, output),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(output),
        }
    }
}
