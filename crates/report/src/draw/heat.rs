//! Heat maps: a drawing with a colour under every vertex and edge that has an attribution.
//!
//! Positive attributions (they raise the output) are orange, negative ones blue, as on the report page, the largest in
//! full colour. Nothing is drawn under an attribution of 0, so the heat map of a graph without attributions is the
//! plain drawing.

use super::svg::Drawing;
use einsicht_explain::Spread;
use einsicht_graph::Graph;

const POSITIVE: &str = "#c2571a";
const NEGATIVE: &str = "#2c6fb3";

impl Drawing {
    /// The drawing as a file of its own, coloured by attributions.
    pub(crate) fn heat_map(&self, graph: &Graph, spread: &Spread, title: &str) -> String {
        let file = self.file(graph, &[], title);
        match file.find("</style>") {
            Some(at) => {
                let (head, body) = file.split_at(at + "</style>".len());
                format!("{head}{}{body}", self.colours(graph, spread))
            }
            None => file,
        }
    }

    /// The drawing, coloured by attributions.
    pub(crate) fn heated(&self, graph: &Graph, spread: &Spread) -> Self {
        Self { body: format!("{}{}", self.colours(graph, spread), self.body), ..self.clone() }
    }

    fn colours(&self, graph: &Graph, spread: &Spread) -> String {
        if self.points.is_empty() {
            return String::new();
        }
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let mut colours = String::new();
        let most = largest(&spread.edges);
        for (edge, &value) in graph.edges().iter().zip(&spread.edges).filter(|(_, value)| **value != 0.0) {
            let ((x, y), (u, v)) = (self.points[edge.from.index()], self.points[edge.to.index()]);
            colours += &format!(
                "<path d=\"M{x} {y}L{u} {v}\" stroke=\"{}\" stroke-opacity=\"{:.3}\" stroke-width=\"12\" \
                 stroke-linecap=\"round\" fill=\"none\"/>",
                colour(value),
                opacity(value, most),
            );
        }
        let most = largest(&spread.vertices);
        for (&(x, y), &value) in self.points.iter().zip(&spread.vertices).filter(|(_, value)| **value != 0.0) {
            colours += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"{}\" fill-opacity=\"{:.3}\"/>",
                colour(value),
                opacity(value, most)
            );
        }
        colours
    }
}

fn colour(value: f64) -> &'static str {
    if value > 0.0 { POSITIVE } else { NEGATIVE }
}

/// The opacity of a colour: never so much that a letter above it cannot be read.
fn opacity(value: f64, most: f64) -> f64 {
    0.08 + 0.47 * value.abs() / most
}

#[cfg(test)]
mod tests {
    use crate::draw::{Palette, draw};
    use einsicht_data::Vocabulary;
    use einsicht_explain::Spread;
    use einsicht_graph::{Graph, Label};

    #[test]
    fn the_page_has_the_same_colours() {
        let css = include_str!("../page/assets/style/base.css");
        assert!(css.contains(&format!("--plus: {};", super::POSITIVE)));
        assert!(css.contains(&format!("--minus: {};", super::NEGATIVE)));
    }

    #[test]
    fn attributions_are_coloured_by_their_sign_and_nothing_else_is() {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = (0..3).map(|_| builder.add_vertex(Label(0)).unwrap()).collect();
        builder.add_edge(vertices[0], vertices[1], Label(0)).unwrap();
        builder.add_edge(vertices[1], vertices[2], Label(0)).unwrap();
        let graph = builder.build();
        let palette = Palette::new(&Vocabulary::from_tokens(["C"]), &Vocabulary::from_tokens(["single"]));
        let drawing = draw(&graph, &palette);
        let spread = Spread { vertices: vec![1.0, -0.5, 0.0], edges: vec![0.5, 0.0] };
        let svg = drawing.heat_map(&graph, &spread, "propane");
        assert_eq!((svg.matches(super::POSITIVE).count(), svg.matches(super::NEGATIVE).count()), (2, 1));
        let nothing = Spread { vertices: vec![0.0; 3], edges: vec![0.0; 2] };
        assert_eq!(drawing.heat_map(&graph, &nothing, "propane"), drawing.file(&graph, &[], "propane"));
    }
}
