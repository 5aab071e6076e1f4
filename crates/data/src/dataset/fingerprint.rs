//! A hash of a data set: 128 bits over everything that a model can depend on.
//!
//! Promise: the same in every version and on every machine for the same graphs (vertices, edges, labels as words, in
//! order), attributes, features, properties, qualifiers and targets; names, ids, origins and where the set was read
//! from do not count. FNV-1a with 128 bits over a plain encoding: every list is preceded by its length, numbers are
//! little-endian, reals are their bits. It detects accidents; it is not cryptographic.

use super::vocabulary::Vocabulary;
use super::{Dataset, TargetValues};
use std::fmt;

/// The fingerprint of a data set; shown as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// First bytes of every encoding: another encoding gets another number.
const ENCODING: &str = "einsicht data set 1";
const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

pub(super) struct Hasher(u128);

impl Hasher {
    pub(super) fn new() -> Self {
        Self(OFFSET_BASIS)
    }

    pub(super) fn finish(&self) -> Fingerprint {
        Fingerprint(self.0)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub(super) fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn small(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    pub(super) fn word(&mut self, word: &str) {
        self.number(word.len() as u64);
        self.bytes(word.as_bytes());
    }

    fn words(&mut self, vocabulary: &Vocabulary) {
        self.number(vocabulary.len() as u64);
        for token in vocabulary.tokens() {
            self.word(token);
        }
    }
}

impl Dataset {
    /// The fingerprint of graphs, attributes, features, properties, qualifiers and targets.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = Hasher::new();
        hasher.word(ENCODING);
        hasher.words(&self.vertex_labels);
        hasher.words(&self.edge_labels);
        hasher.number(self.len() as u64);
        for graph in &self.graphs {
            hasher.number(graph.num_vertices() as u64);
            for label in graph.vertex_labels() {
                hasher.small(label.0);
            }
            hasher.number(graph.num_edges() as u64);
            for edge in graph.edges() {
                for number in [edge.from.0, edge.to.0, edge.label.0] {
                    hasher.small(number);
                }
            }
        }
        let columns = self.attributes.as_ref().map_or(0, |attributes| attributes.columns);
        hasher.number(columns as u64);
        for value in self.attributes.iter().flat_map(|attributes| attributes.values.iter().flatten()) {
            hasher.number(value.to_bits());
        }
        hasher.number(self.targets.len() as u64);
        for target in &self.targets {
            hasher.word(&target.name);
            match &target.values {
                TargetValues::Classes { classes, values } => {
                    hasher.word("classes");
                    hasher.words(classes);
                    for value in values {
                        hasher.number(value.map_or(u64::MAX, u64::from));
                    }
                }
                TargetValues::Numbers { values } => {
                    hasher.word("numbers");
                    for value in values {
                        hasher.bytes(&[u8::from(value.is_some())]);
                        hasher.number(value.map_or(0, f64::to_bits));
                    }
                }
            }
        }
        self.hash_properties(&mut hasher);
        hasher.finish()
    }

    /// Nothing where there are none, so that sets of old have their old fingerprint.
    fn hash_properties(&self, hasher: &mut Hasher) {
        for column in &self.features {
            hasher.word("feature");
            hasher.word(&column.name);
            column.values.iter().for_each(|value| hasher.number(value.to_bits()));
        }
        for column in &self.properties {
            hasher.word("property");
            hasher.word(&column.name);
            column.tokens().iter().for_each(|token| hasher.word(token));
            for (at, graph) in self.graphs.iter().enumerate() {
                let values = (0..graph.num_vertices()).map(|vertex| column.value(at, vertex));
                values.for_each(|value| hasher.small(value.unwrap_or(u32::MAX)));
            }
        }
        if !self.qualifiers.is_empty() {
            hasher.word("qualifiers");
            self.qualifiers.names().for_each(|name| hasher.word(&name));
            for graph in &self.graphs {
                graph.vertices().for_each(|vertex| hasher.number(graph.qualifiers(vertex)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PropertyColumn;
    use crate::read::{Format, ReadOptions, read_from};
    use std::io::Cursor;
    use std::path::Path;

    fn dataset(text: &str) -> Dataset {
        let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
        read_from(Path::new("x"), Cursor::new(text.to_owned().into_bytes()), &options).unwrap()
    }

    /// The published test vectors of FNV-1a with 128 bits.
    #[test]
    fn bytes_are_mixed_as_published() {
        let vectors = [
            ("", 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d),
            ("a", 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964),
            ("foobar", 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18),
        ];
        for (text, wanted) in vectors {
            let mut hasher = Hasher::new();
            hasher.bytes(text.as_bytes());
            assert_eq!(hasher.0, wanted, "{text}");
        }
    }

    /// The expected value comes from a second implementation, of a dozen lines of Python.
    #[test]
    fn the_fingerprint_is_pinned() {
        let text = "t # a 1\nv 0 C\nv 1 N\ne 0 1 x\nt # b -1\nv 0 C\n";
        assert_eq!(dataset(text).fingerprint().to_string(), "e87bb9ee066d469f2f847699ba1ae6ff");
    }

    #[test]
    fn content_counts_and_names_do_not() {
        let text = "t # a 1\nv 0 C\nv 1 N\ne 0 1 x\nt # b -1\nv 0 C\n";
        let wanted = dataset(text).fingerprint();
        assert_eq!(dataset(&text.replace("# b", "# c")).fingerprint(), wanted);
        let mut named = dataset(text);
        named.vertex_labels.set_name("C", "carbon");
        assert_eq!(named.fingerprint(), wanted);
        for (from, to) in [("1 N", "1 O"), ("-1", "-2"), ("1 x", "1 y"), ("e 0 1", "e 1 0"), ("b -1", "b")] {
            assert_ne!(dataset(&text.replace(from, to)).fingerprint(), wanted, "{from} -> {to}");
        }
        let with = |value| {
            let mut set = dataset(text);
            set.set_property(PropertyColumn::from_words("hydrogens", &[vec![Some(value), None], vec![Some("4")]]));
            set.fingerprint()
        };
        assert_ne!(with("3"), wanted);
        assert_ne!(with("3"), with("4"));
        assert_eq!(with("3"), with("3"));
        let beside = |values: [f64; 2]| {
            let mut set = dataset(text);
            set.features.push(crate::FeatureColumn { name: "dose".to_owned(), values: values.to_vec() });
            set.fingerprint()
        };
        assert_ne!(beside([1.0, 2.0]), wanted);
        assert_ne!(beside([1.0, 2.0]), beside([1.0, 3.0]));
    }
}
