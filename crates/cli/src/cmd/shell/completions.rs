//! `einsicht completions`: shell completions.

use crate::Program;
use crate::failure::{Failure, Outcome};
use crate::io::output;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completion script of a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht completions bash >> ~/.bash_completion
  einsicht completions fish > ~/.config/fish/completions/einsicht.fish")]
pub(crate) struct Completions {
    /// Shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<Outcome, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Program::command(), "einsicht", &mut script);
        output::print(&String::from_utf8_lossy(&script))?;
        Ok(Outcome::Done)
    }
}
