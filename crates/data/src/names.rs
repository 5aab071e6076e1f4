//! The names that a pattern needs to be written for people: labels and qualifiers.

use crate::chem::{Smarts, smarts_of};
use crate::dataset::vocabulary::Vocabulary;
use crate::draw;
use crate::patterns::{BoundPatterns, NamedPattern, UnknownLabel};
use crate::qualify::{NO_QUALIFIERS, Qualifiers};
use einsicht_graph::{DfsCode, Graph};
use std::borrow::Cow;

/// A pattern that is to be written: a graph, or the code of one.
pub trait AsPattern {
    /// The pattern itself.
    fn as_pattern(&self) -> Cow<'_, Graph>;
}

impl AsPattern for Graph {
    fn as_pattern(&self) -> Cow<'_, Graph> {
        Cow::Borrowed(self)
    }
}

impl AsPattern for DfsCode {
    fn as_pattern(&self) -> Cow<'_, Graph> {
        Cow::Owned(self.to_graph())
    }
}

/// Names of labels and qualifiers, of a data set or of a model: the one place that writes patterns for people.
///
/// ```
/// use einsicht_data::{Names, Qualifiers, QualifierChoice, ReadOptions, read::read_smiles};
/// let molecules = ["CCN", "CCCl", "c1ccccc1Br"].map(String::from);
/// let dataset = read_smiles(&molecules, &ReadOptions::default())?;
/// let table = Qualifiers::settle(&dataset, &QualifierChoice::Auto)?;
/// let dataset = table.apply(dataset)?;
/// let names = dataset.names();
/// assert_eq!(names.one_line(&dataset.graphs[1]), "C[H3,D1,chain]-C[H2,D2,chain]-Cl");
/// assert_eq!(names.smarts(&dataset.graphs[0]).unwrap(), "[#6;H3;D1;!R]-[#6;H2;D2;!R]-[#7;H2;D1;!R]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Vertex labels.
    pub vertex_labels: &'a Vocabulary,
    /// Edge labels.
    pub edge_labels: &'a Vocabulary,
    /// What qualifiers mean.
    pub qualifiers: &'a Qualifiers,
}

impl<'a> Names<'a> {
    /// Names of labels alone: no vertex has qualifiers.
    ///
    /// ```
    /// use einsicht_data::{Names, Vocabulary};
    /// use einsicht_graph::{Graph, Label};
    /// let (atoms, bonds) = (Vocabulary::from_tokens(["C", "O"]), Vocabulary::from_tokens(["double", "single"]));
    /// let mut builder = Graph::builder();
    /// let [a, b, c] = [0, 0, 1].map(|label| builder.add_vertex(Label(label)).unwrap());
    /// builder.add_edge(a, b, Label(1)).unwrap();
    /// builder.add_edge(b, c, Label(0)).unwrap();
    /// let (pattern, names) = (builder.build(), Names::plain(&atoms, &bonds));
    /// assert_eq!(names.one_line(&pattern), "C-C=O");
    /// assert_eq!(names.smarts(&pattern).as_deref(), Some("[#6]-[#6]=[#8]"));
    /// ```
    pub fn plain(vertex_labels: &'a Vocabulary, edge_labels: &'a Vocabulary) -> Self {
        Self { vertex_labels, edge_labels, qualifiers: &NO_QUALIFIERS }
    }

    /// A pattern on one line; see [`draw`].
    ///
    /// # Panics
    /// This and all below: if a label or a qualifier of the pattern has no name here.
    pub fn one_line(self, pattern: &impl AsPattern) -> String {
        draw::one_line(&pattern.as_pattern(), self)
    }

    /// A pattern in words: `N with 2 H - C in a ring`.
    pub fn words(self, pattern: &impl AsPattern) -> String {
        draw::words(&pattern.as_pattern(), self)
    }

    /// A pattern as SMARTS; `None` if a vertex label is not an element, or a qualifier none that SMARTS knows.
    pub fn smarts(self, pattern: &impl AsPattern) -> Option<String> {
        self.smarts_with_atoms(pattern).map(|smarts| smarts.text)
    }

    /// The same with the vertex of each of its atoms.
    pub fn smarts_with_atoms(self, pattern: &impl AsPattern) -> Option<Smarts> {
        smarts_of(&pattern.as_pattern(), self)
    }

    /// A pattern by its names, for files.
    pub fn pattern(self, pattern: &impl AsPattern) -> NamedPattern {
        NamedPattern::named(&pattern.as_pattern(), self)
    }

    /// The inverse of [`Self::pattern`].
    pub fn bind(self, pattern: &NamedPattern) -> Result<Graph, UnknownLabel> {
        pattern.bind_to(self)
    }

    /// The codes of named patterns.
    pub fn bind_all(self, patterns: &[NamedPattern]) -> BoundPatterns {
        let bound: Vec<Graph> = patterns.iter().filter_map(|pattern| self.bind(pattern).ok()).collect();
        let unknown = patterns.len() - bound.len();
        let mut codes: Vec<DfsCode> = bound.iter().filter_map(DfsCode::minimum_of).collect();
        codes.sort_by(DfsCode::cmp_by_size);
        codes.dedup();
        BoundPatterns { codes, unknown }
    }
}
