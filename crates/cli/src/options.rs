//! Options that commands share, with one meaning everywhere.

use crate::failure::Failure;
use clap::Args;

/// Options of every command.
#[derive(Args, Debug)]
pub(crate) struct General {
    /// Print one JSON document; talk goes to standard error.
    #[arg(long, global = true, help_heading = "General options")]
    pub(crate) json: bool,
    /// Say nothing but the result.
    #[arg(short, long, global = true, help_heading = "General options", conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more.
    #[arg(short, long, global = true, help_heading = "General options", action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Use N threads (default: one a core). The result does not depend on it.
    #[arg(long, value_name = "N", global = true, help_heading = "General options")]
    pub(crate) threads: Option<usize>,
    /// Seed of everything random; the same seed gives the same bytes.
    #[arg(long, value_name = "N", default_value_t = 0, global = true, help_heading = "General options")]
    pub(crate) seed: u64,
}

impl General {
    /// How many threads there are.
    pub(crate) fn num_threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    /// Sets the number of threads for all that follows.
    pub(crate) fn start_threads(&self) -> Result<(), Failure> {
        if self.threads == Some(0) {
            return Err(Failure::usage("--threads", "--threads must be at least 1, got 0"));
        }
        // 0 stands for one a core. Here and not on first use, so that a system without room for threads is told.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0)).build_global();
        pool.map_err(|problem| Failure::usage("--threads", format!("cannot start the threads: {problem}")))
    }
}
