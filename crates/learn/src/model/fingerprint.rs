//! A short name for the content of a data set, to notice when a model meets other data.
//!
//! Covers the labels' tokens, the graphs and the targets, in order; not file names, ids or display names. It is a
//! 128-bit FNV-1a sum over 32-bit words: good against mistakes, not against malice.

use einsicht_data::{Dataset, TargetValues, Vocabulary};

struct Sum(u128);

impl Sum {
    fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u128::from(word)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }

    fn number(&mut self, number: u64) {
        self.word(number as u32);
        self.word((number >> 32) as u32);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        for byte in text.bytes() {
            self.word(u32::from(byte));
        }
    }

    fn vocabulary(&mut self, vocabulary: &Vocabulary) {
        self.number(vocabulary.len() as u64);
        for token in vocabulary.tokens() {
            self.text(token);
        }
    }
}

/// The fingerprint: 32 hexadecimal digits.
pub fn fingerprint(dataset: &Dataset) -> String {
    let mut sum = Sum(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    sum.vocabulary(&dataset.vertex_labels);
    sum.vocabulary(&dataset.edge_labels);
    sum.number(dataset.len() as u64);
    for (graph, origin) in dataset.graphs.iter().zip(&dataset.origins) {
        sum.word(origin.row);
        sum.number(graph.num_vertices() as u64);
        for label in graph.vertex_labels() {
            sum.word(label.0);
        }
        sum.number(graph.num_edges() as u64);
        for edge in graph.edges() {
            for word in [edge.from.0, edge.to.0, edge.label.0] {
                sum.word(word);
            }
        }
    }
    for target in &dataset.targets {
        sum.text(&target.name);
        match &target.values {
            TargetValues::Classes { classes, values } => {
                sum.vocabulary(classes);
                for value in values {
                    sum.word(value.map_or(u32::MAX, |class| class));
                }
            }
            TargetValues::Numbers { values } => {
                for value in values {
                    sum.number(value.map_or(u64::MAX, f64::to_bits));
                }
            }
        }
    }
    format!("{:032x}", sum.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::{Origin, Target};
    use einsicht_graph::{Graph, Label};

    fn dataset(label: u32, value: f64) -> Dataset {
        let mut builder = Graph::builder();
        builder.add_vertex(Label(label)).unwrap();
        Dataset {
            graphs: vec![builder.build()],
            ids: vec!["a".to_owned()],
            origins: vec![Origin::default()],
            vertex_labels: Vocabulary::from_tokens(["0", "1"]),
            targets: vec![Target { name: "y".to_owned(), values: TargetValues::Numbers { values: vec![Some(value)] } }],
            ..Dataset::default()
        }
    }

    #[test]
    fn every_change_of_content_changes_the_fingerprint() {
        let known = fingerprint(&dataset(0, 1.0));
        assert_eq!(known.len(), 32);
        assert_eq!(known, fingerprint(&Dataset { name: "other".to_owned(), ..dataset(0, 1.0) }));
        assert_ne!(known, fingerprint(&dataset(1, 1.0)));
        assert_ne!(known, fingerprint(&dataset(0, 2.0)));
    }
}
