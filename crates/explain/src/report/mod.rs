//! The report: one page that holds everything and needs nothing else.
//!
//! Promise: the same model, data and options give the same bytes; the page loads nothing from anywhere; text from the data
//! can never become markup or script. Everything is computed here, once, for every size of the path; the script of the page
//! only shows it. Tested in a real browser (`crates/cli/tests/program/browser.rs`).

mod content;
mod entry;
mod facts;
mod graphs;
mod patterns;
mod reading;

use crate::provenance::Provenance;
use einsicht_data::Dataset;
use einsicht_learn::model::Model;
use minijinja::{Environment, context};

/// What a report contains. Attributions are Shapley values; their baseline is the absence of subgraphs.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// Most graphs that are shown one by one; metrics are computed on all.
    pub max_graphs: usize,
    /// Depth of the surrogate trees.
    pub depth: usize,
    /// Trees of the random forest for importances.
    pub trees: usize,
    /// Exact Shapley values for up to so many subgraphs.
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
            max_graphs: 2000,
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
    include_str!("page/base.js"),
    include_str!("page/drawing.js"),
    include_str!("page/performance.js"),
    include_str!("page/charts.js"),
    include_str!("page/gallery.js"),
    include_str!("page/rules.js"),
    include_str!("page/errors.js"),
    include_str!("page/table.js"),
    include_str!("page/detail.js"),
    include_str!("page/main.js"),
);

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is no graph.
    #[error("a report must have at least one graph, but the data set is empty")]
    NoGraph,
    /// A number that cannot be written: a bug.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The page does not fit its template: a bug.
    #[error("the page cannot be filled in: {0}")]
    Page(#[from] minijinja::Error),
}

/// The page about a model and a data set. The provenance is that of the data set, parallel to it.
pub fn report(
    model: &Model,
    dataset: &Dataset,
    provenance: &Provenance,
    options: &ReportOptions,
) -> Result<String, ReportError> {
    if dataset.is_empty() {
        return Err(ReportError::NoGraph);
    }
    let content = content::content(model, dataset, provenance, options);
    let json = escape_script(&serde_json::to_string(&content)?);
    let mut environment = Environment::new();
    environment.add_template("page.html", include_str!("page/page.html"))?;
    let filled = environment.get_template("page.html")?.render(context! {
        title => content.title,
        program => options.program,
        style => format!("{}{}", include_str!("page/page.css"), crate::draw::svg::STYLE),
        script => SCRIPT,
        data => json,
    })?;
    Ok(filled)
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
mod tests {
    use super::*;
    use crate::testing;
    use einsicht_search::feature::Feature;

    fn small() -> ReportOptions {
        ReportOptions { trees: 20, command: "einsicht report <model>".to_owned(), ..ReportOptions::default() }
    }

    #[test]
    fn a_report_is_the_same_every_time_and_loads_nothing() {
        let (dataset, model) = testing::rings();
        let provenance = Provenance::of(&model, &dataset);
        let page = report(&model, &dataset, &provenance, &small()).unwrap();
        assert_eq!(page, report(&model, &dataset, &provenance, &small()).unwrap());
        assert!(page.starts_with("<!doctype html>"));
        let outside = ["src=", "href=\"http", "url(", "@import", "fetch("];
        assert!(outside.iter().all(|word| !page.contains(word)));
        assert!(page.contains("einsicht report \\u003c") || page.contains("einsicht report <model>"));
    }

    #[test]
    fn labels_cannot_become_markup() {
        assert_eq!(
            escape_script("\"</script><script><!-- <b\u{2028}\""),
            "\"\\u003c/script>\\u003cscript>\\u003c!-- <b\\u2028\""
        );
        let (mut dataset, mut model) = testing::rings();
        dataset.ids[0] = "</script><script>alert(1)</script>".to_owned();
        let image = "<img src=x onerror=alert(1)>";
        dataset.name = image.to_owned();
        model.tasks[0].name = image.to_owned();
        for token in model.vertex_labels.tokens().to_vec() {
            // Short, since long names are not written into drawings.
            model.vertex_labels.set_name(token, "<b".to_owned());
        }
        let page = report(&model, &dataset, &Provenance::of(&model, &dataset), &small()).unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        // Outside of the data, which are text to a browser, and inside of the drawings, which it gets as markup.
        let (head, data) = page.split_once("<script id=").unwrap();
        assert!(head.contains("&lt;img src=x") && !head.contains("<img"), "{head}");
        let json = data.split_once('>').and_then(|(_, rest)| rest.split("</script").next()).unwrap();
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        let drawn = [&data["patterns"], &data["graphs"]].map(|list| list.as_array().unwrap().clone()).concat();
        let markup: Vec<String> = drawn.iter().map(|one| one["picture"].to_string()).collect();
        assert!(markup.iter().any(|text| text.contains("&lt;b")), "{}", markup[0]);
        assert!(markup.iter().all(|text| !text.contains("<b")));
    }

    #[test]
    fn graphs_without_truth_or_beyond_the_limit_are_left_out_of_what_cannot_be_shown() {
        let (mut dataset, model) = testing::rings();
        dataset.targets.clear();
        let provenance = Provenance::of(&model, &dataset);
        let options = ReportOptions { max_graphs: 7, ..small() };
        let page = content::content(&model, &dataset, &provenance, &options);
        assert_eq!((page.graphs.len(), page.total), (7, 60));
        assert!(page.graphs.iter().all(|graph| graph.truth == [None]));
        assert!(page.warnings.iter().any(|warning| warning.contains("no target")));
        assert!(report(&model, &dataset.subset(&[]), &provenance, &options).is_err());
    }

    #[test]
    fn the_page_says_what_qualified_patterns_and_counts_mean() {
        let sentences = |feature| {
            let (dataset, model) = testing::amines(feature);
            let page = content::content(&model, &dataset, &Provenance::of(&model, &dataset), &small());
            assert!(model.patterns.iter().any(|pattern| !pattern.code.qualifiers().is_empty()));
            let whole = serde_json::to_value(&page).unwrap();
            for pattern in whole["patterns"].as_array().unwrap() {
                let is_qualified = pattern["text"].as_str().unwrap().contains('[');
                assert!(!is_qualified || pattern["words"] != pattern["text"], "{pattern}");
                assert!(pattern["smarts"].is_string(), "{pattern}");
            }
            // No molecule shows the common label of halogens.
            assert!(
                whole["graphs"].as_array().unwrap().iter().all(|graph| !graph["picture"].to_string().contains(">X"))
            );
            page.reading.join(" ")
        };
        let presence = sentences(Feature::Presence);
        assert!(presence.contains("exactly the hydrogens") && !presence.contains("copies"), "{presence}");
        assert!(sentences(Feature::Count).contains("counts copies"));
        assert!(sentences(Feature::Mni).contains("not a number of copies"));
    }
}
