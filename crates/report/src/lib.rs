//! Pictures, words and the page: how models and explanations are shown to people.
//!
//! - [`draw`], [`Portraits`], `pictures.rs`: layouts and SVG of graphs, subgraphs of models, attributions and trees;
//! - [`wording`], [`story`]: counts and models in words;
//! - `page`: one HTML file about a model and its predictions;
//! - [`export`]: models as files that need no einsicht.
//!
//! Computes nothing about a model but what it shows; never opens a file and never prints: pictures and pages are
//! strings.

pub mod draw;
pub mod export;
mod page;
mod pictures;
mod portrait;
pub mod story;
pub mod wording;

pub use page::{CompareError, ComparedModel, ReportError, ReportOptions, compare_report, report, report_with_progress};
pub use pictures::{spread_svg, surrogate_svg};
pub use portrait::Portraits;
