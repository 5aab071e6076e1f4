//! Names of labels: maps the numbers of the graph crate to words and back.
//!
//! Ids are ranks over the data set as given: first the tokens that are whole numbers, by value, then
//! words, by bytes. So the ids do not depend on the order of the rows. A *token* is the word in the
//! file (`6`), a *display name* is shown to people (`C`), equal to the token unless names were given.

use einsicht_graph::Label;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The labels of one kind (vertices, edges, or classes of a target), by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vocabulary {
    /// By rank.
    #[serde(deserialize_with = "in_order")]
    tokens: Vec<String>,
    /// By token.
    names: BTreeMap<String, String>,
}

fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let tokens = Vec::<String>::deserialize(deserializer)?;
    if tokens.is_sorted_by(|a, b| token_order(a, b).is_lt()) {
        return Ok(tokens);
    }
    Err(D::Error::custom("labels must be different and in order of rank"))
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

/// For each label of `from` the label of `to` that means the same: the one with the same display name, where only one
/// on each side has it; else the one with the same token, unless both have display names that differ. Both directions
/// agree.
///
/// ```
/// use einsicht_data::{Vocabulary, corresponding_labels};
/// let mut numbered = Vocabulary::from_tokens(["6", "8"]);
/// let words = Vocabulary::from_tokens(["C", "N"]);
/// assert_eq!(corresponding_labels(&words, &numbered), [None, None]);
/// numbered.set_name("6", "C");
/// assert_eq!(corresponding_labels(&words, &numbered)[0], numbered.label("6"));
/// ```
pub fn corresponding_labels(from: &Vocabulary, to: &Vocabulary) -> Vec<Option<Label>> {
    let (ours, theirs) = (from.unique_names(), to.unique_names());
    let by_name = |label: Label| {
        let name = from.name(label);
        theirs.get(name).copied().flatten().filter(|_| ours.get(name).copied().flatten() == Some(label))
    };
    let labels = || (0..from.len() as u32).map(Label);
    let mut found: Vec<Option<Label>> = labels().map(by_name).collect();
    let mut taken = vec![false; to.len()];
    found.iter().flatten().for_each(|label| taken[label.index()] = true);
    for label in labels().filter(|label| found[label.index()].is_none()).collect::<Vec<_>>() {
        let other = to.label(from.token(label)).filter(|other| !taken[other.index()]);
        let contradict =
            |other: &Label| from.is_named(label) && to.is_named(*other) && from.name(label) != to.name(*other);
        found[label.index()] = other.filter(|other| !contradict(other));
    }
    found
}

impl Vocabulary {
    /// Whether a label has a display name besides its token.
    fn is_named(&self, label: Label) -> bool {
        self.name(label) != self.token(label)
    }

    /// Each display name with its label; `None` if several have it.
    fn unique_names(&self) -> BTreeMap<&str, Option<Label>> {
        let mut names = BTreeMap::new();
        for label in (0..self.len() as u32).map(Label) {
            names.entry(self.name(label)).and_modify(|only| *only = None).or_insert(Some(label));
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_correspond_by_name_and_else_by_token_unless_names_contradict() {
        let plain = |tokens: &[&str]| Vocabulary::from_tokens(tokens.iter().copied());
        let named = |pairs: &[(&str, &str)]| {
            let mut vocabulary = Vocabulary::from_tokens(pairs.iter().map(|(token, _)| *token));
            for (token, name) in pairs {
                vocabulary.set_name(*token, *name);
            }
            vocabulary
        };
        let atoms = named(&[("0", "C"), ("1", "N")]);
        let cases = [
            (plain(&["0", "1"]), vec![Some(0), Some(1)]),
            (plain(&["C", "O"]), vec![Some(0), None]),
            (named(&[("0", "N"), ("1", "C")]), vec![Some(1), Some(0)]),
            (named(&[("0", "O"), ("1", "N")]), vec![None, Some(1)]),
            // Two labels of one name: only the token tells them apart.
            (named(&[("1", "N"), ("5", "N")]), vec![None, Some(0)]),
            // A token that is another's name is not taken twice.
            (plain(&["0", "C"]), vec![Some(1), None]),
        ];
        for (other, wanted) in cases {
            let wanted: Vec<Option<Label>> = wanted.into_iter().map(|rank: Option<u32>| rank.map(Label)).collect();
            assert_eq!(corresponding_labels(&atoms, &other), wanted, "{other:?}");
            let back = corresponding_labels(&other, &atoms);
            for (at, label) in wanted.iter().enumerate() {
                let inverse = label.map(|label| back[label.index()]);
                assert_eq!(inverse, label.map(|_| Some(Label(at as u32))), "{other:?}");
            }
        }
    }

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
