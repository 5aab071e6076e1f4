//! Grids of parameters for `experiment`: by name, or from a JSON file of lists.

use crate::failure::Failure;
use crate::io::file::read_whole;
use einsicht::train::grid::Grid;
use std::path::Path;

/// The grid that was asked for.
pub(crate) fn read(grid: &str) -> Result<Grid, Failure> {
    match grid {
        "quick" => Ok(Grid::single()),
        "paper" => Ok(Grid::paper()),
        file => {
            let path = Path::new(file);
            Grid::from_bytes(&read_whole(path)?).map_err(|error| Failure::file(path, error))
        }
    }
}
