//! Columns of numbers beside the graphs, which a model may read as features of its own: a dose, a temperature, a
//! computed property.
//!
//! Promise: every graph has a finite number in every column. A cell that holds a word, or nothing, is bad input of its
//! row, like a molecule that cannot be read; what takes the place of such a row ([`crate::read::OnBad::Nan`]) has
//! zeros.

use super::Dataset;

/// One column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureColumn {
    /// Name in the source.
    pub name: String,
    /// One number per graph, finite.
    pub values: Vec<f64>,
}

/// A cell that is not a finite number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column \"{column}\" is a feature and must be a finite number in every row, but {}", found(.word))]
pub struct FeatureError {
    /// The column.
    pub column: String,
    /// What it holds.
    pub word: String,
}

fn found(word: &str) -> String {
    if word.is_empty() { "is empty".to_owned() } else { format!("is \"{word}\"") }
}

impl FeatureColumn {
    /// A column without values.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), values: Vec::new() }
    }

    /// The number in a cell.
    pub fn parse(&self, word: &str) -> Result<f64, FeatureError> {
        let word = word.trim();
        let number = word.parse::<f64>().ok().filter(|value| value.is_finite());
        number.ok_or_else(|| FeatureError { column: self.name.clone(), word: word.to_owned() })
    }

    /// A value as a cell: empty if it is not a number.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn word(&self, at: usize) -> String {
        let value = self.values[at];
        if value.is_nan() { String::new() } else { value.to_string() }
    }

    /// The values of the graphs at these positions.
    ///
    /// # Panics
    /// If there is no such position.
    #[must_use]
    pub fn subset(&self, positions: &[usize]) -> Self {
        Self { name: self.name.clone(), values: positions.iter().map(|&at| self.values[at]).collect() }
    }
}

impl Dataset {
    /// The feature with this name.
    pub fn feature(&self, name: &str) -> Option<&FeatureColumn> {
        self.features.iter().find(|column| column.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_gaps_and_infinite_numbers_are_no_features() {
        let column = FeatureColumn::new("dose");
        assert_eq!(column.parse(" 1.5e2 "), Ok(150.0));
        let refused = |word: &str| column.parse(word).unwrap_err().to_string();
        let starts = "column \"dose\" is a feature and must be a finite number in every row, but is ";
        assert_eq!(refused("high"), format!("{starts}\"high\""));
        assert_eq!(refused(" "), format!("{starts}empty"));
        assert_eq!(refused("NaN"), format!("{starts}\"NaN\""));
        assert_eq!(refused("inf"), format!("{starts}\"inf\""));
    }
}
