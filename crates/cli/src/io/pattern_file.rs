//! Patterns from a file: lines of `mine -o` or `match -o`, a data set of small graphs, or a model.

use crate::failure::{Failure, Problem};
use crate::io::file::read_whole;
use einsicht::Model;
use einsicht::data::patterns::{NamedPattern, PatternFileError, read_patterns};
use einsicht::data::read::ReadOptions;
use einsicht::model::persist::ModelError;
use std::path::Path;

/// Patterns by the names of their labels.
pub(crate) struct PatternFile {
    pub(crate) patterns: Vec<NamedPattern>,
    /// The model that they come from, if any: then they are those of its chosen entry, in their order.
    pub(crate) model: Option<Model>,
}

impl PatternFile {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        if path.is_file() {
            match Model::from_bytes(&read_whole(path)?) {
                Ok(model) => {
                    let names = model.names();
                    let patterns = model.best().iterate.patterns.iter().map(|p| names.pattern(&p.code)).collect();
                    return Ok(Self { patterns, model: Some(model) });
                }
                // Not a container of tensors: a pattern file or a data set.
                Err(ModelError::NotAModel { .. }) => {}
                Err(error) => return Err(Failure::file(path, error)),
            }
        }
        Ok(Self { patterns: read_patterns(path, &ReadOptions::default())?, model: None })
    }
}

impl From<PatternFileError> for Failure {
    fn from(error: PatternFileError) -> Self {
        match error {
            PatternFileError::Read(error) => error.into(),
            error => {
                let place = Some(error.place().to_string());
                Self::Data(Problem { error: error.to_string(), place, advice: None })
            }
        }
    }
}
