//! Attributions: how much each feature of a graph contributes to the prediction of a model.
//!
//! A *feature* is a subgraph of the model, or a side input (see [`function`]). Promise: [`attributions`] is the only
//! path from a request to numbers; the program and the Python package convert its result and compute nothing.
//! Attributions sum to the output minus the base, exactly for Shapley values, approximately for LIME. Tested against
//! the definition of the Shapley value (`shapley/tests.rs`), against the package `shap` and against a model that is
//! linear.

mod absence;
pub(crate) mod function;
mod importances;
pub(crate) mod lime;
pub(crate) mod permutation;
pub(crate) mod shapley;
mod table;

use crate::subject::Subject;
pub use absence::Absences;
use einsicht_model::metrics::most_likely;
use function::ValueFunction;
pub use function::{Quantity, Scale};
pub use importances::importances;
pub use lime::LimeOptions;
pub use shapley::{ShapleyBaseline, ShapleyOptions};
pub use table::FeatureTable;

/// The attribution of one graph's output. Every list has one number per quantity; lists over features go feature by
/// feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribution {
    /// The output for the graph, one number per quantity.
    pub output: Vec<f64>,
    /// The output at the baseline, one number per quantity.
    pub base: Vec<f64>,
    /// The contribution of every feature; 0 for features that equal the baseline.
    pub values: Vec<f64>,
    /// Standard errors of `values` where they are means over sampled orders.
    pub errors: Option<Vec<f64>>,
    /// For every pair of features half the Shapley interaction index, and on the diagonal the rest of the feature's
    /// Shapley value, so that rows sum to the Shapley values. Only on request, and only where values are exact.
    pub interactions: Option<Vec<f64>>,
}

impl Attribution {
    /// All zeros.
    pub fn new(features: usize, quantities: usize) -> Self {
        Self {
            output: vec![0.0; quantities],
            base: vec![0.0; quantities],
            values: vec![0.0; features * quantities],
            errors: None,
            interactions: None,
        }
    }
}

/// What attributions of a graph are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineKind {
    /// A graph that contains none of the subgraphs.
    Absent,
    /// The mean over the background of the model, a sample of the graphs that it was fitted on.
    Background,
    /// The root of a tree: its answer before the first question.
    Root,
}

impl BaselineKind {
    /// Its word in options and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Background => "background",
            Self::Root => "root",
        }
    }
}

/// How attributions are computed.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributionMethod {
    /// Shapley values.
    Shapley {
        /// What they are measured from.
        baseline: ShapleyBaseline,
        /// Exact or sampled, and which seed.
        options: ShapleyOptions,
    },
    /// LIME, a local linear surrogate. Its baseline is the absence of subgraphs.
    Lime(LimeOptions),
}

/// A request for attributions of some graphs.
#[derive(Clone, Debug)]
pub struct AttributionRequest<'a> {
    /// The model and the data set.
    pub subject: Subject<'a>,
    /// The graphs to explain: rows of the data set.
    pub rows: &'a [usize],
    /// What is explained of a classifier.
    pub scale: Scale,
    /// Shapley values or LIME.
    pub method: AttributionMethod,
}

/// The part of the work that finds the subgraphs in the graphs, about.
const OF_MATCHING: f64 = 0.1;

/// Attributions of some graphs.
#[derive(Clone, Debug)]
pub struct Attributions {
    /// The explained numbers.
    pub quantities: Vec<Quantity>,
    /// Names of the features: one per subgraph, all different, and one for each side input of the model.
    pub names: Vec<String>,
    /// What the attributions are measured from.
    pub baseline: BaselineKind,
    /// The value of each feature in each graph, one row per graph.
    pub features: Vec<f64>,
    /// One attribution per graph.
    pub graphs: Vec<Attribution>,
}

impl Attributions {
    /// The contribution of a feature to a quantity.
    ///
    /// # Panics
    /// If the attribution is not one of these, or there is no such feature or quantity.
    pub fn value(&self, attribution: &Attribution, feature: usize, quantity: usize) -> f64 {
        attribution.values[feature * self.quantities.len() + quantity]
    }

    /// The feature values of a graph.
    ///
    /// # Panics
    /// If there is no such graph.
    pub fn features_of(&self, graph: usize) -> &[f64] {
        &self.features[graph * self.names.len()..(graph + 1) * self.names.len()]
    }

    /// The quantity to show first for a task and a graph: that of its predicted class.
    pub fn main_quantity(&self, attribution: &Attribution, task: usize) -> usize {
        let own: Vec<usize> = (0..self.quantities.len()).filter(|&q| self.quantities[q].task == task).collect();
        let outputs: Vec<f64> = own.iter().map(|&q| attribution.output[q]).collect();
        own.get(most_likely(&outputs)).copied().unwrap_or(0)
    }

    /// The base plus all contributions: the output for Shapley values, the prediction of the local model for LIME.
    pub fn total(&self, attribution: &Attribution, quantity: usize) -> f64 {
        let values = (0..self.names.len()).map(|feature| self.value(attribution, feature, quantity));
        values.fold(attribution.base[quantity], |sum, value| sum + value)
    }

    /// What base and contributions leave unexplained of the output: 0 for Shapley values, but for rounding.
    pub fn residual(&self, attribution: &Attribution, quantity: usize) -> f64 {
        attribution.output[quantity] - self.total(attribution, quantity)
    }

    /// The same for the quantities of some tasks only.
    #[must_use]
    pub fn of_tasks(self, tasks: &[usize]) -> Self {
        let all = self.quantities.len();
        let kept: Vec<usize> = (0..all).filter(|&q| tasks.contains(&self.quantities[q].task)).collect();
        let select = |list: &[f64]| -> Vec<f64> {
            list.chunks_exact(all.max(1)).flat_map(|numbers| kept.iter().map(|&q| numbers[q])).collect()
        };
        let graphs = self.graphs.iter().map(|graph| Attribution {
            output: select(&graph.output),
            base: select(&graph.base),
            values: select(&graph.values),
            errors: graph.errors.as_deref().map(select),
            interactions: graph.interactions.as_deref().map(select),
        });
        let graphs = graphs.collect();
        Self { quantities: kept.iter().map(|&q| self.quantities[q].clone()).collect(), graphs, ..self }
    }
}

/// Attributes the output for each requested graph to the features of the model.
///
/// # Panics
/// If there is no such entry or row, or the model cannot read the data (see [`einsicht_model::Model::check_data`]).
pub fn attributions(request: &AttributionRequest<'_>) -> Attributions {
    attributions_with_progress(request, &|_| ())
}

/// The same; `progress` hears which part of the work is done, from 0 to 1.
///
/// # Panics
/// As [`attributions`].
pub fn attributions_with_progress(request: &AttributionRequest<'_>, progress: &dyn Fn(f64)) -> Attributions {
    let Subject { model, entry, dataset } = request.subject;
    // Side inputs are known by their place in the data set; without them the other graphs need not be searched.
    let is_part = model.side.is_none() && request.rows.len() < dataset.len();
    let part = is_part.then(|| dataset.subset(request.rows));
    let subject = Subject { model, entry, dataset: part.as_ref().unwrap_or(dataset) };
    let (function, all) = ValueFunction::of_graphs(&subject, request.scale);
    let table = if is_part { all } else { all.select(request.rows) };
    let progress = |part: f64| progress(OF_MATCHING + (1.0 - OF_MATCHING) * part);
    progress(0.0);
    let (baseline, graphs) = match &request.method {
        AttributionMethod::Shapley { baseline, options } => {
            let values = shapley::shapley_values_with_progress(&function, &table, *baseline, options, &progress);
            (baseline.kind(), (0..table.rows()).map(|row| values.row(row).clone()).collect())
        }
        AttributionMethod::Lime(options) => {
            let of_row = |row| {
                progress(row as f64 / table.rows() as f64);
                lime::lime(&function, table.row(row), options)
            };
            (BaselineKind::Absent, (0..table.rows()).map(of_row).collect())
        }
    };
    Attributions {
        quantities: function.quantities().to_vec(),
        names: request.subject.feature_names(function.features()),
        baseline,
        features: table.into_values(),
        graphs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Provenance;
    use einsicht_data::{Dataset, Part};
    use einsicht_model::Model;
    use einsicht_testkit::models;

    #[test]
    fn a_local_model_is_complete_with_its_residual_and_tasks_can_be_picked() {
        let (mut dataset, _) = models::rings();
        let mut model = models::tangled(5);
        let rows: Vec<usize> = (0..10).collect();
        let of = |model: &Model, dataset: &Dataset| {
            let subject = Subject { model, entry: model.chosen, dataset };
            let (scale, method) = (Scale::Logit, AttributionMethod::Lime(LimeOptions::default()));
            attributions(&AttributionRequest { subject, rows: &rows, scale, method })
        };
        let found = of(&model, &dataset);
        let mut largest = 0.0_f64;
        for graph in &found.graphs {
            let residual = found.residual(graph, 0);
            assert!((found.total(graph, 0) + residual - graph.output[0]).abs() < 1e-12);
            largest = largest.max(residual.abs());
        }
        assert!(largest > 0.01, "the local model of a tangled one is not exact: {largest}");
        // A second task with the outputs of the first one, as far as names go.
        dataset.targets.push(dataset.targets[0].clone());
        model.tasks[0].name = "A".to_owned();
        let both = Attributions {
            quantities: vec![
                found.quantities[0].clone(),
                Quantity { task: 1, class: Some(1), name: "logit of B = 1".to_owned() },
            ],
            graphs: found
                .graphs
                .iter()
                .map(|graph| {
                    let pair = |list: &[f64]| list.iter().flat_map(|&value| [value, -value]).collect();
                    Attribution {
                        output: pair(&graph.output),
                        base: pair(&graph.base),
                        values: pair(&graph.values),
                        errors: None,
                        interactions: None,
                    }
                })
                .collect(),
            ..found.clone()
        };
        let second = both.of_tasks(&[1]);
        assert_eq!((second.quantities.len(), second.quantities[0].name.as_str()), (1, "logit of B = 1"));
        assert_eq!(second.main_quantity(&second.graphs[0], 1), 0);
        for (graph, first) in second.graphs.iter().zip(&found.graphs) {
            assert_eq!(graph.values, first.values.iter().map(|value| -value).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_background_is_the_models_own_whatever_is_explained() {
        let (dataset, model) = models::rings();
        let training = Provenance::of(&model, &dataset).rows_of(Part::Train);
        assert!(!training.is_empty() && training.len() < dataset.len());
        let of = |dataset: &Dataset| {
            let subject = Subject { model: &model, entry: model.chosen, dataset };
            let rows: Vec<usize> = (0..dataset.len()).collect();
            let method =
                AttributionMethod::Shapley { baseline: ShapleyBaseline::default(), options: ShapleyOptions::default() };
            attributions(&AttributionRequest { subject, rows: &rows, scale: Scale::Logit, method })
        };
        let whole = of(&dataset);
        assert_eq!(whole.baseline, BaselineKind::Background);
        // Few different rows: the background holds all training graphs.
        let mean = training.iter().map(|&row| whole.graphs[row].output[0] / training.len() as f64).sum::<f64>();
        assert!((whole.graphs[0].base[0] - mean).abs() < 1e-9);
        // A file of one graph, which compared with itself would have no explanation.
        let alone = of(&dataset.subset(&[7]));
        assert_eq!(alone.graphs[0], whole.graphs[7]);
        assert!(alone.graphs[0].values.iter().any(|value| value.abs() > 1e-3));
    }
}
