//! How the subgraphs of the page are read, as sentences: what a drawing says, and what it leaves open.
//!
//! Promise: a sentence is there only if a subgraph of the model needs it.

use crate::draw::Palette;
use einsicht_data::Qualifiers;
use einsicht_graph::DfsCode;
use einsicht_model::Model;
use einsicht_search::feature::Feature;

/// The sentences that the subgraphs of a model need.
pub(super) fn sentences(model: &Model, palette: &Palette) -> Vec<String> {
    let codes = || model.patterns.iter().map(|pattern| &pattern.code);
    let used = codes().flat_map(DfsCode::qualifiers).fold(0_u64, |all, qualifier| all | 1 << qualifier.value);
    let uses = |property: &str, token: Option<&str>| {
        let values = Qualifiers::bits(used).map(|bit| &model.qualifiers.values()[bit]);
        values.into_iter().any(|value| value.property == property && token.is_none_or(|token| value.token == token))
    };
    let mut sentences = Vec::new();
    if used != 0 && palette.is_chemical() {
        sentences.push(
            "An atom has exactly the hydrogens and the charge written next to it; without a note, any are allowed.",
        );
    } else if used != 0 {
        sentences.push("A vertex must have the properties written next to it; all others may vary.");
    }
    if codes().any(|code| has_any_halogen(model, code)) {
        sentences.push("X: any halogen (F, Cl, Br or I).");
    }
    if uses("degree", None) && model.qualifiers.is_of_molecules() {
        sentences.push("Neighbours are bonded atoms that are vertices of the graph, in the subgraph or not.");
    }
    if uses("ring", Some("ring")) {
        sentences.push("Non-aromatic ring: the atom is in a ring and has no aromatic bond.");
    }
    match model.params.feature {
        Feature::Presence => {}
        Feature::Count => sentences.push("The model counts copies of each subgraph; counts are lower bounds."),
        Feature::Mni => sentences.push(
            "The model reads the minimum-image (MNI) count of each subgraph: the least number of distinct vertices of \
             the graph to \
             which a vertex of the subgraph can be mapped. It is not a number of copies.",
        ),
    }
    sentences.into_iter().map(str::to_owned).collect()
}

/// Whether a vertex is a halogen of any kind.
fn has_any_halogen(model: &Model, code: &DfsCode) -> bool {
    if !model.qualifiers.merges_halogens() {
        return false;
    }
    let named = model.names().pattern(code);
    let is_element = |name: &String| ["F", "Cl", "Br", "I"].contains(&name.as_str());
    named.vertices.iter().any(|vertex| vertex.label == "X" && !vertex.qualifiers.iter().any(is_element))
}
