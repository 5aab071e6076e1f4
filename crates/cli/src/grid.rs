//! Grids of parameters for `experiment`: by name, or from a JSON file of lists.

use crate::failure::Failure;
use crate::file::read_whole;
use einsicht::TrainParams;
use einsicht::learn::grid::{Grid, GridError};
use std::path::Path;

pub(crate) use einsicht::learn::grid::Point;

/// The points of a grid, in order: the last name changes fastest.
pub(crate) fn points(grid: &str, base: &TrainParams) -> Result<Vec<Point>, Failure> {
    let lists = match grid {
        "quick" => Grid::quick(),
        "paper" => Grid::paper(),
        file => {
            let path = Path::new(file);
            Grid::from_bytes(&read_whole(path)?).map_err(|error| Failure::file(path, error))?
        }
    };
    lists.points(base).map_err(|error| match error {
        GridError::Param(error) => error.into(),
        error => Failure::usage("--grid", format!("{grid}: {error}")),
    })
}
