//! The commands, one per file, in folders by subject. Each turns its options into a call of the library and its result
//! into text or JSON.

mod data;
mod demo;
mod evaluate;
mod experiment;
mod explain;
mod patterns;
mod predict;
mod prepare;
mod sent;
mod shell;
mod show;
mod stability;
mod story;
mod tables;
pub(crate) mod train;
mod verify;

use crate::args::General;
use crate::failure::{Failure, Outcome};
use crate::io::output::Output;
use clap::Subcommand;
use data::{convert, generate, inspect, split};
use patterns::{match_, mine, significant};
use sent::{export, report};
use shell::{completions, man};

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Inspect(inspect::Inspect),
    Split(split::MakeSplits),
    Mine(mine::Mine),
    Match(match_::Match),
    Significant(significant::Significant),
    Convert(convert::Convert),
    Generate(generate::Generate),
    Train(train::Train),
    Show(show::Show),
    Predict(predict::Predict),
    Evaluate(evaluate::Evaluate),
    CrossValidate(experiment::cross_validate::CrossValidate),
    Experiment(experiment::Experiment),
    Explain(explain::Explain),
    Report(report::Report),
    Export(export::Export),
    Stability(stability::Stability),
    Verify(verify::Verify),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub(crate) fn run(&self, general: &General, output: &Output) -> Result<Outcome, Failure> {
        match self {
            Self::Demo(command) => command.run(general, output),
            Self::Inspect(command) => command.run(general, output),
            Self::Split(command) => command.run(general, output),
            Self::Convert(command) => command.run(general, output),
            Self::Mine(command) => command.run(general, output),
            Self::Match(command) => command.run(general, output),
            Self::Significant(command) => command.run(general, output),
            Self::Generate(command) => command.run(general, output),
            Self::Train(command) => command.run(general, output),
            Self::Show(command) => command.run(output),
            Self::Predict(command) => command.run(output),
            Self::Evaluate(command) => command.run(output),
            Self::CrossValidate(command) => command.run(general, output),
            Self::Experiment(command) => command.run(general, output),
            Self::Explain(command) => command.run(general, output),
            Self::Report(command) => command.run(general, output),
            Self::Export(command) => command.run(output),
            Self::Stability(command) => command.run(general, output),
            Self::Verify(command) => command.run(general, output),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(output),
        }
    }
}
