//! How much memory the program uses, where the system tells.

/// What `/proc/self/status` says under a name, in bytes.
fn status(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

/// Memory in use.
pub(crate) fn now() -> Option<usize> {
    status("VmRSS")
}

/// The most that was ever in use.
pub(crate) fn peak() -> Option<usize> {
    status("VmHWM")
}
