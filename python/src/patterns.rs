//! Patterns for Python: vertices with their labels and qualifiers, edges, one-line text, words, SMARTS.
//!
//! Promise: no numbers of labels or qualifiers, and no halogen is called `X` where its element is known. What is written here
//! names the same pattern when it comes back (`exclude`, `require`). Tested in `python/tests/test_qualifiers.py`.

use einsicht::data::patterns::{NamedPattern, NamedVertex};
use einsicht::graph::DfsCode;
use einsicht::learn::names::Names;
use serde_json::{Value, json};

/// The property that tells halogens apart.
const ELEMENT: &str = "element";

/// A pattern as JSON; a vertex is an object with `label` and `qualifiers`.
pub(crate) fn named_code(names: Names<'_>, code: &DfsCode) -> Value {
    let NamedPattern { vertices, edges } = names.pattern(code);
    let vertex = |NamedVertex { mut label, mut qualifiers }: NamedVertex| {
        let element = qualifiers.iter().position(|name| names.0.qualifiers.bit(ELEMENT, name).is_some());
        if let Some(at) = element {
            // A pattern may call the halogen by its element: `NamedPattern` reads both.
            label = qualifiers.remove(at);
        }
        json!({ "label": label, "qualifiers": qualifiers })
    };
    json!({
        "text": names.draw(code),
        "words": names.words(code),
        "smarts": names.smarts(code),
        "vertices": vertices.into_iter().map(vertex).collect::<Value>(),
        "edges": edges,
    })
}
