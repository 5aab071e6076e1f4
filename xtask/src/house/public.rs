//! Public items, by crate, and how many of them no other crate names.
//!
//! An item is a `pub` function, method, type, trait, constant, module or macro; fields and variants do not count, nor does
//! `pub(crate)`. Use is judged by name: an item counts as used outside if its name occurs as an identifier in a Rust file
//! of another crate, outside of comments. So a common name hides an item that nothing uses. The tests, benches and examples of the crate itself count separately.

use crate::source::{Source, identifiers};
use std::collections::{BTreeMap, BTreeSet};
use syn::{ImplItem, Item, Visibility};

/// Public items of a crate by who names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Surface {
    items: usize,
    /// Named by no other crate.
    inside: usize,
    /// Of these, named by the tests, benches or examples of the crate.
    own_tests: usize,
    modules: usize,
}

pub(super) fn text(sources: &[Source]) -> Result<String, String> {
    let mut text = format!(
        "{:<20} {:>6} {:>8} {:>14} {:>16}\n",
        "public items", "items", "modules", "only inside", "of these, tests"
    );
    let row = |name: &str, all: Surface| {
        format!("{name:<20} {:>6} {:>8} {:>14} {:>16}\n", all.items, all.modules, all.inside, all.own_tests)
    };
    let mut total = Surface::default();
    for (home, surface) in surfaces(sources)? {
        text += &row(home, surface);
        total.items += surface.items;
        total.modules += surface.modules;
        total.inside += surface.inside;
        total.own_tests += surface.own_tests;
    }
    Ok(text + &row("total", total))
}

fn surfaces(sources: &[Source]) -> Result<BTreeMap<&str, Surface>, String> {
    let mut named: BTreeMap<(&str, bool), BTreeSet<&str>> = BTreeMap::new();
    let rust = || sources.iter().filter(|source| source.is_rust());
    for source in rust() {
        let names = named.entry((source.home(), is_library(source))).or_default();
        names.extend(source.code_lines().flat_map(|(_, code)| identifiers(code)));
    }
    let mut surfaces: BTreeMap<&str, Surface> = BTreeMap::new();
    // The testkit is for tests; a program has no users.
    let has_users = |source: &&Source| !["crates/testkit", "crates/cli", "xtask"].contains(&source.home());
    for source in rust().filter(|source| is_library(source)).filter(has_users) {
        let file = syn::parse_file(&source.text).map_err(|e| format!("{}: {e}", source.path))?;
        let mut names = Vec::new();
        public(&file.items, &mut names);
        let surface = surfaces.entry(source.home()).or_default();
        for (name, is_module) in names {
            let in_crate = |home: &str| home == source.home();
            let outside = named.iter().any(|((home, _), names)| !in_crate(home) && names.contains(name.as_str()));
            let in_tests = named.get(&(source.home(), false)).is_some_and(|names| names.contains(name.as_str()));
            surface.items += 1;
            surface.modules += usize::from(is_module);
            surface.inside += usize::from(!outside);
            surface.own_tests += usize::from(!outside && in_tests);
        }
    }
    Ok(surfaces)
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
                            names.push((method.sig.ident.to_string(), false))
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
        let text = "pub mod m { pub fn used() {} }\npub struct Tested;\nimpl Tested { pub fn alone(&self) {} fn b() {} }\n\
            pub(crate) fn c() {}\n";
        let files = [
            ("crates/a/src/lib.rs", text),
            ("crates/a/tests/t.rs", "use a::Tested;"),
            ("crates/b/src/lib.rs", "use a::m::used;"),
        ];
        let files = tree(&files);
        let surfaces = surfaces(&files).unwrap();
        assert_eq!(surfaces["crates/a"], Surface { items: 4, inside: 2, own_tests: 1, modules: 1 });
    }
}
