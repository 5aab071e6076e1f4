//! String interning: each word is stored once and numbered by its first occurrence.
//!
//! Readers meet the same few labels a million times; ranks are known only at the end.

use rustc_hash::FxHashMap;

/// Words in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    index: FxHashMap<Box<str>, u32>,
    words: Vec<Box<str>>,
}

impl Interner {
    /// The number of a word; a new word gets the next one.
    pub(crate) fn intern(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.index.get(word) {
            return number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.into());
        self.index.insert(word.into(), number);
        number
    }

    /// Interns many words and returns how many there are now.
    pub(crate) fn intern_all(&mut self, words: &[String]) -> usize {
        for word in words {
            self.intern(word);
        }
        self.words.len()
    }

    /// The first words, with the same numbers.
    pub(crate) fn first(&self, len: usize) -> Self {
        let mut first = Self::default();
        for word in &self.words[..len.min(self.words.len())] {
            first.intern(word);
        }
        first
    }

    pub(crate) fn words(&self) -> &[Box<str>] {
        &self.words
    }
}
