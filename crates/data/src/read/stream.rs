//! A source read part by part: memory for some rows, whatever the length of the source.
//!
//! Promise: the parts together hold the graphs, origins and skipped rows of [`super::read`], in the same order;
//! what comes before a row that ends the reading is handed out before the error. Each part is a data set of
//! its own: labels are ranks within the part, so parts are compared by the names of labels; ids are as the source has
//! them, repeated or not. Knows nothing of what is done with a part. Formats are pulled row by row ([`Rows`]); a TU
//! folder keeps its graphs in several files and is one part.

use super::lines::Lines;
use super::{Format, ReadError, ReadOptions, detect, gspan, jsonl, tu};
#[cfg(feature = "smiles")]
use super::{sdf, smi, table};
use crate::builder::{DatasetBuilder, LabelNames};
use crate::dataset::Dataset;
use crate::read::options::EdgeLabels;
use std::io::Read;
use std::path::Path;

/// A source that hands its rows to a builder, a few at a time.
pub(super) trait Rows {
    /// Adds the next row, or some rows, and says whether there may be more. What came before a failure is added.
    fn add(&mut self, builder: &mut DatasetBuilder<'_>) -> Result<bool, ReadError>;
}

/// All rows as one data set.
pub(super) fn whole((mut rows, mut builder): (impl Rows, DatasetBuilder<'_>)) -> Result<Dataset, ReadError> {
    while rows.add(&mut builder)? {}
    builder.finish()
}

/// All graphs of a TU folder that are asked for.
pub(super) fn whole_folder(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let dataset = tu::read(path, options)?;
    if options.shard.is_none() {
        return Ok(dataset);
    }
    let kept: Vec<usize> = (0..dataset.len()).filter(|&at| options.takes(dataset.origins[at].row)).collect();
    Ok(dataset.subset(&kept))
}

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
        if format == Format::Tu {
            let dataset = Some(Box::new(whole_folder(path, options)?));
            return Ok(Self::of(Source::Whole(dataset), path, options));
        }
        Self::of_lines(Lines::open(path)?, format, options)
    }

    /// Reads from anything, standard input say; `path` is what errors call it. The format must be told, and targets
    /// cannot be looked for in an SD file, which would have to be read twice.
    pub fn new(path: &Path, input: impl Read + 'static, options: &'a ReadOptions) -> Result<Self, ReadError> {
        match options.format {
            None | Some(Format::Tu) => Err(ReadError::UnknownFormat { path: path.to_owned() }),
            Some(format) => Self::of_lines(Lines::new(path, input)?, format, options),
        }
    }

    fn of_lines(lines: Lines, format: Format, options: &'a ReadOptions) -> Result<Self, ReadError> {
        fn boxed<'a>(parts: (impl Rows + 'a, DatasetBuilder<'a>)) -> Source<'a> {
            Source::Rows(Box::new(parts.0), Box::new(parts.1))
        }
        let path = lines.path().to_owned();
        let source = match format {
            Format::Gspan => boxed(gspan::start(lines, options)?),
            Format::Jsonl => boxed(jsonl::start(lines, options)?),
            #[cfg(feature = "smiles")]
            Format::Csv | Format::Tsv => boxed(table::start(lines, format, options)?),
            #[cfg(feature = "smiles")]
            Format::Smi => boxed(smi::start(lines, options)?),
            #[cfg(feature = "smiles")]
            Format::Sdf => boxed(sdf::start(lines, options)?),
            #[cfg(not(feature = "smiles"))]
            Format::Csv | Format::Tsv | Format::Smi | Format::Sdf => {
                return Err(ReadError::Unsupported { path, format });
            }
            Format::Tu => return Err(ReadError::IsFile { path }),
        };
        Ok(Self::of(source, &path, options))
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
            Source::Rows(source, builder) => {
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
                    LabelNames::Missing(_) | LabelNames::Unasked => {}
                }
                if builder.num_rows() == 0 { None } else { Some(builder.take_part()?) }
            }
        };
        if let Some(part) = &part {
            self.graphs += part.len();
            self.skipped += part.skipped.len();
        }
        if part.is_some() {
            return Ok(part);
        }
        if let Some(Err(error)) = self.ended.replace(Ok(())) {
            return Err(error);
        }
        // A shard may be empty; a source may not.
        if self.graphs == 0 && self.options.shard.is_none() {
            return Err(ReadError::NoGraphs { path: self.path.clone(), skipped: self.skipped });
        }
        if self.options.edge_labels == EdgeLabels::Use && self.graphs > 0 && !self.has_edge_labels {
            return Err(ReadError::NoEdgeLabels { path: self.path.clone() });
        }
        match &mut self.nameless {
            Nameless::Yes(labels) => {
                Err(ReadError::NamelessHydrogens { path: self.path.clone(), labels: std::mem::take(labels) })
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
