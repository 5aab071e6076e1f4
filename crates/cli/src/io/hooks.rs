//! What lets tests do without a clock, chosen by variables of the environment. They change no result.
//!
//! Promise: the program as it is shipped has none of this. It is compiled with debug assertions (every development
//! build) or the feature `test-hooks` only; else both functions answer `None` and the compiler removes the rest.

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};

const ARE_COMPILED: bool = cfg!(any(debug_assertions, feature = "test-hooks"));

/// What a test makes happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestAction {
    /// Send this signal to the process.
    Raise(i32),
    /// Send SIGINT twice at once.
    Twice,
    /// Send SIGTERM and stop in the middle of the work, as other threads do.
    Midway,
    /// Reach the time limit.
    Limit,
}

/// At the end of which pass of training to do what: `EINSICHT_AT_PASS=N:kill` (or `int`, `term`, `hup`, `twice`,
/// `midway`, `limit`).
pub(crate) fn at_pass() -> Option<(usize, TestAction)> {
    if !ARE_COMPILED {
        return None;
    }
    parse(&std::env::var("EINSICHT_AT_PASS").ok()?)
}

/// `EINSICHT_CHECKPOINT_PASSES=N` saves after every N passes, whatever the clock says.
pub(crate) fn checkpoint_passes() -> Option<usize> {
    if !ARE_COMPILED {
        return None;
    }
    std::env::var("EINSICHT_CHECKPOINT_PASSES").ok()?.parse().ok().filter(|passes| *passes > 0)
}

/// Parses `N:action`.
fn parse(text: &str) -> Option<(usize, TestAction)> {
    let (pass, what) = text.split_once(':')?;
    let action = match what {
        "kill" => TestAction::Raise(SIGKILL),
        "int" => TestAction::Raise(SIGINT),
        "term" => TestAction::Raise(SIGTERM),
        "hup" => TestAction::Raise(SIGHUP),
        "twice" => TestAction::Twice,
        "midway" => TestAction::Midway,
        "limit" => TestAction::Limit,
        _ => return None,
    };
    Some((pass.parse().ok()?, action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_of_a_test_is_parsed() {
        assert_eq!(parse("7:kill"), Some((7, TestAction::Raise(SIGKILL))));
        assert_eq!(parse("1:limit"), Some((1, TestAction::Limit)));
        assert_eq!([parse("x:kill"), parse("7:sing"), parse("7")], [None; 3]);
    }
}
