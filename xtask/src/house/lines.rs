//! Lines of source, by crate: code and tests. Tests are test files and the test modules inside other files.

use super::MOST_LISTED;
use crate::source::Source;
use std::collections::BTreeMap;
use syn::Item;

/// Lines and files of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    files: usize,
    code: usize,
    tests: usize,
}

pub(super) fn text(sources: &[Source]) -> Result<String, String> {
    let mut homes: BTreeMap<&str, Size> = BTreeMap::new();
    let mut files: Vec<(usize, &str)> = Vec::new();
    let mut total = Size::default();
    for source in sources {
        let lines = source.text.lines().count();
        let tests = test_lines(source)?;
        for size in [homes.entry(source.home()).or_default(), &mut total] {
            size.files += 1;
            size.code += lines - tests;
            size.tests += tests;
        }
        files.push((lines, &source.path));
    }
    let row = |name: &str, size: &Size| format!("{name:<20} {:>6} {:>8} {:>8}\n", size.files, size.code, size.tests);
    let mut text = format!("{:<20} {:>6} {:>8} {:>8}\n", "lines of source", "files", "code", "tests");
    text += &homes.iter().map(|(home, size)| row(home, size)).collect::<String>();
    text += &row("total", &total);
    files.sort_by(|a, b| b.cmp(a));
    let median = files[files.len() / 2].0;
    text += &format!("median file: {median} lines; largest files:\n");
    text += &files.iter().take(MOST_LISTED).map(|(lines, path)| format!("{lines:>6}  {path}\n")).collect::<String>();
    Ok(text)
}

/// Lines of tests in a file.
fn test_lines(source: &Source) -> Result<usize, String> {
    if source.is_test() {
        return Ok(source.text.lines().count());
    }
    if !source.is_rust() {
        return Ok(0);
    }
    let file = syn::parse_file(&source.text).map_err(|e| format!("{}: {e}", source.path))?;
    let modules = file.items.iter().filter_map(|item| match item {
        Item::Mod(module) if crate::functions::is_test(&module.attrs) => Some(module),
        _ => None,
    });
    let lines = modules.filter_map(|module| {
        let (brace, _) = module.content.as_ref()?;
        Some(brace.span.close().end().line + 2 - module.mod_token.span.start().line)
    });
    Ok(lines.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    #[test]
    fn test_modules_and_test_files_are_tests() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let files = tree(&[("crates/a/src/a.rs", text), ("crates/a/tests/b.rs", text), ("python/a.py", "x = 1\n")]);
        let lines: Vec<usize> = files.iter().map(|file| test_lines(file).unwrap()).collect();
        assert_eq!(lines, [4, 5, 0]);
        let text = super::text(&files).unwrap();
        assert!(text.contains("crates/a                  2        1        9\n"), "{text}");
        assert!(text.contains("median file: 5 lines"), "{text}");
    }
}
