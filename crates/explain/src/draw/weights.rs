//! A drawing with a colour under every vertex and edge: how much each of them speaks for the output, or against it.
//!
//! Shares that raise the output are blue, those that lower it red, the strongest one in full colour. Nothing is drawn under
//! what has no share, so the drawing of a graph without any is the plain one.

use super::svg::Drawing;
use crate::place::Spread;
use einsicht_graph::Graph;

const FOR: &str = "#2563c9";
const AGAINST: &str = "#cf3b35";

impl Drawing {
    /// The drawing as a file of its own, coloured by these shares.
    pub fn weighted(&self, graph: &Graph, shares: &Spread, title: &str) -> String {
        let file = self.file(graph, &[], title);
        match file.find("</style>") {
            Some(at) => {
                let (head, body) = file.split_at(at + "</style>".len());
                format!("{head}{}{body}", self.colours(graph, shares))
            }
            None => file,
        }
    }

    fn colours(&self, graph: &Graph, shares: &Spread) -> String {
        if self.points.is_empty() {
            return String::new();
        }
        let largest = |shares: &[f64]| shares.iter().fold(0.0_f64, |most, share| most.max(share.abs()));
        let mut colours = String::new();
        let most = largest(&shares.edges);
        for (edge, &share) in graph.edges().iter().zip(&shares.edges).filter(|(_, share)| **share != 0.0) {
            let ((x, y), (u, v)) = (self.points[edge.from.index()], self.points[edge.to.index()]);
            colours += &format!(
                "<path d=\"M{x} {y}L{u} {v}\" stroke=\"{}\" stroke-opacity=\"{:.3}\" stroke-width=\"12\" stroke-linecap=\"round\" fill=\"none\"/>",
                colour(share),
                strength(share, most),
            );
        }
        let most = largest(&shares.vertices);
        for (&(x, y), &share) in self.points.iter().zip(&shares.vertices).filter(|(_, share)| **share != 0.0) {
            colours += &format!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"{}\" fill-opacity=\"{:.3}\"/>",
                colour(share),
                strength(share, most)
            );
        }
        colours
    }
}

fn colour(share: f64) -> &'static str {
    if share > 0.0 { FOR } else { AGAINST }
}

/// How opaque a colour is: never so much that a letter above it cannot be read.
fn strength(share: f64, most: f64) -> f64 {
    0.08 + 0.47 * share.abs() / most
}

#[cfg(test)]
mod tests {
    use crate::draw::{Palette, draw};
    use crate::place::Spread;
    use einsicht_data::Vocabulary;
    use einsicht_graph::{Graph, Label};

    #[test]
    fn shares_are_coloured_by_their_sign_and_nothing_else_is() {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = (0..3).map(|_| builder.add_vertex(Label(0)).unwrap()).collect();
        builder.add_edge(vertices[0], vertices[1], Label(0)).unwrap();
        builder.add_edge(vertices[1], vertices[2], Label(0)).unwrap();
        let graph = builder.build();
        let palette = Palette::new(&Vocabulary::from_tokens(["C"]), &Vocabulary::from_tokens(["single"]));
        let drawing = draw(&graph, &palette);
        let shares = Spread { vertices: vec![1.0, -0.5, 0.0], edges: vec![0.5, 0.0] };
        let svg = drawing.weighted(&graph, &shares, "propane");
        assert_eq!((svg.matches(super::FOR).count(), svg.matches(super::AGAINST).count()), (2, 1));
        let nothing = Spread { vertices: vec![0.0; 3], edges: vec![0.0; 2] };
        assert_eq!(drawing.weighted(&graph, &nothing, "propane"), drawing.file(&graph, &[], "propane"));
    }
}
