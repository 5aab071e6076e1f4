//! The report: one page that holds everything and needs nothing else.
//!
//! Promise: the same model, data and options give the same bytes; the page asks no server for anything; text from the data
//! can never become markup or script. What the page shows is computed here, exactly once, for every size of the path; its
//! script only shows it. Tested in a real browser (`crates/cli/tests/program/browser.rs`).

mod data;
mod entry;
mod graphs;

use crate::kinship::Kinship;
use crate::shapley;
use einsicht_data::Dataset;
use einsicht_learn::model::Model;
use minijinja::{Environment, context};

/// What goes into a report, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Graphs that are shown one by one at most; metrics are of all.
    pub max_graphs: usize,
    /// Most questions on a way through the rules.
    pub depth: usize,
    /// Trees of the forest whose importance is shown.
    pub trees: usize,
    /// How shares are found; the baseline is always the absence of subgraphs.
    pub shapley: shapley::Options,
    /// Seed of everything random.
    pub seed: u64,
    /// The program and its version.
    pub program: String,
    /// What to type to get this report again.
    pub command: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_graphs: 2000,
            depth: 4,
            trees: 500,
            shapley: shapley::Options { exact_up_to: 8, orders: 16, ..shapley::Options::default() },
            seed: 0,
            program: format!("einsicht {}", env!("CARGO_PKG_VERSION")),
            command: String::new(),
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Nothing to report on.
    #[error("a report must have at least one graph, but the data set is empty")]
    NoGraph,
    /// A number that cannot be written: a bug.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The page does not fit its template: a bug.
    #[error("the page cannot be filled in: {0}")]
    Page(#[from] minijinja::Error),
}

/// The page about a model and a data set. `kinship` is that of the whole data set, parallel to it.
pub fn report(model: &Model, dataset: &Dataset, kinship: &Kinship, options: &Options) -> Result<String, ReportError> {
    if dataset.is_empty() {
        return Err(ReportError::NoGraph);
    }
    let page = data::page(model, dataset, kinship, options);
    let json = harmless(&serde_json::to_string(&page)?);
    let mut environment = Environment::new();
    environment.add_template("page.html", include_str!("page.html"))?;
    let filled = environment.get_template("page.html")?.render(context! {
        title => page.title,
        program => options.program,
        style => format!("{}{}", include_str!("page.css"), crate::draw::svg::STYLE),
        script => include_str!("page.js"),
        data => json,
    })?;
    Ok(filled)
}

/// JSON that cannot end the script element it stands in, whatever its strings hold.
fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len() + json.len() / 16);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            // What a reader of HTML would take for a tag or a comment. Drawings begin with other letters.
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

    fn small() -> Options {
        Options { trees: 20, command: "einsicht report <model>".to_owned(), ..Options::default() }
    }

    #[test]
    fn a_report_is_the_same_every_time_and_asks_for_nothing() {
        let (dataset, model) = testing::rings();
        let kinship = Kinship::of(&model, &dataset);
        let page = report(&model, &dataset, &kinship, &small()).unwrap();
        assert_eq!(page, report(&model, &dataset, &kinship, &small()).unwrap());
        assert!(page.starts_with("<!doctype html>"));
        let outside = ["src=", "href=\"http", "url(", "@import", "fetch("];
        assert!(outside.iter().all(|word| !page.contains(word)));
        assert!(page.contains("einsicht report \\u003c") || page.contains("einsicht report <model>"));
    }

    #[test]
    fn labels_cannot_become_markup() {
        assert_eq!(
            harmless("\"</script><script><!-- <b\u{2028}\""),
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
        let page = report(&model, &dataset, &Kinship::of(&model, &dataset), &small()).unwrap();
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
        let kinship = Kinship::of(&model, &dataset);
        let options = Options { max_graphs: 7, ..small() };
        let page = data::page(&model, &dataset, &kinship, &options);
        assert_eq!((page.graphs.len(), page.total), (7, 60));
        assert!(page.graphs.iter().all(|graph| graph.truth == [None]));
        assert!(page.warnings.iter().any(|warning| warning.contains("no target")));
        assert!(report(&model, &dataset.subset(&[]), &kinship, &options).is_err());
    }
}
