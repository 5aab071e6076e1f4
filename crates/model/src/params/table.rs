//! The table of parameters: each is declared here, once, and nowhere else.
//!
//! A row is a field of [`TrainParams`]: its documentation (the first sentence is the one-line help), its type, its
//! default for each preset, its range, its place in the paper, and what it needs to be read at all. Checks, options and
//! help of the program, the signature of the Python estimators, `docs/parameters.md`, grid files and the header of
//! model files are made from it.
//!
//! **To add a parameter**: add a row and the code that uses the field. A new type or range is declared in `kinds.rs`,
//! with wrong values for it in `tests.rs`. Models without the field cannot be read any more: give the row
//! `#[serde(default = "...")]` with a function that returns what old models did, or raise `persist::FORMAT`. Then
//! `EINSICHT_UPDATE=1 cargo test -p einsicht -p einsicht-cli` writes the documents and the Python signature, and
//! `cargo xtask test` checks that nothing is missing.

use super::kinds::{self, ParamValue, Range};
use super::needs::{Condition, Need};
use super::parameter::{Given, Group, Parameter, Row};
use super::preset::Preset;
use super::{L1Start, MinSupport, NetworkKind, NetworkOptimizer, Penalty, Prefer, Stopping, Threshold, sizes_up_to};
use crate::forward::activation::Activation;
use crate::gnn::{Gnn, Normalization, Pooling, Readout};
use crate::heads::HeadKind;
use crate::side::Summary;
use crate::task::metrics::Metric;
use Condition::{AtLeast, Is, Not, On};
use einsicht_data::QualifierChoice;
use einsicht_graph::DfsCode;
use einsicht_search::Competes;
use einsicht_search::feature::{CountTransform, Feature};
use serde::{Deserialize, Serialize};

const ROW: Row = Row {
    group: Group::Subgraphs,
    symbol: None,
    placeholder: "N",
    range: Range::Any,
    needs: &[],
    off: None,
    binding: false,
    given: Given::Set,
};

const L0: Need = Need {
    any: &[Is("penalty", &["l0"])],
    why: "with penalty l1, the path runs over values of lambda, which decides how many subgraphs enter",
};
const L1: Need = Need { any: &[Is("penalty", &["l1"])], why: "only penalty l1 has a path of lambda values" };
const LAYERS: Need =
    Need { any: &[Is("network", &["layers"])], why: "without layers the model is linear, with one unit per output" };
const NO_LAYERS: Need =
    Need { any: &[Is("network", &["none"])], why: "with layers, the loss has no curvature for a single subgraph" };
const GROWS: Need = Need { any: &[AtLeast("growth", 1)], why: "otherwise all subgraphs enter at once" };
const ADAM: Need = Need { any: &[Is("network_optimizer", &["adam"])], why: "only Adam reads it" };
const GIN: Need = Need { any: &[Is("gnn", &["gin"])], why: "only a graph network reads it" };
const COUNTS: Need = Need { any: &[Is("feature", &["count", "mni"])], why: "only counts are transformed" };
const QUALIFIED: Need = Need { any: &[Not("qualifiers", "none")], why: "without qualifiers there is nothing to limit" };
const SEVERAL_ITERATIONS: Need =
    Need { any: &[AtLeast("max_iterations", 2)], why: "a single iteration cannot be stopped early" };
const NOT_CONVEX: Need = Need {
    any: &[Is("penalty", &["l0"]), Is("network", &["layers"])],
    why: "a linear model with penalty l1 is fitted to its minimum, not stopped early",
};
const FITTED_HEAD: Need =
    Need { any: &[Not("head", "network")], why: "only a head that is fitted after the selection reads it" };

const REFIT: Need = Need { any: &[On("refit")], why: "otherwise the validation set chooses" };

/// Declares the parameters; see the head of this file.
macro_rules! parameters {
    ($(
        $(#[doc = $doc:literal])+
        $(#[serde($($serde:tt)*)])?
        $name:ident: $type:ty = $default:expr $(, $preset:pat => $value:expr)* ; $row:expr;
    )*) => {
        /// Parameters of training: plain data. [`TrainParams::check`] turns them into [`super::CheckedParams`].
        ///
        /// The largest step of a line search is `max_step` divided by the number of labels of the training set, since
        /// the loss is a sum over them; weight decay is multiplied by that number for the same reason.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct TrainParams {
            /// The preset whose defaults the other fields deviate from.
            pub preset: Preset,
            $(
                $(#[doc = $doc])+
                $(#[serde($($serde)*)])?
                pub $name: $type,
            )*
            /// Patterns that are never chosen, nor any that is equivalent to one of them on the training graphs.
            #[serde(with = "einsicht_search::code_tuples::list")]
            pub exclude: Vec<DfsCode>,
            /// Patterns that are always active, free of any penalty.
            #[serde(with = "einsicht_search::code_tuples::list")]
            pub require: Vec<DfsCode>,
        }

        impl TrainParams {
            /// The defaults of a preset.
            pub fn preset(preset: Preset) -> Self {
                #[allow(clippy::enum_glob_use, reason = "the names of presets stand alone in the table")]
                use Preset::*;
                Self {
                    preset,
                    $($name: match preset {
                        $($preset => $value,)*
                        #[allow(unreachable_patterns, reason = "a row may name all presets")]
                        _ => $default,
                    },)*
                    exclude: Vec::new(),
                    require: Vec::new(),
                }
            }
        }

        /// All parameters, in the order of the documentation.
        pub static PARAMETERS: &[Parameter] = &[$(
            Parameter {
                name: stringify!($name),
                doc: &[$($doc),+],
                kind: <$type as ParamValue>::KIND,
                row: $row,
                get: |params| params.$name.to_json(),
                set: |params, value| {
                    <$type as ParamValue>::from_json(value).map(|value| params.$name = value)
                },
            },
        )*];
    };
}

/// Averages of weights that models of earlier versions had.
const fn one() -> usize {
    1
}

parameters! {
    /// Sizes of the models on the path: how many subgraphs each may use.
    ///
    /// Each model starts from the one before (warm start). Size 0 has no subgraphs: it needs a graph network or a
    /// summary of vertex attributes.
    ///
    /// auto is 1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 100; with 1000 graphs or more also 150, 200 and 300; with 10000
    /// or more 1, 3, 8, 18, 35, 75, 150, 300.
    sizes: Vec<usize> = sizes_up_to(100), Default => Vec::new(),
            Gin => vec![0, 1, 3, 8, 20], Paper => vec![1, 5, 10, 25, 50, 75, 100];
        Row { given: Given::Option, symbol: Some("s"), placeholder: "auto|S,S,...", range: Range::AutoOrIncreasing,
            needs: &[L0], ..ROW };
    /// Smallest number of edges of a subgraph: 0 allows single vertices.
    min_edges: usize = 0, Paper => 1;
        Row { placeholder: "0|1", range: Range::Whole(0, 1), ..ROW };
    /// Largest number of edges of a subgraph.
    ///
    /// auto is the largest number up to 9 for which (a) at most 45000 patterns compete, counting those that at least
    /// 1 in 200 graphs contains, with qualifiers only up to max_qualified_edges, and (b) the search is expected to take
    /// at most a billion steps. auto counts on at most 2000 training graphs and ignores targets. The model stores the
    /// number.
    ///
    /// The paper's `maxpat` is this number plus one.
    max_edges: usize = 6, Default => 0, Paper => 9;
        Row { given: Given::Option, symbol: Some("maxpat - 1"), placeholder: "auto|M", range: Range::AutoOr(1, 31),
            ..ROW };
    /// Minimum support: number of training graphs that must contain a subgraph, or a percentage of them.
    ///
    /// A percentage is of the graphs that the model is fitted on, rounded up; where folds choose the model, these are
    /// all graphs of the training and the validation set. The model stores the number.
    min_support: MinSupport = MinSupport::Graphs(2), Ein | Gin | Paper => MinSupport::Graphs(1);
        Row { given: Given::Option, placeholder: "N|N%", range: Range::Support, ..ROW };
    /// Properties of vertices that a subgraph may require: auto, none, names of properties, or a file.
    ///
    /// A subgraph can then require more of a vertex than its label, such as "N with 2 H" or "C in a ring". For
    /// molecules, auto uses hydrogens, degree, ring, charge and element (halogens share the label X); for other graphs,
    /// degree and every property with few values. A file is a CSV table with the columns graph and vertex, and one
    /// column per property; see docs/formats.md.
    qualifiers: QualifierChoice = QualifierChoice::Auto, Gin | Paper => QualifierChoice::None;
        Row { given: Given::Option, placeholder: "auto|none|LIST|FILE", range: Range::Qualifiers, off: Some("none"),
            ..ROW };
    /// Largest number of qualifiers of a subgraph, that is, of properties that its vertices must have.
    max_qualifiers: usize = 1;
        Row { range: Range::Whole(0, 8), needs: &[QUALIFIED], ..ROW };
    /// Largest number of edges of a subgraph with qualifiers: auto, or a number.
    ///
    /// If max_edges is a number, auto is the same number. If both are auto, it is the largest number for which at
    /// most 30000 patterns compete, so that larger subgraphs without qualifiers, such as whole rings, stay within
    /// reach. The model stores the number.
    max_qualified_edges: usize = 0;
        Row { placeholder: "auto|M", range: Range::AutoOr(1, 31), needs: &[QUALIFIED], ..ROW };
    /// Value of a subgraph in a graph: its presence, its count, or its minimum-image count.
    ///
    /// count is a lower bound on the number of copies in a graph. For each orbit of the subgraph's vertices under its
    /// automorphisms, divide the number of distinct graph vertices to which embeddings map the orbit by the size of the
    /// orbit, and round up; count is the smallest result. mni is the minimum-image (MNI) count: the smallest number of
    /// distinct graph vertices to which embeddings map a vertex. It is not a number of occurrences: for one ring of six
    /// equal atoms it is six.
    feature: Feature = Feature::Presence, Default => Feature::Count;
        Row { given: Given::Option, symbol: Some("psi, phi"), placeholder: "FEATURE", ..ROW };
    /// Function applied to counts.
    count_transform: CountTransform = CountTransform::Log1p;
        Row { symbol: Some("g"), placeholder: "TRANSFORM", needs: &[COUNTS], ..ROW };
    /// Unit of selection: a support class, or a single pattern.
    ///
    /// Patterns contained in exactly the same training graphs (and with the same counts, if counts are used) are
    /// equivalent. With support_class each class enters once, represented by its smallest member; the paper treats each
    /// pattern separately.
    unit: Competes = Competes::SupportClass, Paper => Competes::Pattern;
        Row { placeholder: "UNIT", ..ROW };
    /// Number of candidates with the largest gradients that compete by the expected decrease of the loss; 0 for none.
    ///
    /// Frequent subgraphs have large gradients. The decrease of the loss expected from one step on a weight (a score
    /// test) tells a decisive subgraph from its common parts; the candidate with the largest decrease enters.
    shortlist: usize = 0, Default => 64;
        Row { range: Range::Whole(0, 1000), needs: &[L0, GROWS, NO_LAYERS], ..ROW };
    /// Largest number of pairs of subgraphs that interact; 0 for none.
    ///
    /// A pair enters if both subgraphs together, or one without the other, explain the target clearly better than any
    /// single subgraph does. Pairs enter at sizes from 2 to 8. Each counts as two subgraphs, and the linear model has a
    /// weight for the pair.
    interactions: usize = 0, Default => 2;
        Row { given: Given::Option, range: Range::Whole(0, 8), needs: &[L0, FITTED_HEAD], ..ROW };
    /// Sparsity constraint: at most s subgraphs (l0), or a group lasso penalty on their weights (l1).
    penalty: Penalty = Penalty::L0;
        Row { given: Given::Option, symbol: Some("L0,2, L1,2"), placeholder: "l0|l1", ..ROW };
    /// Number of lambda values on the path of penalty l1.
    lambdas: usize = 20;
        Row { range: Range::Whole(1, u64::MAX), needs: &[L1], ..ROW };
    /// Largest number of subgraphs on the path of penalty l1; the path ends before a model would have more.
    max_patterns: usize = 300;
        Row { range: Range::Whole(1, u64::MAX), needs: &[L1], ..ROW };
    /// Where the path of penalty l1 starts: without subgraphs, or, as in the paper, from a linear model.
    #[serde(default)]
    l1_start: L1Start = L1Start::Zero, Gin | Paper => L1Start::Linear;
        Row { symbol: Some("B^0, b^0"), placeholder: "zero|linear", needs: &[L1, LAYERS], off: Some("zero"), ..ROW };
    /// Number of subgraphs that may enter in one iteration; 0 for as many as the size allows.
    ///
    /// A model of 100 subgraphs adds at least ten at a time: with a shortlist it predicts as well as if they entered
    /// one by one, after a tenth of the iterations.
    ///
    /// With 1, each choice uses weights fitted to the subgraphs chosen before. If several enter together from a
    /// shortlist, each is judged by what it adds to the others.
    growth: usize = 0, Default => 1;
        Row { range: Range::Whole(0, u64::MAX), needs: &[L0], ..ROW };

    /// What follows the mining layer during the selection: dense layers, or nothing (a linear model).
    network: NetworkKind = NetworkKind::Layers, Default => NetworkKind::None;
        Row { group: Group::Network, symbol: Some("FFN"), placeholder: "layers|none", ..ROW };
    /// Number of hidden units of the mining layer.
    hidden: usize = 6;
        Row { given: Given::Option, group: Group::Network, symbol: Some("K"), placeholder: "K", range: Range::Whole(1,
            256), needs: &[LAYERS], ..ROW };
    /// Widths of further dense layers between the mining layer and the output.
    layers: Vec<usize> = Vec::new();
        Row { group: Group::Network, placeholder: "W,W,...", range: Range::Widths(16, 1, 4096), needs: &[LAYERS],
            ..ROW };
    /// Activation of the mining layer.
    activation: Activation = Activation::Sigmoid;
        Row { group: Group::Network, symbol: Some("sigma"), placeholder: "ACTIVATION", needs: &[LAYERS], ..ROW };
    /// Optimizer of the network: the full gradient with a line search, or Adam on mini-batches.
    network_optimizer: NetworkOptimizer = NetworkOptimizer::Gd, Gin => NetworkOptimizer::Adam;
        Row { group: Group::Network, placeholder: "gd|adam", needs: &[LAYERS], ..ROW };
    /// Gradient steps on the network in each iteration.
    network_steps: usize = 30;
        Row { group: Group::Network, symbol: Some("tau_max"), range: Range::Whole(0, u64::MAX), needs: &[LAYERS],
            ..ROW };
    /// Learning rate of Adam.
    learning_rate: f64 = 0.01, Gin => 0.001;
        Row { group: Group::Network, placeholder: "X", range: Range::Positive, needs: &[ADAM], ..ROW };
    /// Graphs in a mini-batch of Adam.
    batch_size: usize = 32;
        Row { group: Group::Network, range: Range::Whole(1, u64::MAX), needs: &[ADAM], ..ROW };

    /// Number of final steps of Adam whose weights are averaged; 1 for the last weights alone.
    #[serde(default = "one")]
    average_steps: usize = 1, Gin => 100;
        Row { group: Group::Network, range: Range::Whole(1, u64::MAX), needs: &[ADAM], ..ROW };

    /// Graph network beside the mining layer.
    ///
    /// It reads vertex labels and attributes; the network reads its output together with the mining layer's. Size 0 of
    /// the path is the graph network alone.
    gnn: Gnn = Gnn::None, Gin => Gnn::Gin;
        Row { given: Given::Option,
            group: Group::GraphNetwork,
            symbol: Some("GNN"),
            placeholder: "none|gin",
            needs: &[LAYERS, Need {
                any: &[Is("head", &["network"])],
                why: "the graph network and the subgraphs are read by one network",
            }],
            off: Some("none"),
            binding: true,
            ..ROW
        };
    /// Rounds of message passing.
    gnn_rounds: usize = 3;
        Row { group: Group::GraphNetwork, range: Range::Whole(1, 31), needs: &[GIN], ..ROW };
    /// Units of each layer of the graph network.
    gnn_units: usize = 16, Gin => 32;
        Row { group: Group::GraphNetwork, range: Range::Whole(1, 256), needs: &[GIN], ..ROW };
    /// Pooling of the vertices of a graph into one row.
    gnn_pooling: Pooling = Pooling::Mean, Paper => Pooling::Sum;
        Row { group: Group::GraphNetwork, placeholder: "sum|mean", needs: &[GIN], ..ROW };
    /// Readout: the last round, or all rounds side by side.
    gnn_readout: Readout = Readout::Last;
        Row { group: Group::GraphNetwork, placeholder: "last|all", needs: &[GIN], ..ROW };
    /// Normalization after each layer of the graph network.
    ///
    /// layer: the units of each vertex get mean 0 and variance 1, then a learnt scale and shift. Nothing depends on
    /// other graphs.
    #[serde(default)]
    gnn_normalization: Normalization = Normalization::None, Gin => Normalization::Layer;
        Row { group: Group::GraphNetwork, placeholder: "none|layer", needs: &[GIN], off: Some("none"), ..ROW };
    /// Separate weights for each edge label in the graph network.
    gnn_edge_labels: bool = false;
        Row { group: Group::GraphNetwork, placeholder: "on|off", needs: &[GIN], off: Some("off"), ..ROW };

    /// Largest step size of the line searches, relative to the mean loss.
    ///
    /// The loss is a sum over target values; dividing the step by their number makes it independent of the size of
    /// the data set.
    max_step: f64 = 25.0;
        Row { group: Group::Optimization, symbol: Some("gamma_max n"), placeholder: "X", range: Range::Positive,
            ..ROW };
    /// Factor between one step size of a line search and the next.
    step_shrink: f64 = 0.5;
        Row { group: Group::Optimization, symbol: Some("rho"), placeholder: "X", range: Range::OpenUnit, ..ROW };
    /// Armijo constant c: the sufficient decrease that a step of a line search must reach.
    ///
    /// A step on the network must lower the loss by at least c * step / 2 * norm(gradient)^2; the selection step has a
    /// further factor 1 - step_shrink, as in the paper, and penalty l1 requires c / (2 step) * norm(change)^2.
    armijo: f64 = 1e-4;
        Row { group: Group::Optimization, symbol: Some("c"), placeholder: "X", range: Range::OpenUnit, ..ROW };
    /// Weight decay on the weights of subgraphs and network, relative to the mean loss.
    weight_decay: f64 = 1e-4, Default => 0.01, Paper => 0.0;
        Row { group: Group::Optimization, placeholder: "X", range: Range::NotNegative, ..ROW };
    /// Steps that fit bias and network before the first subgraph is chosen (prefit).
    ///
    /// Without it the first choice depends on how far the random initial network is from the class frequencies.
    prefit_steps: usize = 200, Gin | Paper => 0;
        Row { group: Group::Optimization, range: Range::Whole(0, u64::MAX), ..ROW };
    /// Steps that fit all weights on the active subgraphs in each iteration (polishing).
    ///
    /// With penalty l1, any number above 0 fits a linear model to its minimum.
    polish_steps: usize = 10, Default => 20, Gin | Paper => 0;
        Row { group: Group::Optimization, range: Range::Whole(0, u64::MAX), ..ROW };
    /// Largest number of iterations at each size, once a model has its subgraphs.
    ///
    /// With growth, the iterations that add subgraphs come first and do not count.
    max_iterations: usize = 50, Default => 1, Gin => 100, Paper => 200;
        Row { group: Group::Optimization, range: Range::Whole(1, u64::MAX), ..ROW };
    /// Early stopping: criterion on the validation set, the loss or the metric that select names.
    ///
    /// loss keeps the iterate with the lowest validation loss. metric keeps the one with the best metric, and among
    /// equals the one with the lowest loss; training goes on while either improves. The loss of a network that is
    /// overconfident in its errors can rise while its accuracy still improves.
    #[serde(default)]
    stopping: Stopping = Stopping::Loss, Gin => Stopping::Metric;
        Row { group: Group::Optimization, placeholder: "FIGURE", needs: &[SEVERAL_ITERATIONS, NOT_CONVEX], ..ROW };
    /// Early stopping: number of iterations without a better validation loss or metric.
    patience: usize = 5, Gin => 10;
        Row { group: Group::Optimization, range: Range::Whole(1, u64::MAX), needs: &[SEVERAL_ITERATIONS, NOT_CONVEX],
            ..ROW };
    /// Early stopping: relative decrease of the validation loss that counts as an improvement.
    tolerance: f64 = 1e-3, Paper => 0.0;
        Row { group: Group::Optimization, placeholder: "X", range: Range::NotNegative, needs: &[SEVERAL_ITERATIONS,
            NOT_CONVEX], ..ROW };

    /// What predicts from the values of the chosen subgraphs.
    ///
    /// network is the model trained during the selection. linear is a ridge-penalised linear or logistic model. forest
    /// is a random forest, or boosted trees for regression. blend is the mean of linear and forest, weighted by their
    /// loss on held-out graphs.
    head: HeadKind = HeadKind::Network, Default => HeadKind::Blend;
        Row { given: Given::Option, group: Group::Prediction, placeholder: "HEAD", ..ROW };
    /// Ridge penalty of a linear head, relative to the mean loss.
    ///
    /// Above 100 subgraphs it grows with their number: it is three times as large for 300.
    ridge: f64 = 0.01;
        Row {
            group: Group::Prediction,
            placeholder: "X",
            range: Range::NotNegative,
            needs: &[Need { any: &[Is("head", &["linear", "blend"])], why: "otherwise there is no linear head" }],
            ..ROW
        };
    /// Number of trees of a forest head.
    ///
    /// For regression, three times as many boosted trees are grown; these are far smaller.
    trees: usize = 100;
        Row {
            group: Group::Prediction,
            range: Range::Whole(1, 1000),
            needs: &[Need { any: &[Is("head", &["forest", "blend"])], why: "otherwise there is no forest" }],
            ..ROW
        };
    /// Summary of the whole graph that the head reads in addition to the subgraphs.
    ///
    /// attributes, if vertices have any: the number of vertices with each label, and the mean, standard deviation,
    /// minimum and maximum of each attribute, over all vertices and over those with each label.
    summary: Summary = Summary::None, Default => Summary::Attributes;
        Row { group: Group::Prediction, placeholder: "attributes|none", needs: &[FITTED_HEAD], off: Some("none"),
            ..ROW };
    /// Fit the model again on all graphs, once folds have chosen it.
    ///
    /// off: the model is fitted on the training set and chosen by the validation set. on: each graph (only some of
    /// them with many graphs or one fold) is predicted by a model that has not seen it. These out-of-fold predictions
    /// choose size and head; then the model, subgraphs included, is fitted on the training and validation sets
    /// together, without early stopping.
    refit: bool = false, Default => true;
        Row { group: Group::Prediction, placeholder: "on|off", needs: &[FITTED_HEAD, L0], off: Some("off"), ..ROW };
    /// Number of folds that choose the model.
    ///
    /// auto is five for up to 4000 graphs, fewer for up to 20000, and above that a single fold of a fifth of the
    /// graphs. With a split, the validation set is one fold, and the training set is divided into others of about its
    /// size; 1 lets the validation set choose alone. A number above 1 divides the training and validation sets together
    /// into that many folds.
    folds: usize = 1, Default => 0;
        Row { given: Given::Option, group: Group::Prediction, placeholder: "auto|N", range: Range::AutoOr(1, 100),
            needs: &[REFIT], ..ROW };
    /// Which model of the path is chosen: the smallest shown to be as good as the largest, or a sparser one.
    ///
    /// accurate: the largest, unless held-out graphs show, by two standard errors of the difference, that smaller
    /// ones are as good by the metric (within 0.002, or within 0.2 % of an error such as rmse) or better by the loss;
    /// then the smallest that is as good as the best of these. sparse: the smallest within one standard error of the
    /// best.
    prefer: Prefer = Prefer::Accurate;
        Row { given: Given::Option, group: Group::Prediction, placeholder: "accurate|sparse", needs: &[REFIT],
            off: Some("accurate"), ..ROW };
    /// Calibrate probabilities by temperature scaling on held-out graphs.
    calibrate: bool = false;
        Row { group: Group::Prediction, placeholder: "on|off", ..ROW };
    /// Decision threshold for the positive (second) class: one half, or the best on held-out graphs.
    threshold: Threshold = Threshold::Half;
        Row { group: Group::Prediction, placeholder: "half|auto", ..ROW };
    /// Metric on held-out graphs that chooses among the models of the path.
    ///
    /// auto is rmse for regression; for classification it is accuracy with head network, otherwise auc (accuracy where
    /// auc is undefined). Ties: fewer subgraphs, then lower validation loss, then the earlier model.
    #[serde(with = "kinds::select")]
    select: Option<Metric> = None;
        Row { given: Given::Option, group: Group::Prediction, placeholder: "METRIC", ..ROW };
    /// Seed of the random number generator.
    seed: u64 = 0;
        Row { group: Group::Prediction, given: Given::Shared, ..ROW };
}
