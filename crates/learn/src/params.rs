//! Parameters of training: plain data, one table of ranges, checked once into a type that proves it.

mod ranges;

use crate::forward::activation::Activation;
use crate::forward::network::Network;
use crate::gnn::{Gin, Gnn, Pooling, Readout, Summary};
use crate::heads::{HeadKind, HeadParams};
use crate::task::decision::DecisionOptions;
use crate::task::metrics::Metric;
use einsicht_graph::DfsCode;
use einsicht_search::Unit;
use einsicht_search::feature::{CountTransform, Feature, Values};
use ranges::TABLE;
use serde::{Deserialize, Serialize};

/// Parameters of training. The table is the truth: [`TrainParams::check`] reads the same rows, and a test
/// compares them with these lines and with `Default`.
///
/// | field | paper | default | allowed |
/// | :-- | :-- | --: | :-- |
/// | `sizes` | `s` | 1,2,3,5,8,12,18,25,35,50,75,100 | whole numbers from 1, or from 0 with a graph network or a summary, strictly increasing |
/// | `max_edges` | `maxpat - 1` | 6 | a whole number from 1 to 31 |
/// | `min_support` | | 2 | a whole number from 1 |
/// | `hidden` | `K` | 6 | a whole number from 1 to 256 |
/// | `layers` | | none | at most 16 whole numbers from 1 to 4096 |
/// | `network_steps` | `tau_max` | 30 | a whole number from 0 |
/// | `max_step` | `gamma_max n` | 25 | a finite number above 0 |
/// | `step_ratio` | `rho` | 0.5 | a number above 0 and below 1 |
/// | `step_trials` | `J + 1` | 20 | a whole number from 1 to 1000 |
/// | `sufficient_decrease` | `c` | 0.0001 | a number above 0 and below 1 |
/// | `weight_decay` | | 0.01 | a finite number from 0 |
/// | `patience` | | 5 | a whole number from 1 |
/// | `tolerance` | | 0.001 | a finite number from 0 |
/// | `max_iterations` | | 1 | a whole number from 1 |
/// | `prefit_steps` | | 200 | a whole number from 0 |
/// | `polish_steps` | | 20 | a whole number from 0 |
/// | `lambdas` | | 20 | a whole number from 1 |
/// | `max_patterns` | | 300 | a whole number from 1 |
/// | `gnn_rounds` | | 3 | a whole number from 1 to 31 |
/// | `gnn_units` | | 16 | a whole number from 1 to 256 |
/// | `learning_rate` | | 0.01 | a finite number above 0 |
/// | `batch_size` | | 32 | a whole number from 1 |
/// | `growth` | | 1 | a whole number from 0 |
/// | `ridge` | | 0.01 | a finite number from 0 |
/// | `trees` | | 100 | a whole number from 1 to 1000 |
///
/// The largest step tried is `max_step` divided by the number of labels of the training part, since the loss
/// is a sum over them; weight decay is multiplied by that number for the same reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainParams {
    /// How many patterns the models of the path may use.
    pub sizes: Vec<usize>,
    /// Largest number of edges of a pattern.
    pub max_edges: usize,
    /// Patterns in fewer training graphs are not considered.
    pub min_support: usize,
    /// Number of units of the mining layer.
    pub hidden: usize,
    /// Widths of layers between the mining layer and the output.
    pub layers: Vec<usize>,
    /// Gradient steps on the network in each iteration.
    pub network_steps: usize,
    /// First step of every line search, for a loss that is a mean.
    pub max_step: f64,
    /// Each further step is this much smaller.
    pub step_ratio: f64,
    /// Steps that a line search tries before it gives up.
    pub step_trials: usize,
    /// Share of the decrease promised by the gradient that a step must achieve.
    pub sufficient_decrease: f64,
    /// Pull of the weights of patterns and network towards zero, for a loss that is a mean.
    pub weight_decay: f64,
    /// A size ends after this many iterations without a better validation loss.
    pub patience: usize,
    /// A validation loss is better only if it is lower by this share.
    pub tolerance: f64,
    /// A size ends after this many iterations in any case.
    pub max_iterations: usize,
    /// Steps that fit bias and network before the first pattern is chosen.
    pub prefit_steps: usize,
    /// Steps that fit all weights on the chosen patterns in each iteration.
    pub polish_steps: usize,
    /// What keeps the number of patterns small.
    pub penalty: Penalty,
    /// With [`Penalty::L1`]: how many penalties the path has, from the largest down.
    pub lambdas: usize,
    /// With [`Penalty::L1`]: the path ends where more patterns than this want in.
    pub max_patterns: usize,
    /// What stands behind the mining layer.
    pub network: NetworkKind,
    /// Rounds of the graph network.
    pub gnn_rounds: usize,
    /// Units of its layers.
    pub gnn_units: usize,
    /// Step of Adam.
    pub learning_rate: f64,
    /// Graphs that Adam reads for a step.
    pub batch_size: usize,
    /// The graph network beside the mining layer.
    pub gnn: Gnn,
    /// How the vertices of a graph become a row of the graph network.
    pub gnn_pooling: Pooling,
    /// Which rounds become part of the row.
    pub gnn_readout: Readout,
    /// Whether edges of different labels have weights of their own in the graph network.
    pub gnn_edge_labels: bool,
    /// What a head reads of a whole graph besides the chosen patterns.
    pub summary: Summary,
    /// How the network is fitted between the steps on the patterns.
    pub network_optimizer: NetworkOptimizer,
    /// How many patterns may enter in one pass, so that each choice sees weights fitted to the ones before; 0 for as many as
    /// the size allows.
    pub growth: usize,
    /// What reads the values of the chosen patterns.
    pub head: HeadKind,
    /// Pull of a linear head's weights towards zero, for a loss that is a mean.
    pub ridge: f64,
    /// Number of trees of a forest head.
    pub trees: usize,
    /// Whether the head that is kept learns from the validation part too, after the choice among entries.
    pub refit: bool,
    /// What competes for a place: a support class or a single pattern.
    pub unit: Unit,
    /// What the mining layer reads of a pattern.
    pub feature: Feature,
    /// What is done to counts, where they are read.
    pub count_transform: CountTransform,
    /// What the mining layer does to its sums.
    pub activation: Activation,
    /// Patterns that are never chosen, nor any that the training graphs cannot tell apart from them.
    #[serde(with = "einsicht_search::code::list")]
    pub exclude: Vec<DfsCode>,
    /// Patterns that are always in use, and free of any penalty.
    #[serde(with = "einsicht_search::code::list")]
    pub require: Vec<DfsCode>,
    /// Whether a temperature is found on the validation part, so that probabilities mean what they say.
    pub calibrate: bool,
    /// From which probability on the second of two classes is predicted.
    pub threshold: Threshold,
    /// How the best model of the path is chosen; without it accuracy, or `auc` where a head beside the network is fitted,
    /// or `rmse` for numbers.
    pub select: Option<Metric>,
    /// Seed of the first random weights.
    pub seed: u64,
}

/// What keeps the number of patterns small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Penalty {
    /// At most so many patterns (`L0,2`): a path of sizes.
    #[default]
    L0,
    /// `lambda` times the sum of the norms of the patterns' weights (`L1,2`): a path of penalties.
    L1,
}

/// From which probability on the second of two classes is predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threshold {
    /// One half: the more likely class.
    #[default]
    Half,
    /// What serves the validation part best.
    Auto,
}

/// What stands behind the mining layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// Linear layers, at least one.
    #[default]
    Layers,
    /// Nothing: the sums of the mining layer are the outputs, so the model is linear in the patterns. There are
    /// as many hidden units as outputs, whatever `hidden` says.
    None,
}

/// What predicts best on small sets of real graphs, found on splits of our own (see `docs/decisions/`): patterns enter one
/// after the other, each time with all weights of a linear model fitted to the end, by how often they occur; a linear model
/// and a forest read them, and with them the attributes of the vertices where there are some.
impl Default for TrainParams {
    fn default() -> Self {
        Self {
            min_support: 2,
            weight_decay: 0.01,
            max_iterations: 1,
            polish_steps: 20,
            network: NetworkKind::None,
            growth: 1,
            head: HeadKind::Blend,
            refit: true,
            summary: Summary::Attributes,
            feature: Feature::Count,
            ..Self::ein()
        }
    }
}

impl TrainParams {
    /// The network of the paper with what makes its training robust: prefit, polishing, patience with a tolerance, a
    /// little weight decay, and one representative for each support class.
    pub fn ein() -> Self {
        Self {
            sizes: vec![1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 100],
            max_edges: 6,
            min_support: 1,
            hidden: 6,
            layers: Vec::new(),
            network_steps: 30,
            max_step: 25.0,
            step_ratio: 0.5,
            step_trials: 20,
            sufficient_decrease: 1e-4,
            weight_decay: 1e-4,
            patience: 5,
            tolerance: 1e-3,
            max_iterations: 50,
            prefit_steps: 200,
            polish_steps: 10,
            penalty: Penalty::L0,
            lambdas: 20,
            max_patterns: 300,
            network: NetworkKind::Layers,
            gnn_rounds: 3,
            gnn_units: 16,
            learning_rate: 0.01,
            batch_size: 32,
            gnn: Gnn::None,
            gnn_pooling: Pooling::Sum,
            gnn_readout: Readout::Last,
            gnn_edge_labels: false,
            summary: Summary::None,
            network_optimizer: NetworkOptimizer::Gd,
            growth: 0,
            head: HeadKind::Network,
            ridge: 0.01,
            trees: 100,
            refit: false,
            unit: Unit::SupportClass,
            feature: Feature::Presence,
            count_transform: CountTransform::Log1p,
            activation: Activation::Sigmoid,
            exclude: Vec::new(),
            require: Vec::new(),
            calibrate: false,
            threshold: Threshold::Half,
            select: None,
            seed: 0,
        }
    }

    /// The paper's way, whole: pattern by pattern, no prefit, no polishing, no weight decay, patience 5, the
    /// paper's sizes and at most 9 edges. The cap on iterations stays: separable data would run for ever.
    pub fn faithful() -> Self {
        Self {
            sizes: vec![1, 5, 10, 25, 50, 75, 100],
            max_edges: 9,
            weight_decay: 0.0,
            patience: 5,
            tolerance: 0.0,
            max_iterations: 200,
            prefit_steps: 0,
            polish_steps: 0,
            unit: Unit::Pattern,
            ..Self::ein()
        }
    }

    /// How supports become numbers.
    pub fn values(&self) -> Values {
        Values::new(self.feature, self.count_transform)
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

    /// The same with a graph network: fitted by Adam, and alone at first, so that subgraphs are chosen for what it
    /// does not see. Its validation loss is unsteady, hence more patience; every size costs a fit, hence fewer sizes;
    /// polishing fits the last layer faster than the graph network can follow, hence none; and means of vertices predict
    /// better than sums, which grow with the graph.
    #[must_use]
    pub fn with_gnn(mut self, gnn: Gnn) -> Self {
        self.gnn = gnn;
        if gnn != Gnn::None {
            self.network_optimizer = NetworkOptimizer::Adam;
            self.gnn_pooling = Pooling::Mean;
            self.sizes = vec![0, 1, 3, 8, 20];
            (self.prefit_steps, self.polish_steps) = (0, 0);
            (self.patience, self.max_iterations) = (20, 100);
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

    /// What is found on the validation part besides the best entry.
    pub fn decision(&self) -> DecisionOptions {
        DecisionOptions { calibrate: self.calibrate, threshold: self.threshold == Threshold::Auto }
    }

    /// Whether training minimises a convex function for each `lambda`, so that its least point can be found.
    pub fn is_convex(&self) -> bool {
        self.penalty == Penalty::L1 && self.network == NetworkKind::None
    }

    /// The shape of the graph network for so many vertex labels, attributes and edge labels.
    pub fn gin(&self, labels: usize, attributes: usize, edge_labels: usize) -> Option<Gin> {
        (self.gnn == Gnn::Gin).then(|| Gin {
            labels,
            attributes,
            relations: if self.gnn_edge_labels { edge_labels.max(1) } else { 1 },
            rounds: self.gnn_rounds,
            units: self.gnn_units,
            pooling: self.gnn_pooling,
            readout: self.gnn_readout,
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

    /// Checks every row of the table.
    pub fn check(self) -> Result<CheckedParams, ParamError> {
        if self.sizes.first() == Some(&0) && !self.reads_vertices() {
            let wanted = "from 1 where there is neither a graph network nor a summary";
            return Err(ParamError { name: "sizes", wanted, got: "0".to_owned() });
        }
        if self.summary != Summary::None && self.head == HeadKind::Network {
            let wanted = "none where there is no head to read it";
            return Err(ParamError { name: "summary", wanted, got: "not none".to_owned() });
        }
        if self.network == NetworkKind::None && self.gnn != Gnn::None {
            let wanted = "none where there is no network to read it";
            return Err(ParamError { name: "gnn", wanted, got: "gin".to_owned() });
        }
        for row in &TABLE {
            let value = (row.value)(&self);
            if let Some(got) = value.refused_by(row.allowed) {
                return Err(ParamError { name: row.name, wanted: row.allowed.words(), got });
            }
        }
        if self.penalty == Penalty::L0 && self.sizes[0] < self.require.len() {
            let wanted = "at least as many as the required patterns";
            return Err(ParamError { name: "sizes", wanted, got: self.sizes[0].to_string() });
        }
        Ok(CheckedParams(self))
    }
}

/// How the network is fitted between the steps on the patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkOptimizer {
    /// The whole gradient with backtracking, as in the paper: the objective never rises.
    #[default]
    Gd,
    /// Adam over mini-batches.
    Adam,
}

/// Parameters that passed [`TrainParams::check`]. The trainer takes nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedParams(TrainParams);

impl CheckedParams {
    /// The parameters.
    pub fn get(&self) -> &TrainParams {
        &self.0
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {wanted}, got {got}")]
pub struct ParamError {
    /// Name of the parameter.
    pub name: &'static str,
    /// What is allowed.
    pub wanted: &'static str,
    /// What was given.
    pub got: String,
}

#[cfg(test)]
mod tests;
