//! What the absence of subgraphs contributes: with the background as the baseline, a graph may be decided by what it
//! lacks.
//!
//! Promise: absences that matter are named one by one, the others are counted, and together they are all absent
//! features with a value.

use super::Attributions;

/// The part of all contributions, by size, from which on an absent subgraph is named.
const NAMED: f64 = 0.02;

/// Absent subgraphs that contribute to the output for a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absences {
    /// Features that are named, by index.
    pub named: Vec<usize>,
    /// The others.
    pub others: Vec<usize>,
}

impl Absences {
    /// Of a row of features and its values, feature by feature, for some of the quantities: named is what matters to
    /// one of them.
    pub fn new(features: &[f64], values: &[f64], quantities: &[usize]) -> Self {
        let width = values.len() / features.len().max(1);
        let of = |feature: usize, q: usize| values[feature * width + q];
        let sizes: Vec<f64> = quantities
            .iter()
            .map(|&q| (0..features.len()).fold(0.0, |sum, feature| sum + of(feature, q).abs()))
            .collect();
        let mut found = Self::default();
        for feature in (0..features.len()).filter(|&feature| features[feature] == 0.0) {
            let contributes = |&q: &usize| of(feature, q) != 0.0;
            let mut with_sizes = quantities.iter().zip(&sizes);
            if !quantities.iter().any(contributes) {
                continue;
            }
            let is_named = with_sizes.any(|(&q, size)| of(feature, q) != 0.0 && of(feature, q).abs() >= NAMED * size);
            if is_named { &mut found.named } else { &mut found.others }.push(feature);
        }
        found
    }
}

impl Attributions {
    /// The absent subgraphs that contribute to a quantity of a graph.
    ///
    /// # Panics
    /// If there is no such graph or quantity.
    pub fn absences(&self, graph: usize, quantity: usize) -> Absences {
        Absences::new(self.features_of(graph), &self.graphs[graph].values, &[quantity])
    }

    /// The feature with the largest contribution to a quantity of a graph, and whether it is the absence of a subgraph;
    /// nothing if no feature contributes.
    ///
    /// # Panics
    /// If there is no such graph or quantity.
    pub fn decided_by(&self, graph: usize, quantity: usize) -> Option<(usize, bool)> {
        let size = |feature: usize| self.value(&self.graphs[graph], feature, quantity).abs();
        let mut largest = (0, 0.0);
        for feature in 0..self.names.len() {
            if size(feature) > largest.1 {
                largest = (feature, size(feature));
            }
        }
        (largest.1 > 0.0).then(|| (largest.0, self.features_of(graph)[largest.0] == 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absences_that_matter_are_named_and_the_others_are_counted() {
        let features = [1.0, 0.0, 0.0, 0.0, 0.0];
        let values = [0.5, -0.5, 0.001, 0.0, -0.02];
        let found = Absences::new(&features, &values, &[0]);
        assert_eq!(found, Absences { named: vec![1], others: vec![2, 4] });
        // One that matters to one of two quantities is named.
        let both: Vec<f64> = values.iter().flat_map(|value| [*value, 0.3]).collect();
        assert_eq!(Absences::new(&features, &both, &[0, 1]).named, [1, 2, 3, 4]);
        assert_eq!(Absences::new(&[], &[], &[0]), Absences::default());
    }
}
