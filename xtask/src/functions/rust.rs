//! Functions of a Rust file, by its syntax tree.

use super::{Function, is_hot};
use crate::source::Source;
use syn::{Attribute, Block, FnArg, ImplItem, Item, Signature, TraitItem};

pub(super) fn functions(source: &Source) -> Result<Vec<Function>, String> {
    let file = syn::parse_file(&source.text).map_err(|e| format!("line {}: {e}", e.span().start().line))?;
    let lines: Vec<&str> = source.text.lines().collect();
    let mut finder = Finder { lines: &lines, found: Vec::new() };
    finder.items(&file.items, source.is_test());
    Ok(finder.found)
}

struct Finder<'a> {
    lines: &'a [&'a str],
    found: Vec<Function>,
}

impl Finder<'_> {
    fn items(&mut self, items: &[Item], in_tests: bool) {
        for item in items {
            match item {
                Item::Fn(function) => self.add(&function.attrs, &function.sig, &function.block, in_tests),
                Item::Impl(block) => {
                    for item in &block.items {
                        if let ImplItem::Fn(method) = item {
                            self.add(&method.attrs, &method.sig, &method.block, in_tests);
                        }
                    }
                }
                Item::Trait(item) => {
                    for item in &item.items {
                        if let TraitItem::Fn(method) = item {
                            self.add_method(method, in_tests);
                        }
                    }
                }
                Item::Mod(module) => {
                    let in_tests = in_tests || is_test(&module.attrs);
                    self.items(module.content.as_ref().map_or(&[], |(_, items)| items), in_tests);
                }
                _ => {}
            }
        }
    }

    fn add_method(&mut self, method: &syn::TraitItemFn, in_tests: bool) {
        if let Some(block) = &method.default {
            self.add(&method.attrs, &method.sig, block, in_tests);
        }
    }

    fn add(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block, in_tests: bool) {
        let first = signature.fn_token.span.start().line;
        let last = block.brace_token.span.close().end().line;
        let is_argument = |argument: &&FnArg| matches!(argument, FnArg::Typed(_));
        self.found.push(Function {
            name: signature.ident.to_string(),
            line: first,
            lines: last + 1 - first,
            arguments: signature.inputs.iter().filter(is_argument).count(),
            is_test: in_tests || is_test(attributes),
            is_hot: is_hot(self.lines[self.comment_start(first)..last].iter().copied()),
        });
    }

    /// Index of the first line of the comments and attributes above a line.
    fn comment_start(&self, line: usize) -> usize {
        let is_above = |text: &str| text.trim_start().starts_with("//") || text.trim_start().starts_with("#[");
        let above = self.lines[..line - 1].iter().rev().take_while(|text| is_above(text)).count();
        line - 1 - above
    }
}

/// Whether `#[test]` or `#[cfg(test)]` stands before an item.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string().contains("test"),
        syn::Meta::NameValue(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    fn found(text: &str) -> Vec<Function> {
        functions(&tree(&[("crates/a/src/a.rs", text)])[0]).unwrap()
    }

    #[test]
    fn functions_methods_and_default_methods_are_found() {
        let text = "fn a(x: u8,\n    y: u8) {\n}\nimpl A { fn b(&self, x: u8) {} }\ntrait T {\n    fn c();\n    fn d() {}\n}\n";
        let found = found(text);
        let facts: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines, f.arguments)).collect();
        assert_eq!(facts, [("a", 1, 3, 2), ("b", 4, 1, 1), ("d", 7, 1, 0)]);
    }

    #[test]
    fn tests_are_known_by_their_attribute_module_or_file() {
        let text = "fn a() {}\n#[test]\nfn b() {}\n#[cfg(test)]\nmod tests { fn c() {} }\n";
        let tests: Vec<bool> = found(text).iter().map(|f| f.is_test).collect();
        assert_eq!(tests, [false, true, true]);
        let file = &tree(&[("crates/a/tests/a.rs", "fn a() {}")])[0];
        assert!(functions(file).unwrap()[0].is_test);
    }

    #[test]
    fn a_hot_mark_above_or_inside_counts_and_needs_a_reason() {
        let text = "// HOT: one pass per embedding.\n#[inline]\nfn a() {}\nfn b() {\n    // HOT: inner loop\n}\n// HOT:\nfn c() {}\n";
        let hot: Vec<bool> = found(text).iter().map(|f| f.is_hot).collect();
        assert_eq!(hot, [true, true, false]);
    }

    #[test]
    fn a_file_that_is_not_rust_is_an_error_with_its_line() {
        let problem = functions(&tree(&[("a.rs", "fn a() {}\nfn {")])[0]).unwrap_err();
        assert!(problem.starts_with("line 2: "), "{problem}");
    }
}
