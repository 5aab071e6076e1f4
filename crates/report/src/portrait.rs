//! Drawings of the subgraphs of a model where no data are at hand: in notebooks, of loaded models, in figures.
//!
//! Promise: a piece of an aromatic ring is drawn as the ring, with the rest in grey, wherever the model knows such a
//! ring: one of its own subgraphs, of the equivalent ones, or of what they are part of. All of these occur in the
//! training graphs, so the ring does; it contains the subgraph, but whether what the subgraph requires of its vertices
//! (`C[H0]`) holds there is not known. Where the model knows no ring, the piece is drawn as it is. The page takes rings
//! from the molecules at hand instead. The model file has nothing for this.

use crate::draw::{Drawing, Palette, draw_in_known_rings, draw_pattern, has_ring};
use einsicht_graph::{DfsCode, Graph};
use einsicht_model::{Model, Pattern};

/// How the subgraphs of a model are drawn.
#[derive(Clone, Debug)]
pub struct Portraits {
    palette: Palette,
    /// Graphs with aromatic rings that occur in the training graphs, small ones first.
    rings: Vec<Graph>,
}

impl Portraits {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let palette = Palette::of(model.names());
        let codes = |pattern: &Pattern| {
            let class = pattern.class.minimal.iter().chain(&pattern.class.maximal);
            [&pattern.code].into_iter().chain(class).chain(&pattern.whole).cloned().collect::<Vec<_>>()
        };
        let mut codes: Vec<DfsCode> = model.patterns.iter().flat_map(codes).collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        let rings = codes.iter().map(DfsCode::to_graph).filter(|graph| has_ring(graph, &palette)).collect();
        Self { palette, rings }
    }

    /// The drawing of a pattern with labels of the model.
    ///
    /// # Panics
    /// If a label of the pattern is not one of the model's.
    pub fn draw(&self, pattern: &Graph) -> Drawing {
        let in_ring = draw_in_known_rings(pattern, &self.rings, &self.palette);
        in_ring.unwrap_or_else(|| draw_pattern(pattern, &self.palette))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_graph::{Edge, VertexId};
    use einsicht_search::SupportClass;
    use einsicht_search::feature::Feature;
    use einsicht_testkit::models;

    /// Some edges of a graph as a pattern.
    fn piece(graph: &Graph, edges: &[&Edge]) -> Graph {
        let (mut builder, mut known) = (Graph::builder(), Vec::new());
        for edge in edges {
            let mut place = |vertex: VertexId| {
                let at = known.iter().position(|known| *known == vertex).unwrap_or(known.len());
                if at == known.len() {
                    known.push(vertex);
                    builder.add_vertex(graph.vertex_label(vertex)).unwrap();
                }
                VertexId(at as u32)
            };
            let ends = [place(edge.from), place(edge.to)];
            builder.add_edge(ends[0], ends[1], edge.label).unwrap();
        }
        builder.build()
    }

    #[test]
    fn pieces_of_rings_are_drawn_as_rings_that_the_model_knows() {
        let (dataset, mut model) = models::amines(Feature::Presence);
        let benzylamine = &dataset.graphs[2];
        let aromatic = dataset.edge_labels.tokens().iter().position(|token| token == "aromatic").unwrap();
        let is_aromatic = |edge: &&Edge| edge.label.index() == aromatic;
        let ring: Vec<&Edge> = benzylamine.edges().iter().filter(is_aromatic).collect();
        let meets = |edge: &&&Edge| edge.from == ring[0].to || edge.to == ring[0].to;
        let two = piece(benzylamine, &[ring[0], ring[1..].iter().find(meets).unwrap()]);
        let palette = Palette::of(model.names());
        assert_eq!((ring.len(), two.num_edges(), draw_pattern(&two, &palette).points.len()), (6, 2, 3));

        model.patterns.retain(|pattern| !has_ring(&pattern.code.to_graph(), &palette));
        model.patterns.iter_mut().for_each(|pattern| pattern.class = SupportClass::from_members(Vec::new()));
        assert_eq!(Portraits::of(&model).draw(&two), draw_pattern(&two, &palette));

        let of_ring = Pattern {
            code: DfsCode::minimum_of(&piece(benzylamine, &ring)).unwrap(),
            whole: None,
            ..model.patterns[0].clone()
        };
        model.patterns.push(of_ring);
        let portraits = Portraits::of(&model);
        // The piece alone has dashes; the ring has none, three more atoms, and grey lines.
        let drawn = portraits.draw(&two);
        assert!(draw_pattern(&two, &palette).body.contains("class=\"d"));
        assert!(!drawn.body.contains("class=\"d") && drawn.body.contains(" rest\""), "{}", drawn.body);
        assert_eq!(drawn.points.len(), 6);
        // What it requires of its vertices stays, and a whole ring needs nothing.
        let mut qualified = two.clone();
        qualified.set_qualifiers(vec![1, 0, 0]);
        assert_eq!(portraits.draw(&qualified).points.len(), 6);
        let whole = piece(benzylamine, &ring);
        assert_eq!(portraits.draw(&whole), draw_pattern(&whole, &palette));
    }
}
