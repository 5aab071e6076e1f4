//! Options of every command: output, threads, seed.

use super::values::from_zero;
use crate::failure::Failure;
use crate::io::interrupt;
use crate::io::output::Output;
use clap::Args;

/// Threads that a core may have; more only wait for each other.
const THREADS_PER_CORE: usize = 16;
/// So many are always allowed: results are compared between numbers of threads on small machines too.
const LEAST_LIMIT: usize = 64;

/// Options of every command.
#[derive(Args, Debug)]
pub(crate) struct General {
    /// Print the result as one JSON document to stdout; messages go to stderr.
    #[arg(long, global = true, help_heading = "General options")]
    pub(crate) json: bool,
    /// Print nothing but the result.
    #[arg(short, long, global = true, help_heading = "General options", conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more messages to stderr.
    #[arg(short, long, global = true, help_heading = "General options", action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Number of threads [default: one per core]. The result is the same for any number.
    #[arg(long, value_name = "N", global = true, help_heading = "General options")]
    pub(crate) threads: Option<usize>,
    /// Seed of the random numbers; the same seed gives the same output, byte for byte.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        global = true,
        help_heading = "General options",
        value_parser = from_zero
    )]
    pub(crate) seed: u64,
}

impl General {
    /// Where results and messages go.
    pub(crate) fn output(&self) -> Output {
        Output::new(self.json, self.quiet, self.verbose > 0)
    }

    /// Number of threads in use.
    pub(crate) fn num_threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    /// Starts the threads of the whole program.
    pub(crate) fn start_threads(&self) -> Result<(), Failure> {
        if self.threads == Some(0) {
            return Err(Failure::usage("--threads", "--threads must be at least 1, got 0"));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = cores.saturating_mul(THREADS_PER_CORE).max(LEAST_LIMIT);
        if let Some(threads) = self.threads.filter(|threads| *threads > most) {
            let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
            let why = format!("--threads must be at most {most} on this machine with {cores}, got {threads}");
            return Err(Failure::usage("--threads", why));
        }
        // 0 stands for one per core. Here and not on first use, so that a system that refuses more threads is reported.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        let pool = pool.start_handler(|_| interrupt::watch()).build_global();
        pool.map_err(|problem| Failure::usage("--threads", format!("cannot start the threads: {problem}")))
    }
}
