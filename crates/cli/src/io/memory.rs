//! Memory use of the process, where the system reports it.

/// An entry of `/proc/self/status`, in bytes.
fn status(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes << 10)
}

/// Resident memory now.
pub(crate) fn now() -> Option<usize> {
    status("VmRSS")
}

/// Peak resident memory.
pub(crate) fn peak() -> Option<usize> {
    status("VmHWM")
}
