//! A source read part by part: memory for some rows, whatever the length of the source.
//!
//! Promise: the parts together hold the graphs, origins and skipped rows of [`super::read`], in the same order;
//! what comes before a row that ends the reading is returned before the error. Each part is a data set of
//! its own: labels are ranks within the part, so parts are compared by the names of labels; ids are as the source has
//! them, repeated or not. Knows nothing of what is done with a part. A TU folder keeps its graphs in several files and
//! is one part.

use super::formats::{Rows, detect, open, read_folder};
use super::lines::Lines;
use super::options::EdgeLabels;
use super::{Format, ReadError, ReadOptions};
use crate::dataset::Dataset;
use crate::read::builder::{DatasetBuilder, LabelNames};
use std::io::Read;
use std::path::Path;

enum Source<'a> {
    Rows(Box<dyn Rows + 'a>, Box<DatasetBuilder<'a>>),
    /// What cannot be read in parts.
    Whole(Option<Box<Dataset>>),
}

/// A source that is being read.
pub struct Stream<'a> {
    source: Source<'a>,
    options: &'a ReadOptions,
    /// Nothing more comes, but for this error.
    ended: Option<Result<(), ReadError>>,
    graphs: usize,
    skipped: usize,
    has_edge_labels: bool,
    nameless: Nameless,
    path: std::path::PathBuf,
}

/// Whether hydrogens are to be dropped where no label so far has a name.
enum Nameless {
    Unknown,
    Yes(Vec<String>),
    No,
}

impl<'a> Stream<'a> {
    /// Opens a file or a folder.
    pub fn open(path: &Path, options: &'a ReadOptions) -> Result<Self, ReadError> {
        let format = options.format.map_or_else(|| detect(path), Ok)?;
        if format.is_folder() {
            let dataset = Some(Box::new(read_folder(path, options)?));
            return Ok(Self::of(Source::Whole(dataset), path, options));
        }
        Self::of_lines(Lines::open(path)?, format, options)
    }

    /// Reads from any source, such as stdin; `path` is its name in errors. The options must name the format, and an SD
    /// file can have no targets here, since finding them takes a pass of its own.
    pub fn new(path: &Path, input: impl Read + 'static, options: &'a ReadOptions) -> Result<Self, ReadError> {
        match options.format.filter(|format| !format.is_folder()) {
            None => Err(ReadError::UnknownFormat { path: path.to_owned() }),
            Some(format) => Self::of_lines(Lines::new(path, input)?, format, options),
        }
    }

    fn of_lines(lines: Lines, format: Format, options: &'a ReadOptions) -> Result<Self, ReadError> {
        let path = lines.path().to_owned();
        let (rows, builder) = open(lines, format, options)?;
        Ok(Self::of(Source::Rows(rows, Box::new(builder)), &path, options))
    }

    fn of(source: Source<'a>, path: &Path, options: &'a ReadOptions) -> Self {
        let path = path.to_owned();
        Self {
            source,
            options,
            ended: None,
            graphs: 0,
            skipped: 0,
            has_edge_labels: false,
            nameless: Nameless::Unknown,
            path,
        }
    }

    /// The next part: about so many rows, skipped ones among them, so it may hold no graph. `None` after the last;
    /// a source without any graph is refused then, as [`super::read`] refuses it.
    pub fn next_part(&mut self, rows: usize) -> Result<Option<Dataset>, ReadError> {
        let part = match &mut self.source {
            Source::Whole(dataset) => {
                self.ended = Some(Ok(()));
                dataset.take().map(|dataset| *dataset)
            }
            Source::Rows(..) => self.next_rows(rows)?,
        };
        if let Some(part) = part {
            self.graphs += part.len();
            self.skipped += part.skipped.len();
            return Ok(Some(part));
        }
        if let Some(Err(error)) = self.ended.replace(Ok(())) {
            return Err(error);
        }
        self.check_whole().map(|()| None)
    }

    /// The next rows of a format that hands them out one by one.
    fn next_rows(&mut self, rows: usize) -> Result<Option<Dataset>, ReadError> {
        let Source::Rows(source, builder) = &mut self.source else { return Ok(None) };
        while self.ended.is_none() && builder.num_rows() < rows {
            self.ended = match source.add(builder) {
                Ok(true) => None,
                Ok(false) => Some(Ok(())),
                Err(error) => Some(Err(error)),
            };
        }
        self.has_edge_labels |= builder.has_edge_labels();
        builder.read_names()?;
        match builder.label_names() {
            LabelNames::Present => self.nameless = Nameless::No,
            LabelNames::Missing(labels) if matches!(self.nameless, Nameless::Unknown) => {
                self.nameless = Nameless::Yes(labels);
            }
            LabelNames::Missing(_) | LabelNames::Unneeded => {}
        }
        if builder.num_rows() == 0 { Ok(None) } else { builder.take_part().map(Some) }
    }

    /// What must hold of the whole source, at its end.
    fn check_whole(&mut self) -> Result<(), ReadError> {
        let path = || self.path.clone();
        // A shard may be empty; a source may not.
        if self.graphs == 0 && self.options.shard.is_none() {
            // The reader of the stream has had the reasons already.
            return Err(ReadError::NoGraphs { path: path(), skipped: self.skipped, first: None });
        }
        if self.options.edge_labels == EdgeLabels::Use && self.graphs > 0 && !self.has_edge_labels {
            return Err(ReadError::NoEdgeLabels { path: path() });
        }
        match &mut self.nameless {
            Nameless::Yes(labels) => {
                Err(ReadError::NamelessHydrogens { path: self.path.clone(), labels: std::mem::take(labels) })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
