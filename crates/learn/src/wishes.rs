//! What somebody asks for, and the parameters that follow: the one place where the program and Python agree on it.
//!
//! Promise: what is not asked for is as in [`TrainParams`]; whoever asks for something of the network gets the network of the
//! paper as the base, not the defaults that do without one; wishes that do not mix are refused with the reason. Ranges are
//! not looked at here: [`TrainParams::check`] does that.

use crate::gnn::{Gnn, Pooling, Readout, Summary};
use crate::grid::Grid;
use crate::heads::HeadKind;
use crate::params::{NetworkKind, NetworkOptimizer, Penalty, Threshold, TrainParams};
use crate::task::metrics::Metric;
use einsicht_search::feature::{CountTransform, Feature};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One list of fields: the struct, its names, and how a wish replaces a parameter.
macro_rules! wishes {
    ($($field:ident: $type:ty,)*) => {
        /// Wishes about training. Every field but `faithful` is one of [`TrainParams`], absent where nothing is asked for.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        #[expect(missing_docs, reason = "the fields are those of `TrainParams`, which describes them")]
        pub struct TrainWishes {
            $(pub $field: Option<$type>,)*
            pub select: Option<Metric>,
            pub faithful: bool,
        }

        impl TrainWishes {
            /// Names of all wishes, as in files and in Python.
            pub const NAMES: &[&str] = &[$(stringify!($field),)* "select", "faithful"];

            /// What must be asked for to get these parameters where others hold.
            fn differing(params: &TrainParams, base: &TrainParams) -> Self {
                Self {
                    $($field: (params.$field != base.$field).then(|| params.$field.clone()),)*
                    select: params.select.filter(|metric| base.select != Some(*metric)),
                    faithful: false,
                }
            }

            fn over(&self, base: TrainParams, seed: u64) -> TrainParams {
                TrainParams {
                    $($field: self.$field.clone().unwrap_or(base.$field),)*
                    select: self.select.or(base.select),
                    seed,
                    ..base
                }
            }
        }
    };
}

wishes! {
    sizes: Vec<usize>,
    max_edges: usize,
    min_support: usize,
    hidden: usize,
    layers: Vec<usize>,
    network_steps: usize,
    polish_steps: usize,
    prefit_steps: usize,
    weight_decay: f64,
    patience: usize,
    tolerance: f64,
    max_iterations: usize,
    feature: Feature,
    count_transform: CountTransform,
    penalty: Penalty,
    lambdas: usize,
    max_patterns: usize,
    network: NetworkKind,
    gnn: Gnn,
    gnn_rounds: usize,
    gnn_units: usize,
    gnn_pooling: Pooling,
    gnn_readout: Readout,
    gnn_edge_labels: bool,
    summary: Summary,
    network_optimizer: NetworkOptimizer,
    learning_rate: f64,
    batch_size: usize,
    growth: usize,
    head: HeadKind,
    ridge: f64,
    trees: usize,
    refit: bool,
    calibrate: bool,
    threshold: Threshold,
}

/// Why wishes are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WishError {
    /// Two wishes that exclude each other.
    #[error("{option} does not go with {other} {word}: {reason}")]
    Clash {
        /// The wish that is refused.
        option: &'static str,
        /// The other one.
        other: &'static str,
        /// What it says.
        word: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A name that is no wish.
    #[error("{name} is not a parameter; there are {}", TrainWishes::NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// A value of another type.
    #[error("{name} cannot be {got}: {reason}")]
    Type {
        /// The name.
        name: String,
        /// The value.
        got: String,
        /// What was expected.
        reason: String,
    },
}

impl TrainWishes {
    /// Wishes by name, as JSON; each is looked at by itself, so that errors name it. `null` means nothing is asked for.
    pub fn from_json(mut wishes: Map<String, Value>) -> Result<Self, WishError> {
        wishes.retain(|_, wish| !wish.is_null());
        for (name, wish) in &wishes {
            if !Self::NAMES.contains(&name.as_str()) {
                return Err(WishError::Unknown { name: name.clone() });
            }
            let alone = Map::from_iter([(name.clone(), wish.clone())]);
            if let Err(error) = serde_json::from_value::<Self>(Value::Object(alone)) {
                let (name, got, reason) = (name.clone(), wish.to_string(), error.to_string());
                return Err(WishError::Type { name, got, reason });
            }
        }
        let whole = serde_json::from_value(Value::Object(wishes));
        whole.map_err(|error| WishError::Type {
            name: "parameters".to_owned(),
            got: "these".to_owned(),
            reason: error.to_string(),
        })
    }

    /// Wishes that lead to these parameters: few, so that some may be changed. Subgraphs that must or must not be chosen are
    /// none of them.
    pub fn of(params: &TrainParams) -> Self {
        let faithful = Self { faithful: true, ..Self::default() };
        let network = Self { head: Some(HeadKind::Network), ..Self::default() };
        let lead_there = |start: &Self| {
            let start = Self { gnn: Some(params.gnn).filter(|gnn| *gnn != Gnn::None), ..start.clone() };
            let mut base = start.params(params.seed).ok()?;
            if params.network == NetworkKind::None {
                // The units of a linear model are its outputs, whatever was asked for.
                (base.hidden, base.layers) = (params.hidden, Vec::new());
            }
            let wishes = Self { faithful: start.faithful, ..Self::differing(params, &base) };
            let wishes = Self { gnn: start.gnn, head: wishes.head.or(start.head), ..wishes };
            let wanted = TrainParams { exclude: Vec::new(), require: Vec::new(), ..params.clone() };
            (wishes.params(params.seed).ok()?.for_outputs(params.hidden) == wanted).then_some(wishes)
        };
        let few = |wishes: &Self| serde_json::to_string(wishes).map_or(usize::MAX, |text| text.len());
        let found = [Self::default(), network, faithful].iter().filter_map(lead_there).min_by_key(few);
        found.unwrap_or_else(|| Self::differing(params, &TrainParams::default()))
    }

    /// The parameters that were asked for, if the wishes mix.
    pub fn params(&self, seed: u64) -> Result<TrainParams, WishError> {
        self.params_on(self.base(), seed)
    }

    /// The parameters that a grid varies: the grid of the paper is one of its network.
    pub fn params_for(&self, grid: &Grid, seed: u64) -> Result<TrainParams, WishError> {
        let is_network = *grid == Grid::paper() && !self.faithful;
        self.params_on(if is_network { TrainParams::ein() } else { self.base() }, seed)
    }

    /// The same where something else holds if nothing is asked for.
    fn params_on(&self, base: TrainParams, seed: u64) -> Result<TrainParams, WishError> {
        if let Some(&Clash { option, with: (other, word), reason, .. }) =
            CLASHES.iter().find(|c| (c.is_asked_for)(self))
        {
            return Err(WishError::Clash { option, other, word, reason });
        }
        let gnn = self.gnn.unwrap_or_default();
        // The paper's way stays the paper's.
        let base = if self.faithful { TrainParams { gnn, ..base } } else { base.with_gnn(gnn) };
        Ok(self.over(base, seed))
    }

    /// What holds where nothing is asked for. Whoever asks for something of the network gets the network of the paper.
    pub fn base(&self) -> TrainParams {
        let network = self.head == Some(HeadKind::Network)
            || self.hidden.is_some()
            || self.layers.is_some()
            || self.network_steps.is_some()
            || self.network == Some(NetworkKind::Layers)
            || self.penalty == Some(Penalty::L1)
            || self.gnn == Some(Gnn::Gin);
        match (self.faithful, network) {
            (true, _) => TrainParams::faithful(),
            (false, true) => TrainParams::ein(),
            (false, false) => TrainParams::default(),
        }
    }

    fn has_price(&self) -> bool {
        self.penalty == Some(Penalty::L1)
    }

    fn is_linear(&self) -> bool {
        self.network == Some(NetworkKind::None)
    }

    fn head(&self) -> HeadKind {
        self.head.unwrap_or_else(|| self.base().head)
    }

    fn reads_presence(&self) -> bool {
        self.feature.unwrap_or_else(|| self.base().feature) == Feature::Presence
    }
}

/// Two things that were asked for and exclude each other.
pub struct Clash {
    /// The wish that is refused.
    pub option: &'static str,
    /// What it does not go with: another wish, and what that says.
    pub with: (&'static str, &'static str),
    /// Why.
    pub reason: &'static str,
    is_asked_for: fn(&TrainWishes) -> bool,
}

/// Wishes that do not mix: one table, which the help prints and everybody obeys.
pub const CLASHES: &[Clash] = &[
    Clash {
        option: "sizes",
        with: ("penalty", "l1"),
        reason: "the path is one of prices; lambdas says how many",
        is_asked_for: |w| w.has_price() && w.sizes.is_some(),
    },
    Clash {
        option: "lambdas",
        with: ("penalty", "l0"),
        reason: "only the penalty l1 has a path of prices",
        is_asked_for: |w| !w.has_price() && w.lambdas.is_some(),
    },
    Clash {
        option: "max_patterns",
        with: ("penalty", "l0"),
        reason: "the sizes already say how many subgraphs there may be",
        is_asked_for: |w| !w.has_price() && w.max_patterns.is_some(),
    },
    Clash {
        option: "hidden",
        with: ("network", "none"),
        reason: "a linear model has one unit for each output",
        is_asked_for: |w| w.is_linear() && w.hidden.is_some(),
    },
    Clash {
        option: "layers",
        with: ("network", "none"),
        reason: "a linear model has no layers",
        is_asked_for: |w| w.is_linear() && w.layers.is_some(),
    },
    Clash {
        option: "network_steps",
        with: ("network", "none"),
        reason: "there is no network to make steps on",
        is_asked_for: |w| w.is_linear() && w.network_steps.is_some(),
    },
    Clash {
        option: "count_transform",
        with: ("feature", "presence"),
        reason: "only counts are transformed",
        is_asked_for: |w| w.count_transform.is_some() && w.reads_presence(),
    },
    Clash {
        option: "refit",
        with: ("head", "network"),
        reason: "only a head is fitted again",
        is_asked_for: |w| w.refit == Some(true) && w.head() == HeadKind::Network,
    },
    Clash {
        option: "ridge",
        with: ("head", "forest"),
        reason: "there is no linear model",
        is_asked_for: |w| w.ridge.is_some() && matches!(w.head(), HeadKind::Forest | HeadKind::Network),
    },
    Clash {
        option: "trees",
        with: ("head", "linear"),
        reason: "there is no forest, and none with the head network",
        is_asked_for: |w| w.trees.is_some() && matches!(w.head(), HeadKind::Linear | HeadKind::Network),
    },
    Clash {
        option: "head",
        with: ("gnn", "gin"),
        reason: "a graph network and the subgraphs are read by one network",
        is_asked_for: |w| w.gnn == Some(Gnn::Gin) && w.head() != HeadKind::Network,
    },
    Clash {
        option: "summary",
        with: ("head", "network"),
        reason: "only a head reads it; the network has gnn for that",
        is_asked_for: |w| w.summary.is_some_and(|s| s != Summary::None) && w.head() == HeadKind::Network,
    },
    Clash {
        option: "growth",
        with: ("penalty", "l1"),
        reason: "the price decides how many subgraphs enter",
        is_asked_for: |w| w.has_price() && w.growth.is_some(),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(json: &str) -> Result<TrainWishes, WishError> {
        TrainWishes::from_json(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn nothing_asked_for_gives_the_defaults_and_a_wish_about_the_network_the_network() {
        assert_eq!(wishes("{}").unwrap().params(0).unwrap(), TrainParams::default());
        let hidden = wishes(r#"{"hidden": 10, "sizes": null}"#).unwrap().params(3).unwrap();
        assert_eq!(hidden, TrainParams { hidden: 10, seed: 3, ..TrainParams::ein() });
        let faithful = wishes(r#"{"faithful": true}"#).unwrap().params(0).unwrap();
        assert_eq!(faithful, TrainParams::faithful());
    }

    #[test]
    fn every_wish_can_be_fulfilled() {
        let defaults = serde_json::to_value(TrainParams::default()).unwrap();
        for name in TrainWishes::NAMES.iter().filter(|name| **name != "faithful") {
            assert!(defaults.get(name).is_some(), "{name} is not a parameter");
            let one = serde_json::json!({ *name: defaults[name] });
            TrainWishes::from_json(one.as_object().unwrap().clone()).unwrap();
        }
    }

    #[test]
    fn wishes_that_do_not_mix_are_refused_with_the_reason() {
        let error = wishes(r#"{"penalty": "l1", "sizes": [1]}"#).unwrap().params(0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sizes does not go with penalty l1: the path is one of prices; lambdas says how many"
        );
    }

    #[test]
    fn parameters_lead_back_to_few_wishes() {
        for json in [
            "{}",
            r#"{"hidden": 10, "sizes": [1, 2]}"#,
            r#"{"faithful": true}"#,
            r#"{"faithful": true, "gnn": "gin"}"#,
            r#"{"penalty": "l1", "lambdas": 4}"#,
            r#"{"penalty": "l1", "network": "none"}"#,
            r#"{"gnn": "gin", "gnn_units": 4}"#,
            r#"{"head": "linear", "ridge": 0.5, "select": "accuracy"}"#,
        ] {
            // As in a model of two outputs.
            let params = wishes(json).unwrap().params(3).unwrap().for_outputs(2);
            let found = TrainWishes::of(&params);
            assert_eq!(found.params(3).unwrap().for_outputs(2), params, "{json}");
            let asked = serde_json::to_value(&found).unwrap();
            let asked = asked.as_object().unwrap().values().filter(|wish| !wish.is_null() && **wish != false).count();
            assert!(asked <= 4, "{json}: {found:?}");
        }
    }

    #[test]
    fn an_unknown_name_and_a_wrong_type_are_named() {
        assert!(wishes(r#"{"max_edge": 3}"#).unwrap_err().to_string().starts_with("max_edge is not a parameter"));
        let error = wishes(r#"{"max_edges": "six"}"#).unwrap_err().to_string();
        assert!(error.starts_with("max_edges cannot be \"six\": invalid type"), "{error}");
    }
}
