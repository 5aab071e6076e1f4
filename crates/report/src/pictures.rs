//! Pictures of explanations, each an SVG file of its own: a graph coloured by attributions, a surrogate tree.

use crate::draw::figure::{self, Caption};
use crate::draw::{Drawing, Palette, draw};
use crate::portrait::Portraits;
use einsicht_explain::{Over, Subject, Surrogate, spread};
use einsicht_graph::Graph;
use einsicht_model::Model;
use einsicht_model::metrics::most_likely;
use einsicht_model::task::TaskKind;

/// A drawing of one graph, coloured by the attributions of its vertices and edges, as an SVG file of its own.
///
/// # Panics
/// If there is no such entry or row.
pub fn spread_svg(subject: &Subject<'_>, row: usize, values: &[f64], over: Over, title: &str) -> String {
    let graph = &subject.dataset.graphs[row];
    let palette = Palette::of(subject.dataset.names());
    draw(graph, &palette).heat_map(graph, &spread(subject, row, values, over), title)
}

/// A drawing of a surrogate tree of a task, as an SVG file of its own.
///
/// # Panics
/// If there is no such entry or task, or the tree is not about the patterns of the entry.
pub fn surrogate_svg(model: &Model, entry: usize, task: usize, surrogate: &Surrogate) -> String {
    let Surrogate { tree, fidelity } = surrogate;
    let described = &model.tasks[task];
    let names = model.names();
    let portraits = Portraits::of(model);
    let drawn = |graph: &Graph| portraits.draw(graph).titled(names.words(graph));
    let patterns = model.entries[entry].iterate.patterns.iter();
    let drawings: Vec<Drawing> = patterns.map(|pattern| drawn(&pattern.code.to_graph())).collect();
    let answer = |leaf: usize| match &described.kind {
        TaskKind::Classes(names) => {
            let (fractions, rows) = (tree.value(leaf), tree.nodes[leaf].rows);
            let class = most_likely(fractions);
            [names[class].clone(), format!("{:.0} % of {rows}", 100.0 * fractions[class])]
        }
        TaskKind::Number { .. } => {
            let rows = tree.nodes[leaf].rows;
            [format!("{:.3}", tree.value(leaf)[0]), format!("{rows} graph{}", if rows == 1 { "" } else { "s" })]
        }
    };
    let what = match &described.kind {
        TaskKind::Classes(_) => "of the model's predictions are reproduced",
        TaskKind::Number { .. } => "of the variance of the model's predictions is explained",
    };
    let note = format!("{:.1} % {what}", 100.0 * fidelity);
    let caption = Caption { title: &described.name, note: &note };
    figure::tree(&caption, tree, model.params.values(), &drawings, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_explain::PatternLocator;
    use einsicht_graph::matching::Scratch;
    use einsicht_testkit::models;

    #[test]
    fn a_single_vertex_is_painted_wherever_it_occurs() {
        let (dataset, model) = models::rings();
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let mut values = vec![0.0; subject.iterate().patterns.len()];
        let single = subject.iterate().patterns.iter().position(|pattern| pattern.code.num_edges() == 0);
        let at = single.unwrap_or(0);
        values[at] = 3.0;
        let locator = PatternLocator::new(&subject, Over::Subgraph);
        let vertices: std::collections::BTreeSet<_> = locator
            .occurrences(at, &dataset.graphs[0], 1000, &mut Scratch::default())
            .into_iter()
            .flat_map(|one| one.vertices)
            .collect();
        let svg = spread_svg(&subject, 0, &values, Over::Subgraph, "");
        assert_eq!(svg.matches("<circle").count(), vertices.len());
    }
}
