//! `t/v/e` transactions, as gSpan and its descendants read and write them.
//!
//! `t # ID [TARGET] ...` starts a graph, `v ID LABEL` is a vertex, `e ID ID [LABEL]` an edge (`u` means the
//! same). Vertices count from 0 or from 1, labels are any words, empty lines and lines that start with `#` or `%`
//! do not count, `t # -1` ends the file. Read line by line: memory holds the graphs and one line.
//! Where the ids after `#` repeat, graphs are called by their rows.

use super::super::number::{parse_index, show};
use super::super::options::{OnBad, TargetChoice};
use super::super::target::TargetKind;
use super::{Lines, ReadError, ReadOptions, Rows, TargetColumns, set_name};
use crate::dataset::NO_LABEL;
use crate::dataset::{Dataset, Origin};
use crate::read::builder::{DatasetBuilder, TargetSlot};

/// Name of the only target.
const TARGET: &str = "target";

/// The only target, which every file may have.
pub(super) fn target_columns() -> TargetColumns {
    TargetColumns::all_usual(vec![TARGET.to_owned()]).without_names()
}

pub(super) fn start(lines: Lines, options: &ReadOptions) -> Result<(GspanRows<'_>, DatasetBuilder<'_>), ReadError> {
    let path = lines.path().to_owned();
    TargetColumns::refuse_features(&path, options)?;
    let chosen = target_columns().choose(&path, options)?.targets;
    let mut builder = DatasetBuilder::new(set_name(&path), &path, options);
    let target = (!chosen.is_empty()).then(|| builder.add_target(TARGET, TargetKind::Guess));
    let rows = GspanRows { lines, options, target, first: 0, origin: None, next: 0, passed: false, begun: false };
    Ok((rows, builder))
}

/// The graphs of a file of transactions.
pub(super) struct GspanRows<'a> {
    lines: Lines,
    options: &'a ReadOptions,
    target: Option<TargetSlot>,
    /// Number of the first vertex of this graph: 0 or 1.
    first: u32,
    /// Where this graph started; none before the first `t` line.
    origin: Option<Origin>,
    /// Row of the next graph.
    next: u32,
    /// Whether this graph is left out: its further lines are not looked at.
    passed: bool,
    /// Whether the current line is the `t` line of a graph that is still to be started.
    begun: bool,
}

impl Rows for GspanRows<'_> {
    /// One graph: the lines up to the next `t` line.
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        if std::mem::take(&mut self.begun) {
            let started = self.start(builder);
            if !self.settle(builder, started)? {
                return Ok(false);
            }
        }
        while self.lines.advance()? {
            let line = self.lines.bytes().trim_ascii();
            if line.first() == Some(&b't') && (line.len() == 1 || matches!(line[1], b' ' | b'\t' | b'#')) {
                self.begun = true;
                break;
            }
            let understood = self.line(builder).map(|()| true);
            self.settle(builder, understood)?;
        }
        builder.end();
        Ok(self.begun)
    }

    /// Names graphs by their rows if ids repeat, and leaves out a target that no graph has.
    fn finish(&self, mut builder: DatasetBuilder<'_>) -> Result<Dataset, ReadError> {
        builder.number_repeated_ids();
        if self.target.is_some_and(|slot| builder.is_missing_everywhere(slot)) {
            if let TargetChoice::Named(names) = &self.options.targets {
                let path = self.lines.path().to_owned();
                return Err(ReadError::UnknownColumn { path, column: names.join(", "), exist: Vec::new() });
            }
            builder.remove_targets();
        }
        builder.finish()
    }
}

impl GspanRows<'_> {
    /// Skips a graph that cannot be read, if the options say so.
    fn settle(
        &mut self,
        builder: &mut DatasetBuilder<'_>,
        outcome: Result<bool, ReadError>,
    ) -> Result<bool, ReadError> {
        let error = match outcome {
            Err(error) if self.options.on_bad != OnBad::Stop => error,
            outcome => return outcome,
        };
        // Lines before the first graph belong to no row.
        if let Some(origin) = self.origin {
            builder.skip(origin, error.to_string());
        }
        self.passed = true;
        Ok(true)
    }

    fn line(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<(), ReadError> {
        let line = self.lines.bytes().trim_ascii();
        match line.first() {
            None | Some(b'#' | b'%') => Ok(()),
            Some(_) if self.passed => Ok(()),
            Some(&record @ (b'v' | b'e' | b'u')) if line.get(1).is_none_or(u8::is_ascii_whitespace) => {
                if self.origin.is_none() {
                    return Err(ReadError::OutsideGraph { place: self.lines.place(), record: char::from(record) });
                }
                if record == b'v' { self.vertex(builder) } else { self.edge(builder) }
            }
            Some(_) => {
                let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                Err(ReadError::UnknownRecord { place: self.lines.place(), found: show(word) })
            }
        }
    }

    /// Starts a graph; false if the line ends the file.
    fn start(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError> {
        let origin = Origin { row: self.next, line: self.lines.number() };
        // Counted before anything can fail: a bad row never shifts those behind it.
        self.next += 1;
        self.origin = Some(origin);
        self.passed = false;
        let text = self.lines.text()?.trim_ascii();
        let mut words = text[1..].trim_start().trim_start_matches('#').split_ascii_whitespace();
        let id = words.next();
        if id == Some("-1") {
            return Ok(false);
        }
        self.passed = !self.options.takes(origin.row);
        if self.passed {
            return Ok(true);
        }
        let row = origin.row.to_string();
        builder.begin(origin, id.unwrap_or(&row));
        self.first = 0;
        // Miners write `t # 3 * 17`: 17 is a support, not a target.
        if let (Some(slot), Some(word)) = (self.target, words.next().filter(|&word| word != "*")) {
            builder.value(slot, word);
        }
        Ok(true)
    }

    fn vertex(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<(), ReadError> {
        let lines = &self.lines;
        let [id, label] = fields::<2>(lines, "words after v")?.0;
        let id = parse_index(id.as_bytes(), "the number of a vertex", || lines.place())?;
        let so_far = builder.num_vertices() as u64;
        if so_far == 0 && id == 1 {
            self.first = 1;
        }
        let wanted = u64::from(self.first) + so_far;
        if u64::from(id) != wanted {
            return Err(ReadError::VertexOrder { place: lines.place(), wanted, found: u64::from(id) });
        }
        let added = builder.vertex(label);
        added.map(|_| ()).map_err(|error| ReadError::from_graph(lines.place(), u64::from(self.first), &error))
    }

    fn edge(&self, builder: &mut DatasetBuilder<'_>) -> Result<(), ReadError> {
        let lines = &self.lines;
        let ([from, to, label], found) = fields::<3>(lines, "words after e")?;
        let first = self.first;
        let end = |word: &str| -> Result<u32, ReadError> {
            let id = parse_index(word.as_bytes(), "the number of a vertex", || lines.place())?;
            let below = || ReadError::NoSuchVertex { place: lines.place(), vertex: u64::from(id) };
            id.checked_sub(first).ok_or_else(below)
        };
        let (from, to) = (end(from)?, end(to)?);
        let added = builder.edge(from, to, if found == 2 { NO_LABEL } else { label });
        added.map_err(|error| ReadError::from_graph(lines.place(), u64::from(first), &error))
    }
}

/// The words behind the record's letter, at most `N` of them and at least two, and how many there are.
fn fields<'a, const N: usize>(lines: &'a Lines, what: &'static str) -> Result<([&'a str; N], usize), ReadError> {
    let mut fields = [""; N];
    let mut found = 0;
    for word in lines.text()?.split_ascii_whitespace().skip(1) {
        if let Some(field) = fields.get_mut(found) {
            *field = word;
        }
        found += 1;
    }
    if !(2..=N).contains(&found) {
        return Err(ReadError::FieldCount { place: lines.place(), what, wanted: N, found });
    }
    Ok((fields, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Repaired, TargetValues};
    use crate::read::{Format, read_from};
    use std::io::Cursor;
    use std::path::Path;

    fn parsed(text: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
        let options = ReadOptions { format: Some(Format::Gspan), ..options.clone() };
        read_from(Path::new("x.gspan"), Cursor::new(text.to_owned().into_bytes()), &options)
    }

    fn refused(text: &str) -> String {
        parsed(text, &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn words_blank_lines_comments_and_the_closing_line_are_understood() {
        let text =
            "# two\n\nt # a\nv 0 C\nv 1 N+\ne 0 1 double\n\nt # b\n% none\nv 1 C\nv 2 C\nu 1 2\nt # -1\nrubbish\n";
        let dataset = parsed(text, &ReadOptions::default()).unwrap();
        assert_eq!(dataset.ids, ["a", "b"]);
        assert_eq!(dataset.vertex_labels.tokens(), ["C", "N+"]);
        assert_eq!(dataset.edge_labels.tokens(), ["", "double"]);
        assert_eq!(dataset.origins[1], Origin { row: 1, line: 8 });
        assert!(dataset.targets.is_empty());
    }

    #[test]
    fn the_word_after_the_id_is_the_target_and_repeated_ids_become_rows() {
        let dataset =
            parsed("t # 0 1 mol\nv 1 6\nt # 0 -1 mol\nv 1 6\nt # 0\nv 1 6\n", &ReadOptions::default()).unwrap();
        assert_eq!(dataset.ids, ["0", "1", "2"]);
        let TargetValues::Classes { classes, values } = &dataset.targets[0].values else { panic!("classes") };
        assert_eq!(
            (classes.tokens(), &values[..]),
            (&["-1".to_owned(), "1".into()][..], &[Some(1), Some(0), None][..])
        );
    }

    #[test]
    fn errors_name_the_line_in_the_numbers_of_the_file() {
        let cases = [
            ("v 0 1\n", "x.gspan:1: a graph must start with a t line, but a line v comes first here"),
            (
                "t # 0\nv 1 6\nv 2 6\ne 2 2 1\n",
                "x.gspan:4: an edge must join two different vertices, but this one joins vertex 2 to itself",
            ),
            (
                "t # 0\nv 1 6\nv 2 6\ne 1 2 1\ne 2 1 1\n",
                "x.gspan:5: two vertices may share only one edge, but 2 and 1 have a second one",
            ),
            (
                "t # 0\nv 1 6\nv 2 6\ne 0 1 1\n",
                "x.gspan:4: an edge must join vertices of its graph, but there is no vertex 0",
            ),
            (
                "t # 0\nv 0 6\nv 2 6\n",
                "x.gspan:3: vertices must be numbered consecutively, so this must be 1, but is 2",
            ),
            ("t # 0\nv 0\n", "x.gspan:2: there must be 2 words after v, but there are 1"),
            ("t # 0\nw 0 1\n", "x.gspan:2: a line must start with t, v or e, but this one starts with \"w\""),
            (
                "t # 0\nv 4294967296 1\n",
                "x.gspan:2: the number of a vertex must be at most 4294967295, but is 4294967296",
            ),
            ("\n\n", "x.gspan: there must be at least one graph, but there is none"),
        ];
        for (text, wanted) in cases {
            assert_eq!(refused(text), wanted);
        }
    }

    #[test]
    fn a_bad_graph_can_be_skipped_and_shifts_no_row() {
        let options = ReadOptions { on_bad: OnBad::Skip, ..Default::default() };
        let dataset = parsed("t # 0\nv 0 6\ne 0 0 1\ne 0 9 9\nt # 1\nv 0 7\n", &options).unwrap();
        assert_eq!((dataset.ids.as_slice(), dataset.origins[0].row), (&["1".to_owned()][..], 1));
        assert_eq!(dataset.vertex_labels.tokens(), ["7"]);
        assert_eq!(dataset.skipped.len(), 1);
        assert_eq!(dataset.skipped[0].origin, Origin { row: 0, line: 1 });
        assert!(dataset.skipped[0].reason.contains("x.gspan:3"));
    }

    #[test]
    fn repair_drops_and_counts() {
        let options = ReadOptions { repair: true, ..Default::default() };
        let dataset = parsed("t # 0\nv 0 6\nv 1 6\ne 0 0 1\ne 0 1 1\ne 1 0 2\n", &options).unwrap();
        assert_eq!(dataset.graphs[0].num_edges(), 1);
        assert_eq!(dataset.repaired, Repaired { self_loops: 1, double_edges: 1, one_way_edges: 0 });
    }
}
