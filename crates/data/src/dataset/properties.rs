//! Named properties of vertices with few values, such as the number of hydrogens of an atom.
//!
//! Promise: a column has at most one value per vertex, kept as the number of its token; numbers are ranks over the
//! tokens (numbers by value, then words by bytes). One byte per vertex where that is enough, nothing for a graph
//! without values. Which properties patterns use, and how, is the matter of [`crate::qualify`].

use super::vocabulary::{Vocabulary, token_order};
use einsicht_graph::Label;

/// A property of vertices: at most one word per vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyColumn {
    /// Its name.
    pub name: String,
    /// The values, by rank.
    tokens: Vocabulary,
    graphs: Vec<Cells>,
}

/// Values of the vertices of one graph: numbers of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    /// Empty where no vertex has a value.
    Bytes(Box<[u8]>),
    Words(Box<[u32]>),
}

/// No value, among bytes.
const NO_BYTE: u8 = u8::MAX;

impl Cells {
    pub(crate) fn new(values: &[Option<u32>]) -> Self {
        let largest = values.iter().flatten().max();
        let byte = |value: &Option<u32>| value.map_or(NO_BYTE, |value| value as u8);
        match largest {
            None => Self::Bytes(Box::default()),
            Some(&largest) if largest < u32::from(NO_BYTE) => Self::Bytes(values.iter().map(byte).collect()),
            Some(_) => Self::Words(values.iter().map(|value| value.unwrap_or(u32::MAX)).collect()),
        }
    }

    fn map(&self, change: impl Fn(u32) -> u32) -> Self {
        Self::new(&self.values().into_iter().map(|value| value.map(&change)).collect::<Vec<_>>())
    }

    fn get(&self, vertex: usize) -> Option<u32> {
        match self {
            Self::Bytes(values) => values.get(vertex).filter(|&&value| value != NO_BYTE).map(|&value| u32::from(value)),
            Self::Words(values) => values.get(vertex).copied().filter(|&value| value != u32::MAX),
        }
    }

    /// Number of vertices that values are kept of; none if no vertex has one.
    fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Words(values) => values.len(),
        }
    }

    /// All values; none if no vertex has one.
    pub(crate) fn values(&self) -> Vec<Option<u32>> {
        (0..self.len()).map(|vertex| self.get(vertex)).collect()
    }
}

impl PropertyColumn {
    /// A column from words: for each graph one optional word per vertex.
    pub fn from_words<S: AsRef<str>>(name: impl Into<String>, graphs: &[Vec<Option<S>>]) -> Self {
        let all = graphs.iter().flatten().flatten();
        let tokens = Vocabulary::from_tokens(all.map(|word| word.as_ref().to_owned()));
        let number = |word: &Option<S>| word.as_ref().and_then(|word| tokens.label(word.as_ref())).map(|label| label.0);
        let cells = graphs.iter().map(|words| Cells::new(&words.iter().map(number).collect::<Vec<_>>()));
        let graphs = cells.collect();
        Self { name: name.into(), tokens, graphs }
    }

    /// A column from numbers of any `words`. Words that no vertex has are left
    /// out, but for the first `declared` ones.
    pub(crate) fn from_numbers(name: String, words: &[Box<str>], declared: usize, graphs: &[Cells]) -> Self {
        let mut used = vec![false; words.len()];
        used[..declared].fill(true);
        graphs.iter().flat_map(Cells::values).flatten().for_each(|number| used[number as usize] = true);
        let kept = words.iter().zip(&used).filter(|(_, used)| **used);
        let tokens = Vocabulary::from_tokens(kept.map(|(word, _)| &**word));
        let ranks: Vec<u32> = words.iter().map(|word| tokens.label(word).unwrap_or_default().0).collect();
        let graphs = graphs.iter().map(|cells| cells.map(|number| ranks[number as usize])).collect();
        Self { name, tokens, graphs }
    }

    /// All values, by rank.
    pub fn tokens(&self) -> &[String] {
        self.tokens.tokens()
    }

    /// The number of a value.
    pub fn rank(&self, token: &str) -> Option<u32> {
        self.tokens.label(token).map(|label| label.0)
    }

    /// The value of a vertex, by its number.
    pub fn value(&self, graph: usize, vertex: usize) -> Option<u32> {
        self.graphs[graph].get(vertex)
    }

    /// The value of a vertex.
    pub fn token(&self, graph: usize, vertex: usize) -> Option<&str> {
        self.value(graph, vertex).map(|value| self.tokens.token(Label(value)))
    }

    /// Whether no vertex of a graph has a value.
    pub(crate) fn is_empty_at(&self, graph: usize) -> bool {
        self.graphs[graph].len() == 0
    }

    /// The values of the graphs at these positions. Tokens stay, so that they keep their numbers.
    pub(super) fn subset(&self, positions: &[usize]) -> Self {
        let graphs = positions.iter().map(|&at| self.graphs[at].clone()).collect();
        Self { name: self.name.clone(), tokens: self.tokens.clone(), graphs }
    }

    /// Removes tokens that no vertex has.
    pub(super) fn forget_unused(&mut self) {
        let words: Vec<Box<str>> = self.tokens().iter().map(|token| token.as_str().into()).collect();
        *self = Self::from_numbers(std::mem::take(&mut self.name), &words, 0, &self.graphs);
    }

    /// The columns of all sets, each given with its number of graphs, one after the other; where a set lacks a
    /// property, its vertices have no value.
    pub(super) fn join(sets: &[(&[Self], usize)]) -> Vec<Self> {
        let mut names: Vec<&String> = sets.iter().flat_map(|(columns, _)| columns.iter().map(|c| &c.name)).collect();
        names.sort_unstable();
        names.dedup();
        let joined = names.into_iter().map(|name| {
            let parts = || sets.iter().map(|(columns, len)| (columns.iter().find(|c| c.name == *name), *len));
            let tokens = Vocabulary::from_tokens(parts().filter_map(|(c, _)| c).flat_map(Self::tokens));
            let mut graphs = Vec::new();
            for (column, len) in parts() {
                let Some(column) = column else {
                    graphs.extend((0..len).map(|_| Cells::new(&[])));
                    continue;
                };
                let ranks: Vec<u32> = column.tokens().iter().map(|t| tokens.label(t).unwrap_or_default().0).collect();
                graphs.extend(column.graphs.iter().map(|cells| cells.map(|number| ranks[number as usize])));
            }
            Self { name: name.clone(), tokens, graphs }
        });
        joined.collect()
    }

    /// Panics if the promise is broken; `sizes` are the numbers of vertices of the graphs.
    pub(super) fn check(&self, sizes: impl ExactSizeIterator<Item = usize>) {
        assert_eq!(self.graphs.len(), sizes.len(), "properties of every graph");
        assert!(self.tokens().is_sorted_by(|a, b| token_order(a, b).is_lt()));
        for (cells, size) in self.graphs.iter().zip(sizes) {
            assert!(cells.len() == 0 || cells.len() == size, "one value per vertex");
            assert!(cells.values().into_iter().flatten().all(|value| (value as usize) < self.tokens.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column() -> PropertyColumn {
        let graphs = [vec![Some("10"), None], vec![None::<&str>], vec![Some("9"), Some("red")]];
        PropertyColumn::from_words("p", &graphs)
    }

    #[test]
    fn values_are_ranked_and_kept_in_bytes() {
        let column = column();
        assert_eq!(column.tokens(), ["9", "10", "red"]);
        assert_eq!((column.token(0, 0), column.token(0, 1), column.token(2, 1)), (Some("10"), None, Some("red")));
        assert!(column.is_empty_at(1) && matches!(column.graphs[2], Cells::Bytes(_)));
        column.check([2, 1, 2].into_iter());
    }

    #[test]
    fn more_values_than_a_byte_holds_are_kept_too() {
        let words: Vec<Option<String>> = (0..300).map(|number| Some(number.to_string())).chain([None]).collect();
        let column = PropertyColumn::from_words("p", &[words]);
        assert_eq!(
            (column.token(0, 254), column.token(0, 299), column.token(0, 300)),
            (Some("254"), Some("299"), None)
        );
    }

    #[test]
    fn a_part_forgets_what_only_others_have() {
        let mut part = column().subset(&[2, 1]);
        assert_eq!((part.token(0, 0), part.tokens().len()), (Some("9"), 3));
        part.forget_unused();
        assert_eq!((part.token(0, 0), part.tokens()), (Some("9"), &["9".to_owned(), "red".to_owned()][..]));
    }

    #[test]
    fn joined_columns_are_ranked_again() {
        let (one, other) = (column(), PropertyColumn::from_words("q", &[vec![Some("a")]]));
        let more = PropertyColumn::from_words("p", &[vec![Some("2")]]);
        let joined = PropertyColumn::join(&[(&[one], 3), (&[other], 1), (&[more], 1)]);
        assert_eq!(joined.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["p", "q"]);
        assert_eq!(
            (joined[0].tokens()[0].as_str(), joined[0].token(4, 0), joined[0].token(3, 0)),
            ("2", Some("2"), None)
        );
        assert_eq!((joined[1].token(3, 0), joined[1].token(0, 0)), (Some("a"), None));
    }
}
