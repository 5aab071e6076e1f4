//! Places that repeat: runs of six or more lines that stand word for word in another place too.
//!
//! White space at the ends of lines, blank lines, comments, lines of punctuation alone and imports do not count. A place is
//! a longest run of lines, each of which begins or continues a window of six lines that occurs at least twice; two equal
//! runs are two places. Lines of the same shape with other names are not found.

use super::MOST_LISTED;
use crate::source::Source;
use std::collections::HashMap;

const LEAST_LINES: usize = 6;

/// A run of lines that stands elsewhere too.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: String,
    line: usize,
    /// Counted without blank lines and comments.
    lines: usize,
    /// Path and line of the first other place.
    elsewhere: (String, usize),
}

pub(super) fn text(sources: &[Source]) -> String {
    let (code, tests): (Vec<Place>, Vec<Place>) =
        places(sources).into_iter().partition(|place| !place.path.contains("/tests"));
    let lines = |places: &[Place]| places.iter().map(|place| place.lines).sum::<usize>();
    let mut text = format!(
        "repeats of {LEAST_LINES} or more lines: {} places with {} lines in code, {} with {} in test files\n",
        code.len(),
        lines(&code),
        tests.len(),
        lines(&tests)
    );
    let mut longest = code;
    longest.sort_by_key(|place| std::cmp::Reverse(place.lines));
    for Place { path, line, lines, elsewhere } in longest.iter().take(MOST_LISTED) {
        text += &format!("{lines:>6}  {path}:{line} and {}:{}\n", elsewhere.0, elsewhere.1);
    }
    text
}

fn places(sources: &[Source]) -> Vec<Place> {
    let files: Vec<Vec<(usize, &str)>> = sources.iter().map(significant).collect();
    let mut windows: HashMap<Vec<&str>, Vec<(usize, usize)>> = HashMap::new();
    for (file, lines) in files.iter().enumerate() {
        for (at, window) in lines.windows(LEAST_LINES).enumerate() {
            windows.entry(window.iter().map(|(_, line)| *line).collect()).or_default().push((file, at));
        }
    }
    let mut places: Vec<Place> = Vec::new();
    for (file, lines) in files.iter().enumerate() {
        // Index of the first line after the run under way.
        let mut end = 0;
        for (at, window) in lines.windows(LEAST_LINES).enumerate() {
            let key: Vec<&str> = window.iter().map(|(_, line)| *line).collect();
            let other = windows[&key].iter().find(|other| **other != (file, at));
            let Some(&(other_file, other_at)) = other else { continue };
            if at < end {
                let more = at + LEAST_LINES - end;
                end += more;
                if let Some(place) = places.last_mut() {
                    place.lines += more;
                }
                continue;
            }
            end = at + LEAST_LINES;
            let elsewhere = (sources[other_file].path.clone(), files[other_file][other_at].0);
            places.push(Place { path: sources[file].path.clone(), line: lines[at].0, lines: LEAST_LINES, elsewhere });
        }
    }
    places
}

/// The numbered lines that count.
fn significant(source: &Source) -> Vec<(usize, &str)> {
    let comment = if source.is_rust() { "//" } else { "#" };
    let counts = |line: &&str| {
        let is_import = ["use ", "pub use ", "mod ", "import ", "from "].iter().any(|word| line.starts_with(word));
        line.contains(char::is_alphanumeric) && !line.starts_with(comment) && !is_import
    };
    let lines = source.text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.filter(|(_, line)| counts(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    fn block(lines: std::ops::Range<usize>) -> String {
        lines.map(|line| format!("    call({line});\n")).collect()
    }

    #[test]
    fn a_run_of_six_lines_that_stands_twice_is_two_places() {
        let first = format!("x();\n{}y();\n", block(0..8));
        let second = format!("// note\n{}\n\n{}z();\n", block(0..3), block(3..8));
        let found = places(&tree(&[("a.rs", &first), ("b.rs", &second)]));
        let place = |path: &str, line, other: &str, there| Place {
            path: path.to_owned(),
            line,
            lines: 8,
            elsewhere: (other.to_owned(), there),
        };
        assert_eq!(found, [place("a.rs", 2, "b.rs", 2), place("b.rs", 2, "a.rs", 2)]);
    }

    #[test]
    fn five_lines_are_no_repeat_and_neither_are_imports() {
        let five = block(0..5);
        let imports = "use a;\n".repeat(10);
        assert_eq!(places(&tree(&[("a.rs", &five), ("b.rs", &five), ("c.rs", &imports), ("d.rs", &imports)])), []);
    }
}
