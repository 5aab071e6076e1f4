//! How many random cases a slow test tries: a few by default, all of them where someone has the time.
//!
//! `cargo xtask test --thorough` sets `EINSICHT_THOROUGH`; the first cases are the same with and without it.

/// `daily` cases, or `thorough` ones with `EINSICHT_THOROUGH` set to anything but 0.
///
/// # Panics
/// If thorough tests would try fewer cases than others.
pub fn cases(daily: u32, thorough: u32) -> u32 {
    assert!(daily <= thorough, "thorough tests must try at least the {daily} daily cases, not {thorough}");
    choose(std::env::var("EINSICHT_THOROUGH").ok().as_deref(), daily, thorough)
}

fn choose(variable: Option<&str>, daily: u32, thorough: u32) -> u32 {
    match variable {
        None | Some("" | "0") => daily,
        Some(_) => thorough,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cases_are_tried_where_asked_for() {
        assert_eq!(choose(None, 3, 10), 3);
        assert_eq!(choose(Some(""), 3, 10), 3);
        assert_eq!(choose(Some("0"), 3, 10), 3);
        assert_eq!(choose(Some("1"), 3, 10), 10);
    }

    #[test]
    #[should_panic(expected = "at least the 4 daily cases, not 3")]
    fn thorough_is_never_less() {
        cases(4, 3);
    }
}
