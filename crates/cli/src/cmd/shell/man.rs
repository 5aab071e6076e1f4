//! `einsicht man`: the manual pages, generated from the same definitions as the help.

use crate::Program;
use crate::failure::{Failure, Outcome};
use crate::io::file::cannot_write;
use crate::io::output::{self, Output};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use std::path::{Path, PathBuf};

/// Print the manual page, or write one page per command.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  einsicht man | man -l -
  einsicht man -o ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Folder for einsicht.1, einsicht-inspect.1 and so on [default: print einsicht.1 to stdout].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, output: &Output) -> Result<Outcome, Failure> {
        let program = Program::command();
        if let Some(folder) = &self.output {
            let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(program, folder));
            written.map_err(|problem| cannot_write(folder, &problem))?;
            output.say(&format!("manual pages written to {}", folder.display()));
        } else {
            let mut page = Vec::new();
            Page::new(program).render(&mut page).map_err(|problem| cannot_write(Path::new("page"), &problem))?;
            output::print(&String::from_utf8_lossy(&page))?;
        }
        Ok(Outcome::Done)
    }
}
