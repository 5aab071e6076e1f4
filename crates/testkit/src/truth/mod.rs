//! Sets whose reason is known: groups of atoms (`groups.rs`), rules over them that label molecules (`rules.rs`), and
//! how explanations are judged by the atoms that are the reason (here).
//!
//! Promise: nothing here knows the trainer or how explanations are made. Measures as in `../shared/data/truth`: *atom
//! AUC* is the area under the curve of the weights of a graph's vertices against the vertices of the rule; *GEA* (graph
//! explanation accuracy, as in GraphXAI) the Jaccard index of the rule's vertices and those with more than a tenth of
//! the largest weight.

mod groups;
mod rules;

pub use groups::Group;
pub use rules::{PlantedSet, Rule, plant};

/// Area under the curve of the weights against the vertices that are the reason; `None` if all vertices are, or none.
pub fn atom_auc(weights: &[f64], is_reason: &[bool]) -> Option<f64> {
    let of =
        |wanted: bool| weights.iter().zip(is_reason).filter(move |(_, is)| **is == wanted).map(|(weight, _)| *weight);
    let (reasons, others) = (of(true).count(), of(false).count());
    if reasons == 0 || others == 0 {
        return None;
    }
    let wins = |weight: f64| {
        of(false).map(move |other| if weight > other { 1.0 } else { f64::from(u8::from(weight == other)) / 2.0 })
    };
    Some(of(true).flat_map(wins).sum::<f64>() / (reasons * others) as f64)
}

/// Jaccard index of the reason and the vertices with more than a tenth of the largest weight; `None` without a reason.
pub fn explanation_accuracy(weights: &[f64], is_reason: &[bool]) -> Option<f64> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let is_shown = |weight: f64| largest > 0.0 && weight > largest / 10.0;
    let pairs = || weights.iter().zip(is_reason).map(|(&weight, &is)| (is_shown(weight), is));
    let both = pairs().filter(|(shown, is)| *shown && *is).count();
    let either = pairs().filter(|(shown, is)| *shown || *is).count();
    is_reason.contains(&true).then(|| both as f64 / either as f64)
}

/// Cosine of two lists of contributions; `None` if one of them is zero.
pub fn cosine(one: &[f64], other: &[f64]) -> Option<f64> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let lengths = (product(one, one) * product(other, other)).sqrt();
    (lengths > 0.0).then(|| product(one, other) / lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_their_definitions() {
        let reason = [true, true, false, false];
        assert_eq!(atom_auc(&[1.0, 0.5, 0.5, 0.0], &reason), Some(3.5 / 4.0));
        assert_eq!(atom_auc(&[1.0; 4], &[true; 4]), None);
        assert_eq!(explanation_accuracy(&[1.0, 0.05, 0.2, 0.0], &reason), Some(1.0 / 3.0));
        assert_eq!(explanation_accuracy(&[0.0; 4], &reason), Some(0.0));
        assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), Some(1.0));
    }
}
