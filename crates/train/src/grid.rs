//! Grids of parameters: lists of values by name, and every combination of them.
//!
//! Promise: the points come in one order, the last name (by bytes) changing fastest; each is checked; a grid of more
//! than [`MOST_POINTS`] points is refused before any of them is made, so that a small file cannot fill the memory.

use einsicht_model::params::{CheckedParams, ParamError, Preset, TrainParams, TrainSettings};
use serde_json::{Map, Value, json};

/// More points are refused: nobody waits for so many trainings.
pub(crate) const MOST_POINTS: usize = 10_000;

/// The parameter that changes the data.
const QUALIFIERS: &str = "qualifiers";

/// One point: what the grid sets, and all parameters.
#[derive(Clone, Debug)]
pub struct Point {
    /// Names and values of what the grid sets.
    pub sets: Map<String, Value>,
    /// All parameters.
    pub params: CheckedParams,
}

/// Why a grid has no points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum GridError {
    #[error("a grid must be JSON: {reason}")]
    NotJson { reason: String },
    #[error("a grid must be an object with a list of values for each parameter")]
    NotAnObject,
    #[error("{name} must be a list of values")]
    NotAList { name: String },
    #[error(
        "qualifiers must have one value in a grid, since all its points share one data set; run one experiment for each"
    )]
    Qualifiers,
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error("a grid may have at most {MOST_POINTS} points, got {points}")]
    TooMany { points: usize },
}

/// Lists of values by the name of the parameter, and the preset that holds where the settings name none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    lists: Map<String, Value>,
    preset: Option<Preset>,
}

impl Grid {
    /// A single point that sets nothing: the grid `quick`.
    pub fn single() -> Self {
        Self::default()
    }

    /// The grid of the paper. Its preset is [`Preset::Ein`], unless the settings name one.
    pub fn paper() -> Self {
        let lists = object(json!({
            "max_edges": [4, 9],
            "hidden": [2, 6, 10],
            "network_steps": [1, 30],
            "sizes": [[1, 5, 10, 25, 50, 75, 100]],
            "min_edges": [1],
            "qualifiers": ["none"],
        }));
        Self { lists, preset: Some(Preset::Ein) }
    }

    /// Parses a file.
    pub fn from_bytes(text: &[u8]) -> Result<Self, GridError> {
        match serde_json::from_slice(text) {
            Ok(Value::Object(lists)) => Self::from_lists(lists),
            Ok(_) => Err(GridError::NotAnObject),
            Err(error) => Err(GridError::NotJson { reason: error.to_string() }),
        }
    }

    fn from_lists(mut lists: Map<String, Value>) -> Result<Self, GridError> {
        let mut settings = TrainSettings::default();
        let preset = lists.remove("preset");
        if let Some(preset) = &preset {
            settings.set("preset", preset.clone())?;
        }
        Ok(Self { lists, preset: preset.map(|_| settings.preset()) })
    }

    /// The parameters that the points vary: the settings, on the grid's preset where they name none, with the grid's
    /// qualifiers, which the data get before any point is trained.
    pub fn base(&self, settings: &TrainSettings, seed: u64) -> Result<TrainParams, ParamError> {
        let mut settings = settings.clone().or_preset(self.preset);
        if let Some([choice]) = self.lists.get(QUALIFIERS).and_then(Value::as_array).map(Vec::as_slice) {
            settings.set(QUALIFIERS, choice.clone())?;
        }
        settings.params(seed)
    }

    /// The points, in order; what the grid does not set is as in `base`.
    pub fn points(&self, base: &TrainParams) -> Result<Vec<Point>, GridError> {
        let mut lists = Vec::with_capacity(self.lists.len());
        for (name, values) in &self.lists {
            match values.as_array() {
                Some(values) if name == QUALIFIERS && values.len() > 1 => return Err(GridError::Qualifiers),
                Some(values) if !values.is_empty() => lists.push((name, values)),
                _ => return Err(GridError::NotAList { name: name.clone() }),
            }
        }
        let points = lists.iter().fold(1_usize, |points, (_, values)| points.saturating_mul(values.len()));
        if points > MOST_POINTS {
            return Err(GridError::TooMany { points });
        }
        let mut all = vec![Map::new()];
        for (name, values) in lists {
            let with = |point: &Map<String, Value>, value: &Value| {
                let mut longer = point.clone();
                longer.insert(name.clone(), value.clone());
                longer
            };
            all = all.iter().flat_map(|point| values.iter().map(move |value| with(point, value))).collect();
        }
        all.into_iter().map(|sets| point(sets, base)).collect()
    }
}

fn point(sets: Map<String, Value>, base: &TrainParams) -> Result<Point, GridError> {
    let params = base.with(sets.iter().map(|(name, value)| (name.as_str(), value)))?;
    Ok(Point { params: params.check()?, sets })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::QualifierChoice;

    #[test]
    fn the_grid_of_the_paper_has_twelve_points_in_order() {
        let points = Grid::paper().points(&TrainParams::ein()).unwrap();
        assert_eq!(points.len(), 12);
        let of = |at: usize| {
            let p = points[at].params.get();
            (p.hidden, p.max_edges, p.network_steps, p.sizes.len())
        };
        assert_eq!((of(0), of(1), of(11)), ((2, 4, 1, 7), (2, 4, 30, 7), (10, 9, 30, 7)));
        assert_eq!(Grid::single().points(&TrainParams::ein()).unwrap().len(), 1);
    }

    #[test]
    fn a_grid_may_name_the_preset_that_holds_where_the_settings_name_none() {
        let grid = Grid::from_bytes(br#"{"preset": "paper", "hidden": [2]}"#).unwrap();
        let none = TrainSettings::default();
        assert_eq!(grid.base(&none, 3).unwrap(), TrainParams { seed: 3, ..TrainParams::paper() });
        let mut ein = TrainSettings::default();
        ein.set("preset", json!("ein")).unwrap();
        assert_eq!(grid.base(&ein, 0).unwrap(), TrainParams::ein());
        let paper = Grid::paper().base(&none, 0).unwrap();
        assert_eq!(paper, TrainParams { qualifiers: QualifierChoice::None, ..TrainParams::ein() });
        assert!(Grid::paper().points(&paper).unwrap().iter().all(|point| point.params.get().min_edges == 1));
        assert_eq!(Grid::single().base(&none, 0).unwrap(), TrainParams::default());
    }

    #[test]
    fn what_is_no_grid_is_refused_with_the_reason() {
        let many = format!("{{\"hidden\": [{0}], \"seed\": [{0}], \"gnn_units\": [{0}]}}", ["1"; 100].join(","));
        for (text, expected) in [
            ("[1]", "must be an object"),
            ("{\"hidden\": ", "must be JSON"),
            ("{\"hiden\": [1]}", "hiden is not a parameter; did you mean hidden?"),
            ("{\"hidden\": 3}", "hidden must be a list"),
            ("{\"hidden\": []}", "hidden must be a list"),
            ("{\"hidden\": [\"x\"]}", "hidden must be a whole number from 1 to 256, got x"),
            ("{\"trees\": [5]}", "trees needs head forest or head blend"),
            ("{\"preset\": \"x\"}", "preset must be one of default"),
            ("{\"hidden\": [0]}", "hidden must be a whole number from 1"),
            ("{\"qualifiers\": [\"auto\", \"none\"]}", "qualifiers must have one value in a grid"),
            (&many, "at most 10000 points, got 1000000"),
        ] {
            let refused = Grid::from_bytes(text.as_bytes()).and_then(|grid| grid.points(&TrainParams::ein()));
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
    }
}
