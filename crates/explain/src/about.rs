//! Explanations of the other one of two classes.
//!
//! Of two classes the second is explained. Whoever orders classes in another way, as Python does with the words "10"
//! and "2", turns the explanation to be about the first: values change their sign, probabilities are those of the other
//! class. Turned twice, an explanation is what it was, but for rounding.

use crate::values::{Attribution, Attributions};
use einsicht_model::Model;
use einsicht_model::effects::{Effects, PatternEffect};
use einsicht_model::task::TaskKind;

/// For each quantity how its outputs are turned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Not,
    Logit,
    Probability,
}

impl Turn {
    /// How a quantity of a task is turned, which then has another class and name.
    fn of(model: &Model, tasks: &[usize], (task, class, name): (usize, &mut Option<usize>, &mut String)) -> Self {
        let TaskKind::Classes(names) = &model.tasks[task].kind else { return Self::Not };
        let [first, second] = &names[..] else { return Self::Not };
        if !tasks.contains(&task) {
            return Self::Not;
        }
        let end = format!(" = {second}");
        *name = format!("{} = {first}", name.strip_suffix(&end).unwrap_or(name));
        *class = Some(0);
        if name.starts_with("probability of ") { Self::Probability } else { Self::Logit }
    }

    fn value(self, value: f64) -> f64 {
        if self == Self::Not { value } else { -value }
    }

    fn output(self, output: f64) -> f64 {
        if self == Self::Probability { 1.0 - output } else { self.value(output) }
    }
}

/// Numbers, quantity by quantity again and again, each changed as its quantity is.
fn turned(turns: &[Turn], numbers: &[f64], change: fn(Turn, f64) -> f64) -> Vec<f64> {
    numbers.iter().zip(turns.iter().cycle()).map(|(&number, &turn)| change(turn, number)).collect()
}

impl Attributions {
    /// The same about the first one of the two classes of some tasks, instead of the second. Tasks of other kinds stay
    /// as they are.
    ///
    /// # Panics
    /// If these are no attributions of this model.
    #[must_use]
    pub fn about_first(mut self, model: &Model, tasks: &[usize]) -> Self {
        let turn = |q: &mut crate::values::Quantity| Turn::of(model, tasks, (q.task, &mut q.class, &mut q.name));
        let turns: Vec<Turn> = self.quantities.iter_mut().map(turn).collect();
        let one = |graph: Attribution| Attribution {
            output: turned(&turns, &graph.output, Turn::output),
            base: turned(&turns, &graph.base, Turn::output),
            values: turned(&turns, &graph.values, Turn::value),
            interactions: graph.interactions.map(|pairs| turned(&turns, &pairs, Turn::value)),
            errors: graph.errors,
        };
        self.graphs = self.graphs.into_iter().map(one).collect();
        self
    }
}

/// Effects about the first one of the two classes of some tasks, instead of the second. Tasks of other kinds stay as
/// they are.
///
/// # Panics
/// If these are no effects of this model.
#[must_use]
pub fn effects_about_first(mut effects: Effects, model: &Model, tasks: &[usize]) -> Effects {
    let turns: Vec<Turn> =
        (effects.quantities.iter_mut()).map(|q| Turn::of(model, tasks, (q.task, &mut q.class, &mut q.name))).collect();
    let one = |effect: &mut PatternEffect| {
        effect.values = turned(&turns, &effect.values, Turn::value);
        for (ends, _) in effect.intervals.iter_mut().zip(&turns).filter(|(_, turn)| **turn != Turn::Not) {
            *ends = [-ends[1], -ends[0]];
        }
        for (raises, _) in effect.raises.iter_mut().zip(&turns).filter(|(_, turn)| **turn != Turn::Not) {
            *raises = 1.0 - *raises;
        }
    };
    effects.patterns.iter_mut().chain(effects.columns.iter_mut().map(|column| &mut column.effect)).for_each(one);
    for pair in &mut effects.pairs {
        for (outputs, turn) in pair.outputs.iter_mut().zip(&turns) {
            *outputs = outputs.map(|output| turn.output(output));
        }
    }
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AttributionMethod, AttributionRequest, Provenance, Scale, ShapleyBaseline, ShapleyOptions, Subject,
        attributions, effects,
    };
    use einsicht_testkit::models;

    #[test]
    fn an_explanation_of_the_first_class_is_that_of_the_second_turned_around() {
        let (dataset, model) = models::rings();
        let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
        let TaskKind::Classes(names) = &model.tasks[0].kind else { panic!("classes") };
        for scale in [Scale::Probability, Scale::Logit] {
            let method = AttributionMethod::Shapley {
                baseline: ShapleyBaseline::Background,
                options: ShapleyOptions::default(),
            };
            let found = attributions(&AttributionRequest { subject, rows: &[0, 1, 2], scale, method });
            let other = found.clone().about_first(&model, &[0]);
            assert_eq!(other.quantities[0].name, format!("{} of {} = {}", scale.name(), model.tasks[0].name, names[0]));
            assert_eq!(other.quantities[0].class, Some(0));
            for (here, there) in found.graphs.iter().zip(&other.graphs) {
                let sum: f64 = there.values.iter().sum();
                assert!((there.base[0] + sum - there.output[0]).abs() < 1e-9);
                let whole = if scale == Scale::Probability { 1.0 } else { 0.0 };
                assert!((here.output[0] + there.output[0] - whole).abs() < 1e-12);
            }
            assert_eq!(found.clone().about_first(&model, &[]).graphs, found.graphs);
        }
        let found = effects(&subject, &Provenance::of(&model, &dataset));
        let other = effects_about_first(found.clone(), &model, &[0]);
        for (here, there) in found.patterns.iter().zip(&other.patterns) {
            assert!(here.values.iter().zip(&there.values).all(|(a, b)| *a == -*b));
            assert!(here.intervals.iter().zip(&there.intervals).all(|(a, b)| *a == [-b[1], -b[0]]));
        }
        assert!(other.quantities[0].name.ends_with(&format!(" = {}", names[0])));
        assert_eq!(effects_about_first(found.clone(), &model, &[]), found);
    }
}
