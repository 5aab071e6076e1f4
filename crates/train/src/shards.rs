//! Fits whose graphs are on several workers: what each worker holds, and the search over all of them.
//!
//! Promise: the model is that of a plain fit, byte for byte. Shards are whole blocks of the rows of the training at
//! hand, in its order, so each fold has shards of its own. Knows nothing of how they travel. Tested in
//! `tests/sharded_training.rs`.

use super::fit::{Fit, mine_params};
use einsicht_model::features::graphs_at;
use einsicht_search::{SearchError, ShardSource, ShardedSearch, Shards, shard_ranges};

/// How the graphs of a fit are divided, and how its searches reach the workers.
pub struct ShardedFit<'a> {
    /// At most so many shards.
    pub count: usize,
    /// The workers of the training that makes the model, or of the fold with this number.
    pub connect: Connect<'a>,
}

/// Reaches the workers of a training: see [`ShardedFit::connect`].
pub type Connect<'a> = Box<dyn Fn(Option<usize>) -> Box<dyn Shards> + Send + Sync + 'a>;

/// Why a fit cannot have its graphs on several workers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum ShardError {
    #[error("with shards, max_qualifiers must be at most 1, got {got}")]
    Qualifiers { got: usize },
    #[error("there must be a fold {fold}, but there are {folds}")]
    Fold { fold: usize, folds: usize },
    #[error("the number of shards must be at least 1, got 0")]
    None,
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl ShardedFit<'_> {
    /// The search of a fit, or of one of its folds.
    pub(super) fn search(
        &self,
        fit: &Fit<'_>,
        fold: Option<usize>,
    ) -> Result<ShardedSearch<Box<dyn Shards>>, ShardError> {
        fit.search_over_shards(fold, self.count, (self.connect)(fold))
    }
}

impl Fit<'_> {
    /// The positions of the graphs of the training that makes the model, or of one fold, in the order of that training.
    fn sharded_rows(&self, fold: Option<usize>, count: usize) -> Result<Vec<usize>, ShardError> {
        let params = self.params().get();
        let has_qualifiers = !self.dataset().qualifiers.is_empty();
        match fold {
            _ if count == 0 => Err(ShardError::None),
            _ if has_qualifiers && params.max_qualifiers > 1 => {
                Err(ShardError::Qualifiers { got: params.max_qualifiers })
            }
            None => Ok(self.whole_split().train),
            Some(fold) if fold < self.num_folds() => Ok(self.fold_split(fold).unwrap_or_default().train),
            Some(fold) => Err(ShardError::Fold { fold, folds: self.num_folds() }),
        }
    }

    /// What each of at most `count` workers holds for the training that makes the model, or for one fold. There are
    /// fewer where there are fewer blocks of rows.
    pub fn shards(&self, fold: Option<usize>, count: usize) -> Result<Vec<ShardSource>, ShardError> {
        let rows = self.sharded_rows(fold, count)?;
        let params = mine_params(self.params().get(), rows.len(), self.options());
        let source = |range: std::ops::Range<usize>| ShardSource {
            graphs: graphs_at(self.dataset(), &rows[range]),
            params: params.clone(),
        };
        Ok(shard_ranges(rows.len(), count).into_iter().map(source).collect())
    }

    /// The search over these shards; the arguments are those of [`Self::shards`].
    pub fn search_over_shards<T: Shards>(
        &self,
        fold: Option<usize>,
        count: usize,
        shards: T,
    ) -> Result<ShardedSearch<T>, ShardError> {
        let rows = self.sharded_rows(fold, count)?;
        let min_support = self.params().get().min_support.of(rows.len());
        Ok(ShardedSearch::new(shards, shard_ranges(rows.len(), count), min_support)?)
    }
}
