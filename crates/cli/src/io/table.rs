//! Tables that fold: columns that do not fit the terminal follow below, each time behind the first column.
//!
//! Promise: no line is wider than the terminal (see [`screen_width`]), unless a
//! single column is; nothing is left out.

use super::output::{screen_width, table};

/// Blanks between columns.
const GAP: usize = 2;
/// Names of columns that are wider are wrapped, where the table does not fit otherwise.
const WIDEST_NAME: usize = 20;

/// A table as [`table`], folded to the width of the terminal.
pub(crate) fn folded(header: &[&str], rows: &[Vec<String>], numbers: usize) -> String {
    folded_to(screen_width(), header, rows, numbers)
}

fn folded_to(width: usize, header: &[&str], rows: &[Vec<String>], numbers: usize) -> String {
    let columns = header.len();
    let of_cells = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0)
    };
    let widest = |at: usize| of_cells(at).max(header[at].chars().count());
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    if columns < 2 || widths.iter().sum::<usize>() + GAP * (columns - 1) <= width {
        return table(header, rows, numbers);
    }
    let first = widths[0].min(width * 2 / 5);
    let narrow = |at: usize| of_cells(at).max(header[at].chars().count().min(WIDEST_NAME));
    let widths: Vec<usize> = (0..columns).map(narrow).collect();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut used = width;
    for (at, &of_column) in widths.iter().enumerate().skip(1) {
        if used + GAP + of_column > width {
            blocks.push(Vec::new());
            used = first;
        }
        used += GAP + of_column;
        blocks.last_mut().map(|block| block.push(at)).unwrap_or_default();
    }
    let show = |block: &Vec<usize>| {
        let names: Vec<String> = [0]
            .iter()
            .chain(block)
            .map(|&at| wrapped(header[at], widths[at].max(first * usize::from(at == 0))))
            .collect();
        let header: Vec<&str> = names.iter().map(String::as_str).collect();
        let cells = |row: &Vec<String>| {
            let others = block.iter().map(|&at| row.get(at).cloned().unwrap_or_default());
            [wrapped(&row[0], first)].into_iter().chain(others).collect()
        };
        table(&header, &rows.iter().map(cells).collect::<Vec<Vec<String>>>(), numbers)
    };
    blocks.iter().map(show).collect::<Vec<_>>().join("\n")
}

/// Lines of at most `width` characters, broken at blanks where there are some.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word.to_owned();
        let len = |text: &str| text.chars().count();
        let line = lines.last_mut().map_or(0, |line| len(line));
        if line > 0 && line + 1 + len(&word) <= width {
            lines.last_mut().into_iter().for_each(|line| *line += &format!(" {word}"));
            continue;
        }
        while len(&word) > width {
            let rest: String = word.chars().skip(width).collect();
            lines.push(word.chars().take(width).collect());
            word = rest;
        }
        lines.push(word);
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_follow_below_the_first() {
        let header = ["id", "first", "second", "third column of a long name"];
        let rows = vec![["a long name", "1", "2", "3"].map(String::from).to_vec()];
        assert_eq!(folded_to(80, &header, &rows, 1).lines().count(), 2);
        let narrow = folded_to(30, &header, &rows, 1);
        assert!(narrow.lines().all(|line| line.chars().count() <= 30), "{narrow}");
        for word in ["first", "second", "third column of a\n"] {
            assert_eq!(narrow.matches(word).count(), 1, "{narrow}");
        }
        assert_eq!(narrow.matches("a long name").count(), 2, "{narrow}");
    }

    #[test]
    fn long_names_are_broken_at_blanks() {
        assert_eq!(wrapped("Pregnancy, puerperium and others", 14), "Pregnancy,\npuerperium and\nothers");
        assert_eq!(wrapped("abcdefgh", 3), "abc\ndef\ngh");
        assert_eq!(wrapped("short", 10), "short");
    }
}
