//! Parameters of training: plain data from one table, presets, settings, and checks into a type that proves them.
//!
//! [`table`] declares every parameter once; [`Preset`] names sets of defaults; [`TrainSettings`] turns what somebody
//! gave into [`TrainParams`]; [`TrainParams::check`] makes [`CheckedParams`], and the trainer takes nothing else.
//! Errors have one form, from the table, in the spelling of the face that shows them.

mod kinds;
mod min_support;
mod needs;
mod parameter;
mod preset;
mod settings;
mod table;

use kinds::ON_OR_OFF;
pub use kinds::{Kind, Range, text_of};
pub use min_support::{MinSupport, Share};
pub use needs::{Condition, Need};
pub use parameter::{Given, Group, Parameter, Row};
pub use preset::Preset;
pub use settings::TrainSettings;
pub use table::{PARAMETERS, TrainParams};

use crate::forward::activation::Activation;
use crate::forward::network::Network;
use crate::gnn::{Gin, Gnn};
use crate::heads::HeadParams;
use crate::side::Summary;
use crate::task::decision::DecisionOptions;
use einsicht_data::qualify::read_properties;
use einsicht_data::{Dataset, QualifierChoice, QualifierError, Qualifiers};
use einsicht_search::feature::Values;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Subgraphs of a model from which on more of them may enter together, and the ridge penalty grows.
const MANY: usize = 100;
/// Subgraphs that may then enter in one iteration, if their number is limited at all.
const LATE_GROWTH: usize = 10;

/// The numbers of subgraphs on a path that ends at `largest`.
pub fn sizes_up_to(largest: usize) -> Vec<usize> {
    let all = [1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 100, 150, 200, 300];
    all.into_iter().filter(|&size| size <= largest).collect()
}

/// Sparsity constraint on the patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Penalty {
    /// At most so many patterns (`L0,2`): a path of sizes.
    #[default]
    L0,
    /// `lambda` times the sum of the norms of the patterns' weights (`L1,2`, group lasso): a path of lambda values.
    L1,
}

/// Where the path of lambda values starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum L1Start {
    /// Without patterns.
    #[default]
    Zero,
    /// From the patterns and weights of a linear model.
    Linear,
}

/// Decision threshold for the second of two classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threshold {
    /// One half: the more likely class.
    #[default]
    Half,
    /// The best on the validation set.
    Auto,
}

/// Which of the models of the path is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prefer {
    /// The best by the metric.
    #[default]
    Accurate,
    /// The smallest whose metric is within one standard error of the best one's.
    Sparse,
}

/// What follows the mining layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// Dense layers, at least one.
    #[default]
    Layers,
    /// Nothing: the sums of the mining layer are the outputs, so the model is linear in the patterns. There are
    /// as many hidden units as outputs, whatever `hidden` says.
    None,
}

/// Optimizer of the network between the steps on the patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkOptimizer {
    /// The full gradient with a backtracking line search, as in the paper: the objective never rises.
    #[default]
    Gd,
    /// Adam on mini-batches.
    Adam,
}

/// The figure of the validation set that early stopping watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stopping {
    /// The loss, as in the paper.
    #[default]
    Loss,
    /// The metric that chooses among the models of the path.
    Metric,
}

/// The defaults of [`Preset::Default`].
impl Default for TrainParams {
    fn default() -> Self {
        Self::preset(Preset::Default)
    }
}

impl TrainParams {
    /// The defaults of [`Preset::Ein`].
    pub fn ein() -> Self {
        Self::preset(Preset::Ein)
    }

    /// The defaults of [`Preset::Gin`].
    pub fn gin() -> Self {
        Self::preset(Preset::Gin)
    }

    /// The defaults of [`Preset::Paper`].
    pub fn paper() -> Self {
        Self::preset(Preset::Paper)
    }

    /// Whether numbers of subgraphs and of their edges are known: what is auto depends on the graphs.
    pub fn is_settled(&self) -> bool {
        !self.sizes.is_empty() && self.max_edges != 0 && matches!(self.min_support, MinSupport::Graphs(_))
    }

    /// Whether folds choose the model, which is then fitted on all their graphs.
    pub fn is_refitted(&self) -> bool {
        self.refit && self.penalty == Penalty::L0 && self.head.is_fitted()
    }

    /// Number of candidates that are judged by the promised fall of the loss: none behind layers, where single
    /// subgraphs have no curvature.
    pub fn judged_candidates(&self) -> usize {
        let judges = self.penalty == Penalty::L0 && self.growth > 0 && self.network == NetworkKind::None;
        if judges { self.shortlist } else { 0 }
    }

    /// Number of subgraphs that may enter a model of so many in one iteration; none if there is no limit but the size.
    pub fn growth_from(&self, subgraphs: usize) -> Option<usize> {
        let least = if subgraphs >= MANY { LATE_GROWTH } else { 0 };
        (self.growth > 0).then_some(self.growth.max(least))
    }

    /// The ridge penalty of a linear head of so many subgraphs.
    pub fn ridge_of(&self, subgraphs: usize) -> f64 {
        if subgraphs > MANY { self.ridge * (subgraphs as f64 / MANY as f64) } else { self.ridge }
    }

    /// Number of pairs that may enter: none where no head reads them.
    pub fn max_pairs(&self) -> usize {
        if self.penalty == Penalty::L0 && self.head.is_fitted() { self.interactions } else { 0 }
    }

    /// How supports become feature values.
    pub fn values(&self) -> Values {
        Values::new(self.feature, self.count_transform)
    }

    /// Largest number of edges of a subgraph with qualifiers.
    pub fn qualified_edges(&self) -> usize {
        if self.max_qualified_edges == 0 { self.max_edges } else { self.max_qualified_edges.min(self.max_edges) }
    }

    /// A data set with the qualifiers that these parameters ask for. A file of properties is read into the data set,
    /// and the parameters then name its properties: models keep no paths.
    pub fn qualify(&mut self, mut dataset: Dataset) -> Result<Dataset, QualifierError> {
        if self.max_qualifiers == 0 {
            return Qualifiers::default().leaving_out_coordinates_of(&dataset).apply(dataset);
        }
        if let QualifierChoice::File(path) = &self.qualifiers {
            self.qualifiers = QualifierChoice::List(read_properties(&mut dataset, path)?);
        }
        Qualifiers::settle(&dataset, &self.qualifiers)?.leaving_out_coordinates_of(&dataset).apply(dataset)
    }

    /// The same with what follows from the tasks: without a network the units are the outputs.
    #[must_use]
    pub fn for_outputs(mut self, outputs: usize) -> Self {
        if self.network == NetworkKind::None {
            (self.hidden, self.activation) = (outputs, Activation::Identity);
            self.layers.clear();
        }
        self
    }

    /// The network of these parameters for so many outputs.
    pub fn network(&self, outputs: usize) -> Network {
        match self.network {
            NetworkKind::Layers => Network::new(self.hidden, &self.layers, outputs),
            NetworkKind::None => Network::identity(outputs),
        }
    }

    /// What is fitted on the validation set besides the choice of an entry.
    pub fn decision(&self) -> DecisionOptions {
        DecisionOptions { calibrate: self.calibrate, threshold: self.threshold == Threshold::Auto }
    }

    /// Whether training minimises a convex function for each `lambda`, so that its minimum can be found.
    pub fn is_convex(&self) -> bool {
        self.penalty == Penalty::L1 && self.network == NetworkKind::None
    }

    /// The shape of the graph network for so many vertex labels, attributes and edge labels.
    pub fn gin_shape(&self, labels: usize, attributes: usize, edge_labels: usize) -> Option<Gin> {
        (self.gnn == Gnn::Gin).then(|| Gin {
            labels,
            attributes,
            relations: if self.gnn_edge_labels { edge_labels.max(1) } else { 1 },
            rounds: self.gnn_rounds,
            units: self.gnn_units,
            pooling: self.gnn_pooling,
            readout: self.gnn_readout,
            normalization: self.gnn_normalization,
        })
    }

    /// Whether something besides the patterns is read of a graph.
    pub fn reads_vertices(&self) -> bool {
        self.gnn != Gnn::None || self.summary != Summary::None
    }

    /// Whether that needs the attributes of the vertices.
    pub fn reads_attributes(&self) -> bool {
        self.gnn != Gnn::None || self.summary == Summary::Attributes
    }

    /// How heads are fitted.
    pub fn head_params(&self) -> HeadParams {
        HeadParams { kind: self.head, ridge: self.ridge, trees: self.trees, seed: self.seed }
    }
}

/// Parameters that passed [`TrainParams::check`]. The trainer takes nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedParams(TrainParams);

impl CheckedParams {
    /// The parameters.
    pub fn get(&self) -> &TrainParams {
        &self.0
    }

    /// The same with the first sizes of the path only, at least one.
    #[must_use]
    pub fn with_first_sizes(&self, count: usize) -> Self {
        let sizes = self.0.sizes.iter().take(count.max(1)).copied().collect();
        Self(TrainParams { sizes, ..self.0.clone() })
    }

    /// The same with these numbers of subgraphs, which must increase.
    #[must_use]
    pub fn with_sizes(&self, sizes: Vec<usize>) -> Self {
        Self(TrainParams { sizes, ..self.0.clone() })
    }

    /// The same with this minimum support, from 1.
    #[must_use]
    pub fn with_min_support(&self, graphs: usize) -> Self {
        Self(TrainParams { min_support: MinSupport::Graphs(graphs), ..self.0.clone() })
    }

    /// The same with these largest numbers of edges, which must be in range: of any subgraph, and of one with
    /// qualifiers.
    #[must_use]
    pub fn with_max_edges(&self, max_edges: usize, max_qualified_edges: usize) -> Self {
        Self(TrainParams { max_edges, max_qualified_edges, ..self.0.clone() })
    }
}

/// How a face writes parameters in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// `max_edges`, `network layers`: files and Rust.
    #[default]
    Plain,
    /// `--max-edges`, `--set network=layers`: the program.
    Option,
    /// `max_edges`, `network="layers"`: Python.
    Keyword,
}

impl Spelling {
    /// The name of a parameter.
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Option if Self::is_set(name) => format!("--set {name}"),
            Self::Option => format!("--{}", name.replace('_', "-")),
            Self::Plain | Self::Keyword => name.to_owned(),
        }
    }

    /// Whether the program takes a parameter by `--set`.
    fn is_set(name: &str) -> bool {
        name != "preset" && Parameter::named(name).is_none_or(|parameter| parameter.row.given == Given::Set)
    }

    /// A parameter with a value.
    pub fn setting(self, name: &str, word: &str) -> String {
        match self {
            Self::Option if Self::is_set(name) => format!("{}={word}", self.name(name)),
            Self::Plain | Self::Option => format!("{} {word}", self.name(name)),
            Self::Keyword if ["on", "off"].contains(&word) => format!("{name}={}", self.word(word)),
            Self::Keyword => format!("{name}=\"{word}\""),
        }
    }

    /// A value that was given. Python shows its type: `"3"` is no number, and `3.0` no whole one.
    fn value(self, value: &Value) -> String {
        match value {
            Value::String(_) | Value::Number(_) if self == Self::Keyword => value.to_string(),
            Value::Array(values) if self == Self::Keyword => {
                format!("[{}]", values.iter().map(|value| self.value(value)).collect::<Vec<_>>().join(", "))
            }
            _ => self.word(&text_of(value)).to_owned(),
        }
    }

    /// A value, or the values that are allowed: switches have other words in Python.
    pub fn word(self, word: &str) -> &str {
        match (self, word) {
            (Self::Keyword, "on") => "True",
            (Self::Keyword, "off") => "False",
            (Self::Keyword, ON_OR_OFF) => "True or False",
            _ => word,
        }
    }
}

/// Why parameters are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamError {
    /// A value of another type or outside its range.
    Range {
        /// The parameter.
        name: &'static str,
        /// What is allowed.
        wanted: String,
        /// What was given.
        got: Value,
    },
    /// A parameter that nothing reads.
    Needs {
        /// The parameter.
        name: &'static str,
        /// What it lacks.
        need: &'static Need,
    },
    /// A parameter in force, given or not, whose needs another one breaks.
    Binding {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it lacks.
        need: &'static Need,
    },
    /// A name that is no parameter.
    Unknown {
        /// The name.
        name: String,
        /// The parameter with the most similar name.
        similar: Option<&'static str>,
    },
}

impl ParamError {
    fn range(parameter: &Parameter, value: &Value) -> Self {
        Self::Range { name: parameter.name, wanted: parameter.allowed(), got: value.clone() }
    }

    fn needs(parameter: &Parameter, need: &'static Need) -> Self {
        Self::Needs { name: parameter.name, need }
    }

    fn unknown(name: &str) -> Self {
        let candidates = PARAMETERS.iter().map(|parameter| (distance(name, parameter.name), parameter.name));
        let similar = candidates.min().filter(|(distance, _)| *distance <= 2).map(|(_, name)| name);
        Self::Unknown { name: name.to_owned(), similar }
    }

    /// The name of the parameter that is refused.
    pub fn name(&self) -> &str {
        match self {
            Self::Range { name, .. } | Self::Needs { name, .. } | Self::Binding { name, .. } => name,
            Self::Unknown { name, .. } => name,
        }
    }

    /// The message in the spelling of a face: what must hold, what was given, the way out.
    pub fn message(&self, spelling: Spelling) -> String {
        let way_out = |need: &Need| match need.preset() {
            Some(preset) => format!("; {} sets it", spelling.setting("preset", preset.name())),
            None => String::new(),
        };
        match self {
            Self::Range { name, wanted, got } => {
                format!("{} must be {}, got {}", spelling.name(name), spelling.word(wanted), spelling.value(got))
            }
            Self::Needs { name, need } => {
                format!("{} needs {}: {}{}", spelling.name(name), need.words(spelling), need.why, way_out(need))
            }
            Self::Binding { name, value, need } => {
                format!("{} needs {}: {}", spelling.setting(name, value), need.words(spelling), need.why)
            }
            Self::Unknown { name, similar } => {
                let hint = similar.map_or_else(
                    || "docs/parameters.md lists all".to_owned(),
                    |similar| format!("did you mean {}?", spelling.name(similar)),
                );
                let name = if name.is_empty() { "an empty name".to_owned() } else { spelling.name(name) };
                format!("{name} is not a parameter; {hint}")
            }
        }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Spelling::Plain))
    }
}

impl std::error::Error for ParamError {}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
