//! Grids of parameters for `experiment`: by name, or from a JSON file of lists.

use crate::failure::Failure;
use crate::file::read_whole;
use einsicht::TrainParams;
use einsicht::learn::params::CheckedParams;
use serde_json::{Map, Value, json};
use std::path::Path;

/// One point: what differs from the rest of the grid, and all parameters.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Names and values of what the grid sets.
    pub(crate) sets: Map<String, Value>,
    pub(crate) params: CheckedParams,
}

/// The points of a grid, in order: the last name changes fastest.
pub(crate) fn points(grid: &str, base: &TrainParams) -> Result<Vec<Point>, Failure> {
    let lists = match grid {
        "quick" => Map::new(),
        "paper" => object(json!({
            "max_edges": [4, 9],
            "hidden": [2, 6, 10],
            "network_steps": [1, 30],
            "sizes": [[1, 5, 10, 25, 50, 75, 100]],
        })),
        file => from_file(Path::new(file))?,
    };
    let mut all = vec![Map::new()];
    for (name, values) in &lists {
        let values = values.as_array().filter(|values| !values.is_empty());
        let values = values.ok_or_else(|| wrong(grid, format!("{name} must be a list of values")))?;
        all = all
            .into_iter()
            .flat_map(|point| {
                values.iter().map(move |value| {
                    let mut longer = point.clone();
                    longer.insert(name.clone(), value.clone());
                    longer
                })
            })
            .collect();
    }
    all.into_iter().map(|sets| point(grid, sets, base)).collect()
}

fn point(grid: &str, sets: Map<String, Value>, base: &TrainParams) -> Result<Point, Failure> {
    let mut fields = object(serde_json::to_value(base).map_err(|e| wrong(grid, e))?);
    for (name, value) in &sets {
        match fields.get_mut(name) {
            Some(field) => *field = value.clone(),
            None => return Err(wrong(grid, format!("{name} is not a parameter of training"))),
        }
    }
    let params: TrainParams = serde_json::from_value(Value::Object(fields)).map_err(|error| wrong(grid, error))?;
    Ok(Point { params: params.check()?, sets })
}

fn from_file(path: &Path) -> Result<Map<String, Value>, Failure> {
    let lists: Value = serde_json::from_slice(&read_whole(path)?).map_err(|error| Failure::file(path, error))?;
    match lists {
        Value::Object(lists) => Ok(lists),
        _ => Err(Failure::file(path, "a grid must be an object with a list of values for each parameter")),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn wrong(grid: &str, error: impl std::fmt::Display) -> Failure {
    Failure::usage("--grid", format!("{grid}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_of_the_paper_has_twelve_points_in_order() {
        let points = points("paper", &TrainParams::ein()).unwrap();
        assert_eq!(points.len(), 12);
        let of = |at: usize| {
            let p = points[at].params.get();
            (p.hidden, p.max_edges, p.network_steps, p.sizes.len())
        };
        assert_eq!((of(0), of(1), of(11)), ((2, 4, 1, 7), (2, 4, 30, 7), (10, 9, 30, 7)));
    }

    #[test]
    fn a_name_that_is_no_parameter_and_a_value_out_of_range_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, expected) in [
            ("[1]", "must be an object"),
            ("{\"hiden\": [1]}", "hiden is not a parameter"),
            ("{\"hidden\": 3}", "hidden must be a list"),
            ("{\"hidden\": [0]}", "--hidden must be"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let refused = points(&file.path().display().to_string(), &TrainParams::ein()).unwrap_err();
            let (Failure::Data(problem) | Failure::Usage(problem)) = refused else { panic!("a problem") };
            assert!(problem.error.contains(expected), "{}", problem.error);
        }
    }
}
