//! Why a model predicts what it predicts.
//!
//! A model of this project reads a few subgraphs of a graph and computes an output from them. This crate explains that
//! output: attributions of subgraphs, vertices and edges, surrogate trees, importances. It reads models and changes
//! nothing. It never opens a file and never prints. Pictures, words and the page are `einsicht_report`.
//!
//! # From "remove a subgraph and see" to Shapley values
//!
//! The naive explanation of one prediction removes one subgraph at a time:
//!
//! ```text
//! for each subgraph H of the graph: contribution(H) = output(all) - output(all without H)
//! ```
//!
//! 1. *An output for any set of subgraphs.* No molecule may have a ring without its atoms, but a model reads only which
//!    subgraphs are present. So its output is defined for any coalition `S` of them: the value function `v(S)`. What
//!    replaces a subgraph outside of the coalition is the *baseline*: its values in the *background*, a sample of the
//!    training graphs that lives in the model, or its absence. The first asks "why this graph, and not a usual one?",
//!    and what is absent can be the reason; the second asks "what if these subgraphs alone were there?", of molecules
//!    that may not exist.
//! 2. *Two subgraphs that do the same hide each other.* Where either suffices, removing one changes nothing and both
//!    get 0. So subgraphs are added one after the other, and each contributes what it adds: `v(S + H) - v(S)`. These
//!    contributions always sum to the output minus the base.
//! 3. *The order must not matter.* The Shapley value of `H` is its mean contribution over all orders. Many orders have
//!    the same coalition before `H`, so it is a weighted sum over coalitions: `2^m` outputs for `m` subgraphs that
//!    differ. That is exact, and fast up to about 12 subgraphs.
//! 4. *Exact at any number, where the model has a form.* For a linear model on its own scale a value is weight times
//!    difference; for trees each leaf is a game that is solved on paper; for the logistic function of a linear model
//!    there is a short sum of products. So numbers, logits of a linear head and probabilities of forests and blends of
//!    two classes need no sample, at any number of subgraphs.
//! 5. *Elsewhere, a sample of orders.* The mean over random orders, each used in both directions, still sums to the
//!    output minus the base, and has a standard error.
//! 6. *Faster outputs.* All coalitions mix two rows, the graph and its baseline, so a random forest in the model is
//!    reduced to the questions in which they differ before it is evaluated thousands of times. Equal graphs are
//!    computed once.
//!
//! LIME answers the same question by a weighted linear regression on random coalitions. A surrogate decision tree and
//! the importance of subgraphs in a random forest describe the model as a whole, on all graphs of a data set.
//!
//! # Example
//!
//! ```
//! use einsicht_data::generate::{Synthetic, generate};
//! use einsicht_data::split::seeded::{Fractions, default_split};
//! use einsicht_explain::{
//!     AttributionMethod, AttributionRequest, Over, Scale, ShapleyBaseline, ShapleyOptions, Subject, SurrogateRequest,
//!     attributions, spread, surrogate_trees,
//! };
//! use einsicht_train::fit::{FitOptions, fit_without_effects};
//! use einsicht_model::params::TrainParams;
//!
//! // A model of one subgraph distinguishes graphs with 8-rings from graphs with 9-rings.
//! let dataset = generate(Synthetic::Cycle, 0).subset(&(0..100).collect::<Vec<_>>());
//! let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0)?;
//! let params = TrainParams { sizes: vec![1], max_edges: 8, ..TrainParams::ein() }.check()?;
//! let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default())?;
//!
//! // Shapley values sum to the output minus the base.
//! let subject = Subject { model: &model, entry: model.chosen, dataset: &dataset };
//! let method = AttributionMethod::Shapley { baseline: ShapleyBaseline::Absent, options: ShapleyOptions::default() };
//! let rows: Vec<usize> = (0..dataset.len()).collect();
//! let request = AttributionRequest { subject, rows: &rows, scale: Scale::of(&model), method };
//! let found = attributions(&request);
//! for graph in &found.graphs {
//!     let sum: f64 = graph.values.iter().sum();
//!     assert!((sum - (graph.output[0] - graph.base[0])).abs() < 1e-9);
//! }
//!
//! // The attribution of the ring is spread over its vertices and edges.
//! let with_ring = found.graphs.iter().position(|graph| graph.values[0] != 0.0).expect("a graph with the ring");
//! let on_graph = spread(&subject, with_ring, &found.graphs[with_ring].values, Over::Subgraph);
//! assert!((on_graph.edges.iter().sum::<f64>() - found.graphs[with_ring].values[0]).abs() < 1e-9);
//!
//! // One question reproduces the model.
//! let request = SurrogateRequest { subject, tasks: &[0], rows: &[], max_depth: 1 };
//! assert_eq!(surrogate_trees(&request).trees[0].fidelity, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod compared;
mod copies;
mod effects;
mod members;
mod places;
mod provenance;
mod rules;
mod subject;
mod values;

pub use about::effects_about_first;
pub use effects::{
    EffectSample, FEWEST_FOR_INTERVAL, RowValues, add_effects, check_effects, effects, effects_and_values, output_name,
};
pub use einsicht_model::effects::{
    ColumnEffect, EffectGraphs, EffectQuantity, Effects, PairEffect, PatternEffect, Share,
};
pub use members::{MemberSpread, member_spread};
pub use places::{MOST_OCCURRENCES, Over, PatternLocator, Place, Spread, spread};
pub use provenance::{Provenance, unknown_labels};
pub use rules::{
    ForestImportance, ForestRequest, Predictions, Surrogate, SurrogateRequest, SurrogateTrees, forest_importance,
    surrogate_trees,
};
pub use subject::Subject;
pub use values::function::ValueFunction;
pub use values::permutation::PermutationImportance;
pub use values::shapley::{ShapleyValues, shapley_values};
pub use values::{
    Absences, Attribution, AttributionMethod, AttributionRequest, Attributions, BaselineKind, FeatureTable,
    LimeOptions, Quantity, Scale, ShapleyBaseline, ShapleyOptions, attributions, attributions_with_progress,
    importances,
};
