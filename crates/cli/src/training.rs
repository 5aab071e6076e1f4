//! Options of everything that trains, and what they mean as parameters.

use crate::args::{Input, ReadDefaults};
use crate::failure::Failure;
use crate::io::output::{Output, counted};
use crate::io::pattern_file::PatternFile;
use crate::mixing;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use einsicht::data::Split;
use einsicht::learn::gnn::{Gnn, Pooling, Readout, Summary};
use einsicht::learn::grid::Grid;
use einsicht::learn::head::HeadKind;
use einsicht::learn::metrics::Metric;
use einsicht::learn::names::{Names, Recognised};
use einsicht::learn::params::{CheckedParams, NetworkKind, NetworkOptimizer, Penalty, Threshold};
use einsicht::learn::wishes::TrainWishes;
use einsicht::memory::{Bytes, usual_budget};
use einsicht::search::feature::{CountTransform, Feature};
use einsicht::{Dataset, TrainParams};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Options of training. What is not given is as in [`TrainParams`]; the help reads its defaults there.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Training options")]
pub(crate) struct TrainOptions {
    #[arg(long, value_name = "S,S,...", value_delimiter = ',',
        help = help("How many subgraphs the models of the path may use", |p| list(&p.sizes)))]
    pub(crate) sizes: Option<Vec<usize>>,
    #[arg(long, value_name = "M", help = help("Largest number of edges of a subgraph", |p| p.max_edges.to_string()))]
    pub(crate) max_edges: Option<usize>,
    #[arg(long, value_name = "N",
        help = help("Leave out subgraphs that occur in fewer training graphs", |p| p.min_support.to_string()))]
    pub(crate) min_support: Option<usize>,
    #[arg(long, value_name = "K", help = help("Number of hidden units", |p| p.hidden.to_string()))]
    pub(crate) hidden: Option<usize>,
    #[arg(long, value_name = "W,W,...", value_delimiter = ',',
        help = help("Widths of further layers", |_| "none".to_owned()))]
    pub(crate) layers: Option<Vec<usize>>,
    #[arg(long, value_name = "N",
        help = help("Gradient steps on the network in each iteration", |p| p.network_steps.to_string()))]
    pub(crate) network_steps: Option<usize>,
    #[arg(long, value_name = "N",
        help = help("Steps that fit all weights on the chosen subgraphs in each iteration", |p| p.polish_steps.to_string()))]
    pub(crate) polish_steps: Option<usize>,
    #[arg(long, value_name = "N",
        help = help("Steps that fit the network before the first subgraph is chosen", |p| p.prefit_steps.to_string()))]
    pub(crate) prefit_steps: Option<usize>,
    #[arg(long, value_name = "X", help = help("Pull of all weights towards zero", |p| p.weight_decay.to_string()))]
    pub(crate) weight_decay: Option<f64>,
    #[arg(long, value_name = "N",
        help = help("End a size after N iterations without a better validation loss", |p| p.patience.to_string()))]
    pub(crate) patience: Option<usize>,
    #[arg(long, value_name = "X",
        help = help("A validation loss is better if it is lower by this share", |p| p.tolerance.to_string()))]
    pub(crate) tolerance: Option<f64>,
    #[arg(long, value_name = "N",
        help = help("End a size after N iterations in any case", |p| p.max_iterations.to_string()))]
    pub(crate) max_iterations: Option<usize>,
    /// What is read of a subgraph: whether it occurs, or how often (the smallest number of images of a vertex) [default:
    /// count, or presence with a network].
    #[arg(long, value_name = "FEATURE", value_enum)]
    pub(crate) feature: Option<FeatureName>,
    /// What is done to counts [default: log1p].
    #[arg(long, value_name = "TRANSFORM", value_enum)]
    pub(crate) count_transform: Option<TransformName>,
    /// What keeps the number of subgraphs small: at most so many (l0), or a price on each (l1) [default: l0].
    #[arg(long, value_name = "l0|l1", value_parser = penalties())]
    pub(crate) penalty: Option<Penalty>,
    #[arg(long, value_name = "N", help = help("With --penalty l1: how many prices the path has", |p| p.lambdas.to_string()))]
    pub(crate) lambdas: Option<usize>,
    #[arg(long, value_name = "N",
        help = help("With --penalty l1: end the path where more subgraphs want in", |p| p.max_patterns.to_string()))]
    pub(crate) max_patterns: Option<usize>,
    /// What stands behind the subgraphs: linear layers, or none, which makes the model linear [default: layers].
    #[arg(long, value_name = "layers|none", value_parser = networks())]
    pub(crate) network: Option<NetworkKind>,
    /// Put a graph network beside the subgraphs: it reads vertex labels and attributes, is fitted by Adam, and comes
    /// first on the path alone, as size 0.
    #[arg(long, value_name = "none|gin", value_parser = words::<Gnn>(&["none", "gin"]))]
    pub(crate) gnn: Option<Gnn>,
    #[arg(long, value_name = "N", help = help("Rounds of the graph network", |p| p.gnn_rounds.to_string()))]
    pub(crate) gnn_rounds: Option<usize>,
    #[arg(long, value_name = "N", help = help("Units of its layers", |p| p.gnn_units.to_string()))]
    pub(crate) gnn_units: Option<usize>,
    /// How the vertices of a graph become one row of it [default: mean, with --faithful sum].
    #[arg(long, value_name = "sum|mean", value_parser = words::<Pooling>(&["sum", "mean"]))]
    pub(crate) gnn_pooling: Option<Pooling>,
    #[arg(long, value_name = "last|all", value_parser = words::<Readout>(&["last", "all"]),
        help = help("Which rounds go into that row", |p| word(&p.gnn_readout)))]
    pub(crate) gnn_readout: Option<Readout>,
    /// Give edges of different labels weights of their own in the graph network.
    #[arg(long)]
    pub(crate) gnn_edge_labels: bool,
    /// What a head reads of a whole graph besides the subgraphs: nothing, how many vertices have each label, or, where
    /// vertices have attributes, these and how each attribute spreads [default: attributes].
    #[arg(long, value_name = "none|labels|attributes",
        value_parser = words::<Summary>(&["none", "labels", "attributes"]))]
    pub(crate) summary: Option<Summary>,
    /// How the network is fitted: by the whole gradient, or by Adam over batches [default: gd, with a graph network
    /// adam].
    #[arg(long, value_name = "gd|adam", value_parser = words::<NetworkOptimizer>(&["gd", "adam"]))]
    pub(crate) network_optimizer: Option<NetworkOptimizer>,
    #[arg(long, value_name = "X", help = help("Step of Adam", |p| p.learning_rate.to_string()))]
    pub(crate) learning_rate: Option<f64>,
    #[arg(long, value_name = "N", help = help("Graphs that Adam reads for a step", |p| p.batch_size.to_string()))]
    pub(crate) batch_size: Option<usize>,
    /// Never choose these subgraphs, nor any that the training graphs cannot tell apart from them: a file as for match.
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) exclude: Option<PathBuf>,
    /// Have these subgraphs in every model, free of any price: a file as for match.
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) require: Option<PathBuf>,
    /// From which probability on the second of two classes is predicted: one half, or what serves the validation part
    /// best [default: half].
    #[arg(long, value_name = "half|auto", value_parser = thresholds())]
    pub(crate) threshold: Option<Threshold>,
    /// Find a temperature on the validation part, so that probabilities mean what they say.
    #[arg(long)]
    pub(crate) calibrate: bool,
    #[arg(long, value_name = "N",
        help = help("How many subgraphs may enter in one pass, 0 for as many as the size allows", |p| p.growth.to_string()))]
    pub(crate) growth: Option<usize>,
    /// What reads the values of the chosen subgraphs [default: blend]. Options of the network, --network layers and
    /// --penalty l1 ask for the network of the paper, as --head network does.
    #[arg(long, value_name = "HEAD", value_enum)]
    pub(crate) head: Option<HeadName>,
    #[arg(long, value_name = "X", help = help("Pull of a linear head's weights towards zero", |p| p.ridge.to_string()))]
    pub(crate) ridge: Option<f64>,
    #[arg(long, value_name = "N", help = help("Number of trees of a forest head", |p| p.trees.to_string()))]
    pub(crate) trees: Option<usize>,
    /// Let the head learn from the validation part too, once it has served to choose [default: on, unless --head network].
    #[arg(long, value_name = "on|off", value_parser = on_or_off())]
    pub(crate) refit: Option<bool>,
    /// Choose among the models by this metric of the validation part [default: auc, or accuracy
    /// with a network, or rmse for numbers].
    #[arg(long, value_name = "METRIC", value_parser = metrics())]
    pub(crate) select: Option<Metric>,
    /// Memory for training, such as 500M or 2G: what does not fit is derived again when needed, which takes time and
    /// changes no result [default: three quarters of what is available].
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
    /// Train as the paper does: pattern by pattern, its sizes, at most 9 edges, nothing added. Other options still hold.
    #[arg(long)]
    pub(crate) faithful: bool,
}

/// What a training starts from.
pub(crate) struct Prepared {
    pub(crate) dataset: Dataset,
    pub(crate) split: Split,
    pub(crate) params: CheckedParams,
}

impl TrainOptions {
    /// Bytes that training may take, if there is a limit.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.memory.or_else(usual_budget).map(|Bytes(bytes)| bytes)
    }

    /// Reads the data and gets everything ready for one training.
    pub(crate) fn prepare(&self, input: &Input, seed: u64, output: &Output) -> Result<Prepared, Failure> {
        let params = self.params(seed)?;
        params.clone().check()?; // what is wrong is told before the data are read
        let dataset = input.read(ReadDefaults::training(), output)?;
        let params = self.with_patterns(params, &dataset, output)?.check()?;
        let split = input.split_of(&dataset, seed)?;
        Ok(Prepared { dataset, split, params })
    }

    /// The parameters that were asked for, if the options mix.
    pub(crate) fn params(&self, seed: u64) -> Result<TrainParams, Failure> {
        self.wishes().params(seed).map_err(mixing::failure)
    }

    /// The parameters that a grid varies.
    pub(crate) fn params_for(&self, grid: &Grid, seed: u64) -> Result<TrainParams, Failure> {
        self.wishes().params_for(grid, seed).map_err(mixing::failure)
    }

    /// What was asked for, in the words of the library.
    fn wishes(&self) -> TrainWishes {
        TrainWishes {
            sizes: self.sizes.clone(),
            max_edges: self.max_edges,
            min_support: self.min_support,
            hidden: self.hidden,
            layers: self.layers.clone(),
            network_steps: self.network_steps,
            polish_steps: self.polish_steps,
            prefit_steps: self.prefit_steps,
            weight_decay: self.weight_decay,
            patience: self.patience,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            feature: self.feature.map(Feature::from),
            count_transform: self.count_transform.map(CountTransform::from),
            penalty: self.penalty,
            lambdas: self.lambdas,
            max_patterns: self.max_patterns,
            network: self.network,
            gnn: self.gnn,
            gnn_rounds: self.gnn_rounds,
            gnn_units: self.gnn_units,
            gnn_pooling: self.gnn_pooling,
            gnn_readout: self.gnn_readout,
            gnn_edge_labels: self.gnn_edge_labels.then_some(true),
            summary: self.summary,
            network_optimizer: self.network_optimizer,
            learning_rate: self.learning_rate,
            batch_size: self.batch_size,
            growth: self.growth,
            head: self.head.map(HeadKind::from),
            ridge: self.ridge,
            trees: self.trees,
            refit: self.refit,
            calibrate: self.calibrate.then_some(true),
            threshold: self.threshold,
            select: self.select,
            faithful: self.faithful,
        }
    }

    /// Adds the subgraphs of --exclude and --require in the labels of the data.
    pub(crate) fn with_patterns(
        &self,
        mut params: TrainParams,
        dataset: &Dataset,
        output: &Output,
    ) -> Result<TrainParams, Failure> {
        if let Some(path) = &self.exclude {
            let Recognised { codes, strangers } = recognised(path, dataset)?;
            if strangers > 0 {
                output.say(&format!(
                    "{} to exclude with labels that the data do not have",
                    counted(strangers, "subgraph")
                ));
            }
            params.exclude = codes;
        }
        if let Some(path) = &self.require {
            let Recognised { codes, strangers } = recognised(path, dataset)?;
            if strangers > 0 {
                let error =
                    format!("--require: {} with labels that the data do not have", counted(strangers, "subgraph"));
                return Err(Failure::usage("--require", error));
            }
            params.require = codes;
        }
        Ok(params)
    }
}

/// `--feature`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FeatureName {
    Presence,
    Count,
}

impl From<FeatureName> for Feature {
    fn from(name: FeatureName) -> Self {
        match name {
            FeatureName::Presence => Self::Presence,
            FeatureName::Count => Self::Count,
        }
    }
}

/// `--count-transform`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TransformName {
    Identity,
    #[value(name = "log1p")]
    Log1p,
}

impl From<TransformName> for CountTransform {
    fn from(name: TransformName) -> Self {
        match name {
            TransformName::Identity => Self::Identity,
            TransformName::Log1p => Self::Log1p,
        }
    }
}

/// `--head`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum HeadName {
    /// The network, as it was trained.
    Network,
    /// A linear model, fitted to the end.
    Linear,
    /// A random forest.
    Forest,
    /// A mean of the linear model and the forest, weighed on the validation part.
    Blend,
}

impl From<HeadName> for HeadKind {
    fn from(name: HeadName) -> Self {
        match name {
            HeadName::Network => Self::Network,
            HeadName::Linear => Self::Linear,
            HeadName::Forest => Self::Forest,
            HeadName::Blend => Self::Blend,
        }
    }
}

/// The patterns of a file in the labels of the data.
fn recognised(path: &Path, dataset: &Dataset) -> Result<Recognised, Failure> {
    Ok(Names::of(dataset).recognise(&PatternFile::read(path)?.patterns))
}

fn thresholds() -> impl TypedValueParser<Value = Threshold> {
    let kind = |name: String| if name == "auto" { Threshold::Auto } else { Threshold::Half };
    PossibleValuesParser::new(["half", "auto"]).map(kind)
}

fn help(text: &str, value: fn(&TrainParams) -> String) -> String {
    format!("{text} [default: {}]", value(&TrainParams::default()))
}

fn list(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// One of these words, as the type reads it in files.
fn words<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).map(|word| {
        serde_json::from_value(Value::String(word.clone())).unwrap_or_else(|_| unreachable!("{word} is listed"))
    })
}

/// The word for a value in files.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

fn metrics() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::name))
        .map(|name| Metric::from_name(&name).unwrap_or_else(|| unreachable!("{name} is listed")))
}

fn penalties() -> impl TypedValueParser<Value = Penalty> {
    PossibleValuesParser::new(["l0", "l1"]).map(|name| if name == "l1" { Penalty::L1 } else { Penalty::L0 })
}

fn networks() -> impl TypedValueParser<Value = NetworkKind> {
    let kind = |name: String| if name == "none" { NetworkKind::None } else { NetworkKind::Layers };
    PossibleValuesParser::new(["layers", "none"]).map(kind)
}
