//! Graphs that may be exchanged with one another, and targets of data sets.

use crate::Response;
use einsicht_data::chem::scaffold_groups;
use einsicht_data::read::UnknownWord;
use einsicht_data::{Dataset, Target, TargetValues};
use std::str::FromStr;

/// Which graphs are exchanged with one another: an association that only says in which stratum a graph is, is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strata {
    /// Graphs of about the same number of vertices: eighths of the data set, equal sizes together.
    Size,
    /// Graphs of the same scaffold.
    Scaffold,
}

impl FromStr for Strata {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "size" => Ok(Self::Size),
            "scaffold" => Ok(Self::Scaffold),
            _ => Err(UnknownWord { what: "strata", allowed: "size, scaffold".to_owned(), got: word.to_owned() }),
        }
    }
}

impl Strata {
    /// The stratum of each graph.
    pub fn of(self, dataset: &Dataset) -> Vec<u32> {
        match self {
            Self::Scaffold => scaffold_groups(dataset),
            Self::Size => {
                let sizes: Vec<usize> = dataset.graphs.iter().map(einsicht_graph::Graph::num_vertices).collect();
                let mut sorted = sizes.clone();
                sorted.sort_unstable();
                let smaller = |size: &usize| sorted.partition_point(|other| other < size);
                sizes.iter().map(|size| (8 * smaller(size) / sorted.len().max(1)) as u32).collect()
            }
        }
    }
}

impl Response {
    /// The values of a target, and the positions of the graphs that have one.
    pub fn of(target: &Target) -> (Vec<usize>, Self) {
        match &target.values {
            TargetValues::Classes { classes, values } => {
                let known = values.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
                let (rows, of) = known.unzip();
                (rows, Self::Classes { of, count: classes.len() as u32 })
            }
            TargetValues::Numbers { values } => {
                let known = values.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
                let (rows, values) = known.unzip();
                (rows, Self::Numbers(values))
            }
        }
    }
}
