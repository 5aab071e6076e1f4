//! Ctrl-C and a polite request to end: the first one asks, the second one ends the program at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which signals have arrived since it was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupts {
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Interrupts {
    /// From now on signals are noted instead of ending the program. Where the system does not allow that, they
    /// end it as ever.
    pub(crate) fn listen() -> Self {
        let interrupts = Self::default();
        for (signal, arrived) in [(SIGINT, &interrupts.interrupted), (SIGTERM, &interrupts.terminated)] {
            // Handlers run in this order: the first signal finds the flag down and raises it.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(arrived));
            let _ = flag::register(signal, Arc::clone(arrived));
        }
        interrupts
    }

    /// The exit code that the signal asks for, if one arrived: 130 or 143.
    pub(crate) fn arrived(&self) -> Option<u8> {
        let codes = [(&self.interrupted, SIGINT), (&self.terminated, SIGTERM)];
        codes.iter().find(|(flag, _)| flag.load(Ordering::Relaxed)).map(|(_, signal)| 128 + *signal as u8)
    }
}
