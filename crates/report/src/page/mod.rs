//! The page: one file that holds everything and needs nothing else.
//!
//! Promise: the same model, data and options give the same bytes; the page loads nothing from anywhere; text from the
//! data can never become markup or script. Everything is computed here, once, for every size of the path; the script of
//! the page only shows it. Tested in a real browser (`crates/cli/tests/program/browser`).

mod compare;
mod content;
mod diagnostics;
mod entry;
mod facts;
mod graphs;
mod judged;
mod packed;
mod patterns;
mod reading;
mod swarm;

use crate::draw::svg::{self, escape};
pub use compare::{CompareError, ComparedModel};
use einsicht_data::Dataset;
use einsicht_explain::Provenance;
use einsicht_model::Model;

/// What a report contains. Attributions are Shapley values; their baseline is the background of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// Most graphs that are shown one by one, evenly spaced; metrics are computed on all.
    pub max_graphs: usize,
    /// Depth of the surrogate trees.
    pub depth: usize,
    /// Trees of the random forest for importances.
    pub trees: usize,
    /// With a network, exact Shapley values where up to so many subgraphs differ from the background; with a head they
    /// are exact.
    pub exact_up_to: usize,
    /// Beyond that, the number of random orders; each is used in both directions.
    pub orders: usize,
    /// The tasks whose outputs are explained; empty for all, as far as there is room.
    pub tasks: Vec<usize>,
    /// Seed of everything random, but for effects, which have the seed of the model.
    pub seed: u64,
    /// The program and its version.
    pub program: String,
    /// The command that writes this report.
    pub command: String,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            max_graphs: 700,
            depth: 4,
            trees: 500,
            exact_up_to: 8,
            orders: 16,
            tasks: Vec::new(),
            seed: 0,
            program: format!("einsicht {}", env!("CARGO_PKG_VERSION")),
            command: String::new(),
        }
    }
}

/// The script of the page, one file per section of it.
const SCRIPT: &str = concat!(
    include_str!("assets/elements.js"),
    include_str!("assets/base.js"),
    include_str!("assets/drawing.js"),
    include_str!("assets/headline.js"),
    include_str!("assets/performance.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/swarm.js"),
    include_str!("assets/gallery.js"),
    include_str!("assets/rules.js"),
    include_str!("assets/errors.js"),
    include_str!("assets/table.js"),
    include_str!("assets/detail.js"),
    include_str!("assets/main.js"),
);

/// The script of the page of two models.
const COMPARE_SCRIPT: &str = concat!(
    include_str!("assets/elements.js"),
    include_str!("assets/drawing.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/compare.js"),
);

/// The styles of the page: the theme, its parts, then narrow screens and paper.
const STYLE: &str = concat!(
    include_str!("assets/style/base.css"),
    include_str!("assets/style/charts.css"),
    include_str!("assets/style/parts.css"),
    include_str!("assets/style/compare.css"),
    include_str!("assets/style/media.css"),
);

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum ReportError {
    #[error("a report must have at least one graph, but the data set is empty")]
    NoGraph,
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The page about a model and a data set. The provenance is that of the data set, parallel to it.
pub fn report(
    model: &Model,
    dataset: &Dataset,
    provenance: &Provenance,
    options: &ReportOptions,
) -> Result<String, ReportError> {
    report_with_progress(model, dataset, provenance, options, &|_| ())
}

/// The same; `progress` hears which part of the work is done, from 0 to 1.
pub fn report_with_progress(
    model: &Model,
    dataset: &Dataset,
    provenance: &Provenance,
    options: &ReportOptions,
    progress: &dyn Fn(f64),
) -> Result<String, ReportError> {
    if dataset.is_empty() {
        return Err(ReportError::NoGraph);
    }
    let content = content::content(model, dataset, provenance, options, progress);
    let page = Page { html: include_str!("assets/page.html"), script: SCRIPT, title: &content.title };
    Ok(page.filled(&content, options)?)
}

/// The page of two models side by side, on the same graphs. It has an interval of every difference, and the graphs that
/// they predict differently.
pub fn compare_report(
    models: [ComparedModel<'_>; 2],
    options: &ReportOptions,
    progress: &dyn Fn(f64),
) -> Result<String, ReportError> {
    if models.iter().any(|one| one.dataset.is_empty()) {
        return Err(ReportError::NoGraph);
    }
    let content = compare::comparison(models, options, progress)?;
    let (html, script) = (include_str!("assets/compare.html"), COMPARE_SCRIPT);
    Ok(Page { html, script, title: &content.title }.filled(&content, options)?)
}

/// A page without its content.
struct Page<'a> {
    html: &'static str,
    script: &'static str,
    title: &'a str,
}

impl Page<'_> {
    /// The page with its content. What is filled in is never searched for holes.
    fn filled(&self, content: &impl serde::Serialize, options: &ReportOptions) -> serde_json::Result<String> {
        let data = escape_script(&serde_json::to_string(content)?);
        let (title, program) = (escape(self.title), escape(&options.program));
        let mut page = String::with_capacity(data.len() + self.script.len() + STYLE.len() + 2 * self.html.len());
        for (at, part) in self.html.split("{{").enumerate() {
            let (hole, text) = part.split_once("}}").filter(|_| at > 0).unwrap_or(("", part));
            match hole.trim() {
                "title" => page += &title,
                "program" => page += &program,
                "style" => page.extend([STYLE, svg::STYLE, ".drawing{height:auto}"]),
                "script" => page += self.script,
                "data" => page += &data,
                // A test fills both pages, so no hole has another name.
                other => debug_assert!(other.is_empty(), "{other}"),
            }
            page += text;
        }
        Ok(page)
    }
}

/// Escapes JSON so that it cannot end the script element around it, whatever its strings hold.
fn escape_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + json.len() / 16);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            // What an HTML parser would take for a tag or a comment. Tags of drawings begin with other letters.
            ('<', Some('/' | '!' | 's' | 'S' | '?')) => safe += "\\u003c",
            ('\u{2028}', _) => safe += "\\u2028",
            ('\u{2029}', _) => safe += "\\u2029",
            (c, _) => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
