//! What an explanation is about: one entry of a model, and a data set.

use einsicht_data::Dataset;
use einsicht_model::Iterate;
use einsicht_model::Model;

/// One entry of a model's path, and the graphs that it predicts.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Model,
    /// The entry of its path.
    pub entry: usize,
    /// The graphs.
    pub dataset: &'a Dataset,
}

impl<'a> Subject<'a> {
    /// The parameters of the entry: patterns, weights, network.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn iterate(&self) -> &'a Iterate {
        &self.model.entries[self.entry].iterate
    }

    /// Names of the first `features` features: the subgraphs, where a repeated name gets a number, then the side
    /// inputs.
    pub(crate) fn feature_names(&self, features: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for pattern in &self.iterate().patterns {
            let name = self.model.names().one_line(&pattern.code);
            let before =
                names.iter().filter(|known| **known == name || known.starts_with(&format!("{name} #"))).count();
            names.push(if before == 0 { name } else { format!("{name} #{}", before + 1) });
        }
        if names.len() < features {
            for side in self.model.side_inputs() {
                let name = side.feature_name();
                names.push(if names.contains(&name) { side.in_words() } else { name });
            }
        }
        names
    }
}
