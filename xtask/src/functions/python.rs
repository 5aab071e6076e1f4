//! Functions of a Python file, by indentation: a function ends before the first line that is not indented deeper.
//!
//! Simple on purpose. Strings over several lines are followed by their quotes; other tricks of layout are not.

use super::{Function, is_hot};
use crate::source::Source;

pub(super) fn functions(source: &Source) -> Vec<Function> {
    let lines: Vec<&str> = source.text.lines().collect();
    let in_string = in_string(&lines);
    let mut found = Vec::new();
    let mut outer_end = 0;
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let Some(head) = code.strip_prefix("async ").unwrap_or(code).strip_prefix("def ") else { continue };
        if at < outer_end || in_string[at] {
            continue;
        }
        let (arguments, body) = signature(&lines, at);
        let depth = indentation(line);
        let is_over =
            |next: &usize| !in_string[*next] && !lines[*next].trim().is_empty() && indentation(lines[*next]) <= depth;
        let next = (body..lines.len()).find(is_over).unwrap_or(lines.len());
        let last = (body..next).rev().find(|&line| !lines[line].trim().is_empty()).map_or(body, |line| line + 1);
        outer_end = last;
        found.push(Function {
            name: head.split('(').next().unwrap_or_default().to_owned(),
            line: at + 1,
            lines: last - at - docstring(&lines[body.min(last)..last], &in_string[body.min(last)..last]),
            arguments,
            is_test: source.is_test() || head.starts_with("test_"),
            is_hot: is_hot(lines[at..last].iter().copied()),
        });
    }
    found
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// For each line whether it starts inside a string over several lines.
fn in_string(lines: &[&str]) -> Vec<bool> {
    let mut open: Option<&str> = None;
    let mut inside = Vec::with_capacity(lines.len());
    for line in lines {
        inside.push(open.is_some());
        let mut rest = *line;
        loop {
            let quote = match open {
                Some(quote) => Some(quote),
                None => {
                    ["\"\"\"", "'''"].into_iter().filter(|quote| rest.contains(*quote)).min_by_key(|q| rest.find(*q))
                }
            };
            let Some((quote, at)) = quote.and_then(|quote| Some((quote, rest.find(quote)?))) else { break };
            rest = &rest[at + 3..];
            open = if open.is_some() { None } else { Some(quote) };
        }
    }
    inside
}

/// The number of arguments of the function in this line, and the index of the line after its signature.
fn signature(lines: &[&str], first: usize) -> (usize, usize) {
    let (mut depth, mut text) = (0_usize, String::new());
    for (at, line) in lines.iter().enumerate().skip(first) {
        for c in line.split(" #").next().unwrap_or_default().chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            // Commas of the argument list become line feeds, the rest is text.
            match (depth, c) {
                (1, ',') => text.push('\n'),
                (1.., _) => text.push(c),
                _ => {}
            }
            if depth == 0 && c == ')' {
                let names = text.trim_start_matches('(').split('\n').map(str::trim);
                let is_argument = |name: &&str| !["", "*", "/", "self", "cls"].contains(name);
                return (names.filter(is_argument).count(), at + 1);
            }
        }
    }
    (0, first + 1)
}

/// Lines of the docstring at the start of a body.
fn docstring(body: &[&str], in_string: &[bool]) -> usize {
    let is_quoted = |line: &str| line.trim_start_matches([' ', 'r']).starts_with("\"\"\"");
    match body.first() {
        Some(line) if is_quoted(line) => 1 + in_string[1..].iter().take_while(|inside| **inside).count(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    fn found(text: &str) -> Vec<(String, usize, usize, usize)> {
        let functions = functions(&tree(&[("python/einsicht/a.py", text)])[0]);
        functions.into_iter().map(|f| (f.name, f.line, f.lines, f.arguments)).collect()
    }

    #[test]
    fn a_function_ends_where_its_indentation_ends() {
        let text = "def a(x, y=(1, 2)):\n    return x\n\n\nclass B:\n    def c(\n        self, *, x: dict[str, int] = 1,\n    ):\n        def d():\n            pass\n        return d\n\nz = 1\n";
        assert_eq!(found(text), [("a".into(), 1, 2, 2), ("c".into(), 6, 6, 1)]);
    }

    #[test]
    fn a_docstring_does_not_count_and_may_be_indented_as_it_likes() {
        let text = "def a():\n    \"\"\"One.\n\ndef not_a_function():\n    \"\"\"\n    return 1\n";
        assert_eq!(found(text), [("a".into(), 1, 2, 0)]);
    }
}
