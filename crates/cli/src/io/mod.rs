//! Everything that goes in and out of the program: patterns in; results, files and messages out; and what
//! comes from the system on the way (signals, clocks, memory).

pub(crate) mod append_file;
pub(crate) mod checkpoint;
pub(crate) mod clock;
pub(crate) mod file;
pub(crate) mod hooks;
pub(crate) mod interrupt;
pub(crate) mod json_lines_file;
pub(crate) mod output;
pub(crate) mod output_guard;
pub(crate) mod pattern_file;
pub(crate) mod progress;
pub(crate) mod style;
pub(crate) mod table;
