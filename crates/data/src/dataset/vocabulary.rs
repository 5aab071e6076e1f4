//! Names of labels: maps the numbers of the graph crate to words and back.
//!
//! Ids are ranks over the data set as given: first the tokens that are whole numbers, by value, then
//! words, by bytes. So the ids do not depend on the order of the rows. A *token* is the word in the
//! file (`6`), a *display name* is shown to people (`C`), equal to the token unless names were given.

use einsicht_graph::Label;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The labels of one kind (vertices, edges, or classes of a target), by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    tokens: Vec<String>,
    names: BTreeMap<String, String>,
}

/// Order of tokens: whole numbers by value, then words by bytes.
pub(crate) fn token_order(a: &str, b: &str) -> Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

impl Vocabulary {
    /// Ranks the given tokens; repeated ones count once.
    pub fn from_tokens<S: Into<String>>(tokens: impl IntoIterator<Item = S>) -> Self {
        let mut tokens: Vec<String> = tokens.into_iter().map(Into::into).collect();
        tokens.sort_unstable_by(|a, b| token_order(a, b));
        tokens.dedup();
        Self { tokens, names: BTreeMap::new() }
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no label at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The label of a token, if it is known.
    pub fn label(&self, token: &str) -> Option<Label> {
        self.tokens.binary_search_by(|t| token_order(t, token)).ok().map(|rank| Label(rank as u32))
    }

    /// The word of this label in the file.
    ///
    /// # Panics
    /// If the label is not one of this vocabulary.
    pub fn token(&self, label: Label) -> &str {
        &self.tokens[label.index()]
    }

    /// The display name of this label.
    ///
    /// # Panics
    /// If the label is not one of this vocabulary.
    pub fn name(&self, label: Label) -> &str {
        let token = self.token(label);
        self.names.get(token).map_or(token, String::as_str)
    }

    /// All tokens, by rank.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Display names given so far, by token.
    pub fn names(&self) -> &BTreeMap<String, String> {
        &self.names
    }

    /// Sets the display names, in place of all earlier ones. Names of tokens that do not occur are left out.
    pub fn set_names(&mut self, mut names: BTreeMap<String, String>) {
        names.retain(|token, _| self.label(token).is_some());
        self.names = names;
    }

    /// Sets the display name of a token, if it occurs.
    pub fn set_name(&mut self, token: impl Into<String>, name: impl Into<String>) {
        let token = token.into();
        if self.label(&token).is_some() {
            self.names.insert(token, name.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rank_by_value_before_words() {
        let vocabulary = Vocabulary::from_tokens(["b", "10", "-1", "9", "a", "9"]);
        assert_eq!(vocabulary.tokens(), ["-1", "9", "10", "a", "b"]);
        assert_eq!(vocabulary.label("10"), Some(Label(2)));
        assert_eq!(vocabulary.label("c"), None);
    }

    #[test]
    fn a_name_is_shown_instead_of_its_token() {
        let mut vocabulary = Vocabulary::from_tokens(["6", "8"]);
        vocabulary.set_name("6", "C");
        assert_eq!((vocabulary.name(Label(0)), vocabulary.name(Label(1))), ("C", "8"));
    }
}
