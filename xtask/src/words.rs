//! The words after a command: flags, options with a value, names.

use std::str::FromStr;

/// The words that nobody has asked for yet.
pub(crate) struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    pub(crate) fn new(words: &[&'a str]) -> Self {
        Self(words.to_vec())
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| *word == name);
        at.map(|at| self.0.remove(at)).is_some()
    }

    pub(crate) fn value<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(at) = self.0.iter().position(|word| *word == name) else { return Ok(None) };
        let value = self.0.drain(at..(at + 2).min(self.0.len())).nth(1).unwrap_or_default();
        value.parse().map(Some).map_err(|_| format!("{name} {value} is not an option of this command"))
    }

    /// All that is left: names, but no options.
    pub(crate) fn names(self) -> Result<Vec<&'a str>, String> {
        match self.0.iter().find(|word| word.starts_with('-')) {
            Some(unknown) => Err(format!("{unknown} is not an option of this command")),
            None => Ok(self.0),
        }
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.names()?.first() {
            Some(unknown) => Err(format!("{unknown} is not an option of this command")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_values_and_names_are_taken_in_any_order_and_what_is_left_is_named() {
        let mut words = Words::new(&["tu", "--seconds", "5", "--short", "sdf"]);
        assert_eq!((words.flag("--short"), words.flag("--long")), (true, false));
        assert_eq!((words.value("--seconds"), words.value::<u32>("--kills")), (Ok(Some(5)), Ok(None)));
        assert_eq!(words.names(), Ok(vec!["tu", "sdf"]));
        assert_eq!(Words::new(&["a", "--b"]).names(), Err("--b is not an option of this command".to_owned()));
        assert_eq!(Words::new(&["a"]).end(), Err("a is not an option of this command".to_owned()));
        for words in [&["--kills", "x"][..], &["--kills"]] {
            assert!(Words::new(words).value::<u32>("--kills").is_err());
        }
    }
}
