//! Public items, by crate, and how many of them no other crate names.
//!
//! An item is a `pub` function, method, type, trait, constant or module; fields and variants do not count, nor does
//! `pub(crate)`. Use is judged by name: an item counts as used outside if its name occurs as an identifier in the code of
//! another crate, comments left out. So a common name hides an item that nothing uses. The tests, benches and examples of
//! the crate itself count separately.

use crate::source::{Source, identifiers};
use std::collections::{BTreeMap, BTreeSet};
use syn::{ImplItem, Item, Visibility};

/// A public item.
struct PublicItem<'a> {
    source: &'a Source,
    name: String,
    is_module: bool,
    /// Whether another crate names it.
    is_used_outside: bool,
    /// Whether the tests, benches or examples of its crate name it.
    is_in_own_tests: bool,
}

/// The table: one row per crate.
pub(super) fn text(sources: &[Source]) -> Result<String, String> {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for item in items(sources)? {
        let inside = !item.is_used_outside;
        for name in [item.source.home(), "total"] {
            let facts = [true, item.is_module, inside, inside && item.is_in_own_tests];
            let row = counts.entry(name).or_default();
            row.iter_mut().zip(facts).for_each(|(count, fact)| *count += usize::from(fact));
        }
    }
    let header = format!(
        "{:<20} {:>6} {:>8} {:>12} {:>14}\n",
        "public items", "items", "modules", "only inside", "of these, tests"
    );
    let row = |(name, [items, modules, inside, tests]): (&&str, &[usize; 4])| {
        format!("{name:<20} {items:>6} {modules:>8} {inside:>12} {tests:>14}\n")
    };
    Ok(header + &counts.iter().map(row).collect::<String>())
}

/// The items that no other crate names, one per line.
pub(super) fn list(sources: &[Source]) -> Result<String, String> {
    let inside = items(sources)?.into_iter().filter(|item| !item.is_used_outside);
    let note = |item: &PublicItem| if item.is_in_own_tests { " (named by tests of its crate)" } else { "" };
    Ok(inside.map(|item| format!("{}: {}{}\n", item.source.path, item.name, note(&item))).collect())
}

fn items(sources: &[Source]) -> Result<Vec<PublicItem<'_>>, String> {
    let mut named: BTreeMap<(&str, bool), BTreeSet<&str>> = BTreeMap::new();
    let rust = || sources.iter().filter(|source| source.is_rust());
    for source in rust() {
        let names = named.entry((source.home(), is_library(source))).or_default();
        names.extend(source.code_lines().flat_map(|(_, code)| identifiers(code)));
    }
    let mut items = Vec::new();
    // The testkit is for tests; a program has no users.
    let has_users = |source: &&Source| !["crates/testkit", "crates/cli", "xtask"].contains(&source.home());
    for source in rust().filter(|source| is_library(source)).filter(has_users) {
        let file = syn::parse_file(&source.text).map_err(|e| format!("{}: {e}", source.path))?;
        let mut names = Vec::new();
        public(&file.items, &mut names);
        let home = source.home();
        items.extend(names.into_iter().map(|(name, is_module)| {
            let is_used_outside =
                named.iter().any(|((other, _), names)| *other != home && names.contains(name.as_str()));
            let is_in_own_tests = named.get(&(home, false)).is_some_and(|names| names.contains(name.as_str()));
            PublicItem { source, name, is_module, is_used_outside, is_in_own_tests }
        }));
    }
    Ok(items)
}

/// Whether a file belongs to the library or program, not to its tests, benches or examples.
fn is_library(source: &Source) -> bool {
    source.path.strip_prefix(source.home()).is_some_and(|rest| rest.starts_with("/src/"))
}

/// Names of public items, and whether they are modules.
fn public(items: &[Item], names: &mut Vec<(String, bool)>) {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in items {
        let (visibility, name) = match item {
            Item::Const(item) => (&item.vis, &item.ident),
            Item::Enum(item) => (&item.vis, &item.ident),
            Item::Fn(item) => (&item.vis, &item.sig.ident),
            Item::Static(item) => (&item.vis, &item.ident),
            Item::Struct(item) => (&item.vis, &item.ident),
            Item::Trait(item) => (&item.vis, &item.ident),
            Item::Type(item) => (&item.vis, &item.ident),
            Item::Union(item) => (&item.vis, &item.ident),
            Item::Mod(item) => {
                public(item.content.as_ref().map_or(&[], |(_, items)| items), names);
                (&item.vis, &item.ident)
            }
            Item::Impl(block) => {
                for item in &block.items {
                    match item {
                        ImplItem::Fn(method) if is_public(&method.vis) => {
                            names.push((method.sig.ident.to_string(), false));
                        }
                        ImplItem::Const(constant) if is_public(&constant.vis) => {
                            names.push((constant.ident.to_string(), false));
                        }
                        _ => {}
                    }
                }
                continue;
            }
            _ => continue,
        };
        if is_public(visibility) {
            names.push((name.to_string(), matches!(item, Item::Mod(_))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tree;

    #[test]
    fn items_that_no_other_crate_names_are_counted() {
        let code = "pub mod m { pub fn used() {} }\npub struct Tested;\nimpl Tested { pub fn alone(&self) {} fn b() {} }\n\
            pub(crate) fn c() {}\n";
        let files = [
            ("crates/a/src/lib.rs", code),
            ("crates/a/tests/t.rs", "use a::Tested;"),
            ("crates/b/src/lib.rs", "use a::m::used; // alone"),
        ];
        let files = tree(&files);
        let list = list(&files).unwrap();
        let path = "crates/a/src/lib.rs";
        assert_eq!(list, format!("{path}: Tested (named by tests of its crate)\n{path}: alone\n"));
        assert!(text(&files).unwrap().ends_with("total                     4        1            2              1\n"));
    }
}
