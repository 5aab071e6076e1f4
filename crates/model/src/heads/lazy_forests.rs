//! The forests of a head: at hand, or grown again once they are asked for.
//!
//! Where folds have chosen, a training grows the forests of the chosen size alone, and a model file holds no others;
//! those of the other sizes are grown from the graphs that the model was fitted on. Promise: same rows, weights and
//! seed give the same trees, so nobody can tell the difference but by the time that the first question takes.

use super::Forests;
use super::forests::GrowOn;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Grows forests; the same each time.
pub(super) type Grow = dyn Fn(GrowOn) -> Forests + Send + Sync;

/// Forests that may not have been grown yet.
#[derive(Clone)]
pub struct LazyForests {
    grown: OnceLock<Arc<Forests>>,
    /// Absent if they are at hand.
    grow: Option<Arc<Grow>>,
}

impl LazyForests {
    /// Forests that nobody may ask for before it is said how they are grown: those of the points of a path that is
    /// under way.
    pub fn absent() -> Self {
        Self { grown: OnceLock::new(), grow: None }
    }

    /// Whether nobody has said how they are grown.
    pub fn is_absent(&self) -> bool {
        self.grow.is_none() && self.grown.get().is_none_or(|forests| forests.tasks.is_empty())
    }

    /// Forests that are grown when they are asked for.
    pub fn later(grow: Arc<Grow>) -> Self {
        Self { grown: OnceLock::new(), grow: Some(grow) }
    }

    /// Grows them on all threads, unless they are at hand. Without this call the first who asks grows them on one
    /// thread: to wait for others while holding what they wait for would never end.
    pub fn prepare(&self) {
        if let (None, Some(grow)) = (self.grown.get(), &self.grow) {
            // If another thread was faster, its forests are the same.
            let _ = self.grown.set(Arc::new(grow(GrowOn::AllThreads)));
        }
    }
}

impl Deref for LazyForests {
    type Target = Forests;

    fn deref(&self) -> &Forests {
        self.grown.get_or_init(|| match &self.grow {
            Some(grow) => Arc::new(grow(GrowOn::OneThread)),
            None => Arc::new(Forests { tasks: Vec::new() }),
        })
    }
}

impl From<Forests> for LazyForests {
    fn from(forests: Forests) -> Self {
        Self { grown: OnceLock::from(Arc::new(forests)), grow: None }
    }
}

impl std::fmt::Debug for LazyForests {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.grown.fmt(to)
    }
}

impl PartialEq for LazyForests {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Serialize for LazyForests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LazyForests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Forests::deserialize(deserializer).map(Self::from)
    }
}
