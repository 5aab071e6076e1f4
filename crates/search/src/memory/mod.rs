//! Searches within a memory limit. The answers do not depend on the limit, only the time does.
//!
//! [`BudgetedSearch`] is one search that evicts and recomputes; [`SharedTree`] is one tree for several such searches.

mod budgeted;
mod shared_tree;
mod subset;

pub use budgeted::{BudgetedSearch, Evictions};
pub use shared_tree::SharedTree;
pub use subset::SubsetSearch;
