//! Colours of results, on a terminal alone.
//!
//! Promise: colours are added to text that has its layout already, so nothing moves; a pipe, a file, `NO_COLOR` and
//! `TERM=dumb` get the plain text, and without its escapes coloured text is the plain one. `CLICOLOR_FORCE` asks for
//! colours anywhere.

use std::io::{IsTerminal, stdout};

/// Words at the left of a line that say what it is about.
const WORDS: [&str; 10] =
    ["predicts", "expected", "compare", "by", "together", "unseen", "seen", "fitted", "next", "graph"];
const BOLD: &str = "\x1b[1m";
/// What raises a prediction is orange on the page, what lowers it is blue.
const RAISES: &str = "\x1b[33m";
const LOWERS: &str = "\x1b[34m";
const WRONG: &str = "\x1b[31m";
const PLAIN: &str = "\x1b[0m";

/// The text with colours, if stdout shows them.
pub(crate) fn painted(text: String) -> String {
    if shows_colours() { text.split_inclusive('\n').map(line).collect() } else { text }
}

fn shows_colours() -> bool {
    let given = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    given("CLICOLOR_FORCE") || (stdout().is_terminal() && !given("NO_COLOR") && !is_dumb)
}

/// A line with its first word in bold, if that says what the line is about, and with numbers by their sign.
fn line(line: &str) -> String {
    let first = line.split(' ').next().unwrap_or("");
    let is_word = WORDS.contains(&first) && line[first.len()..].starts_with(' ');
    let mut painted = if is_word { format!("{BOLD}{first}{PLAIN}") } else { first.to_owned() };
    // A word after the other, with the blanks between them.
    for word in line[first.len()..].split_inclusive(' ') {
        painted += &match colour(word.trim_end()) {
            Some(colour) => {
                let end = word.trim_end().len();
                format!("{colour}{}{PLAIN}{}", &word[..end], &word[end..])
            }
            None => word.to_owned(),
        };
    }
    painted
}

/// The colour of a word: that of a number with a sign, or of what is wrong.
fn colour(word: &str) -> Option<&'static str> {
    let number = word.trim_matches(['[', ']', ',', '(', ')']);
    let is_number = number.len() > 1 && number[1..].starts_with(|c: char| c.is_ascii_digit()) && number.is_ascii();
    match number.chars().next()? {
        '+' if is_number && number.parse::<f64>().is_ok() => Some(RAISES),
        '-' if is_number && number.parse::<f64>().is_ok() => Some(LOWERS),
        _ if number == "WRONG" => Some(WRONG),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_colour_of_their_sign_and_nothing_moves() {
        let text = "by        3 subgraphs\n            +0.101   [-0.2, +1e-4] C-N-4\n-1 is a class\n";
        let all: String = text.split_inclusive('\n').map(line).collect();
        assert!(all.starts_with("\x1b[1mby\x1b[0m   "));
        assert!(all.contains("\x1b[33m+0.101\x1b[0m   \x1b[34m[-0.2,\x1b[0m \x1b[33m+1e-4]\x1b[0m C-N-4\n"), "{all:?}");
        let mut plain = all.clone();
        for escape in [BOLD, RAISES, LOWERS, WRONG, PLAIN] {
            plain = plain.replace(escape, "");
        }
        assert_eq!(plain, text);
        assert_eq!(line("bypass of +x\n"), "bypass of +x\n");
    }
}
